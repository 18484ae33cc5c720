//! The flat twins of a shader, as GLSL.

use planish::flatten::{Options, Visible, is_flat};
use planish::module::{Module, Stage};
use planish::{EmitOptions, Flattener, InputKind, Optimizer, Target, Version, emit};

use crate::compare::{Bar, FAST, SAME};
use crate::draw::{self, Failure};

/// A form of a shader that the GPU draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// As its author wrote it.
    Original,
    /// Flat, to the last bit the same.
    Flat,
    /// Flat, by the laws of real numbers.
    Fast,
    /// As WGSL, by `planish::gpu`.
    Device,
}

impl Form {
    /// Tolerance between the GPU's picture and the evaluator's picture of the original.
    pub(crate) fn bar(self) -> Bar {
        if self == Form::Fast { FAST } else { SAME }
    }

    /// Suffix of its pictures' names.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Form::Original => "gpu",
            Form::Flat => "flat.gpu",
            Form::Fast => "fast.gpu",
            Form::Device => "wgsl.gpu",
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Original => "original",
            Form::Flat => "flat",
            Form::Fast => "fast-math",
            Form::Device => "as WGSL",
        }
    }
}

/// The GLSL of a flat twin: in the version of a GLSL original, and ES 3.00 of others.
pub(crate) fn flat_glsl(module: &Module, form: Form) -> Result<String, Failure> {
    let mut flat = module.clone();
    // As `--flatten` has it for languages.
    let options = Options { fast_math: form == Form::Fast, visible: Visible::TEXT, ..Options::default() };
    let flattener = Flattener { entry_points: true, options, ..Flattener::default() };
    flattener.run(&mut flat, &mut |_, _| {}).map_err(|errors| first(&errors))?;
    let body = flat.entry_point(Some(Stage::Fragment)).and_then(|entry| flat.funcs[entry.func].body.as_ref());
    if !body.is_some_and(|body| is_flat(&flat, body)) {
        return Err(Failure::Ours("its twin is not flat".into()));
    }
    glsl(&flat)
}

/// A module as GLSL.
pub(crate) fn glsl(module: &Module) -> Result<String, Failure> {
    let artifact = emit(module, Target::Glsl, &EmitOptions::default()).map_err(|errors| first(&errors))?;
    String::from_utf8(artifact.bytes).map_err(|e| Failure::Ours(e.to_string()))
}

/// A module as GLSL with double precision, optimized: tail recursion becomes a loop.
pub(crate) fn optimized_glsl(module: &Module) -> Result<String, Failure> {
    let optimized = optimized(module);
    let options = EmitOptions { version: Version::parse("450"), ..EmitOptions::default() };
    let artifact = emit(&optimized, Target::Glsl, &options).map_err(|errors| first(&errors))?;
    String::from_utf8(artifact.bytes).map_err(|e| Failure::Ours(e.to_string()))
}

/// A module after `-O2`.
pub(crate) fn optimized(module: &Module) -> Module {
    let mut optimized = module.clone();
    Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
    optimized
}

/// The inputs of a GLSL source of ours: its names may differ from the module's.
pub(crate) fn interface(source: &str) -> Result<Module, Failure> {
    draw::module(InputKind::Glsl, "emitted.frag", source)
}

fn first(errors: &[planish::diagnostic::Diagnostic]) -> Failure {
    Failure::Ours(errors.first().map_or("an error".into(), |e| format!("{:?}: {}", e.code, e.message)))
}
