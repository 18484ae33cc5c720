//! Object files and their headers.

use std::borrow::Cow;

use planish_back_native::{Host, ObjectOptions, Shaders, native_triple, target, write_object};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_opt::{Context, remove_unreachable_functions};

use super::{Artifact, EmitOptions};
use crate::kind::Target;
use crate::lanes::objects::{self, BatchOptions};

/// An object file, or its header.
pub(super) fn write(
    module: &Module,
    to: Target,
    options: &EmitOptions,
    slices: &[SliceParam],
) -> Result<Artifact, Vec<Diagnostic>> {
    let host = host(options.triple.as_deref())?;
    let place = |span: Span| super::place_of_trap(options, span);
    let mut own = Cow::Borrowed(module);
    let mut shaders = Shaders::default();
    let has_stage = module.entry_points.iter().any(|entry| entry.stage.is_some());
    if has_stage && (options.lanes.is_some() || super::stages::batch_reason(module).is_some()) {
        let lanes = options.lanes.unwrap_or(8);
        let (lowered, made) = objects::lower(module, &BatchOptions { lanes, approximate: options.approximate })?;
        (own, shaders) = (Cow::Owned(lowered), made);
    } else {
        // Functions that nothing calls may have operations that processors lack.
        remove_unreachable_functions::run(own.to_mut(), &mut Context::default());
    }
    let options = ObjectOptions { prefix: &options.prefix, place: &place, shaders: &shaders, slices };
    let object = write_object(&host, &own, &options)?;
    Ok(match to {
        Target::Header => Artifact::text(object.header),
        _ => Artifact { bytes: object.bytes, diagnostics: object.warnings, header: Some(object.header) },
    })
}

/// The processor and system of this name.
fn host(triple: Option<&str>) -> Result<Host, Vec<Diagnostic>> {
    target(triple.unwrap_or(&native_triple())).map_err(|reason| {
        let name = triple.unwrap_or("this machine");
        let error = Diagnostic::error(Code::E0604, Span::NONE, format!("no object file for `{name}`: {reason}"));
        vec![error.help("names are as in `x86_64-unknown-linux-gnu`, `aarch64-apple-darwin`, `x86_64-pc-windows-msvc`")]
    })
}
