//! HLSL out: texts, packing, registers, versions.

mod cases;
mod memory;
mod versions;

use planish_back_hlsl::{Options, Output, ShaderModel, info, write};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_opt::{Context, legalize};

/// A shader as a module.
pub(crate) fn compile(stage: Stage, text: &str) -> Module {
    let mut map = SourceMap::new();
    let file = map.add("test.glsl".to_owned(), text.to_owned()).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(stage));
    assert!(!output.has_errors(), "{text}\n{:#?}", output.diagnostics);
    output.module.expect("a module")
}

/// A module as HLSL, or the errors.
pub(crate) fn try_write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    let mut legal = module.clone();
    legalize::run(&mut legal, &info(options.version), &mut Context::default())?;
    write(&legal, options)
}

/// A shader as HLSL of a version.
pub(crate) fn hlsl(stage: Stage, text: &str, version: ShaderModel) -> Output {
    let options = Options { version, ..Options::default() };
    try_write(&compile(stage, text), &options).unwrap_or_else(|e| panic!("{text}\n{e:#?}"))
}
