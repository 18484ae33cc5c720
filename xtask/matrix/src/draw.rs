//! Options drawn from a stream of choices: of the front end, the passes, flattening, and the targets.

use planish::flatten::{Leaf, Visible};
use planish::module::Module;
use planish::opt::cost::TABLES;
use planish::opt::{Goal, LIMITS};
use planish::source::SourceMap;
use planish::{EmitOptions, Flattener, LEVELS, MslVersion, Optimizer, PASSES, SpirvVersion, TARGETS, Target, Version};
use planish_generate::Choices;

/// Values of randomly drawn limits: zero, small, and large.
const BOUNDS: [u32; 6] = [0, 1, 2, 7, 100, 3_000];

/// GLSL versions to write, besides that of the source.
const VERSIONS: [&str; 10] = ["100", "300es", "310es", "320es", "120", "150", "330", "430", "450", "460"];

/// A level or a list of passes, with options of its own.
pub(crate) fn optimizer(choices: &mut Choices<'_>) -> Optimizer {
    let level = choices.pick(LEVELS);
    let mut optimizer = Optimizer::level(level).expect("is a level");
    if choices.chance(30) {
        let count = 1 + choices.below(8);
        optimizer.passes = (0..count).map(|_| &PASSES[choices.below(PASSES.len())]).collect();
    }
    let options = &mut optimizer.options;
    options.fast_math = choices.chance(40);
    options.inline_all = choices.chance(20);
    options.keep_selects = choices.chance(10);
    options.explain = choices.chance(30);
    options.goal = if choices.chance(30) { Goal::Size } else { Goal::Speed };
    options.seed = if choices.chance(30) { 1 + choices.below(1000) as u64 } else { 0 };
    if choices.chance(20) {
        options.costs = Some(TABLES[choices.below(TABLES.len())].into());
    }
    for limit in LIMITS {
        if choices.chance(10) {
            limit.set(&mut options.limits, choices.pick(&BOUNDS));
        }
    }
    optimizer
}

/// All entry points or one function, flat; `None` two times of three.
pub(crate) fn flattener(choices: &mut Choices<'_>, module: &Module, optimizer: &Optimizer) -> Option<Flattener> {
    if !choices.chance(33) {
        return None;
    }
    let mut flattener = Flattener::default();
    match function(choices, module) {
        Some(name) if choices.chance(30) => flattener.functions.push(name),
        _ => flattener.entry_points = true,
    }
    let options = &mut flattener.options;
    options.fast_math = optimizer.options.fast_math;
    options.limits = optimizer.options.limits;
    options.expand_lerp = choices.chance(30);
    options.pack = choices.chance(50);
    let mut fused = || choices.chance(50);
    options.visible =
        Visible { mad: fused(), lerp: fused(), dot: fused(), hadd: fused(), hmin: fused(), hmax: fused() };
    if choices.chance(20) {
        let is_barrier = choices.chance(30);
        options.leaves.extend(function(choices, module).map(|name| Leaf { name, is_barrier }));
    }
    Some(flattener)
}

/// Options of a target.
pub(crate) fn emit_options(choices: &mut Choices<'_>, module: &Module, map: &SourceMap) -> EmitOptions {
    let version = choices.chance(60).then(|| Version::parse(choices.pick(&VERSIONS))).flatten();
    let stage = match choices.chance(10) && !module.entry_points.is_empty() {
        true => module.entry_points[choices.below(module.entry_points.len())].stage,
        false => None,
    };
    EmitOptions {
        version,
        stage,
        vulkan: choices.chance(25),
        minify: choices.chance(25),
        flip_y: choices.chance(25),
        adjust_depth: choices.chance(25),
        msl_version: MslVersion::ALL[choices.below(MslVersion::ALL.len())],
        spirv_version: SpirvVersion::ALL[choices.below(SpirvVersion::ALL.len())],
        debug_info: choices.chance(25).then(|| map.clone()),
        triple: choices.chance(60).then(|| choices.pick(&TRIPLES).to_owned()),
        prefix: if choices.chance(50) { "p".to_owned() } else { String::new() },
        function: if choices.chance(15) { function(choices, module) } else { None },
        ..EmitOptions::default()
    }
}

/// Processors and systems of object files.
const TRIPLES: [&str; 6] = [
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
];

/// A target that a module can be written for.
pub(crate) fn target(choices: &mut Choices<'_>) -> Target {
    loop {
        let target = TARGETS[choices.below(TARGETS.len())].target;
        if target != Target::Analysis {
            return target;
        }
    }
}

/// The name of one of the module's functions.
fn function(choices: &mut Choices<'_>, module: &Module) -> Option<String> {
    let names: Vec<_> = module.funcs.keys().map(|func| module.outside_name(func).to_string()).collect();
    (!names.is_empty()).then(|| names[choices.below(names.len())].clone())
}
