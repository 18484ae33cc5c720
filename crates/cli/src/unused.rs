//! Options of `compile` that do nothing for a target, or name nothing.

use planish::diagnostic::{Code, Diagnostic, did_you_mean};
use planish::ir::source::Span;
use planish::module::Module;
use planish::{EmitOptions, Target, unused_settings};

use crate::args::Compile;

/// A warning for each option that is given and has no effect on one of the targets.
pub(crate) fn unused_options(args: &Compile, targets: &[Target]) -> Vec<Diagnostic> {
    let options = [
        ("glsl-version", args.glsl_version.is_some()),
        ("vulkan", args.vulkan),
        ("ops", args.passes.ops.is_some()),
        ("flatten", args.passes.flatten.is_some()),
        ("minify", args.minify),
        ("comments", args.comments),
        ("group", args.group.is_some()),
        ("bind", !args.bindings.is_empty()),
        ("location", !args.locations.is_empty()),
        ("uniform", !args.defaults.is_empty()),
        ("hint", !args.hints.is_empty()),
        ("flip-y", args.flip_y),
        ("adjust-depth", args.adjust_depth),
        ("spirv-version", args.spirv_version.is_some()),
        ("msl-version", args.msl_version.is_some()),
        ("msl-index", !args.msl_index.is_empty()),
        ("msl-argument-buffers", args.msl_argument_buffers),
        ("shader-model", args.shader_model.is_some()),
        ("debug-info", args.debug_info),
    ];
    let given: Vec<&str> = options.into_iter().filter_map(|(name, is_given)| is_given.then_some(name)).collect();
    unused_settings(&given, targets, |name| format!("--{name}"))
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
