//! Restaging: the one transformation of functions. An interpreter walks the source function in the order of its tree and
//! writes a new one with the builder, under a substitution from source values to new values.
//!
//! Two interpreters differ in what they write. [`restage`] writes the same form with the same constructs; a pass states in a
//! [`Stage`] how it differs from copying. [`rewrite`] writes the floating form: it tracks what memory holds and which branches
//! were taken, and so decides which constructs are needed at all; a pass states in a [`Policy`] what it wants of this. The
//! schedule then places the nodes again.
//!
//! ```text
//! source:  b0: %0 = load v1       new:  b0: %0 = load v1
//!              %1 = negate %0               (stage: negate of a load is dropped, %1 -> %0)
//!              store v2, %1                 store v2, %0
//! ```
//!
//! # Reading order
//!
//! 1. `copy`, `exits`: [`Stage`] and [`restage`], the copying interpreter.
//! 2. `source`, `arguments`, `spread`: the source function as a rewrite sees it: its tree, variables that can be promoted, loops that
//!    repeat, arguments of block inputs, and variables that stay in memory since promotion would be quadratic.
//! 3. `state`: the abstract state and its undo log.
//! 4. `engine`: frames, the main loop, nodes. `construct`: the interpreter's stack.
//! 5. `slots`, `memory`, `bytes`, `share`, `facts`: transfer: promoted memory, other memory, byte memories, value numbering, conditions.
//! 6. `join`: meet. `control`, `ifs`, `switches`, `calls`: constructs and their ends.
//! 7. `loops`: the fixpoint. `unroll`: loops that are written out.
//! 8. `converged`: functions that a rewrite can skip. `parallel`: many functions at once. `mode`, `flat`: flattening, as another mode of the interpreter.
//!
//! # The analysis
//!
//! The interpreter is a forward data-flow analysis that writes code as it goes.
//!
//! - **Lattice.** The state maps keys to values of the new function; a key without a value is *unknown*. Keys: a slot (part
//!   of a promoted variable, always known in its scope), the memory at a pointer, a fact (`v` equals `w` here), the result of
//!   a node that was made, a place of a byte memory with its value (128 keys), the end up to which accesses from an address are
//!   in bounds. Per key, a known value is above *unknown*, and two different values are incomparable. An unreachable point has
//!   no state (top): no edge leads there.
//! - **Transfer.** A node is made by the builder under the rules, on the new operands. A load gives the known value of its place
//!   and makes the place known; a store sets it and makes unknown what may alias (`planish_ir::aliasing`); a call or barrier makes
//!   unknown what it may write (summaries); a taken branch adds the facts that its condition implies.
//! - **Meet.** Each edge carries its changes since the construct that it leaves was entered. A key is known at the merge if all edges
//!   have the same value, and that value is visible there; of ends, the least. Slots never become unknown: where values differ, they become a `select`
//!   of the two arms of an `If`, or an input of the merge block, which is the new value.
//! - **Loops.** Optimistic: the first iteration assumes that nothing is loop-carried. If a back edge has another value for a key or
//!   an input, the written blocks are rolled back, the key becomes an input of the header (slots) or unknown (others), and the
//!   loop is interpreted again. The set of loop-carried keys only grows, so this ends; after `MOST_TIMES` attempts, and in
//!   loops nested deeper than `MOST_TRIED`, every key that the loop stores to is loop-carried from the start. Each block is therefore
//!   interpreted a bounded number of times, whatever the nesting depth.

mod arguments;
mod bytes;
mod calls;
mod construct;
mod control;
mod converged;
mod copy;
mod engine;
pub(crate) mod exits;
mod facts;
mod flat;
mod ifs;
mod join;
mod loops;
mod memory;
mod mode;
mod parallel;
mod share;
mod slots;
mod source;
mod spread;
mod state;
mod switches;
mod unroll;

use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{self, Builder};
use planish_ir::decoration::Decoration;
use planish_ir::entity::{Func, Node, Value, Var};
use planish_ir::function::{Body, Form};
use planish_ir::module::{Module, Stage as ShaderStage};
use planish_ir::ops::Op;
use planish_ir::walk;

pub use copy::{Identity, Stage, copy_node, restage};
pub(crate) use exits::{CopyExit, copy_exit};
pub use flat::{Flattening, flatten};

use crate::analysis::call_graph::CallGraph;
use crate::analysis::summaries::Summaries;
use crate::context::Context;
use crate::rules::Rules;
use engine::Engine;
use source::Source;
pub(crate) use source::{Root, is_pointer, root};

/// The transformations of [`rewrite`] beyond the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Policy {
    /// Variables become values.
    pub promote: bool,
    /// Use facts from branches and the known content of memory.
    pub facts: bool,
    /// Replace a branch whose arms have no effects by selects.
    pub select: bool,
    /// When one arm exits, sink the code after the `If` into the other arm if both reach the same target.
    pub nest: bool,
    /// Unroll loops with few iterations.
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

/// The facts about the module that persist while its functions are rewritten.
#[derive(Clone)]
pub(crate) struct Env {
    bodies: SideTable<Func, Option<Arc<Source>>>,
    /// Functions whose calls are inlined.
    inline: SideTable<Func, bool>,
    /// Global variables that one function alone uses.
    sole: SideTable<Var, Option<Func>>,
    /// Entry points without callers.
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
        let sole = if asks { source::sole_users(module) } else { SideTable::new() };
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
    fn body(&mut self, module: &Module, func: Func, limit: u32) -> Arc<Source> {
        if let Some(source) = &self.bodies[func] {
            return Arc::clone(source);
        }
        let body = module.funcs[func].body.clone().expect("only functions with a body are inlined");
        let source = Arc::new(self.look(module, body, limit));
        self.bodies[func] = Some(Arc::clone(&source));
        source
    }

    /// Looks at a function; its callees that are inlined have been looked at.
    fn look(&mut self, module: &Module, body: Body, limit: u32) -> Source {
        let mut callees: Vec<Func> = Vec::new();
        for node in walk::blocks(&body).flat_map(|b| body.blocks[b].nodes.iter().copied()) {
            if body.node(node).op == Op::Call {
                callees.extend(body.args(node)[0].as_func().filter(|&f| self.inline[f]));
            }
        }
        callees.sort_unstable();
        callees.dedup();
        // Recursion: once: callees come first, so their sources are there.
        let bodies: Vec<(Func, Arc<Source>)> = callees.into_iter().map(|f| (f, self.body(module, f, limit))).collect();
        let inlined = |callee: Value, param: usize| {
            let func = callee.as_func();
            let found = bodies.iter().find(|(f, _)| Some(*f) == func);
            found.is_some_and(|(_, source)| source.can_promote(Root::Param(param as u32)))
        };
        Source::new(module, body, limit, self.flat, &inlined)
    }
}

/// Rewrites the wanted functions of the module, callees first, with the rules and under a policy; `inline` marks the functions whose calls
/// are inlined, and `graph` is the call graph. Functions are placed again afterwards.
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
    // Functions that cannot be called any more are skipped; another pass removes them.
    let reached = match policy.uncalled {
        true => Some(graph.with_callees(module.funcs.keys().filter(|&func| wanted(func)))),
        false if module.entry_points.is_empty() => None,
        false => Some(crate::analysis::reachable::reachable(module)),
    };
    let is_left = |func: Func| module.funcs[func].body.is_none() || reached.as_ref().is_some_and(|r| !r[func]);
    let step = |func: Func| match () {
        () if env.inline[func] && !env.is_entry[func] => Step::Inlined,
        () if wanted(func) => Step::Rewritten,
        () => Step::LookedAt,
    };
    let order = graph.callees_first().into_iter().filter(|&func| !is_left(func));
    let steps: Vec<(Func, Step)> = order.map(|func| (func, step(func))).collect();
    // They are inlined as they are now.
    for &(func, _) in &steps {
        if env.inline[func] {
            env.body(module, func, context.options.limits.split_components);
        }
    }
    if parallel::pays(module, &steps, &context.options) {
        parallel::rewrite(module, context, policy, env, graph, &steps, &rules);
    } else {
        let mut writer = Writer::new(policy);
        for &(func, step) in &steps {
            writer.step(module, &mut env, context, &rules, func, step);
        }
    }
    rules.report(module, context);
}

/// Treatment of a function by [`rewrite`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// It goes into its callers as it is; rewritten by itself first, a chain of calls would cost its length squared.
    Inlined,
    /// Its effects are found for its callers.
    LookedAt,
    /// It is rewritten, if that changes anything.
    Rewritten,
}

/// Rewrites one function after the other.
struct Writer<'a> {
    policy: &'a Policy,
    floating: builder::Scratch,
    placed: builder::Scratch,
}

impl<'a> Writer<'a> {
    fn new(policy: &'a Policy) -> Self {
        Writer { policy, floating: builder::Scratch::default(), placed: builder::Scratch::default() }
    }

    /// Takes the step of a function whose callees have taken theirs. Returns its source if it is rewritten.
    fn step(
        &mut self,
        module: &mut Module,
        env: &mut Env,
        context: &mut Context,
        rules: &Rules,
        func: Func,
        step: Step,
    ) -> Option<Arc<Source>> {
        let mut source = None;
        match step {
            Step::Inlined | Step::LookedAt => {}
            Step::Rewritten if env.has_converged(module, func, self.policy) => context.count("FunctionsConverged", 1),
            Step::Rewritten => source = Some(self.rewrite(module, env, context, rules, func)),
        }
        env.summaries.look_at(module, func);
        source
    }

    fn rewrite(
        &mut self,
        module: &mut Module,
        env: &mut Env,
        context: &mut Context,
        rules: &Rules,
        func: Func,
    ) -> Arc<Source> {
        let rules = self.policy.rules.then_some(rules as &dyn builder::Rewriter);
        let building = builder::Policy { form: Form::Floating, fold: true, share: true, rules };
        let body = module.funcs[func].body.take().expect("only functions with a body are rewritten");
        let repeats = converged::repeats_a_condition(&body);
        let limit = context.options.limits.split_components;
        let source = Arc::new(env.look(module, body, limit));
        let builder = Builder::with_scratch(module, func, building, std::mem::take(&mut self.floating));
        let (scratch, mut report) = Engine::new(builder, env, self.policy, context).run(func, Arc::clone(&source));
        self.floating = scratch;
        let around = &env.loops_around;
        let moved = crate::schedule::schedule(module, func, &env.summaries, around, context, &mut self.placed);
        env.loops_around.clear();
        let body = module.funcs[func].body.as_ref();
        report.is_same = body.is_some_and(|body| body.is_same(&source.body));
        if !report.is_same {
            let size = |body: &Body| walk::blocks(body).map(|block| 1 + body.blocks[block].nodes.len() as u64).sum();
            let (before, after): (u64, u64) = (size(&source.body), body.map_or(0, size));
            context.changed_by(before.abs_diff(after));
        }
        // Merged arms have more in common than one rewrite finds.
        let lets_go = |body: &Body| self.policy.promote && source.lets_go(module, body, limit);
        report.leaves_more |= repeats || moved || !report.is_same && body.is_some_and(lets_go);
        env.note_convergence(module, func, self.policy, report, context);
        source
    }
}
