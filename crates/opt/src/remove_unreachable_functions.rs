//! Removes functions that no entry point calls, and private variables that no function names.
//!
//! ```text
//! before: fn @unused() {…}  fn @main() { call @used }      after: fn @used() {…}  fn @main() { call @used }
//! ```
//!
//! Holds before: a valid module. Left alone: the interface (inputs, outputs, uniforms, buffers), imports that are used,
//! functions that a table holds, functions that are to be flattened.

use planish_ir::arena::{Arena, SideTable};
use planish_ir::entity::{Func, Node, Var};
use planish_ir::function::Exit;
use planish_ir::module::Module;
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use crate::analysis::reachable::{for_each_operand, reachable};
use crate::context::Context;

/// Runs on the module. A module without entry points and start function is a library: all its functions stay.
pub fn run(module: &mut Module, context: &mut Context) {
    if module.entry_points.is_empty() && module.start.is_none() {
        return;
    }
    remove_functions(module, context);
    // The function that computes a variable may be used by nothing else.
    while remove_private_variables(module) {
        context.changed();
        remove_functions(module, context);
    }
}

fn remove_functions(module: &mut Module, context: &mut Context) {
    let reached = reachable(module);
    if module.funcs.keys().any(|f| !reached[f]) {
        context.changed();
        renumber(module, &reached);
    }
}

fn renumber(module: &mut Module, reached: &SideTable<Func, bool>) {
    let mut kept = Arena::new();
    let mut new: SideTable<Func, Option<Func>> = SideTable::new();
    let old = std::mem::take(&mut module.funcs);
    for (func, function) in old.into_entries() {
        if reached[func] {
            new[func] = Some(kept.push(function));
        }
    }
    module.funcs = kept;
    module.func_imports.retain(|(func, _)| reached[*func]);
    let new = |func: Func| new[func].expect("a reachable function is kept");
    module.renumber_roots(new);
    for body in module.funcs.values_mut().filter_map(|f| f.body.as_mut()) {
        body.renumber_functions(new);
    }
}

/// Removes those that no function names; returns whether there were any.
fn remove_private_variables(module: &mut Module) -> bool {
    let mut named: SideTable<Var, bool> = SideTable::new();
    for body in module.funcs.values().filter_map(|f| f.body.as_ref()) {
        for_each_operand(body, |value| value.as_var().into_iter().for_each(|v| named[v] = true));
    }
    module.outside_vars().for_each(|v| named[v] = true);
    let own = |space| matches!(space, AddressSpace::Private | AddressSpace::Workgroup);
    let stays = |&var: &Var| named[var] || !own(module.vars[var].space) || is_computed_with_effects(module, var);
    let (stay, go): (Vec<Var>, Vec<Var>) = module.globals.iter().partition(|var| stays(var));
    module.globals = stay;
    // The functions that compute them may be gone.
    go.iter().for_each(|&var| module.vars[var].linkage = None);
    !go.is_empty()
}

/// Whether a variable's value is computed by a function that may do more when the module is instantiated: trap, or write memory.
fn is_computed_with_effects(module: &Module, var: Var) -> bool {
    let Some(func) = module.vars[var].linkage.as_ref().and_then(|linkage| linkage.computed) else { return false };
    module.funcs[func].body.as_ref().is_none_or(|body| {
        walk::blocks(body).any(|block| {
            let data = &body.blocks[block];
            let is_droppable = |&node: &Node| body.node(node).op.is_droppable(body.node(node).imm);
            !matches!(data.exit, Exit::Return(_)) || !data.nodes.iter().all(is_droppable)
        })
    })
}
