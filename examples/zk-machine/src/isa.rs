//! The description of the machine for `planish-machine`, and the emission of its steps.

use planish_ir::entity::{Func, Memory, Var};
use planish_ir::function::TrapKind;
use planish_ir::ops::{MemArg, Op};
use planish_machine::isa::{
    self, Comparison, Emitter, Frame, Isa, Kind, Label, Machine, Operand, Operation, Reg, TableJumps,
    works_on_registers,
};

use crate::step::{Alu, Callee, Step, Word};

/// The machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zk;

/// Destination of steps.
pub(crate) type To<'a, 'b> = &'a mut Emitter<'b, Step>;

impl Machine for Zk {
    const WORD_BITS: u32 = 32;

    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool {
        use Op::*;
        let whole = |kind: Kind| matches!(kind, Kind::None | Kind::Bool | Kind::Func) || kind.is_integer();
        if !works_on_registers(op, operand, result) || !whole(operand) || !whole(result) {
            return false;
        }
        matches!(
            op,
            Add | Subtract
                | Multiply
                | BitwiseAnd
                | BitwiseOr
                | BitwiseXor
                | BitwiseNot
                | Negate
                | LogicalNot
                | LogicalAnd
                | LogicalOr
                | LogicalXor
                | Equal
                | NotEqual
                | LessThan
                | LessThanEqual
                | GreaterThan
                | GreaterThanEqual
                | Select
                | ShiftLeft
                | ShiftRight
                | CountLeadingZeros
                | CountTrailingZeros
                | DivideTrapping
                | RemainderTrapping
                | ConstructScalarFromScalar
                | MemoryLoad
                | MemoryStore
                | MemorySize
                | MemoryGrow
                | Load
                | Store
                | RefFunc
                | RefIsNull
        )
    }

    fn table_jumps(&self) -> TableJumps {
        TableJumps::None
    }

    fn takes_immediate(&self, op: Op, kind: Kind, operand: usize, _bits: u64) -> bool {
        operand > 0 && kind.words(32) == 1 && !matches!(op, Op::MemoryStore | Op::Store)
    }
}

impl Isa for Zk {
    type Directive = Step;
    /// Return address and frame pointer.
    const PRELUDE_WORDS: u32 = 2;

    fn jumps_if(&self, nonzero: bool) -> bool {
        nonzero
    }

    fn jumps_on(&self, _comparison: Comparison, _immediate: Option<u64>) -> bool {
        false
    }

    /// Two words are written one after the other.
    fn writes_early(&self, _op: Op, operand: Kind, result: Kind) -> bool {
        let steps = |kind: Kind| kind.is_integer() || kind == Kind::Bool;
        steps(operand) || result.words(32) > 1
    }

    fn emit_label(&self, to: To<'_, '_>, label: Label) {
        to.push(Step::Label(label));
    }

    fn emit_jump(&self, to: To<'_, '_>, target: Label) {
        to.push(Step::Jump(target));
    }

    fn emit_trap(&self, to: To<'_, '_>, kind: TrapKind) {
        to.push(Step::Trap(kind));
    }

    fn emit_copy(&self, to: To<'_, '_>, out: Reg, from: Reg) {
        to.push(Step::Set(out, Word::Reg(from)));
    }

    fn emit_constant(&self, to: To<'_, '_>, out: Reg, bits: u64) {
        to.push(Step::Set(out, Word::Number(bits as u32)));
    }

    fn emit_conditional_jump(&self, to: To<'_, '_>, condition: Operand<'_>, _nonzero: bool, target: Label) {
        to.push(Step::JumpIf(word(condition), target));
    }

    fn emit_conditional_jump_compare(
        &self,
        _to: To<'_, '_>,
        _comparison: Comparison,
        _operands: [Operand<'_>; 2],
        _target: Label,
    ) {
        unreachable!("the machine said that it has no such jumps");
    }

    fn emit_return(&self, to: To<'_, '_>, own: Frame) {
        to.push(Step::Return { prelude: own.prelude() });
    }

    fn emit_call(&self, to: To<'_, '_>, callee: isa::Callee<'_>, frame: Frame) {
        to.push(Step::Call { callee: callee_of(callee), base: frame.base, prelude: frame.prelude() });
    }

    fn emit_tail_call(&self, to: To<'_, '_>, callee: isa::Callee<'_>, _frame: Frame, _own: Frame) {
        to.push(Step::TailCall(callee_of(callee)));
    }

    fn emit_operation(&self, to: To<'_, '_>, operation: &Operation<'_>) {
        let wide = operation.operand.words(32) > 1 || operation.result.words(32) > 1;
        match operation.op {
            Op::MemoryLoad => load(to, operation),
            Op::MemoryStore => store(to, operation),
            Op::Load | Op::Store => global(to, operation),
            Op::MemorySize => to.push(Step::Size(operation.outs[0], memory(operation))),
            Op::MemoryGrow => to.push(Step::Grow(operation.outs[0], memory(operation), word(operation.args[0]))),
            Op::RefFunc => to.push(Step::Set(operation.outs[0], Word::Number(operation.imm.0 as u32 + 1))),
            Op::ConstructScalarFromScalar => convert(to, operation),
            _ if wide => crate::wide::emit(to, operation),
            _ => narrow(to, operation),
        }
    }
}

fn callee_of(callee: isa::Callee<'_>) -> Callee {
    match callee {
        isa::Callee::Func(func) | isa::Callee::Import(func) => Callee::Func(func),
        isa::Callee::Value(value) => Callee::Value(word(value)),
        isa::Callee::Table { table, ty, index } => Callee::Table(table, ty, word(index)),
    }
}

/// An operand of one word, or the low word of a wider one.
pub(crate) fn word(operand: Operand<'_>) -> Word {
    match operand {
        Operand::Reg(reg) => Word::Reg(reg),
        Operand::Const(bits) => Word::Number(bits as u32),
        other => unreachable!("the machine takes no {other:?}"),
    }
}

fn memory(operation: &Operation<'_>) -> Memory {
    Memory::from_u32(operation.imm.as_pair().0)
}

/// A step on words.
pub(crate) fn alu(to: To<'_, '_>, op: Alu, out: Reg, a: Word, b: Word) -> Word {
    to.push(Step::Alu(op, out, a, b));
    Word::Reg(out)
}

/// An operation on words of 32 bits.
fn narrow(to: To<'_, '_>, operation: &Operation<'_>) {
    let Operation { op, operand, outs, args, .. } = *operation;
    let (out, signed) = (outs[0], operand == Kind::I32);
    let a = word(args[0]);
    let b = args.get(1).map_or(Word::Number(0), |&b| word(b));
    let less = if signed { Alu::LessSigned } else { Alu::Less };
    let not = |to: To<'_, '_>| alu(to, Alu::Xor, out, Word::Reg(out), Word::Number(1));
    let simple = match op {
        Op::Add => Alu::Add,
        Op::Subtract => Alu::Subtract,
        Op::Multiply => Alu::Multiply,
        Op::BitwiseAnd | Op::LogicalAnd => Alu::And,
        Op::BitwiseOr | Op::LogicalOr => Alu::Or,
        Op::BitwiseXor | Op::LogicalXor => Alu::Xor,
        Op::ShiftLeft => Alu::ShiftLeft,
        Op::ShiftRight if signed => Alu::ShiftRightSigned,
        Op::ShiftRight => Alu::ShiftRight,
        Op::Equal => Alu::Equal,
        Op::LessThan => less,
        Op::CountLeadingZeros => Alu::LeadingZeros,
        Op::CountTrailingZeros => Alu::TrailingZeros,
        Op::GreaterThan => {
            alu(to, less, out, b, a);
            return;
        }
        Op::LessThanEqual => {
            alu(to, less, out, b, a);
            not(to);
            return;
        }
        Op::GreaterThanEqual => {
            alu(to, less, out, a, b);
            not(to);
            return;
        }
        Op::NotEqual => {
            alu(to, Alu::Equal, out, a, b);
            not(to);
            return;
        }
        Op::LogicalNot | Op::RefIsNull => {
            alu(to, Alu::Equal, out, a, Word::Number(0));
            return;
        }
        Op::BitwiseNot => {
            alu(to, Alu::Xor, out, a, Word::Number(u32::MAX));
            return;
        }
        Op::Negate => {
            alu(to, Alu::Subtract, out, Word::Number(0), a);
            return;
        }
        Op::Select => return to.push(Step::Select(out, a, b, word(args[2]))),
        Op::DivideTrapping | Op::RemainderTrapping => return divide(to, op, signed, out, a, b),
        other => unreachable!("the machine said that it has no `{}`", other.text()),
    };
    alu(to, simple, out, a, b);
}

fn sign_extend(to: To<'_, '_>, out: Reg, a: Word, bits: u32) {
    let up = alu(to, Alu::ShiftLeft, out, a, Word::Number(bits));
    alu(to, Alu::ShiftRightSigned, out, up, Word::Number(bits));
}

/// Signed division by dividing magnitudes.
fn divide(to: To<'_, '_>, op: Op, signed: bool, out: Reg, a: Word, b: Word) {
    let quotient = op == Op::DivideTrapping;
    let nonzero = to.new_label();
    to.push(Step::JumpIf(b, nonzero));
    to.push(Step::Trap(TrapKind::DivisionByZero));
    to.push(Step::Label(nonzero));
    let step = if quotient { Alu::Divide } else { Alu::Remainder };
    if !signed {
        alu(to, step, out, a, b);
        return;
    }
    let [x, y, sign, flag] = [(); 4].map(|()| to.temporary(1));
    magnitude(to, x, a);
    magnitude(to, y, b);
    let result = alu(to, step, out, Word::Reg(x), Word::Reg(y));
    let sign = match quotient {
        true => alu(to, Alu::Xor, sign, a, b),
        false => a,
    };
    if quotient {
        // The quotient overflows only for the least number by -1.
        let fits = to.new_label();
        let negative = alu(to, Alu::LessSigned, flag, sign, Word::Number(0));
        to.push(Step::JumpIf(negative, fits));
        let great = alu(to, Alu::LessSigned, flag, result, Word::Number(0));
        let fine = alu(to, Alu::Xor, flag, great, Word::Number(1));
        to.push(Step::JumpIf(fine, fits));
        to.push(Step::Trap(TrapKind::IntegerOverflow));
        to.push(Step::Label(fits));
    }
    let negative = alu(to, Alu::LessSigned, flag, sign, Word::Number(0));
    let minus = alu(to, Alu::Subtract, x, Word::Number(0), result);
    to.push(Step::Select(out, negative, minus, result));
}

fn magnitude(to: To<'_, '_>, out: Reg, a: Word) {
    let flag = to.temporary(1);
    let negative = alu(to, Alu::LessSigned, flag, a, Word::Number(0));
    let minus = alu(to, Alu::Subtract, out, Word::Number(0), a);
    to.push(Step::Select(out, negative, minus, a));
}

fn convert(to: To<'_, '_>, operation: &Operation<'_>) {
    let (from, out, a) = (operation.operand, operation.outs[0], word(operation.args[0]));
    to.push(Step::Set(out, a));
    if operation.result.words(32) == 2 {
        let high = out.offset(1);
        if from == Kind::I32 {
            to.push(Step::Alu(Alu::ShiftRightSigned, high, a, Word::Number(31)));
        } else {
            to.push(Step::Set(high, Word::Number(0)));
        }
    }
}

fn load(to: To<'_, '_>, operation: &Operation<'_>) {
    let MemArg { memory, width, signed, offset, .. } = operation.imm.as_mem_arg();
    let (out, address, bytes) = (operation.outs[0], word(operation.args[0]), width.bytes());
    let (low, offset) = (bytes.min(4), u64::from(offset));
    let wide = operation.result.words(32) == 2;
    to.push(Step::Load { out, memory, address, offset, bytes: low, reach: bytes - low });
    if signed && low < 4 {
        sign_extend(to, out, Word::Reg(out), 32 - 8 * low);
    }
    if wide {
        let high = out.offset(1);
        match (bytes, signed) {
            (8, _) => to.push(Step::Load { out: high, memory, address, offset: offset + 4, bytes: 4, reach: 0 }),
            (_, true) => to.push(Step::Alu(Alu::ShiftRightSigned, high, Word::Reg(out), Word::Number(31))),
            (_, false) => to.push(Step::Set(high, Word::Number(0))),
        }
    }
}

fn store(to: To<'_, '_>, operation: &Operation<'_>) {
    let MemArg { memory, width, offset, .. } = operation.imm.as_mem_arg();
    let (address, value, bytes) = (word(operation.args[0]), operation.args[1], width.bytes());
    let (low, offset) = (bytes.min(4), u64::from(offset));
    to.push(Step::Store { memory, address, offset, bytes: low, value: word(value), reach: bytes - low });
    if let (8, Operand::Reg(reg)) = (bytes, value) {
        let value = Word::Reg(reg.offset(1));
        to.push(Step::Store { memory, address, offset: offset + 4, bytes: 4, value, reach: 0 });
    }
}

fn global(to: To<'_, '_>, operation: &Operation<'_>) {
    let (var, component) = operation.imm.as_pair();
    let var = Var::from_u32(var);
    let index = |at: usize| operation.args.get(at).map_or(Word::Number(0), |&index| word(index));
    if operation.op == Op::Load {
        let index = index(0);
        for word in 0..operation.result.words(32) {
            to.push(Step::Global { out: operation.outs[0].offset(word), var, component, index, word });
        }
        return;
    }
    let index = index(1);
    for word in 0..operation.operand.words(32) {
        let value = match operation.args[0] {
            Operand::Const(bits) => Word::Number((bits >> (32 * word)) as u32),
            Operand::Reg(value) => Word::Reg(value.offset(word)),
            other => unreachable!("the machine stores no {other:?}"),
        };
        to.push(Step::SetGlobal { var, component, index, word, value });
    }
}

/// The number of a function as references have it.
pub(crate) fn reference(func: Func) -> u32 {
    func.as_u32() + 1
}
