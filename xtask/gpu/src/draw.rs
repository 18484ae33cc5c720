//! Drawing a shader twice: by the evaluator, and by the GPU, which is fed the very same values.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use planish_eval::shade::{self, DrawOptions, Fed, FedInput, FedUniform, TextureBinding};
use planish_eval::texture::{Filter, Wrap};
use planish_front_glsl::{Options, compile};
use planish_gl::{Api, Draw, DrawError, Gpu, Texture, Uniform, UniformBlock, Values, Varying, in_full_precision};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_ir::types::Scalar;

use crate::subjects::Subject;

/// Both kinds of context.
pub(crate) struct Judge {
    pub(crate) es: Gpu,
    pub(crate) desktop: Gpu,
}

/// Two pictures of one shader, rows from the lowest up.
pub(crate) struct Pictures {
    pub(crate) size: [u32; 2],
    pub(crate) ours: Vec<[f32; 4]>,
    pub(crate) theirs: Vec<[f32; 4]>,
    /// What the GPU draws when all floats that it is fed change in their last bit: how much of the picture hangs on rounding.
    pub(crate) nudged: Vec<[f32; 4]>,
}

/// Why there are no two pictures.
pub(crate) enum Failure {
    /// Planish does not take the shader, or cannot run it.
    Ours(String),
    /// The GPU does not.
    Theirs(String),
    /// The shader needs what the judge cannot feed.
    CannotFeed(String),
}

impl Judge {
    /// Draws with both.
    pub(crate) fn draw(&self, subject: &Subject) -> Result<Pictures, Failure> {
        let module = module(subject).map_err(Failure::Ours)?;
        let options = DrawOptions { size: subject.size, time: 1.0, ..DrawOptions::default() };
        let ours = |error: shade::ShadeError| Failure::Ours(error.to_string());
        let fed = shade::fed(&module, &options).map_err(ours)?;
        let source = in_full_precision(&subject.for_gpu());
        let draw = feed(&source, subject.size, &fed)?;
        let gpu = if subject.api() == Api::Es { &self.es } else { &self.desktop };
        let failed = |error: DrawError| match error {
            DrawError::Unfed(_) => Failure::CannotFeed(error.to_string()),
            error => Failure::Theirs(error.to_string()),
        };
        let theirs = gpu.draw(&draw).map_err(failed)?.pixels;
        let nudged = gpu.draw(&nudge(draw.clone())).map_err(failed)?.pixels;
        let image = shade::draw(&module, &options).map_err(ours)?;
        // The evaluator's pictures have their top row first.
        let rows = image.float.chunks(subject.size[0] as usize).rev();
        Ok(Pictures { size: subject.size, ours: rows.flatten().copied().collect(), theirs, nudged })
    }
}

/// The shader as planish has it, or its first error.
fn module(subject: &Subject) -> Result<Module, String> {
    let mut map = SourceMap::new();
    let file = map.add(subject.name.as_str(), subject.source.as_str()).map_err(|_| "too large".to_string())?;
    let output = compile(&mut map, &file, &mut Options::new(Stage::Fragment));
    let error = output.diagnostics.iter().find(|d| d.is_error());
    let message = error.map_or("no module".to_string(), |d| format!("{:?}: {}", d.code, d.message));
    output.module.ok_or(message)
}

/// The same drawing for the GPU.
fn feed<'a>(source: &'a str, size: [u32; 2], fed: &Fed) -> Result<Draw<'a>, Failure> {
    let mut draw = Draw::new(source, size);
    draw.uniforms = fed.uniforms.iter().map(uniform).collect();
    draw.blocks = fed.blocks.iter().map(|b| UniformBlock { name: b.name.clone(), bytes: b.bytes.clone() }).collect();
    draw.textures = fed.textures.iter().map(texture).collect();
    draw.varyings = fed.inputs.iter().map(varying).collect::<Result<_, _>>()?;
    Ok(draw)
}

/// The same drawing with each float that it is fed changed in its last bit.
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

fn uniform(uniform: &FedUniform) -> Uniform {
    let (columns, rows) = shape(uniform.components, uniform.rows);
    let own = uniform.values.iter();
    let values = match uniform.scalar {
        Scalar::I32 | Scalar::Bool => Values::Int(own.map(|&v| v as i32).collect()),
        Scalar::U32 => Values::Uint(own.map(|&v| v as u32).collect()),
        _ => Values::Float(own.map(|&v| v as f32).collect()),
    };
    Uniform { name: uniform.name.clone(), columns, rows, values }
}

/// The texels of the first level: the others are their means on both sides.
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

/// A varying, if it changes evenly over the picture: a triangle gives no others.
fn varying(input: &FedInput) -> Result<Varying, Failure> {
    let refuse = |why: &str| Err(Failure::CannotFeed(format!("the varying `{}` {why}", input.name)));
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

impl Pictures {
    /// Writes both as PNG: `NAME.png` and `NAME.gpu.png`.
    pub(crate) fn write(&self, folder: &Path, name: &str) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        for (pixels, ending) in [(&self.ours, "png"), (&self.theirs, "gpu.png")] {
            let rows = pixels.chunks(self.size[0] as usize).rev();
            let bytes: Vec<u8> = rows.flatten().flatten().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
            let file = BufWriter::new(File::create(folder.join(format!("{name}.{ending}")))?);
            let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
            encoder.set_color(png::ColorType::Rgba);
            encoder.write_header().and_then(|mut w| w.write_image_data(&bytes)).map_err(io::Error::other)?;
        }
        Ok(())
    }
}
