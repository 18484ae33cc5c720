//! Messages on standard error.

use std::io::IsTerminal;
use std::sync::Mutex;

use planish::diagnostic::{Diagnostic, Severity};
use planish::opt::Remark;
use planish::render::{JSON_SCHEMA, MessageFormat, remark, render};
use planish::source::SourceMap;
use serde_json::{Value, json};

use crate::Stop;
use crate::args::{Color, Format};
use crate::optimize::{Counts, Times};
use crate::output::write_message;

/// Shows diagnostics and counts them.
#[derive(Clone, Copy)]
pub(crate) struct Reporter {
    format: MessageFormat,
    color: bool,
    errors: usize,
    warnings: usize,
}

/// The messages about one program, ready to be written.
#[derive(Default)]
pub(crate) struct Messages {
    text: String,
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

    /// All of them as text.
    pub(crate) fn messages(&self, diagnostics: &[Diagnostic], map: &SourceMap) -> Messages {
        let mut messages = Messages::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => messages.errors += 1,
                Severity::Warning => messages.warnings += 1,
                Severity::Remark => {}
            }
            messages.text.push_str(&render(diagnostic, map, self.format, self.color));
            if self.format == MessageFormat::Human {
                messages.text.push('\n');
            }
        }
        messages
    }

    /// Writes messages and counts them; `false` if standard error is closed.
    pub(crate) fn write(&mut self, messages: &Messages) -> bool {
        self.errors += messages.errors;
        self.warnings += messages.warnings;
        write_message(&messages.text)
    }

    /// Shows all of them.
    pub(crate) fn show(&mut self, diagnostics: &[Diagnostic], map: &SourceMap) {
        self.write(&self.messages(diagnostics, map));
    }

    /// Shows remarks of passes.
    pub(crate) fn remarks(&self, remarks: &[Remark], map: &SourceMap) {
        for one in remarks {
            let mut text = remark(one, map, self.format, self.color);
            if self.format == MessageFormat::Human {
                text.push('\n');
            }
            write_message(&text);
        }
    }

    /// Shows the counts: a table, or one object on a line.
    pub(crate) fn stats(&self, counts: &Counts) {
        if self.format == MessageFormat::Json {
            let rows = counts.iter().map(|((pass, name), count)| json!({"pass": pass, "name": name, "count": count}));
            write_message(&format!("{}\n", json!({"schema": JSON_SCHEMA, "stats": rows.collect::<Value>()})));
            return;
        }
        let width = |of: fn(&(&str, &str)) -> usize| counts.keys().map(of).max().unwrap_or(0).max(4);
        let (pass_width, name_width) = (width(|key| key.0.len()), width(|key| key.1.len()));
        write_message(&format!("{:pass_width$}  {:name_width$}  count\n", "pass", "what"));
        for ((pass, name), count) in counts {
            write_message(&format!("{pass:pass_width$}  {name:name_width$}  {count:5}\n"));
        }
        write_message("\n");
    }

    /// Reports the number of functions that passed a check.
    pub(crate) fn verified(&self, functions: usize) {
        write_message(&match self.format {
            MessageFormat::Json => format!("{}\n", json!({"schema": JSON_SCHEMA, "verified": functions})),
            _ => format!("verified: the code of {functions} function{}\n", if functions == 1 { "" } else { "s" }),
        });
    }

    /// Shows the times: a table with the share of each, or one object on a line.
    pub(crate) fn times(&self, times: &Times) {
        let all: f64 = times.rows.iter().map(|(_, time)| time.as_secs_f64()).sum();
        if self.format == MessageFormat::Json {
            let rows = times.rows.iter().map(|(what, time)| json!({"what": what, "seconds": time.as_secs_f64()}));
            write_message(&format!(
                "{}\n",
                json!({"schema": JSON_SCHEMA, "times": rows.collect::<Value>(), "seconds": all})
            ));
            return;
        }
        write_message(&format!("{:>12}  {:>6}  what\n", "time", "share"));
        let rows = times.rows.iter().map(|(what, time)| (what.as_str(), time.as_secs_f64()));
        for (what, seconds) in rows.chain([("all", all)]) {
            let share = if all > 0.0 { seconds / all * 100.0 } else { 0.0 };
            write_message(&format!("{:>9.3} ms  {share:5.1}%  {what}\n", seconds * 1e3));
        }
        write_message("\n");
    }

    /// Reports the number of errors, and stops if there were any (or warnings, if those count).
    pub(crate) fn finish(&self, deny_warnings: bool) -> Result<(), Stop> {
        let counted = |n: usize, what: &str| match n {
            0 => None,
            1 => Some(format!("1 {what}")),
            n => Some(format!("{n} {what}s")),
        };
        let counts: Vec<String> =
            [counted(self.errors, "error"), counted(self.warnings, "warning")].into_iter().flatten().collect();
        if !counts.is_empty() && self.format == MessageFormat::Human {
            write_message(&format!("{}\n", counts.join(", ")));
        }
        if self.errors > 0 || (deny_warnings && self.warnings > 0) { Err(Stop::Errors) } else { Ok(()) }
    }
}

/// Message of the last panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// The panic hook: records the message. Only uncaught panics are reported.
pub(crate) fn note_panic(info: &std::panic::PanicHookInfo<'_>) {
    if let Ok(mut panic) = PANIC.lock() {
        *panic = Some(info.to_string());
    }
}

/// Reports an uncaught panic, which is an internal error.
pub(crate) fn panicked() {
    internal_error(&PANIC.lock().ok().and_then(|mut panic| panic.take()).unwrap_or_default());
}

/// Says what to send us.
pub(crate) fn internal_error(message: &str) {
    let arguments: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    write_message(&format!(
        "error: internal error of planish {}: {message}\n  This is a mistake of Planish, not of your program. Please report it \
         with the input and this command:\n  {}\n",
        env!("CARGO_PKG_VERSION"),
        arguments.join(" ")
    ));
}
