//! Kernels: a compute shader that is called many times, with slices of the host in its storage buffers. Buffers are kept from one call to
//! the next.

use std::sync::{Mutex, PoisonError};

use planish_front_stage::Slice;
use planish_ir::module::{Module, Stage};

use super::bind::Bindings;
use super::shader::Shader;
use super::{Gpu, GpuError, read};

/// A compute shader on a device.
pub(crate) struct Kernel {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
    /// The group of all its buffers, and the numbers of those that the shader has.
    layout: wgpu::BindGroupLayout,
    bindings: Vec<u32>,
    /// Buffers that no call uses.
    idle: Mutex<Vec<Buffers>>,
}

impl Kernel {
    /// Compiles the compute shader of a module, whose buffers are in group 0.
    pub(crate) fn new(gpu: &Gpu, module: &Module) -> Result<Kernel, GpuError> {
        let shader = Shader::new(module, Stage::Compute)?;
        let (pipeline, layout, bindings) = gpu.checked(|| {
            let bindings = Bindings::new(gpu, &shader, wgpu::ShaderStages::COMPUTE)?;
            let compiled = shader.compile(gpu)?;
            let pipeline = super::compute::pipeline(gpu, &compiled, &bindings);
            let (layout, numbers) = bindings.only_group();
            Ok::<_, GpuError>((pipeline, layout.clone(), numbers.collect()))
        })??;
        Ok(Kernel { gpu: gpu.clone(), pipeline, layout, bindings, idle: Mutex::default() })
    }

    /// Runs so many work groups with the bytes of the buffers by binding; those of [`Slice::Out`] are what the shader leaves in them.
    pub(crate) fn run(&self, slices: &mut [Slice<'_>], groups: u32) -> Result<(), GpuError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffers = idle().pop().unwrap_or_default();
        self.gpu.checked(|| buffers.run(self, slices, groups))??;
        idle().push(buffers);
        Ok(())
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}

/// The buffers of a call.
#[derive(Default)]
struct Buffers {
    /// Of each binding of the shader.
    bound: Vec<wgpu::Buffer>,
    group: Option<wgpu::BindGroup>,
    /// For all that is read back, one after the other.
    back: Option<wgpu::Buffer>,
}

impl Buffers {
    fn run(&mut self, kernel: &Kernel, slices: &mut [Slice<'_>], groups: u32) -> Result<(), GpuError> {
        let gpu = &kernel.gpu;
        for (at, &binding) in kernel.bindings.iter().enumerate() {
            let bytes = bytes_of(&slices[binding as usize]);
            self.reserve(gpu, at, bytes.len() as u64)?;
            gpu.queue.write_buffer(&self.bound[at], 0, bytes);
        }
        let group = self.group.get_or_insert_with(|| bind(kernel, &self.bound));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &*group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        let is_out = |binding: u32| matches!(slices[binding as usize], Slice::Out(_));
        let outs: Vec<usize> = (0..self.bound.len()).filter(|&at| is_out(kernel.bindings[at])).collect();
        let len = |at: usize| bytes_of(&slices[kernel.bindings[at] as usize]).len() as u64;
        let total: u64 = outs.iter().map(|&at| len(at)).sum();
        let back = self.back.take().filter(|back| back.size() >= total);
        let back = back.unwrap_or_else(|| read::staging(gpu, total.next_power_of_two()));
        let mut offset = 0;
        for &at in &outs {
            encoder.copy_buffer_to_buffer(&self.bound[at], 0, &back, offset, len(at));
            offset += len(at);
        }
        gpu.queue.submit([encoder.finish()]);
        read::mapped(gpu, &back, total, |mut bytes| {
            for &at in &outs {
                let Slice::Out(out) = &mut slices[kernel.bindings[at] as usize] else { continue };
                let (own, rest) = bytes.split_at(out.len());
                out.copy_from_slice(own);
                bytes = rest;
            }
        })?;
        self.back = Some(back);
        Ok(())
    }

    /// Has room for so many bytes. No buffer is empty.
    fn reserve(&mut self, gpu: &Gpu, at: usize, size: u64) -> Result<(), GpuError> {
        let limits = gpu.device.limits();
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        if size > most {
            let text = format!("{} has buffers of {most} bytes at most, and a slice has {size}", gpu.name());
            return Err(GpuError::Device(text));
        }
        if self.bound.get(at).is_some_and(|buffer| buffer.size() >= size) {
            return Ok(());
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let size = size.max(LEAST).next_power_of_two().min(most);
        let new = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let new = gpu.device.create_buffer(&new);
        match self.bound.get_mut(at) {
            Some(buffer) => *buffer = new,
            None => self.bound.push(new),
        }
        self.group = None;
        Ok(())
    }
}

/// Bytes of the smallest buffer: a number, or a vector of four.
const LEAST: u64 = 16;

fn bytes_of<'a>(slice: &'a Slice<'_>) -> &'a [u8] {
    match slice {
        Slice::In(bytes) => bytes,
        Slice::Out(bytes) => bytes,
    }
}

fn bind(kernel: &Kernel, buffers: &[wgpu::Buffer]) -> wgpu::BindGroup {
    let bound = kernel.bindings.iter().zip(buffers);
    let entries: Vec<wgpu::BindGroupEntry<'_>> = bound
        .map(|(&binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &kernel.layout, entries: &entries };
    kernel.gpu.device.create_bind_group(&descriptor)
}
