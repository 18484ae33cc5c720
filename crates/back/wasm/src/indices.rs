//! The numbers of functions, globals, memories and tables: imports first, as WebAssembly counts.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Memory, Table, Var};

/// See the module's documentation. Segments have the numbers that they have in the IR.
#[derive(Default)]
pub(crate) struct Indices {
    pub(crate) funcs: SideTable<Func, Option<u32>>,
    pub(crate) globals: SideTable<Var, Option<u32>>,
    pub(crate) memories: SideTable<Memory, u32>,
    pub(crate) tables: SideTable<Table, u32>,
    /// The host's functions that are used, by name.
    pub(crate) math: Vec<(&'static str, u32)>,
}

impl Indices {
    pub(crate) fn func(&self, func: Func) -> u32 {
        self.funcs[func].expect("every function has a number")
    }

    pub(crate) fn global(&self, var: Var) -> Option<u32> {
        self.globals[var]
    }

    pub(crate) fn memory(&self, memory: Memory) -> u32 {
        self.memories[memory]
    }

    pub(crate) fn table(&self, table: Table) -> u32 {
        self.tables[table]
    }

    pub(crate) fn math(&self, name: &str) -> Option<u32> {
        self.math.iter().find(|(n, _)| *n == name).map(|m| m.1)
    }
}
