//! `cargo xtask size --time`: optimization time, in this process and in spirv-opt, on the same shaders in one run.
//!
//! A process of spirv-opt starts, reads, optimizes and writes. The same process without passes does all but optimize,
//! so the peer's time is the difference of the two.

use std::time::{Duration, Instant};

use xtask::Failure;
use xtask::corpus::Program;

use super::peer;
use crate::options::Options;
use crate::subject;

/// Number of runs, of which the fastest counts.
const RUNS: usize = 5;

/// The times of one shader, or their sums.
#[derive(Clone, Copy, Default)]
struct Times {
    /// spirv-opt without passes, and with `-O`.
    idle: Duration,
    speed: Duration,
    /// Ours, at the level for speed.
    ours: Duration,
    shaders: u32,
}

impl Times {
    fn theirs(&self) -> Duration {
        self.speed.saturating_sub(self.idle)
    }

    fn add(&mut self, other: &Times) {
        self.idle += other.idle;
        self.speed += other.speed;
        self.ours += other.ours;
        self.shaders += other.shaders;
    }

    fn line(&self, name: &str) -> String {
        let each = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(self.shaders.max(1));
        let (ours, theirs, whole) = (each(self.ours), each(self.theirs()), each(self.speed));
        let ratio = ours / theirs.max(f64::MIN_POSITIVE);
        format!("| {name} | {} | {ours:.3} | {theirs:.3} | {whole:.3} | {ratio:.3} |", self.shaders)
    }
}

pub(super) fn run(programs: &[Program], tools: &str, options: &Options) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        return Err(Failure::Usage("times are those of a release build: `cargo xtask size --time`".into()));
    }
    let [level, _] = subject::levels();
    println!("{tools}\n");
    println!("| package | shaders | planish -O{level}, ms a shader | spirv-opt -O, ms | with its start | ratio |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut all = Times::default();
    for package in programs.chunk_by(|a, b| a.package == b.package) {
        let mut sum = Times::default();
        for program in package {
            match one(program, level, tools) {
                Ok(times) => sum.add(&times),
                Err(why) if !options.only.is_empty() => eprintln!("{}: {why}", program.name()),
                Err(_) => {}
            }
        }
        println!("{}", sum.line(&package[0].package));
        all.add(&sum);
    }
    println!("{}", all.line("**all**"));
    Ok(())
}

fn one(program: &Program, level: &str, tools: &str) -> Result<Times, String> {
    let (module, _) = subject::compile(program)?;
    // Leaves what glslang wrote in a file.
    peer::peer(program, &module, tools)?;
    let (from, to) = (peer::file(program, "unoptimized.spv"), peer::file(program, "timed.spv"));
    let optimizer = subject::optimizer(level);
    let mut least = [Duration::MAX; 3];
    for _ in 0..RUNS {
        let mut work = module.clone();
        let mut failed = Ok(());
        let times = [
            timed(|| failed = peer::spirv_opt(&from, &[], &to)),
            timed(|| failed = failed.clone().and(peer::spirv_opt(&from, &["-O"], &to))),
            timed(|| drop(optimizer.run(&mut work, &mut |_, _| {}))),
        ];
        failed?;
        least = std::array::from_fn(|i| least[i].min(times[i]));
    }
    std::fs::remove_file(&to).map_err(|e| e.to_string())?;
    let [idle, speed, ours] = least;
    Ok(Times { idle, speed, ours, shaders: 1 })
}

fn timed(action: impl FnOnce()) -> Duration {
    let start = Instant::now();
    action();
    start.elapsed()
}
