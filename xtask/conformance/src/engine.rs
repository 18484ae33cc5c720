//! The compiler behind the harness's interface: source in; outputs, or the first reason, out.

use planish::diagnostic::{Diagnostic, Severity};
use planish::ir::verify::verify;
use planish::module::Module;
use planish::source::SourceMap;
use planish::{Compiler, EmitOptions, Target, emit};

use crate::outcome::Reason;

/// A program that the front end took.
pub(crate) struct Compiled {
    module: Module,
    map: SourceMap,
}

/// Reads a shader of a stage (`vert`, `frag`, `comp`). The result has passed the verifier.
pub(crate) fn compile(stage: &str, source: &str) -> Result<Compiled, Reason> {
    let mut compiler = Compiler::default();
    // The extension selects the stage, as on the command line.
    let compilation = compiler.compile(&format!("shader.{stage}"), source);
    let module = match compilation.module {
        Some(module) if !compilation.diagnostics.iter().any(Diagnostic::is_error) => module,
        _ => return Err(first_error(&compilation.diagnostics, &compiler.map)),
    };
    match verify(&module).first() {
        None => Ok(Compiled { module, map: compiler.map }),
        Some(error) => Err(first_error(&[error.to_diagnostic()], &compiler.map)),
    }
}

impl Compiled {
    /// The program.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// The bytes of the program for a target.
    pub(crate) fn emit(&self, target: Target) -> Result<Vec<u8>, Reason> {
        let artifact = emit(&self.module, target, &EmitOptions::default());
        artifact.map(|artifact| artifact.bytes).map_err(|errors| first_error(&errors, &self.map))
    }

    /// The program as text for a target; GLSL in the version that it was read in.
    pub(crate) fn text(&self, target: Target) -> Result<String, Reason> {
        let bytes = self.emit(target)?;
        String::from_utf8(bytes).map_err(|error| Reason::new("harness", error.to_string()))
    }
}

/// The first error, with its line.
fn first_error(diagnostics: &[Diagnostic], map: &SourceMap) -> Reason {
    let Some(error) = diagnostics.iter().find(|d| d.severity == Severity::Error) else {
        return Reason::new("harness", "no module, and no error that says why");
    };
    let line = map.line_column(error.span.start).map(|at| at.line);
    Reason { who: error.code.to_string(), message: error.message.clone(), line }
}
