//! Shaders as their users see them: fragment shaders draw pictures, vertex and compute shaders give their outputs.
//!
//! Whatever the caller does not set has a default that makes a picture worth looking at; `docs/drawing.md` lists them.

mod bytes;
mod compute;
mod defaults;
mod draw;
mod fed;
mod names;
mod target;
mod vertex;

use std::sync::Arc;

use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, Dim, ImageKind, ImageType, Scalar, TypeKind};

pub use bytes::{block_from_bytes, block_len, block_to_bytes};
pub use compute::Compute;
pub use draw::{Image, draw};
pub use fed::{Fed, FedBlock, FedInput, FedUniform, fed};
pub use target::fragment_outputs;
pub use vertex::{VertexOptions, VertexOutput, run_vertex};

use crate::evaluator::Evaluator;
use crate::stop::{Limits, Stop};
use crate::texture::{SamplerState, StorageImage, Texture, TextureData, Wrap};

/// A texture that the caller gives, and how it is sampled.
#[derive(Clone)]
pub struct TextureBinding {
    /// The name of the sampler or texture variable; of an array's element `name[2]`.
    pub name: String,
    /// Its texels.
    pub texture: Arc<dyn Texture>,
    /// How it is sampled.
    pub sampler: SamplerState,
}

/// What is told about a drawing as it goes on: rows done, rows in all.
pub type Progress<'a> = &'a (dyn Fn(u32, u32) + Sync);

/// How to draw.
#[derive(Clone)]
pub struct DrawOptions<'a> {
    /// Width and height in pixels, each at least one.
    pub size: [u32; 2],
    /// Seconds since the beginning, for uniforms that are named like a time.
    pub time: f32,
    /// Number of the frame.
    pub frame: u32,
    /// Mouse: x, y in pixels from the lower left, and (Shadertoy) where it was pressed.
    pub mouse: [f32; 4],
    /// Uniforms by name, their components as numbers. Names of parts: `light.position`, `weights[3]`; a member of a
    /// block may go by its own name.
    pub uniforms: Vec<(String, Vec<f64>)>,
    /// Textures by name; the others show a pattern.
    pub textures: Vec<TextureBinding>,
    /// The output that is drawn, such as those of [`fragment_outputs`]; `None`: `gl_FragColor`, `gl_FragData[0]`, the one at location
    /// 0, or the first of four components or else at all.
    pub output: Option<String>,
    /// Limits for each batch of 256 fragments.
    pub limits: Limits,
    /// Threads; 0 for as many as the machine has. One if the shader writes to memory that fragments share, so that the
    /// order is the same in every run.
    pub threads: usize,
    /// Told from time to time, from any thread.
    pub progress: Option<Progress<'a>>,
}

impl Default for DrawOptions<'_> {
    fn default() -> Self {
        DrawOptions {
            size: [256, 256],
            time: 0.0,
            frame: 0,
            mouse: [0.0; 4],
            uniforms: Vec::new(),
            textures: Vec::new(),
            output: None,
            limits: Limits { steps: 50_000_000, ..Limits::default() },
            threads: 0,
            progress: None,
        }
    }
}

/// Why nothing was drawn.
#[derive(Clone, PartialEq, Debug)]
pub enum ShadeError {
    /// The module has no entry point of the stage.
    NoEntryPoint,
    /// There is no uniform or texture of this name; the names that there are.
    UnknownName {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A uniform has another number of components.
    WrongSize {
        /// The name.
        name: String,
        /// How many it has.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// The shader could not be run to its end.
    Stop(Stop),
}

impl From<Stop> for ShadeError {
    fn from(stop: Stop) -> Self {
        ShadeError::Stop(stop)
    }
}

impl std::fmt::Display for ShadeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShadeError::NoEntryPoint => f.write_str("the module has no entry point of this stage"),
            ShadeError::UnknownName { name, known } if known.is_empty() => {
                write!(f, "there is no `{name}`: the shader has nothing of the kind")
            }
            ShadeError::UnknownName { name, known } => {
                write!(f, "there is no `{name}`; there are: {}", known.join(", "))
            }
            ShadeError::WrongSize { name, expected, given } => {
                write!(f, "`{name}` has {expected} components, not {given}")
            }
            ShadeError::Stop(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for ShadeError {}

/// Sets all uniforms, textures and images of a module: to what the options say, and the others to their defaults.
pub(crate) fn set_uniforms(evaluator: &mut Evaluator<'_>, options: &DrawOptions<'_>) -> Result<(), ShadeError> {
    let module = evaluator.module();
    let leaves = names::uniform_leaves(module);
    for leaf in &leaves {
        // A variable that the source initializes keeps its value, and so does one that comes with its own built-in one.
        if module.vars[leaf.var].initializer.is_some() {
            continue;
        }
        let value = defaults::uniform(leaf, options);
        names::write(evaluator, leaf, 0, &value);
    }
    for (name, value) in &options.uniforms {
        let Some((leaf, element)) = names::find(&leaves, name) else {
            let known = leaves.iter().map(|l| l.path.clone()).collect();
            return Err(ShadeError::UnknownName { name: name.clone(), known });
        };
        let room = leaf.element * (leaf.count - element);
        if value.is_empty() || value.len() > room || value.len() % leaf.element != 0 {
            let expected = if leaf.count > 1 && element == 0 { room } else { leaf.element };
            return Err(ShadeError::WrongSize { name: name.clone(), expected, given: value.len() });
        }
        names::write(evaluator, leaf, element, value);
    }
    set_textures(evaluator, options)
}

/// The image and the number of elements of an opaque variable.
fn opaque(module: &Module, ty: planish_ir::entity::Type) -> (TypeKind, usize) {
    let (mut ty, mut count) = (ty, 1usize);
    loop {
        match &module.types[ty] {
            TypeKind::Array { element, len } => {
                count = count.saturating_mul(*len as usize);
                ty = *element;
            }
            kind => return (kind.clone(), count),
        }
    }
}

fn set_textures(evaluator: &mut Evaluator<'_>, options: &DrawOptions<'_>) -> Result<(), ShadeError> {
    let module = evaluator.module();
    let mut known = Vec::new();
    let mut used = vec![false; options.textures.len()];
    for (var, data) in module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Handle) {
        let (kind, count) = opaque(module, data.ty);
        for index in 0..count {
            let name = data.name.text.to_string();
            let element = format!("{name}[{index}]");
            let given = options.textures.iter().position(|t| t.name == element || (index == 0 && t.name == name));
            match &kind {
                TypeKind::Image(image) => {
                    if index == 0 {
                        known.push(name);
                    }
                    if let ImageKind::Storage(format) = image.kind {
                        let [width, height] = options.size;
                        evaluator.bind_storage(var, index, StorageImage::new(format, [width, height, 1]));
                    } else if let Some(given) = given {
                        used[given] = true;
                        let t = &options.textures[given];
                        evaluator.bind_texture(var, index, t.texture.clone(), t.sampler);
                    } else {
                        let (texture, sampler) = default_texture(*image, &data.name.text);
                        evaluator.bind_texture(var, index, texture, sampler);
                    }
                }
                TypeKind::Sampler { .. } => evaluator.bind_sampler(var, index, SamplerState::default()),
                _ => {}
            }
        }
    }
    match used.iter().position(|u| !u) {
        Some(i) => Err(ShadeError::UnknownName { name: options.textures[i].name.clone(), known }),
        None => Ok(()),
    }
}

/// What a sampler shows that nobody set: a checkerboard of warm and cool squares under a gradient, so that orientation,
/// wrapping and filtering can be seen; noise where the name asks for it; depths of one for shadows.
fn default_texture(image: ImageType, name: &str) -> (Arc<dyn Texture>, SamplerState) {
    let mut state = SamplerState::default();
    if image.dim == Dim::Cube || image.dim == Dim::Rect {
        state.wrap = [Wrap::Clamp; 3];
    }
    let noise = name.to_ascii_lowercase().contains("noise");
    let side = if noise { 64 } else { 128 };
    let layers = match image.dim {
        Dim::Cube => 6,
        Dim::D3 => 32,
        _ if image.arrayed => 4,
        _ => 1,
    };
    let size = match image.dim {
        Dim::D1 | Dim::Buffer => [side, 1, layers],
        Dim::D3 => [32, 32, 32],
        _ => [side, side, layers],
    };
    let data = if image.shadow {
        TextureData::constant([1.0; 4])
    } else if image.sampled != Scalar::F32 {
        TextureData::from_bits(size, |x, y, z| [x, y, z, 255])
    } else if noise {
        TextureData::from_fn(size, |x, y, z| std::array::from_fn(|c| hash([x, y, z, c as u32])))
    } else {
        TextureData::from_fn(size, |x, y, z| checkerboard(x, y, z, size))
    };
    (Arc::new(data.with_mipmaps(image.dim == Dim::D3)), state)
}

fn checkerboard(x: u32, y: u32, z: u32, size: [u32; 3]) -> [f32; 4] {
    let at = |i: u32, n: u32| (i as f32 + 0.5) / n as f32;
    let (u, v, w) = (at(x, size[0]), at(y, size[1]), at(z, size[2]));
    let square = (x * 8 / size[0] + y * 8 / size[1] + z).is_multiple_of(2);
    let base = if square { [0.95, 0.85, 0.65] } else { [0.25, 0.35, 0.55] };
    let shade = 0.55 + 0.45 * v;
    [base[0] * shade, base[1] * (0.7 + 0.3 * u), base[2] * (0.7 + 0.3 * w), 1.0]
}

/// A number from 0 to 1 for a place, the same in every run.
fn hash(words: [u32; 4]) -> f32 {
    let mut h = 0x9e37_79b9u32;
    for word in words {
        h = (h ^ word).wrapping_mul(0x85eb_ca6b);
        h ^= h >> 13;
        h = h.wrapping_mul(0xc2b2_ae35);
        h ^= h >> 16;
    }
    (h >> 8) as f32 / 16_777_216.0
}
