//! Uniformity analysis: values that are the same for all invocations of a draw, since they depend on constants and
//! uniforms only.

use crate::arena::SideTable;
use crate::entity::{Local, Value, ValueKind};
use crate::function::Body;
use crate::module::Module;
use crate::ops::{Class, Op};
use crate::types::AddressSpace;
use crate::walk;

/// By value of a placed function, whether it is uniform. Results of `barrier` ops never are. A pointer is uniform if it
/// always points to the same uniform memory. O(nodes).
pub fn uniform_values(module: &Module, body: &Body, barrier: &dyn Fn(Op) -> bool) -> SideTable<Local, bool> {
    let mut uniform: SideTable<Local, bool> = SideTable::with_capacity(body.local_count());
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let op = body.node(node).op;
            let args = body.args(node);
            let is = (module.floats(body, op, args)
                || op.info().class == Class::Access
                || module.is_pure_leaf_call(op, args))
                && !barrier(op)
                && args.iter().all(|&a| is_uniform(module, &uniform, a));
            body.results(node).for_each(|local| uniform[local] = is);
        }
    }
    uniform
}

/// Whether a value is uniform, given the result of [`uniform_values`].
pub fn is_uniform(module: &Module, uniform: &SideTable<Local, bool>, value: Value) -> bool {
    match value.kind() {
        ValueKind::Const(_) | ValueKind::Func(_) => true,
        ValueKind::Var(var) => {
            matches!(module.vars[var].space, AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle)
        }
        ValueKind::Local(local) => uniform[local],
    }
}
