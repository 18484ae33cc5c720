//! A virtual display, and a program with a window on it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;

/// Time that anything may take, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A virtual display, which ends with this value.
pub(super) struct Display {
    server: Child,
    /// `:99`
    name: String,
}

impl Display {
    /// Starts a server on a free number.
    pub(super) fn start() -> Result<Display, Failure> {
        let mut command = Command::new("Xvfb");
        // Without `-noreset` the server starts anew when its last client leaves, and then drops whoever connects at that moment: the
        // program, while xdotool comes and goes to look for its window.
        command.args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"]);
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut number = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut number)?;
        }
        match number.trim() {
            "" => Err(Failure::Broken("Xvfb does not start".into())),
            number => Ok(Display { server, name: format!(":{number}") }),
        }
    }

    /// A command with a window on this display.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command
    }

    /// The output of xdotool; `None` if it fails.
    fn xdotool(&self, args: &[&str]) -> Option<String> {
        let output = self.command("xdotool").args(args).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A program with a window.
pub(super) struct Session<'d> {
    display: &'d Display,
    child: Child,
    window: String,
    /// Its standard error.
    log: PathBuf,
}

impl<'d> Session<'d> {
    /// Starts the command, and waits for a window whose title contains `name`.
    pub(super) fn start(display: &'d Display, mut command: Command, name: &str, log: PathBuf) -> Result<Self, Failure> {
        let child = command.stderr(File::create(&log)?).spawn()?;
        let mut session = Session { display, child, window: String::new(), log };
        let mut window = None;
        session.until("the window does not open", |session| {
            window = session.display.xdotool(&["search", "--onlyvisible", "--name", name]);
            window.is_some()
        })?;
        session.window = window.unwrap_or_default().lines().next().unwrap_or_default().to_owned();
        session.act(&["windowfocus", "--sync"])?;
        Ok(session)
    }

    /// Waits until a condition holds.
    pub(super) fn until(&self, why_not: &str, mut condition: impl FnMut(&Self) -> bool) -> Result<(), Failure> {
        let start = Instant::now();
        while !condition(self) {
            if start.elapsed() > PATIENCE {
                return Err(Failure::Broken(format!("{why_not}; its messages:\n{}", self.messages())));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// A command of xdotool about the window.
    pub(super) fn act(&self, command: &[&str]) -> Result<String, Failure> {
        let (name, rest) = command.split_first().expect("there is a command");
        let with_window = match *name {
            "mousemove" => [&[*name, "--window", &self.window], rest].concat(),
            "key" | "mousedown" | "mouseup" => [&[*name], rest].concat(),
            _ => [&[*name], rest, &[&*self.window][..]].concat(),
        };
        let done = self.display.xdotool(&with_window);
        done.ok_or_else(|| Failure::Broken(format!("xdotool {} fails", with_window.join(" "))))
    }

    /// Sizes the window.
    pub(super) fn resize(&self, [width, height]: [u32; 2]) -> Result<(), Failure> {
        let (width, height) = (width.to_string(), height.to_string());
        let done = self.display.xdotool(&["windowsize", &self.window, &width, &height]);
        done.map(drop).ok_or_else(|| Failure::Broken("xdotool windowsize fails".into()))
    }

    /// The title of the window.
    pub(super) fn title(&self) -> String {
        self.act(&["getwindowname"]).unwrap_or_default()
    }

    /// All that the program has written to standard error.
    pub(super) fn messages(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// True if the window shows this picture; a screenshot is left beside it.
    pub(super) fn shows(&self, picture: &Path) -> bool {
        let shot = picture.with_extension("shot.png");
        let taken = self.display.command("import").args(["-window", &self.window]).arg(&shot).status();
        taken.is_ok_and(|status| status.success()) && are_equal(&shot, picture)
    }

    /// The exit status, once the program has ended.
    pub(super) fn end(&mut self) -> Result<ExitStatus, Failure> {
        let mut status = None;
        let start = Instant::now();
        while start.elapsed() < PATIENCE && status.is_none() {
            status = self.child.try_wait()?;
            std::thread::sleep(Duration::from_millis(20));
        }
        status.ok_or_else(|| Failure::Broken("the window does not close".into()))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// True if two pictures have the same size and the same colours.
pub(super) fn are_equal(a: &Path, b: &Path) -> bool {
    let output = Command::new("compare").args(["-alpha", "off", "-metric", "AE"]).args([a, b]).arg("null:").output();
    output.is_ok_and(|output| output.status.success() && output.stderr.trim_ascii() == b"0")
}
