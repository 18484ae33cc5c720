//! Rendering of diagnostics: for people, in one line, and as JSON.

mod github;
mod human;
mod json;
mod remark;
mod sarif;
mod short;

pub use github::{escape_data, github};
pub use human::human;
pub use json::{JSON_SCHEMA, json};
pub use remark::{kind_name, optimization_records, remark};
pub use sarif::SarifLog;
pub use short::short;

use planish_ir::diagnostic::{Diagnostic, Severity};
use planish_ir::source::SourceMap;

/// A format of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MessageFormat {
    /// Several lines with the source, as rustc prints them.
    #[default]
    Human,
    /// One line: `file:line:column: severity[code]: message`.
    Short,
    /// One JSON object a line; positions as in the language server protocol.
    Json,
    /// Workflow commands of GitHub Actions, one line each.
    Github,
}

/// A diagnostic in a form. Ends with a line break.
pub fn render(diagnostic: &Diagnostic, map: &SourceMap, format: MessageFormat, color: bool) -> String {
    match format {
        MessageFormat::Human => human(diagnostic, map, color),
        MessageFormat::Short => short(diagnostic, map),
        MessageFormat::Json => json(diagnostic, map),
        MessageFormat::Github => github(diagnostic, map),
    }
}

/// A severity as messages have it.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Remark => "remark",
    }
}
