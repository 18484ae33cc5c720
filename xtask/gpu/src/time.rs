//! Times of frames: machine code on lanes and the evaluator against the software GPUs, llvmpipe and SwiftShader. Times are those of the
//! processor, over all threads, so that other programs on the machine matter less. Of SwiftShader's the time of a frame of one colour is
//! taken off, most of which is the copy of the picture.

use std::io;
use std::time::Duration;

use planish::lanes::{Drawing, LaneOptions};
use planish::module::Module;
use planish::vm::{Config, Engine, Strategy, WideVectors};
use planish_eval::shade;
use planish_gl::cpu_time;

use crate::device::{Device, LLVMPIPE, SWIFTSHADER};
use crate::draw::{self, Failure, Gpus};
use crate::subjects::{self, Subject};

const SIZE: [u32; 2] = [1024, 768];
/// Frames of which the fastest counts, after one that does not.
const FRAMES: u32 = 5;
/// Numbers of lanes, whether functions are exact, and vectors.
const ENGINES: [(LaneOptions, WideVectors); 5] = [
    (LaneOptions { lanes: 8, exact: true }, WideVectors::OnLanes),
    (LaneOptions { lanes: 8, exact: false }, WideVectors::Never),
    (LaneOptions { lanes: 8, exact: false }, WideVectors::OnLanes),
    (LaneOptions { lanes: 16, exact: false }, WideVectors::OnLanes),
    (LaneOptions { lanes: 4, exact: false }, WideVectors::Never),
];
/// The one of these that `planish run` takes on a processor with vectors of 256 bits.
const USUAL: usize = 3;

/// The least times of a frame of one shader.
struct Times {
    name: String,
    gpu: Duration,
    /// `None`: there is no SwiftShader, or it cannot draw it.
    swiftshader: Option<Duration>,
    evaluator: Duration,
    lanes: [Duration; ENGINES.len()],
}

/// Measures one shader in `every` of the examples, and prints a table with the geometric means.
pub(crate) fn run(only: &[String], every: usize) -> io::Result<()> {
    let wanted = |subject: &Subject| only.is_empty() || only.iter().any(|only| subject.name.contains(only.as_str()));
    let subjects = subjects::examples()?.into_iter().chain(subjects::flatten()?).filter(wanted).step_by(every.max(1));
    let gpus = Gpus::open(LLVMPIPE).map_err(io::Error::other)?;
    let swiftshader = Peer::open();
    println!("{}, {} x {}, milliseconds of a frame\n", gpus.es.renderer(), SIZE[0], SIZE[1]);
    println!(
        "| shader | llvmpipe | SwiftShader | evaluator | 8 lanes, exact | 8 lanes, 128 bits | 8 lanes | 16 lanes | 4 lanes | llvmpipe / 16 lanes |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut all = Vec::new();
    for subject in subjects {
        match measure(&gpus, swiftshader.as_ref(), &subject) {
            Ok(times) => {
                println!("{}", times.row());
                all.push(times);
            }
            Err(Failure::Ours(why) | Failure::Theirs(why) | Failure::MissingInput(why)) => {
                println!("| {} | not measured: {why} | | | | | | | |", subject.name);
            }
        }
    }
    println!("\n{} shaders; geometric means of speed:", all.len());
    let mean = |of: &dyn Fn(&Times) -> f64| {
        let logs: f64 = all.iter().map(|times| of(times).ln()).sum();
        (logs / all.len() as f64).exp()
    };
    for (i, (LaneOptions { lanes, exact }, vectors)) in ENGINES.into_iter().enumerate() {
        let over = |times: &Times, other: Duration| other.as_secs_f64() / times.lanes[i].as_secs_f64();
        println!(
            "- {lanes} lanes{}{}: {:.2} of the evaluator, {:.3} of llvmpipe, {:.2} megapixels a second",
            if exact { ", exact" } else { "" },
            if vectors == WideVectors::Never { ", 128 bits" } else { "" },
            mean(&|times| over(times, times.evaluator)),
            mean(&|times| over(times, times.gpu)),
            mean(&|times| pixels() / 1e6 / times.lanes[i].as_secs_f64()),
        );
    }
    let peers: Vec<f64> = all.iter().filter_map(Times::over_swiftshader).collect();
    if !peers.is_empty() {
        let mean = (peers.iter().map(|ratio| ratio.ln()).sum::<f64>() / peers.len() as f64).exp();
        println!("- {} lanes: {mean:.3} of SwiftShader ({} shaders)", ENGINES[USUAL].0.lanes, peers.len());
    }
    println!("- evaluator: {:.2} megapixels a second", mean(&|times| pixels() / 1e6 / times.evaluator.as_secs_f64()));
    Ok(())
}

fn pixels() -> f64 {
    f64::from(SIZE[0]) * f64::from(SIZE[1])
}

/// SwiftShader, with the time of a frame of one colour.
struct Peer {
    device: Device,
    start: Duration,
}

impl Peer {
    /// `None`, with a message, if there is none.
    fn open() -> Option<Peer> {
        let plain = "#version 300 es\nprecision highp float; out vec4 color; void main() { color = vec4(0.5); }";
        let open = || -> Result<Peer, String> {
            let device = Device::open(SWIFTSHADER)?;
            let module =
                draw::module(planish::InputKind::Glsl, "plain.frag", plain).map_err(|why| format!("{why:?}"))?;
            let start = device.time(&module, SIZE, FRAMES).map_err(|why| format!("{why:?}"))?;
            Ok(Peer { device, start })
        };
        let found = open();
        match &found {
            Ok(peer) => eprintln!("{}: {:?} of a frame are taken off", peer.device.name(), peer.start),
            Err(why) => eprintln!("SKIPPED: there is no SwiftShader: {why}"),
        }
        found.ok()
    }
}

fn measure(gpus: &Gpus, peer: Option<&Peer>, subject: &Subject) -> Result<Times, Failure> {
    let module = draw::module(subject.input, &subject.name, &subject.source)?;
    let gpu = gpus.time(&subject.for_gpu(&module)?, &module, SIZE, FRAMES)?;
    let swiftshader = peer.and_then(|peer| {
        let time = peer.device.time(&module, SIZE, FRAMES).ok()?;
        Some(time.saturating_sub(peer.start).max(Duration::from_micros(1)))
    });
    let options = draw::options(SIZE);
    let start = cpu_time();
    shade::draw(&module, &options).map_err(|error| Failure::Ours(error.to_string()))?;
    let evaluator = cpu_time() - start;
    let mut lanes = [Duration::ZERO; ENGINES.len()];
    for (time, options) in lanes.iter_mut().zip(ENGINES) {
        *time = on_lanes(&module, &subject.name, options)?;
    }
    Ok(Times { name: subject.name.clone(), gpu, swiftshader, evaluator, lanes })
}

fn on_lanes(module: &Module, name: &str, (lanes, vectors): (LaneOptions, WideVectors)) -> Result<Duration, Failure> {
    let mut config = Config::default();
    let engine = Engine::new(config.strategy(Strategy::Native).wide_vectors(vectors).consume_fuel(true));
    let mut drawing = Drawing::new(&engine, module, &lanes);
    let mut frame = || {
        let start = cpu_time();
        drawing.draw(&draw::options(SIZE)).map(|_| cpu_time() - start).map_err(|error| Failure::Ours(error.to_string()))
    };
    frame()?;
    let mut least = frame()?;
    for _ in 1..FRAMES {
        least = least.min(frame()?);
    }
    if let Err(missing) = drawing.wide_pairs() {
        println!("{name}: vectors of 128 bits, for lack of `{missing}` on 256");
    }
    Ok(least)
}

impl Times {
    fn over_swiftshader(&self) -> Option<f64> {
        Some(self.swiftshader?.as_secs_f64() / self.lanes[USUAL].as_secs_f64())
    }

    fn row(&self) -> String {
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let [exact, narrow, eight, sixteen, four] = self.lanes.map(ms);
        let ratio = self.gpu.as_secs_f64() / self.lanes[USUAL].as_secs_f64();
        let (name, gpu, evaluator) = (&self.name, ms(self.gpu), ms(self.evaluator));
        let swiftshader = self.swiftshader.map_or(String::new(), ms);
        format!(
            "| {name} | {gpu} | {swiftshader} | {evaluator} | {exact} | {narrow} | {eight} | {sixteen} | {four} | {ratio:.2} |"
        )
    }
}
