//! Expressions of ops on scalars.

use planish_back_text::nan::is_computed;
use planish_back_text::scalars;
use planish_back_text::tree::{Expr, ExprKind, Infix};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{TargetInfo, is_defined};

use crate::dialect::Lower;
use crate::{machine, slices};

/// Operations that Rust has, for the legalizer.
pub fn info() -> TargetInfo<'static> {
    TargetInfo { name: "Rust", support: &scalars::support, is_shading_language: false }
}

/// The function of `libm` on doubles of an elementary op.
fn elementary(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Sin => "libm::sin",
        Op::Cos => "libm::cos",
        Op::Tan => "libm::tan",
        Op::Asin => "libm::asin",
        Op::Acos => "libm::acos",
        Op::Atan => "libm::atan",
        Op::Sinh => "libm::sinh",
        Op::Cosh => "libm::cosh",
        Op::Tanh => "libm::tanh",
        Op::Asinh => "libm::asinh",
        Op::Acosh => "libm::acosh",
        Op::Atanh => "libm::atanh",
        Op::Exp => "libm::exp",
        Op::Log => "libm::log",
        Op::Exp2 => "libm::exp2",
        Op::Log2 => "libm::log2",
        _ => return None,
    })
}

/// The functions on floats and doubles of an op whose result is exact or rounded once.
fn exact(op: Op) -> Option<[&'static str; 2]> {
    Some(match op {
        Op::Sqrt => ["libm::sqrtf", "libm::sqrt"],
        Op::Fma => ["libm::fmaf", "libm::fma"],
        Op::Ldexp => ["libm::ldexpf", "libm::ldexp"],
        Op::Floor => ["floor_f32", "floor_f64"],
        Op::Ceil => ["ceil_f32", "ceil_f64"],
        Op::Trunc => ["trunc_f32", "trunc_f64"],
        Op::Round | Op::RoundEven => ["round_f32", "round_f64"],
        Op::Minimum => ["minimum_f32", "minimum_f64"],
        Op::Maximum => ["maximum_f32", "maximum_f64"],
        _ => return None,
    })
}

/// Whether an operation of a placed function may trap.
pub(crate) fn traps(op: Op) -> bool {
    is_checked(op)
        || matches!(
            op,
            Op::MemoryLoad
                | Op::MemoryStore
                | Op::MemoryFill
                | Op::MemoryCopy
                | Op::MemoryInit
                | Op::TableGet
                | Op::TableSet
                | Op::TableFill
                | Op::TableCopy
                | Op::TableInit
                | Op::CallIndirect
                | Op::TailCallIndirect
        )
}

/// Whether it is an operation on numbers that traps.
fn is_checked(op: Op) -> bool {
    matches!(op, Op::DivideTrapping | Op::RemainderTrapping | Op::TruncateTrapping)
}

/// Writes a node with two results: the parts of a float.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    if l.body.node(node).op != Op::Frexp {
        return machine::statement(l, node);
    }
    let value = l.body.args(node)[0];
    let Some(scalar) = l.w.scalar(l.type_of(value)) else { return false };
    let x = l.operand(value);
    let call = l.w.helper(if scalar == Scalar::F32 { "split_f32" } else { "split_f64" }, &[x]);
    let func = l.func;
    l.take_all_results(node, func, call);
    true
}

/// A conversion by `as`.
pub(crate) fn cast(l: &mut Lower<'_, '_>, to: Scalar, e: Expr) -> Expr {
    let ty = l.w.scalar_type(to);
    let e = l.w.typed(e);
    l.w.tree.add(ExprKind::Cast(ty, e))
}

/// `a op b`, of which at least one has its type.
fn infix(l: &mut Lower<'_, '_>, op: Infix, a: Expr, b: Expr) -> Expr {
    let a = if l.w.is_typed(a) || l.w.is_typed(b) { a } else { l.w.typed(a) };
    l.w.tree.infix(op, a, b)
}

/// The expression of an op; `None` if Rust has none.
pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    match l.body.node(node).op {
        op if slices::is_access(l.w.slices, op, l.body.node(node).imm) => {
            return if op == Op::MemoryLoad { slices::load(l, node) } else { slices::store(l, node) };
        }
        op if matches!(op.info().class, Class::Machine | Class::Call | Class::Token) => {
            return machine::expression(l, node).or_else(|| plain(l, node));
        }
        _ => {}
    }
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
    let scalar = l.w.scalar(l.type_of(*args.first()?))?;
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
    if is_checked(op) {
        return trapping(l, node, scalar, result);
    }
    let is_guarded = is_defined(l.w.module, l.body, (op, data.imm), args, Some(result));
    let second = args.get(1).and_then(|&arg| l.w.scalar(l.type_of(arg)));
    let e: Vec<Expr> = args.iter().map(|&arg| l.operand(arg)).collect();
    if matches!(op.info().class, Class::Compare) {
        return Some(comparison(l, op, scalar, e[0], e[1]));
    }
    if op == Op::LogicalXor {
        return Some(l.w.tree.infix(Infix::Ne, e[0], e[1]));
    }
    if scalar.is_float() {
        return float(l, (op, args), scalar, &e);
    }
    integer(l, op, (scalar, second, l.w.scalar(result)?), &e, is_guarded)
}

fn comparison(l: &mut Lower<'_, '_>, op: Op, scalar: Scalar, a: Expr, b: Expr) -> Expr {
    let op_text = Infix::of(op).unwrap_or(Infix::Eq);
    // The compiler refuses comparisons with its name of NaN, whose outcome is known.
    let [a, b] = [a, b].map(|e| l.w.without_nan(e));
    let a = if l.w.is_typed(a) || l.w.is_typed(b) { a } else { l.w.typed(a) };
    match op {
        Op::Equal | Op::NotEqual => l.w.tree.infix(op_text, a, b),
        // The opposite of a comparison of floats is not another one: NaN.
        _ if scalar.is_float() => l.w.tree.infix(op_text, a, b),
        _ => l.w.tree.ordered_compare(op_text, a, b),
    }
}

fn float(l: &mut Lower<'_, '_>, (op, args): (Op, &[Value]), scalar: Scalar, e: &[Expr]) -> Option<Expr> {
    let is_double = scalar == Scalar::F64;
    if let Some(op) = Infix::of(op) {
        return Some(infix(l, op, e[0], e[1]));
    }
    match op {
        Op::Negate => {
            let e = l.w.typed(e[0]);
            return Some(l.w.tree.add(ExprKind::Prefix("-", e)));
        }
        Op::Abs => return Some(l.w.method("abs", e[0], &[])),
        Op::CopySign => {
            let sign = canonical(l, args[1], e[1]);
            return Some(l.w.method("copysign", e[0], &[sign]));
        }
        _ => {}
    }
    if let Some(names) = exact(op) {
        let name = names[usize::from(is_double)];
        return Some(if name.starts_with("libm") { l.w.tree.builtin(name, e) } else { l.w.helper(name, e) });
    }
    // Elementary functions of floats are computed in doubles, and rounded.
    let e: Vec<Expr> = e.iter().map(|&e| if is_double { e } else { cast(l, Scalar::F64, e) }).collect();
    let value = match op {
        Op::Atan2 => l.w.tree.builtin("libm::atan2", &e),
        Op::Pow => l.w.helper("power_of_positive", &e),
        _ => l.w.tree.builtin(elementary(op)?, &e),
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
    let method = match op {
        Op::Add => "wrapping_add",
        Op::Subtract => "wrapping_sub",
        Op::Multiply => "wrapping_mul",
        Op::Negate => "wrapping_neg",
        Op::RotateLeft => "rotate_left",
        Op::RotateRight => "rotate_right",
        Op::ShiftLeft => "wrapping_shl",
        Op::ShiftRight => "wrapping_shr",
        Op::CountLeadingZeros => "leading_zeros",
        Op::CountTrailingZeros => "trailing_zeros",
        Op::BitCount => "count_ones",
        _ => "",
    };
    match op {
        Op::Add | Op::Multiply if !l.w.is_typed(e[0]) && l.w.is_typed(e[1]) && l.w.tree.is_literal(e[0]) => {
            Some(l.w.method(method, e[1], &[e[0]]))
        }
        Op::Add | Op::Subtract | Op::Multiply | Op::Negate => Some(l.w.method(method, e[0], &e[1..])),
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Some(infix(l, Infix::of(op)?, e[0], e[1])),
        Op::BitwiseNot => {
            let e = l.w.typed(e[0]);
            Some(l.w.tree.add(ExprKind::Prefix("!", e)))
        }
        Op::Divide | Op::Remainder if is_guarded => Some(infix(l, Infix::of(op)?, e[0], e[1])),
        Op::Divide | Op::Remainder => Some(l.w.helper(division(op, scalar), e)),
        Op::ShiftLeft | Op::ShiftRight if is_guarded && l.w.tree.is_literal(e[1]) => {
            let a = l.w.typed(e[0]);
            Some(l.w.tree.infix(Infix::of(op)?, a, e[1]))
        }
        Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight => {
            let amount = if second? == Scalar::U32 { e[1] } else { cast(l, Scalar::U32, e[1]) };
            Some(l.w.method(method, e[0], &[amount]))
        }
        Op::CountLeadingZeros | Op::CountTrailingZeros | Op::BitCount => {
            let value = l.w.method(method, e[0], &[]);
            Some(if result == Scalar::U32 { value } else { cast(l, result, value) })
        }
        Op::SignExtend8 | Op::SignExtend16 | Op::SignExtend32 => {
            let width = match op {
                Op::SignExtend8 => 8,
                Op::SignExtend16 => 16,
                _ => 32,
            };
            Some(sign_extend(l, e[0], scalar, width))
        }
        _ => None,
    }
}

/// An integer whose bits above are those of the sign of the lower ones.
fn sign_extend(l: &mut Lower<'_, '_>, e: Expr, scalar: Scalar, width: u32) -> Expr {
    let signed = if scalar.bits() == 64 { Scalar::I64 } else { Scalar::I32 };
    let a = if scalar == signed { l.w.typed(e) } else { cast(l, signed, e) };
    let amount = scalar.bits().saturating_sub(width);
    if amount == 0 {
        return e;
    }
    let amount = l.w.tree.add(ExprKind::Uint(amount));
    let high = l.w.tree.infix(Infix::Shl, a, amount);
    let value = l.w.tree.infix(Infix::Shr, high, amount);
    if scalar == signed { value } else { cast(l, scalar, value) }
}

/// The helper of a division.
fn division(op: Op, scalar: Scalar) -> &'static str {
    let names = match op {
        Op::Divide => ["divide_i32", "divide_u32", "divide_i64", "divide_u64"],
        Op::Remainder => ["remainder_i32", "remainder_u32", "remainder_i64", "remainder_u64"],
        Op::DivideTrapping => ["checked_divide_i32", "checked_divide_u32", "checked_divide_i64", "checked_divide_u64"],
        Op::RemainderTrapping => {
            ["checked_remainder_i32", "checked_remainder_u32", "checked_remainder_i64", "checked_remainder_u64"]
        }
        _ => ["checked_to_i32", "checked_to_u32", "checked_to_i64", "checked_to_u64"],
    };
    match scalar {
        Scalar::I32 => names[0],
        Scalar::U32 => names[1],
        Scalar::I64 => names[2],
        _ => names[3],
    }
}

fn trapping(l: &mut Lower<'_, '_>, node: Node, scalar: Scalar, result: Type) -> Option<Expr> {
    let (op, args) = (l.body.node(node).op, l.body.args(node));
    let e: Vec<Expr> = args.iter().map(|&arg| l.operand(arg)).collect();
    let divisor = args.get(1).and_then(|arg| arg.as_const());
    let divisor = divisor.and_then(|c| l.w.module.consts.as_integer(&l.w.module.types, c));
    if divisor.is_some_and(|d| d != 0 && d != -1) {
        let op = if op == Op::DivideTrapping { Infix::Div } else { Infix::Rem };
        return Some(infix(l, op, e[0], e[1]));
    }
    let call = match op {
        Op::TruncateTrapping => {
            let to = l.w.scalar(result)?;
            let x = if scalar == Scalar::F32 { cast(l, Scalar::F64, e[0]) } else { e[0] };
            l.w.helper(division(op, to), &[x])
        }
        _ => l.w.helper(division(op, scalar), &e),
    };
    Some(l.w.tree.add(ExprKind::Postfix("?", call)))
}

fn convert(l: &mut Lower<'_, '_>, e: Expr, from: Scalar, to: Scalar) -> Expr {
    if from == to {
        return e;
    }
    if to == Scalar::Bool {
        let e = l.w.typed(e);
        let zero = if from.is_float() { ExprKind::Float(0.0) } else { ExprKind::Int(0) };
        let zero = l.w.tree.add(zero);
        return l.w.tree.infix(Infix::Ne, e, zero);
    }
    if from == Scalar::Bool && to.is_float() {
        return l.w.tree.builtin(if to == Scalar::F32 { "f32::from" } else { "f64::from" }, &[e]);
    }
    // From floats: towards zero, the nearest integer if it does not fit, 0 for NaN.
    cast(l, to, e)
}

fn bitcast(l: &mut Lower<'_, '_>, value: Value, from: Scalar, to: Scalar) -> Option<Expr> {
    let e = l.operand(value);
    Some(match (from, to) {
        _ if from == to => e,
        (Scalar::F32, Scalar::I32 | Scalar::U32) | (Scalar::F64, Scalar::I64 | Scalar::U64) => {
            let e = canonical(l, value, e);
            let bits = l.w.method("to_bits", e, &[]);
            if to.is_signed() { cast(l, to, bits) } else { bits }
        }
        (Scalar::I32 | Scalar::U32, Scalar::F32) => {
            let bits = if from.is_signed() { cast(l, Scalar::U32, e) } else { e };
            l.w.tree.builtin("f32::from_bits", &[bits])
        }
        (Scalar::I64 | Scalar::U64, Scalar::F64) => {
            let bits = if from.is_signed() { cast(l, Scalar::U64, e) } else { e };
            l.w.tree.builtin("f64::from_bits", &[bits])
        }
        _ if from.is_integer() && to.is_integer() => cast(l, to, e),
        _ => return None,
    })
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
