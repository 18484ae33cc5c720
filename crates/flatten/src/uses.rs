//! Use counts of values, and node counts as in a graph.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Node};
use planish_ir::function::Body;
use planish_ir::meaning;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use planish_ir::walk;

/// Number of uses of each value, by operands of listed nodes and by exits.
pub fn use_counts(body: &Body) -> SideTable<Local, u32> {
    let mut uses: SideTable<Local, u32> = SideTable::with_capacity(body.local_count());
    for block in walk::blocks(body) {
        let nodes = &body.blocks[block].nodes;
        for local in nodes.iter().flat_map(|&n| body.args(n)).filter_map(|a| a.as_local()) {
            uses[local] += 1;
        }
        body.blocks[block].exit.for_each_operand(|v| {
            if let Some(local) = v.as_local() {
                uses[local] += 1;
            }
        });
    }
    uses
}

/// Whether an op works componentwise on scalars and vectors, with all operands of one shape. Its operands may then be
/// scalars instead of splats in a graph.
pub fn is_componentwise(op: Op, scalar: Scalar) -> bool {
    let other = [Op::MatrixTimesScalar, Op::MatrixComponentMultiply, Op::BitfieldExtract, Op::BitfieldInsert];
    !other.contains(&op) && meaning::kernel(op, scalar).is_some()
}

/// Number of nodes of a placed function in a graph: splats that only componentwise nodes use do not count.
pub fn node_count(module: &Module, body: &Body) -> usize {
    let mut spread_only: SideTable<Local, bool> = SideTable::with_capacity(body.local_count());
    let mut count = 0;
    let is_splat = |node: Node| {
        let of = body.args(node).first().and_then(|&a| module.types.scalar_of(module.type_of(body, a)));
        let to = body.result(node).and_then(|r| module.types.scalar_of(body.local_type(r)));
        body.node(node).op == Op::ConstructVectorFromScalar && of == to
    };
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            count += 1;
            if is_splat(node) {
                count -= 1;
                body.results(node).for_each(|local| spread_only[local] = true);
            }
            let mut need = |local: Local| count += usize::from(std::mem::take(&mut spread_only[local]));
            let free = body.args(node).iter().any(|&a| {
                let scalar = module.types.scalar_of(module.type_of(body, a));
                scalar.is_some_and(|s| is_componentwise(body.node(node).op, s))
            });
            if !free {
                body.args(node).iter().filter_map(|a| a.as_local()).for_each(&mut need);
            }
        }
        body.blocks[block].exit.for_each_operand(|v| {
            if let Some(local) = v.as_local() {
                count += usize::from(std::mem::take(&mut spread_only[local]));
            }
        });
    }
    count
}
