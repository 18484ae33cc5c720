//! Memories and tables.

use planish_ir::arena::Id;
use planish_ir::builder::Request;
use planish_ir::entity::{Memory, Type, Value};
use planish_ir::ops::{Imm, MemArg as Access, Op, Width};
use wasmparser::{MemArg, MemArgTarget, Operator};

use super::Translator;
use Width::{B8, B16, B32, B64};

impl Translator<'_, '_> {
    pub(super) fn memory(&mut self, op: &Operator<'_>) -> bool {
        use Operator::*;
        let (i64, f64) = (self.env.values.i64[0], self.env.values.f64[0]);
        match *op {
            I32Load { memarg } => self.load(&memarg, B32, false, Type::I32),
            I64Load { memarg } => self.load(&memarg, B64, false, i64),
            F32Load { memarg } => self.load(&memarg, B32, false, Type::F32),
            F64Load { memarg } => self.load(&memarg, B64, false, f64),
            I32Load8S { memarg } => self.load(&memarg, B8, true, Type::I32),
            I32Load8U { memarg } => self.load(&memarg, B8, false, Type::I32),
            I32Load16S { memarg } => self.load(&memarg, B16, true, Type::I32),
            I32Load16U { memarg } => self.load(&memarg, B16, false, Type::I32),
            I64Load8S { memarg } => self.load(&memarg, B8, true, i64),
            I64Load8U { memarg } => self.load(&memarg, B8, false, i64),
            I64Load16S { memarg } => self.load(&memarg, B16, true, i64),
            I64Load16U { memarg } => self.load(&memarg, B16, false, i64),
            I64Load32S { memarg } => self.load(&memarg, B32, true, i64),
            I64Load32U { memarg } => self.load(&memarg, B32, false, i64),
            I32Store { memarg } | F32Store { memarg } | I64Store32 { memarg } => self.store(&memarg, B32),
            I64Store { memarg } | F64Store { memarg } => self.store(&memarg, B64),
            I32Store8 { memarg } | I64Store8 { memarg } => self.store(&memarg, B8),
            I32Store16 { memarg } | I64Store16 { memarg } => self.store(&memarg, B16),
            MemorySize { mem } => self.with_imm(Op::MemorySize, Imm::pair(mem, 0), 0),
            MemoryGrow { mem } => self.with_imm(Op::MemoryGrow, Imm::pair(mem, 0), 1),
            MemoryFill { mem } => self.effect(Op::MemoryFill, Imm::pair(mem, 0), 3),
            MemoryCopy { dst_mem, src_mem } => self.effect(Op::MemoryCopy, Imm::pair(dst_mem, src_mem), 3),
            MemoryInit { data_index, mem } => self.effect(Op::MemoryInit, Imm::pair(mem, data_index), 3),
            DataDrop { data_index } => self.effect(Op::DataDrop, Imm::pair(data_index, 0), 0),
            TableGet { table } => {
                let index = self.pop();
                let ty = self.env.tables[table as usize];
                let value = self.b.make(Request::new(Op::TableGet, &[index]).imm(Imm::pair(table, 0)).ty(ty));
                self.push(value);
            }
            TableSet { table } => self.effect(Op::TableSet, Imm::pair(table, 0), 2),
            TableSize { table } => self.with_imm(Op::TableSize, Imm::pair(table, 0), 0),
            TableGrow { table } => self.with_imm(Op::TableGrow, Imm::pair(table, 0), 2),
            TableFill { table } => self.effect(Op::TableFill, Imm::pair(table, 0), 3),
            TableCopy { dst_table, src_table } => self.effect(Op::TableCopy, Imm::pair(dst_table, src_table), 3),
            TableInit { elem_index, table } => self.effect(Op::TableInit, Imm::pair(table, elem_index), 3),
            ElemDrop { elem_index } => self.effect(Op::ElemDrop, Imm::pair(elem_index, 0), 0),
            _ => return false,
        }
        true
    }

    fn load(&mut self, memarg: &MemArg, width: Width, signed: bool, ty: Type) {
        let value = self.loaded(memarg, width, signed, ty);
        self.push(value);
    }

    /// Loads from the address on top of the stack.
    pub(super) fn loaded(&mut self, memarg: &MemArg, width: Width, signed: bool, ty: Type) -> Value {
        let address = self.pop();
        let access = access(memarg, width, signed);
        self.b.make_known_one(Request::new(Op::MemoryLoad, &[address]).imm(access).ty(ty), ty)
    }

    pub(super) fn store(&mut self, memarg: &MemArg, width: Width) {
        self.effect(Op::MemoryStore, access(memarg, width, false), 2);
    }

    /// Emits an op with `count` operands and no result.
    fn effect(&mut self, op: Op, imm: impl Into<Imm>, count: usize) {
        let args = self.take(count);
        self.b.make_known(Request::new(op, &args).imm(imm), &[]);
    }
}

/// A byte access. The validator has checked that the offset fits 32 bits, and that the memory exists.
fn access(memarg: &MemArg, width: Width, signed: bool) -> Access {
    let memory = match memarg.target {
        MemArgTarget::Memory(index) => Memory::new(index as usize),
        MemArgTarget::Array(_) => unreachable!("arrays are no feature that is switched on"),
    };
    Access { memory, offset: memarg.offset as u32, width, signed, in_bounds: false }
}
