//! An instruction set with the properties of another one, which emits the directives that the checker understands.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;

use crate::asm::Spans;
use crate::isa::{
    Callee, Comparison, Emitter, Frame, Isa, Kind, Label, Machine, Operand, Operation, Reg, TableJumps, User,
};
use crate::reference::{Directive, Reference};

/// A directive, or the one kind that the reference machine does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// A directive of the reference machine. The index of a `JumpTable` may have been checked before it.
    Plain(Directive),
    /// A relative jump over the following jumps.
    Relative(Reg),
}

/// Forwards the properties of the wrapped instruction set.
pub(super) struct Neutral<'a, I>(pub(super) &'a I);

impl<I> Neutral<'_, I> {
    /// Emits by the reference machine.
    fn emit(to: &mut Emitter<'_, Event>, f: impl FnOnce(&Reference, &mut Emitter<'_, Directive>)) {
        let (mut directives, mut spans) = (vec![], Spans::default());
        let mut inner = Emitter {
            only_number: to.only_number,
            last_reads: to.last_reads,
            directives: &mut directives,
            spans: &mut spans,
            span: to.span,
            next_label: to.next_label,
            temporaries: crate::isa::Temporaries {
                busy: to.temporaries.busy,
                from: to.temporaries.from,
                top: to.temporaries.top,
            },
        };
        f(&Reference, &mut inner);
        directives.into_iter().for_each(|directive| to.push(Event::Plain(directive)));
    }
}

impl<I: Isa> Machine for Neutral<'_, I> {
    const WORD_BITS: u32 = I::WORD_BITS;

    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool {
        self.0.supports(op, operand, result)
    }

    fn table_jumps(&self) -> TableJumps {
        self.0.table_jumps()
    }

    fn takes_immediate(&self, op: Op, kind: Kind, operand: usize, bits: u64) -> bool {
        self.0.takes_immediate(op, kind, operand, bits)
    }

    fn indexes_frames(&self) -> bool {
        self.0.indexes_frames()
    }
}

impl<I: Isa> Isa for Neutral<'_, I> {
    type Directive = Event;
    const PRELUDE_WORDS: u32 = I::PRELUDE_WORDS;

    fn jumps_if(&self, nonzero: bool) -> bool {
        self.0.jumps_if(nonzero)
    }

    fn jumps_on(&self, comparison: Comparison, immediate: Option<u64>) -> bool {
        self.0.jumps_on(comparison, immediate)
    }

    fn absorbs(&self, user: User, operand: usize, inner: (Op, Kind, Kind)) -> bool {
        self.0.absorbs(user, operand, inner)
    }

    fn repeats(&self, user: User, inner: (Op, Kind, Kind), of_constant: bool) -> bool {
        self.0.repeats(user, inner, of_constant)
    }

    fn writes_early(&self, op: Op, operand: Kind, result: Kind) -> bool {
        self.0.writes_early(op, operand, result)
    }

    fn emit_indexed_load(&self, to: &mut Emitter<'_, Event>, out: Reg, base: Reg, index: Operand<'_>, words: u32) {
        Self::emit(to, |isa, to| isa.emit_indexed_load(to, out, base, index, words));
    }

    fn emit_indexed_store(
        &self,
        to: &mut Emitter<'_, Event>,
        base: Reg,
        index: Operand<'_>,
        value: Operand<'_>,
        words: u32,
    ) {
        Self::emit(to, |isa, to| isa.emit_indexed_store(to, base, index, value, words));
    }

    fn emit_label(&self, to: &mut Emitter<'_, Event>, label: Label) {
        Self::emit(to, |isa, to| isa.emit_label(to, label));
    }

    fn emit_jump(&self, to: &mut Emitter<'_, Event>, target: Label) {
        Self::emit(to, |isa, to| isa.emit_jump(to, target));
    }

    fn emit_trap(&self, to: &mut Emitter<'_, Event>, kind: TrapKind) {
        Self::emit(to, |isa, to| isa.emit_trap(to, kind));
    }

    fn emit_copy(&self, to: &mut Emitter<'_, Event>, out: Reg, from: Reg) {
        Self::emit(to, |isa, to| isa.emit_copy(to, out, from));
    }

    fn emit_constant(&self, to: &mut Emitter<'_, Event>, out: Reg, bits: u64) {
        Self::emit(to, |isa, to| isa.emit_constant(to, out, bits));
    }

    fn emit_conditional_jump(&self, to: &mut Emitter<'_, Event>, condition: Operand<'_>, nonzero: bool, target: Label) {
        Self::emit(to, |isa, to| isa.emit_conditional_jump(to, condition, nonzero, target));
    }

    fn emit_conditional_jump_compare(
        &self,
        to: &mut Emitter<'_, Event>,
        comparison: Comparison,
        operands: [Operand<'_>; 2],
        target: Label,
    ) {
        Self::emit(to, |isa, to| isa.emit_conditional_jump_compare(to, comparison, operands, target));
    }

    fn emit_relative_jump(&self, to: &mut Emitter<'_, Event>, offset: Reg) {
        to.push(Event::Relative(offset));
    }

    fn emit_jump_table(&self, to: &mut Emitter<'_, Event>, index: Reg, targets: &[Label]) {
        Self::emit(to, |isa, to| isa.emit_jump_table(to, index, targets));
    }

    fn emit_return(&self, to: &mut Emitter<'_, Event>, own: Frame) {
        Self::emit(to, |isa, to| isa.emit_return(to, own));
    }

    fn emit_call(&self, to: &mut Emitter<'_, Event>, callee: Callee<'_>, frame: Frame) {
        Self::emit(to, |isa, to| isa.emit_call(to, callee, frame));
    }

    fn emit_tail_call(&self, to: &mut Emitter<'_, Event>, callee: Callee<'_>, frame: Frame, own: Frame) {
        Self::emit(to, |isa, to| isa.emit_tail_call(to, callee, frame, own));
    }

    fn emit_operation(&self, to: &mut Emitter<'_, Event>, operation: &Operation<'_>) {
        Self::emit(to, |isa, to| isa.emit_operation(to, operation));
    }
}
