//! Precedence, by which an expression in a place gets parentheses. Numbers are those of C; higher binds tighter.

use planish_ir::constant::ConstValue;
use planish_ir::types::{Scalar, TypeKind};

use crate::syntax::{Casts, Place, Syntax};
use crate::tree::{Expr, ExprKind};

const POSTFIX: u8 = 17;
const PREFIX: u8 = 16;
/// `as`, below the prefix operators.
const CAST: u8 = 15;
const TERNARY: u8 = 3;
const ASSIGN: u8 = 2;

/// Whether an expression gets parentheses in a place by precedence alone.
pub fn needs_parentheses<'m, S: Syntax<'m>>(w: &S, place: Place, e: Expr) -> bool {
    of(w, e) < least(w, place)
}

/// The least precedence that needs no parentheses in a place.
pub(crate) fn least<'m, S: Syntax<'m>>(w: &S, place: Place) -> u8 {
    match place {
        Place::Whole => 0,
        Place::Argument | Place::Then => ASSIGN,
        Place::Left(op) => w.infix_precedence(op),
        Place::Right(op) => w.infix_precedence(op) + 1,
        Place::Prefix => PREFIX,
        Place::Postfix => POSTFIX,
        Place::Cast => CAST,
        Place::Condition => TERNARY + 1,
        Place::Else => TERNARY,
    }
}

/// The precedence of an expression.
pub(crate) fn of<'m, S: Syntax<'m>>(w: &S, e: Expr) -> u8 {
    match w.tree.kind(e) {
        ExprKind::Infix(op, ..) => w.infix_precedence(op),
        ExprKind::Ternary(..) => TERNARY,
        ExprKind::Prefix(..) | ExprKind::AddressOf(_) | ExprKind::Deref(_) => PREFIX,
        ExprKind::Cast(..) if w.style().casts == Casts::Call => POSTFIX,
        ExprKind::Cast(..) if w.style().casts == Casts::As => CAST,
        ExprKind::Cast(..) => PREFIX,
        ExprKind::Int(i) if i < 0 => PREFIX,
        ExprKind::Float(f) if f.is_sign_negative() => PREFIX,
        ExprKind::Literal(c) => match (&w.module.consts[c].value, &w.module.types[w.module.consts[c].ty]) {
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::I32)) if (*b as u32 as i32) < 0 => PREFIX,
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::I64)) if (*b as i64) < 0 => PREFIX,
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::F32)) if f32::from_bits(*b as u32).is_sign_negative() => {
                PREFIX
            }
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::F64)) if f64::from_bits(*b).is_sign_negative() => PREFIX,
            _ => POSTFIX,
        },
        _ => POSTFIX,
    }
}
