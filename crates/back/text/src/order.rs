//! The order of functions in the output.

use planish_ir::arena::{Id, SideTable};
use planish_ir::decoration::NameSource;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;

use crate::lower::Written;

/// The functions in the order of the source; those that passes made come before, callees first. `order` is that of
/// [`call_order`], `main` a function that keeps its place.
pub fn source_order(module: &Module, order: &[Func], main: Option<Func>) -> Vec<Func> {
    let mut wanted = order.to_vec();
    let is_made = |f: Func| main != Some(f) && module.funcs[f].name.source == NameSource::Internal;
    wanted.sort_by_key(|&f| if is_made(f) { 0 } else { f.as_u32() + 1 });
    wanted
}

/// Functions that are called before they are defined.
pub fn called_early(module: &Module, functions: &[Written]) -> Vec<Func> {
    let mut seen: SideTable<Func, bool> = SideTable::new();
    let mut early: SideTable<Func, bool> = SideTable::new();
    for function in functions {
        seen[function.func] = true;
        let Some(body) = &module.funcs[function.func].body else { continue };
        for (node, data) in body.nodes() {
            if matches!(data.op, Op::Call | Op::TailCall)
                && let Some(callee) = body.args(node).first().and_then(|a| a.as_func())
                && !seen[callee]
            {
                early[callee] = true;
            }
        }
    }
    functions.iter().map(|f| f.func).filter(|&f| early[f]).collect()
}

/// Functions that are reached.
#[derive(Debug, Default)]
pub struct CallOrder {
    /// Callees before callers, but for functions that call themselves.
    pub functions: Vec<Func>,
    /// A function that calls itself, directly or not.
    pub recursive: Option<Func>,
}

/// All functions that `roots` reach.
pub fn call_order(module: &Module, roots: &[Func]) -> CallOrder {
    #[derive(Clone, Copy, PartialEq, Default)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut state: SideTable<Func, State> = SideTable::with_capacity(module.funcs.len());
    let mut order = CallOrder::default();
    let mut stack: Vec<(Func, Vec<Func>)> = Vec::new();
    for &root in roots {
        if state[root] == State::New {
            state[root] = State::Open;
            stack.push((root, callees(module, root)));
        }
        while let Some((func, rest)) = stack.last_mut() {
            let func = *func;
            match rest.pop() {
                Some(next) if state[next] == State::New => {
                    state[next] = State::Open;
                    stack.push((next, callees(module, next)));
                }
                Some(next) if state[next] == State::Open => order.recursive = order.recursive.or(Some(next)),
                Some(_) => {}
                None => {
                    state[func] = State::Done;
                    order.functions.push(func);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// The functions that a function calls, the first call last.
fn callees(module: &Module, func: Func) -> Vec<Func> {
    let Some(body) = &module.funcs[func].body else { return vec![] };
    let mut found = Vec::new();
    let mut seen = vec![false; module.funcs.len()];
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let callee =
                matches!(body.node(node).op, Op::Call | Op::TailCall).then(|| body.args(node)[0].as_func()).flatten();
            if let Some(callee) = callee
                && !std::mem::replace(&mut seen[callee.index()], true)
            {
                found.push(callee);
            }
        }
    }
    found.reverse();
    found
}
