//! Options of `compile` that do nothing for a target, or name nothing.

use planish::diagnostic::{Code, Diagnostic, did_you_mean};
use planish::ir::source::Span;
use planish::module::Module;
use planish::{EmitOptions, Target};

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
        name: "--ops",
        is_given: |args| args.passes.ops.is_some() && args.passes.flatten.is_none(),
        has: Target::is_graph,
        targets: "graphs, and functions that are flattened",
    },
    Row {
        name: "--minify",
        is_given: |args| args.minify,
        has: |target| {
            let is_text = matches!(target, Target::Glsl | Target::Wgsl | Target::Msl | Target::Hlsl);
            is_text || matches!(target, Target::Wasm | Target::Wat | Target::Reflect)
        },
        targets: "GLSL, WGSL, MSL, HLSL, WebAssembly and reflection",
    },
    Row {
        name: "--comments",
        is_given: |args| args.comments,
        has: |target| {
            let is_shader = matches!(target, Target::Glsl | Target::Wgsl | Target::Msl | Target::Hlsl);
            is_shader || matches!(target, Target::C | Target::Rust)
        },
        targets: "GLSL, WGSL, MSL, HLSL, C and Rust",
    },
    Row { name: "--group", is_given: |args| args.group.is_some(), has: Target::numbers_resources, targets: DEVICES },
    Row {
        name: "--bind",
        is_given: |args| !args.bindings.is_empty(),
        has: Target::numbers_resources,
        targets: DEVICES,
    },
    Row {
        name: "--location",
        is_given: |args| !args.locations.is_empty(),
        has: Target::numbers_resources,
        targets: DEVICES,
    },
    Row {
        name: "--uniform",
        is_given: |args| !args.defaults.is_empty(),
        has: Target::is_graph,
        targets: "graphs; `planish run` takes values",
    },
    Row { name: "--hint", is_given: |args| !args.hints.is_empty(), has: Target::is_graph, targets: "graphs" },
    Row { name: "--flip-y", is_given: |args| args.flip_y, has: has_clip_space, targets: DEVICES },
    Row { name: "--adjust-depth", is_given: |args| args.adjust_depth, has: has_clip_space, targets: DEVICES },
    Row {
        name: "--spirv-version",
        is_given: |args| args.spirv_version.is_some(),
        has: |target| target == Target::Spirv,
        targets: "SPIR-V",
    },
    Row {
        name: "--msl-version",
        is_given: |args| args.msl_version.is_some(),
        has: |target| target == Target::Msl,
        targets: "MSL",
    },
    Row {
        name: "--msl-index",
        is_given: |args| !args.msl_index.is_empty(),
        has: |target| matches!(target, Target::Msl | Target::Reflect),
        targets: "MSL and reflection",
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
    target.numbers_resources() && target != Target::Reflect
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

/// A warning for each name in `--bind` and `--location` that a module has not. (What is wrong with the interface itself, the back end
/// says.)
pub(crate) fn unknown_names(args: &Compile, module: &Module, options: &EmitOptions) -> Vec<Diagnostic> {
    let mut warnings = unknown_uniforms(module, options);
    if args.bindings.is_empty() && args.locations.is_empty() {
        return warnings;
    }
    let without = EmitOptions { bindings: Default::default(), ..options.clone() };
    let Ok(reflection) = planish::reflect(module, &without) else { return warnings };
    let blocks = [&reflection.uniform_blocks, &reflection.storage_blocks];
    let others = [&reflection.textures, &reflection.samplers, &reflection.images];
    let mut resources: Vec<&str> = reflection.uniforms.iter().map(|uniforms| uniforms.variable).collect();
    for binding in blocks.into_iter().chain(others).flatten() {
        resources.extend([&*binding.name, &*binding.variable, binding.name.trim_end_matches("[0]")]);
    }
    let varyings: Vec<&str> = reflection.inputs.iter().chain(&reflection.outputs).map(|v| &*v.name).collect();
    let warning = |option: &str, name: &str, what: &str, known: &[&str]| {
        let message = format!("{option} has no effect: there is no {what} `{name}` in use");
        let warning = Diagnostic::warning(Code::W0151, Span::NONE, message);
        (!known.contains(&name)).then(|| match did_you_mean(name, known.iter().copied()) {
            Some(close) => warning.help(close),
            None => warning.help("--emit=reflect lists the names"),
        })
    };
    let bindings = args.bindings.iter().filter_map(|(name, _)| warning("--bind", name, "resource", &resources));
    let locations =
        args.locations.iter().filter_map(|(name, _)| warning("--location", name, "input or output", &varyings));
    warnings.extend(bindings.chain(locations));
    warnings
}

/// A warning for each name in `--uniform` and `--hint` that a graph has not. (What is wrong with the graph, the back end says.)
fn unknown_uniforms(module: &Module, options: &EmitOptions) -> Vec<Diagnostic> {
    if options.defaults.is_empty() && options.colors.is_empty() {
        return vec![];
    }
    let without = EmitOptions { defaults: Default::default(), colors: vec![], ..options.clone() };
    let Ok(graph) = planish::graph(module, &without) else { return vec![] };
    let known: Vec<&str> = graph.uniforms.iter().map(|uniform| &*uniform.name).collect();
    let warning = |name: &str, option: &str| {
        let message = format!("{option} has no effect: there is no uniform `{name}` in use");
        let warning = Diagnostic::warning(Code::W0151, Span::NONE, message);
        let help = did_you_mean(name, known.iter().copied()).map_or("--emit=graph-text lists the names", |near| near);
        (!known.contains(&name)).then(|| warning.help(help))
    };
    let defaults = options.defaults.keys().filter_map(|name| warning(name, "--uniform"));
    defaults.chain(options.colors.iter().filter_map(|name| warning(name, "--hint"))).collect()
}
