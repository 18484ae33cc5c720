//! Growth of every stage with programs of one construct, nested or repeated n, 10n and 100n times. Stages that grow
//! faster than their share are printed, all with `--all`. Started by `cargo xtask nested`.
//!
//! Each program runs in a process of its own, on a stack of 1 MiB, so that one which overflows, hangs or exhausts
//! memory is a line of the table. Memory is the process's high-water mark over each stage, on systems that report it
//! and can reset it (Linux).

#[path = "../tests/nested/stages.rs"]
mod stages;

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use planish::Optimizer;
use planish::module::Module;
use planish::source::SourceMap;
use planish_generate::nested::{Shape, shapes};
use stages::{Outcome, Visit};

/// Bytes of the stack of a program's process.
const STACK: usize = 1 << 20;

/// Factor of growth at ten times the size beyond which a stage is printed; stages below a minimum of milliseconds are
/// not.
const SHARE: f64 = 16.0;
const TOO_SHORT: f64 = 60.0;

/// Timeout of a process.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [one, name, n] = &args[..]
        && one == "--one"
    {
        let n = n.parse().expect("a number");
        let shape = shapes().find(|s| title(s) == *name).expect("there is such a shape");
        let work = move || one_program(shape, n);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
        return if thread.join().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let all = args.iter().any(|a| a == "--all");
    let only = args.iter().position(|a| a == "--only").and_then(|at| args.get(at + 1));
    let size = args.iter().position(|a| a == "--size").and_then(|at| args.get(at + 1));
    let size: usize = size.map_or(1_000, |n| n.parse().expect("a number"));
    let wanted = shapes().filter(|s| only.is_none_or(|name| title(s).contains(name.as_str())));
    println!("| program | stage | {size} | {} | {} |\n| --- | --- | ---: | ---: | ---: |", 10 * size, 100 * size);
    let mut broken = 0;
    for shape in wanted {
        broken += table(shape, size, all);
    }
    if broken > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn title(shape: &Shape) -> String {
    format!("{:?}: {}", shape.language, shape.name)
}

/// A line of a child's output.
struct Line {
    stage: String,
    milliseconds: f64,
    peak: u64,
    outcome: String,
}

/// Prints the rows of one shape; how many programs did not end well.
fn table(shape: &Shape, size: usize, all: bool) -> usize {
    let (mut columns, mut broken) = (Vec::new(), 0);
    for n in [size, 10 * size, 100 * size] {
        let (lines, failure) = child(shape, n);
        let ended = failure.is_none();
        if let Some(failure) = failure {
            println!("| {} | {failure} | {n} | | |", title(shape));
            broken += 1;
        }
        columns.push(lines);
        if !ended {
            break;
        }
    }
    for (i, line) in columns[0].iter().enumerate() {
        let row: Vec<&Line> = columns.iter().filter_map(|c| c.get(i)).filter(|l| l.stage == line.stage).collect();
        let grows = |pair: &[&Line]| {
            let slower =
                pair[1].milliseconds > SHARE * pair[0].milliseconds.max(0.5) && pair[1].milliseconds > TOO_SHORT;
            slower || pair[1].peak > 16 * pair[0].peak.max(8 << 20)
        };
        if all || row.windows(2).any(grows) {
            let cell = |l: &&Line| format!("{:.1} ms, {} MB, {}", l.milliseconds, l.peak >> 20, l.outcome);
            println!(
                "| {} | {} | {} |",
                title(shape),
                line.stage,
                row.iter().map(cell).collect::<Vec<_>>().join(" | ")
            );
        }
    }
    broken
}

/// Runs one program in a process of its own; returns its lines, and the kind of failure if there was one.
fn child(shape: &Shape, n: usize) -> (Vec<Line>, Option<String>) {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--one", &title(shape), &n.to_string()]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it can be started again");
    let mut output = child.stdout.take().expect("it is a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut output, &mut text).map(|_| text).unwrap_or_default()
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            _ if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = reader.join().unwrap_or_default();
    let lines: Vec<Line> = text.lines().filter_map(parse).collect();
    let last = text.lines().last().unwrap_or_default().to_owned();
    let failure = match status {
        Some(status) if status.success() => None,
        Some(status) => Some(format!("**{status}** in {last}")),
        None => Some(format!("**stopped** after {} s in {last}", PATIENCE.as_secs())),
    };
    (lines, failure)
}

fn parse(line: &str) -> Option<Line> {
    let mut parts = line.split('\t');
    let (stage, time, peak, outcome) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some(Line {
        stage: stage.to_owned(),
        milliseconds: time.parse().ok()?,
        peak: peak.parse().ok()?,
        outcome: outcome.to_owned(),
    })
}

/// All stages of a program, a line each; the stage's name is printed before it begins.
fn one_program(shape: &Shape, n: usize) {
    let mut visit = |stage: &str, run: &mut dyn FnMut() -> Outcome| {
        print!("{stage}");
        let _ = std::io::Write::flush(&mut std::io::stdout());
        // Sets the high-water mark back to what is used now.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let start = Instant::now();
        let outcome = match run() {
            Outcome::Done(count) => count.to_string(),
            Outcome::Refused(errors) => errors.first().map_or_else(String::new, |e| e.code.to_string()),
        };
        println!("\t{:.3}\t{}\t{outcome}", start.elapsed().as_secs_f64() * 1e3, peak());
    };
    let Some(module) = stages::read(shape, n, &mut SourceMap::new(), &mut visit) else { return };
    stages::write("0", &module, &mut visit);
    stages::reread(&module, &mut visit);
    stages::run("0", shape.language, &module, &mut visit);
    let optimized = optimize("2", &module, &mut visit);
    stages::write("2", &optimized, &mut visit);
    stages::run("2", shape.language, &optimized, &mut visit);
    stages::flatten(&module, 4_000_000, &mut visit);
}

/// Runs the passes of a level one by one; returns the resulting module.
fn optimize(level: &str, module: &Module, visit: &mut Visit<'_>) -> Module {
    let mut module = module.clone();
    let whole = Optimizer::level(level).expect("there is such a level");
    for (i, &pass) in whole.passes.iter().enumerate() {
        let one = Optimizer { passes: vec![pass], options: whole.options.clone() };
        visit(&format!("pass {i} of -O{level}, {}", pass.name), &mut || {
            one.run(&mut module, &mut |_, _| {});
            Outcome::Done(stages::nodes(&module))
        });
    }
    module
}

/// Peak resident memory of this process in bytes since it was set back.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
