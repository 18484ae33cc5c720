//! Loops that go through the same elements become one.
//!
//! ```text
//! before: loop %i < %n { … append @xs, %x … }        after: loop %i < %n { … append @xs, %x
//!         %len = array_length @xs                              %s = load @sum; … store @sum, %s + %x …
//!         loop %j < %len, %s = 0.0 {                         }
//!           %x = load @xs[%j]                                %s = load @sum
//!           … %s + %x …
//!         }
//! ```
//!
//! - *Vertical*: a loop over all elements of a growable array runs, element by element, where the array is added to. The element is the value
//!   that was added, and its index the number of those before: right also where the array is made by a condition or by nested loops. An
//!   array that nothing else reads goes away.
//! - *Horizontal*: two loops from the same number to the same bound run together, in programs for processors.
//!
//! Every iteration of the second loop then runs before the later ones of the first. Nobody can tell, as long as
//!
//! - neither writes memory that the other, or code between them, reads or writes;
//! - at most one of them may trap, and the other then writes nothing that is seen from outside;
//! - the second uses nothing that is computed after the first has begun, except pure nodes, which are made before.
//!
//! An array of which only the length is used becomes a count, and one to which a loop from 0 adds one element in each iteration is as long as the
//! loop has iterations. So a test of an index of such an array goes away, and a loop of the same length may go through it. A loop that computes nothing
//! is removed.
//!
//! Nothing is computed twice, and no iteration changes its place among those of its own loop: sums of floats keep their order. A
//! loop over an array that stays by itself leaves a remark with the reason.
//!
//! **Holds before:** a valid, placed module. **Holds after:** the same.

mod counted;
mod effects;
mod fused;
mod lengths;
mod plan;

use planish_ir::arena::SideTable;
use planish_ir::entity::Func;
use planish_ir::function::Form;
use planish_ir::module::Module;

use crate::analysis::call_graph::CallGraph;
use crate::context::{Context, RemarkKind};
use crate::restage::{Policy, rewrite};

/// Rounds of fusing and simplifying: a loop over two arrays can be fused when it is seen that they are equally long.
const MOST_ROUNDS: usize = 4;

/// Fuses the loops of a module.
pub fn run(module: &mut Module, context: &mut Context) {
    for _ in 0..MOST_ROUNDS {
        let mut changed: SideTable<Func, bool> = SideTable::new();
        for func in module.funcs.keys().collect::<Vec<Func>>() {
            changed[func] |= lengths::run(module, func, context);
            while fuse(module, func, context) {
                changed[func] = true;
            }
            // (In others, loops that compute nothing are left by no pass before.)
            while changed[func] && remove(module, func, context) {}
            changed[func] |= counted::run(module, func, context);
        }
        if !module.funcs.keys().any(|func| changed[func]) {
            break;
        }
        let graph = CallGraph::new(module);
        rewrite(module, context, &Policy::SIMPLIFY, SideTable::new(), &graph, |func| changed[func]);
        crate::schedule::place_all(module, context);
    }
    for func in module.funcs.keys().collect::<Vec<Func>>() {
        for (span, reason) in plan::refusals(module, func) {
            let text = format!("the loop is not fused with the one before: {reason}");
            context.remark(RemarkKind::Missed, "NotFused", module, func, span, text);
        }
    }
}

/// Removes a loop of a function that computes nothing; returns whether there was any.
fn remove(module: &mut Module, func: Func, context: &mut Context) -> bool {
    let Some(body) = module.funcs[func].body.as_ref().filter(|body| body.form == Form::Placed) else { return false };
    let Some(plan) = lengths::dead(module, body) else { return false };
    fused::write(module, func, &plan);
    context.changed();
    context.count("LoopsRemoved", 1);
    true
}

/// Fuses two loops of a function; returns whether there were any.
fn fuse(module: &mut Module, func: Func, context: &mut Context) -> bool {
    let Some(body) = module.funcs[func].body.as_ref().filter(|body| body.form == Form::Placed) else { return false };
    let Some(plan) = plan::find(module, body) else { return false };
    let span = body.blocks[plan.consumer].exit_span;
    fused::write(module, func, &plan);
    context.changed();
    context.count("LoopsFused", 1);
    context.remark(RemarkKind::Passed, "Fused", module, func, span, "the loop runs with the one before".to_owned());
    true
}
