//! Flattening as a policy of the same interpreter: everything goes into one block. Both arms of an `If` are interpreted one
//! after the other, loops iteration by iteration, calls in place; an exit of a construct is an edge with a *predicate*; where edges
//! meet, selects on the predicates choose.
//!
//! ```text
//! if c { return 1 }  x = 2; return x        %r = select %c, 1, 2
//! ```
//!
//! An edge's predicate holds relative to the construct that it leaves to, given that no earlier edge to it was taken: it is the
//! conditions of the arms around, and that no construct around was left before. So edges in order make a chain of selects,
//! the last of which is the rest, and straight-line code has no predicate at all. Code after an exit that was taken is computed
//! all the same, on arbitrary values; its results are unused. Only ops that can trap need to know whether they run in
//! truth: it gets safe operands where it does not. All of this is linear in the size of the output.

mod cases;
mod choices;
mod effects;
mod externals;
mod loops;
mod mode;
mod predicates;
mod ranges;
mod refusals;

use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{self, Builder};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Value, Var};
use planish_ir::function::{Form, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::engine::Engine;
use super::memory::Made;
use super::slots::Shape;
use super::{Env, Policy};
use crate::analysis::call_graph::CallGraph;
use crate::context::Context;
use crate::rules::{RuleSet, Rules};
use mode::Predicated;
use refusals::Work;

pub(in crate::restage) use cases::Cases;
pub(in crate::restage) use choices::Choice;
pub(in crate::restage) use loops::Forecast;

/// The parameters of [`flatten`].
#[derive(Clone, Debug)]
pub struct Flattening<'a> {
    /// The rules that are applied to new nodes.
    pub sets: &'a [RuleSet],
    /// Functions whose calls stay.
    pub leaves: Vec<Func>,
}

/// Flattens one function in place: calls inlined, loops written out, branches predicated; one block, perhaps followed by
/// `if`s that discard or trap.
///
/// # Errors
/// What cannot be flattened, each with its place in the source; the function is then as it was.
pub fn flatten(
    module: &mut Module,
    func: Func,
    how: &Flattening<'_>,
    context: &mut Context,
) -> Result<(), Vec<Diagnostic>> {
    let Some(body) = module.funcs[func].body.clone() else {
        let function = &module.funcs[func];
        let message = format!("`{}` has no body", function.name.text);
        return Err(vec![Diagnostic::error(Code::E1104, function.span, message)]);
    };
    let graph = CallGraph::new(module);
    let reached = reach(module, func, &how.leaves, &graph)?;
    let mut inline: SideTable<Func, bool> = SideTable::new();
    reached.iter().for_each(|&f| inline[f] = true);
    let mut env = Env::new(module, &graph, inline);
    env.flat = true;
    // Callees first, so that no look at one goes into others.
    for &callee in reached.iter().filter(|&&f| f != func && module.funcs[f].body.is_some()) {
        env.body(module, callee, context.options.limits.flat_components);
    }
    let globals = written_globals(module, &reached);
    let source = Arc::new(env.look(module, body, context.options.limits.flat_components));
    let rules = Rules::with_sets(&context.options, how.sets);
    let building = builder::Policy { form: Form::Floating, fold: true, share: true, rules: Some(&rules) };
    let policy = Policy { nest: false, ..Policy::SIMPLIFY };
    let mut engine = Engine::new(Builder::new(module, func, building), &mut env, &policy, context);
    engine.flat = Some(Flat::new(how.leaves.clone()));
    engine.mode = &Predicated;
    if refusals::is_refused(engine.b.module, func, &source, &how.leaves) {
        engine.flat_mut().work.refuse();
    }
    engine.begin(func, &source);
    engine.promote_externals(func, &source, &globals);
    engine.stack[0].log = engine.state.mark();
    engine.interpret();
    let problems = std::mem::take(&mut engine.flat_mut().problems);
    if !problems.is_empty() {
        // The partial output is dropped with the builder.
        return Err(problems);
    }
    engine.b.finish();
    rules.report(module, context);
    crate::schedule::place(module, func, context);
    Ok(())
}

/// The functions that flattening one inlines, itself included, callees first.
///
/// # Errors
/// If one of them calls itself.
fn reach(module: &Module, func: Func, leaves: &[Func], graph: &CallGraph) -> Result<Vec<Func>, Vec<Diagnostic>> {
    let mut reached: FxHashSet<Func> = FxHashSet::default();
    let mut stack = vec![func];
    while let Some(next) = stack.pop() {
        let Some(body) = &module.funcs[next].body else { continue };
        if !reached.insert(next) {
            continue;
        }
        if graph.is_recursive(next) {
            let cycle = graph.cycle(next, usize::MAX);
            let names: Vec<&str> = cycle.iter().map(|&f| &*module.funcs[f].name.text).collect();
            let message = format!("`{}` calls itself: {}", names[0], names.join(" → "));
            let help = "write it with a loop that has a constant bound";
            return Err(vec![Diagnostic::error(Code::E1102, module.funcs[next].span, message).help(help)]);
        }
        let calls = body.nodes().filter(|(_, data)| data.op == Op::Call);
        let callees = calls.filter_map(|(node, _)| body.args(node)[0].as_func());
        stack.extend(callees.filter(|f| !leaves.contains(f)));
    }
    Ok(graph.callees_first().into_iter().filter(|f| reached.contains(f)).collect())
}

/// Private variables and outputs that functions use, in the order of the module.
fn written_globals(module: &Module, funcs: &[Func]) -> Vec<Var> {
    let mut used: SideTable<Var, bool> = SideTable::new();
    for body in funcs.iter().filter_map(|&f| module.funcs[f].body.as_ref()) {
        let args = body.nodes().flat_map(|(node, _)| body.args(node));
        args.filter_map(|a| a.as_var()).for_each(|var| used[var] = true);
    }
    let own = |var: &Var| matches!(module.vars[*var].space, AddressSpace::Private | AddressSpace::Output);
    module.globals.iter().copied().filter(own).filter(|&var| used[var]).collect()
}

/// The state of the interpreter that only flattening needs.
pub(in crate::restage) struct Flat {
    /// Functions whose calls stay.
    pub(in crate::restage) leaves: Vec<Func>,
    /// Whether the fragment is discarded.
    discard: Option<Value>,
    /// Traps in order: whether they happen, and which.
    traps: Vec<(Value, TrapKind, Span)>,
    /// Whether the function has ended by one of both.
    ended: Option<Value>,
    /// Memory from outside that lives in values until the function returns, with the pointer to it.
    externals: Vec<(Shape, Value)>,
    /// Nodes of which one is enough.
    made: FxHashMap<Made, Value>,
    /// Diagnostics of code that cannot be flattened.
    pub(in crate::restage) problems: Vec<Diagnostic>,
    /// Ranges of the values that conditions of loops were asked about; `None`: any number.
    ranges: FxHashMap<Value, Option<(f64, f64)>>,
    /// The work that was done, and how much of it there may be.
    work: Work,
}

impl Flat {
    pub(in crate::restage) fn new(leaves: Vec<Func>) -> Self {
        Flat {
            leaves,
            discard: None,
            traps: Vec::new(),
            ended: None,
            externals: Vec::new(),
            made: FxHashMap::default(),
            problems: Vec::new(),
            ranges: FxHashMap::default(),
            work: Work::default(),
        }
    }
}

impl Engine<'_, '_, '_> {
    pub(in crate::restage) fn flat_mut(&mut self) -> &mut Flat {
        self.flat.as_mut().expect("the function is being flattened")
    }

    /// Notes that something cannot be flattened.
    pub(in crate::restage) fn problem(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: &str,
        help: &str,
    ) {
        let problem = Diagnostic::error(code, span, message).label(label).help(help);
        let problems = &mut self.flat_mut().problems;
        // A loop is reported once.
        if !problems.iter().any(|p| p.span == span && p.code == code) {
            problems.push(problem);
        }
        self.flat_mut().work.refuse();
    }

    fn report_too_large(&mut self, span: Span, message: String) {
        let help = "give its loops fewer iterations, or raise the limit (`--limit flat_nodes=N`)";
        self.problem(Code::E1106, span, message, "the limit was reached here", help);
    }
}
