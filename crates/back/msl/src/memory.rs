//! Memory: indices in bounds, atomics, and the length of arrays that their buffers size.

use planish_back_shading::globals::last_of;
use planish_back_shading::places::Place;
use planish_back_shading::transfers;
use planish_back_text::tree::{Expr, ExprKind, Infix};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use crate::language::Lower;

/// `min(uint(i), len - 1)`, as a dynamic index is unsigned and clamped to the last element.
pub(crate) fn bounded(l: &mut Lower<'_, '_>, index: Expr, (value, len): (Value, Option<u32>)) -> Expr {
    let Some(len) = len else { return index };
    if is_less(l, value, len) {
        return index;
    }
    let last = l.w.uint(len.saturating_sub(1));
    if let Some(bits) = value.as_const().and_then(|c| l.w.module.consts.as_bits(c)) {
        return if (bits as u32) < len { index } else { last };
    }
    least(l, index, value, last)
}

/// As [`bounded`], of an array that its buffer sizes.
pub(crate) fn bounded_by_buffer(l: &mut Lower<'_, '_>, index: Expr, (value, base): (Value, Expr)) -> Expr {
    let length = match l.w.places.get(&base) {
        Some(Place::Choice { .. }) => {
            let length = transfers::array_length(l, base);
            l.w.cast(Type::U32, length)
        }
        _ => array_length(l, base),
    };
    let one = l.w.uint(1);
    let last = l.w.tree.infix(Infix::Sub, length, one);
    least(l, index, value, last)
}

fn least(l: &mut Lower<'_, '_>, index: Expr, value: Value, last: Expr) -> Expr {
    let index = if l.type_of(value) == Type::U32 { index } else { crate::integers::unsigned(l.w, Type::U32, index) };
    l.w.tree.builtin("min", &[index, last])
}

/// Whether a computed index is less than `len` by its last operation.
fn is_less(l: &Lower<'_, '_>, value: Value, len: u32) -> bool {
    let Some(node) = l.body.node_of(value) else { return false };
    let args = l.body.args(node);
    let bits = |v: &Value| v.as_const().and_then(|c| l.w.module.consts.as_bits(c)).map(|bits| bits as u32);
    let is_unsigned = l.type_of(value) == Type::U32;
    match l.body.node(node).op {
        Op::BitwiseAnd => args.iter().filter_map(bits).any(|n| n < len),
        Op::Min if is_unsigned => args.iter().filter_map(bits).any(|n| n < len),
        Op::Remainder if is_unsigned => bits(&args[1]).is_some_and(|n| n > 0 && n <= len),
        Op::ShiftRight if is_unsigned => bits(&args[1]).is_some_and(|n| n < 32 && u32::MAX >> n < len),
        _ => false,
    }
}

/// `atomic_load_explicit(&x, memory_order_relaxed)` and the like.
pub(crate) fn atomic(l: &mut Lower<'_, '_>, name: &'static str, place: Expr, values: &[Expr]) -> Expr {
    let address = l.w.tree.address_of(place);
    let order = l.w.tree.add_named("memory_order_relaxed");
    let order = l.w.tree.name(order);
    let args: Vec<Expr> = [address].into_iter().chain(values.iter().copied()).chain([order]).collect();
    l.w.tree.builtin(name, &args)
}

/// `(buffer_sizes.data - 16) / 4`: of the size of the buffer, in bytes, and the place of the array in it.
pub(crate) fn array_length(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
    let root = l.w.tree.root(place);
    let found = root.and_then(|s| Some((s, l.w.language.sized.iter().position(|&t| t == s)?)));
    let (Some((symbol, number)), Some(sizes)) = (found, l.w.prepared.sizes) else {
        let span = l.span;
        l.w.internal("an array has no buffer", span);
        return place;
    };
    let module = l.w.module;
    let type_of = |s: planish_back_text::tree::Symbol, w: &crate::language::Writer<'_>| match w.prepared.declared
        [s.0 as usize]
        .ty
    {
        planish_back_shading::globals::DeclaredType::Type(ty) => ty,
        _ => Type::VOID,
    };
    let (block, sizes_type) = (type_of(symbol, l.w), type_of(sizes, l.w));
    let span = l.span;
    l.w.check_type_of(sizes_type, span);
    let base = l.w.tree.name(sizes);
    let mut size = l.w.tree.add(ExprKind::Member(base, sizes_type, number as u32));
    if let TypeKind::Struct(s) = &module.types[block] {
        let offset = l.w.prepared.memory.offset_of(&module.types, block, s.members.len() as u32 - 1);
        if offset > 0 {
            let offset = l.w.uint(offset);
            size = l.w.tree.infix(Infix::Sub, size, offset);
        }
    }
    let array = last_of(module, block).unwrap_or(block);
    let (stride, _) = l.w.prepared.memory.size_align(&module.types, array);
    if stride <= 1 {
        return size;
    }
    let stride = l.w.uint(stride);
    l.w.tree.infix(Infix::Div, size, stride)
}
