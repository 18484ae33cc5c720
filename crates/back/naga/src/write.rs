//! The texts and words: naga's writers with our settings.

use planish_ir::diagnostic::{Code, Diagnostic};

use crate::Lowered;
#[cfg(any(feature = "wgsl", feature = "spirv"))]
use crate::stack::with_stack;

#[allow(dead_code)]
fn failed(lowered: &Lowered, error: impl std::fmt::Display) -> Vec<Diagnostic> {
    let message = format!("{} cannot express the program: {error}", lowered.target.name());
    vec![Diagnostic::error(Code::E0604, lowered.span, message)]
}

/// Computed indices are clamped, as the IR defines.
#[cfg(feature = "spirv")]
fn bounds() -> naga::proc::BoundsCheckPolicies {
    use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
    BoundsCheckPolicies {
        index: BoundsCheckPolicy::Restrict,
        buffer: BoundsCheckPolicy::Restrict,
        image_load: BoundsCheckPolicy::Unchecked,
        binding_array: BoundsCheckPolicy::Unchecked,
    }
}

/// WGSL text. Where the fragment stage takes derivatives, it disables the check that control flow is uniform there, as
/// GLSL has none; browsers refuse many shaders otherwise.
///
/// # Errors
/// If naga's writer cannot express something.
#[cfg(feature = "wgsl")]
pub fn write_wgsl(lowered: &Lowered) -> Result<String, Vec<Diagnostic>> {
    let flags = naga::back::wgsl::WriterFlags::empty();
    let write = || naga::back::wgsl::write_string(&lowered.module, &lowered.info, flags);
    let text = if lowered.deep { with_stack(write) } else { write() }.map_err(|e| failed(lowered, e))?;
    let text = crate::overrides::sized_by_overrides(&lowered.module, text);
    if !needs_derivatives(&lowered.module) {
        return Ok(text);
    }
    // Directives may have any order, but precede everything else.
    Ok(format!("diagnostic(off, derivative_uniformity);\n\n{text}"))
}

#[cfg(feature = "wgsl")]
fn needs_derivatives(module: &naga::Module) -> bool {
    use naga::{Expression, SampleLevel};
    module.functions.iter().any(|(_, f)| {
        f.expressions.iter().any(|(_, e)| {
            matches!(
                e,
                Expression::Derivative { .. }
                    | Expression::ImageSample { level: SampleLevel::Auto | SampleLevel::Bias(_), .. }
            )
        })
    })
}

/// SPIR-V words, version 1.3, for Vulkan 1.1.
///
/// # Errors
/// If naga's writer cannot express something.
#[cfg(feature = "spirv")]
pub fn write_spirv(lowered: &Lowered) -> Result<Vec<u32>, Vec<Diagnostic>> {
    use naga::back::spv;
    // No change of coordinates, no clamp of the depth: values are passed as the program makes them.
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::DEBUG,
        bounds_check_policies: bounds(),
        force_loop_bounding: false,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
        ..spv::Options::default()
    };
    let write = || spv::write_vec(&lowered.module, &lowered.info, &options, None);
    if lowered.deep { with_stack(write) } else { write() }.map_err(|e| failed(lowered, e))
}
