//! Pictures: some fragment shaders drawn by the evaluator, from their source and from our GLSL. They must be equal to
//! the bit.

use std::fmt::Write;
use std::path::Path;

use planish::eval::shade::{DrawOptions, draw};
use planish::module::Module;
use serde::Serialize;

use crate::check::guarded;
use crate::engine;
use crate::outcome::{Outcome, Reason};
use crate::outputs::glsl_folder;

/// Number of shaders of each package that are drawn.
const EACH: usize = 15;
/// Width and height: enough for four-by-four quads of derivatives, and no multiple of a batch of lanes.
const SIZE: [u32; 2] = [24, 20];

/// One comparison.
#[derive(Serialize)]
struct Picture {
    program: String,
    /// Number of differing pixels, or the reason why nothing was drawn.
    differing: Result<usize, Reason>,
    /// Number of distinct colours. A picture of one colour would hide differences.
    colours: usize,
}

/// All comparisons.
#[derive(Serialize)]
pub(crate) struct Pictures {
    pictures: Vec<Picture>,
}

/// Draws and compares. Shaders that could not be written as GLSL are left out: the table has them already.
pub(crate) fn compare(folder: &Path, outcomes: &[Outcome]) -> Pictures {
    let fragments: Vec<&Outcome> = outcomes.iter().filter(|o| o.program.stage == "frag" && o.glsl.is_fine()).collect();
    let mut pictures = vec![];
    for package in fragments.chunk_by(|a, b| a.program.package == b.program.package) {
        let step = package.len().div_ceil(EACH);
        pictures.extend(package.iter().step_by(step).map(|outcome| one(folder, outcome)));
    }
    Pictures { pictures }
}

fn one(folder: &Path, outcome: &Outcome) -> Picture {
    let program = &outcome.program;
    let mut colours = 0;
    let differing = guarded(|| {
        let original = render(&program.path(&folder.join("programs")))?;
        let ours = render(&program.path(&glsl_folder(folder)))?;
        let mut seen: Vec<[u32; 4]> = original.clone();
        seen.sort_unstable();
        seen.dedup();
        colours = seen.len();
        Ok(original.iter().zip(&ours).filter(|(a, b)| a != b).count())
    });
    Picture { program: format!("{}/{}", program.package, program.file), differing, colours }
}

/// The bits of each pixel.
fn render(path: &Path) -> Result<Vec<[u32; 4]>, Reason> {
    let source = std::fs::read_to_string(path).map_err(|error| Reason::new("harness", error.to_string()))?;
    let compiled = engine::compile("frag", &source)?;
    let options = DrawOptions { size: SIZE, time: 1.5, ..DrawOptions::default() };
    let picture = draw_module(compiled.module(), &options)?;
    // One NaN is as good as another.
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    Ok(picture.iter().map(|pixel| pixel.map(bits)).collect())
}

fn draw_module(module: &Module, options: &DrawOptions<'_>) -> Result<Vec<[f32; 4]>, Reason> {
    let image = draw(module, options).map_err(|error| Reason::new("evaluator", error.to_string()))?;
    Ok(image.float)
}

impl Pictures {
    /// The pictures that came out the same.
    fn same(&self) -> impl Iterator<Item = &Picture> {
        self.pictures.iter().filter(|p| matches!(p.differing, Ok(0)))
    }

    /// The section of the document.
    pub(crate) fn section(&self) -> String {
        let mut text = String::from("\n## Pictures\n\n");
        let [width, height] = SIZE;
        let (all, same) = (self.pictures.len(), self.same().count());
        let plain = self.same().filter(|p| p.colours == 1).count();
        let _ = writeln!(
            text,
            "{all} fragment shaders, evenly spread over the packages, drawn by the evaluator at {width}×{height}, once from the \
             original and once from the GLSL that we wrote: {same} are the same to the last bit ({plain} of them of one colour \
             under the default uniforms).",
        );
        for picture in &self.pictures {
            let _ = match &picture.differing {
                Ok(0) => Ok(()),
                Ok(n) => writeln!(text, "- `{}`: {n} of {} pixels differ", picture.program, width * height),
                Err(reason) => writeln!(text, "- `{}`: {}: {}", picture.program, reason.who, reason.message),
            };
        }
        text
    }

    /// Shortfalls: at least `least` pictures of several colours must be equal, and none may differ.
    pub(crate) fn complaints(&self, least: usize) -> Vec<String> {
        let mut complaints = vec![];
        let told = self.same().filter(|p| p.colours > 1).count();
        if told < least {
            complaints.push(format!("only {told} pictures of several colours are the same, the bar is {least}"));
        }
        let differing = self.pictures.iter().filter(|p| matches!(p.differing, Ok(1..))).count();
        if differing > 0 {
            complaints.push(format!("{differing} pictures differ; none may"));
        }
        complaints
    }
}
