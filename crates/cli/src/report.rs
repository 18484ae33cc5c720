//! Messages on standard error.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use planish::Levels;
use planish::diagnostic::{Diagnostic, Severity};
use planish::opt::Remark;
use planish::render::{JSON_SCHEMA, MessageFormat, SarifLog, escape_data, remark, render};
use planish::source::SourceMap;
use serde_json::{Value, json};

use crate::Stop;
use crate::args::{Color, Format};
use crate::optimize::Counts;
use crate::output::write_message;

/// Shows diagnostics and counts them. Clones share what they count.
#[derive(Clone)]
pub(crate) struct Reporter {
    format: MessageFormat,
    color: bool,
    levels: Arc<Levels>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    errors: usize,
    warnings: usize,
    /// The messages of one of several jobs, which wait for those of the jobs before it; `None`: messages are written at once.
    kept: Option<String>,
    /// All results, if that is the format.
    log: Option<SarifLog>,
}

impl Reporter {
    pub(crate) fn new(format: Format, color: Color, levels: Levels) -> Self {
        let log = (format == Format::Sarif).then(SarifLog::default);
        let format = match format {
            Format::Sarif => MessageFormat::Json,
            Format::Github => MessageFormat::Github,
            Format::Human => MessageFormat::Human,
            Format::Short => MessageFormat::Short,
            Format::Json => MessageFormat::Json,
        };
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Reporter {
            format,
            color,
            levels: levels.into(),
            state: Arc::new(Mutex::new(State { log, ..State::default() })),
        }
    }

    /// A reporter of the same form that has counted nothing.
    pub(crate) fn anew(&self) -> Self {
        let anew = self.fork();
        anew.state().kept = None;
        anew
    }

    /// A reporter for one of several jobs, which keeps its messages until [`Reporter::join`].
    pub(crate) fn fork(&self) -> Self {
        let log = self.state().log.as_ref().map(|_| SarifLog::default());
        let state = State { kept: Some(String::new()), log, ..State::default() };
        Reporter { state: Arc::new(Mutex::new(state)), ..self.clone() }
    }

    /// Writes the messages of a fork and counts them; `false` if standard error is closed.
    pub(crate) fn join(&self, fork: &Reporter) -> bool {
        let from = std::mem::take(&mut *fork.state());
        let mut state = self.state();
        state.errors += from.errors;
        state.warnings += from.warnings;
        if let (Some(log), Some(other)) = (&mut state.log, from.log) {
            log.append(other);
        }
        drop(state);
        self.write(&from.kept.unwrap_or_default())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Counts and text are whole at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The levels of warnings.
    pub(crate) fn levels(&self) -> &Levels {
        &self.levels
    }

    /// Number of errors so far.
    pub(crate) fn errors(&self) -> usize {
        self.state().errors
    }

    /// Whether messages are for people.
    pub(crate) fn is_human(&self) -> bool {
        self.format == MessageFormat::Human && self.state().log.is_none()
    }

    /// Whether messages are objects, one a line.
    pub(crate) fn is_json(&self) -> bool {
        self.format == MessageFormat::Json && self.state().log.is_none()
    }

    /// Whether messages are one document, which is written at the end.
    pub(crate) fn is_document(&self) -> bool {
        self.state().log.is_some()
    }

    /// Writes a text to standard error, or keeps it; `false` if that is closed.
    pub(crate) fn write(&self, text: &str) -> bool {
        let mut state = self.state();
        if state.log.is_some() {
            return true;
        }
        if let Some(kept) = &mut state.kept {
            kept.push_str(text);
            return true;
        }
        drop(state);
        text.is_empty() || write_message(text)
    }

    /// Shows all of them.
    pub(crate) fn show(&self, diagnostics: &[Diagnostic], map: &SourceMap) {
        let mut text = String::new();
        for diagnostic in &self.levels.apply(diagnostics.to_vec()) {
            let mut state = self.state();
            match diagnostic.severity {
                Severity::Error => state.errors += 1,
                Severity::Warning => state.warnings += 1,
                Severity::Remark => {}
            }
            if let Some(log) = &mut state.log {
                log.add(diagnostic, map);
                continue;
            }
            text.push_str(&render(diagnostic, map, self.format, self.color));
            if self.format == MessageFormat::Human {
                text.push('\n');
            }
        }
        self.write(&text);
    }

    /// Shows an error that is not about a place in a program, such as a file that cannot be read, and counts it.
    pub(crate) fn failed(&self, message: &str) {
        let mut state = self.state();
        state.errors += 1;
        if let Some(log) = &mut state.log {
            return log.notify(message);
        }
        drop(state);
        self.write(&match self.format {
            MessageFormat::Github => format!("::error::{}\n", escape_data(message)),
            _ => format!("error: {message}\n"),
        });
    }

    /// Writes the document, if the format is one.
    pub(crate) fn close(&self) {
        if let Some(log) = &self.state().log {
            write_message(&log.finish());
        }
    }

    /// Shows remarks of passes.
    pub(crate) fn remarks(&self, remarks: &[Remark], map: &SourceMap) {
        for one in remarks {
            let mut text = remark(one, map, self.format, self.color);
            if self.format == MessageFormat::Human {
                text.push('\n');
            }
            self.write(&text);
        }
    }

    /// Shows the counts: a table, or one object on a line.
    pub(crate) fn stats(&self, counts: &Counts) {
        if self.format == MessageFormat::Json {
            let rows = counts.iter().map(|((pass, name), count)| json!({"pass": pass, "name": name, "count": count}));
            self.write(&format!("{}\n", json!({"schema": JSON_SCHEMA, "stats": rows.collect::<Value>()})));
            return;
        }
        let width = |of: fn(&(&str, &str)) -> usize| counts.keys().map(of).max().unwrap_or(0).max(4);
        let (pass_width, name_width) = (width(|key| key.0.len()), width(|key| key.1.len()));
        self.write(&format!("{:pass_width$}  {:name_width$}  count\n", "pass", "what"));
        for ((pass, name), count) in counts {
            self.write(&format!("{pass:pass_width$}  {name:name_width$}  {count:5}\n"));
        }
        self.write("\n");
    }

    /// Reports the number of functions that passed a check.
    pub(crate) fn verified(&self, functions: usize) {
        self.write(&match self.format {
            MessageFormat::Json => format!("{}\n", json!({"schema": JSON_SCHEMA, "verified": functions})),
            _ => format!("verified: the code of {functions} function{}\n", if functions == 1 { "" } else { "s" }),
        });
    }

    /// Shows the times: a table with the share of each, or one object on a line.
    pub(crate) fn times(&self, times: &[(String, Duration)]) {
        let all: f64 = times.iter().map(|(_, time)| time.as_secs_f64()).sum();
        if self.format == MessageFormat::Json {
            let rows = times.iter().map(|(what, time)| json!({"what": what, "seconds": time.as_secs_f64()}));
            self.write(&format!(
                "{}\n",
                json!({"schema": JSON_SCHEMA, "times": rows.collect::<Value>(), "seconds": all})
            ));
            return;
        }
        self.write(&format!("{:>12}  {:>6}  what\n", "time", "share"));
        let rows = times.iter().map(|(what, time)| (what.as_str(), time.as_secs_f64()));
        for (what, seconds) in rows.chain([("all", all)]) {
            let share = if all > 0.0 { seconds / all * 100.0 } else { 0.0 };
            self.write(&format!("{:>9.3} ms  {share:5.1}%  {what}\n", seconds * 1e3));
        }
        self.write("\n");
    }

    /// Reports the number of errors, and stops if there were any (or warnings, if those count).
    pub(crate) fn finish(&self, deny_warnings: bool) -> Result<(), Stop> {
        let counts = self.counts();
        if !counts.is_empty() && self.format == MessageFormat::Human {
            self.write(&format!("{counts}\n"));
        }
        let State { errors, warnings, .. } = *self.state();
        if errors > 0 || (deny_warnings && warnings > 0) { Err(Stop::Errors) } else { Ok(()) }
    }

    /// The number of errors and warnings, in words; empty if there are none.
    pub(crate) fn counts(&self) -> String {
        let State { errors, warnings, .. } = *self.state();
        let counts = [(errors, "error"), (warnings, "warning")].into_iter().filter(|(n, _)| *n > 0);
        counts.map(|(n, what)| count(n, what)).collect::<Vec<_>>().join(", ")
    }
}

/// A number and its noun: `1 file`, `2 files`.
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
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
