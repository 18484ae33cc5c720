//! Expressions of ops on scalars.

use planish_back_text::nan::is_computed;
use planish_back_text::scalars;
use planish_back_text::tree::{Expr, ExprKind, Infix};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{TargetInfo, is_defined};

use crate::dialect::Lower;

/// Operations that C has, for the legalizer.
pub fn info() -> TargetInfo<'static> {
    TargetInfo { name: "C", support: &scalars::support, is_shading_language: false }
}

/// The function of `math.h` on doubles of an elementary op.
fn function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Exp2 => "exp2",
        Op::Log2 => "log2",
        _ => return None,
    })
}

/// The functions of `math.h` on floats and doubles of an op whose result is exact or rounded once.
fn exact_function(op: Op) -> Option<[&'static str; 2]> {
    Some(match op {
        Op::Abs => ["fabsf", "fabs"],
        Op::Sqrt => ["sqrtf", "sqrt"],
        Op::Floor => ["floorf", "floor"],
        Op::Ceil => ["ceilf", "ceil"],
        Op::Trunc => ["truncf", "trunc"],
        Op::Round | Op::RoundEven => ["nearbyintf", "nearbyint"],
        Op::CopySign => ["copysignf", "copysign"],
        Op::Fma => ["fmaf", "fma"],
        _ => return None,
    })
}

/// A cast; of an unsigned integer that was made signed, the integer itself.
pub(crate) fn cast(l: &mut Lower<'_, '_>, to: Scalar, e: Expr) -> Expr {
    if let ExprKind::Cast(inner, under) = l.w.tree.kind(e)
        && l.w.wrapped.contains(&e)
        && l.w.scalar(inner).is_some_and(|from| unsigned(from) == to)
    {
        return under;
    }
    if let ExprKind::Literal(c) = l.w.tree.kind(e)
        && to == Scalar::U32
        && l.w.module.consts[c].ty == Type::I32
        && let Some(bits) = l.w.module.consts.as_bits(c)
    {
        return l.w.tree.add(ExprKind::Uint(bits as u32));
    }
    let ty = l.w.scalar_type(to);
    l.w.tree.add(ExprKind::Cast(ty, e))
}

/// An unsigned integer as one of a type of the same size.
fn wrap(l: &mut Lower<'_, '_>, to: Scalar, e: Expr) -> Expr {
    if !to.is_signed() {
        return e;
    }
    let ty = l.w.scalar_type(to);
    let wrapped = l.w.tree.add(ExprKind::Cast(ty, e));
    l.w.wrapped.insert(wrapped);
    wrapped
}

/// The unsigned integer of the same size.
fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I64 | Scalar::U64 => Scalar::U64,
        _ => Scalar::U32,
    }
}

/// The expression of an op; `None` if C has none.
pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let e = plain(l, node)?;
    let result = l.body.result(node)?;
    match l.w.scalar(l.body.local_type(result)) {
        Some(scalar) if scalar.is_float() && l.w.sees_bits && is_computed(l.w.module, l.body, Value::from(result)) => {
            Some(canonical_of(l, scalar, e))
        }
        _ => Some(e),
    }
}

/// The expression of an op, whose NaN may have any bits.
fn plain(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let (data, args) = (*l.body.node(node), l.body.args(node));
    let op = data.op;
    let result = l.body.local_type(l.body.result(node)?);
    let ty = l.type_of(*args.first()?);
    let Some(scalar) = l.w.scalar(ty) else { return of_references(l, op, args, result) };
    match op {
        Op::Select => {
            let c = l.operand(args[0]);
            let a = l.conditional_operand(args[1]);
            let b = l.conditional_operand(args[2]);
            return Some(l.w.tree.add(ExprKind::Ternary(c, a, b)));
        }
        Op::ConstructScalarFromScalar => {
            let to = l.w.scalar(result)?;
            let e = l.operand(args[0]);
            return Some(convert(l, e, scalar, to));
        }
        Op::Bitcast => return bitcast(l, args[0], scalar, l.w.scalar(result)?),
        Op::LogicalAnd | Op::LogicalOr => {
            let a = l.operand(args[0]);
            let b = l.conditional_operand(args[1]);
            return Some(l.w.tree.infix(Infix::of(op)?, a, b));
        }
        Op::LogicalNot => {
            let e = l.operand(args[0]);
            return Some(l.w.tree.not(e));
        }
        _ if !scalars::has(op, scalar) => return None,
        _ => {}
    }
    if matches!(op, Op::DivideTrapping | Op::RemainderTrapping | Op::TruncateTrapping) {
        return trapping(l, node, scalar, result);
    }
    let is_guarded = is_defined(l.w.module, l.body, (op, data.imm), args, Some(result));
    let second = args.get(1).and_then(|&arg| l.w.scalar(l.type_of(arg)));
    let e: Vec<Expr> = args.iter().map(|&arg| l.operand(arg)).collect();
    if matches!(op.info().class, Class::Compare) {
        return Some(comparison(l, op, scalar, e[0], e[1]));
    }
    if scalar.is_float() {
        return float(l, (op, args), scalar, &e);
    }
    if op == Op::LogicalXor {
        return Some(l.w.tree.infix(Infix::Ne, e[0], e[1]));
    }
    integer(l, op, (scalar, second, l.w.scalar(result)?), &e, is_guarded)
}

fn comparison(l: &mut Lower<'_, '_>, op: Op, scalar: Scalar, a: Expr, b: Expr) -> Expr {
    let infix = Infix::of(op).unwrap_or(Infix::Eq);
    match op {
        Op::Equal | Op::NotEqual => l.w.tree.infix(infix, a, b),
        // The opposite of a comparison of floats is not another one: NaN.
        _ if scalar.is_float() => l.w.tree.infix(infix, a, b),
        _ => l.w.tree.ordered_compare(infix, a, b),
    }
}

/// Ops on references, tokens and other values that are no numbers.
fn of_references(l: &mut Lower<'_, '_>, op: Op, args: &[Value], _: Type) -> Option<Expr> {
    match op {
        Op::Equal | Op::NotEqual => {
            let e: Vec<Expr> = args.iter().map(|&arg| l.operand(arg)).collect();
            Some(l.w.tree.infix(Infix::of(op)?, e[0], e[1]))
        }
        _ => None,
    }
}

fn float(l: &mut Lower<'_, '_>, (op, args): (Op, &[Value]), scalar: Scalar, e: &[Expr]) -> Option<Expr> {
    let is_double = scalar == Scalar::F64;
    if let Some(infix) = Infix::of(op) {
        return Some(l.w.tree.infix(infix, e[0], e[1]));
    }
    if op == Op::Negate {
        return Some(l.w.tree.add(ExprKind::Prefix("-", e[0])));
    }
    if op == Op::CopySign {
        let sign = canonical(l, args[1], e[1]);
        return Some(l.w.tree.builtin(exact_function(op)?[usize::from(is_double)], &[e[0], sign]));
    }
    if let Some(names) = exact_function(op) {
        return Some(l.w.tree.builtin(names[usize::from(is_double)], e));
    }
    match op {
        Op::Minimum => return Some(l.w.helper(if is_double { "minimum_f64" } else { "minimum_f32" }, e)),
        Op::Maximum => return Some(l.w.helper(if is_double { "maximum_f64" } else { "maximum_f32" }, e)),
        Op::Ldexp => return Some(l.w.tree.builtin(if is_double { "ldexp" } else { "ldexpf" }, e)),
        _ => {}
    }
    // Elementary functions of floats are computed in doubles, and rounded.
    let value = match op {
        Op::Atan2 => l.w.tree.builtin("atan2", e),
        Op::Pow => l.w.helper("power", e),
        _ => l.w.tree.builtin(function(op)?, e),
    };
    Some(if is_double { value } else { cast(l, Scalar::F32, value) })
}

fn integer(
    l: &mut Lower<'_, '_>,
    op: Op,
    (scalar, second, result): (Scalar, Option<Scalar>, Scalar),
    e: &[Expr],
    is_guarded: bool,
) -> Option<Expr> {
    let is_wide = scalar.bits() == 64;
    let word = unsigned(scalar);
    match op {
        Op::Add | Op::Subtract | Op::Multiply => {
            let [a, b] = [0, 1].map(|i| if scalar.is_signed() { cast(l, word, e[i]) } else { e[i] });
            let value = l.w.tree.infix(Infix::of(op)?, a, b);
            Some(wrap(l, scalar, value))
        }
        Op::Negate => {
            let a = if scalar.is_signed() { cast(l, word, e[0]) } else { e[0] };
            let zero = l.w.tree.add(ExprKind::Uint(0));
            let value = l.w.tree.infix(Infix::Sub, zero, a);
            Some(wrap(l, scalar, value))
        }
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Some(l.w.tree.infix(Infix::of(op)?, e[0], e[1])),
        Op::BitwiseNot => Some(l.w.tree.add(ExprKind::Prefix("~", e[0]))),
        Op::Divide | Op::Remainder if is_guarded => Some(l.w.tree.infix(Infix::of(op)?, e[0], e[1])),
        Op::Divide | Op::Remainder => {
            let name = match (op, scalar) {
                (Op::Divide, Scalar::I32) => "divide_i32",
                (Op::Divide, Scalar::U32) => "divide_u32",
                (Op::Divide, Scalar::I64) => "divide_i64",
                (Op::Divide, _) => "divide_u64",
                (_, Scalar::I32) => "remainder_i32",
                (_, Scalar::U32) => "remainder_u32",
                (_, Scalar::I64) => "remainder_i64",
                _ => "remainder_u64",
            };
            Some(l.w.helper(name, e))
        }
        Op::ShiftLeft | Op::ShiftRight => {
            let amount = if is_guarded { e[1] } else { masked(l, e[1], second?, scalar.bits()) };
            if op == Op::ShiftRight {
                return Some(l.w.tree.infix(Infix::Shr, e[0], amount));
            }
            let a = if scalar.is_signed() { cast(l, word, e[0]) } else { e[0] };
            let value = l.w.tree.infix(Infix::Shl, a, amount);
            Some(wrap(l, scalar, value))
        }
        Op::RotateLeft | Op::RotateRight => {
            let mut amount = e[1];
            if second? != Scalar::U32 {
                amount = cast(l, Scalar::U32, amount);
            }
            if op == Op::RotateRight {
                let zero = l.w.tree.add(ExprKind::Uint(0));
                amount = l.w.tree.infix(Infix::Sub, zero, amount);
            }
            let a = if scalar.is_signed() { cast(l, word, e[0]) } else { e[0] };
            let value = l.w.helper(if is_wide { "rotate_left_u64" } else { "rotate_left_u32" }, &[a, amount]);
            Some(wrap(l, scalar, value))
        }
        Op::CountLeadingZeros | Op::CountTrailingZeros | Op::BitCount => {
            let name = match (op, is_wide) {
                (Op::CountLeadingZeros, false) => "leading_zeros_u32",
                (Op::CountLeadingZeros, true) => "leading_zeros_u64",
                (Op::CountTrailingZeros, false) => "trailing_zeros_u32",
                (Op::CountTrailingZeros, true) => "trailing_zeros_u64",
                (_, false) => "ones_u32",
                (_, true) => "ones_u64",
            };
            let a = if scalar.is_signed() { cast(l, word, e[0]) } else { e[0] };
            let value = l.w.helper(name, &[a]);
            Some(if result == Scalar::U32 { value } else { cast(l, result, value) })
        }
        Op::SignExtend8 | Op::SignExtend16 | Op::SignExtend32 => {
            let name = match op {
                Op::SignExtend8 => "(int8_t)",
                Op::SignExtend16 => "(int16_t)",
                _ => "(int32_t)",
            };
            let narrow = l.w.tree.add(ExprKind::Prefix(name, e[0]));
            Some(cast(l, scalar, narrow))
        }
        _ => None,
    }
}

/// The amount of a shift, modulo the width.
fn masked(l: &mut Lower<'_, '_>, e: Expr, scalar: Scalar, width: u32) -> Expr {
    let kind = if scalar.is_signed() { ExprKind::Int(width as i32 - 1) } else { ExprKind::Uint(width - 1) };
    let mask = l.w.tree.add(kind);
    l.w.tree.infix(Infix::And, e, mask)
}

fn trapping(l: &mut Lower<'_, '_>, node: Node, scalar: Scalar, result: Type) -> Option<Expr> {
    let (op, args) = (l.body.node(node).op, l.body.args(node));
    let mut e: Vec<Expr> = args.iter().map(|&arg| l.operand(arg)).collect();
    let divisor = args.get(1).and_then(|arg| arg.as_const());
    let divisor = divisor.and_then(|c| l.w.module.consts.as_integer(&l.w.module.types, c));
    if divisor.is_some_and(|d| d != 0 && d != -1) {
        let infix = if op == Op::DivideTrapping { Infix::Div } else { Infix::Rem };
        return Some(l.w.tree.infix(infix, e[0], e[1]));
    }
    let of = if op == Op::TruncateTrapping { l.w.scalar(result)? } else { scalar };
    let name = match (op, of) {
        (Op::DivideTrapping, Scalar::I32) => "checked_divide_i32",
        (Op::DivideTrapping, Scalar::U32) => "checked_divide_u32",
        (Op::DivideTrapping, Scalar::I64) => "checked_divide_i64",
        (Op::DivideTrapping, _) => "checked_divide_u64",
        (Op::RemainderTrapping, Scalar::I32) => "checked_remainder_i32",
        (Op::RemainderTrapping, Scalar::U32) => "checked_remainder_u32",
        (Op::RemainderTrapping, Scalar::I64) => "checked_remainder_i64",
        (Op::RemainderTrapping, _) => "checked_remainder_u64",
        (_, Scalar::I32) => "checked_to_i32",
        (_, Scalar::U32) => "checked_to_u32",
        (_, Scalar::I64) => "checked_to_i64",
        _ => "checked_to_u64",
    };
    let (func, span) = (l.func, l.span);
    e.extend(l.w.place(func, span));
    Some(l.w.helper(name, &e))
}

fn convert(l: &mut Lower<'_, '_>, e: Expr, from: Scalar, to: Scalar) -> Expr {
    if from == to {
        return e;
    }
    if to == Scalar::Bool {
        let zero = match from {
            Scalar::F32 | Scalar::F64 => l.w.tree.add(ExprKind::Float(0.0)),
            Scalar::U32 | Scalar::U64 => l.w.tree.add(ExprKind::Uint(0)),
            _ => l.w.tree.add(ExprKind::Int(0)),
        };
        return l.w.tree.infix(Infix::Ne, e, zero);
    }
    if from.is_float() && to.is_integer() {
        let name = match to {
            Scalar::I32 => "to_i32",
            Scalar::U32 => "to_u32",
            Scalar::I64 => "to_i64",
            _ => "to_u64",
        };
        return l.w.helper(name, &[e]);
    }
    cast(l, to, e)
}

fn bitcast(l: &mut Lower<'_, '_>, value: Value, from: Scalar, to: Scalar) -> Option<Expr> {
    let mut e = l.operand(value);
    Some(match (from, to) {
        _ if from == to => e,
        (Scalar::F32, Scalar::I32 | Scalar::U32) | (Scalar::F64, Scalar::I64 | Scalar::U64) => {
            e = canonical(l, value, e);
            let bits = l.w.helper(if from == Scalar::F32 { "f32_bits" } else { "f64_bits" }, &[e]);
            wrap(l, to, bits)
        }
        (Scalar::I32 | Scalar::U32, Scalar::F32) | (Scalar::I64 | Scalar::U64, Scalar::F64) => {
            let bits = if from.is_signed() { cast(l, unsigned(from), e) } else { e };
            l.w.helper(if to == Scalar::F32 { "f32_from_bits" } else { "f64_from_bits" }, &[bits])
        }
        _ if from.is_integer() && to.is_integer() => cast(l, to, e),
        _ => return None,
    })
}

/// The bits of a number, as the word that has its size.
pub(crate) fn bits_of(l: &mut Lower<'_, '_>, scalar: Scalar, e: Expr) -> (Expr, Scalar) {
    let word = if scalar.bits() == 64 { Scalar::U64 } else { Scalar::U32 };
    let bits = match scalar {
        Scalar::F32 => l.w.helper("f32_bits", &[e]),
        Scalar::F64 => l.w.helper("f64_bits", &[e]),
        _ if scalar == word => e,
        _ => cast(l, word, e),
    };
    (bits, word)
}

/// An operand whose bits are seen: the NaN of a computation is the canonical one.
pub(crate) fn canonical(l: &mut Lower<'_, '_>, value: Value, e: Expr) -> Expr {
    let Some(scalar) = l.w.scalar(l.type_of(value)).filter(|scalar| scalar.is_float()) else { return e };
    if l.w.sees_bits || !is_computed(l.w.module, l.body, value) {
        return e;
    }
    canonical_of(l, scalar, e)
}

/// A float with the canonical NaN.
fn canonical_of(l: &mut Lower<'_, '_>, scalar: Scalar, e: Expr) -> Expr {
    l.w.helper(if scalar == Scalar::F32 { "canonical_f32" } else { "canonical_f64" }, &[e])
}
