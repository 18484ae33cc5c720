//! The process that runs the cells of one input, and the parent's interface to it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use matrix_check::{Cell, Input, Observer, check};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use xtask::{Failure, pool};

/// Maximum processor time of one input in seconds, enforced by the system.
const PROCESSOR_TIME: u64 = 30;

/// Time after which an input is taken to hang without computing.
const PATIENCE: Duration = Duration::from_secs(900);

/// Maximum address space of one process, in bytes; more is an abort, with the cell's name.
const ADDRESS_SPACE: u64 = 4 << 30;

/// A line of a worker's output, as JSON.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Line {
    /// The cell.
    pub(crate) cell: String,
    /// Whether this line announces the cell's start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) begins: bool,
    /// Processor time in milliseconds.
    #[serde(default)]
    pub(crate) ms: u64,
    /// Peak resident memory of the process during the cell, in KiB; 0 if the system does not report it.
    #[serde(default)]
    pub(crate) kib: u64,
    /// The reason why the answer is wrong; `None` if it is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// Runs the cells of one input and prints a line before and after each.
pub(crate) fn run(name: &str, path: &Path, seed: u64, draws: u32) -> ExitCode {
    for (resource, most) in [(Resource::As, ADDRESS_SPACE), (Resource::Cpu, PROCESSOR_TIME)] {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).expect("a limit can be lowered");
    }
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let work = |_: &()| check(name, &bytes, seed, draws, &mut Clock::default());
    pool::run(&[()], 1, PATIENCE, |()| name.to_owned(), work);
    ExitCode::SUCCESS
}

/// Times the cells by the thread's processor clock.
#[derive(Default)]
struct Clock {
    began: u64,
}

impl Observer for Clock {
    fn begin(&mut self, name: &str) {
        say(&Line { cell: name.to_owned(), begins: true, ms: 0, kib: 0, problem: None });
        // Linux: the peak begins anew.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        self.began = milliseconds();
    }

    fn end(&mut self, cell: Cell) {
        let ms = milliseconds() - self.began;
        say(&Line { cell: cell.name, begins: false, ms, kib: peak_memory(), problem: cell.problem });
    }
}

fn milliseconds() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

/// Peak resident memory since the peak was cleared, in KiB; 0 if the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn say(line: &Line) {
    let mut text = serde_json::to_string(line).expect("plain data");
    text.push('\n');
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).expect("the parent listens");
}

/// Runs a process for each input, `jobs` at a time. An input whose process died has a last line with the reason.
pub(crate) fn start_all(inputs: &[Input], seed: u64, draws: u32, jobs: usize) -> Result<Vec<Vec<Line>>, Failure> {
    let rows: Vec<Mutex<Vec<Line>>> = inputs.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let program = std::env::current_exe()?;
    let work = || -> Result<(), Failure> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(at) else { return Ok(()) };
            if at.is_multiple_of(100) {
                eprintln!("{at} of {} inputs", inputs.len());
            }
            *rows[at].lock().expect("no worker panics") = start(&program, input, seed, draws)?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    Ok(rows.into_iter().map(|row| row.into_inner().expect("no worker panicked")).collect())
}

fn start(program: &Path, input: &Input, seed: u64, draws: u32) -> Result<Vec<Line>, Failure> {
    let mut command = Command::new(program);
    command.args(["one", &seed.to_string(), &draws.to_string(), &input.name]).arg(&input.path);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut errors = child.stderr.take().expect("is piped");
    // Read beside standard output, so that neither pipe fills up.
    let listener = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = std::io::Read::read_to_string(&mut errors, &mut text);
        text
    });
    let mut lines: Vec<Line> = Vec::new();
    let mut running = None;
    for text in BufReader::new(child.stdout.take().expect("is piped")).lines() {
        let line: Line = serde_json::from_str(&text?).map_err(|e| Failure::Broken(format!("{}: {e}", input.name)))?;
        if line.begins {
            running = Some(line.cell);
        } else {
            running = None;
            lines.push(line);
        }
    }
    let status = child.wait()?;
    let errors = listener.join().unwrap_or_default();
    if !status.success() {
        let why = errors.lines().next_back().unwrap_or("nothing on standard error");
        let problem = Some(format!("the process ended with {status}: {why}"));
        let cell = running.unwrap_or_else(|| "the process".into());
        lines.push(Line { cell, begins: false, ms: 0, kib: 0, problem });
    }
    Ok(lines)
}
