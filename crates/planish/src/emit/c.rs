//! C and its header.

use std::borrow::Cow;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_opt::{Context, remove_unreachable_functions};

use super::{Artifact, EmitOptions, lowered};

/// A program in C, whose header has the name of the prefix.
pub(super) fn write(
    module: &Module,
    options: &EmitOptions,
    slices: &[SliceParam],
) -> Result<Artifact, Vec<Diagnostic>> {
    let place = |span: Span| super::place_of_trap(options, span);
    let mut own = Cow::Borrowed(module);
    remove_unreachable_functions::run(own.to_mut(), &mut Context::default());
    let lowered = lowered(&own, &planish_back_c::info(), options)?;
    let header = format!("{}.h", if options.prefix.is_empty() { "program" } else { &*options.prefix });
    let header = options.header_name.as_deref().unwrap_or(&header);
    let options = planish_back_c::Options { prefix: &options.prefix, header, place: &place, slices };
    let output = planish_back_c::write(&own, &lowered, &options)?;
    Ok(Artifact { bytes: output.text.into_bytes(), diagnostics: output.warnings, header: Some(output.header) })
}
