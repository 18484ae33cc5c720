//! Messages on standard error.

use std::io::IsTerminal;

use planish::diagnostic::{Diagnostic, Severity};
use planish::render::{MessageFormat, render};
use planish::source::SourceMap;

use crate::Stop;
use crate::args::{Color, Format};

/// Shows diagnostics and counts them.
pub(crate) struct Reporter {
    format: MessageFormat,
    color: bool,
    errors: usize,
    warnings: usize,
}

impl Reporter {
    pub(crate) fn new(format: Format, color: Color) -> Self {
        let format = match format {
            Format::Human => MessageFormat::Human,
            Format::Short => MessageFormat::Short,
            Format::Json => MessageFormat::Json,
        };
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Reporter { format, color, errors: 0, warnings: 0 }
    }

    /// Shows all of them.
    pub(crate) fn show(&mut self, diagnostics: &[Diagnostic], map: &SourceMap) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Remark => {}
            }
            let text = render(diagnostic, map, self.format, self.color);
            eprint!("{text}");
            if self.format == MessageFormat::Human {
                eprintln!();
            }
        }
    }

    /// Says how many errors there were, and stops if there were any (or warnings, if those count).
    pub(crate) fn finish(&self, deny_warnings: bool) -> Result<(), Stop> {
        let counted = |n: usize, what: &str| match n {
            0 => None,
            1 => Some(format!("1 {what}")),
            n => Some(format!("{n} {what}s")),
        };
        let counts: Vec<String> =
            [counted(self.errors, "error"), counted(self.warnings, "warning")].into_iter().flatten().collect();
        if !counts.is_empty() && self.format == MessageFormat::Human {
            eprintln!("{}", counts.join(", "));
        }
        if self.errors > 0 || (deny_warnings && self.warnings > 0) { Err(Stop::Errors) } else { Ok(()) }
    }
}

/// The panic hook: a panic is a mistake of ours, so it says what to send us.
pub(crate) fn internal_error(info: &std::panic::PanicHookInfo<'_>) {
    let arguments: Vec<String> = std::env::args().collect();
    eprintln!("error: internal error of planish {}: {info}", env!("CARGO_PKG_VERSION"));
    eprintln!("  This is a mistake of Planish, not of your program. Please report it with the input and this command:");
    eprintln!("  {}", arguments.join(" "));
}
