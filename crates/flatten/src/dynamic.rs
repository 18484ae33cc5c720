//! Lowers dynamic indices to selects: dataflow has no addressable memory.
//!
//! ```text
//! a[i]            select(i == 0, a[0], select(i == 1, a[1], a[2]))
//! a with [i] = x  [select(i == 0, x, a[0]), select(i == 1, x, a[1]), select(i < 0 | i > 1, x, a[2])]
//! v with v[i] = x select(vector(min(u32(i), 2)) == (0, 1, 2), vector(x), v)
//! ```
//!
//! An index is unsigned and clamped, so every other index selects the last part. A load from a buffer at a dynamic
//! index stays a load: that memory is not local to the function.

use planish_ir::builder::Builder;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::rules::{Law, Rule, RuleSet, Site};
use smallvec::SmallVec;

/// The rules that replace dynamic indices into values.
pub static DYNAMIC: RuleSet =
    RuleSet { name: "dynamic", about: "Dynamic indices into values become choices.", rules: RULES };

type Parts = SmallVec<[Value; 8]>;

static RULES: &[Rule] = &[
    Rule {
        name: "part_by_choice",
        roots: &[Op::ExtractArrayElement, Op::ExtractMatrixColumn, Op::ExtractVectorComponentDynamic],
        law: Law::Exact,
        about: "a[i] → select(i == 0, a[0], select(i == 1, a[1], a[2]))",
        apply: |s| {
            let (whole, index) = s.pair();
            if index.as_const().is_some() {
                return None;
            }
            let parts = parts(s.b, whole)?;
            Some(choose(s.b, index, &parts))
        },
    },
    Rule {
        name: "insert_by_choice",
        roots: &[Op::InsertArrayElement, Op::InsertMatrixColumn],
        law: Law::Exact,
        about: "a with [i] = x → [select(i == 0, x, a[0]), select(i < 0 | i > 0, x, a[1])]",
        apply: |s| {
            let (whole, part, index) = (s.arg(0), s.arg(1), s.arg(2));
            if index.as_const().is_some() {
                return None;
            }
            let parts = parts(s.b, whole)?;
            let parts = replace(s.b, index, &parts, part);
            Some(construct(s, &parts))
        },
    },
    Rule {
        name: "insert_component_by_choice",
        roots: &[Op::InsertVectorComponentDynamic],
        law: Law::Exact,
        about: "v with v[i] = x → select(vector(min(u32(i), 2)) == (0, 1, 2), vector(x), v)",
        apply: insert_component,
    },
    Rule {
        name: "choice_of_parts",
        roots: &[Op::Select],
        law: Law::Exact,
        about: "select(c, a, b) → [select(c, a[0], b[0]), select(c, a[1], b[1])] (arrays, structs, matrices)",
        apply: |s| {
            let (c, a, b) = (s.arg(0), s.arg(1), s.arg(2));
            if !matches!(s.kind_of(a), TypeKind::Array { .. } | TypeKind::Struct(_) | TypeKind::Matrix { .. }) {
                return None;
            }
            let (a, b) = (parts(s.b, a)?, parts(s.b, b)?);
            let parts: Parts = a.iter().zip(&b).map(|(&a, &b)| s.make(Op::Select, &[c, a, b])).collect();
            Some(construct(s, &parts))
        },
    },
];

/// The part at a dynamic `index`: a select for each part but the last. `parts` is not empty.
///
/// # Panics
/// If there are no parts, or the index is not an integer.
pub fn choose(b: &mut Builder<'_, '_>, index: Value, parts: &[Value]) -> Value {
    let (&last, rest) = parts.split_last().expect("what is indexed has parts");
    let mut chosen = last;
    for (k, &part) in rest.iter().enumerate().rev() {
        if part != chosen {
            let here = is_index(b, index, k);
            chosen = b.op(Op::Select, &[here, part, chosen]);
        }
    }
    chosen
}

/// The parts after the one at a dynamic `index` is replaced by `part`: a select for each.
///
/// # Panics
/// If the index is not an integer.
pub fn replace(b: &mut Builder<'_, '_>, index: Value, parts: &[Value], part: Value) -> SmallVec<[Value; 8]> {
    let last = parts.len() - 1;
    let mut replaced = Parts::with_capacity(parts.len());
    for (k, &old) in parts.iter().enumerate() {
        replaced.push(match () {
            () if last == 0 || old == part => part,
            () => {
                let here = if k == last { is_last(b, index, last) } else { is_index(b, index, k) };
                b.op(Op::Select, &[here, part, old])
            }
        });
    }
    replaced
}

/// An integer constant of the type of `like`.
fn number(b: &mut Builder<'_, '_>, like: Value, number: usize) -> Value {
    let ty = b.type_of(like);
    b.module.consts.bits(ty, number as u64).into()
}

/// `index == k`
fn is_index(b: &mut Builder<'_, '_>, index: Value, k: usize) -> Value {
    let k = number(b, index, k);
    b.op(Op::Equal, &[index, k])
}

/// Whether an index, as an unsigned number, is at least `last`, which is positive.
fn is_last(b: &mut Builder<'_, '_>, index: Value, last: usize) -> Value {
    let before = number(b, index, last - 1);
    let above = b.op(Op::GreaterThan, &[index, before]);
    if !is_signed(b, index) {
        return above;
    }
    let zero = number(b, index, 0);
    let below = b.op(Op::LessThan, &[index, zero]);
    b.op(Op::LogicalOr, &[below, above])
}

fn is_signed(b: &Builder<'_, '_>, value: Value) -> bool {
    b.module.types.scalar_of(b.type_of(value)).is_some_and(Scalar::is_signed)
}

/// The parts of an array, struct, matrix or vector; `None` for other values.
fn parts(b: &mut Builder<'_, '_>, whole: Value) -> Option<Parts> {
    let ty = b.type_of(whole);
    let extract = match b.module.types[ty] {
        TypeKind::Array { .. } => Op::ExtractArrayElement,
        TypeKind::Matrix { .. } => Op::ExtractMatrixColumn,
        TypeKind::Vector(..) => Op::ExtractVectorComponent,
        TypeKind::Struct(_) => Op::ExtractStructField,
        _ => return None,
    };
    let count = b.module.types.part_count(ty)?;
    let part = |index: u32| match extract {
        Op::ExtractArrayElement | Op::ExtractMatrixColumn => {
            let index = b.i32(index as i32);
            b.op(extract, &[whole, index])
        }
        _ => b.op_imm(extract, Imm::index(index), &[whole]),
    };
    Some((0..count).map(part).collect())
}

/// The requested array, struct or matrix, from its parts.
fn construct(s: &mut Site<'_, '_, '_>, parts: &[Value]) -> Value {
    let ty = s.ty();
    let op = match s.b.module.types[ty] {
        TypeKind::Array { .. } => Op::ConstructArray,
        TypeKind::Struct(_) => Op::ConstructStruct,
        _ => Op::ConstructMatrixFromMultiple,
    };
    s.make_typed(op, parts, ty)
}

fn insert_component(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (v, x, index) = (s.arg(0), s.arg(1), s.arg(2));
    if index.as_const().is_some() {
        return None;
    }
    let size = s.size_of(v);
    let index = clamped(s, index, usize::from(size) - 1);
    let scalar = s.scalar_of(index)?;
    let indices = s.b.module.types.vector(scalar, size);
    let numbers = s.b.module.consts.unflatten(&mut s.b.module.types, indices, &mut (0..u64::from(size)))?;
    let index = s.b.op_typed(Op::ConstructVectorFromScalar, &[index], indices);
    let here = s.b.op(Op::Equal, &[index, numbers.into()]);
    let x = s.make_typed(Op::ConstructVectorFromScalar, &[x], s.ty());
    Some(s.make(Op::Select, &[here, x, v]))
}

/// The index, clamped to `last` as an unsigned number.
fn clamped(s: &mut Site<'_, '_, '_>, index: Value, last: usize) -> Value {
    if s.integer_functions().is_none() {
        let outside = is_last(s.b, index, last);
        let last = number(s.b, index, last);
        return s.b.op(Op::Select, &[outside, last, index]);
    }
    let unsigned = match s.type_of(index) {
        ty if !is_signed(s.b, index) => ty,
        Type::I32 => Type::U32,
        _ => s.b.module.types.scalar(Scalar::U64),
    };
    let index = s.b.convert(index, unsigned);
    let last = number(s.b, index, last);
    s.b.op(Op::Min, &[index, last])
}
