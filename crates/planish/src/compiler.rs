//! The compiler as a library: source text in, module and diagnostics out, nothing read from or written to disk.

use std::borrow::Cow;

#[cfg(feature = "shaders")]
use planish_front_glsl::{WebGl, version::Version};
#[cfg(feature = "vl")]
use planish_front_vl::{Answer, Report};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::{Module, Stage};
use planish_ir::source::{IncludeResolver, SourceFile, SourceMap, Span};

use crate::kind::InputKind;
#[cfg(feature = "shaders")]
use crate::kind::stage_from_file;
use crate::prelude::Prelude;

/// Options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The language; `None`: by file name, then by content.
    pub from: Option<InputKind>,
    /// The stage of a GLSL shader; `None`: by file name, then by content.
    pub stage: Option<Stage>,
    /// Macros, as `-D NAME=VALUE`.
    pub defines: Vec<(String, String)>,
    /// The restrictions of WebGL to check.
    #[cfg(feature = "shaders")]
    pub webgl: WebGl,
    /// The version of a GLSL shader without `#version`.
    #[cfg(feature = "shaders")]
    pub default_version: Version,
    /// GLSL that is read before a program in GLSL, and WGSL before one in WGSL, in order.
    pub preludes: Vec<Prelude>,
    /// Final values of specialization constants, by name or number: what depends on overrides of WGSL is known when it is read. The constants
    /// themselves stay ([`crate::set_overrides`]).
    pub overrides: Vec<(String, String)>,
    /// Functions of GLSL that need no body: the leaves of flattening ([`crate::Flattener`]).
    pub leaves: Vec<String>,
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The program; `None` if it has errors.
    pub module: Option<Module>,
    /// Errors and warnings in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The GLSL version, if it is GLSL.
    #[cfg(feature = "shaders")]
    pub version: Option<Version>,
    /// The values of its functions' results, if it is VL.
    #[cfg(feature = "vl")]
    pub answer: Option<Answer>,
}

impl Compilation {
    /// Whether a diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    fn failed(diagnostics: Vec<Diagnostic>) -> Self {
        Compilation::of(None, diagnostics)
    }

    fn of(module: Option<Module>, diagnostics: Vec<Diagnostic>) -> Self {
        Compilation {
            module,
            diagnostics,
            #[cfg(feature = "shaders")]
            version: None,
            #[cfg(feature = "vl")]
            answer: None,
        }
    }
}

/// Compiles programs. Keeps the source of all of them, so that diagnostics can be shown.
///
/// # Example
/// ```
/// use planish::Compiler;
/// let mut compiler = Compiler::default();
/// let broken = compiler.compile("a.frag", "void main() { gl_FragColour = vec4(1.0); }");
/// assert!(broken.has_errors());
/// ```
#[derive(Default)]
pub struct Compiler<'a> {
    /// Options.
    pub options: Options,
    /// Resolver of `#include`. `None`: every `#include` is an error.
    pub includes: Option<&'a mut dyn IncludeResolver>,
    /// The source of all that was compiled.
    pub map: SourceMap,
}

impl Compiler<'_> {
    /// Compiles a program from text (or, for SPIR-V and WebAssembly, bytes). `name` is shown in messages; its extension
    /// selects the language and the stage unless the options do.
    ///
    /// # Panics
    /// In debug builds, if the front end's module does not verify: an internal error, which names the front end.
    pub fn compile(&mut self, name: &str, source: impl AsRef<[u8]>) -> Compilation {
        let bytes = source.as_ref();
        let kind = self.options.from.unwrap_or_else(|| InputKind::detect(name, bytes));
        let mut compilation = self.read(kind, name, bytes);
        let mut preludes = self.options.preludes.iter().map(Prelude::language);
        if preludes.len() > 0 && preludes.all(|language| language != kind) {
            let message = format!("preludes are for GLSL, or for WGSL if their names end in .wgsl, and {name} is not");
            compilation.diagnostics.push(Diagnostic::warning(Code::W0151, Span::NONE, message));
        }
        if let (true, Some(module)) = (cfg!(debug_assertions), &compilation.module) {
            let errors = planish_ir::verify::verify(module);
            assert!(errors.is_empty(), "the front end for {kind:?} made a module that is not valid: {errors:#?}");
        }
        compilation
    }

    fn read(&mut self, kind: InputKind, name: &str, bytes: &[u8]) -> Compilation {
        if let Err(errors) = kind.check() {
            return Compilation::failed(errors);
        }
        #[cfg(feature = "shaders")]
        if kind == InputKind::Spirv {
            let Ok(file) = self.map.add_binary(name, bytes.len()) else { return too_large(name) };
            let words = planish_front_spirv::words_of(&file, bytes);
            return finished(words.and_then(|words| planish_front_spirv::translate(&file, &words, &mut self.map)));
        }
        #[cfg(feature = "wasm")]
        if kind == InputKind::Wasm && bytes.starts_with(b"\0asm") {
            let Ok(file) = self.add_file(name, bytes) else { return too_large(name) };
            return finished(planish_front_wasm::translate(&file, bytes, &planish_front_wasm::Options::default()));
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            // Comments may contain any bytes; GLSL reports an invalid character outside of comments.
            Err(_) if kind == InputKind::Glsl && !bytes.contains(&0) => String::from_utf8_lossy(bytes),
            Err(error) => return self.not_text(name, bytes, error.valid_up_to()),
        };
        let Ok(file) = self.map.add(name, text.as_ref()) else { return too_large(name) };
        match kind {
            #[cfg(feature = "shaders")]
            InputKind::Wgsl => {
                let mut preludes = vec![];
                for prelude in of_language(&self.options.preludes, InputKind::Wgsl) {
                    let Prelude::Text { name, text } = prelude else { continue };
                    let Ok(prelude) = self.map.add(name.clone(), text.clone()) else { return too_large(name) };
                    preludes.push(prelude);
                }
                let mut options = planish_front_naga::Options {
                    preludes: &preludes,
                    overrides: &self.options.overrides,
                    defines: &self.options.defines,
                    includes: resolver(&mut self.includes),
                };
                finished(planish_front_naga::read_wgsl(&file, &mut self.map, &mut options))
            }
            #[cfg(feature = "wasm")]
            InputKind::Wasm => {
                finished(planish_front_wasm::translate(&file, bytes, &planish_front_wasm::Options::default()))
            }
            #[cfg(feature = "vl")]
            InputKind::Vl => self.compile_vl(&file),
            InputKind::Ir => finished(read_ir(&file)),
            #[cfg(feature = "shaders")]
            InputKind::Glsl | InputKind::Spirv => self.compile_glsl(&file),
            #[cfg(not(all(feature = "shaders", feature = "wasm", feature = "vl")))]
            _ => unreachable!("languages that are left out were refused before"),
        }
    }

    /// Adds a file to the map: its text, or for a binary its length.
    #[cfg(feature = "wasm")]
    pub(crate) fn add_file(&mut self, name: &str, bytes: &[u8]) -> Result<SourceFile, ()> {
        let file = match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.starts_with(b"\0asm") => self.map.add(name, text),
            _ => self.map.add_binary(name, bytes.len()),
        };
        file.map_err(|_| ())
    }

    fn not_text(&mut self, name: &str, bytes: &[u8], at: usize) -> Compilation {
        let lossy = String::from_utf8_lossy(bytes);
        let span = match self.map.add(name, lossy.as_ref()) {
            Ok(file) => Span::new(file.start + at as u32, file.start + at as u32),
            Err(_) => Span::NONE,
        };
        let diagnostic = Diagnostic::error(Code::E0101, span, "the file is not UTF-8 text")
            .label("the first byte that is none")
            .help("convert the file to UTF-8, or say what it is with --from");
        Compilation::failed(vec![diagnostic])
    }

    #[cfg(feature = "vl")]
    fn compile_vl(&mut self, file: &SourceFile) -> Compilation {
        let includes = resolver(&mut self.includes);
        match planish_front_vl::translate(file, &mut self.map, includes) {
            Ok((program, diagnostics)) => {
                Compilation { answer: Some(program.answer), ..Compilation::of(Some(program.module), diagnostics) }
            }
            Err(diagnostics) => Compilation::failed(diagnostics),
        }
    }

    /// The flow analysis of a VL program.
    ///
    /// # Errors
    /// What is wrong with the program.
    #[cfg(feature = "vl")]
    pub fn analyze(&mut self, name: &str, source: &str, report: Report) -> Result<String, Vec<Diagnostic>> {
        let Ok(file) = self.map.add(name, source) else { return Err(too_large(name).diagnostics) };
        planish_front_vl::analysis(&file, &mut self.map, resolver(&mut self.includes), report)
    }

    #[cfg(feature = "shaders")]
    fn compile_glsl(&mut self, file: &SourceFile) -> Compilation {
        let stage =
            self.options.stage.or_else(|| stage_from_file(&file.name)).unwrap_or_else(|| guess_stage(&file.text));
        let has = |prelude: Prelude| self.options.preludes.contains(&prelude);
        let (three, shadertoy) = (has(Prelude::Three), has(Prelude::Shadertoy));
        let mut preludes = vec![];
        for (name, text) in of_language(&self.options.preludes, InputKind::Glsl).filter_map(|p| p.text(stage)) {
            let Ok(prelude) = self.map.add(name, text) else { return too_large(&file.name) };
            preludes.push(prelude);
        }
        let mut options = planish_front_glsl::Options {
            preludes,
            free_includes: three,
            shadertoy,
            stage,
            defines: self.options.defines.clone(),
            includes: resolver(&mut self.includes),
            webgl: self.options.webgl,
            default_version: match self.options.default_version {
                Version::ES_100 if three => Version::ES_300,
                version => version,
            },
            leaves: &self.options.leaves,
        };
        let output = planish_front_glsl::compile(&mut self.map, file, &mut options);
        let version = Some(output.version);
        Compilation { version, ..Compilation::of(output.module, output.diagnostics) }
    }
}

/// The preludes for programs in a language.
#[cfg(feature = "shaders")]
fn of_language(preludes: &[Prelude], language: InputKind) -> impl Iterator<Item = &Prelude> {
    preludes.iter().filter(move |prelude| prelude.language() == language)
}

/// The resolver, lent for a while.
#[cfg(any(feature = "shaders", feature = "vl"))]
fn resolver<'r>(includes: &'r mut Option<&mut dyn IncludeResolver>) -> Option<&'r mut dyn IncludeResolver> {
    // A plain `map` would require the borrow to live as long as the resolver.
    match includes {
        Some(resolver) => Some(&mut **resolver as &mut dyn IncludeResolver),
        None => None,
    }
}

/// Reads the IR's text form. Unlike modules of front ends, which are valid by construction, this one is verified.
fn read_ir(file: &SourceFile) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let module = planish_ir::text::parse(file)?;
    let errors = planish_ir::verify::verify(&module);
    if errors.is_empty() { Ok((module, vec![])) } else { Err(errors.iter().map(|e| e.to_diagnostic()).collect()) }
}

fn too_large(name: &str) -> Compilation {
    let message = format!("{name} and what it came with are larger than 4 GiB");
    Compilation::failed(vec![Diagnostic::error(Code::E0113, Span::NONE, message)])
}

/// The result of the other languages' front ends: a module, or errors.
fn finished(result: Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>>) -> Compilation {
    match result {
        Ok((module, diagnostics)) => Compilation::of(Some(module), diagnostics),
        Err(diagnostics) => Compilation::failed(diagnostics),
    }
}

/// Guesses the stage of a shader from constructs that only one stage has.
#[cfg(feature = "shaders")]
fn guess_stage(text: &str) -> Stage {
    let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
    let of_device = [
        ("SetMeshOutputsEXT", Stage::Mesh),
        ("EmitMeshTasksEXT", Stage::Task),
        ("reportIntersectionEXT", Stage::Intersection),
        ("ignoreIntersectionEXT", Stage::AnyHit),
        ("terminateRayEXT", Stage::AnyHit),
        ("callableDataInEXT", Stage::Callable),
        ("hitAttributeEXT", Stage::ClosestHit),
        ("rayPayloadInEXT", Stage::Miss),
        ("rayPayloadEXT", Stage::RayGeneration),
        ("gl_LaunchIDEXT", Stage::RayGeneration),
    ];
    if let Some((_, stage)) = of_device.iter().find(|(word, _)| has(&[*word])) {
        *stage
    } else if has(&["local_size_x", "gl_GlobalInvocationID", "gl_LocalInvocationID"]) {
        Stage::Compute
    } else if has(&["EmitVertex", "EndPrimitive"]) {
        Stage::Geometry
    } else if has(&["gl_TessCoord"]) {
        Stage::TessellationEvaluation
    } else if has(&["gl_TessLevelOuter", "gl_TessLevelInner"]) {
        Stage::TessellationControl
    } else if has(&["gl_Position", "attribute ", "gl_VertexID", "gl_VertexIndex"]) {
        Stage::Vertex
    } else {
        Stage::Fragment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_the_text_form_is_verified() {
        let compile = |text: &str| {
            let mut compiler = Compiler::default();
            let compilation = compiler.compile("a.ir", text);
            (compilation.module.is_some(), compilation.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>())
        };
        assert_eq!(compile("module ir\nfn @f() -> (i32) {\nb0:\n  return 1\n}\n"), (true, vec![]));
        assert_eq!(compile("module ir\nfn @f() -> (i32) {\nb0:\n  return 1.0\n}\n"), (false, vec![Code::E0902]));
        assert_eq!(compile("module ir\nfn @f() -> (i32) {\nb0:\n  return @x\n}\n"), (false, vec![Code::E0901]));
    }

    #[test]
    fn comments_of_glsl_hold_any_bytes() {
        let compile = |text: &[u8]| {
            let compilation = Compiler::default().compile("a.frag", text);
            let said = compilation.diagnostics.iter().map(|d| (d.code, d.span.start)).collect::<Vec<_>>();
            (compilation.module.is_some(), said)
        };
        assert_eq!(compile(b"#version 450\n// caf\xe9\n/* \xe9\xff */\nvoid main() {}\n"), (true, vec![]));
        assert_eq!(compile(b"#version 450\nvoid main() {} \xe9\n"), (false, vec![(Code::E0101, 29)]));
    }
}
