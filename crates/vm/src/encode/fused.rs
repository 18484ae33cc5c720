//! Two ops in one instruction: the first one's result needs no register, and there is one dispatch less. The pairs were
//! selected by counting on the workloads of `examples/wasm`.

use planish_ir::ops::{Imm, MemArg, Op};
use planish_machine::isa::{Kind, Operand, Operation, Reg, is_comparison};

use super::merge::{Last, Term};
use super::{Encoder, To, handlers};
use crate::dispatch::operands::{Bank, Forms, Pair};
use crate::dispatch::scalar::{self, Binary as _, Fused as _, Shifted as _};

/// Whether operand number `operand` of `op` (on operands of the kind `of`) may be the op `inner` on `kind`.
pub(super) fn absorbs(op: Op, imm: Imm, of: Kind, operand: usize, inner: Op, kind: Kind) -> bool {
    match op {
        Op::MemoryLoad | Op::MemoryStore => {
            imm.as_mem_arg().memory.as_u32() == 0
                && operand == 0
                && inner == Op::Add
                && matches!(kind, Kind::I32 | Kind::U32)
        }
        Op::Select => operand == 0 && of.words(64) == 1 && is_comparison(inner) && kind.scalar().is_some(),
        // (Zero extension needs no instruction, so it may be missing here.)
        _ if of.bits(64) != kind.bits(64) => false,
        Op::Add | Op::Subtract if inner == Op::Multiply => product(op, kind, operand, false).is_some(),
        Op::BitwiseAnd if inner == Op::BitwiseNot => kind.is_integer(),
        Op::BitwiseAnd => operand == 0 && inner == Op::ShiftRight && matches!(kind, Kind::U32 | Kind::U64),
        _ => shifted(op, inner, kind).is_some(),
    }
}

/// Whether the offset fits an access at a sum of two registers.
pub(super) fn fits_sum(arg: MemArg) -> bool {
    arg.offset <= 0xffff
}

/// A sum or difference with a product as operand number `operand`; `any`: any NaN is allowed.
fn product(op: Op, kind: Kind, operand: usize, any: bool) -> Option<Forms> {
    use Kind::{F32, F64, I32, I64, U32, U64};
    let [add, product_first, product_second]: [Forms; 3] = match kind {
        I32 | U32 => [scalar::mul_add_i32::FORMS, scalar::mul_sub_i32::FORMS, scalar::sub_mul_i32::FORMS],
        I64 | U64 => [scalar::mul_add_i64::FORMS, scalar::mul_sub_i64::FORMS, scalar::sub_mul_i64::FORMS],
        F32 if any => [scalar::mul_add_any_f32::FORMS, scalar::mul_sub_any_f32::FORMS, scalar::sub_mul_any_f32::FORMS],
        F32 => [scalar::mul_add_f32::FORMS, scalar::mul_sub_f32::FORMS, scalar::sub_mul_f32::FORMS],
        F64 if any => [scalar::mul_add_any_f64::FORMS, scalar::mul_sub_any_f64::FORMS, scalar::sub_mul_any_f64::FORMS],
        F64 => [scalar::mul_add_f64::FORMS, scalar::mul_sub_f64::FORMS, scalar::sub_mul_f64::FORMS],
        _ => return None,
    };
    Some(match (op, operand) {
        (Op::Add, _) => add,
        (_, 0) => product_first,
        _ => product_second,
    })
}

/// A commutative op with a value shifted by a constant: with a register, with a constant.
fn shifted(op: Op, shift: Op, kind: Kind) -> Option<(Forms, Forms)> {
    macro_rules! both {
        ($a:ident :: $b:ident) => {
            ($a::$b::FORMS, $a::$b::CONSTANT)
        };
    }
    use Op::{Add, BitwiseOr, BitwiseXor, RotateLeft, RotateRight, ShiftLeft, ShiftRight};
    let wide = kind.is_integer() && kind.bits(64) == 64;
    let signed = matches!(kind, Kind::I32 | Kind::I64);
    if !kind.is_integer() {
        return None;
    }
    Some(match (op, shift, wide) {
        (Add, ShiftLeft, false) => both!(scalar::shl_add_i32),
        (Add, ShiftLeft, true) => both!(scalar::shl_add_i64),
        (BitwiseOr, ShiftLeft, false) => both!(scalar::shl_or_i32),
        (BitwiseOr, ShiftLeft, true) => both!(scalar::shl_or_i64),
        (BitwiseXor, ShiftLeft, false) => both!(scalar::shl_xor_i32),
        (BitwiseXor, ShiftLeft, true) => both!(scalar::shl_xor_i64),
        (BitwiseOr, ShiftRight, false) if !signed => both!(scalar::shr_or_i32),
        (BitwiseOr, ShiftRight, true) if !signed => both!(scalar::shr_or_i64),
        (BitwiseXor, ShiftRight, false) if !signed => both!(scalar::shr_xor_i32),
        (BitwiseXor, ShiftRight, true) if !signed => both!(scalar::shr_xor_i64),
        (BitwiseXor, RotateLeft, false) => both!(scalar::rotl_xor_i32),
        (BitwiseXor, RotateLeft, true) => both!(scalar::rotl_xor_i64),
        (BitwiseXor, RotateRight, false) => both!(scalar::rotr_xor_i32),
        (BitwiseXor, RotateRight, true) => both!(scalar::rotr_xor_i64),
        _ => return None,
    })
}

/// A comparison that selects; `true` if its two values are to be exchanged.
fn choice(op: Op, kind: Kind) -> Option<([Pair; 3], bool, bool)> {
    use Kind::{Bool, F32, F64, I32, I64, U32, U64};
    use Op::{Equal, GreaterThan, GreaterThanEqual, LessThan, LessThanEqual, NotEqual};
    // `x > y` is `y < x`, and `!=` selects the other one.
    let (op, mirrored) = match op {
        GreaterThan => (LessThan, true),
        GreaterThanEqual => (LessThanEqual, true),
        other => (other, false),
    };
    let forms = match (op, kind) {
        (Equal | NotEqual, Bool | I32 | U32) => scalar::choices::<scalar::eq_i32>(),
        (Equal | NotEqual, I64 | U64) => scalar::choices::<scalar::eq_i64>(),
        (Equal | NotEqual, F32) => scalar::choices::<scalar::eq_f32>(),
        (Equal | NotEqual, F64) => scalar::choices::<scalar::eq_f64>(),
        (LessThan, I32) => scalar::choices::<scalar::lt_i32>(),
        (LessThan, U32) => scalar::choices::<scalar::lt_u32>(),
        (LessThan, I64) => scalar::choices::<scalar::lt_i64>(),
        (LessThan, U64) => scalar::choices::<scalar::lt_u64>(),
        (LessThan, F32) => scalar::choices::<scalar::lt_f32>(),
        (LessThan, F64) => scalar::choices::<scalar::lt_f64>(),
        (LessThanEqual, I32) => scalar::choices::<scalar::le_i32>(),
        (LessThanEqual, U32) => scalar::choices::<scalar::le_u32>(),
        (LessThanEqual, I64) => scalar::choices::<scalar::le_i64>(),
        (LessThanEqual, U64) => scalar::choices::<scalar::le_u64>(),
        (LessThanEqual, F32) => scalar::choices::<scalar::le_f32>(),
        (LessThanEqual, F64) => scalar::choices::<scalar::le_f64>(),
        _ => return None,
    };
    Some((forms, mirrored, op == NotEqual))
}

impl Encoder<'_> {
    /// Emits an operation with another one as its operand; `false` if there is none, or if two instructions are better.
    pub(super) fn emit_fused(&self, to: To<'_, '_>, operation: &Operation<'_>) -> bool {
        let Operation { op, outs, args, .. } = *operation;
        let bank = handlers::bank(operation.operand);
        let write = outs.first().map(|&out| (out, bank));
        let Some((at, inner)) = args.iter().enumerate().find_map(|(i, arg)| match arg {
            Operand::Nested(inner) => Some((i, **inner)),
            _ => None,
        }) else {
            return false;
        };
        match op {
            Op::Select => self.emit_choice(to, operation, &inner),
            Op::BitwiseAnd if inner.op == Op::BitwiseNot => {
                let wide = inner.operand.bits(64) == 64;
                let forms = if wide { scalar::and_not_i64::FORMS } else { scalar::and_not_i32::FORMS };
                let a = self.register(to, args[1 - at]);
                let b = self.register(to, inner.args[0]);
                let operands = self.regs([a, b, outs[0], Reg(0)]);
                self.put_form(to, forms.registers, &[(a, bank), (b, bank)], write, &[operands]);
                true
            }
            Op::BitwiseAnd => {
                let (Operand::Const(amount), Operand::Const(mask)) = (inner.args[1], args[1]) else { return false };
                let (Operand::Reg(a), Ok(mask)) = (inner.args[0], u16::try_from(mask)) else { return false };
                let bits = inner.operand.bits(64);
                let forms = if bits == 64 { scalar::FIELD_I64 } else { scalar::FIELD_I32 };
                let constants = (amount & u64::from(bits - 1)) << 32 | u64::from(mask) << 48;
                let operands = self.regs([a, outs[0], Reg(0), Reg(0)]) | constants;
                self.put_form(to, forms, &[(a, bank)], write, &[operands]);
                true
            }
            Op::Add | Op::Subtract if inner.op == Op::Multiply => {
                let Some(forms) = product(op, inner.operand, at, to.only_number) else { return false };
                let (a, b) = (self.register(to, inner.args[0]), self.register(to, inner.args[1]));
                let c = self.register(to, args[1 - at]);
                let operands = self.regs([a, b, c, outs[0]]);
                self.put_form(to, forms, &[(a, bank), (b, bank), (c, bank)], write, &[operands]);
                true
            }
            _ => {
                let (Some((forms, constant)), Operand::Const(amount)) =
                    (shifted(op, inner.op, inner.operand), inner.args.get(1).copied().unwrap_or(Operand::Const(0)))
                else {
                    return false;
                };
                let a = self.register(to, inner.args[0]);
                let amount = amount & u64::from(inner.operand.bits(64) - 1);
                let (form, base) = if let Operand::Const(c) = args[1 - at] {
                    let operands = [self.regs([a, Reg(0), Reg(0), outs[0]]) | amount << 16, c];
                    (self.put_form(to, constant, &[(a, bank)], write, &operands), Term::Const(c as u32))
                } else {
                    let c = self.register(to, args[1 - at]);
                    let operands = self.regs([a, Reg(0), c, outs[0]]) | amount << 16;
                    (self.put_form(to, forms, &[(a, bank), (c, bank)], write, &[operands]), Term::Reg(c))
                };
                if form < 2 && inner.op == Op::ShiftLeft && op == Op::Add && inner.operand.bits(64) == 32 {
                    let at = to.directives.len() - 2 - usize::from(matches!(base, Term::Const(_)));
                    let is_accumulated = form == 1;
                    self.state.borrow_mut().last = Last::Scaled { at, out: outs[0], is_accumulated, base };
                }
                true
            }
        }
    }

    fn emit_choice(&self, to: To<'_, '_>, operation: &Operation<'_>, inner: &Operation<'_>) -> bool {
        let one_or_zero = [Operand::Const(1), Operand::Const(0)];
        if operation.args[1..] == one_or_zero {
            self.emit_value(to, &Operation { outs: operation.outs, ..*inner });
            return true;
        }
        let Some((forms, mirrored, exchanged)) = choice(inner.op, inner.operand) else { return false };
        let (mut a, mut b) = (self.register(to, inner.args[0]), self.register(to, inner.args[1]));
        let (mut x, mut y) = (self.register(to, operation.args[1]), self.register(to, operation.args[2]));
        if mirrored {
            (a, b) = (b, a);
        }
        if exchanged {
            (x, y) = (y, x);
        }
        let out = self.half(operation.outs[0]);
        let bank = handlers::bank(inner.operand);
        let reads = [(a, bank), (b, bank), (x, Bank::Int), (y, Bank::Int)];
        let write = Some((operation.outs[0], Bank::Int));
        self.put_form(to, &forms, &reads, write, &[self.regs([a, b, x, y]), out]);
        true
    }
}
