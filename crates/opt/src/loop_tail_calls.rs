//! Turns self tail calls into loops: the function returns the results of every call of itself directly, so it can as well
//! begin again with other arguments.
//!
//! ```text
//! before: fn @f(%n, %sum) {                    after: fn @f(%n, %sum) {
//!           if %n == 0 { merge %sum }                   loop %n, %sum { cond (%i, %s): loop_if true
//!           else { %0 = call @f %n - 1, %n + %sum         body: if %i == 0 { return %s }
//!                  merge %0 }                                   else { continue %i - 1, %i + %s } }
//!           (%r): return %r }                          … }
//! ```
//!
//! Holds before: placed functions. Left alone: functions with a call of themselves whose results are not returned as they
//! are, those that call themselves through others, and those that pass themselves another pointer (or sampler) than they
//! got: addresses are no values that a loop can carry. In WebAssembly, where a call without end must trap, so are plain
//! calls; `tail_call` becomes a loop there too.

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::entity::{Block, Const, Func, Node, Value};
use planish_ir::facts::Facts;
use planish_ir::function::{Args, Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::context::{Context, RemarkKind};
use crate::restage::{Stage, copy_node, restage};
use crate::return_tail_calls::is_returned;

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let plan = match find(module, func) {
            Ok(None) => continue,
            Ok(Some(plan)) => plan,
            Err(obstacle) => {
                let name = &module.funcs[func].name.text;
                let message = format!("`{name}` does not become a loop: {}", obstacle.why);
                context.remark(RemarkKind::Missed, "NotLooped", module, func, obstacle.span, message);
                continue;
            }
        };
        let function = &module.funcs[func];
        let message =
            format!("`{}` calls itself last ({} calls), and is a loop now", function.name.text, plan.calls.len());
        context.remark(RemarkKind::Passed, "Looped", module, func, function.span, message);
        let mut stage = LoopTailCalls { plan: &plan, owner: None, carried: Vec::new(), arguments: None };
        context.changed();
        restage(module, func, Policy::PLAIN, &mut stage);
    }
}

/// The rewriting of a function as a loop.
struct Plan {
    /// The calls of itself.
    calls: FxHashSet<Node>,
    /// The blocks that end with one.
    blocks: FxHashSet<Block>,
    /// The parameters that the calls change: the loop-carried ones.
    changes: Vec<bool>,
    /// Results for the exit of the loop that is never taken.
    nothing: Vec<Const>,
}

/// Why a function that calls itself stays as it is.
struct Obstacle {
    span: Span,
    why: &'static str,
}

/// The rewriting of a function; `None` if it does not call itself.
fn find(module: &mut Module, func: Func) -> Result<Option<Plan>, Obstacle> {
    let function = &module.funcs[func];
    let Some(body) = &function.body else { return Ok(None) };
    let calls = self_calls(body, func, module.facts);
    if calls.is_empty() {
        return Ok(None);
    }
    let tree = Tree::new(body);
    let inputs = &body.blocks[body.entry].inputs;
    let mut changes = vec![false; inputs.len()];
    for &(block, node) in &calls {
        let span = body.node(node).span;
        if !is_returned(body, &tree, block, node) {
            return Err(Obstacle { span, why: "the results of this call are not those returned next" });
        }
        for (i, (&arg, &input)) in body.args(node)[1..].iter().zip(inputs).enumerate() {
            changes[i] |= arg != input.into();
        }
    }
    let results: Vec<_> = function.results.iter().map(|r| r.ty).collect();
    let params: Vec<_> = function.params.iter().zip(&changes).filter(|(_, c)| **c).map(|(p, _)| p.ty).collect();
    let span = function.span;
    let Module { consts, types, .. } = module;
    // Types with a zero are those of block inputs.
    if !params.into_iter().all(|ty| consts.zero(types, ty).is_some()) {
        return Err(Obstacle { span, why: "it calls itself with another pointer than its own parameter" });
    }
    let nothing: Option<Vec<Const>> = results.into_iter().map(|ty| consts.zero(types, ty)).collect();
    let Some(nothing) = nothing else {
        return Err(Obstacle { span, why: "its result type has no zero" });
    };
    let (blocks, calls) = calls.into_iter().unzip();
    Ok(Some(Plan { calls, blocks, changes, nothing }))
}

/// The calls of a function by itself, each with the block that lists it.
fn self_calls(body: &Body, func: Func, facts: Facts) -> Vec<(Block, Node)> {
    // If endless calls must exhaust the stack, only calls that give up their frame are loops.
    let loops = |op: Op| op == Op::TailCall || op == Op::Call && !facts.bounded_stack;
    let is = |n: Node| loops(body.node(n).op) && body.args(n)[0].as_func() == Some(func);
    let listed = walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter().map(move |&n| (b, n)));
    listed.filter(|&(_, n)| is(n)).collect()
}

struct LoopTailCalls<'a> {
    plan: &'a Plan,
    /// The block that the loop ends.
    owner: Option<Block>,
    /// For each parameter that changes, the loop's value.
    carried: Vec<Option<Value>>,
    /// The arguments of the next iteration: the operands of the last call met.
    arguments: Option<Args>,
}

impl Stage for LoopTailCalls<'_> {
    fn enter(&mut self, builder: &mut Builder<'_, '_>) -> Block {
        let changes = &self.plan.changes;
        let first: Args = (0..changes.len()).filter(|&i| changes[i]).map(|i| builder.param(i)).collect();
        let blocks = builder.loop_(&first, false);
        self.owner = Some(blocks.owner);
        for (i, &changes) in changes.iter().enumerate() {
            let param = builder.param(i);
            let (ty, precision) = (builder.type_of(param), builder.precision_of(param));
            self.carried.push(changes.then(|| builder.add_input(blocks.condition, ty, precision)));
        }
        builder.switch_to(blocks.condition);
        builder.loop_if(Const::TRUE.into());
        builder.switch_to(blocks.merge);
        let nothing: SmallVec<[Value; 2]> = self.plan.nothing.iter().map(|&c| c.into()).collect();
        builder.ret(&nothing);
        blocks.body
    }

    fn param(&mut self, index: usize, builder: &mut Builder<'_, '_>) -> Option<Value> {
        self.carried[index].or_else(|| Some(builder.param(index)))
    }

    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        if !self.plan.calls.contains(&node) {
            return copy_node(old, node, args, builder);
        }
        let changed = args[1..].iter().zip(&self.plan.changes).filter(|(_, c)| **c).map(|(a, _)| *a);
        self.arguments = Some(changed.collect());
        // Only the exits that are replaced use its results.
        Results::new()
    }

    fn exit(&mut self, block: Block) -> Option<Exit> {
        if !self.plan.blocks.contains(&block) {
            return None;
        }
        let arguments = self.arguments.take().expect("the call is the last node of the block");
        Some(Exit::Continue(self.owner.expect("the loop is entered first"), arguments))
    }
}
