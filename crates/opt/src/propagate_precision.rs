//! Gives values without a precision the highest precision of their users, as GLSL defines for expressions of literals.
//!
//! ```text
//! before: %1 = add %0, 1.0          after: %1 = add %0, 1.0 mediump
//!         store @m, %1                     store @m, %1                    (@m is mediump)
//! ```
//!
//! Holds before: a valid module. Left alone: booleans and structs, which have none; values that have one; languages
//! without precision.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Func, Local, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::walk;

use crate::context::Context;
use crate::restage::{Stage, restage};

/// Runs on every function in which it changes something.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let mut wanted = Wanted::find(module, func, body);
        if wanted.changes {
            let policy = Policy { form: body.form, ..Policy::PLAIN };
            context.changed();
            restage(module, func, policy, &mut wanted);
        }
    }
}

/// The precision that each value without one is to have.
struct Wanted {
    nodes: SideTable<Node, Precision>,
    changes: bool,
}

impl Stage for Wanted {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        let ty = old.result(node).map(|r| old.local_type(r));
        builder.set_precise(data.precise);
        let precision = data.precision.max(self.nodes[node]);
        builder.make_all(Request { op: data.op, imm: data.imm, args, ty, precision: Some(precision) })
    }
}

impl Wanted {
    /// Goes through the nodes from the last to the first: users come before their operands.
    fn find(module: &Module, func: Func, body: &Body) -> Wanted {
        let mut values: SideTable<Local, Precision> = SideTable::with_capacity(body.local_count());
        let mut want = |value: Value, precision: Precision| {
            if let Some(local) = value.as_local() {
                values[local] = values[local].max(precision);
            }
        };
        for block in walk::blocks(body) {
            if let Exit::Return(results) = &body.blocks[block].exit {
                for (&value, result) in results.iter().zip(&module.funcs[func].results) {
                    want(value, result.precision);
                }
            }
        }
        let mut wanted = Wanted { nodes: SideTable::with_capacity(body.node_count()), changes: false };
        let nodes: Vec<Node> = body.nodes().map(|(n, _)| n).collect();
        for node in nodes.into_iter().rev() {
            let data = body.node(node);
            let own = body.results(node).map(|r| values[r]).max().unwrap_or_default();
            if data.precision == Precision::None && own != Precision::None && carries(data.op) {
                wanted.nodes[node] = own;
                wanted.changes = true;
            }
            let at = data.precision.max(wanted.nodes[node]);
            let args = body.args(node);
            match data.op {
                // A stored value is used at the precision of the place.
                Op::Store => {
                    let precision = module.precision_of(body, args[0]);
                    if let Some(local) = args[1].as_local() {
                        values[local] = values[local].max(precision);
                    }
                }
                _ if carries(data.op) => {
                    for local in args.iter().filter_map(|a| a.as_local()) {
                        values[local] = values[local].max(at);
                    }
                }
                _ => {}
            }
        }
        wanted
    }
}

/// Whether an op computes at the precision of its operands.
fn carries(op: Op) -> bool {
    use Class::{Binary, BuiltIn, Compare, Construct, Extract, Unary};
    matches!(op.info().class, Unary | Binary | Compare | BuiltIn | Construct | Extract)
}
