//! One line a diagnostic.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;

use super::severity_name;

/// `file:line:column: severity[code]: message`.
pub fn short(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let severity = severity_name(diagnostic.severity);
    let text = format!("{severity}[{}]: {}\n", diagnostic.code, diagnostic.message);
    let place = (!diagnostic.span.is_none()).then_some(diagnostic.span.start);
    match place.and_then(|at| Some((map.file_at(at)?, map.line_column(at)?))) {
        Some((file, at)) => format!("{}:{}:{}: {text}", file.name, at.line, at.column),
        None => text,
    }
}
