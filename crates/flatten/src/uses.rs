//! How often each value of a function is used.

use planish_ir::arena::SideTable;
use planish_ir::entity::Local;
use planish_ir::function::Body;
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
