//! Operations on 64-bit integers, in steps on their two words.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;
use planish_machine::isa::{Kind, Operand, Operation, Reg};

use crate::isa::{To, alu, word};
use crate::step::{Alu, Step, Word};

/// Low and high word.
type Pair = [Word; 2];

fn pair(operand: Operand<'_>) -> Pair {
    match operand {
        Operand::Reg(reg) => [Word::Reg(reg), Word::Reg(reg.offset(1))],
        Operand::Const(bits) => [Word::Number(bits as u32), Word::Number((bits >> 32) as u32)],
        other => unreachable!("the machine takes no {other:?}"),
    }
}

const ZERO: Word = Word::Number(0);
const ONE: Word = Word::Number(1);

/// Emits an operation with 64-bit operands or results.
pub(crate) fn emit(to: To<'_, '_>, operation: &Operation<'_>) {
    let Operation { op, operand, outs, args, .. } = *operation;
    let (low, high) = (outs[0], outs[0].offset(1));
    let signed = operand == Kind::I64;
    let a = pair(args[if op == Op::Select { 1 } else { 0 }]);
    let b = args.get(1).map_or([ZERO; 2], |&b| pair(b));
    match op {
        Op::Add => add(to, [low, high], a, b),
        Op::Subtract => subtract(to, [low, high], a, b),
        Op::Negate => subtract(to, [low, high], [ZERO; 2], a),
        Op::Multiply => multiply(to, [low, high], a, b),
        Op::BitwiseAnd => each(to, Alu::And, [low, high], a, b),
        Op::BitwiseOr => each(to, Alu::Or, [low, high], a, b),
        Op::BitwiseXor => each(to, Alu::Xor, [low, high], a, b),
        Op::BitwiseNot => each(to, Alu::Xor, [low, high], a, [Word::Number(u32::MAX); 2]),
        Op::Equal | Op::NotEqual => {
            let other = to.temporary(1);
            let x = alu(to, Alu::Xor, low, a[0], b[0]);
            let y = alu(to, Alu::Xor, other, a[1], b[1]);
            let x = alu(to, Alu::Or, low, x, y);
            let x = alu(to, Alu::Equal, low, x, ZERO);
            if op == Op::NotEqual {
                alu(to, Alu::Xor, low, x, ONE);
            }
        }
        Op::LessThan => less(to, signed, low, a, b, false),
        Op::GreaterThan => less(to, signed, low, b, a, false),
        Op::GreaterThanEqual => less(to, signed, low, a, b, true),
        Op::LessThanEqual => less(to, signed, low, b, a, true),
        Op::Select => select(to, [low, high], word(args[0]), a, pair(args[2])),
        Op::ShiftLeft => shift_left(to, [low, high], a, b[0]),
        Op::ShiftRight => shift_right(to, signed, [low, high], a, b[0]),
        Op::CountLeadingZeros => count(to, Alu::LeadingZeros, [low, high], [a[1], a[0]]),
        Op::CountTrailingZeros => count(to, Alu::TrailingZeros, [low, high], a),
        Op::DivideTrapping | Op::RemainderTrapping => divide(to, op, signed, [low, high], a, b),
        other => unreachable!("the machine said that it has no `{}`", other.text()),
    }
}

fn each(to: To<'_, '_>, op: Alu, out: [Reg; 2], a: Pair, b: Pair) {
    alu(to, op, out[0], a[0], b[0]);
    alu(to, op, out[1], a[1], b[1]);
}

fn add(to: To<'_, '_>, out: [Reg; 2], a: Pair, b: Pair) {
    let carry = to.temporary(1);
    let low = alu(to, Alu::Add, out[0], a[0], b[0]);
    let carry = alu(to, Alu::Less, carry, low, a[0]);
    let high = alu(to, Alu::Add, out[1], a[1], b[1]);
    alu(to, Alu::Add, out[1], high, carry);
}

fn subtract(to: To<'_, '_>, out: [Reg; 2], a: Pair, b: Pair) {
    let borrow = to.temporary(1);
    let borrow = alu(to, Alu::Less, borrow, a[0], b[0]);
    alu(to, Alu::Subtract, out[0], a[0], b[0]);
    let high = alu(to, Alu::Subtract, out[1], a[1], b[1]);
    alu(to, Alu::Subtract, out[1], high, borrow);
}

fn multiply(to: To<'_, '_>, out: [Reg; 2], a: Pair, b: Pair) {
    let cross = to.temporary(1);
    let high = alu(to, Alu::MultiplyHigh, out[1], a[0], b[0]);
    let x = alu(to, Alu::Multiply, cross, a[0], b[1]);
    let high = alu(to, Alu::Add, out[1], high, x);
    let x = alu(to, Alu::Multiply, cross, a[1], b[0]);
    alu(to, Alu::Add, out[1], high, x);
    alu(to, Alu::Multiply, out[0], a[0], b[0]);
}

fn select(to: To<'_, '_>, out: [Reg; 2], condition: Word, a: Pair, b: Pair) {
    to.push(Step::Select(out[0], condition, a[0], b[0]));
    to.push(Step::Select(out[1], condition, a[1], b[1]));
}

/// `a < b`, or (`not`) `a >= b`. The high words decide, unless they are equal.
fn less(to: To<'_, '_>, signed: bool, out: Reg, a: Pair, b: Pair, not: bool) {
    let [same, high] = [(); 2].map(|()| to.temporary(1));
    let same = alu(to, Alu::Equal, same, a[1], b[1]);
    let high = alu(to, if signed { Alu::LessSigned } else { Alu::Less }, high, a[1], b[1]);
    let low = alu(to, Alu::Less, out, a[0], b[0]);
    to.push(Step::Select(out, same, low, high));
    if not {
        alu(to, Alu::Xor, out, Word::Reg(out), ONE);
    }
}

/// The bits of `from` that a shift by `amount` (below 32) moves into the neighbouring word: 0 if `amount` is 0.
fn moved(to: To<'_, '_>, op: Alu, out: Reg, from: Word, amount: Word) -> Word {
    let back = to.temporary(1);
    let half = alu(to, op, out, from, ONE);
    let back = alu(to, Alu::Xor, back, amount, Word::Number(31));
    alu(to, op, out, half, back)
}

/// An amount of 32 or more first moves words.
fn shift_left(to: To<'_, '_>, out: [Reg; 2], a: Pair, amount: Word) {
    let [low, high, far, near, part] = [(); 5].map(|()| to.temporary(1));
    let is_far = alu(to, Alu::And, far, amount, Word::Number(32));
    let near = alu(to, Alu::And, near, amount, Word::Number(31));
    to.push(Step::Select(low, is_far, ZERO, a[0]));
    to.push(Step::Select(high, is_far, a[0], a[1]));
    let up = moved(to, Alu::ShiftRight, part, Word::Reg(low), near);
    let shifted = alu(to, Alu::ShiftLeft, out[1], Word::Reg(high), near);
    alu(to, Alu::Or, out[1], shifted, up);
    alu(to, Alu::ShiftLeft, out[0], Word::Reg(low), near);
}

fn shift_right(to: To<'_, '_>, signed: bool, out: [Reg; 2], a: Pair, amount: Word) {
    let [low, high, far, near, part] = [(); 5].map(|()| to.temporary(1));
    let is_far = alu(to, Alu::And, far, amount, Word::Number(32));
    let near = alu(to, Alu::And, near, amount, Word::Number(31));
    let above = if signed { alu(to, Alu::ShiftRightSigned, part, a[1], Word::Number(31)) } else { ZERO };
    to.push(Step::Select(low, is_far, a[1], a[0]));
    to.push(Step::Select(high, is_far, above, a[1]));
    let down = moved(to, Alu::ShiftLeft, part, Word::Reg(high), near);
    let shifted = alu(to, Alu::ShiftRight, out[0], Word::Reg(low), near);
    alu(to, Alu::Or, out[0], shifted, down);
    alu(to, if signed { Alu::ShiftRightSigned } else { Alu::ShiftRight }, out[1], Word::Reg(high), near);
}

/// Zeros of the first word, and if it is all zeros, those of the second one too.
fn count(to: To<'_, '_>, op: Alu, out: [Reg; 2], words: Pair) {
    let more = to.temporary(1);
    let more = alu(to, op, more, words[1], ZERO);
    let Word::Reg(sum) = more else { return };
    let sum = alu(to, Alu::Add, sum, more, Word::Number(32));
    let first = alu(to, op, out[0], words[0], ZERO);
    to.push(Step::Select(out[0], words[0], first, sum));
    to.push(Step::Set(out[1], ZERO));
}

/// Long division of magnitudes, a bit per iteration.
fn divide(to: To<'_, '_>, op: Op, signed: bool, out: [Reg; 2], a: Pair, b: Pair) {
    let quotient = op == Op::DivideTrapping;
    let [x, y, rest, minus] = [(); 4].map(|()| to.temporary(2)).map(|low| [low, low.offset(1)]);
    let [flag, left] = [(); 2].map(|()| to.temporary(1));
    let words = |regs: [Reg; 2]| regs.map(Word::Reg);
    let any = alu(to, Alu::Or, flag, b[0], b[1]);
    let nonzero = to.new_label();
    to.push(Step::JumpIf(any, nonzero));
    to.push(Step::Trap(TrapKind::DivisionByZero));
    to.push(Step::Label(nonzero));
    for (magnitude, value) in [(x, a), (y, b)] {
        each(to, Alu::Or, magnitude, value, [ZERO; 2]);
        if signed {
            let negative = alu(to, Alu::LessSigned, flag, value[1], ZERO);
            subtract(to, minus, [ZERO; 2], value);
            select(to, magnitude, negative, words(minus), value);
        }
    }
    // x moves up into the rest, and the bits of the quotient move up into x.
    rest.iter().for_each(|&reg| to.push(Step::Set(reg, ZERO)));
    to.push(Step::Set(left, Word::Number(64)));
    let again = to.new_label();
    to.push(Step::Label(again));
    let top = alu(to, Alu::ShiftRight, flag, Word::Reg(rest[1]), Word::Number(31));
    let Word::Reg(overflow) = top else { return };
    let ups = [(rest[1], rest[0]), (rest[0], x[1]), (x[1], x[0])];
    for (reg, below) in ups {
        let carry = alu(to, Alu::ShiftRight, minus[0], Word::Reg(below), Word::Number(31));
        let up = alu(to, Alu::ShiftLeft, reg, Word::Reg(reg), ONE);
        alu(to, Alu::Or, reg, up, carry);
    }
    alu(to, Alu::ShiftLeft, x[0], Word::Reg(x[0]), ONE);
    less(to, false, minus[0], words(rest), words(y), true);
    let fits = alu(to, Alu::Or, overflow, Word::Reg(overflow), Word::Reg(minus[0]));
    alu(to, Alu::Or, x[0], Word::Reg(x[0]), fits);
    subtract(to, minus, words(rest), words(y));
    select(to, rest, fits, words(minus), words(rest));
    let more = alu(to, Alu::Subtract, left, Word::Reg(left), ONE);
    to.push(Step::JumpIf(more, again));
    let result = if quotient { x } else { rest };
    if signed {
        let sign = if quotient { alu(to, Alu::Xor, left, a[1], b[1]) } else { a[1] };
        let negative = alu(to, Alu::LessSigned, flag, sign, ZERO);
        if quotient {
            // The quotient overflows only for the least number by -1.
            let fine = to.new_label();
            to.push(Step::JumpIf(negative, fine));
            let great = alu(to, Alu::LessSigned, y[0], Word::Reg(x[1]), ZERO);
            let small = alu(to, Alu::Xor, y[0], great, ONE);
            to.push(Step::JumpIf(small, fine));
            to.push(Step::Trap(TrapKind::IntegerOverflow));
            to.push(Step::Label(fine));
        }
        subtract(to, minus, [ZERO; 2], words(result));
        select(to, out, negative, words(minus), words(result));
    } else {
        each(to, Alu::Or, out, words(result), [ZERO; 2]);
    }
}
