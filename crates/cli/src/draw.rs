//! `planish run` of a fragment shader: a picture, or frames.

use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use planish::eval::shade::{DrawOptions, Image, draw, multisampled};
use planish::lanes::{DrawError, Drawing};
use planish::module::Module;
use planish::source::SourceMap;

use crate::Stop;
use crate::args::Run;
use crate::engine;
use crate::gpu;
use crate::limits;
use crate::output;
use crate::report::Reporter;
use crate::trace;

/// Bytes of the pixels of an animation in one file.
const MAX_ANIMATION: u64 = 1 << 30;
/// Number of files of a sequence.
const MAX_FILES: u32 = 100_000;

/// Draws the shader to the output.
pub(crate) fn run(args: &Run, shader: Shader<'_>, options: &DrawOptions<'_>) -> Result<(), Stop> {
    if let Some(at) = args.pixel {
        return trace::print_pixel(args, shader, options, at);
    }
    if args.heat {
        return trace::heat(args, shader, options);
    }
    let Some(file) = args.output.as_deref() else {
        if args.compare && args.frames.is_none() {
            return compare(args, shader, options, None);
        }
        return Err(Stop::usage("where should the picture go? Give -o FILE.png"));
    };
    if args.compare {
        return compare(args, shader, options, Some(file));
    }
    let device = gpu::open(args)?;
    let mut painter = Painter::new(args, shader, device.as_ref())?;
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

/// Draws on the device and on the CPU, writes the device's picture, and reports the difference.
fn compare(args: &Run, shader: Shader<'_>, options: &DrawOptions<'_>, file: Option<&Path>) -> Result<(), Stop> {
    if args.frames.is_some() {
        return Err(Stop::usage("--compare is for one picture; leave out --frames"));
    }
    let device = gpu::open(args)?;
    let theirs = Painter::new(args, shader, device.as_ref())?.draw(options)?;
    if let Some(file) = file {
        output::write(file, &encode(&theirs)?, true)?;
    }
    let ours = Painter::new(args, shader, None)?.draw(options)?;
    let difference = Difference::new(&ours, &theirs);
    output::write_message(&difference.to_string());
    if difference.is_small() { Ok(()) } else { Err(Stop::Errors) }
}

/// The difference of two pictures as displayed: clamped to 0…1, with NaN as 0.
struct Difference {
    /// Pixels with a channel that differs by more than 1/255.
    beyond: usize,
    pixels: usize,
    /// Of a channel, 0 to 1.
    largest: f32,
}

impl Difference {
    fn new(a: &Image, b: &Image) -> Self {
        let shown = |channel: f32| if channel.is_nan() { 0.0 } else { channel.clamp(0.0, 1.0) };
        let worst = |(a, b): (&[f32; 4], &[f32; 4])| {
            a.iter().zip(b).map(|(&a, &b)| (shown(a) - shown(b)).abs()).fold(0.0, f32::max)
        };
        let worst: Vec<f32> = a.float.iter().zip(&b.float).map(worst).collect();
        Difference {
            // The step itself, and its rounding, are within.
            beyond: worst.iter().filter(|&&difference| difference > 1.0 / 255.0 + 1e-6).count(),
            pixels: worst.len(),
            largest: worst.into_iter().fold(0.0, f32::max),
        }
    }

    /// As in `docs/gpu.md`: 99.9 % of the pixels are within 1/255.
    fn is_small(&self) -> bool {
        self.beyond * 1000 <= self.pixels
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = 100.0 * self.beyond as f64 / self.pixels.max(1) as f64;
        let largest = self.largest * 255.0;
        let Difference { beyond, pixels, .. } = self;
        writeln!(
            f,
            "{beyond} of {pixels} pixels ({share:.2} %) differ by more than 1/255; the largest difference is {largest:.1}/255"
        )
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
    let options = [
        ("--frames", args.frames.is_some()),
        ("--fps", args.fps.is_some()),
        ("--samples", args.samples != 1),
        ("--compare", args.compare),
        ("--pixel", args.pixel.is_some()),
        ("--heat", args.heat),
    ];
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

/// The number of times that a fragment shader runs for what is drawn; a window draws for as long as it is open.
fn invocations(args: &Run) -> Result<Option<u64>, Stop> {
    if args.window {
        return Ok(None);
    }
    let [width, height] = size(&args.size)?.map(u64::from);
    let frames =
        args.frames.as_deref().map(range).transpose()?.map_or(1, |frames| u64::from(frames.end - frames.start));
    Ok(Some(width * height * frames * u64::from(args.samples)))
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

/// A compiled shader, with what its messages need.
#[derive(Clone, Copy)]
pub(crate) struct Shader<'a> {
    pub(crate) module: &'a Module,
    pub(crate) map: &'a SourceMap,
    pub(crate) reporter: &'a Reporter,
}

/// Draws on the engine of the command line.
pub(crate) struct Painter<'a> {
    args: &'a Run,
    shader: Shader<'a>,
    /// `None`: the evaluator draws.
    drawing: Option<Drawing<'a>>,
    /// Draws instead, if there is one.
    device: Option<gpu::Drawing<'a>>,
}

impl<'a> Painter<'a> {
    pub(crate) fn new(args: &'a Run, shader: Shader<'a>, device: Option<&'a gpu::Device>) -> Result<Self, Stop> {
        let Shader { module, map, reporter } = shader;
        if let Some(device) = device {
            let device = Some(gpu::Drawing::new(device, module, map, reporter));
            return Ok(Painter { args, shader, drawing: None, device });
        }
        let pixels = invocations(args)?;
        let drawing = engine::for_shaders(args)?
            .map(|engine| Drawing::new(&engine, module, &engine::lane_options(args, &engine, pixels)));
        Ok(Painter { args, shader, drawing, device: None })
    }

    pub(crate) fn draw(&mut self, options: &DrawOptions<'_>) -> Result<Image, Stop> {
        let bar = ProgressBar::new(!self.args.window);
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
        if let Some(device) = &mut self.device {
            return device.draw(options);
        }
        let Shader { module, map, reporter } = self.shader;
        if let Some(drawing) = &mut self.drawing {
            match drawing.draw(options) {
                Ok(image) => return Ok(image),
                Err(error @ DrawError::Unsupported(_)) => engine::fall_back(self.args, &error, map),
                Err(error) => return Err(engine::draw_error(self.args, &error, (map, reporter))),
            }
            self.drawing = None;
        }
        draw(module, options).map_err(|error| limits::stop_shader(self.args, &error, reporter))
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

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, Stop> {
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
    fn new(wanted: bool) -> Self {
        ProgressBar { start: Instant::now(), shown: Mutex::new(0), terminal: wanted && std::io::stderr().is_terminal() }
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
