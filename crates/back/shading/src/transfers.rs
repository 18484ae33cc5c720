//! Loads and stores, with the conversions where memory differs from the value in it.

use planish_back_text::tree;
use planish_back_text::tree::{Callee, Expr, ExprKind, Infix, Stmt, SwitchCase};
use planish_ir::diagnostic::Code;
use planish_ir::entity::Type;
use planish_ir::ops::Lanes;
use planish_ir::types::{Scalar, TypeKind};

use crate::bytes;
use crate::dialect::Lower;
use crate::language::Language;
use crate::memory::{MemId, MemKind, packed_of};
use crate::places::{Index, Place, column_component, component, element};
use crate::writer::Writer;

// Loads.

/// The value at a place. Recursion: over the type and over places within places, both at most as deep as types are nested.
pub fn load<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr) -> Expr {
    match l.w.places.get(&e).cloned() {
        None => e,
        Some(Place::Opaque(_)) => e,
        Some(Place::Memory(mem)) => load_memory(l, e, mem),
        Some(Place::Lanes { base, lanes, ty, words }) => {
            let value = match &lanes[..] {
                [] => base,
                lanes => {
                    let whole = unpacked(l.w, base);
                    l.w.tree.add(ExprKind::Swizzle(whole, Lanes::new(lanes)))
                }
            };
            if words { words_to_bools(l.w, value, ty) } else { value }
        }
        Some(Place::Column { rows, part, index, ty }) => {
            let n = l.w.module.types.vector_size(ty).unwrap_or(1);
            let parts: Vec<Expr> =
                (0..n).map(|row| column_component(l.w, rows, part, index, Index::Const(row.into()))).collect();
            l.w.tree.call(Callee::Type(ty), &parts)
        }
        Some(Place::Bytes(place)) => bytes::load(l, &place),
        Some(Place::Choice { index, places, ty }) => load_choice(l, index, &places, ty),
        Some(_) => {
            let span = l.span;
            l.w.error(Code::E0605, span, "images and samplers cannot be copied".into());
            e
        }
    }
}

fn load_choice<L: Language>(l: &mut Lower<'_, '_, L>, index: Expr, places: &[Expr], ty: Type) -> Expr {
    if l.w.module.types.vector_size(ty).is_some() {
        let values: Vec<Expr> = places.iter().map(|&e| load(l, e)).collect();
        return select_of(l.w, index, &values);
    }
    let symbol = l.w.tree.add_symbol("chosen");
    l.push(Stmt::Decl(tree::Decl::plain(symbol, ty, None)));
    let name = l.w.tree.name(symbol);
    let switch = switch_of(l, index, places, &mut |l, place| {
        let value = load(l, place);
        vec![Stmt::Assign { target: name, op: None, value }]
    });
    l.push(switch);
    name
}

/// One of several values of scalars or vectors.
pub fn select_of<L: Language>(w: &mut Writer<'_, L>, index: Expr, values: &[Expr]) -> Expr {
    let Some((&last, others)) = values.split_last() else { return index };
    let mut chosen = last;
    for (i, &value) in others.iter().enumerate().rev() {
        let this = w.uint(i as u32);
        let is_this = w.tree.infix(Infix::Eq, index, this);
        chosen = L::select(w, is_this, value, chosen);
    }
    chosen
}

/// A `switch` over places. Recursion: over places within places, at most one level per level of the type.
pub fn switch_of<'m, L: Language>(
    l: &mut Lower<'_, 'm, L>,
    index: Expr,
    places: &[Expr],
    f: &mut dyn FnMut(&mut Lower<'_, 'm, L>, Expr) -> Vec<Stmt>,
) -> Stmt {
    let mut cases = vec![];
    for (i, &place) in places.iter().enumerate() {
        let mut stmts = match l.w.places.get(&place).cloned() {
            Some(Place::Choice { index, places, .. }) => vec![switch_of(l, index, &places, f)],
            _ => f(l, place),
        };
        let is_default = i + 1 == places.len();
        if l.w.abilities.case_breaks && !is_default {
            stmts.push(Stmt::Break(None));
        }
        let body = l.w.tree.add_list(stmts);
        let value = l.w.prepared.numbers.get(i).copied();
        let values = if is_default { vec![] } else { value.into_iter().collect() };
        cases.push(SwitchCase { values, is_default, falls: false, body });
    }
    Stmt::Switch { selector: index, cases }
}

/// The vector in memory that may be packed.
fn unpacked<L: Language>(w: &mut Writer<'_, L>, e: Expr) -> Expr {
    match w.packed_at(e) {
        Some(vector) => w.tree.add(ExprKind::Cast(vector, e)),
        None => e,
    }
}

pub(crate) fn words_to_bools<L: Language>(w: &mut Writer<'_, L>, value: Expr, ty: Type) -> Expr {
    let zero = w.uint(0);
    let zero = match w.module.types.vector_size(ty).unwrap_or(1) {
        1 => zero,
        n => {
            let words = w.vector_type(Scalar::U32, n);
            w.tree.add(ExprKind::Splat(words, zero))
        }
    };
    w.tree.infix(Infix::Ne, value, zero)
}

/// `u32(b)`: 0 or 1.
fn bools_to_words<L: Language>(w: &mut Writer<'_, L>, value: Expr, ty: Type) -> Expr {
    let n = w.module.types.vector_size(ty).unwrap_or(1);
    let words = w.vector_type(Scalar::U32, n);
    w.tree.add(ExprKind::Cast(words, value))
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn load_memory<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr, mem: MemId) -> Expr {
    let data = l.w.prepared.memory.get(mem).clone();
    match data.kind {
        MemKind::Bytes { .. } => e,
        MemKind::Plain => e,
        MemKind::Atomic => L::atomic_load(l, e),
        MemKind::Bool => words_to_bools(l.w, e, data.value),
        MemKind::Packed => {
            let value = match packed_of(&l.w.module.types, data.ty) {
                Some(vector) => l.w.tree.add(ExprKind::Cast(vector, e)),
                None => e,
            };
            let words = l.w.module.types.scalar_of(data.value) == Some(Scalar::Bool);
            if words { words_to_bools(l.w, value, data.value) } else { value }
        }
        MemKind::Widened => {
            let n = l.w.module.types.vector_size(data.value).unwrap_or(1);
            let lanes: Vec<u8> = (0..n).collect();
            let value = l.w.tree.add(ExprKind::Swizzle(e, Lanes::new(&lanes)));
            let words = l.w.module.types.scalar_of(data.value) == Some(Scalar::Bool);
            if words { words_to_bools(l.w, value, data.value) } else { value }
        }
        MemKind::Boxed(part) => {
            let inner = l.w.member(e, data.ty, 0);
            load_memory(l, inner, part)
        }
        MemKind::Matrix { row_major, part, count } => {
            let parts: Vec<Expr> = (0..count)
                .map(|i| {
                    let e = element(l.w, e, Index::Const(i));
                    load_memory(l, e, part)
                })
                .collect();
            if !row_major {
                return l.w.tree.call(Callee::Type(data.value), &parts);
            }
            let TypeKind::Matrix { scalar, columns, rows } = l.w.module.types[data.value] else { return e };
            let by_rows = l.w.matrix_type(scalar, rows, columns);
            let by_rows = l.w.tree.call(Callee::Type(by_rows), &parts);
            l.w.tree.builtin("transpose", &[by_rows])
        }
        MemKind::Array(inner) => {
            let TypeKind::Array { len, .. } = l.w.module.types[data.value] else {
                let span = l.span;
                l.w.error(Code::E0604, span, "an array sized by its buffer cannot be copied".into());
                return e;
            };
            let parts: Vec<Expr> = (0..len)
                .map(|i| {
                    let e = element(l.w, e, Index::Const(i));
                    load_memory(l, e, inner)
                })
                .collect();
            l.w.tree.call(Callee::Type(data.value), &parts)
        }
        MemKind::Struct(members) => {
            // No variable may have its type, which then is declared for this alone.
            let span = l.span;
            l.w.check_type_of(data.value, span);
            let parts: Vec<Expr> = members
                .into_iter()
                .map(|(number, part)| {
                    let e = l.w.member(e, data.ty, number);
                    load_memory(l, e, part)
                })
                .collect();
            l.w.tree.call(Callee::Type(data.value), &parts)
        }
    }
}

// Stores.

/// Writes a value to a place. Recursion: as [`load`].
pub fn store<L: Language>(l: &mut Lower<'_, '_, L>, target: Expr, value: Expr) {
    let stmts = stores(l, target, value);
    stmts.into_iter().for_each(|s| l.push(s));
}

fn assign(target: Expr, value: Expr) -> Stmt {
    Stmt::Assign { target, op: None, value }
}

/// A value that is mentioned several times.
pub(crate) fn copied<L: Language>(l: &mut Lower<'_, '_, L>, value: Expr, ty: Type) -> Expr {
    if l.is_trivial(value) {
        return value;
    }
    let symbol = l.w.tree.add_symbol("t");
    l.push(Stmt::Decl(tree::Decl::plain(symbol, ty, Some(value))));
    l.w.tree.name(symbol)
}

/// Recursion: as [`load`].
pub(crate) fn stores<L: Language>(l: &mut Lower<'_, '_, L>, target: Expr, value: Expr) -> Vec<Stmt> {
    match l.w.places.get(&target).cloned() {
        None => vec![assign(target, value)],
        Some(Place::Memory(mem)) => store_memory(l, target, mem, value),
        Some(Place::Lanes { base, lanes, ty, words }) => {
            let value = if words { bools_to_words(l.w, value, ty) } else { value };
            let words_type = l.w.vector_type(Scalar::U32, lanes.len().max(1) as u8);
            match &lanes[..] {
                [] => vec![assign(base, value)],
                [lane] => {
                    let target = component(l.w, base, *lane);
                    vec![assign(target, value)]
                }
                lanes => {
                    let value = copied(l, value, if words { words_type } else { ty });
                    let one = |(i, &lane): (usize, &u8)| {
                        let target = component(l.w, base, lane);
                        assign(target, l.swizzle(value, Lanes::new(&[i as u8])))
                    };
                    lanes.iter().enumerate().map(one).collect()
                }
            }
        }
        Some(Place::Column { rows, part, index, ty }) => {
            let value = copied(l, value, ty);
            let n = l.w.module.types.vector_size(ty).unwrap_or(1);
            let one = |i: u8| {
                let target = column_component(l.w, rows, part, index, Index::Const(i.into()));
                assign(target, l.swizzle(value, Lanes::new(&[i])))
            };
            (0..n).map(one).collect()
        }
        Some(Place::Bytes(place)) => bytes::store(l, &place, value),
        Some(Place::Choice { index, places, ty }) => {
            let value = copied(l, value, ty);
            vec![switch_of(l, index, &places, &mut |l, place| stores(l, place, value))]
        }
        Some(_) => {
            let span = l.span;
            l.w.error(Code::E0605, span, "images and samplers cannot be assigned".into());
            vec![]
        }
    }
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn store_memory<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr, mem: MemId, value: Expr) -> Vec<Stmt> {
    let data = l.w.prepared.memory.get(mem).clone();
    match data.kind {
        MemKind::Bytes { .. } => vec![],
        MemKind::Plain => vec![assign(e, value)],
        MemKind::Atomic => {
            let stored = L::atomic_store(l, e, value);
            vec![Stmt::Expr(stored)]
        }
        MemKind::Packed => {
            let words = l.w.module.types.scalar_of(data.value) == Some(Scalar::Bool);
            let value = if words { bools_to_words(l.w, value, data.value) } else { value };
            let value = L::packed(l, value, data.ty);
            vec![assign(e, value)]
        }
        MemKind::Bool => {
            let value = bools_to_words(l.w, value, data.value);
            vec![assign(e, value)]
        }
        MemKind::Widened => {
            let n = l.w.module.types.vector_size(data.value).unwrap_or(1);
            let words = l.w.module.types.scalar_of(data.value) == Some(Scalar::Bool);
            let lanes = Place::Lanes { base: e, lanes: (0..n).collect(), ty: data.value, words };
            let target = l.w.tree.add(ExprKind::Int(0));
            let target = l.w.at(target, lanes);
            stores(l, target, value)
        }
        MemKind::Boxed(part) => {
            let inner = l.w.member(e, data.ty, 0);
            store_memory(l, inner, part, value)
        }
        MemKind::Matrix { row_major, part, count } => {
            let TypeKind::Matrix { scalar, columns, rows } = l.w.module.types[data.value] else { return vec![] };
            let (ty, value) = match row_major {
                true => (l.w.matrix_type(scalar, rows, columns), l.w.tree.builtin("transpose", &[value])),
                false => (data.value, value),
            };
            let value = copied(l, value, ty);
            let mut stmts = vec![];
            for i in 0..count {
                let (e, value) = (element(l.w, e, Index::Const(i)), element(l.w, value, Index::Const(i)));
                stmts.extend(store_memory(l, e, part, value));
            }
            stmts
        }
        MemKind::Array(inner) => {
            let value = copied(l, value, data.value);
            let mut stmts = vec![];
            for i in 0..l.w.module.types.part_count(data.value).unwrap_or(0) {
                let (e, value) = (element(l.w, e, Index::Const(i)), element(l.w, value, Index::Const(i)));
                stmts.extend(store_memory(l, e, inner, value));
            }
            stmts
        }
        MemKind::Struct(members) => {
            let value = copied(l, value, data.value);
            let mut stmts = vec![];
            for (i, (number, part)) in members.into_iter().enumerate() {
                let value = l.w.member(value, data.value, i as u32);
                let e = l.w.member(e, data.ty, number);
                stmts.extend(store_memory(l, e, part, value));
            }
            stmts
        }
    }
}

/// The length of an array that its buffer sizes.
/// Recursion: over places within places, at most one level per level of the type.
pub fn array_length<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr) -> Expr {
    match l.w.places.get(&e).cloned() {
        Some(Place::Choice { index, places, .. }) => {
            let lengths: Vec<Expr> = places.iter().map(|&e| array_length(l, e)).collect();
            select_of(l.w, index, &lengths)
        }
        Some(Place::Bytes(place)) => {
            let length = bytes::array_length(l, &place);
            l.w.cast(Type::I32, length)
        }
        _ => {
            let length = L::array_length(l, e);
            l.w.cast(Type::I32, length)
        }
    }
}
