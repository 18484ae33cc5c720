//! The `planish` command: reads files, calls the library, writes files and messages.
//!
//! [`run`] is all of it: the program `planish` and the command in the wheel for Python call it. Other programs use the crate `planish`.
//!
//! Results go to standard output or to files, messages to standard error. Exit status: 0 done, 1 the program has
//! errors, 2 usage or input/output, 101 an internal error. `planish run` on a WebAssembly program exits with the
//! program's status.

mod args;
mod cache;
mod check;
mod compile;
mod compute;
mod diff;
mod draw;
mod engine;
mod files;
mod gpu;
#[cfg_attr(target_family = "wasm", path = "host_wasm.rs")]
mod host;
mod input;
mod limits;
mod man;
mod names;
mod optimize;
mod output;
mod page;
mod parallel;
mod plan;
mod print;
#[cfg(not(target_family = "wasm"))]
mod reduce;
#[cfg(not(target_family = "wasm"))]
mod repl;
mod report;
mod run;
mod run_vl;
mod run_wasm;
mod targets;
mod trace;
mod unused;
mod values;
mod variants;
mod verify;
mod watch;
#[cfg(feature = "window")]
mod window;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{CommandFactory, Parser};
use planish::{Level, Levels};

use args::{Cli, Command};
use report::Reporter;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The program has errors; they have been shown.
    Errors,
    /// Usage or input/output, with the message to show.
    Usage(String),
    /// Standard output is closed, and there is nothing else to do.
    Closed,
    /// The program that was run has exited with this status, which is not zero.
    Exit(i32),
    /// An internal error found by a check, with its message.
    Internal(String),
}

impl Stop {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Stop::Usage(message.into())
    }
}

/// The error for an option that this build leaves out.
#[cfg(not(all(feature = "gpu", feature = "window")))]
pub(crate) fn without(option: &str, feature: &str) -> Stop {
    Stop::usage(format!(
        "this build of Planish has no {option}: `cargo install --path crates/cli --features {feature}` installs one that has"
    ))
}

/// The error for what a build for WASI, as in the npm package, does not have.
#[cfg(target_family = "wasm")]
pub(crate) fn not_on_wasi(what: &str, why: &str) -> Stop {
    Stop::usage(format!("this build of Planish, for WASI, has no {what}: {why}; the native command has"))
}

/// Recursion is bounded by the nesting limits, which need less than this.
pub(crate) const STACK_SIZE: usize = 16 << 20;

/// The file with the code of the command, if that is not the one of the process: results that are kept depend on it.
pub(crate) static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Runs the command: the whole process, which it may end, is its own. `args` begin with the name of the program. `program` is the file with this
/// code, if that is a library and not the program of the process. Returns the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>, program: Option<PathBuf>) -> u8 {
    // Set once: a process is one command.
    program.into_iter().for_each(|program| drop(PROGRAM.set(program)));
    start(args.into_iter().collect())
}

/// Without threads, and with the stack of the module.
#[cfg(target_family = "wasm")]
fn start(args: Vec<OsString>) -> u8 {
    // WASI has no current folder; hosts say it as shells do.
    if let Some(folder) = std::env::var_os("PWD") {
        let _ = std::env::set_current_dir(folder);
    }
    let cli = Cli::parse_from(args);
    // A panic ends the program.
    std::panic::set_hook(Box::new(|info| {
        report::note_panic(info);
        report::panicked();
        std::process::exit(101);
    }));
    window(cli).unwrap_or_else(|cli| execute(*cli))
}

#[cfg(not(target_family = "wasm"))]
fn start(args: Vec<OsString>) -> u8 {
    let cli = Cli::parse_from(args);
    std::panic::set_hook(Box::new(report::note_panic));
    let cli = match window(cli) {
        Ok(code) => return code,
        Err(cli) => *cli,
    };
    let worker = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(move || execute(cli));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => {
            report::panicked();
            101
        }
        Err(error) => {
            output::write_message(&format!("error: cannot start a thread: {error}\n"));
            2
        }
    }
}

/// Shows a program in a window on this thread, which windows need; the command line if that is not asked for.
fn window(cli: Cli) -> Result<u8, Box<Cli>> {
    match cli.command {
        Command::Run(args) if args.window => {
            let reporter = match levels(&cli.warn, &cli.allow, &cli.deny) {
                Ok(levels) => Reporter::new(cli.message_format, cli.color, levels),
                Err(stop) => return Ok(status(Err(stop), None)),
            };
            #[cfg(feature = "window")]
            return Ok(status(window::run(args, reporter.clone()), Some(&reporter)));
            #[cfg(not(feature = "window"))]
            {
                let _ = args;
                Ok(status(Err(without("--window", "window")), Some(&reporter)))
            }
        }
        _ => Err(Box::new(cli)),
    }
}

fn execute(cli: Cli) -> u8 {
    let reporter = match reporter(&cli) {
        Ok(reporter) => reporter,
        Err(stop) => return status(Err(stop), None),
    };
    let result = match cli.command {
        Command::Compile(args) => compile::compile(&args, &reporter),
        Command::Run(args) => run::run(&args, &reporter),
        Command::Check(args) => check::check(&args, &reporter),
        Command::Print(args) => print::print(&args, &reporter),
        #[cfg(not(target_family = "wasm"))]
        Command::Reduce(args) => reduce::reduce(&args, &reporter),
        #[cfg(not(target_family = "wasm"))]
        Command::Repl(args) => repl::repl(&args, &reporter),
        #[cfg(target_family = "wasm")]
        Command::Reduce(_) => Err(not_on_wasi("`reduce`", "it starts other commands")),
        #[cfg(target_family = "wasm")]
        Command::Repl(_) => Err(not_on_wasi("`repl`", "it edits lines on the terminal")),
        Command::Targets => targets::targets(),
        Command::Passes => targets::passes(cli.color),
        Command::Explain { code } => targets::explain(&code, cli.color),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "planish", &mut script);
            output::write_stdout(&script, false)
        }
        Command::Man(args) => man::man(&args),
    };
    status(result, Some(&reporter))
}

fn reporter(cli: &Cli) -> Result<Reporter, Stop> {
    Ok(Reporter::new(cli.message_format, cli.color, levels(&cli.warn, &cli.allow, &cli.deny)?))
}

/// The levels of warnings.
fn levels(warn: &[String], allow: &[String], deny: &[String]) -> Result<Levels, Stop> {
    let mut levels = Levels::default();
    for (names, level) in [(warn, Level::Warn), (allow, Level::Allow), (deny, Level::Deny)] {
        for name in names {
            levels.set(name, level).map_err(Stop::Usage)?;
        }
    }
    Ok(levels)
}

/// The exit status; a message, if the command did not show it.
fn status(result: Result<(), Stop>, reporter: Option<&Reporter>) -> u8 {
    if let (Err(Stop::Usage(message)), Some(reporter)) = (&result, reporter) {
        reporter.failed(message);
        reporter.close();
        return 2;
    }
    if let Some(reporter) = reporter {
        reporter.close();
    }
    match result {
        Ok(()) | Err(Stop::Closed) => 0,
        Err(Stop::Errors) => 1,
        // Systems keep eight bits of the status; a failure must not become a success.
        Err(Stop::Exit(status)) => (status as u8).max(u8::from(status as u8 == 0)),
        Err(Stop::Internal(message)) => {
            report::internal_error(&message);
            101
        }
        Err(Stop::Usage(message)) => {
            output::write_message(&format!("error: {message}\n"));
            2
        }
    }
}
