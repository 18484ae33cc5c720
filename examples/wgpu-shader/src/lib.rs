//! Draws with `wgpu`, off screen, shaders in GLSL that `build.rs` has compiled. The struct of the uniforms, that of the vertices, and the layouts of
//! bindings and vertices come from the shaders: nothing here counts bytes.
#![cfg(feature = "gpu")]

use std::error::Error;
use std::sync::mpsc;

/// The shaders: one module for each program.
pub mod shaders {
    include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
}

use shaders::wave::{self, VertexInput, Wave, bindings, fragment, vertex};

/// Four floats for a pixel.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;
const PIXEL: u32 = 16;

/// A device.
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
}

impl Gpu {
    /// Opens the device whose name contains `part`.
    ///
    /// # Errors
    /// If there is none, or it cannot be opened.
    pub fn open(part: &str) -> Result<Gpu, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name.contains(part));
        let adapter = adapter.ok_or_else(|| format!("no device is named like `{part}`"))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
        Ok(Gpu { device, queue })
    }

    /// Draws a picture: the color of each pixel, rows from the top. The width is a multiple of 16.
    ///
    /// # Errors
    /// If the device fails.
    pub fn draw(&self, size: [u32; 2], uniforms: &Wave) -> Result<Vec<[f32; 4]>, Box<dyn Error>> {
        let Gpu { device, queue } = self;
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let vertices = corners.map(|[x, y]: [f32; 2]| VertexInput::new([2.0 * x - 1.0, 2.0 * y - 1.0], [x, y, 0.5]));
        let vertices = self.buffer(wgpu::BufferUsages::VERTEX, bytemuck::cast_slice(&vertices));
        let uniforms = self.buffer(wgpu::BufferUsages::UNIFORM, bytemuck::bytes_of(uniforms));

        let layouts = wave::create_bind_group_layouts(device);
        let groups: Vec<_> = layouts.iter().map(Some).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &groups,
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layouts[bindings::WAVE.group as usize],
            entries: &[wgpu::BindGroupEntry {
                binding: bindings::WAVE.binding,
                resource: uniforms.as_entire_binding(),
            }],
        });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &vertex::create_shader_module(device),
                entry_point: Some(vertex::ENTRY_MAIN),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(VertexInput::layout(wgpu::VertexStepMode::Vertex))],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &fragment::create_shader_module(device),
                entry_point: Some(fragment::ENTRY_MAIN),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        });

        let target = self.target(size);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &target.create_view(&wgpu::TextureViewDescriptor::default()),
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations::default(),
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(bindings::WAVE.group, &bind_group, &[]);
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(0..4, 0..1);
        }
        queue.submit([encoder.finish()]);
        self.read(&target, size)
    }

    fn buffer(&self, usage: wgpu::BufferUsages, bytes: &[u8]) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.len() as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    fn target(&self, [width, height]: [u32; 2]) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    fn read(&self, texture: &wgpu::Texture, [width, height]: [u32; 2]) -> Result<Vec<[f32; 4]>, Box<dyn Error>> {
        let size = u64::from(width * PIXEL) * u64::from(height);
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer =
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * PIXEL), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        receiver.recv()??;
        let pixels = bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(..)?);
        Ok(pixels)
    }
}
