//! Times of frames: machine code on lanes and the evaluator against the software GPU, one thread each.

use std::io;
use std::time::{Duration, Instant};

use planish::lanes::{Drawing, LaneOptions};
use planish::module::Module;
use planish::vm::{Config, Engine, Strategy};
use planish_eval::shade;

use crate::draw::{self, Failure, Gpus};
use crate::subjects::{self, Subject};

const SIZE: [u32; 2] = [1024, 768];
/// Frames of which the fastest counts, after one that does not.
const FRAMES: u32 = 3;
const LANES: [u8; 3] = [4, 8, 16];

/// The least times of a frame of one shader.
struct Times {
    name: String,
    gpu: Duration,
    evaluator: Duration,
    lanes: [Duration; 3],
    /// Of 8 lanes with approximated functions.
    approximate: Duration,
}

/// Measures one shader in `every` of the examples, and prints a table with the geometric means.
pub(crate) fn run(only: &[String], every: usize) -> io::Result<()> {
    let wanted = |subject: &Subject| only.is_empty() || only.iter().any(|only| subject.name.contains(only.as_str()));
    let subjects = subjects::examples()?.into_iter().chain(subjects::flatten()?).filter(wanted).step_by(every.max(1));
    let gpus = Gpus::open().map_err(io::Error::other)?;
    println!("{}, {} x {}, milliseconds of a frame\n", gpus.es.renderer(), SIZE[0], SIZE[1]);
    println!("| shader | llvmpipe | evaluator | 4 lanes | 8 lanes | 16 lanes | 8, approximate | llvmpipe / 8 lanes |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut all = Vec::new();
    for subject in subjects {
        match measure(&gpus, &subject) {
            Ok(times) => {
                println!("{}", times.row());
                all.push(times);
            }
            Err(Failure::Ours(why) | Failure::Theirs(why) | Failure::MissingInput(why)) => {
                println!("| {} | not measured: {why} | | | | | | |", subject.name);
            }
        }
    }
    println!("\n{} shaders; geometric means of speed:", all.len());
    let mean = |of: &dyn Fn(&Times) -> f64| {
        let logs: f64 = all.iter().map(|times| of(times).ln()).sum();
        (logs / all.len() as f64).exp()
    };
    for (i, lanes) in LANES.into_iter().enumerate() {
        let over = |times: &Times, other: Duration| other.as_secs_f64() / times.lanes[i].as_secs_f64();
        println!(
            "- {lanes} lanes: {:.2} of the evaluator, {:.3} of llvmpipe, {:.2} megapixels a second",
            mean(&|times| over(times, times.evaluator)),
            mean(&|times| over(times, times.gpu)),
            mean(&|times| pixels() / 1e6 / times.lanes[i].as_secs_f64()),
        );
    }
    let approximate = mean(&|times| times.gpu.as_secs_f64() / times.approximate.as_secs_f64());
    println!("- 8 lanes, approximate: {approximate:.3} of llvmpipe");
    println!("- evaluator: {:.2} megapixels a second", mean(&|times| pixels() / 1e6 / times.evaluator.as_secs_f64()));
    Ok(())
}

fn pixels() -> f64 {
    f64::from(SIZE[0]) * f64::from(SIZE[1])
}

fn measure(gpus: &Gpus, subject: &Subject) -> Result<Times, Failure> {
    let module = draw::module(subject.input, &subject.name, &subject.source)?;
    let gpu = gpus.time(&subject.for_gpu(&module)?, &module, SIZE, FRAMES)?;
    let options = draw::options(SIZE);
    let start = Instant::now();
    shade::draw(&module, &options).map_err(|error| Failure::Ours(error.to_string()))?;
    let evaluator = start.elapsed();
    let mut lanes = [Duration::ZERO; 3];
    for (time, lanes) in lanes.iter_mut().zip(LANES) {
        *time = on_lanes(&module, LaneOptions { lanes, exact: true })?;
    }
    let approximate = on_lanes(&module, LaneOptions { lanes: 8, exact: false })?;
    Ok(Times { name: subject.name.clone(), gpu, evaluator, lanes, approximate })
}

fn on_lanes(module: &Module, lanes: LaneOptions) -> Result<Duration, Failure> {
    let engine = Engine::new(Config::default().strategy(Strategy::Native).consume_fuel(true));
    let mut drawing = Drawing::new(&engine, module, &lanes);
    let mut frame = || {
        let start = Instant::now();
        drawing.draw(&draw::options(SIZE)).map(|_| start.elapsed()).map_err(|error| Failure::Ours(error.to_string()))
    };
    frame()?;
    let mut least = frame()?;
    for _ in 1..FRAMES {
        least = least.min(frame()?);
    }
    Ok(least)
}

impl Times {
    fn row(&self) -> String {
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let [four, eight, sixteen] = self.lanes.map(ms);
        let ratio = self.gpu.as_secs_f64() / self.lanes[1].as_secs_f64();
        format!(
            "| {} | {} | {} | {four} | {eight} | {sixteen} | {} | {ratio:.2} |",
            self.name,
            ms(self.gpu),
            ms(self.evaluator),
            ms(self.approximate)
        )
    }
}
