//! Started by `cargo xtask matrix`: one process per input, so that a hang, an abort or memory exhaustion has a name.
//! Lists the slowest cells and the largest in memory.

#![forbid(unsafe_code)]

mod report;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;

use matrix_check::{Input, repository};
use xtask::corpus;
use xtask::{Failure, conformance_folder, root};

use report::Report;

/// The options of the command line.
struct Options {
    only: Vec<String>,
    sample: usize,
    draws: u32,
    seed: u64,
    jobs: usize,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, seed, draws, name, path] = &args[..]
        && command == "one"
    {
        return worker::run(name, path.as_ref(), number(seed), number(draws) as u32);
    }
    Failure::exit_code(parse(&args).and_then(|options| run(&options)))
}

fn number(text: &str) -> u64 {
    text.parse().expect("the parent passes numbers")
}

fn parse(args: &[String]) -> Result<Options, Failure> {
    let jobs = std::thread::available_parallelism().map_or(2, |n| n.get());
    let mut options = Options { only: vec![], sample: 20, draws: 4, seed: 0, jobs };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| Failure::Usage(format!("`{arg}` needs a value")));
        let mut count = || -> Result<u64, Failure> {
            let value = value()?;
            value.parse().map_err(|_| Failure::Usage(format!("`{arg}` needs a number, not `{value}`")))
        };
        match arg.as_str() {
            "--sample" => options.sample = count()? as usize,
            "--draws" => options.draws = count()? as u32,
            "--seed" => options.seed = count()?,
            "--jobs" => options.jobs = count()?.max(1) as usize,
            "--only" => options.only.push(value()?.clone()),
            _ => return Err(Failure::Usage(format!("there is no option `{arg}`"))),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Failure> {
    let mut inputs = repository(root())?;
    if options.sample > 0 {
        inputs.extend(real_shaders(options.sample)?);
    }
    inputs.retain(|input| options.only.is_empty() || options.only.iter().any(|only| input.name.contains(only)));
    if inputs.is_empty() {
        return Err(Failure::Usage(format!("no input is named like {}", options.only.join(" or "))));
    }
    let rows = worker::start_all(&inputs, options.seed, options.draws, options.jobs)?;
    let report = Report::new(&inputs, &rows);
    print!("{report}");
    match report.problems() {
        0 => Ok(()),
        n => Err(Failure::Broken(format!("{n} cells of the matrix are not as they must be"))),
    }
}

/// Shaders of the corpus, at most `sample` of each package.
fn real_shaders(sample: usize) -> Result<Vec<Input>, Failure> {
    let folder = conformance_folder();
    let programs = corpus::choose(corpus::read(&folder)?, &[], Some(sample))?;
    let input = |program: corpus::Program| {
        let path: PathBuf = program.path(&folder.join("programs"));
        // The extension selects the stage.
        Input { name: format!("corpus/{}.{}", program.name(), program.stage), path }
    };
    Ok(programs.into_iter().map(input).collect())
}
