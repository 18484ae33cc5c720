//! The reference machine as an [`Isa`].

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;

use super::directive::{Arg, Directive, Target};
use crate::isa::{
    Callee, Comparison, Emitter, Frame, Isa, Kind, Label, Machine, Operand, Operation, Reg, TableJumps, User,
    works_on_registers,
};

/// The reference instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reference;

impl From<Callee<'_>> for Target {
    fn from(callee: Callee<'_>) -> Target {
        match callee {
            Callee::Func(func) => Target::Func(func),
            Callee::Import(func) => Target::Import(func),
            Callee::Value(value) => Target::Value(value.into()),
            Callee::Table { table, ty, index } => Target::Table { table, ty, index: index.into() },
        }
    }
}

impl Machine for Reference {
    const WORD_BITS: u32 = 64;

    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool {
        works_on_registers(op, operand, result)
    }

    fn table_jumps(&self) -> TableJumps {
        TableJumps::TableWithDefault
    }

    fn takes_immediate(&self, _op: Op, _kind: Kind, _operand: usize, _bits: u64) -> bool {
        true
    }

    fn indexes_frames(&self) -> bool {
        true
    }
}

impl Isa for Reference {
    type Directive = Directive;

    fn jumps_if(&self, _nonzero: bool) -> bool {
        true
    }

    fn jumps_on(&self, _comparison: Comparison, _immediate: Option<u64>) -> bool {
        true
    }

    /// Absorbs an address `x + y` or `x << c`, and the comparison of a selection or a jump.
    fn absorbs(&self, user: User, operand: usize, (inner, kind, _): (Op, Kind, Kind)) -> bool {
        match user {
            User::Operation(Op::MemoryLoad | Op::MemoryStore, ..) => {
                operand == 0 && matches!(inner, Op::Add | Op::ShiftLeft) && matches!(kind, Kind::I32 | Kind::U32)
            }
            User::Operation(Op::Select, ..) => operand == 0 && crate::isa::is_comparison(inner) && kind != Kind::V128,
            User::Operation(..) => false,
            User::Jump => inner == Op::BitwiseAnd,
        }
    }

    fn emit_indexed_load(&self, to: &mut Emitter<'_, Directive>, out: Reg, base: Reg, index: Operand<'_>, words: u32) {
        to.push(Directive::IndexedLoad { out, base, index: index.into(), words });
    }

    fn emit_indexed_store(
        &self,
        to: &mut Emitter<'_, Directive>,
        base: Reg,
        index: Operand<'_>,
        value: Operand<'_>,
        words: u32,
    ) {
        to.push(Directive::IndexedStore { base, index: index.into(), value: value.into(), words });
    }

    fn emit_label(&self, to: &mut Emitter<'_, Directive>, label: Label) {
        to.push(Directive::Label(label));
    }

    fn emit_jump(&self, to: &mut Emitter<'_, Directive>, target: Label) {
        to.push(Directive::Jump(target));
    }

    fn emit_trap(&self, to: &mut Emitter<'_, Directive>, kind: TrapKind) {
        to.push(Directive::Trap(kind));
    }

    fn emit_copy(&self, to: &mut Emitter<'_, Directive>, out: Reg, from: Reg) {
        to.push(Directive::Copy { out, from });
    }

    fn emit_constant(&self, to: &mut Emitter<'_, Directive>, out: Reg, bits: u64) {
        to.push(Directive::Constant { out, bits });
    }

    fn emit_conditional_jump(
        &self,
        to: &mut Emitter<'_, Directive>,
        condition: Operand<'_>,
        nonzero: bool,
        target: Label,
    ) {
        to.push(Directive::JumpIf { condition: condition.into(), nonzero, to: target });
    }

    fn emit_conditional_jump_compare(
        &self,
        to: &mut Emitter<'_, Directive>,
        comparison: Comparison,
        operands: [Operand<'_>; 2],
        target: Label,
    ) {
        let args: [Arg; 2] = operands.map(Arg::from);
        to.push(Directive::JumpCompare { comparison, args, to: target });
    }

    fn emit_jump_table(&self, to: &mut Emitter<'_, Directive>, index: Reg, targets: &[Label]) {
        to.push(Directive::JumpTable { index, to: targets.into() });
    }

    fn emit_return(&self, to: &mut Emitter<'_, Directive>, _own: Frame) {
        to.push(Directive::Return);
    }

    fn emit_call(&self, to: &mut Emitter<'_, Directive>, callee: Callee<'_>, frame: Frame) {
        to.push(Directive::Call { target: callee.into(), frame });
    }

    fn emit_tail_call(&self, to: &mut Emitter<'_, Directive>, callee: Callee<'_>, frame: Frame, _own: Frame) {
        to.push(Directive::TailCall { target: callee.into(), frame });
    }

    fn emit_operation(&self, to: &mut Emitter<'_, Directive>, operation: &Operation<'_>) {
        to.push(operation.into());
    }
}
