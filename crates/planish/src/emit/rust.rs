//! Rust.

use std::borrow::Cow;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_opt::{Context, remove_unreachable_functions};

use super::{Artifact, EmitOptions, lowered};

/// A program in Rust.
pub(super) fn write(
    module: &Module,
    options: &EmitOptions,
    slices: &[SliceParam],
) -> Result<Artifact, Vec<Diagnostic>> {
    let mut own = Cow::Borrowed(module);
    remove_unreachable_functions::run(own.to_mut(), &mut Context::default());
    let lowered = lowered(&own, &planish_back_rust::info(), options)?;
    Ok(Artifact::text(planish_back_rust::write(&own, &lowered, slices)?))
}
