//! Compiles, draws, and compiles again when a file changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use planish::eval::shade::{DrawOptions, Image, inputs};
use planish::module::{Module, Stage};

use super::clock::Clock;
use super::mouse::Mouse;
use super::{Frame, Message, Shared, Wishes};
use crate::args::Run;
use crate::draw::{self, Painter, Shader};
use crate::report::Reporter;
use crate::run::{self, Prepared};
use crate::watch::{self, Watch};
use crate::{Stop, gpu, output};

/// Sends a message to the window; `false` if there is none any more.
type Send<'a> = &'a dyn Fn(Message) -> bool;

/// Draws until the window is closed.
///
/// # Errors
/// If the program has errors at the start. Later ones are shown, and the last picture stays.
pub(super) fn work(args: &Run, reporter: Reporter, shared: &Shared, send: Send<'_>) -> Result<(), Stop> {
    let (first, mut watch) = prepare(args, reporter.anew());
    let mut prepared = first?;
    let device = gpu::open(args)?;
    let mut session = Session { args, reporter, shared, send, clock: Clock::new(args.time, Instant::now()) };
    send(Message::Ready);
    loop {
        match session.show(&prepared, device.as_ref(), &mut watch)? {
            Some(next) => prepared = next,
            None => return Ok(()),
        }
    }
}

/// The program, and its files.
fn prepare(args: &Run, reporter: Reporter) -> (Result<Prepared<'_>, Stop>, Watch) {
    let mut sources = vec![args.file.clone()];
    let prepared = run::prepare(args, &run::outputs(args), &reporter, &mut sources);
    let prepared = prepared.and_then(|prepared| match prepared.module.entry_point(Some(Stage::Fragment)) {
        Some(_) => Ok(prepared),
        None => Err(Stop::usage("--window shows fragment shaders, and the program is none")),
    });
    let watched = sources.into_iter().filter(|file| file.as_os_str() != "-");
    (prepared, Watch::new(watched))
}

/// State that lasts from one version of the program to the next.
struct Session<'a> {
    args: &'a Run,
    reporter: Reporter,
    shared: &'a Shared,
    send: Send<'a>,
    clock: Clock,
}

/// All that a picture depends on.
#[derive(Clone, Copy, PartialEq)]
struct Moment {
    size: [u32; 2],
    mouse: Mouse,
    time: f32,
    frame: u32,
    /// The title tells.
    paused: bool,
}

impl<'a> Session<'a> {
    /// Draws one version of the program, until there is another one; `None` if the window is closed.
    fn show(
        &mut self,
        prepared: &Prepared<'_>,
        device: Option<&gpu::Device>,
        watch: &mut Watch,
    ) -> Result<Option<Prepared<'a>>, Stop> {
        let reporter = self.reporter.clone();
        let shader = Shader { module: &prepared.module, map: &prepared.map, reporter: &reporter };
        let base = run::options(self.args, prepared.uniforms.clone())?;
        let mut painter = Painter::new(self.args, shader, device)?;
        let dragged = has_mouse_of_four(shader.module, &base);
        let period = Duration::from_secs_f32(1.0 / base.frame_rate);
        // The moment of the last picture, whether it came to be one or not, and the picture.
        let mut last: Option<Moment> = None;
        let mut image: Option<Image> = None;
        let mut begun = Instant::now();
        loop {
            if let Some(next) = self.changed(watch) {
                return Ok(Some(next));
            }
            let Some(wishes) = self.wishes() else { return Ok(None) };
            let moment = self.moment(&wishes);
            let paused = moment.paused;
            let is_new = last.is_none_or(|last| !paused || moment != Moment { frame: moment.frame, ..last });
            if wishes.in_flight || !is_new {
                self.save(wishes.save, image.as_ref(), last);
                self.shared.wait(watch::EVERY / 2);
                continue;
            }
            let options = self.options(&base, &moment, dragged);
            match painter.draw(&options) {
                Ok(drawn) => {
                    let title = self.title(&moment);
                    self.shared.change(|wishes| wishes.in_flight = true);
                    if !(self.send)(Message::Frame(frame(&drawn, title))) {
                        return Ok(None);
                    }
                    image = Some(drawn);
                }
                // One message is enough for as long as nothing changes.
                Err(stop) => {
                    show_stop(&stop);
                    return Ok(self.wait_for_change(watch));
                }
            }
            last = Some(moment);
            self.save(wishes.save, image.as_ref(), last);
            self.pace(begun + period);
            if !paused {
                self.clock.count(begun.elapsed());
            }
            begun = Instant::now();
        }
    }

    /// The new version of the program, if a file has changed and there is one that can be compiled; its errors are shown.
    fn changed(&self, watch: &mut Watch) -> Option<Prepared<'a>> {
        if watch.changed(Instant::now()).is_empty() {
            return None;
        }
        let (next, files) = prepare(self.args, self.reporter.anew());
        *watch = files;
        next.map_err(|stop| show_stop(&stop)).ok()
    }

    /// The next moment that a picture may show.
    fn moment(&mut self, wishes: &Wishes) -> Moment {
        let Wishes { size, mouse, paused, restart, .. } = *wishes;
        self.clock.pass(Instant::now(), paused);
        if restart {
            self.clock.restart();
        }
        Moment { size, mouse, time: self.clock.time(), frame: self.clock.frame(), paused }
    }

    /// The wishes of now, of which those for one time are taken; `None` if the window is closed.
    fn wishes(&self) -> Option<Wishes> {
        let mut wishes = self.shared.lock();
        let now = *wishes;
        (wishes.restart, wishes.save) = (false, false);
        if !now.in_flight {
            wishes.mouse.clicked = false;
        }
        (!now.closed).then_some(now)
    }

    /// Waits until the next frame is due.
    fn pace(&self, due: Instant) {
        while let Some(rest) = due.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero()) {
            if self.shared.lock().closed {
                return;
            }
            std::thread::sleep(rest.min(watch::EVERY));
        }
    }

    /// Waits for another version of the program that can be compiled; `None` if the window is closed.
    fn wait_for_change(&self, watch: &mut Watch) -> Option<Prepared<'a>> {
        loop {
            self.wishes()?;
            if let Some(next) = self.changed(watch) {
                return Some(next);
            }
            self.shared.wait(watch::EVERY);
        }
    }

    fn options<'o>(&self, base: &DrawOptions<'o>, moment: &Moment, dragged: bool) -> DrawOptions<'o> {
        DrawOptions {
            size: moment.size,
            time: moment.time,
            frame: moment.frame,
            frame_rate: self.clock.rate().unwrap_or(base.frame_rate),
            mouse: moment.mouse.uniform(dragged),
            ..base.clone()
        }
    }

    fn title(&self, moment: &Moment) -> String {
        let name = self.args.file.file_name().unwrap_or(self.args.file.as_os_str()).display();
        let [width, height] = moment.size;
        match self.clock.rate() {
            _ if moment.paused => format!("{name} — paused at {} s, frame {}", moment.time, moment.frame),
            Some(rate) => format!("{name} — {rate:.0} frames/s, {width}×{height}"),
            None => format!("{name} — {width}×{height}"),
        }
    }

    /// Saves the last picture, if that is wanted.
    fn save(&self, wanted: bool, image: Option<&Image>, moment: Option<Moment>) {
        let (true, Some(image), Some(moment)) = (wanted, image, moment) else { return };
        let file = self.args.output.clone().unwrap_or_else(|| free_name(&self.args.file, moment.frame));
        let written = draw::encode(image).and_then(|bytes| output::write(&file, &bytes, true));
        match written {
            Ok(()) => drop(output::write_message(&format!("saved {}\n", file.display()))),
            Err(stop) => show_stop(&stop),
        }
    }
}

/// The name of a file for a picture of a frame, which no file has: `shader-12.png`, `shader-12-2.png`, … beside the program.
fn free_name(program: &Path, frame: u32) -> PathBuf {
    let stem = program.file_stem().filter(|stem| *stem != "-").map_or("shader".into(), |stem| stem.to_string_lossy());
    let name = |n: u32| if n == 1 { format!("{stem}-{frame}.png") } else { format!("{stem}-{frame}-{n}.png") };
    (1..).map(|n| program.with_file_name(name(n))).find(|file| !file.exists()).expect("names do not end")
}

/// True if a uniform for the mouse has the place of the click too, as on Shadertoy: then its first components are of a drag.
fn has_mouse_of_four(module: &Module, options: &DrawOptions<'_>) -> bool {
    let is_mouse = |name: &str| name.to_ascii_lowercase().contains("mouse");
    inputs(module, options).is_ok_and(|inputs| inputs.uniforms.iter().any(|u| u.components == 4 && is_mouse(&u.name)))
}

/// Pixels for a window, without alpha.
fn frame(image: &Image, title: String) -> Frame {
    let pixels = image.rgba8.chunks_exact(4).map(|p| u32::from_be_bytes([0, p[0], p[1], p[2]])).collect();
    Frame { size: [image.width, image.height], pixels, title }
}

/// Shows an error that the window survives. Those of the program have been shown.
fn show_stop(stop: &Stop) {
    if let Stop::Usage(message) = stop {
        output::write_message(&format!("error: {message}\n"));
    }
}
