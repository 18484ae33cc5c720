//! One line a diagnostic.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;

use super::severity_name;

/// `file:line:column: severity[code]: message`; in a binary file `file: offset 0x1a2b in function $f: …`.
pub fn short(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let severity = severity_name(diagnostic.severity);
    let text = format!("{severity}[{}]: {}\n", diagnostic.code, diagnostic.message);
    match map.place(diagnostic.span) {
        Some(place) => format!("{place}: {text}"),
        None => text,
    }
}
