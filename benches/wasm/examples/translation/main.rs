//! Phases and growth of the translation time: one thread, CPU time, the best of several runs.
//!
//! ```text
//! cargo run --release --example translation -- phases [NAME]   time per phase and pass of real modules with NAME in their names
//! cargo run --release --example translation -- growth          time per byte of modules 10 and 100 times as large
//! cargo run --release --example translation -- memory NAME L   one module at level L, and the most memory that it took
//! cargo run --release --example translation -- only NAME L N   one module at level L, N times: for a profiler
//! ```

mod grow;
mod phases;

use planish_bench_wasm::engines::Error;
use planish_bench_wasm::workloads;

use phases::{Phases, build, translate, validate};

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["phases"] => phases(""),
        ["phases", name] => phases(name),
        ["only", name, level, runs] => only(name, level, runs.parse()?),
        ["growth"] => growth("0").and_then(|()| growth("2")),
        ["growth", level] => growth(level),
        ["memory", name, level] => memory(name, level),
        _ => Err("say `phases`, `growth` or `memory`; see the head of the file".into()),
    }
}

/// The best of several runs: more of them for short ones.
fn best(wasm: &[u8], level: &'static str) -> Result<Phases, Error> {
    let mut best = translate(wasm, level)?;
    let runs = (2.0 / best.total()).clamp(0.0, 9.0) as usize;
    for _ in 0..runs {
        best.keep_best(&translate(wasm, level)?);
    }
    Ok(best)
}

fn phases(only: &str) -> Result<(), Error> {
    for (name, wasm) in workloads::real().iter().filter(|(name, _)| name.contains(only)) {
        let megabytes = wasm.len() as f64 / 1e6;
        for level in ["0", "2"] {
            match best(wasm, level) {
                Ok(phases) => {
                    let total = phases.total();
                    println!("{name} {megabytes:.3} MB -O{level}: {:.2} MB/s", megabytes / total);
                    for (phase, seconds) in &phases.0 {
                        let (ms, percent) = (seconds * 1e3, seconds / total * 100.0);
                        println!("  {phase:32} {ms:9.2} ms {percent:5.1} %");
                    }
                    if level == "0" {
                        let best = |work: fn(&[u8]) -> Result<f64, Error>| {
                            (0..9).map(|_| work(wasm)).try_fold(f64::MAX, |a, b| b.map(|b| a.min(b)))
                        };
                        println!("  (of that to decode and validate  {:9.2} ms", best(validate)? * 1e3);
                        println!("       to decode, validate, build  {:9.2} ms)", best(build)? * 1e3);
                    }
                }
                Err(error) => println!("{name} is left out: {error}"),
            }
        }
    }
    Ok(())
}

fn growth(level: &str) -> Result<(), Error> {
    let level = if level == "0" { "0" } else { "2" };
    println!("-O{level}: nanoseconds a byte");
    let real = workloads::real();
    let (name, seed) = real.iter().find(|(name, _)| name == "webp_dec").ok_or("`cargo xtask wasm` has not run")?;
    for times in [1, 10, 100] {
        report(&format!("functions of {name} x{times}"), &grow::repeat(seed, times)?, level)?;
    }
    for count in [10_000, 100_000, 1_000_000] {
        report(&format!("one function, {count} instructions"), &grow::one_function(count), level)?;
    }
    for count in [10_000, 100_000, 1_000_000] {
        report(&format!("straight line, {count} instructions"), &grow::straight_line(count), level)?;
    }
    for (name, wasm) in real.iter().filter(|(name, _)| name == "esbuild") {
        report(name, wasm, level)?;
    }
    Ok(())
}

fn report(what: &str, wasm: &[u8], level: &'static str) -> Result<(), Error> {
    let seconds = best(wasm, level)?.total();
    println!("  {what:40} {:9.3} MB {:9.1} ns", wasm.len() as f64 / 1e6, seconds * 1e9 / wasm.len() as f64);
    Ok(())
}

fn memory(name: &str, level: &str) -> Result<(), Error> {
    let level = if level == "0" { "0" } else { "2" };
    let real = workloads::real();
    let (name, wasm) = real.into_iter().find(|(n, _)| n == name).ok_or("there is no such module")?;
    let before = peak()?;
    let phases = translate(&wasm, level)?;
    let bytes = peak()? - before;
    println!("{name} -O{level}: {:.2} s, {:.0} MB more", phases.total(), bytes / 1e6);
    println!("{:.1} bytes for each of the input's", bytes / wasm.len() as f64);
    Ok(())
}

/// Peak resident memory of the process in bytes, on systems that report it in `/proc`.
fn peak() -> Result<f64, Error> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("the system does not say")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024.0)
}

/// One module again and again.
fn only(name: &str, level: &str, runs: usize) -> Result<(), Error> {
    let real = workloads::real();
    let (_, wasm) = real.into_iter().find(|(n, _)| n == name).ok_or("there is no such module")?;
    (0..runs).try_for_each(|_| translate(&wasm, level).map(|_| ()))
}
