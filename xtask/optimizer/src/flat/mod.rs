//! `cargo xtask flatten`: every fragment shader of the corpus, flattened.
//!
//! For each shader, without and with `--fast-math` (whose bits differ, so without the first check):
//!
//! - **changed**: the evaluator's picture after some stage differs from that before the first;
//! - **not flat**: there is a branch, a loop or a call left;
//! - **residual**: a checker finds work left for folding or optimizing;
//! - **output**: a target rejects the flat twin.
//!
//! Shaders that cannot be flattened are counted by code: an unbounded loop is the shader's, anything else is our fault.

mod peer;
mod table;

use planish::flatten::checker::{fold_residuals, optimize_residuals};
use planish::flatten::{self, STAGES, is_flat};
use planish::ir::diagnostic::Code;
use planish::ir::function::Body;
use planish::ir::ops::Effect;
use planish::ir::walk;
use planish::module::{Module, Stage};
use planish::opt::remove_unreachable_functions;
use planish::{Context, EmitOptions, Target};
use xtask::corpus::Program;
use xtask::{Failure, pool};

use crate::meaning::Expected;
use crate::options::Options;
use crate::subject::{self, PATIENCE};
use peer::Peer;

/// The result of one program.
pub(crate) struct Row {
    pub(super) name: String,
    /// Whether it branches, loops, returns early or discards.
    pub(super) branches: bool,
    pub(super) end: End,
    pub(super) faults: Vec<(&'static str, String)>,
    /// Whether it may draw something else: it derives or samples in non-uniform control flow, where GLSL leaves
    /// derivatives undefined.
    pub(super) open: bool,
    /// Why nothing could be compared, if so.
    pub(super) undrawn: Option<String>,
    /// Residuals found by the checkers: check and description, without or with fast-math.
    pub(super) residuals: Vec<(&'static str, &'static str, String)>,
    /// The result of spirv-opt, if the program has branches.
    pub(super) peer: Option<Result<Peer, String>>,
}

impl Row {
    fn of(program: &Program) -> Row {
        Row {
            name: program.name(),
            branches: false,
            end: End::Lost,
            faults: vec![],
            open: false,
            undrawn: None,
            residuals: vec![],
            peer: None,
        }
    }
}

/// The result of flattening.
pub(crate) enum End {
    Flat(Counts),
    Refused {
        code: String,
        why: String,
    },
    /// It could not be read.
    Lost,
}

/// Nodes of a flat shader.
#[derive(Default)]
pub(crate) struct Counts {
    /// Before, as the front end reads it.
    pub(super) before: u64,
    /// After each stage, strict.
    pub(super) strict: Vec<u64>,
    /// After each stage, with fast-math.
    pub(super) fast: Vec<u64>,
    /// Instructions of its SPIR-V.
    pub(super) spirv: u64,
}

/// The whole run. Ends in `Broken` if there is a fault.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let tools = crate::size::tools().map_err(Failure::Missing)?;
    let mut programs = subject::programs(options)?;
    programs.retain(|p| p.stage == "frag");
    let outcomes = pool::run(&programs, options.jobs, PATIENCE, Program::name, |program| {
        pool::guarded(|| check(program, &tools))
            .unwrap_or_else(|panic| Row { faults: vec![("panic", panic)], ..Row::of(program) })
    });
    table::report(&outcomes, options)
}

fn check(program: &Program, tools: &str) -> Row {
    let mut row = Row::of(program);
    let module = match subject::compile(program) {
        Ok((module, _)) => module,
        Err(why) => {
            row.faults.push(("not compiled", why));
            return row;
        }
    };
    row.branches = module.funcs.values().filter_map(|f| f.body.as_ref()).any(|body| walk::blocks(body).count() > 1);
    let mut expected = match Expected::of(&module) {
        Ok(expected) => Some(expected),
        Err(why) => {
            row.undrawn = Some(why);
            None
        }
    };
    let mut counts = Counts { before: nodes(&module), ..Counts::default() };
    for fast_math in [false, true] {
        let mut flat = module.clone();
        let told = stages(&mut flat, fast_math, &mut expected, &mut row);
        match told {
            Ok(told) if fast_math => counts.fast = told,
            Ok(told) => {
                counts.strict = told;
                match output(program, &flat) {
                    Ok(instructions) => counts.spirv = instructions,
                    Err(why) => row.faults.push(("output", why)),
                }
            }
            Err((code, why)) => {
                row.end = End::Refused { code: code.to_string(), why };
                return row;
            }
        }
    }
    row.end = End::Flat(counts);
    if derives_in_branches(&module) {
        let (open, faults): (Vec<_>, Vec<_>) = row.faults.drain(..).partition(|(kind, _)| *kind == "changed");
        (row.open, row.faults) = (!open.is_empty(), faults);
    }
    if row.branches {
        row.peer = Some(peer::peer(program, &module, tools));
    }
    row
}

/// Whether a shader takes derivatives, its own or those of a texture's coordinates, in non-uniform control flow: GLSL
/// leaves them undefined there, while in the flat twin all fragments are active.
fn derives_in_branches(module: &Module) -> bool {
    let derives =
        |body: &Body, block| body.blocks[block].nodes.iter().any(|&n| body.node(n).op.info().effect == Effect::Quad);
    let bodies = || module.funcs.values().filter_map(|f| f.body.as_ref());
    let anywhere = |body: &Body| walk::blocks(body).any(|block| derives(body, block));
    let main = module.entry_point(Some(Stage::Fragment)).map(|e| e.func);
    let in_callees = module.funcs.iter().any(|(f, data)| Some(f) != main && data.body.as_ref().is_some_and(anywhere));
    bodies().any(|body| walk::blocks(body).skip(1).any(|block| derives(body, block)))
        || in_callees && bodies().any(|body| walk::blocks(body).count() > 1)
}

fn nodes(module: &Module) -> u64 {
    module.funcs.values().filter_map(|f| f.body.as_ref()).map(|body| walk::node_count(body) as u64).sum()
}

/// Runs the stages; the nodes after each.
fn stages(
    module: &mut Module,
    fast_math: bool,
    expected: &mut Option<Expected>,
    row: &mut Row,
) -> Result<Vec<u64>, (Code, String)> {
    let func = module.entry_point(Some(Stage::Fragment)).expect("a fragment shader has one").func;
    let options = flatten::Options { fast_math, ..flatten::Options::default() };
    let mut counts = Vec::new();
    for stage in STAGES {
        if let Err(errors) = (stage.run)(module, func, &options) {
            return Err((errors[0].code, errors[0].message.clone()));
        }
        let body = module.funcs[func].body.as_ref().expect("it has one");
        counts.push(walk::node_count(body) as u64);
        if !is_flat(module, body) {
            row.faults.push(("not flat", format!("after {}", stage.name)));
        }
        if let (false, Some(known)) = (fast_math, &mut *expected)
            && let Some(why) = known.compare(module)
        {
            row.faults.push(("changed", format!("{}: {why}", stage.name)));
            // Later stages are not compared.
            *expected = None;
        }
    }
    let setting = if fast_math { "fast" } else { "strict" };
    let found =
        [fold_residuals(module, func, &options), optimize_residuals(module, func, &options)].into_iter().flatten();
    row.residuals.extend(found.map(|r| (setting, r.check, format!("{}: {}", r.node, r.description))));
    remove_unreachable_functions::run(module, &mut Context::default());
    Ok(counts)
}

/// Writes the flat twin in every text target; the instructions of its SPIR-V.
fn output(program: &Program, module: &Module) -> Result<u64, String> {
    subject::write(module, Target::Glsl, &EmitOptions::default())?;
    let bytes = subject::write(module, Target::Spirv, &EmitOptions::default())?;
    crate::size::validated(program, "flat.spv", &bytes)?;
    Ok(crate::size::count(&bytes)?.body.into())
}
