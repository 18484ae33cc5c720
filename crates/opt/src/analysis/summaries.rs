//! Side-effect summaries of functions: the memory they write, and whether a call may be shared or dropped.

use std::sync::Arc;

use planish_ir::aliasing::{Root, root};
use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use super::call_graph::CallGraph;

/// The side effects of a function that its callers observe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Summary {
    /// Orders itself with everything, or touches memory that other invocations see.
    pub(crate) world: bool,
    /// Whether it may write byte memories.
    pub(crate) bytes: bool,
    /// Variables of the module that it writes.
    pub(crate) writes: Vec<Var>,
    /// Pointer parameters that it writes through.
    pub(crate) params: Vec<u32>,
    /// Whether its results depend on nothing but its arguments and memory that never changes, and it always comes back: equal
    /// calls give equal results.
    pub(crate) is_function: bool,
    /// Whether it has loops, which may not end.
    pub(crate) has_loops: bool,
}

impl Summary {
    /// Looks at a function whose callees' summaries are known; `None` if one is not.
    fn of(module: &Module, body: &Body, summaries: &Summaries) -> Option<Summary> {
        let mut summary = Summary { is_function: true, ..Summary::default() };
        for block in walk::blocks(body) {
            match body.blocks[block].exit {
                Exit::Discard | Exit::Trap(_) => summary.is_function = false,
                Exit::Loop { .. } | Exit::DoLoop { .. } => summary.has_loops = true,
                _ => {}
            }
            for &node in &body.blocks[block].nodes {
                let op = body.node(node).op;
                let args = body.args(node);
                match op.info().effect {
                    Effect::Pure => {}
                    Effect::Load if op == Op::Load => {
                        summary.is_function &= module.floats(body, op, args) || is_local(module, body, args);
                    }
                    Effect::MayTrap
                    | Effect::Quad
                    | Effect::Subgroup
                    | Effect::Load
                    | Effect::ImageLoad
                    | Effect::NewToken => {
                        summary.is_function = false;
                    }
                    Effect::MemoryLoad | Effect::TableLoad => summary.is_function = false,
                    Effect::Store | Effect::Modify => summary.write(module, body, args[0])?,
                    Effect::Call if op == Op::Call => {
                        let callee = summaries.of_call(op, args)?;
                        summary.world |= callee.world;
                        summary.bytes |= callee.bytes;
                        summary.is_function &= callee.is_function;
                        summary.has_loops |= callee.has_loops;
                        summary.writes.extend(&callee.writes);
                        for &param in &callee.params {
                            summary.write(module, body, args[param as usize + 1])?;
                        }
                    }
                    Effect::Call => return None,
                    _ => {
                        summary.world = true;
                        summary.bytes |= op != Op::MemoryGrow;
                        // An op of the user's own may write to what its operands point to.
                        for &arg in
                            args.iter().filter(|arg| module.types.pointee(module.type_of(body, **arg)).is_some())
                        {
                            summary.write(module, body, arg)?;
                        }
                    }
                }
            }
        }
        summary.is_function &= !summary.world && summary.writes.is_empty() && summary.params.is_empty();
        summary.writes.sort_unstable();
        summary.writes.dedup();
        summary.params.sort_unstable();
        summary.params.dedup();
        Some(summary)
    }

    fn write(&mut self, module: &Module, body: &Body, pointer: Value) -> Option<()> {
        match root(body, pointer)? {
            Root::Var(var) if module.vars[var].space == AddressSpace::Function => {}
            Root::Var(var) => self.writes.push(var),
            Root::Param(param) => self.params.push(param),
        }
        Some(())
    }
}

/// Whether the loaded variable is local.
fn is_local(module: &Module, body: &Body, args: &[Value]) -> bool {
    let var = args.first().and_then(|&p| root(body, p));
    matches!(var, Some(Root::Var(var)) if module.vars[var].space == AddressSpace::Function)
}

/// The summaries of a module's functions; none for imports, and for those that come to call themselves or call through a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summaries(SideTable<Func, Option<Arc<Summary>>>);

impl Summaries {
    /// Of every function of a module.
    pub(crate) fn new(module: &Module) -> Self {
        Self::with_graph(module, &CallGraph::new(module))
    }

    /// Of every function of a module, for callers that have the call graph.
    pub(crate) fn with_graph(module: &Module, graph: &CallGraph) -> Self {
        let mut summaries = Summaries::default();
        for func in graph.callees_first() {
            summaries.look_at(module, func);
        }
        summaries
    }

    /// Looks at a function, whose callees have been looked at.
    pub(crate) fn look_at(&mut self, module: &Module, func: Func) {
        let Some(body) = &module.funcs[func].body else { return };
        let summary = Summary::of(module, body, self);
        self.0[func] = summary.map(Arc::new);
    }

    /// Sets the summary of a function that was looked at elsewhere.
    pub(crate) fn set(&mut self, func: Func, summary: Option<Arc<Summary>>) {
        self.0[func] = summary;
    }

    /// The summary of a function, if there is one.
    pub(crate) fn get(&self, func: Func) -> Option<&Arc<Summary>> {
        self.0[func].as_ref()
    }

    /// The summary of the callees of a call on these operands.
    pub(crate) fn of_call(&self, op: Op, args: &[Value]) -> Option<&Arc<Summary>> {
        if op != Op::Call {
            return None;
        }
        self.get(args.first()?.as_func()?)
    }
}
