//! Limits of `planish run`: instructions, time and memory.
//!
//! Instructions are the fuel of the virtual machine and of machine code, and the steps of the evaluator. Time is watched by a thread, which
//! ends the process: so it holds on every engine, and in calls of the host that wait.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use planish::diagnostic::{Code, Diagnostic};
use planish::eval::shade::ShadeError;
use planish::eval::{self, Limits};
use planish::ir::function::TrapKind;
use planish::lanes::DrawError;
use planish::module::{MemoryData, Module};
use planish::source::{SourceMap, Span};
use planish_vm::{Config, Error, Store};

use crate::Stop;
use crate::args::Run;
use crate::output;
use crate::report::Reporter;

/// Bytes of an element of a table.
const ELEMENT: u64 = 8;

/// The limits of the evaluator.
pub(crate) fn of_evaluator(args: &Run, default: Limits) -> Limits {
    let words = args.memory_limit.map_or(default.words, |bytes| usize::try_from(bytes / 8).unwrap_or(usize::MAX));
    Limits { steps: args.fuel.unwrap_or(default.steps), words, ..default }
}

/// Sets the limits of an engine, whose stack of calls has `stack` bytes if that is within the limit of memory.
pub(crate) fn configure(config: &mut Config, args: &Run, stack: Option<usize>) {
    if args.fuel.is_some() {
        config.consume_fuel(true);
    }
    let limit = args.memory_limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    if let Some(stack) = stack {
        config.stack_size(limit.map_or(stack, |limit| stack.min(limit)));
    }
    if let Some(bytes) = args.memory_limit {
        config.memory_limit(u32::try_from(bytes / MemoryData::PAGE as u64).unwrap_or(u32::MAX));
        config.table_limit(u32::try_from(bytes / ELEMENT).unwrap_or(u32::MAX).min(MAX_ELEMENTS));
    }
}

/// Elements of a table, whatever the limit of memory is.
const MAX_ELEMENTS: u32 = 10_000_000;

/// Gives a program its fuel, if that is limited.
pub(crate) fn fuel<T>(store: &mut Store<T>, fuel: Option<u64>) {
    if let Some(fuel) = fuel {
        store.set_fuel(fuel);
    }
}

/// Checks that memories and tables as a program begins with them are within the limit.
///
/// # Errors
/// If they are not, which is shown.
pub(crate) fn check_memory(args: &Run, module: &Module, reporter: &Reporter) -> Result<(), Stop> {
    let Some(limit) = args.memory_limit else { return Ok(()) };
    let memories = module.memories.values().map(|memory| u64::from(memory.min_pages) * MemoryData::PAGE as u64);
    let tables = module.tables.values().map(|table| u64::from(table.min) * ELEMENT);
    let all: u64 = memories.chain(tables).sum();
    if all <= limit {
        return Ok(());
    }
    let message = format!("the program begins with {all} bytes of memory; --memory-limit allows {limit}");
    reporter.show(&[reached(Span::NONE, message, "a larger --memory-limit gives it more")], &SourceMap::new());
    Err(Stop::Errors)
}

/// The diagnostic for an error of the machine, if it is a limit of the command line.
pub(crate) fn of_error(args: &Run, error: &Error) -> Option<Diagnostic> {
    match error {
        Error::OutOfFuel => {
            let fuel = args.fuel.unwrap_or_default();
            let message = format!("the program has used all its fuel, {fuel} instructions");
            Some(reached(Span::NONE, message, "a larger --fuel lets it run longer"))
        }
        Error::Trap(trap) if trap.kind == TrapKind::OutOfMemory => {
            let limit = args.memory_limit?;
            Some(no_memory(trap.span, limit))
        }
        Error::Limit(what) => args.memory_limit.map(|limit| no_memory(Span::NONE, limit).note(what.clone())),
        _ => None,
    }
}

/// The end of a shader, or of a function on the evaluator: a limit that was reached is shown, other errors are left to `usage`.
pub(crate) fn stop_evaluator(
    args: &Run,
    stop: &eval::Stop,
    reporter: &Reporter,
    usage: impl FnOnce() -> String,
) -> Stop {
    let diagnostic = match stop {
        eval::Stop::StepLimit => {
            let message = "the program ran longer than its limit of steps";
            let message = args.fuel.map_or(message.into(), |fuel| format!("{message}, {fuel}"));
            reached(Span::NONE, message, "a larger --fuel lets it run longer")
        }
        eval::Stop::MemoryLimit => match args.memory_limit {
            Some(limit) => no_memory(Span::NONE, limit),
            None => reached(Span::NONE, stop.to_string(), "--memory-limit gives it more than 1 GiB"),
        },
        _ => return Stop::usage(usage()),
    };
    reporter.show(&[diagnostic], &SourceMap::new());
    Stop::Errors
}

/// As [`stop_evaluator`], of a drawing.
pub(crate) fn stop_shader(args: &Run, error: &ShadeError, reporter: &Reporter) -> Stop {
    match error {
        ShadeError::Stop(stop) => stop_evaluator(args, stop, reporter, || error.to_string()),
        _ => Stop::usage(error.to_string()),
    }
}

/// As [`stop_evaluator`], of a shader on lanes; the place is appended to other errors.
pub(crate) fn stop_lanes(args: &Run, error: &DrawError, reporter: &Reporter, place: &str) -> Stop {
    let diagnostic = match error {
        DrawError::Shade(ShadeError::Stop(stop)) => {
            return stop_evaluator(args, stop, reporter, || format!("{error}{place}"));
        }
        DrawError::Machine(error) => of_error(args, error),
        _ => None,
    };
    let Some(diagnostic) = diagnostic else { return Stop::usage(format!("{error}{place}")) };
    reporter.show(&[diagnostic], &SourceMap::new());
    Stop::Errors
}

fn no_memory(span: Span, limit: u64) -> Diagnostic {
    let message = format!("the program needs more memory than --memory-limit allows, {limit} bytes");
    reached(span, message, "a larger --memory-limit gives it more")
}

fn reached(span: Span, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::error(Code::E1303, span, message).help(help)
}

/// Watches the time until it is dropped.
pub(crate) struct Watchdog {
    /// Its end tells the thread.
    _ends: mpsc::Sender<()>,
}

/// Has the process end after `--timeout`, if that is given: with a message, and status 1. A file that is being replaced is whole before.
///
/// # Errors
/// If there is no thread for it.
pub(crate) fn watch(args: &Run, reporter: &Reporter) -> Result<Option<Watchdog>, Stop> {
    let Some(timeout) = args.timeout else { return Ok(None) };
    let (ends, end) = mpsc::channel::<()>();
    let reporter = reporter.clone();
    let wait = move || {
        if end.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
            let _whole = planish_files::replacing();
            if std::io::stderr().is_terminal() {
                // A progress bar may be there.
                output::write_message("\r\x1b[K");
            }
            let message = format!("the program ran longer than --timeout allows, {} s", timeout.as_secs_f64());
            let diagnostic = reached(Span::NONE, message, "a larger --timeout lets it run longer");
            reporter.show(&[diagnostic], &SourceMap::new());
            reporter.close();
            std::process::exit(1);
        }
    };
    let thread = std::thread::Builder::new().spawn(wait);
    thread.map_err(|error| Stop::usage(format!("cannot start a thread: {error}")))?;
    Ok(Some(Watchdog { _ends: ends }))
}

/// A time in seconds, as `2` or `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let wanted = || "a number of seconds above 0 is wanted, as in `2` or `0.5`".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wanted())?;
    Some(seconds).filter(|&s| s > 0.0).and_then(|s| Duration::try_from_secs_f64(s).ok()).ok_or_else(wanted)
}

/// A number of bytes, as `65536`, `64KiB`, `64K`, `1.5GiB`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wanted = || "a number of bytes is wanted, as in `65536`, `64KiB`, `16MiB` or `1.5GiB`".to_owned();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let shift = match unit.trim_start() {
        "" | "B" => 0,
        "K" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => return Err(wanted()),
    };
    let bytes = match number.parse::<u64>() {
        Ok(number) => number.checked_mul(1 << shift).ok_or_else(wanted)?,
        Err(_) if shift > 0 => {
            let bytes = number.parse::<f64>().map_err(|_| wanted())? * f64::from(1u32 << shift);
            // As many as fit into the range, without a fraction.
            if bytes < 2f64.powi(63) { bytes as u64 } else { return Err(wanted()) }
        }
        Err(_) => return Err(wanted()),
    };
    if bytes == 0 { Err(wanted()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::{bytes, seconds};
    use std::time::Duration;

    #[test]
    fn sizes_have_units() {
        for (text, wanted) in
            [("1", 1), ("65536", 65_536), ("64KiB", 65_536), ("64 K", 65_536), ("1.5GiB", 3 << 29), ("2M", 2 << 20)]
        {
            assert_eq!(bytes(text), Ok(wanted), "{text}");
        }
        for text in ["", "0", "KiB", "-1", "1.5", "1e9", "2MB", "1.5.5K", "99999999999G", "18446744073709551616", "inf"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_above_zero() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["", "0", "-1", "nan", "inf", "1s", "1e300"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
