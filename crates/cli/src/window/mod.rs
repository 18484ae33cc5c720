//! `planish run --window`: a fragment shader in a window, drawn again as time passes.
//!
//! The main thread has the window and its events ([`app`]); another one compiles and draws ([`worker`]), so that the window answers
//! whatever a shader takes. They share what the user does ([`Shared`]); pictures come back as events of the window.

mod app;
mod clock;
mod mouse;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use winit::event_loop::EventLoop;

use crate::args::Run;
use crate::report::{self, Reporter};
use crate::{STACK_SIZE, Stop, draw};
use mouse::Mouse;

/// Input by the user, from the window to the worker.
#[derive(Clone, Copy, Debug)]
struct Wishes {
    size: [u32; 2],
    mouse: Mouse,
    paused: bool,
    /// The time begins again.
    restart: bool,
    /// A picture is to be saved.
    save: bool,
    closed: bool,
    /// A picture is on its way to the window.
    in_flight: bool,
}

/// The wishes, and a signal that they have changed.
struct Shared {
    wishes: Mutex<Wishes>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the wishes.
    fn change(&self, change: impl FnOnce(&mut Wishes)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits for a change, but not longer than this.
    fn wait(&self, time: Duration) {
        drop(self.changed.wait_timeout(self.lock(), time));
    }
}

/// An event from the worker.
enum Message {
    /// The shader is compiled: the window opens.
    Ready,
    Frame(Frame),
    /// The worker has ended; `None` if it panicked.
    Ended(Option<Result<(), Stop>>),
}

/// A picture for the window.
struct Frame {
    size: [u32; 2],
    /// Red, green and blue of each pixel, a byte each; the top row first.
    pixels: Vec<u32>,
    title: String,
}

/// Shows a shader until the window is closed. Called on the main thread, where windows have their events on most systems.
///
/// # Errors
/// If there is no display, or the program has errors at the start.
pub(crate) fn run(args: Run, reporter: Reporter) -> Result<(), Stop> {
    let size = draw::size(&args.size)?;
    let event_loop = EventLoop::<Message>::with_user_event().build().map_err(|error| {
        let way_out = "set DISPLAY or WAYLAND_DISPLAY to one, or draw to a file with -o FILE.png";
        // `os error at FILE:LINE: CAUSE`, with the place in the source of the library.
        let error = error.to_string();
        let cause = error.split_once(": ").map_or(&*error, |(_, cause)| cause);
        Stop::usage(format!("there is no display for a window ({cause}): {way_out}"))
    })?;
    let wishes = Wishes {
        size,
        mouse: Mouse::default(),
        paused: false,
        restart: false,
        save: false,
        closed: false,
        in_flight: false,
    };
    let shared = Arc::new(Shared { wishes: Mutex::new(wishes), changed: Condvar::new() });
    let (proxy, for_worker) = (event_loop.create_proxy(), Arc::clone(&shared));
    let work = move || {
        let send = |message| proxy.send_event(message).is_ok();
        let result = catch_unwind(AssertUnwindSafe(|| worker::work(&args, reporter, &for_worker, &send)));
        send(Message::Ended(result.ok()));
    };
    let worker = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(work);
    worker.map_err(|error| Stop::usage(format!("cannot start a thread: {error}")))?;
    let mut app = app::App::new(Arc::clone(&shared), size);
    let ended = event_loop.run_app(&mut app);
    // The worker is not waited for: a slow shader would keep the command from ending.
    shared.change(|wishes| wishes.closed = true);
    ended.map_err(|error| Stop::usage(format!("the window failed: {error}")))?;
    match app.ended {
        Some(Some(result)) => result,
        Some(None) => {
            report::panicked();
            Err(Stop::Exit(101))
        }
        None => Ok(()),
    }
}
