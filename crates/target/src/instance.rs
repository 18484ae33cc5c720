//! The parts of an instance's state that its functions and segments use: the others need no place in it.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Data, Elem, Var};
use planish_ir::module::{ElemItem, Module, Offset};
use planish_ir::ops::Op;

/// Parts of the state that functions or segments use. Exported variables count only if these use them, too.
#[derive(Debug)]
pub struct Used {
    /// Variables that are read or written.
    pub vars: SideTable<Var, bool>,
    /// Data segments whose length changes: those that are dropped, or copied though they are active.
    pub data: SideTable<Data, bool>,
    /// Element segments whose length changes.
    pub elems: SideTable<Elem, bool>,
    /// Functions make tokens.
    pub tokens: bool,
}

impl Used {
    /// Finds them. Time is linear in the size of the module.
    pub fn of(module: &Module) -> Used {
        let mut used = Used { vars: SideTable::new(), data: SideTable::new(), elems: SideTable::new(), tokens: false };
        for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
            for (node, data) in body.nodes() {
                used.tokens |= data.op == Op::NewToken;
                body.args(node).iter().filter_map(|arg| arg.as_var()).for_each(|var| used.vars[var] = true);
                let (low, high) = data.imm.as_pair();
                match data.op {
                    Op::DataDrop => used.data[Data::from_u32(low)] = true,
                    Op::ElemDrop => used.elems[Elem::from_u32(low)] = true,
                    // An active segment is dropped once it is copied.
                    Op::MemoryInit => {
                        let id = Data::from_u32(high);
                        used.data[id] |= module.data[id].active.is_some();
                    }
                    Op::TableInit => {
                        let id = Elem::from_u32(high);
                        used.elems[id] |= module.elems[id].active.is_some();
                    }
                    _ => {}
                }
            }
        }
        let offsets = module.data.values().filter_map(|data| data.active).map(|active| active.1);
        let offsets = offsets.chain(module.elems.values().filter_map(|elem| elem.active).map(|active| active.1));
        for offset in offsets {
            if let Offset::Var(var) = offset {
                used.vars[var] = true;
            }
        }
        for item in module.elems.values().flat_map(|elem| &elem.items) {
            if let ElemItem::Var(var) = *item {
                used.vars[var] = true;
            }
        }
        used
    }
}
