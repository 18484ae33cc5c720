//! Restaging: the one way a function is transformed. An interpreter goes through the old function in the order of its
//! tree and writes a new one with the builder, under a substitution from old values to new.
//!
//! There are two of its kind, for what they write. [`restage`] writes the same form and the same constructs again, and a
//! pass says in a [`Stage`] what it does differently from copying. [`rewrite`] writes the floating form: it knows what memory
//! holds and what the branches taken say, and so decides what constructs are needed at all; a pass says in a [`Policy`]
//! which of this it wants. The schedule then makes the placed form again.
//!
//! ```text
//! old:  b0: %0 = load v1          new:  b0: %0 = load v1
//!           %1 = negate %0                  (stage: negate of a load is dropped, %1 -> %0)
//!           store v2, %1                    store v2, %0
//! ```

mod calls;
mod construct;
mod control;
mod copy;
mod engine;
pub(crate) mod exits;
mod facts;
mod feeds;
mod flat;
mod ifs;
mod join;
mod loops;
mod memory;
mod old;
mod settled;
mod share;
mod slots;
mod spread;
mod state;
mod switches;
mod unfinished;
mod unroll;

use std::rc::Rc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{self, Builder};
use planish_ir::decoration::Decoration;
use planish_ir::entity::{Func, Node, Value, Var};
use planish_ir::function::Form;
use planish_ir::module::{Module, Stage as ShaderStage};
use planish_ir::ops::Op;
use planish_ir::walk;

pub use copy::{Identity, Stage, copy_node, restage};
pub use flat::{Flattening, flatten};

use crate::call_graph::CallGraph;
use crate::context::Context;
use crate::rules::Rules;
use crate::summaries::Summaries;
use engine::Engine;
use old::Old;
pub(crate) use old::{Root, is_pointer, root};
pub(crate) use settled::Settled;

/// What [`rewrite`] does beyond applying the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Policy {
    /// Variables become values.
    pub promote: bool,
    /// What branches say is used, and what memory holds.
    pub facts: bool,
    /// Ways that meet become selects where nothing else is in them.
    pub select: bool,
    /// What follows a branch that leaves goes into the other branch, where both end at the same place.
    pub nest: bool,
    /// Loops with few rounds are unrolled.
    pub unroll: bool,
    /// The rules are applied.
    pub rules: bool,
    /// The wanted functions are rewritten although nothing calls them yet, and of the others only their callees are looked at.
    pub uncalled: bool,
}

impl Policy {
    /// All but unrolling.
    pub const SIMPLIFY: Policy =
        Policy { promote: true, facts: true, select: true, nest: true, unroll: false, rules: true, uncalled: false };
}

/// What is known of the module while its functions are rewritten.
pub(crate) struct Env {
    bodies: SideTable<Func, Option<Rc<Old>>>,
    /// Functions whose calls are inlined.
    inline: SideTable<Func, bool>,
    /// Global variables that one function alone uses.
    sole: SideTable<Var, Option<Func>>,
    /// Entry points that nobody calls.
    sole_entries: SideTable<Func, bool>,
    is_entry: SideTable<Func, bool>,
    summaries: Summaries,
    /// Whether functions are looked at to be flattened.
    flat: bool,
    /// By new node: the loops around it when it was made; only if that is to be explained.
    loops_around: SideTable<Node, u32>,
}

impl Env {
    fn new(module: &Module, graph: &CallGraph, inline: SideTable<Func, bool>) -> Self {
        let mut sole_entries: SideTable<Func, bool> = SideTable::new();
        let mut is_entry: SideTable<Func, bool> = SideTable::new();
        for entry in &module.entry_points {
            is_entry[entry.func] = true;
            sole_entries[entry.func] = entry.stage.is_some() && graph.calls_of(entry.func) == 0;
        }
        // Nobody else asks.
        let asks = module.entry_points.iter().any(|entry| sole_entries[entry.func]);
        let sole = if asks { old::sole_users(module) } else { SideTable::new() };
        Env {
            bodies: SideTable::new(),
            inline,
            sole,
            sole_entries,
            is_entry,
            summaries: Summaries::default(),
            flat: false,
            loops_around: SideTable::new(),
        }
    }

    fn is_sole_entry(&self, func: Func) -> bool {
        self.sole_entries[func]
    }

    /// Whether an output may live in values until the function returns.
    fn promotes_outputs(&self, module: &Module, func: Func, var: Var) -> bool {
        let stages = |stage| matches!(stage, Some(ShaderStage::Vertex | ShaderStage::Fragment));
        let fits = module.entry_points.iter().filter(|e| e.func == func).all(|e| stages(e.stage));
        let special = [Decoration::FramebufferFetch, Decoration::NonCoherent];
        fits && !special.into_iter().any(|d| module.vars[var].decorations.has(d))
    }

    /// A function whose calls are inlined, as it is now.
    fn body(&mut self, module: &Module, func: Func, limit: u32) -> Rc<Old> {
        if let Some(old) = &self.bodies[func] {
            return Rc::clone(old);
        }
        let body = module.funcs[func].body.clone().expect("only functions with an inside are inlined");
        let old = Rc::new(self.look(module, body, limit));
        self.bodies[func] = Some(Rc::clone(&old));
        old
    }

    /// Looks at a function; its callees that are inlined have been looked at.
    fn look(&mut self, module: &Module, body: planish_ir::function::Body, limit: u32) -> Old {
        let mut callees: Vec<Func> = Vec::new();
        for node in walk::blocks(&body).flat_map(|b| body.blocks[b].nodes.iter().copied()) {
            if body.node(node).op == Op::Call {
                callees.extend(body.args(node)[0].as_func().filter(|&f| self.inline[f]));
            }
        }
        callees.sort_unstable();
        callees.dedup();
        // Calls nest no deeper than the call graph, and callees come first, so this does not go deep.
        let bodies: Vec<(Func, Rc<Old>)> = callees.into_iter().map(|f| (f, self.body(module, f, limit))).collect();
        let inlined = |callee: Value, param: usize| {
            let func = callee.as_func();
            let found = bodies.iter().find(|(f, _)| Some(*f) == func);
            found.is_some_and(|(_, old)| old.can_promote(Root::Param(param as u32)))
        };
        Old::new(module, body, limit, self.flat, &inlined)
    }
}

/// Rewrites the wanted functions of the module, callees first, with the rules and under a policy; `inline` says whose calls are
/// inlined, and `graph` who calls whom. Functions are placed again afterwards.
pub(crate) fn rewrite(
    module: &mut Module,
    context: &mut Context,
    policy: &Policy,
    inline: SideTable<Func, bool>,
    graph: &CallGraph,
    wanted: impl Fn(Func) -> bool,
) {
    let rules = Rules::new(&context.options);
    let mut env = Env::new(module, graph, inline);
    let limit = context.options.limits.split_components;
    let asked = policy.rules.then_some(&rules as &dyn builder::Rewriter);
    let building = builder::Policy { form: Form::Floating, fold: true, share: true, rules: asked };
    let (mut floating, mut placed) = (builder::Room::default(), builder::Room::default());
    // What nobody can call any more waits for its removal.
    let reached = match policy.uncalled {
        true => Some(graph.with_callees(module.funcs.keys().filter(|&func| wanted(func)))),
        false if module.entry_points.is_empty() => None,
        false => Some(crate::remove_unreachable_functions::reachable(module)),
    };
    for func in graph.callees_first() {
        if module.funcs[func].body.is_none() || reached.as_ref().is_some_and(|r| !r[func]) {
            continue;
        }
        if env.inline[func] && !env.is_entry[func] {
            // It goes into its callers as it is; rewritten by itself first, a chain of calls would cost its length squared.
            env.body(module, func, limit);
            env.summaries.look_at(module, func);
            continue;
        }
        if !wanted(func) {
            env.summaries.look_at(module, func);
            continue;
        }
        let situation = env.situation(module, func, policy);
        if context.settled.has(situation) {
            context.count("FunctionsSettled", 1);
            env.summaries.look_at(module, func);
            continue;
        }
        let body = module.funcs[func].body.take().expect("it has one");
        let old = Rc::new(env.look(module, body, limit));
        let builder = Builder::with_room(module, func, building, std::mem::take(&mut floating));
        let (room, unfinished) = Engine::new(builder, &mut env, policy, context).run(func, Rc::clone(&old));
        floating = room;
        let unfinished = unfinished || module.funcs[func].body.as_ref().is_none_or(unfinished::is_unfinished);
        crate::schedule::schedule(module, func, &env.summaries, &env.loops_around, context, &mut placed);
        env.loops_around.clear();
        let after = env.situation(module, func, policy);
        let same = situation.is_some() && situation == after;
        if !same {
            context.changed();
        }
        if let Some(after) = after {
            let asks_twice = || module.funcs[func].body.as_ref().is_some_and(unfinished::asks_twice);
            if same || !(unfinished || context.settled.is_unfinished(situation) || asks_twice()) {
                env.settle(module, func, after, same, context);
            } else {
                context.settled.leave(after);
            }
        }
        env.summaries.look_at(module, func);
    }
    rules.report(module, context);
}
