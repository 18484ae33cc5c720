//! Functions that can be called.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;

/// Functions that the host or a reachable function names, or that are to be flattened, or are leaves of such a function.
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
pub(crate) fn for_each_operand(body: &Body, mut f: impl FnMut(Value)) {
    body.all_args().iter().copied().for_each(&mut f);
    body.blocks.values().for_each(|block| block.exit.for_each_operand(&mut f));
}
