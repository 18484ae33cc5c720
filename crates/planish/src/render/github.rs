//! Workflow commands of GitHub Actions, which show a message at its line.

use planish_ir::diagnostic::{Diagnostic, Severity};
use planish_ir::source::SourceMap;

/// `::error file=…,line=…,col=…,title=CODE::message`, and a line break.
pub fn github(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Remark => "notice",
    };
    let mut properties = vec![];
    let span = diagnostic.span;
    let file = map.file_at(span.start).filter(|_| !span.is_none());
    let mut place = String::new();
    if let (Some(start), Some(end)) = (map.place_at(span.start), map.place_at(span.end)) {
        properties.push(("file", start.file.to_string()));
        properties.push(("line", start.at.line.to_string()));
        properties.push(("col", start.at.column.to_string()));
        if end.file == start.file && end.at.line >= start.at.line {
            properties.push(("endLine", end.at.line.to_string()));
            properties.push(("endColumn", end.at.column.to_string()));
        }
    } else if let Some(file) = file {
        properties.push(("file", file.name.to_string()));
        place = file.binary_place(span.start).map(|place| format!("{place}: ")).unwrap_or_default();
    }
    properties.push(("title", diagnostic.code.to_string()));
    let properties = properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect::<Vec<_>>();
    let more = [&diagnostic.notes, &diagnostic.help].into_iter().flatten().map(|line| format!("\n{line}"));
    let message = escape_data(&format!("{place}{}{}", diagnostic.message, more.collect::<String>()));
    format!("::{command} {}::{message}\n", properties.join(","))
}

/// The text of a workflow command, on one line.
pub fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}
