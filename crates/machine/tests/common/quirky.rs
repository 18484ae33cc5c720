//! An instruction set that can do less than the reference machine, or other things: for the checker only.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;
use planish_machine::isa::{
    Callee, Comparison, Emitter, Frame, Isa, Kind, Label, Machine, Operand, Operation, Reg, TableJumps,
};
use planish_machine::reference::{Directive, Reference};

/// `WORD` bits a word, `PRELUDE` words of prelude; the rest as the fields say.
#[derive(Clone, Copy)]
pub(crate) struct Quirky<const WORD: u32, const PRELUDE: u32> {
    pub(crate) on_nonzero: bool,
    pub(crate) on_zero: bool,
    pub(crate) compares: bool,
    pub(crate) tables: TableJumps,
    pub(crate) immediates: bool,
    pub(crate) writes_early: bool,
}

impl<const WORD: u32, const PRELUDE: u32> Machine for Quirky<WORD, PRELUDE> {
    const WORD_BITS: u32 = WORD;

    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool {
        Reference.supports(op, operand, result)
    }

    fn table_jumps(&self) -> TableJumps {
        self.tables
    }

    fn takes_immediate(&self, _op: Op, _kind: Kind, _operand: usize, _bits: u64) -> bool {
        self.immediates
    }
}

impl<const WORD: u32, const PRELUDE: u32> Isa for Quirky<WORD, PRELUDE> {
    type Directive = Directive;
    const PRELUDE_WORDS: u32 = PRELUDE;

    fn jumps_if(&self, nonzero: bool) -> bool {
        if nonzero { self.on_nonzero } else { self.on_zero }
    }

    /// Only the half of the comparisons, so that some have to be turned round.
    fn jumps_on(&self, comparison: Comparison, immediate: Option<u64>) -> bool {
        self.compares && matches!(comparison.op, Op::Equal | Op::LessThan) && immediate.is_none_or(|bits| bits < 8)
    }

    fn writes_early(&self, _op: Op, _operand: Kind, _result: Kind) -> bool {
        self.writes_early
    }

    fn emit_label(&self, to: &mut Emitter<'_, Directive>, label: Label) {
        Reference.emit_label(to, label);
    }

    fn emit_jump(&self, to: &mut Emitter<'_, Directive>, target: Label) {
        Reference.emit_jump(to, target);
    }

    fn emit_trap(&self, to: &mut Emitter<'_, Directive>, kind: TrapKind) {
        Reference.emit_trap(to, kind);
    }

    fn emit_copy(&self, to: &mut Emitter<'_, Directive>, out: Reg, from: Reg) {
        Reference.emit_copy(to, out, from);
    }

    fn emit_constant(&self, to: &mut Emitter<'_, Directive>, out: Reg, bits: u64) {
        Reference.emit_constant(to, out, bits);
    }

    fn emit_conditional_jump(
        &self,
        to: &mut Emitter<'_, Directive>,
        condition: Operand<'_>,
        nonzero: bool,
        target: Label,
    ) {
        assert!(self.jumps_if(nonzero), "only what the machine can");
        Reference.emit_conditional_jump(to, condition, nonzero, target);
    }

    fn emit_conditional_jump_compare(
        &self,
        to: &mut Emitter<'_, Directive>,
        comparison: Comparison,
        operands: [Operand<'_>; 2],
        target: Label,
    ) {
        let immediate = if let Operand::Const(bits) = operands[1] { Some(bits) } else { None };
        assert!(self.jumps_on(comparison, immediate), "only what the machine can");
        Reference.emit_conditional_jump_compare(to, comparison, operands, target);
    }

    fn emit_relative_jump(&self, _to: &mut Emitter<'_, Directive>, _offset: Reg) {
        assert_eq!(self.tables, TableJumps::Relative, "only what the machine can");
    }

    fn emit_jump_table(&self, to: &mut Emitter<'_, Directive>, index: Reg, targets: &[Label]) {
        Reference.emit_jump_table(to, index, targets);
    }

    fn emit_return(&self, to: &mut Emitter<'_, Directive>, own: Frame) {
        Reference.emit_return(to, own);
    }

    fn emit_call(&self, to: &mut Emitter<'_, Directive>, callee: Callee<'_>, frame: Frame) {
        Reference.emit_call(to, callee, frame);
    }

    fn emit_tail_call(&self, to: &mut Emitter<'_, Directive>, callee: Callee<'_>, frame: Frame, own: Frame) {
        Reference.emit_tail_call(to, callee, frame, own);
    }

    fn emit_operation(&self, to: &mut Emitter<'_, Directive>, operation: &Operation<'_>) {
        if !self.immediates {
            assert!(!operation.args.iter().any(|arg| matches!(arg, Operand::Const(_))), "no immediates");
        }
        Reference.emit_operation(to, operation);
    }
}
