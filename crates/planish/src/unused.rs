//! Settings that do nothing for a target.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use crate::kind::Target;

/// A setting, and the targets on whose output it has an effect.
struct Row {
    name: &'static str,
    has: fn(Target) -> bool,
    /// Those targets, for people.
    targets: &'static str,
}

const fn row(name: &'static str, has: fn(Target) -> bool, targets: &'static str) -> Row {
    Row { name, has, targets }
}

const DEVICES: &str = "WGSL, SPIR-V, MSL and HLSL";

/// Settings of object files are not here: they are errors without one.
const ROWS: &[Row] = &[
    row("glsl-version", |target| target == Target::Glsl, "GLSL"),
    row("vulkan", |target| target == Target::Glsl, "GLSL"),
    row("ops", Target::is_graph, "graphs, and functions that are flattened"),
    row(
        "minify",
        |target| is_shading(target) || matches!(target, Target::Wasm | Target::Wat | Target::Reflect),
        "GLSL, WGSL, MSL, HLSL, WebAssembly and reflection",
    ),
    row(
        "comments",
        |target| is_shading(target) || matches!(target, Target::C | Target::Rust),
        "GLSL, WGSL, MSL, HLSL, C and Rust",
    ),
    row("group", Target::numbers_resources, DEVICES),
    row("bind", Target::numbers_resources, DEVICES),
    row("location", Target::numbers_resources, DEVICES),
    row("uniform", Target::is_graph, "graphs; values for a picture are given when it is drawn"),
    row("hint", Target::is_graph, "graphs"),
    row("flip-y", has_clip_space, DEVICES),
    row("adjust-depth", has_clip_space, DEVICES),
    row("spirv-version", |target| target == Target::Spirv, "SPIR-V"),
    row("msl-version", |target| target == Target::Msl, "MSL"),
    row("msl-index", |target| matches!(target, Target::Msl | Target::Reflect), "MSL and reflection"),
    row("msl-argument-buffers", |target| matches!(target, Target::Msl | Target::Reflect), "MSL and reflection"),
    row("shader-model", |target| matches!(target, Target::Hlsl | Target::Reflect), "HLSL and reflection"),
    row("debug-info", has_debug_info, "SPIR-V, WebAssembly and graphs"),
];

/// Shading languages that are text.
fn is_shading(target: Target) -> bool {
    matches!(target, Target::Glsl | Target::Wgsl | Target::Msl | Target::Hlsl)
}

fn has_clip_space(target: Target) -> bool {
    target.numbers_resources() && target != Target::Reflect
}

fn has_debug_info(target: Target) -> bool {
    let has_names = matches!(target, Target::Spirv | Target::Wasm | Target::Wat);
    // Listings, objects and C have places in any case.
    let has_places = target.is_object() || matches!(target, Target::Asm | Target::Alloc | Target::C);
    has_names || has_places || target.is_graph()
}

/// A warning for each setting that is given and has no effect on one of the targets. `given` has names of [`SETTINGS`](crate::SETTINGS), and
/// `shown` makes of a name that by which the user knows it.
///
/// ```
/// let warnings = planish::unused_settings(&["minify", "vulkan"], &[planish::Target::Wgsl], |name| format!("--{name}"));
/// assert_eq!(warnings.len(), 1);
/// assert_eq!(warnings[0].message, "--vulkan has no effect on wgsl");
/// ```
pub fn unused_settings(given: &[&str], targets: &[Target], shown: impl Fn(&str) -> String) -> Vec<Diagnostic> {
    // Its ops are also those of functions that are flattened, for any target.
    let is_used = |row: &Row| row.name == "ops" && given.contains(&"flatten");
    let warning = |row: &Row| {
        let mut without: Vec<&str> =
            targets.iter().filter(|&&target| !(row.has)(target)).map(|target| target.info().name).collect();
        without.dedup();
        let message = format!("{} has no effect on {}", shown(row.name), without.join(", "));
        let warning = Diagnostic::warning(Code::W0151, Span::NONE, message);
        (!without.is_empty()).then(|| warning.help(format!("it is an option of {}", row.targets)))
    };
    ROWS.iter().filter(|row| given.contains(&row.name) && !is_used(row)).filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SETTINGS;

    /// Features leave settings out, and never add one.
    #[test]
    #[cfg(feature = "shaders")]
    fn rows_are_settings() {
        for row in ROWS {
            assert!(SETTINGS.iter().any(|setting| setting.name == row.name), "{}", row.name);
        }
    }
}
