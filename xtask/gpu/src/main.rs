//! `cargo xtask gpu`: draws shaders with the evaluator and with a software GPU, and compares the pixels.

mod compare;
mod device;
mod draw;
mod exceptions;
#[cfg(feature = "device")]
mod interface;
mod report;
mod subjects;
mod time;
mod twins;

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use planish::InputKind;
use planish_gl::OpenError;

use crate::compare::compare;
use crate::device::LLVMPIPE;
use crate::draw::{Drawn, Failure, Gpus, Pictures};
use crate::report::{Comparison, Row, Verdict};
use crate::subjects::Subject;
use crate::twins::Form;

/// The user's options, passed on by `cargo xtask gpu`.
#[derive(Default)]
struct Options {
    only: Vec<String>,
    write: Option<std::path::PathBuf>,
    /// Measure the times of frames instead: of one shader in so many.
    time: Option<usize>,
    /// A part of the name of the Vulkan device to compare with, in place of llvmpipe.
    device: Option<String>,
}

impl Options {
    fn open(&self) -> Result<Gpus, OpenError> {
        Gpus::open(self.device.as_deref().unwrap_or(LLVMPIPE))
    }
}

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    let missing = options.open().map(|gpus| gpus.device.err());
    if let (Ok(Some(why)), None) = (&missing, options.time) {
        if std::env::var_os("CI").is_some() {
            eprintln!("error: CI has a software device, but {why}");
            return ExitCode::FAILURE;
        }
        eprintln!("SKIPPED: pictures by WGSL and Vulkan: {why}");
    }
    if let Err(why) = missing {
        if std::env::var_os("CI").is_some() {
            eprintln!("error: CI has a software GPU, but {why}");
            return ExitCode::FAILURE;
        }
        eprintln!("SKIPPED: there is no software GPU to compare with: {why}");
        eprintln!("Debian has it in libegl1, libgles2, libgl1-mesa-dri");
        return ExitCode::SUCCESS;
    }
    let done = match options.time {
        Some(every) => time::run(&options.only, every).map(|()| true),
        None => run(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` wants a value"));
        match arg.as_str() {
            "--only" => options.only.push(value()?),
            "--time" => options.time = Some(value()?.parse().map_err(|_| "`--time` wants a number")?),
            "--device" => options.device = Some(value()?),
            "--write" => options.write = Some(value()?.into()),
            _ => return Err(format!("`gpu` has no option `{arg}`")),
        }
    }
    Ok(options)
}

/// Draws and compares; returns whether all that is not a documented exception agrees.
fn run(options: &Options) -> io::Result<bool> {
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| name.contains(only.as_str()));
    let subjects = subjects::examples()?
        .into_iter()
        .chain(subjects::flatten()?)
        .chain(subjects::images()?)
        .chain(subjects::corpus()?);
    let subjects: Vec<Subject> = subjects.filter(|subject| wanted(&subject.name)).collect();
    if subjects.is_empty() {
        return Err(io::Error::other(format!("no shader is named like {}", options.only.join(" or "))));
    }
    let gpus = options.open().map_err(io::Error::other)?;
    let device = gpus.device.as_ref().ok().map(|device| device.name().to_owned());
    let report = report::Report { renderer: gpus.es.renderer(), device, rows: all_rows(options, &subjects)? };
    println!("{}", report.summary());
    let interface = match &gpus.device {
        Ok(device) => device.check_interface().map_err(io::Error::other)?,
        Err(_) => 0,
    };
    println!("{interface} pictures and buffers of all kinds of inputs and outputs are the same on the device.");
    let whole = options.only.is_empty();
    match &options.device {
        None if whole => std::fs::write(xtask::root().join("docs/gpu.md"), report.document())?,
        // The page is of the software GPU, which everybody has.
        Some(_) => print!("{}", report.document()),
        None => {}
    }
    Ok(report.holds(whole))
}

/// The results of all shaders, in their order. Each core has a GPU of its own: most of the time is spent by the
/// driver's compiler, which runs on one thread.
fn all_rows(options: &Options, subjects: &[Subject]) -> io::Result<Vec<Row>> {
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<Vec<(usize, Vec<Row>)>> {
        let gpus = options.open().map_err(io::Error::other)?;
        let mut done = vec![];
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(subject) = subjects.get(i) else { return Ok(done) };
            done.push((i, rows(options, &gpus, subject)?));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = vec![];
    std::thread::scope(|scope| -> io::Result<()> {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            // The panic is passed on unchanged.
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(())
    })?;
    all.sort_by_key(|(i, _)| *i);
    Ok(all.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// The results of one shader, form by form; differences are printed.
fn rows(options: &Options, gpus: &Gpus, subject: &Subject) -> io::Result<Vec<Row>> {
    let drawn = Drawn::new(subject);
    let mut rows = vec![];
    for &form in subject.forms().iter().filter(|form| **form != Form::Device || gpus.device.is_ok()) {
        let comparison = match &drawn {
            Ok(drawn) => draw_both(options, gpus, subject, drawn, form)?,
            Err(failure) => Err(failure.clone()),
        };
        let row = Row::new(subject, form, comparison);
        if !matches!(row.verdict, Verdict::Agrees) {
            println!("{row}");
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Draws a form of a shader with the GPU, and compares it with the evaluator's picture. The outer error is one of
/// writing files.
fn draw_both(
    options: &Options,
    gpus: &Gpus,
    subject: &Subject,
    drawn: &Drawn,
    form: Form,
) -> io::Result<Result<Comparison, Failure>> {
    let nudged = form == Form::Original;
    let by_glsl = |source: Result<String, Failure>| {
        let source = source?;
        match subject.input {
            InputKind::Glsl => gpus.draw(&source, &drawn.module, subject.size, nudged),
            _ => gpus.draw(&source, &twins::interface(&source)?, subject.size, nudged),
        }
    };
    let pictures = match (form, &gpus.device) {
        (Form::Device, Ok(device)) => {
            // Functions of VL call themselves.
            let optimized = (subject.input == InputKind::Vl).then(|| twins::optimized(&drawn.module));
            let picture = device.draw(optimized.as_ref().unwrap_or(&drawn.module), subject.size);
            picture.map(|picture| Pictures { picture, nudged: None })
        }
        (Form::Flat | Form::Fast, _) => by_glsl(twins::flat_glsl(&drawn.module, form)),
        _ => by_glsl(subject.for_gpu(&drawn.module)),
    };
    let pictures = match pictures {
        Ok(pictures) => pictures,
        Err(failure) => return Ok(Err(failure)),
    };
    if let Some(folder) = &options.write {
        std::fs::create_dir_all(folder)?;
        let name = subject.name.replace('/', "_");
        draw::write(&drawn.picture, subject.size, &folder.join(format!("{name}.png")))?;
        draw::write(&pictures.picture, subject.size, &folder.join(format!("{name}.{}.png", form.ending())))?;
    }
    Ok(Ok(Comparison {
        difference: compare(&drawn.picture, &pictures.picture, form.bar()),
        own: pictures.nudged.map(|nudged| compare(&pictures.picture, &nudged, form.bar())),
    }))
}
