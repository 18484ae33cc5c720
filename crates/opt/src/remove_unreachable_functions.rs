//! Removes functions that no entry point calls, and private variables that no function names.
//!
//! ```text
//! before: fn @unused() {…}  fn @main() { call @used }      after: fn @used() {…}  fn @main() { call @used }
//! ```
//!
//! Holds before: a valid module. Left alone: the interface (inputs, outputs, uniforms, buffers), imports that are used,
//! functions that a table holds, functions that are to be flattened.

use planish_ir::arena::{Arena, SideTable};
use planish_ir::entity::{Func, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::types::AddressSpace;

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

/// Functions that the host or a reachable function names, or that are to be flattened, or are leaves of what is.
pub(crate) fn reachable(module: &Module) -> SideTable<Func, bool> {
    let mut reached: SideTable<Func, bool> = SideTable::new();
    let mut work: Vec<Func> = module.roots().collect();
    work.extend(module.funcs.iter().filter(|(_, f)| f.stays_called()).map(|(func, _)| func));
    while let Some(func) = work.pop() {
        if std::mem::replace(&mut reached[func], true) {
            continue;
        }
        if let Some(body) = &module.funcs[func].body {
            for_each_operand(body, |value| work.extend(value.as_func()));
        }
    }
    reached
}

/// Every operand of every node and exit, of blocks that nothing leads to as well.
fn for_each_operand(body: &Body, mut f: impl FnMut(Value)) {
    body.all_args().iter().copied().for_each(&mut f);
    body.blocks.values().for_each(|block| block.exit.for_each_operand(&mut f));
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

/// Returns whether there were any.
fn remove_private_variables(module: &mut Module) -> bool {
    let mut named: SideTable<Var, bool> = SideTable::new();
    for body in module.funcs.values().filter_map(|f| f.body.as_ref()) {
        for_each_operand(body, |value| value.as_var().into_iter().for_each(|v| named[v] = true));
    }
    module.outside_vars().for_each(|v| named[v] = true);
    let own = |space| matches!(space, AddressSpace::Private | AddressSpace::Workgroup);
    let globals = std::mem::take(&mut module.globals);
    let before = globals.len();
    for var in globals {
        if named[var] || !own(module.vars[var].space) {
            module.globals.push(var);
        } else {
            // The function that computes it may be gone.
            module.vars[var].linkage = None;
        }
    }
    module.globals.len() != before
}
