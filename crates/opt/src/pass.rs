//! Passes, and the runner of a list of them.

use planish_ir::module::Module;
use planish_ir::text;
use planish_ir::verify::verify;
use rustc_hash::FxHashMap;

use crate::context::Context;
use crate::pipeline::{PASSES, SEARCHES};
use crate::schedule;

/// A pass: a module in, the same module with the same meaning out.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name: that of its file, of its test directory, and for `--after=` and `--passes=`.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// Its implementation. It may leave remarks and counts.
    pub run: fn(&mut Module, &mut Context),
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Whether a pass is one of this crate's.
fn is_known(pass: &Pass) -> bool {
    PASSES.iter().any(|known| std::ptr::fn_addr_eq(known.run, pass.run))
}

/// Nodes of a module from which on passes that search it are not run again for little.
const LARGE: u64 = 1 << 14;
/// A change below this fraction (one part in …) of the nodes of a large module is little.
const LITTLE: u64 = 1 << 8;

/// Runs passes in order. `after` is called after each with its name. A pass that has found nothing to change is not run again
/// before another has changed something; in a large module, one that searches it ([`SEARCHES`]) not before others have changed
/// one node in 256. What a pass leaves floating is placed, and before the first what is given.
///
/// # Panics
/// In debug builds, if a pass leaves a module that is not valid: a mistake of the pass, which is named.
pub fn run_passes(
    module: &mut Module,
    passes: &[&Pass],
    context: &mut Context,
    after: &mut dyn FnMut(&'static str, &Module),
) {
    forget_notes(module);
    context.copies_refused.clear();
    schedule::place_all(module, context);
    let mut idle: FxHashMap<&'static str, u64> = FxHashMap::default();
    // By pass that has run: the nodes changed until it ended.
    let mut searched: FxHashMap<&'static str, u64> = FxHashMap::default();
    for pass in passes {
        let changes = context.changes;
        let changed_since = |ended: &u64| context.changed_nodes - ended;
        if idle.get(pass.name) == Some(&changes)
            || searched.get(pass.name).is_some_and(|ended| is_little(module, changed_since(ended)))
        {
            after(pass.name, module);
            continue;
        }
        context.enter(pass.name);
        (pass.run)(module, context);
        if !is_known(pass) {
            // It cannot report whether it has changed something.
            context.changed_by(1 << 32);
        }
        schedule::place_all(module, context);
        if SEARCHES.contains(&pass.name) {
            searched.insert(pass.name, context.changed_nodes);
        }
        if context.changes == changes {
            idle.insert(pass.name, changes);
        }
        if cfg!(debug_assertions) {
            let errors = verify(module);
            assert!(errors.is_empty(), "pass {} broke the module: {errors:#?}\n{}", pass.name, text::print(module));
        }
        after(pass.name, module);
    }
    forget_notes(module);
}

/// Whether a number of changed nodes is little in a module.
fn is_little(module: &Module, changed: u64) -> bool {
    let bodies = module.funcs.values().filter_map(|function| function.body.as_ref());
    let nodes: u64 = bodies.map(|body| body.node_count() as u64).sum();
    nodes >= LARGE && changed < nodes / LITTLE
}

/// Removes the notes of passes on functions: they hold for one run with one set of options.
fn forget_notes(module: &mut Module) {
    module.funcs.values_mut().filter_map(|function| function.body.as_mut()).for_each(|body| body.note = 0);
}
