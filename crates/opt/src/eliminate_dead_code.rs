//! Removes dead code: nodes without use or effect, stores to local variables that are never read, unread block
//! inputs, local variables without use, and conditionals that do nothing.
//!
//! ```text
//! before: %0 = load v1         after: %0 = load v1
//!         %1 = sin %0                 return %0
//!         store v2, %1
//!         return %0
//! ```
//!
//! Holds before: a valid function, placed or floating. Left alone: loops (one that does nothing may still not end),
//! whatever may trap, memory that others can see.

use planish_ir::arena::SideTable;
use planish_ir::builder::Policy;
use planish_ir::entity::{Block, Func, Local, Node, Var};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use crate::analysis::needs::Needs;
use crate::analysis::summaries::Summaries;
use crate::context::Context;
use crate::restage::{Stage, restage};

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    let unread = unread_globals(module);
    let summaries = Summaries::new(module);
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let mut needs = Needs::find(module, body, &unread, &summaries);
        if needs.anything_dead(body) {
            let policy = Policy { form: body.form, ..Policy::PLAIN };
            context.changed();
            restage(module, func, policy, &mut needs);
        }
    }
}

/// The private variables that no function reads: stores to them are dead.
fn unread_globals(module: &Module) -> SideTable<Var, bool> {
    let mut unread: SideTable<Var, bool> = SideTable::new();
    for &var in &module.globals {
        unread[var] = module.vars[var].space == AddressSpace::Private;
    }
    module.outside_vars().for_each(|v| unread[v] = false);
    for body in module.funcs.values().filter_map(|f| f.body.as_ref()) {
        for block in walk::blocks(body) {
            body.blocks[block]
                .exit
                .for_each_operand(|a| body.base(a).as_var().into_iter().for_each(|v| unread[v] = false));
        }
        // A pointer that is used for anything but going deeper and being stored to is read.
        for (node, data) in body.nodes() {
            let write = data.op == Op::Store || data.op.info().class == Class::Access;
            let args = &body.args(node)[usize::from(write)..];
            args.iter().filter_map(|&a| body.base(a).as_var()).for_each(|v| unread[v] = false);
        }
    }
    unread
}

impl Stage for Needs {
    fn drops(&self, node: Node) -> bool {
        Needs::drops(self, node)
    }

    fn drops_input(&self, input: Local) -> bool {
        Needs::drops_input(self, input)
    }

    fn drops_variable(&self, var: Var) -> bool {
        Needs::drops_variable(self, var)
    }

    fn drops_construct(&self, owner: Block) -> bool {
        Needs::drops_construct(self, owner)
    }
}
