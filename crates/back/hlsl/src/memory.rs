//! Memory: words of constant buffers that no struct describes, and indices.

use planish_back_shading::bytes::Bytes;
use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Lanes, Op};
use planish_ir::types::Scalar;

use crate::language::{Lower, Writer};

/// `n` words of an array of vectors of four words. Recursion: one level, for single words.
pub(crate) fn words_of_vectors(w: &mut Writer<'_>, bytes: &Bytes, at: u32, n: u8) -> Expr {
    if let Some(offset) = bytes.known_offset(at)
        && offset % 16 + 4 * u32::from(n) <= 16
    {
        let index = w.tree.add(ExprKind::Int((offset / 16) as i32));
        let vector = w.tree.add(ExprKind::Index(bytes.buffer, index));
        let first = (offset % 16 / 4) as u8;
        let lanes: Vec<u8> = (first..first + n).collect();
        return if n == 4 { vector } else { w.tree.add(ExprKind::Swizzle(vector, Lanes::new(&lanes))) };
    }
    let words: Vec<Expr> = (0..u32::from(n))
        .map(|i| match bytes.known_offset(at + 4 * i) {
            Some(_) => words_of_vectors(w, bytes, at + 4 * i, 1),
            None => {
                let offset = bytes.offset(w, at + 4 * i);
                let [bits, two, three] = [4, 2, 3].map(|n| w.uint(n));
                let vector = w.tree.infix(Infix::Shr, offset, bits);
                let word = w.tree.infix(Infix::Shr, offset, two);
                let word = w.tree.infix(Infix::And, word, three);
                let vector = w.tree.add(ExprKind::Index(bytes.buffer, vector));
                w.tree.add(ExprKind::Index(vector, word))
            }
        })
        .collect();
    if n == 1 {
        return words[0];
    }
    let ty = w.vector_type(Scalar::U32, n);
    w.tree.call(Callee::Type(ty), &words)
}

/// An index that is less than the length: `min(uint(i), 3u)`, unless it certainly is. One into a buffer is unsigned.
pub(crate) fn bounded(l: &mut Lower<'_, '_>, index: Expr, value: Value, len: Option<u32>) -> Expr {
    if len.is_some_and(|len| is_less(l, value, len)) {
        return index;
    }
    let index = if l.type_of(value) == Type::U32 { index } else { l.w.cast(Type::U32, index) };
    // The length of a buffer is not known.
    let Some(len) = len else { return index };
    let last = l.w.uint(len.saturating_sub(1));
    l.w.tree.builtin("min", &[index, last])
}

/// Whether a value is certainly from 0 to less than `len`: some bits of a number, a remainder of an unsigned one.
fn is_less(l: &Lower<'_, '_>, mut value: Value, len: u32) -> bool {
    // Conversions of integers keep the number.
    while let Some(node) = l.body.node_of(value)
        && matches!(l.body.node(node).op, Op::ConstructScalarFromScalar | Op::Bitcast)
        && matches!(l.type_of(l.body.args(node)[0]), Type::I32 | Type::U32)
    {
        value = l.body.args(node)[0];
    }
    let Some(node) = l.body.node_of(value) else { return false };
    let args = l.body.args(node);
    let bits = |v: Value| v.as_const().and_then(|c| l.w.module.consts.as_bits(c)).map(|bits| bits as u32);
    match l.body.node(node).op {
        Op::BitwiseAnd => args.iter().any(|&a| bits(a).is_some_and(|mask| mask < len)),
        Op::Remainder => l.type_of(value) == Type::U32 && bits(args[1]).is_some_and(|by| (1..=len).contains(&by)),
        Op::Min => l.type_of(value) == Type::U32 && args.iter().any(|&a| bits(a).is_some_and(|most| most < len)),
        _ => false,
    }
}
