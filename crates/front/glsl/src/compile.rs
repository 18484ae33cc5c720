//! From a file to a module: preprocessor, parser, checker.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Module, Stage};
use planish_ir::source::{SourceFile, SourceMap};

use crate::preprocess::{IncludeResolver, PreprocessOptions, preprocess};
use crate::version::Version;

/// What a compilation is told from outside.
pub struct Options<'a> {
    /// The stage of the shader.
    pub stage: Stage,
    /// Macros defined before the first line, as `-D NAME=VALUE`.
    pub defines: Vec<(String, String)>,
    /// Where `#include` finds its text; none: every `#include` is an error.
    pub includes: Option<&'a mut dyn IncludeResolver>,
    /// Whether the additional rules of WebGL hold (of ES 1.00: Appendix A of its specification).
    pub webgl: bool,
    /// The version of a shader without `#version`.
    pub default_version: Version,
}

impl Options<'_> {
    /// The options for a shader of this stage: no macros, no includes, ES 1.00 unless it says otherwise.
    pub fn new(stage: Stage) -> Self {
        Options { stage, defines: vec![], includes: None, webgl: false, default_version: Version::ES_100 }
    }
}

/// What a compilation gives.
#[derive(Debug)]
pub struct Output {
    /// The module; `None` only if there are errors.
    pub module: Option<Module>,
    /// What is wrong or remarkable, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The version the shader is in.
    pub version: Version,
}

impl Output {
    /// Whether a diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Compiles a file that is in `map` already; the files it includes are added to `map`.
pub fn compile(map: &mut SourceMap, file: &SourceFile, options: &mut Options<'_>) -> Output {
    let program = preprocess(map, file, &mut preprocess_options(options));
    Output { module: None, diagnostics: program.diagnostics, version: program.version }
}

fn preprocess_options<'b>(options: &'b mut Options<'_>) -> PreprocessOptions<'b> {
    let includes = match &mut options.includes {
        Some(resolver) => Some(&mut **resolver as &mut dyn IncludeResolver),
        None => None,
    };
    PreprocessOptions {
        defines: options.defines.clone(),
        includes,
        default_version: options.default_version,
        webgl: options.webgl,
    }
}
