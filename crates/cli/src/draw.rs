//! `planish run` of a fragment shader: a picture, or frames.

use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use planish::eval::shade::{DrawOptions, Image, ShadeError, draw, multisampled};
use planish::lanes::{DrawError, Drawing};
use planish::module::Module;
use planish::source::SourceMap;

use crate::Stop;
use crate::args::Run;
use crate::engine;
use crate::output;

/// Bytes of the pixels of an animation in one file.
const MAX_ANIMATION: u64 = 1 << 30;
/// Number of files of a sequence.
const MAX_FILES: u32 = 100_000;

/// Draws the shader to the output.
pub(crate) fn run(args: &Run, module: &Module, options: &DrawOptions<'_>, map: &SourceMap) -> Result<(), Stop> {
    let Some(file) = args.output.as_deref() else {
        return Err(Stop::usage("where should the picture go? Give -o FILE.png"));
    };
    let mut painter = Painter::new(args, module, map)?;
    let Some(frames) = &args.frames else {
        return output::write(file, &encode(&painter.draw(options)?)?, true);
    };
    let frames = range(frames)?;
    let at = |frame: u32| DrawOptions {
        time: (f64::from(args.time) + f64::from(frame) / f64::from(options.frame_rate)) as f32,
        frame,
        ..options.clone()
    };
    match Pattern::new(file)? {
        Some(pattern) => {
            check_count(&frames)?;
            for frame in frames {
                output::write(&pattern.file(frame), &encode(&painter.draw(&at(frame))?)?, true)?;
            }
            Ok(())
        }
        None => {
            let [width, height] = options.size.map(u64::from);
            if width * height * 4 * u64::from(frames.end - frames.start) > MAX_ANIMATION {
                let name = file.with_extension("").display().to_string();
                return Err(Stop::usage(format!(
                    "{} frames of {width}x{height} pixels are too much for one file: write one for each, -o {name}%04d.png",
                    frames.end - frames.start
                )));
            }
            let mut images = frames.clone().map(|frame| painter.draw(&at(frame)));
            output::write(file, &animate(&mut images, options.size, frames.end - frames.start, args)?, true)
        }
    }
}

/// The files of a sequence of frames; `None` if there is one output, or the command line is wrong.
pub(crate) fn files(args: &Run) -> Option<Vec<PathBuf>> {
    let frames = range(args.frames.as_ref()?).ok().filter(|frames| check_count(frames).is_ok())?;
    let pattern = Pattern::new(args.output.as_deref()?).ok()??;
    Some(frames.map(|frame| pattern.file(frame)).collect())
}

/// An option that has a meaning for pictures only.
pub(crate) fn options_of_pictures(args: &Run) -> Option<&'static str> {
    let options =
        [("--frames", args.frames.is_some()), ("--fps", args.fps.is_some()), ("--samples", args.samples != 1)];
    options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}

/// `640x480`
pub(crate) fn size(text: &str) -> Result<[u32; 2], Stop> {
    let parsed = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match parsed {
        Some([w @ 1..=16384, h @ 1..=16384]) => Ok([w, h]),
        _ => Err(Stop::usage(format!("`{text}` is no size; write WIDTHxHEIGHT, each from 1 to 16384"))),
    }
}

/// Frames in a second.
pub(crate) fn frame_rate(args: &Run) -> Result<f32, Stop> {
    match args.fps {
        None => Ok(60.0),
        Some(rate @ 0.01..=1000.0) => Ok(rate),
        Some(rate) => Err(Stop::usage(format!("{rate} frames in a second are not possible: 0.01 to 1000 are"))),
    }
}

/// `0..60`, the last one not included.
fn range(text: &str) -> Result<Range<u32>, Stop> {
    let parsed = text.split_once("..").and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    match parsed {
        Some((a, b)) if a < b => Ok(a..b),
        Some((a, b)) => Err(Stop::usage(format!("`{text}` has no frames: {b} is not after {a}"))),
        None => Err(Stop::usage(format!("`{text}` is no range of frames; write FIRST..END, as 0..60 for 60 frames"))),
    }
}

fn check_count(frames: &Range<u32>) -> Result<(), Stop> {
    match frames.end - frames.start {
        0..=MAX_FILES => Ok(()),
        count => Err(Stop::usage(format!("{count} files are too many: at most {MAX_FILES} are written"))),
    }
}

/// The name of the file of each frame: `out%04d.png`.
struct Pattern {
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
    /// `None` if the name has no `%`.
    fn new(file: &Path) -> Result<Option<Self>, Stop> {
        let name = file.to_string_lossy();
        let Some((before, rest)) = name.split_once('%') else { return Ok(None) };
        let bad = || Stop::usage(format!("`{name}` has no place for the number: write %d, or %04d for four digits"));
        let end = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
        let (digits, after) = rest.split_at(end);
        let after = after.strip_prefix('d').filter(|after| !after.contains('%')).ok_or_else(bad)?;
        let digits = match digits.strip_prefix('0') {
            _ if digits.is_empty() => 1,
            Some(count) => count.parse().ok().filter(|count| (1..=20).contains(count)).ok_or_else(bad)?,
            None => return Err(bad()),
        };
        Ok(Some(Pattern { before: before.into(), digits, after: after.into() }))
    }

    fn file(&self, frame: u32) -> PathBuf {
        format!("{}{frame:0digits$}{}", self.before, self.after, digits = self.digits).into()
    }
}

/// Draws on the engine of the command line.
struct Painter<'a> {
    args: &'a Run,
    map: &'a SourceMap,
    module: &'a Module,
    /// `None`: the evaluator draws.
    drawing: Option<Drawing<'a>>,
}

impl<'a> Painter<'a> {
    fn new(args: &'a Run, module: &'a Module, map: &'a SourceMap) -> Result<Self, Stop> {
        let lanes = engine::lane_options(args);
        let drawing = engine::for_shaders(args)?.map(|engine| Drawing::new(&engine, module, &lanes));
        Ok(Painter { args, map, module, drawing })
    }

    fn draw(&mut self, options: &DrawOptions<'_>) -> Result<Image, Stop> {
        let bar = ProgressBar::new();
        let progress = |done: u32, all: u32| bar.update(done, all);
        let options = DrawOptions { progress: Some(&progress), ..options.clone() };
        let image = match self.args.samples {
            4 => multisampled(&options, |options| self.once(options)),
            _ => self.once(&options),
        };
        bar.clear();
        image
    }

    fn once(&mut self, options: &DrawOptions<'_>) -> Result<Image, Stop> {
        if let Some(drawing) = &mut self.drawing {
            match drawing.draw(options) {
                Ok(image) => return Ok(image),
                Err(error @ DrawError::Unsupported(_)) => engine::fall_back(self.args, &error, self.map),
                Err(error) => return Err(engine::draw_error(&error, self.map)),
            }
            self.drawing = None;
        }
        draw(self.module, options).map_err(|error: ShadeError| Stop::usage(error.to_string()))
    }
}

fn bad(error: png::EncodingError) -> Stop {
    Stop::usage(format!("cannot write the picture: {error}"))
}

fn encoder<'w>(bytes: &'w mut Vec<u8>, [width, height]: [u32; 2]) -> png::Encoder<'w, &'w mut Vec<u8>> {
    let mut encoder = png::Encoder::new(bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // Smaller files take several times as long as most shaders.
    encoder.set_compression(png::Compression::Fast);
    encoder
}

fn encode(image: &Image) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let mut writer = encoder(&mut bytes, [image.width, image.height]).write_header().map_err(bad)?;
    writer.write_image_data(&image.rgba8).map_err(bad)?;
    writer.finish().map_err(bad)?;
    Ok(bytes)
}

/// An animated PNG, which is repeated for ever.
fn animate(
    images: &mut dyn Iterator<Item = Result<Image, Stop>>,
    size: [u32; 2],
    count: u32,
    args: &Run,
) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, size);
    encoder.set_animated(count, 0).map_err(bad)?;
    let rate = frame_rate(args)?;
    // A fraction of a second, of two numbers of 16 bits.
    let (numerator, denominator) = match rate {
        rate if rate.fract() == 0.0 => (1.0, rate),
        rate if rate < 1.0 => (100.0 / rate, 100.0),
        rate => (50.0, rate * 50.0),
    };
    encoder.set_frame_delay(numerator.round() as u16, denominator.round() as u16).map_err(bad)?;
    let mut writer = encoder.write_header().map_err(bad)?;
    for image in images {
        writer.write_image_data(&image?.rgba8).map_err(bad)?;
    }
    writer.finish().map_err(bad)?;
    Ok(bytes)
}

/// A progress bar on a terminal, shown after a second of drawing.
struct ProgressBar {
    start: Instant,
    shown: Mutex<u32>,
    terminal: bool,
}

impl ProgressBar {
    fn new() -> Self {
        ProgressBar { start: Instant::now(), shown: Mutex::new(0), terminal: std::io::stderr().is_terminal() }
    }

    fn update(&self, done: u32, all: u32) {
        if !self.terminal || self.start.elapsed().as_secs_f32() < 1.0 || all == 0 {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        let cells = (u64::from(done) * 40 / u64::from(all)) as u32;
        if cells > *shown {
            *shown = cells;
            let (full, empty) = ("█".repeat(cells as usize), "░".repeat(40 - cells as usize));
            output::write_message(&format!("\r{full}{empty} {done}/{all} rows"));
        }
    }

    fn clear(&self) {
        if self.shown.lock().is_ok_and(|shown| *shown > 0) {
            output::write_message(&format!("\r{:70}\r", ""));
        }
    }
}
