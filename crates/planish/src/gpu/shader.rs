//! The stage as WGSL, and all that the device must be given for it.

use planish_back_naga::{Lowered, write_wgsl};
use planish_eval::shade::ShadeError;
use planish_ir::module::{Module, Stage};
use planish_opt::{Context, lower_small, remove_unreachable_functions};

use super::feed::Tables;
use super::{Gpu, GpuError, device};
use crate::emit;

/// A stage, lowered for WGSL.
pub(super) struct Shader {
    pub(super) lowered: Lowered,
    /// Inputs of fragments.
    pub(super) tables: Option<Tables>,
}

impl Shader {
    /// The stage of a module, alone.
    pub(super) fn new(module: &Module, stage: Stage) -> Result<Shader, GpuError> {
        let entry = module.entry_point(Some(stage)).ok_or(ShadeError::NoEntryPoint)?;
        let mut own = module.clone();
        own.entry_points = vec![entry.clone()];
        remove_unreachable_functions::run(&mut own, &mut Context::default());
        // The writer of WGSL for devices has no `f16`.
        if lower_small::is_needed(&own, lower_small::NONE) {
            lower_small::run(&mut own, "the GPU", lower_small::NONE, &mut Context::default())
                .map_err(GpuError::Unsupported)?;
        }
        let lowered = emit::lower_wgsl(&own).map_err(GpuError::Unsupported)?;
        Ok(Shader { lowered, tables: None })
    }

    /// Compiles it for the device.
    pub(super) fn compile(&self, gpu: &Gpu) -> Result<wgpu::ShaderModule, GpuError> {
        let text = write_wgsl(&self.lowered).map_err(GpuError::Unsupported)?;
        Ok(device::module(&gpu.device, &text))
    }
}
