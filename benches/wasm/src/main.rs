//! Tables for tuning: run time, loading and instantiation of every engine, against wasmi.

use std::process::ExitCode;

use planish_bench_wasm::engines::{self, Engine, Error};
use planish_bench_wasm::measure::{Task, Times, in_turn, in_turn_by_the_wall, mean};
use planish_bench_wasm::workloads;
use sqlite_driver::{Database, WORK, Work};

const NO_MODULES: &str = "no real modules: `cargo xtask wasm` fetches them";

const USAGE: &str = "\
Usage: cargo run --release -- [OPTIONS] TABLE [NAME]

  table          run time of the workloads (with NAME in their names)
  load           loading, in MB/s: real modules after `cargo xtask wasm`, and all workloads as one
  instantiate    instantiation of the same
  sqlite         run time of sqlite, after `cargo xtask wasm`
  total          from the binary to the result: the workloads once (with NAME in their names), and sqlite

  --runs N     how often each is measured (default: 11)
  --engine NAME  only engines with this in their names, and wasmi (may be given several times)
";

struct Options {
    runs: usize,
    engines: Vec<String>,
    words: Vec<String>,
}

fn options() -> Result<Options, Error> {
    let mut options = Options { runs: 11, engines: vec![], words: vec![] };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--runs" => options.runs = args.next().ok_or(USAGE)?.parse()?,
            "--engine" => options.engines.push(args.next().ok_or(USAGE)?),
            _ if arg.starts_with('-') => return Err(USAGE.into()),
            _ => options.words.push(arg),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let run = || -> Result<(), Error> {
        let options = options()?;
        let words: Vec<&str> = options.words.iter().map(String::as_str).collect();
        match words[..] {
            ["table"] => table(&options, ""),
            ["table", name] => table(&options, name),
            ["load"] => load(&options),
            ["instantiate"] => instantiate(&options),
            ["sqlite"] => sqlite(&options),
            ["total"] => total(&options, ""),
            ["total", name] => total(&options, name),
            _ => Err(USAGE.into()),
        }
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn chosen(all: Vec<Box<dyn Engine>>, options: &Options) -> Vec<Box<dyn Engine>> {
    let wanted = |name: &str| options.engines.iter().any(|part| name.contains(part.as_str()));
    // The others are compared with the first one.
    let mut is_first = true;
    all.into_iter()
        .filter(|e| std::mem::take(&mut is_first) || options.engines.is_empty() || wanted(e.name()))
        .collect()
}

/// Times, and how many times faster than wasmi each engine is.
fn table(options: &Options, only: &str) -> Result<(), Error> {
    let engines = chosen(engines::for_running(), options);
    println!("Times faster than wasmi (CPU time, median of {} runs in turn; spread: middle half)\n", options.runs);
    head("workload", &engines);
    let mut all: Vec<Vec<f64>> = vec![vec![]; engines.len()];
    for workload in workloads::all(only)? {
        let mut runs = vec![];
        for engine in &engines {
            let program =
                engine.load(&workload.wasm).map_err(|e| format!("{}, {}: {e}", workload.name, engine.name()))?;
            runs.push((engine.name(), program.instantiate()?));
        }
        let mut tasks: Vec<Task<'_>> = vec![];
        for (engine, instance) in &mut runs {
            let workload = &workload;
            tasks.push(Box::new(move || match instance.run(workload.size) {
                Ok(sum) if sum == workload.sum => Ok(()),
                other => Err(format!("{}: {engine} gives {other:?}, not {}", workload.name, workload.sum).into()),
            }));
        }
        row(&workload.name, &in_turn(&mut tasks, options.runs)?, &mut all, |seconds| {
            format!("{:.1} ms", seconds * 1e3)
        });
    }
    foot(&all);
    Ok(())
}

/// The modules to load: real ones if they have been fetched.
fn modules() -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut modules = workloads::real();
    if modules.is_empty() {
        eprintln!("{NO_MODULES}");
        modules = workloads::all("")?.into_iter().map(|w| (w.name, w.wasm)).collect();
    }
    Ok(modules)
}

fn load(options: &Options) -> Result<(), Error> {
    let engines = chosen(engines::for_loading(), options);
    println!("Loading: MB/s of wasmi, and times faster than it (CPU time, median of {} runs)\n", options.runs);
    head("module", &engines);
    let mut all: Vec<Vec<f64>> = vec![vec![]; engines.len()];
    for (name, wasm) in modules()? {
        if let Err(error) = engines[0].load(&wasm) {
            eprintln!("{name} is left out: {error}");
            continue;
        }
        let mut tasks: Vec<Task<'_>> = vec![];
        for engine in &engines {
            let (wasm, name) = (&wasm, &name);
            tasks.push(Box::new(move || match engine.load(wasm) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("{name}, {}: {error}", engine.name()).into()),
            }));
        }
        let megabytes = wasm.len() as f64 / 1e6;
        let times = in_turn(&mut tasks, options.runs)?;
        row(&format!("{name} {megabytes:.3} MB"), &times, &mut all, |seconds| {
            format!("{:.1} MB/s", megabytes / seconds)
        });
    }
    foot(&all);
    Ok(())
}

fn instantiate(options: &Options) -> Result<(), Error> {
    let engines = chosen(engines::for_running(), options);
    println!("Instantiation: times faster than wasmi (CPU time, median of {} runs of 20)\n", options.runs);
    head("module", &engines);
    let mut all: Vec<Vec<f64>> = vec![vec![]; engines.len()];
    for (name, wasm) in modules()? {
        if let Err(error) = engines[0].load(&wasm).and_then(|program| program.instantiate().map(|_| ())) {
            eprintln!("{name} is left out: {error}");
            continue;
        }
        let programs = engines.iter().map(|engine| engine.load(&wasm)).collect::<Result<Vec<_>, _>>()?;
        let mut tasks: Vec<Task<'_>> = vec![];
        for program in &programs {
            tasks.push(Box::new(move || (0..20).try_for_each(|_| program.instantiate().map(|_| ()))));
        }
        row(&name, &in_turn(&mut tasks, options.runs)?, &mut all, |seconds| format!("{:.1} µs", seconds * 5e4));
    }
    foot(&all);
    Ok(())
}

/// Pieces of work of one database each, in turn.
fn sqlite(options: &Options) -> Result<(), Error> {
    let engines = chosen(engines::for_running(), options);
    let (_, wasm) = workloads::real().into_iter().find(|(name, _)| name == "sql-wasm-debug").ok_or(NO_MODULES)?;
    println!("sqlite: times faster than wasmi (CPU time, median of {} runs in turn)\n", options.runs);
    head("work", &engines);
    let mut databases = vec![];
    for engine in &engines {
        let mut database = Database::open(engine.load(&wasm)?.sqlite()?)?;
        Work::prepare(&mut database).map_err(|e| format!("{}: {e}", engine.name()))?;
        databases.push((engine.name(), database));
    }
    let mut all: Vec<Vec<f64>> = vec![vec![]; engines.len()];
    for work in WORK {
        let mut tasks: Vec<Task<'_>> = vec![];
        for (engine, database) in &mut databases {
            tasks
                .push(Box::new(move || Ok(work.run(database).map_err(|e| format!("{}, {engine}: {e}", work.name))?)));
        }
        row(work.name, &in_turn(&mut tasks, options.runs)?, &mut all, |seconds| format!("{:.1} ms", seconds * 1e3));
    }
    foot(&all);
    Ok(())
}

/// Loading, an instance and its result, of the workloads at both sizes and of sqlite.
fn total(options: &Options, only: &str) -> Result<(), Error> {
    let engines = chosen(engines::for_totals(), options);
    println!(
        "From the binary to the result: times faster than wasmi (wall-clock time, median of {} runs)\n",
        options.runs
    );
    head("program", &engines);
    let mut all: Vec<Vec<f64>> = vec![vec![]; engines.len()];
    let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    for workload in workloads::all(only)? {
        for (size, sum, kind) in [(workload.small.0, workload.small.1, "small"), (workload.size, workload.sum, "large")]
        {
            let mut tasks: Vec<Task<'_>> = vec![];
            for engine in &engines {
                let workload = &workload;
                tasks.push(Box::new(move || match engine.load(&workload.wasm)?.instantiate()?.run(size) {
                    Ok(found) if found == sum => Ok(()),
                    other => Err(format!("{}: {} gives {other:?}, not {sum}", workload.name, engine.name()).into()),
                }));
            }
            let times = in_turn_by_the_wall(&mut tasks, options.runs)?;
            row(&format!("{}, {kind}", workload.name), &times, &mut all, milliseconds);
        }
    }
    if let Some((_, wasm)) =
        workloads::real().into_iter().find(|(name, _)| name == "sql-wasm-debug").filter(|_| only.is_empty())
    {
        for (name, works) in [("sqlite, tables", 0), ("sqlite, all work", 1), ("sqlite, all work three times", 3)] {
            let mut tasks: Vec<Task<'_>> = vec![];
            for engine in &engines {
                let wasm = &wasm;
                tasks.push(Box::new(move || {
                    let mut database = Database::open(engine.load(wasm)?.sqlite()?)?;
                    Work::prepare(&mut database)?;
                    let mut work = (0..works).flat_map(|_| WORK);
                    Ok(work.try_for_each(|work| work.run(&mut database))?)
                }));
            }
            row(name, &in_turn_by_the_wall(&mut tasks, options.runs)?, &mut all, milliseconds);
        }
    }
    foot(&all);
    Ok(())
}

fn head(what: &str, engines: &[Box<dyn Engine>]) {
    let names: Vec<&str> = engines.iter().map(|e| e.name()).collect();
    println!("| {what} | {} |\n| --- |{}", names.join(" | "), " ---: |".repeat(names.len()));
}

fn row(name: &str, times: &[Times], all: &mut [Vec<f64>], first: impl Fn(f64) -> String) {
    let mut cells = vec![];
    for (times_of, all) in times.iter().zip(all) {
        let ratio = times_of.faster_than(&times[0]);
        all.push(ratio);
        let spread = times_of.spread() * 100.0;
        cells.push(match all.len() {
            _ if std::ptr::eq(times_of, &times[0]) => format!("{} ±{spread:.0} %", first(times_of.median())),
            _ => format!("{ratio:.2} ±{spread:.0} %"),
        });
    }
    println!("| {name} | {} |", cells.join(" | "));
}

fn foot(all: &[Vec<f64>]) {
    let cells: Vec<String> = all.iter().map(|ratios| format!("**{:.2}**", mean(ratios))).collect();
    println!("| **geometric mean** | {} |", cells.join(" | "));
}
