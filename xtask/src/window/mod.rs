//! `cargo xtask window`: what a user of `planish run --window` does, on a virtual display.

mod display;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::{Failure, skip, target_folder, with_devices};
use display::{Display, Session, are_equal};

/// Shows the time and the place of the mouse, in a colour of a file that is included.
const SHADER: &str = "#version 300 es
#extension GL_GOOGLE_include_directive : enable
precision highp float;
#include \"tint.glsl\"
uniform vec3 iResolution;
uniform vec4 iMouse;
uniform float iTime;
out vec4 color;
void main() {
    vec2 place = gl_FragCoord.xy / iResolution.xy;
    float near = step(distance(gl_FragCoord.xy, iMouse.xy), 9.5) + step(distance(gl_FragCoord.xy, abs(iMouse.zw)), 4.5);
    color = vec4(tint * vec3(place, 0.5 + 0.5 * sin(iTime * 7.0)) + 0.3 * near, 1.0);
}
";

/// Takes seconds for a picture.
const SLOW: &str = "#version 300 es
precision highp float;
out vec4 color;
void main() {
    float sum = gl_FragCoord.x;
    for (int i = 0; i < 200000; i++) sum = fract(sin(sum) * 43758.5453 + sum);
    color = vec4(sum);
}
";

const SIZE: [u32; 2] = [200, 150];

/// Programs that are needed, and the packages of Debian that have them.
const TOOLS: [(&str, &str); 4] =
    [("Xvfb", "xvfb"), ("xdotool", "xdotool"), ("import", "imagemagick"), ("compare", "imagemagick")];

/// Builds the command with windows and devices, and uses it.
///
/// # Errors
/// If the window does not do what it should; in continuous integration, too, if a tool is missing.
pub fn run() -> Result<(), Failure> {
    let is_there = |tool: &str| Command::new(tool).arg("-version").output().is_ok();
    if let Some((tool, package)) = TOOLS.iter().find(|(tool, _)| !is_there(tool)) {
        return skip(&format!("there is no {tool}; on Debian: apt-get install {package}"));
    }
    if !with_devices("build", &[])? || !with_devices("test", &["--", "window::"])? {
        return Err(Failure::Broken(
            "the command with the features `gpu` and `window` is not built, or its tests fail".into(),
        ));
    }
    let folder = target_folder().join("window");
    std::fs::create_dir_all(&folder)?;
    let display = Display::start()?;
    let user = User { display: &display, planish: target_folder().join("debug/planish"), folder };
    user.looks_around(&[])?;
    println!("window: as it should be");
    user.closes_while_it_draws()?;
    println!("window of a slow shader: as it should be");
    user.has_no_display()?;
    println!("no display: as it should be");
    if user.planish().args(["run", "--gpu"]).arg(user.write(SHADER)?).args(["-o", "-"]).output()?.status.success() {
        user.looks_around(&["--gpu"])?;
        println!("window of a device: as it should be");
        return Ok(());
    }
    skip("there is no device; on Debian: apt-get install mesa-vulkan-drivers")
}

struct User<'d> {
    display: &'d Display,
    planish: PathBuf,
    folder: PathBuf,
}

impl User<'_> {
    fn planish(&self) -> Command {
        self.display.command(&self.planish)
    }

    /// Writes the shader, with white light.
    fn write(&self, source: &str) -> Result<PathBuf, Failure> {
        let file = self.folder.join("shader.frag");
        std::fs::write(self.folder.join("tint.glsl"), "const vec3 tint = vec3(1.0);\n")?;
        std::fs::write(&file, source)?;
        Ok(file)
    }

    fn open(&self, source: &str, options: &[&str]) -> Result<(Session<'_>, PathBuf), Failure> {
        let file = self.write(source)?;
        let mut command = self.planish();
        command.args(["run", "--window", "--size", &format!("{}x{}", SIZE[0], SIZE[1])]).args(options).arg(&file);
        let session = Session::start(self.display, command, "shader.frag|planish", self.folder.join("messages"))?;
        Ok((session, file))
    }

    /// The picture that the window should show.
    fn expected(&self, file: &Path, [width, height]: [u32; 2], with: &[&str]) -> Result<PathBuf, Failure> {
        let picture = self.folder.join("expected.png");
        let mut command = self.planish();
        command.args(["run", "--size", &format!("{width}x{height}")]).args(with).arg(file).arg("-o").arg(&picture);
        match command.output()?.status.success() {
            true => Ok(picture),
            false => Err(Failure::Broken(format!("{} cannot be drawn", file.display()))),
        }
    }

    /// Pauses, clicks, makes a mistake and corrects it, resizes, saves, starts again, leaves.
    fn looks_around(&self, options: &[&str]) -> Result<(), Failure> {
        let (mut session, file) = self.open(SHADER, options)?;
        session.until("there are no frames", |session| session.title().contains("frames/s"))?;
        session.act(&["key", "space"])?;
        session.until("it does not pause", |session| paused_at(&session.title()).is_some())?;
        let time = paused_at(&session.title()).unwrap_or_default();
        let shows = |size, mouse: &str, why: &str| {
            let uniform = format!("iMouse={mouse}");
            let with = [options, &["--time", &time, "-U", &uniform]].concat();
            let picture = self.expected(&file, size, &with)?;
            session.until(why, |session| session.shows(&picture))
        };
        shows(SIZE, "0,0,0,0", "the first picture is another one")?;
        session.act(&["mousemove", "50", "40"])?;
        session.act(&["mousedown", "1"])?;
        session.act(&["mousemove", "80", "60"])?;
        session.act(&["mouseup", "1"])?;
        session.act(&["mousemove", "20", "20"])?;
        let mouse = "80,89,-50,-109";
        shows(SIZE, mouse, "a drag of the mouse is not seen")?;

        std::fs::write(&file, SHADER.replace("vec2 place =", "vec2 place"))?;
        session.until("an error is not reported", |session| session.messages().contains("error[E"))?;
        if !session.shows(&self.folder.join("expected.png")) {
            return Err(Failure::Broken("an error takes the picture away".into()));
        }
        std::fs::write(&file, SHADER.replace("0.5 + 0.5", "0.25 + 0.25"))?;
        shows(SIZE, mouse, "the corrected program is not drawn")?;
        std::fs::write(self.folder.join("tint.glsl"), "const vec3 tint = vec3(0.25, 0.75, 1.0);\n")?;
        shows(SIZE, mouse, "a change of an included file is not drawn")?;

        let size = [121, 90];
        session.resize(size)?;
        shows(size, mouse, "the picture does not have the new size of the window")?;
        session.act(&["key", "s"])?;
        let saved = |session: &Session<'_>| {
            let messages = session.messages();
            messages.lines().find_map(|line| line.strip_prefix("saved ").map(PathBuf::from))
        };
        session.until("no picture is saved", |session| saved(session).is_some())?;
        let saved = saved(&session).unwrap_or_default();
        let is_same = are_equal(&saved, &self.folder.join("expected.png"));
        std::fs::remove_file(&saved)?;
        if !is_same {
            return Err(Failure::Broken("the saved picture is another one".into()));
        }
        session.act(&["key", "r"])?;
        session
            .until("the time does not start again", |session| paused_at(&session.title()).is_some_and(|t| t == "0"))?;
        session.act(&["key", "space"])?;
        session.until("it does not go on", |session| session.title().contains("frames/s"))?;
        session.act(&["key", "Escape"])?;
        match session.end()?.success() {
            true => Ok(()),
            false => Err(Failure::Broken("a closed window is no success".into())),
        }
    }

    /// The window answers while a picture is drawn.
    fn closes_while_it_draws(&self) -> Result<(), Failure> {
        let (mut session, _) = self.open(SLOW, &[])?;
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        session.act(&["key", "Escape"])?;
        let status = session.end()?;
        match status.success() && start.elapsed() < Duration::from_secs(5) {
            true => Ok(()),
            false => Err(Failure::Broken("a window does not close while its shader is drawn".into())),
        }
    }

    fn has_no_display(&self) -> Result<(), Failure> {
        let mut command = self.planish();
        command.env_remove("DISPLAY").args(["run", "--window"]).arg(self.write(SHADER)?);
        let output = command.output()?;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() == Some(2) && message.contains("there is no display for a window") {
            true => Ok(()),
            false => Err(Failure::Broken(format!("without a display: {message}"))),
        }
    }
}

/// The time in the title of a window that pauses.
fn paused_at(title: &str) -> Option<String> {
    let (_, rest) = title.split_once("paused at ")?;
    Some(rest.split_once(" s,")?.0.to_owned())
}
