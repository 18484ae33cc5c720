//! Loops with independent iterations run several of them at once, on 128-bit values.
//!
//! ```text
//! before: loop (%i = 0) while %i < %n {             after: %j = call @f_lanes(0, %n, …)
//!           %x = memory_load[in …] %i * 4                    loop (%i = %j) while %i < %n { … }
//!           memory_store[out …] %i * 4, %x * %a
//!         }                                                fn @f_lanes(…) { … 8 iterations at once … }
//! ```
//!
//! The loop stays as it was, for the last few iterations. What is computed is the same, in each bit:
//!
//! - Only integers are added up in another order, and floats whose sum is marked as `reassociable` (or all, with `--fast-math`): lane `l` of
//!   `n` has the elements `l`, `n + l`, `2 n + l`, …, lanes are added in pairs of neighbours, the sums again, and the result to the value
//!   before the loop.
//! - Accesses to memory are known to be in bounds, and meet those of other iterations nowhere.
//! - An iteration that traps has stored nothing before. A batch with such an iteration is left to the loop itself, which traps where it did.
//! - An `If` on a value that differs becomes code under masks ([`crate::widen`]).
//!
//! A loop is left as it is if that would cost more. Of a nest of loops the outermost is taken that
//! can be; its inner ones then run the same number of iterations in all lanes.
//!
//! **Holds before:** a valid, placed module. **Holds after:** the same, with functions of 128-bit values.

pub(crate) mod candidate;
mod lowered;

use planish_ir::builder::{Builder, Policy};
use planish_ir::entity::{Block, Func, Value};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::FxHashSet;

use self::candidate::Refusal;
use crate::context::{Context, RemarkKind};
use crate::widen::Iterations;

/// Lanes of a batch. (Vectors of two to four components are those of the source.)
const LANES: u8 = 8;

/// Vectorizes the loops of a module.
pub fn run(module: &mut Module, context: &mut Context) {
    for func in module.funcs.keys().collect::<Vec<Func>>() {
        function(module, func, context);
    }
}

fn function(module: &mut Module, func: Func, context: &mut Context) {
    let Some(body) = module.funcs[func].body.as_ref().filter(|body| body.form == Form::Placed) else { return };
    let is_loop = |&block: &Block| matches!(body.blocks[block].exit, Exit::Loop { .. });
    let loops: Vec<Block> = walk::blocks(body).filter(is_loop).collect();
    let tree = Tree::new(body);
    let mut done: FxHashSet<Block> = FxHashSet::default();
    for owner in loops {
        let around = |&outer: &Block| tree.is_inside(owner, outer);
        if done.iter().any(around) {
            continue;
        }
        let body = module.funcs[func].body.as_ref().expect("it has loops");
        let span = body.blocks[owner].exit_span;
        let found = candidate::find(module, body, &tree, owner, context.options.fast_math);
        match found.and_then(|found| vectorize(module, func, &found, context)) {
            Ok(()) => {
                done.insert(owner);
                let text = format!("{LANES} iterations run at once");
                context.remark(RemarkKind::Passed, "Vectorized", module, func, span, text);
            }
            Err(Refusal { span, reason }) => {
                let text = format!("the loop is not vectorized: {reason}");
                context.remark(RemarkKind::Missed, "NotVectorized", module, func, span, text);
            }
        }
    }
}

/// The loops of a body whose iterations are independent, and none of which traps.
pub(crate) fn independent_loops(module: &Module, body: &Body, tree: &Tree) -> Vec<Iterations> {
    let is_loop = |&block: &Block| matches!(body.blocks[block].exit, Exit::Loop { .. });
    let find = |owner| candidate::find(module, body, tree, owner, false).ok();
    walk::blocks(body).filter(is_loop).filter_map(find).filter(|found| !found.may_trap).collect()
}

/// Lets a function of lanes run what it can of a loop, if that is worth it.
fn vectorize(module: &mut Module, func: Func, found: &Iterations, context: &mut Context) -> Result<(), Refusal> {
    let body = module.funcs[func].body.as_ref().expect("it has loops");
    let span = body.blocks[found.owner].exit_span;
    let Some((mut wide, lanes)) = lowered::function_of_lanes(module, func, found, LANES, context) else {
        return Err(Refusal::new(span, "it has an operation that lanes lack"));
    };
    if !lowered::is_better(body, found, &wide.funcs[lanes], LANES) {
        return Err(Refusal::new(span, "it would cost more"));
    }
    let function = wide.funcs[lanes].clone();
    std::mem::swap(&mut module.types, &mut wide.types);
    (module.consts, module.vars) = (wide.consts, wide.vars);
    let added = module.add_func(function.name.clone(), vec![], vec![], span);
    debug_assert_eq!(added, lanes, "it has the number that it had by itself");
    module.funcs[lanes] = function;

    let body = module.funcs[func].body.take().expect("it has loops");
    let Exit::Loop { args: start, .. } = &body.blocks[found.owner].exit else { panic!("no loop") };
    let outside = found.outside.iter().map(|&local| local.into());
    let args: Vec<Value> = start.iter().copied().chain([found.bound]).chain(outside).collect();
    let mut builder = Builder::resume(module, func, body, Policy::PLAIN);
    builder.switch_to(found.owner);
    builder.at(span);
    let results = builder.call(lanes.into(), &args);
    builder.finish();
    let body = module.funcs[func].body.as_mut().expect("it was put back");
    if let Exit::Loop { args, .. } = &mut body.blocks[found.owner].exit {
        *args = results.into_iter().collect();
    }
    context.changed();
    context.count("LoopsVectorized", 1);
    Ok(())
}
