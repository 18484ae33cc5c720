//! Shaders on a device, through our WGSL and wgpu (Vulkan, Metal, Direct3D 12, OpenGL): the interface of [`crate::lanes`], and of the
//! evaluator before it. A device rounds as it likes where GLSL and WGSL let it, so pictures agree within a tolerance.
//!
//! Inputs of fragments are not interpolated: the shader reads them from tables that have the values of the evaluator ([`feed`]), so
//! that they are the same to the bit.
//!
//! ```no_run
//! use planish::eval::shade::DrawOptions;
//! use planish::{Compiler, gpu};
//!
//! let source = "#version 300 es
//!     precision highp float;
//!     in vec2 uv;
//!     out vec4 color;
//!     void main() { color = vec4(uv, 0.0, 1.0); }";
//! let module = Compiler::default().compile("uv.frag", source).module.expect("the shader is valid");
//! let device = gpu::Gpu::open(None).expect("there is a device");
//! let image = gpu::Drawing::new(&device, &module).draw(&DrawOptions::default()).expect("it can be drawn");
//! println!("{}: {:?}", device.name(), image.float[0]);
//! ```

mod bind;
mod blocks;
mod compute;
mod device;
mod feed;
#[cfg(feature = "stage")]
mod kernel;
mod read;
mod shader;
mod texture;

use planish_eval::shade::{DrawOptions, Fragments, Image, ShadeError, uniforms, writes_shared_memory};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::{Module, Stage};
use planish_ir::source::Span;

pub use compute::dispatch;
pub use device::Gpu;
#[cfg(feature = "stage")]
pub(crate) use kernel::Kernel;

use bind::{Bindings, Values};
use feed::Tables;
use shader::Shader;

/// Error of a device, or of a shader on it.
#[derive(Debug)]
pub enum GpuError {
    /// As of the evaluator.
    Shade(ShadeError),
    /// WGSL or the device cannot express the shader, or its result would depend on the device.
    Unsupported(Vec<Diagnostic>),
    /// There is no device, or none of the name.
    NoDevice(String),
    /// The device failed.
    Device(String),
}

impl From<ShadeError> for GpuError {
    fn from(error: ShadeError) -> Self {
        GpuError::Shade(error)
    }
}

impl std::fmt::Display for GpuError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GpuError::Shade(error) => error.fmt(f),
            GpuError::NoDevice(text) | GpuError::Device(text) => f.write_str(text),
            GpuError::Unsupported(diagnostics) => match diagnostics.first() {
                Some(first) => f.write_str(&first.message),
                None => f.write_str("the device cannot run the shader"),
            },
        }
    }
}

impl std::error::Error for GpuError {}

/// E0604 at a place.
fn unsupported(span: Span, message: impl Into<String>) -> GpuError {
    GpuError::Unsupported(vec![Diagnostic::error(Code::E0604, span, message)])
}

/// Draws a fragment shader on a device.
///
/// # Errors
/// If there is no fragment shader, an option has an unknown name, WGSL or the device cannot express the shader, or the device fails.
pub fn draw(gpu: &Gpu, module: &Module, options: &DrawOptions<'_>) -> Result<Image, GpuError> {
    Drawing::new(gpu, module).draw(options)
}

/// A fragment shader that is drawn more than once. It is compiled for each output, and for each place of a sample.
pub struct Drawing<'m> {
    gpu: &'m Gpu,
    module: &'m Module,
    compiled: Vec<Compiled>,
}

/// A pipeline for an output and a sample, with what is kept from one picture to the next.
struct Compiled {
    output: Option<String>,
    sample: Option<usize>,
    shader: Shader,
    pipeline: wgpu::RenderPipeline,
    bindings: Bindings,
    /// The tables for a size.
    filled: Option<([u32; 2], feed::Filled)>,
}

/// One triangle over the whole picture, at the depth of the evaluator's fragments.
const TRIANGLE: &str = "@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let place = vec2<f32>(f32((index & 1u) * 4u), f32((index >> 1u) * 4u));
    return vec4<f32>(place - 1.0, 0.5, 1.0);
}";

/// The bits of a pixel.
const TARGET: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;

impl<'m> Drawing<'m> {
    /// A drawing, of which nothing is compiled yet.
    pub fn new(gpu: &'m Gpu, module: &'m Module) -> Self {
        Drawing { gpu, module, compiled: vec![] }
    }

    /// Draws one picture.
    ///
    /// # Errors
    /// As [`draw`].
    pub fn draw(&mut self, options: &DrawOptions<'_>) -> Result<Image, GpuError> {
        let fragments = Fragments::new(self.module, options)?;
        let uniforms = uniforms(self.module, options)?;
        let at = self.compile(&fragments, options)?;
        let (gpu, compiled) = (self.gpu, &mut self.compiled[at]);
        let [width, height] = fragments.size();
        check_size(gpu, [width, height])?;
        let texels = gpu.checked(|| {
            let tables = compiled.shader.tables.as_ref().expect("a fragment shader has them");
            if compiled.filled.as_ref().is_none_or(|(size, _)| *size != fragments.size()) {
                compiled.filled = Some((fragments.size(), tables.fill(gpu, &fragments)));
            }
            let filled = compiled.filled.as_ref().expect("they are filled").1.clone();
            let values = Values { module: self.module, options, uniforms: &uniforms, buffers: &[] };
            let bound = compiled.bindings.bind(gpu, &compiled.shader, &values, &filled)?;
            let target = target(gpu, [width, height]);
            pass(gpu, &compiled.pipeline, &bound, &target);
            read::texture(gpu, &target, [width, height])
        })??;
        let tables = compiled.shader.tables.as_ref().expect("a fragment shader has them");
        let pixels: Vec<[f32; 4]> = texels.iter().map(|&texel| tables.pixel(&fragments, texel)).collect();
        // Rows of the target are counted from the bottom, those of pictures from the top.
        let float = pixels.chunks(width as usize).rev().flatten().copied().collect();
        if let Some(progress) = options.progress {
            progress(height, height);
        }
        Ok(Image::new([width, height], float))
    }

    /// The index of the pipeline for these options.
    fn compile(&mut self, fragments: &Fragments<'_>, options: &DrawOptions<'_>) -> Result<usize, GpuError> {
        let same = |c: &Compiled| c.output == options.output && c.sample == options.sample;
        if let Some(at) = self.compiled.iter().position(same) {
            return Ok(at);
        }
        let entry = self.module.entry_point(Some(Stage::Fragment)).ok_or(ShadeError::NoEntryPoint)?;
        if writes_shared_memory(self.module) {
            let span = self.module.funcs[entry.func].span;
            let text = "fragments write memory that others may read, in an order that only the device knows";
            return Err(unsupported(span, text));
        }
        let mut shader = Shader::new(self.module, Stage::Fragment)?;
        let plain = options.sample.is_none() && !entry.properties.origin_upper_left;
        let tables =
            Tables::new(self.module, fragments, &mut shader.lowered, plain && !entry.properties.pixel_center_integer)?;
        shader.tables = Some(tables);
        let (bindings, pipeline) = self.gpu.checked(|| {
            let bindings = Bindings::new(self.gpu, &shader, wgpu::ShaderStages::FRAGMENT)?;
            let pipeline = self.pipeline(&shader, &bindings)?;
            Ok::<_, GpuError>((bindings, pipeline))
        })??;
        let (output, sample) = (options.output.clone(), options.sample);
        self.compiled.push(Compiled { output, sample, shader, pipeline, bindings, filled: None });
        Ok(self.compiled.len() - 1)
    }

    fn pipeline(&self, shader: &Shader, bindings: &Bindings) -> Result<wgpu::RenderPipeline, GpuError> {
        let fragment = shader.compile(self.gpu)?;
        let triangle = device::module(&self.gpu.device, TRIANGLE);
        Ok(self.gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&bindings.layout),
            vertex: wgpu::VertexState {
                module: &triangle,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &fragment,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(TARGET.into())],
            }),
            multiview_mask: None,
            cache: None,
        }))
    }
}

/// Draws the triangle.
fn pass(gpu: &Gpu, pipeline: &wgpu::RenderPipeline, bound: &bind::Bound, target: &wgpu::Texture) {
    let view = target.create_view(&wgpu::TextureViewDescriptor::default());
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let attachment = wgpu::RenderPassColorAttachment {
        view: &view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store },
    };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(attachment)],
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_pipeline(pipeline);
    for (index, group) in (0..).zip(&bound.groups) {
        pass.set_bind_group(index, group, &[]);
    }
    if !bound.immediates.is_empty() {
        pass.set_immediates(0, &bound.immediates);
    }
    pass.draw(0..3, 0..1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
}

fn check_size(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<(), GpuError> {
    let limits = gpu.device.limits();
    let side = limits.max_texture_dimension_2d;
    if width.max(height) > side {
        let text = format!("{} draws pictures of up to {side}x{side} pixels, not {width}x{height}", gpu.name());
        return Err(GpuError::Device(text));
    }
    Ok(())
}

fn target(gpu: &Gpu, [width, height]: [u32; 2]) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TARGET,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}
