//! Options of `compile` that do nothing for a target.

use planish::Target;
use planish::diagnostic::{Code, Diagnostic};
use planish::ir::source::Span;

use crate::args::Compile;
use crate::compile::has_interface;

/// An option, and the targets on whose output it has an effect.
struct Row {
    name: &'static str,
    is_given: fn(&Compile) -> bool,
    has: fn(Target) -> bool,
    /// Those targets, for people.
    targets: &'static str,
}

const DEVICES: &str = "WGSL, SPIR-V, MSL and HLSL";

/// Options of object files are not here: they are errors without one.
const ROWS: &[Row] = &[
    Row {
        name: "--glsl-version",
        is_given: |args| args.glsl_version.is_some(),
        has: |target| target == Target::Glsl,
        targets: "GLSL",
    },
    Row { name: "--vulkan", is_given: |args| args.vulkan, has: |target| target == Target::Glsl, targets: "GLSL" },
    Row {
        name: "--minify",
        is_given: |args| args.minify,
        has: |target| matches!(target, Target::Glsl | Target::Wgsl | Target::Hlsl | Target::Wasm | Target::Wat),
        targets: "GLSL, WGSL, HLSL and WebAssembly",
    },
    Row { name: "--flip-y", is_given: |args| args.flip_y, has: has_clip_space, targets: DEVICES },
    Row { name: "--adjust-depth", is_given: |args| args.adjust_depth, has: has_clip_space, targets: DEVICES },
    Row {
        name: "--spirv-version",
        is_given: |args| args.spirv_version.is_some(),
        has: |target| target == Target::Spirv,
        targets: "SPIR-V",
    },
    Row {
        name: "--shader-model",
        is_given: |args| args.shader_model.is_some(),
        has: |target| target == Target::Hlsl,
        targets: "HLSL",
    },
    Row {
        name: "--debug-info",
        is_given: |args| args.debug_info,
        has: |target| {
            let has_names = matches!(target, Target::Spirv | Target::Wasm | Target::Wat);
            // Listings, objects and C have places in any case.
            has_names || target.is_graph() || has_interface(target) || matches!(target, Target::Asm | Target::Alloc)
        },
        targets: "SPIR-V, WebAssembly and graphs",
    },
];

fn has_clip_space(target: Target) -> bool {
    matches!(target, Target::Wgsl | Target::Spirv | Target::SpirvNaga | Target::Msl | Target::Hlsl)
}

/// A warning for each option that is given and has no effect on one of the targets.
pub(crate) fn unused_options(args: &Compile, targets: &[Target]) -> Vec<Diagnostic> {
    let warning = |row: &Row| {
        let mut without: Vec<&str> =
            targets.iter().filter(|&&target| !(row.has)(target)).map(|target| target.info().name).collect();
        without.dedup();
        let message = format!("{} has no effect on {}", row.name, without.join(", "));
        let warning = Diagnostic::warning(Code::W0151, Span::NONE, message);
        (!without.is_empty()).then(|| warning.help(format!("it is an option of {}", row.targets)))
    };
    ROWS.iter().filter(|row| (row.is_given)(args)).filter_map(warning).collect()
}
