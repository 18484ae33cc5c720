//! Integers: results that wrap, and scalars of 8 and 16 bits, which C++ computes as `int`.
//!
//! | in the program | in Metal |
//! | --- | --- |
//! | `a + b` of `int`, `long`, or vectors of signed integers | `int(uint(a) + uint(b))`, as signed numbers must not overflow |
//! | `a + b` of `short`, `uchar` and the like | `short(a + b)`: the sum is an `int`, whose low bits are kept |
//! | `a * b` of `ushort` | `ushort(uint(a) * uint(b))`: products leave the range of `int` |

use planish_back_text::tree::{Expr, ExprKind, Infix};
use planish_ir::entity::Type;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use crate::language::{Lower, Writer};

/// Whether signed operands could overflow, which is undefined. `ty` is the type of the first.
pub(crate) fn overflows(w: &Writer<'_>, op: Op, ty: Type) -> bool {
    let (scalar, is_scalar) = match w.module.types[ty] {
        TypeKind::Scalar(s) => (s, true),
        TypeKind::Vector(s, _) => (s, false),
        _ => return false,
    };
    match (op, scalar) {
        (Op::Multiply, Scalar::U16) => is_scalar,
        // As `int`, whose range they do not leave.
        (Op::Add | Op::Subtract | Op::Multiply | Op::Negate, Scalar::I8 | Scalar::I16) => !is_scalar,
        (Op::Add | Op::Subtract | Op::Multiply | Op::Negate | Op::ShiftLeft, s) => s.is_signed(),
        _ => false,
    }
}

/// Whether a result is computed as `int`, and has to be converted back.
pub(crate) fn is_promoted(w: &Writer<'_>, ty: Type) -> bool {
    matches!(w.module.types[ty], TypeKind::Scalar(s) if s.is_small_integer())
}

/// The value of a type from one that was computed as `int`; any other as it is.
pub(crate) fn converted_back(w: &mut Writer<'_>, ty: Type, e: Expr) -> Expr {
    if is_promoted(w, ty) { w.tree.add(ExprKind::Cast(ty, e)) } else { e }
}

/// An expression as unsigned, of type `ty`; of a cast that keeps the bits of an unsigned one, that.
pub(crate) fn unsigned(w: &mut Writer<'_>, ty: Type, e: Expr) -> Expr {
    match w.tree.kind(e) {
        ExprKind::Cast(_, inner) if w.language.wrapped.contains(&e) => inner,
        ExprKind::Literal(c) if w.module.consts[c].ty == Type::I32 && ty == Type::U32 => {
            let bits = w.module.consts.as_bits(c).unwrap_or(0);
            w.uint(bits as u32)
        }
        _ => w.cast(ty, e),
    }
}

/// The unsigned type of the same size, in which integers of a type do not overflow.
fn unsigned_type(w: &Writer<'_>, ty: Type, op: Infix) -> Type {
    let scalar = w.module.types.scalar_of(ty).map_or(Scalar::U32, Scalar::unsigned);
    let is_product = op == Infix::Mul && is_promoted(w, ty) && scalar == Scalar::U16;
    w.vector_type(if is_product { Scalar::U32 } else { scalar }, w.module.types.vector_size(ty).unwrap_or(1))
}

/// `int(uint(a) + uint(b))`: as signed numbers must not overflow.
pub(crate) fn wrapping(l: &mut Lower<'_, '_>, infix: Infix, args: [(Expr, Type); 2], ty: Type) -> Expr {
    let [a, b] = args.map(|(e, own)| match unsigned_type(l.w, own, infix) {
        same if same == own => e,
        other => unsigned(l.w, other, e),
    });
    let e = l.w.tree.infix(infix, a, b);
    as_signed(l.w, ty, e)
}

/// `int(0u - uint(x))`
pub(crate) fn negated(l: &mut Lower<'_, '_>, x: Expr, ty: Type) -> Expr {
    if matches!(l.w.module.types.scalar_of(ty), Some(Scalar::I32)) {
        let zero = l.w.uint(0);
        return wrapping(l, Infix::Sub, [(zero, Type::U32), (x, ty)], ty);
    }
    let words = unsigned_type(l.w, ty, Infix::Sub);
    let x = unsigned(l.w, words, x);
    let e = l.w.tree.add(ExprKind::Prefix("-", x));
    as_signed(l.w, ty, e)
}

fn as_signed(w: &mut Writer<'_>, ty: Type, e: Expr) -> Expr {
    let result = w.tree.add(ExprKind::Cast(ty, e));
    // Those that were computed as `int` have bits above the width.
    if !is_promoted(w, ty) {
        w.language.wrapped.insert(result);
    }
    result
}

/// `as_type<…>`, by component type and number of components.
pub(crate) fn bitcast_name(to: Scalar, n: u8) -> Option<&'static str> {
    macro_rules! names {
        ($name:literal) => {
            [
                concat!("as_type<", $name, ">"),
                concat!("as_type<", $name, "2>"),
                concat!("as_type<", $name, "3>"),
                concat!("as_type<", $name, "4>"),
            ]
        };
    }
    let names = match to {
        Scalar::I8 => names!("char"),
        Scalar::U8 => names!("uchar"),
        Scalar::I16 => names!("short"),
        Scalar::U16 => names!("ushort"),
        Scalar::I32 => names!("int"),
        Scalar::U32 => names!("uint"),
        Scalar::I64 => names!("long"),
        Scalar::U64 => names!("ulong"),
        Scalar::F16 => names!("half"),
        Scalar::F32 => names!("float"),
        Scalar::Bool | Scalar::F64 => return None,
    };
    names.get(usize::from(n) - 1).copied()
}
