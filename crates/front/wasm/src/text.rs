//! The text format: `wast` encodes it, and reports the position of each instruction.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{SourceFile, Span};
use wast::Wat;
use wast::core::{Expression, FuncKind, ModuleField, ModuleKind};
use wast::parser::{self, ParseBuffer};

use crate::places::{TextFunction, TextPlaces};

/// The binary of a text, and the positions of its parts in the text.
///
/// # Errors
/// The error in the text.
pub(crate) fn encode(file: &SourceFile) -> Result<(Vec<u8>, TextPlaces), Box<Diagnostic>> {
    let text = &*file.text;
    let at = |offset: usize| word_at(file, offset);
    let help = match text.trim_start().starts_with(['(', ';']) || text.trim_start().is_empty() {
        true => "the text format is that of the WebAssembly specification, chapter 6",
        false => "a module is a text that begins with `(`, or a binary that begins with the bytes 00 61 73 6d",
    };
    let to_diagnostic = |error: wast::Error| {
        Box::new(Diagnostic::error(Code::E1204, at(error.span().offset()), first_line(&error.message())).help(help))
    };
    let mut buffer = ParseBuffer::new(text).map_err(to_diagnostic)?;
    buffer.track_instr_spans(true);
    let mut parsed = parser::parse::<Wat<'_>>(&buffer).map_err(to_diagnostic)?;
    let bytes = parsed.encode().map_err(to_diagnostic)?;
    let Wat::Module(module) = &parsed else {
        let message = "the text is a component, not a module";
        return Err(Box::new(Diagnostic::error(Code::E1203, at(parsed.span().offset()), message)));
    };
    let mut functions = vec![];
    if let ModuleKind::Text(fields) = &module.kind {
        for field in fields {
            if let ModuleField::Func(function) = field
                && let FuncKind::Inline { expression, .. } = &function.kind
            {
                let instructions = instructions(expression, &at);
                functions.push(TextFunction { span: at(function.span.offset()), instructions });
            }
        }
    }
    Ok((bytes, TextPlaces { module: at(module.span.offset()), functions }))
}

fn instructions(expression: &Expression<'_>, at: &dyn Fn(usize) -> Span) -> Vec<Span> {
    expression.instr_spans.iter().flatten().map(|span| at(span.offset())).collect()
}

/// The word that begins at an offset of the text; for a bracket the word after it.
fn word_at(file: &SourceFile, offset: usize) -> Span {
    let bytes = file.text.as_bytes();
    let offset = offset.min(bytes.len());
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b';' | b'"');
    let bracket = usize::from(bytes.get(offset) == Some(&b'('));
    let length = bytes[offset + bracket..].iter().position(ends).unwrap_or(bytes.len() - offset - bracket);
    let start = file.start + offset as u32;
    Span::new(start, start + (bracket + length).max(1).min(bytes.len() - offset) as u32)
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}
