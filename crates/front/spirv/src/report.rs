//! Errors as diagnostics that name the instruction and its word.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;
use spirv::Op;

/// An error.
pub(crate) type Fault = Box<Diagnostic>;

/// A result, or the error that prevents it.
pub(crate) type Res<T> = Result<T, Fault>;

/// An error of the binary as a whole.
pub(crate) fn malformed(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(Code::E0703, span, message)
        .help("the file is damaged or no SPIR-V; make it again, or ask `spirv-val` about it")
}

/// An error of an instruction that the specification does not allow.
pub(crate) fn invalid<T>(span: Span, op: Op, at: usize, cause: &str) -> Res<T> {
    let message = format!("`Op{op:?}` (word {at}): {cause}");
    Err(Box::new(
        Diagnostic::error(Code::E0703, span, message)
            .help("this is an error of the tool that made the binary; `spirv-val` describes it"),
    ))
}

/// An instruction that the IR has nothing for.
pub(crate) fn unsupported<T>(span: Span, op: Op, at: usize, what: &str) -> Res<T> {
    let message = format!("`Op{op:?}` (word {at}): {what} is not supported");
    Err(Box::new(Diagnostic::error(Code::E0704, span, message).help("compile the shader without the feature")))
}

/// A limit of the reader.
pub(crate) fn too_deep<T>(span: Span, message: String) -> Res<T> {
    Err(Box::new(Diagnostic::error(Code::E0707, span, message).help("split the function")))
}
