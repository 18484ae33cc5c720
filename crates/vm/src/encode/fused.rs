//! Two ops in one instruction: what the first one gives needs no register, and there is one step less. Which pairs are worth
//! it was found by counting on the workloads of `examples/wasm`.

use planish_ir::ops::{Imm, Op, Width};
use planish_machine::isa::{Kind, Operand, Operation, Reg, is_comparison};

use super::{Encoder, To};
use crate::dispatch::{Handler, scalar};

/// Whether operand number `operand` of `op` (on operands of the kind `of`) may be the op `inner` on `kind`.
pub(super) fn absorbs(op: Op, imm: Imm, of: Kind, operand: usize, inner: Op, kind: Kind) -> bool {
    match op {
        Op::MemoryLoad | Op::MemoryStore => {
            let arg = imm.as_mem_arg();
            let plain = arg.memory.as_u32() == 0 && arg.width != Width::B128;
            plain && operand == 0 && inner == Op::Add && matches!(kind, Kind::I32 | Kind::U32)
        }
        Op::Select => operand == 0 && of.words(64) == 1 && is_comparison(inner) && kind.scalar().is_some(),
        Op::Add | Op::Subtract if inner == Op::Multiply => product(op, kind, operand).is_some(),
        Op::BitwiseAnd => operand == 0 && inner == Op::ShiftRight && matches!(kind, Kind::U32 | Kind::U64),
        _ => shifted(op, inner, kind).is_some(),
    }
}

/// A sum or difference with a product as operand number `operand`.
fn product(op: Op, kind: Kind, operand: usize) -> Option<Handler> {
    use Kind::{F32, F64, I32, I64, U32, U64};
    let [add, product_first, product_second]: [Handler; 3] = match kind {
        I32 | U32 => [scalar::mul_add_i32, scalar::mul_sub_i32, scalar::sub_mul_i32],
        I64 | U64 => [scalar::mul_add_i64, scalar::mul_sub_i64, scalar::sub_mul_i64],
        F32 => [scalar::mul_add_f32, scalar::mul_sub_f32, scalar::sub_mul_f32],
        F64 => [scalar::mul_add_f64, scalar::mul_sub_f64, scalar::sub_mul_f64],
        _ => return None,
    };
    Some(match (op, operand) {
        (Op::Add, _) => add,
        (_, 0) => product_first,
        _ => product_second,
    })
}

/// A commutative op with a value shifted by a constant.
fn shifted(op: Op, shift: Op, kind: Kind) -> Option<Handler> {
    use Op::{Add, BitwiseOr, BitwiseXor, RotateLeft, RotateRight, ShiftLeft, ShiftRight};
    let wide = kind.is_integer() && kind.bits(64) == 64;
    let signed = matches!(kind, Kind::I32 | Kind::I64);
    if !kind.is_integer() {
        return None;
    }
    Some(match (op, shift, wide) {
        (Add, ShiftLeft, false) => scalar::shl_add_i32,
        (Add, ShiftLeft, true) => scalar::shl_add_i64,
        (BitwiseOr, ShiftLeft, false) => scalar::shl_or_i32,
        (BitwiseOr, ShiftLeft, true) => scalar::shl_or_i64,
        (BitwiseXor, ShiftLeft, false) => scalar::shl_xor_i32,
        (BitwiseXor, ShiftLeft, true) => scalar::shl_xor_i64,
        (BitwiseOr, ShiftRight, false) if !signed => scalar::shr_or_i32,
        (BitwiseOr, ShiftRight, true) if !signed => scalar::shr_or_i64,
        (BitwiseXor, ShiftRight, false) if !signed => scalar::shr_xor_i32,
        (BitwiseXor, ShiftRight, true) if !signed => scalar::shr_xor_i64,
        (BitwiseXor, RotateLeft, false) => scalar::rotl_xor_i32,
        (BitwiseXor, RotateLeft, true) => scalar::rotl_xor_i64,
        (BitwiseXor, RotateRight, false) => scalar::rotr_xor_i32,
        (BitwiseXor, RotateRight, true) => scalar::rotr_xor_i64,
        _ => return None,
    })
}

/// A comparison that chooses; true if its two values are to be exchanged.
fn choice(op: Op, kind: Kind) -> Option<(Handler, bool, bool)> {
    use Kind::{Bool, F32, F64, I32, I64, U32, U64};
    use Op::{Equal, GreaterThan, GreaterThanEqual, LessThan, LessThanEqual, NotEqual};
    // `x > y` is `y < x`, and `!=` chooses the other one.
    let (op, mirrored) = match op {
        GreaterThan => (LessThan, true),
        GreaterThanEqual => (LessThanEqual, true),
        other => (other, false),
    };
    let handler: Handler = match (op, kind) {
        (Equal | NotEqual, Bool | I32 | U32) => scalar::select_eq_i32,
        (Equal | NotEqual, I64 | U64) => scalar::select_eq_i64,
        (Equal | NotEqual, F32) => scalar::select_eq_f32,
        (Equal | NotEqual, F64) => scalar::select_eq_f64,
        (LessThan, I32) => scalar::select_lt_i32,
        (LessThan, U32) => scalar::select_lt_u32,
        (LessThan, I64) => scalar::select_lt_i64,
        (LessThan, U64) => scalar::select_lt_u64,
        (LessThan, F32) => scalar::select_lt_f32,
        (LessThan, F64) => scalar::select_lt_f64,
        (LessThanEqual, I32) => scalar::select_le_i32,
        (LessThanEqual, U32) => scalar::select_le_u32,
        (LessThanEqual, I64) => scalar::select_le_i64,
        (LessThanEqual, U64) => scalar::select_le_u64,
        (LessThanEqual, F32) => scalar::select_le_f32,
        (LessThanEqual, F64) => scalar::select_le_f64,
        _ => return None,
    };
    Some((handler, mirrored, op == NotEqual))
}

impl Encoder<'_> {
    /// Does an operation that has another one inside; false if it has none, or is better done in two steps.
    pub(super) fn emit_fused(&self, to: To<'_, '_>, operation: &Operation<'_>) -> bool {
        let Operation { op, outs, args, .. } = *operation;
        let Some((at, inner)) = args.iter().enumerate().find_map(|(i, arg)| match arg {
            Operand::Nested(inner) => Some((i, **inner)),
            _ => None,
        }) else {
            return false;
        };
        match op {
            Op::Select => self.emit_choice(to, operation, &inner),
            Op::BitwiseAnd => {
                let (Operand::Const(amount), Operand::Const(mask)) = (inner.args[1], args[1]) else { return false };
                let (Operand::Reg(a), Ok(mask)) = (inner.args[0], u16::try_from(mask)) else { return false };
                let bits = inner.operand.bits(64);
                let handler = if bits == 64 { scalar::field_i64 as Handler } else { scalar::field_i32 };
                let constants = (amount & u64::from(bits - 1)) << 32 | u64::from(mask) << 48;
                self.put(to, handler, &[self.regs([a, outs[0], Reg(0), Reg(0)]) | constants]);
                true
            }
            Op::Add | Op::Subtract if inner.op == Op::Multiply => {
                let Some(handler) = product(op, inner.operand, at) else { return false };
                let (a, b) = (self.register(to, inner.args[0]), self.register(to, inner.args[1]));
                let c = self.register(to, args[1 - at]);
                self.put(to, handler, &[self.regs([a, b, c, outs[0]])]);
                true
            }
            _ => {
                let (Some(handler), Operand::Const(amount)) =
                    (shifted(op, inner.op, inner.operand), inner.args.get(1).copied().unwrap_or(Operand::Const(0)))
                else {
                    return false;
                };
                let a = self.register(to, inner.args[0]);
                let c = self.register(to, args[1 - at]);
                let amount = amount & u64::from(inner.operand.bits(64) - 1);
                self.put(to, handler, &[self.regs([a, Reg(0), c, outs[0]]) | amount << 16]);
                true
            }
        }
    }

    fn emit_choice(&self, to: To<'_, '_>, operation: &Operation<'_>, inner: &Operation<'_>) -> bool {
        let Some((handler, mirrored, exchanged)) = choice(inner.op, inner.operand) else { return false };
        let (mut a, mut b) = (self.register(to, inner.args[0]), self.register(to, inner.args[1]));
        let (mut x, mut y) = (self.register(to, operation.args[1]), self.register(to, operation.args[2]));
        if mirrored {
            (a, b) = (b, a);
        }
        if exchanged {
            (x, y) = (y, x);
        }
        let out = self.half(operation.outs[0]);
        self.put(to, handler, &[self.regs([a, b, x, y]), out]);
        true
    }
}
