//! C and its header.

use std::borrow::Cow;

use planish_back_c::Shaders;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_opt::{Context, remove_unreachable_functions};

use super::{Artifact, EmitOptions, lowered, stages};

/// A program in C, whose header has the name of the prefix.
pub(super) fn write(
    module: &Module,
    options: &EmitOptions,
    slices: &[SliceParam],
) -> Result<Artifact, Vec<Diagnostic>> {
    let mut own = Cow::Borrowed(module);
    let mut shaders = None;
    if module.entry_points.iter().any(|entry| entry.stage.is_some()) {
        match over_batches(module, options) {
            Some(result) => {
                let (batches, made) = result?;
                (own, shaders) = (Cow::Owned(batches), Some(made));
            }
            None => {
                remove_unreachable_functions::run(own.to_mut(), &mut Context::default());
                let (called, _) = stages::called(&own, options, |stage| &stage.c_name)?;
                let lowered = lowered(&called, &planish_back_c::info(), options)?;
                let stages: Vec<Func> = lowered.entry_points.iter().map(|entry| entry.func).collect();
                return finish((&own, &lowered), options, slices, (None, &stages));
            }
        }
    } else {
        remove_unreachable_functions::run(own.to_mut(), &mut Context::default());
    }
    let lowered = lowered(&own, &planish_back_c::info(), options)?;
    finish((&own, &lowered), options, slices, (shaders.as_ref(), &[]))
}

/// Shaders that need batches of invocations, or are to have them, as functions over those. `None` for others.
#[cfg(all(feature = "objects", not(target_family = "wasm")))]
fn over_batches(module: &Module, options: &EmitOptions) -> Option<Result<(Module, Shaders), Vec<Diagnostic>>> {
    use crate::lanes::objects::{self, BatchOptions};
    if options.lanes.is_none() && stages::batch_reason(module).is_none() {
        return None;
    }
    let batches = BatchOptions { lanes: options.lanes.unwrap_or(8), approximate: options.approximate };
    Some(objects::lower(module, &batches))
}

#[cfg(not(all(feature = "objects", not(target_family = "wasm"))))]
fn over_batches(_: &Module, _: &EmitOptions) -> Option<Result<(Module, Shaders), Vec<Diagnostic>>> {
    None
}

fn finish(
    (source, lowered): (&Module, &Module),
    options: &EmitOptions,
    slices: &[SliceParam],
    (shaders, stages): (Option<&Shaders>, &[Func]),
) -> Result<Artifact, Vec<Diagnostic>> {
    let place = |span: Span| super::place_of_trap(options, span);
    let header = format!("{}.h", if options.prefix.is_empty() { "program" } else { &*options.prefix });
    let header = options.header_name.as_deref().unwrap_or(&header);
    let options = planish_back_c::Options { prefix: &options.prefix, header, place: &place, slices, shaders, stages };
    let output = planish_back_c::write(source, lowered, &options)?;
    Ok(Artifact { bytes: output.text.into_bytes(), diagnostics: output.warnings, header: Some(output.header) })
}
