//! Drawing a shader twice, with the same inputs: by the evaluator, and by the GPU.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::Duration;

use planish::module::{Module, Stage};
use planish::{Compiler, InputKind};
use planish_eval::shade::{self, DrawOptions, ShaderInputs, TextureBinding, UniformInput, VaryingInput};
use planish_eval::texture::{Filter, Wrap};
use planish_gl::{
    Api, Draw, DrawError, Gpu, OpenError, Texture, Uniform, UniformBlock, Values, Varying, in_full_precision,
};
use planish_ir::types::Scalar;

use crate::device::Device;
use crate::subjects::{Subject, api};

/// Both kinds of context, and the device of wgpu if there is one.
pub(crate) struct Gpus {
    pub(crate) es: Gpu,
    desktop: Gpu,
    pub(crate) device: Result<Device, String>,
}

/// A shader, and what the evaluator draws with it.
pub(crate) struct Drawn {
    pub(crate) module: Module,
    /// Rows from the lowest up.
    pub(crate) picture: Vec<[f32; 4]>,
}

/// The GPU's pictures, with rows from the lowest up.
pub(crate) struct Pictures {
    pub(crate) picture: Vec<[f32; 4]>,
    /// The picture with the last bit of all float inputs changed, on request: it shows the sensitivity to rounding.
    pub(crate) nudged: Option<Vec<[f32; 4]>>,
}

/// Why there is no picture.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// Planish rejects the shader, or cannot run it.
    Ours(String),
    /// The GPU does not.
    Theirs(String),
    /// The shader has inputs that cannot be set here.
    MissingInput(String),
}

impl Drawn {
    /// Draws with the evaluator.
    pub(crate) fn new(subject: &Subject) -> Result<Drawn, Failure> {
        let module = module(subject.input, &subject.name, &subject.source)?;
        let image = shade::draw(&module, &options(subject.size)).map_err(|e| Failure::Ours(e.to_string()))?;
        // The evaluator's pictures have their top row first.
        let rows = image.float.chunks(subject.size[0] as usize).rev();
        Ok(Drawn { picture: rows.flatten().copied().collect(), module })
    }
}

impl Gpus {
    /// Opens both, and the Vulkan device with this in its name; they stay on this thread.
    pub(crate) fn open(device: &str) -> Result<Gpus, OpenError> {
        Ok(Gpus { es: Gpu::open(Api::Es)?, desktop: Gpu::open(Api::Desktop)?, device: Device::open(device) })
    }

    /// The least time of a frame of a source, of so many, with the evaluator's inputs of a module.
    pub(crate) fn time(&self, source: &str, module: &Module, size: [u32; 2], frames: u32) -> Result<Duration, Failure> {
        let inputs = shade::inputs(module, &options(size)).map_err(|e| Failure::Ours(e.to_string()))?;
        let full = in_full_precision(source);
        let draw = draw_with(&full, size, &inputs)?;
        let gpu = if api(source) == Api::Es { &self.es } else { &self.desktop };
        gpu.time(&draw, frames).map_err(|error| Failure::Theirs(error.to_string()))
    }

    /// Draws a source with the GPU, with the evaluator's inputs of a module.
    pub(crate) fn draw(
        &self,
        source: &str,
        module: &Module,
        size: [u32; 2],
        nudged: bool,
    ) -> Result<Pictures, Failure> {
        let inputs = shade::inputs(module, &options(size)).map_err(|e| Failure::Ours(e.to_string()))?;
        let full = in_full_precision(source);
        let draw = draw_with(&full, size, &inputs)?;
        let gpu = if api(source) == Api::Es { &self.es } else { &self.desktop };
        let failed = |error: DrawError| match error {
            DrawError::MissingInputs(_) => Failure::MissingInput(error.to_string()),
            error => Failure::Theirs(error.to_string()),
        };
        let pixels = |draw: &Draw<'_>| Ok(gpu.draw(draw).map_err(failed)?.pixels);
        let picture = pixels(&draw)?;
        Ok(Pictures { picture, nudged: nudged.then(|| pixels(&nudge(draw))).transpose()? })
    }
}

/// Options of all drawings. Parallelism is over shaders, so each is drawn by one thread.
pub(crate) fn options(size: [u32; 2]) -> DrawOptions<'static> {
    DrawOptions { size, time: 1.0, threads: 1, ..DrawOptions::default() }
}

/// A fragment shader as planish has it, or its first error.
pub(crate) fn module(from: InputKind, name: &str, source: &str) -> Result<Module, Failure> {
    let mut compiler = Compiler::default();
    compiler.options.from = Some(from);
    compiler.options.stage = Some(Stage::Fragment);
    let compilation = compiler.compile(name, source);
    let error = compilation.diagnostics.iter().find(|d| d.is_error());
    let message = error.map_or("no module".to_string(), |d| format!("{:?}: {}", d.code, d.message));
    compilation.module.ok_or(Failure::Ours(message))
}

/// The same drawing for the GPU.
fn draw_with<'a>(source: &'a str, size: [u32; 2], inputs: &ShaderInputs) -> Result<Draw<'a>, Failure> {
    let mut draw = Draw::new(source, size);
    draw.uniforms = inputs.uniforms.iter().map(uniform).collect();
    draw.blocks = inputs.blocks.iter().map(|b| UniformBlock { name: b.name.clone(), bytes: b.bytes.clone() }).collect();
    draw.textures = inputs.textures.iter().map(texture).collect();
    draw.varyings = inputs.varyings.iter().map(varying).collect::<Result<_, _>>()?;
    Ok(draw)
}

/// The same drawing with the last bit of each float input changed.
fn nudge(mut draw: Draw<'_>) -> Draw<'_> {
    let grow = |v: &mut f32| *v *= 1.0 + f32::EPSILON;
    for uniform in &mut draw.uniforms {
        if let Values::Float(values) = &mut uniform.values {
            values.iter_mut().for_each(grow);
        }
    }
    for varying in draw.varyings.iter_mut().filter(|v| v.scalar == planish_gl::Scalar::Float) {
        varying.at_origin.iter_mut().chain(&mut varying.along_x).chain(&mut varying.along_y).for_each(grow);
    }
    draw.textures.iter_mut().flat_map(|t| &mut t.texels).flatten().for_each(grow);
    draw
}

/// Columns and rows of an element.
fn shape(components: usize, rows: Option<usize>) -> (usize, usize) {
    rows.map_or((1, components), |rows| (components / rows, rows))
}

fn uniform(uniform: &UniformInput) -> Uniform {
    let (columns, rows) = shape(uniform.components, uniform.rows);
    let own = uniform.values.iter();
    let values = match uniform.scalar {
        Scalar::I32 | Scalar::Bool => Values::Int(own.map(|&v| v as i32).collect()),
        Scalar::U32 => Values::Uint(own.map(|&v| v as u32).collect()),
        _ => Values::Float(own.map(|&v| v as f32).collect()),
    };
    Uniform { name: uniform.name.clone(), columns, rows, values }
}

/// The texels of the first level: both sides compute the others as means.
fn texture(binding: &TextureBinding) -> Texture {
    let texels = &binding.texture;
    let [width, height, layers] = texels.size(0);
    let mut all = Vec::with_capacity((width * height * layers) as usize);
    for z in 0..layers {
        for y in 0..height {
            all.extend((0..width).map(|x| texels.texel([x, y, z], 0).map(f32::from_bits)));
        }
    }
    let wrap = match binding.sampler.wrap[0] {
        Wrap::Repeat => planish_gl::Wrap::Repeat,
        Wrap::Mirror => planish_gl::Wrap::Mirror,
        Wrap::Clamp | Wrap::Border => planish_gl::Wrap::Clamp,
    };
    let filter = match binding.sampler.magnify {
        Filter::Nearest => planish_gl::Filter::Nearest,
        Filter::Linear => planish_gl::Filter::Linear,
    };
    let mipmaps = binding.sampler.mipmap.is_some() && texels.levels() > 1;
    Texture { name: binding.name.clone(), size: [width, height], texels: all, wrap, filter, mipmaps }
}

/// A varying, if it is linear over the picture: a triangle can have no others.
fn varying(input: &VaryingInput) -> Result<Varying, Failure> {
    let refuse = |why: &str| Err(Failure::MissingInput(format!("the varying `{}` {why}", input.name)));
    if input.name.contains('.') {
        return refuse("is a member of a block or struct");
    }
    let scalar = match input.scalar {
        Scalar::F32 => planish_gl::Scalar::Float,
        Scalar::I32 => planish_gl::Scalar::Int,
        Scalar::U32 => planish_gl::Scalar::Uint,
        _ => return refuse("has a type that GPUs do not interpolate"),
    };
    let [origin, right, top] = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(u, v)| input.at(u, v));
    let slope = |to: &[f64]| -> Vec<f64> { to.iter().zip(&origin).map(|(to, from)| to - from).collect() };
    let (along_x, along_y) = (slope(&right), slope(&top));
    let even = input.at(0.3, 0.9).iter().enumerate().all(|(i, actual)| {
        let expected = origin[i] + 0.3 * along_x[i] + 0.9 * along_y[i];
        (actual - expected).abs() < 1e-9
    });
    if !even {
        return refuse("does not change evenly over the picture");
    }
    let floats = |values: &[f64]| values.iter().map(|&v| v as f32).collect();
    let (columns, rows) = shape(input.components, input.rows);
    Ok(Varying {
        name: input.name.clone(),
        location: input.location,
        scalar,
        flat: input.flat,
        columns,
        rows,
        length: input.length,
        at_origin: floats(&origin),
        along_x: floats(&along_x),
        along_y: floats(&along_y),
    })
}

/// Writes a picture as PNG.
pub(crate) fn write(pixels: &[[f32; 4]], size: [u32; 2], path: &Path) -> io::Result<()> {
    let rows = pixels.chunks(size[0] as usize).rev();
    let bytes: Vec<u8> = rows.flatten().flatten().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), size[0], size[1]);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().and_then(|mut w| w.write_image_data(&bytes)).map_err(io::Error::other)
}
