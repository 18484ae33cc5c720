//! Rust.

use std::borrow::Cow;

use planish_back_rust::Stage;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_opt::{Context, remove_unreachable_functions};

use super::{Artifact, EmitOptions, lowered, stages};

/// A program in Rust.
pub(super) fn write(
    module: &Module,
    options: &EmitOptions,
    slices: &[SliceParam],
) -> Result<Artifact, Vec<Diagnostic>> {
    let mut own = Cow::Borrowed(module);
    remove_unreachable_functions::run(own.to_mut(), &mut Context::default());
    let mut shaders = Vec::new();
    if own.entry_points.iter().any(|entry| entry.stage.is_some()) {
        if let Some((span, what)) = stages::batch_reason(&own) {
            let text = format!("Rust out has shaders of one invocation, without {what}");
            let error = Diagnostic::error(Code::E0604, span, text);
            return Err(vec![error.help("C and object files have them: `-o FILE.c`, `-o FILE.o`")]);
        }
        let (called, functions) = stages::called(&own, options, |stage| &stage.name)?;
        let names = |fields: &planish_back_c::Fields| fields.0.iter().map(|field| field.0.clone()).collect();
        let stage = |stage: planish_back_c::StageFunction| Stage {
            uniforms: stage.uniforms.0.len(),
            outputs: names(&stage.outputs),
        };
        shaders = functions.into_iter().map(stage).collect();
        own = Cow::Owned(called);
    }
    let lowered = lowered(&own, &planish_back_rust::info(), options)?;
    Ok(Artifact::text(planish_back_rust::write(&own, &lowered, slices, &shaders)?))
}
