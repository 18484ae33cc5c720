//! The conformance harness: every program of the corpus through the compiler, every output to its next tool.
//!
//! Started by `cargo xtask conformance`, which creates the corpus. Writes `docs/conformance.md` (for people) and
//! `target/conformance/report.json` (for machines), and fails if the required rates are missed.

mod check;
mod engine;
mod outcome;
mod outputs;
mod pictures;
mod report;

use std::process::ExitCode;

use outcome::Outcome;
use xtask::{Failure, conformance_folder, corpus};

/// Options passed on by `cargo xtask conformance`.
struct Options {
    jobs: usize,
    only: Vec<String>,
    sample: Option<usize>,
}

fn main() -> ExitCode {
    Failure::exit_code(options().and_then(|options| run(&options)))
}

fn options() -> Result<Options, Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let parsed = xtask::conformance::Options::parse(&args)?;
    let jobs = parsed.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(2, |n| n.get()));
    Ok(Options { jobs, only: parsed.only, sample: parsed.sample })
}

fn run(options: &Options) -> Result<(), Failure> {
    let folder = conformance_folder();
    let mut programs = corpus::read(&folder)?;
    let rejected: Vec<_> = programs.extract_if(.., |program| program.accepted != Some(true)).collect();
    let whole = options.only.is_empty() && options.sample.is_none();
    let programs = corpus::choose(programs, &options.only, options.sample)?;

    let mut outcomes: Vec<Outcome> = check::check(&folder, &programs, options.jobs)?;
    outputs::run_validators(&folder, &mut outcomes, options.jobs)?;
    let pictures = pictures::compare(&folder, &outcomes);
    let report = report::Report::new(&outcomes, &rejected, pictures);
    print!("{}", report.table());
    std::fs::write(folder.join("report.json"), report.json())?;
    if !whole {
        return Ok(());
    }
    std::fs::write(xtask::root().join("docs/conformance.md"), report.document())?;
    report.bar()
}
