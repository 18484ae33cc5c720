//! One line a diagnostic.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;

use super::severity_name;

/// `file:line:column: severity[code]: message`; in a binary file `file: offset 0x1a2b in function $f: …`.
pub fn short(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let severity = severity_name(diagnostic.severity);
    let text = format!("{severity}[{}]: {}\n", diagnostic.code, diagnostic.message);
    let binary = map.file_at(diagnostic.span.start).filter(|_| !diagnostic.span.is_none());
    if let Some((file, place)) = binary.and_then(|file| Some((file, file.binary_place(diagnostic.span.start)?))) {
        return format!("{}: {place}: {text}", file.name);
    }
    let place = (!diagnostic.span.is_none()).then_some(diagnostic.span.start);
    match place.and_then(|at| Some((map.file_at(at)?, map.line_column(at)?))) {
        Some((file, at)) => format!("{}:{}:{}: {text}", file.name, at.line, at.column),
        None => text,
    }
}
