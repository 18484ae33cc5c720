//! Compute shaders: storage blocks onto the device, the work groups, and back.

use planish_eval::shade::{DrawOptions, ShadeError, block_from_bytes, block_len, block_to_bytes, uniforms};
use planish_ir::entity::Var;
use planish_ir::module::{Module, Stage};

use super::bind::{Bindings, Bound, Values};
use super::shader::Shader;
use super::{Gpu, GpuError, read, unsupported};

/// Runs `groups` work groups of a module's compute shader along each axis. `buffers` are the components of the storage blocks, before
/// and after, as of [`crate::lanes::dispatch_on`].
///
/// # Errors
/// If there is no compute shader, an option has an unknown name, WGSL or the device cannot express the shader, or the device fails.
pub fn dispatch(
    gpu: &Gpu,
    module: &Module,
    options: &DrawOptions<'_>,
    buffers: &mut [(Var, Vec<u64>)],
    groups: [u32; 3],
) -> Result<(), GpuError> {
    let most = gpu.most_groups();
    if groups.iter().any(|&count| count > most) {
        let text = format!("{} runs {most} work groups along an axis at most, not {groups:?}", gpu.name());
        return Err(GpuError::Device(text));
    }
    module.entry_point(Some(Stage::Compute)).ok_or(ShadeError::NoEntryPoint)?;
    let uniforms = uniforms(module, options)?;
    let before = buffers.iter().map(|(var, words)| Ok((*var, bytes(module, *var, words)?)));
    let before: Vec<(Var, Vec<u8>)> = before.collect::<Result<_, GpuError>>()?;
    let shader = Shader::new(module, Stage::Compute)?;
    let after = gpu.checked(|| {
        let mut bindings = Bindings::new(gpu, &shader, wgpu::ShaderStages::COMPUTE)?;
        let compiled = shader.compile(gpu)?;
        let pipeline = pipeline(gpu, &compiled, &bindings);
        let values = Values { module, options, uniforms: &uniforms, buffers: &before };
        let bound = bindings.bind(gpu, &shader, &values, &[None, None, None])?;
        run(gpu, &pipeline, &bound, groups);
        let storage: Vec<wgpu::Buffer> = bound.storage.iter().map(|(_, buffer)| buffer.clone()).collect();
        let bytes = read::buffers(gpu, &storage)?;
        Ok::<_, GpuError>(bound.storage.iter().map(|(var, _)| *var).zip(bytes).collect::<Vec<_>>())
    })??;
    for (var, bytes) in after {
        let Some((_, words)) = buffers.iter_mut().find(|(known, _)| *known == var) else { continue };
        let len = before.iter().find(|(known, _)| *known == var).map_or(0, |(_, bytes)| bytes.len());
        if let Some(after) = block_from_bytes(module, var, &bytes[..len.min(bytes.len())]) {
            *words = after;
        }
    }
    Ok(())
}

/// The pipeline of a compiled compute shader.
pub(super) fn pipeline(gpu: &Gpu, module: &wgpu::ShaderModule, bindings: &Bindings) -> wgpu::ComputePipeline {
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&bindings.layout),
        module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn run(gpu: &Gpu, pipeline: &wgpu::ComputePipeline, bound: &Bound, [x, y, z]: [u32; 3]) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(pipeline);
    for (index, group) in (0..).zip(&bound.groups) {
        pass.set_bind_group(index, group, &[]);
    }
    if !bound.immediates.is_empty() {
        pass.set_immediates(0, &bound.immediates);
    }
    pass.dispatch_workgroups(x, y, z);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
}

/// The bytes of a buffer.
fn bytes(module: &Module, var: Var, words: &[u64]) -> Result<Vec<u8>, GpuError> {
    let data = &module.vars[var];
    let bytes = block_len(module, var, words.len()).and_then(|len| block_to_bytes(module, var, words, len));
    let name = &data.name.text;
    let bytes = bytes.ok_or_else(|| unsupported(data.span, format!("the buffer `{name}` holds more than numbers")))?;
    if bytes.is_empty() {
        return Err(unsupported(data.span, format!("the buffer `{name}` is empty, and a device has no empty buffers")));
    }
    Ok(bytes)
}
