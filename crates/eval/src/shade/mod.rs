//! Shaders with their interface: fragment shaders draw pictures, vertex and compute shaders return their outputs.
//!
//! Unset inputs have defaults that make a meaningful picture; `docs/drawing.md` lists them.

mod bytes;
mod compute;
mod defaults;
mod draw;
mod fragments;
mod inputs;
mod names;
mod samples;
mod target;
mod vertex;

use std::sync::Arc;

use planish_ir::entity::Var;
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::types::{AddressSpace, Dim, ImageKind, ImageType, Scalar, TypeKind};

pub use bytes::{block_from_bytes, block_len, block_to_bytes, value_to_bytes};
pub use compute::Compute;
pub use draw::{Image, ORDERED_LANES, Trace, costs, draw, to_bytes, trace, writes_shared_memory};
pub use fragments::{Dependence, Fragments, InputComponent, bind, uniforms};
pub use inputs::{BlockInput, ShaderInputs, UniformInput, VaryingInput, inputs, uniform_values};
pub use samples::{SAMPLES, multisampled};
pub use target::{Channel, fragment_outputs};
pub use vertex::{VertexOptions, VertexOutput, attribute_bits, run_vertex};

use crate::evaluator::Evaluator;
use crate::stop::{Limits, Stop};
use crate::texture::{SamplerState, StorageImage, Texture, TextureData, Wrap};

/// A texture and its sampler, bound by name.
#[derive(Clone)]
pub struct TextureBinding {
    /// Name of the sampler or texture variable; for an element of an array `name[2]`.
    pub name: String,
    /// Texels.
    pub texture: Arc<dyn Texture>,
    /// Sampler.
    pub sampler: SamplerState,
}

/// Progress callback: number of finished rows, total number of rows.
pub type Progress<'a> = &'a (dyn Fn(u32, u32) + Sync);

/// Options of a drawing.
#[derive(Clone)]
pub struct DrawOptions<'a> {
    /// Width and height in pixels, each at least one.
    pub size: [u32; 2],
    /// Time in seconds, for uniforms named like a time.
    pub time: f32,
    /// Index of the frame.
    pub frame: u32,
    /// Frames in a second, for uniforms named like a rate or a time between frames.
    pub frame_rate: f32,
    /// The sample that is drawn of each pixel, of [`SAMPLES`]; `None`: the pixel's center. See [`multisampled`].
    pub sample: Option<usize>,
    /// Mouse: x, y in pixels from the lower left, and (Shadertoy) of the last click.
    pub mouse: [f32; 4],
    /// Uniforms by name, with their components. Names of parts: `light.position`, `weights[3]`; a member of a block may
    /// be given by its own name.
    pub uniforms: Vec<(String, Vec<f64>)>,
    /// Textures by name; others show a pattern.
    pub textures: Vec<TextureBinding>,
    /// Name of the output to draw, as in [`fragment_outputs`]; `None`: `gl_FragColor`, `gl_FragData[0]`, the output at
    /// location 0, or the first one of four components, or the first one.
    pub output: Option<String>,
    /// Limits for each batch of 256 fragments; of 16, if the shader writes memory that fragments share.
    pub limits: Limits,
    /// Number of threads; 0: one per processor. A shader that writes memory shared between fragments always runs on
    /// one, [`ORDERED_LANES`] fragments at a time, so that the order is reproducible.
    pub threads: usize,
    /// Called from time to time, on any thread.
    pub progress: Option<Progress<'a>>,
}

impl Default for DrawOptions<'_> {
    fn default() -> Self {
        DrawOptions {
            size: [256, 256],
            time: 0.0,
            frame: 0,
            frame_rate: 60.0,
            sample: None,
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

/// Error of a drawing.
#[derive(Clone, PartialEq, Debug)]
pub enum ShadeError {
    /// The module has no entry point of the stage.
    NoEntryPoint,
    /// There is no uniform or texture of this name.
    UnknownName {
        /// The unknown name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// The value of a uniform has a wrong number of components.
    WrongSize {
        /// Name of the uniform.
        name: String,
        /// Its number of components.
        expected: usize,
        /// The given number of components.
        given: usize,
    },
    /// The shader stopped before its end.
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

/// Sets all uniforms, textures and images of a module, from the options or to their defaults.
pub(crate) fn set_uniforms(evaluator: &mut Evaluator<'_>, options: &DrawOptions<'_>) -> Result<(), ShadeError> {
    set_values(evaluator, options)?;
    check_textures(evaluator.module(), options)?;
    set_textures(evaluator, options);
    Ok(())
}

/// Sets the uniforms that are numbers.
fn set_values(evaluator: &mut Evaluator<'_>, options: &DrawOptions<'_>) -> Result<(), ShadeError> {
    let module = evaluator.module();
    let leaves = names::uniform_leaves(module);
    for leaf in &leaves {
        // Variables with an initializer, and built-in ones, keep their values.
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
    Ok(())
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

/// The entry point of a stage.
fn entry_of(module: &Module, stage: Stage) -> Result<&EntryPoint, ShadeError> {
    if let Some(data) = module.vars.values().find(|v| module.types.is_open_array(v.ty)) {
        let message = format!("drawing has no arrays of textures or blocks without a length (`{}`)", data.name.text);
        return Err(Stop::unsupported(message, data.span).into());
    }
    if let Err(errors) = planish_ir::spirv::check(module)
        && let Some(error) = errors.first()
    {
        return Err(Stop::unsupported(format!("{}, and it cannot be run", error.message), error.span).into());
    }
    module.entry_point(Some(stage)).ok_or(ShadeError::NoEntryPoint)
}

/// The number of the texture that an element of a variable gets; `None`: the default.
fn given(options: &DrawOptions<'_>, name: &str, index: usize) -> Option<usize> {
    let element = format!("{name}[{index}]");
    options.textures.iter().position(|t| t.name == element || (index == 0 && t.name == name))
}

/// An element of a variable that is an image, with its type and the name of the variable.
type ImageElement<'m> = (Var, usize, ImageType, &'m str);

fn images(module: &Module) -> impl Iterator<Item = ImageElement<'_>> {
    let handles = module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Handle);
    handles.flat_map(|(var, data)| {
        let (kind, count) = opaque(module, data.ty);
        let image = if let TypeKind::Image(image) = kind { Some(image) } else { None };
        image.into_iter().flat_map(move |image| (0..count).map(move |index| (var, index, image, &*data.name.text)))
    })
}

fn is_storage(image: ImageType) -> bool {
    matches!(image.kind, ImageKind::Storage(_))
}

/// Every texture of the options must have a variable.
fn check_textures(module: &Module, options: &DrawOptions<'_>) -> Result<(), ShadeError> {
    let mut used = vec![false; options.textures.len()];
    for (_, index, _, name) in images(module).filter(|image| !is_storage(image.2)) {
        if let Some(given) = given(options, name, index) {
            used[given] = true;
        }
    }
    match used.iter().position(|u| !u) {
        Some(i) => {
            let known = images(module).filter(|image| image.1 == 0).map(|image| image.3.to_string()).collect();
            Err(ShadeError::UnknownName { name: options.textures[i].name.clone(), known })
        }
        None => Ok(()),
    }
}

/// The textures of a module, the default ones included: for drawings that have them in their options.
pub fn all_textures(module: &Module, options: &DrawOptions<'_>) -> Vec<TextureBinding> {
    let textures = images(module).filter(|image| !is_storage(image.2));
    let binding = |(var, index, _, name): ImageElement<'_>| {
        let (texture, sampler) = texture(module, options, var, index);
        TextureBinding { name: format!("{name}[{index}]"), texture, sampler }
    };
    textures.map(binding).collect()
}

fn set_textures(evaluator: &mut Evaluator<'_>, options: &DrawOptions<'_>) {
    let module = evaluator.module();
    for (var, index, image, _) in images(module) {
        if let ImageKind::Storage(format) = image.kind {
            let [width, height] = options.size;
            evaluator.bind_storage(var, index, StorageImage::new(format, [width, height, 1]));
        } else {
            let (texture, sampler) = texture(module, options, var, index);
            evaluator.bind_texture(var, index, texture, sampler);
        }
    }
    for (var, data) in module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Handle) {
        let (kind, count) = opaque(module, data.ty);
        if matches!(kind, TypeKind::Sampler { .. }) {
            (0..count).for_each(|index| evaluator.bind_sampler(var, index, SamplerState::default()));
        }
    }
}

/// A texture of a drawing that is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureUse {
    /// The variable of the texture, or of texture and sampler.
    pub var: Var,
    /// Its place in the variable, if that is an array.
    pub element: usize,
    /// Its type.
    pub image: ImageType,
    /// Its number among those of the options; `None`: the default.
    pub given: Option<usize>,
}

/// The textures of a module: all variables, and elements of them, that [`texture`] has texels for.
pub fn textures(module: &Module, options: &DrawOptions<'_>) -> Vec<TextureUse> {
    let of = |(var, element, image, name): ImageElement<'_>| {
        let given = given(options, name, element);
        TextureUse { var, element, image, given }
    };
    images(module).filter(|image| !is_storage(image.2)).map(of).collect()
}

/// The texture and the sampler of an element of a variable, from the options or by default; of a variable that is neither, the
/// evaluator's own.
pub fn texture(module: &Module, options: &DrawOptions<'_>, var: Var, index: usize) -> (Arc<dyn Texture>, SamplerState) {
    let data = &module.vars[var];
    let (TypeKind::Image(image), AddressSpace::Handle) = (opaque(module, data.ty).0, data.space) else {
        return (Arc::new(TextureData::constant([0.0, 0.0, 0.0, 1.0])), SamplerState::default());
    };
    match given(options, &data.name.text, index) {
        Some(given) => (Arc::clone(&options.textures[given].texture), options.textures[given].sampler),
        None => default_texture(image, &data.name.text),
    }
}

/// The default texture: a checkerboard of warm and cool squares under a gradient, which shows orientation, wrapping and
/// filtering; noise if the name suggests it; depth one for shadow samplers.
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
        TextureData::from_fn([1, 1, if image.dim == Dim::Cube { 6 } else { 1 }], |_, _, _| [1.0; 4])
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

/// A reproducible number from 0 to 1 for a position.
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
