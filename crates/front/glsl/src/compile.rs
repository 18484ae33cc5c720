//! From a file to a module: preprocessor, parser, checker.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Module, Stage};
use planish_ir::source::{SourceFile, SourceMap};

use crate::check::{Settings, check, shadertoy};
use crate::parse::parse;
use crate::preprocess::{PreprocessOptions, preprocess};
use crate::version::Version;
use crate::webgl::WebGl;
use planish_ir::source::IncludeResolver;

/// Options of a compilation.
pub struct Options<'a> {
    /// The stage of the shader.
    pub stage: Stage,
    /// Macros defined before the first line, as `-D NAME=VALUE`.
    pub defines: Vec<(String, String)>,
    /// Resolver of `#include`. `None`: every `#include` is an error.
    pub includes: Option<&'a mut dyn IncludeResolver>,
    /// The additional rules of WebGL to check (for ES 1.00: Appendix A of its specification).
    pub webgl: WebGl,
    /// The version of a shader without `#version`.
    pub default_version: Version,
    /// Functions that need no body: those provided by the target of flattening.
    pub leaves: &'a [String],
    /// Files of the map, one after the other, that are read before the program, after `#version` and `#extension`.
    pub preludes: Vec<SourceFile>,
    /// Whether `#include` needs no extension.
    pub free_includes: bool,
    /// Whether the uniforms of Shadertoy are there, although the program may have a `main` of its own.
    pub shadertoy: bool,
}

impl Options<'_> {
    /// Options for a shader of this stage: no macros, no includes, ES 1.00 unless the source declares a version.
    pub fn new(stage: Stage) -> Self {
        Options {
            stage,
            defines: vec![],
            includes: None,
            webgl: WebGl::Off,
            default_version: Version::ES_100,
            leaves: &[],
            preludes: vec![],
            free_includes: false,
            shadertoy: false,
        }
    }
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Output {
    /// The module; `None` only if there are errors.
    pub module: Option<Module>,
    /// Errors and warnings in the order of the source.
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
///
/// Linear in the length of the program, but for what the limits of preprocessor and parser bound.
///
/// # Example
/// ```
/// use planish_front_glsl::{Options, compile};
/// use planish_ir::module::Stage;
/// use planish_ir::source::SourceMap;
/// let mut map = SourceMap::new();
/// let text = "void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1); }";
/// let file = map.add("orange.frag", text).unwrap();
/// let output = compile(&mut map, &file, &mut Options::new(Stage::Fragment));
/// assert!(output.module.is_some(), "{:?}", output.diagnostics);
/// ```
pub fn compile(map: &mut SourceMap, file: &SourceFile, options: &mut Options<'_>) -> Output {
    let wants_shadertoy = options.shadertoy;
    let mut preprocess_options = preprocess_options(options);
    if wants_shadertoy || looks_like_shadertoy(&file.text) {
        preprocess_options.default_version = Version::ES_300;
    }
    let mut program = preprocess(map, file, &mut preprocess_options);
    let (ast, syntax_errors) = parse(&program);
    let mut diagnostics = std::mem::take(&mut program.diagnostics);
    diagnostics.extend(syntax_errors);
    let shadertoy = wants_shadertoy || shadertoy::is_shadertoy(&ast);
    let mut settings =
        Settings { stage: options.stage, webgl: options.webgl, shadertoy, cube_channels: 0, leaves: options.leaves };
    let mut checked = check(&program, &ast, settings);
    if checked.wanted_cubes != 0 {
        settings.cube_channels = checked.wanted_cubes;
        checked = check(&program, &ast, settings);
    }
    diagnostics.extend(checked.diagnostics);
    diagnostics.sort_by_key(|d| d.span.start);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    Output { module: (!failed).then_some(checked.module), diagnostics, version: program.version }
}

/// Whether a text without `#version` may be a Shadertoy shader, which is in ES 3.00.
fn looks_like_shadertoy(text: &str) -> bool {
    text.contains("mainImage") && !text.contains("#version") && !text.contains("void main(")
}

fn preprocess_options<'b>(options: &'b mut Options<'_>) -> PreprocessOptions<'b> {
    let includes = options.includes.as_mut().map(|resolver| &mut **resolver as &mut dyn IncludeResolver);
    PreprocessOptions {
        defines: options.defines.clone(),
        includes,
        default_version: options.default_version,
        webgl: options.webgl.is_on(),
        preludes: options.preludes.clone(),
        free_includes: options.free_includes,
    }
}
