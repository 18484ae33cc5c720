//! Structs, arrays and the columns of matrices: extractions from constructors and insertions.

use planish_ir::entity::{Type, Value};
use planish_ir::meaning::clamp_index;
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::Law::Exact;
use super::{Rule, Site, rule};

const EXTRACT: &[Op] = &[Op::ExtractArrayElement, Op::ExtractMatrixColumn];
const INSERT: &[Op] = &[Op::InsertArrayElement, Op::InsertMatrixColumn];
const FIELD: &[Op] = &[Op::ExtractStructField];
const INSERT_FIELD: &[Op] = &[Op::InsertStructField];

/// Composites with more parts are not made anew for one of them.
const MAX_PARTS: usize = 16;

/// Maximum number of insertions a rule looks through.
const MAX_CHAIN: usize = 256;

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule(
        "index_in_range",
        &[
            Op::ExtractArrayElement,
            Op::ExtractMatrixColumn,
            Op::InsertArrayElement,
            Op::InsertMatrixColumn,
            Op::AccessArrayElement,
            Op::AccessMatrixColumn,
        ],
        Exact,
        "a[c] → a[min(c, length - 1)] as i32 (c constant)",
        index_in_range,
    ),
    rule("field_of_construct", FIELD, Exact, "S(a, b).1 → b", |s| {
        let (Op::ConstructStruct, _, parts) = s.def(s.arg(0))? else { return None };
        parts.get(s.imm().as_index() as usize).copied()
    }),
    rule("field_of_insert", FIELD, Exact, "(s with .1 = a).1 → a, (s with .1 = a).0 → s.0", |s| {
        let mut whole = s.arg(0);
        for _ in 0..MAX_CHAIN {
            match s.def(whole) {
                Some((Op::InsertStructField, imm, &[_, part])) if imm == s.imm() => return Some(part),
                Some((Op::InsertStructField, _, &[rest, _])) => whole = rest,
                _ => break,
            }
        }
        (whole != s.arg(0)).then(|| s.make_imm(Op::ExtractStructField, s.imm(), &[whole]))
    }),
    rule("field_of_choice", FIELD, Exact, "select(c, S(a, b), S(d, e)).1 → select(c, b, e)", |s| {
        let (c, x, y) = s.ternary(s.arg(0), Op::Select)?;
        let part = |whole| match s.def(whole) {
            Some((Op::ConstructStruct, _, parts)) => parts.get(s.imm().as_index() as usize).copied(),
            _ => None,
        };
        let (x, y) = (part(x)?, part(y)?);
        Some(s.make(Op::Select, &[c, x, y]))
    }),
    rule("insert_own_field", INSERT_FIELD, Exact, "s with .1 = s.1 → s", |s| {
        let (whole, part) = s.pair();
        let (Op::ExtractStructField, imm, &[of]) = s.def(part)? else { return None };
        (of == whole && imm == s.imm()).then_some(whole)
    }),
    rule("insert_field_twice", INSERT_FIELD, Exact, "(s with .1 = a) with .1 = b → s with .1 = b", |s| {
        let (inner, part) = s.pair();
        let (Op::InsertStructField, imm, &[rest, _]) = s.def(inner)? else { return None };
        (imm == s.imm()).then(|| s.make_imm(Op::InsertStructField, imm, &[rest, part]))
    }),
    rule("insert_field_of_construct", INSERT_FIELD, Exact, "S(a, b) with .1 = c → S(a, c)", |s| {
        let (whole, part) = s.pair();
        let (Op::ConstructStruct, _, parts) = s.def(whole)? else { return None };
        let parts = replaced(parts, s.imm().as_index() as usize, part)?;
        Some(s.make_typed(Op::ConstructStruct, &parts, s.ty()))
    }),
    rule("construct_of_own_fields", &[Op::ConstructStruct], Exact, "S(s.0, s.1) → s", |s| {
        let mut whole: Option<Value> = None;
        for (i, &part) in s.args().iter().enumerate() {
            let (Op::ExtractStructField, imm, &[of]) = s.def(part)? else { return None };
            if imm.as_index() as usize != i || whole.is_some_and(|w| w != of) {
                return None;
            }
            whole = Some(of);
        }
        let ty: Type = s.ty();
        whole.filter(|&w| s.type_of(w) == ty)
    }),
    rule("element_of_construct", EXTRACT, Exact, "[a, b][1] → b", |s| {
        let (whole, index) = s.pair();
        let index = constant_index(s, whole, index)?;
        let (Op::ConstructArray, _, parts) = s.def(whole)? else { return None };
        parts.get(index).copied()
    }),
    rule("element_of_equal", EXTRACT, Exact, "[x, x][i] → x", |s| {
        let whole = s.arg(0);
        if let Some(parts) = whole.as_const().and_then(|c| s.b.module.consts.as_parts(c)) {
            let (&first, rest) = parts.split_first()?;
            return rest.iter().all(|&p| p == first).then(|| first.into());
        }
        let (Op::ConstructArray, _, parts) = s.def(whole)? else { return None };
        let (&first, rest) = parts.split_first()?;
        rest.iter().all(|&p| p == first).then_some(first)
    }),
    rule("element_of_insert", EXTRACT, Exact, "(a with [i] = x)[i] → x, (a with [0] = x)[1] → a[1]", |s| {
        let (mut whole, index) = s.pair();
        let wanted = constant_index(s, whole, index);
        for _ in 0..MAX_CHAIN {
            let Some((Op::InsertArrayElement | Op::InsertMatrixColumn, _, &[rest, part, at])) = s.def(whole) else {
                break;
            };
            match (wanted, constant_index(s, rest, at)) {
                _ if at == index => return Some(part),
                (Some(wanted), Some(at)) if at == wanted => return Some(part),
                (Some(_), Some(_)) => {}
                // An index that is not known may be this one.
                _ => break,
            }
            whole = rest;
        }
        (whole != s.arg(0)).then(|| s.make(s.op(), &[whole, index]))
    }),
    rule("insert_own_element", INSERT, Exact, "a with [i] = a[i] → a", |s| {
        let (whole, part, index) = (s.arg(0), s.arg(1), s.arg(2));
        let (Op::ExtractArrayElement | Op::ExtractMatrixColumn, _, &[of, at]) = s.def(part)? else { return None };
        (of == whole && at == index).then_some(whole)
    }),
    rule("insert_element_twice", INSERT, Exact, "(a with [i] = x) with [i] = y → a with [i] = y", |s| {
        let (inner, part, index) = (s.arg(0), s.arg(1), s.arg(2));
        let (rest, _, at) = s.ternary(inner, s.op())?;
        (at == index).then(|| s.make(s.op(), &[rest, part, index]))
    }),
    rule("insert_element_of_construct", &[Op::InsertArrayElement], Exact, "[a, b] with [1] = c → [a, c]", |s| {
        let (whole, part, index) = (s.arg(0), s.arg(1), s.arg(2));
        let index = constant_index(s, whole, index)?;
        let (Op::ConstructArray, _, parts) = s.def(whole)? else { return None };
        let parts = replaced(parts, index, part)?;
        Some(s.make_typed(Op::ConstructArray, &parts, s.ty()))
    }),
    rule("construct_of_own_elements", &[Op::ConstructArray], Exact, "[a[0], a[1]] → a", |s| {
        let mut whole: Option<Value> = None;
        for (i, &part) in s.args().iter().enumerate() {
            let (of, index) = s.binary(part, Op::ExtractArrayElement)?;
            if s.uniform_bits(index) != Some(i as u64) || whole.is_some_and(|w| w != of) {
                return None;
            }
            whole = Some(of);
        }
        let ty: Type = s.ty();
        whole.filter(|&w| s.type_of(w) == ty)
    }),
];

/// A constant index into an array or matrix, clamped. ([`index_in_range`] has clamped it already, unless the node was made
/// without rules.)
fn constant_index(s: &Site<'_, '_, '_>, whole: Value, index: Value) -> Option<usize> {
    let count = s.b.module.types.part_count(s.type_of(whole))?;
    Some(clamp_index(s.uniform_bits(index)?, count) as usize)
}

/// The parts with one replaced; `None` if they are too many to be copied.
fn replaced(parts: &[Value], index: usize, part: Value) -> Option<SmallVec<[Value; 8]>> {
    if parts.len() > MAX_PARTS {
        return None;
    }
    let mut parts: SmallVec<[Value; 8]> = parts.into();
    *parts.get_mut(index)? = part;
    Some(parts)
}

/// A constant index as an `i32` that is in range, so that equal indices are equal values. The length of a runtime-sized
/// array is not known, so that its indices stay.
fn index_in_range(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let position = s.args().len() - 1;
    let index = s.arg(position);
    let bits = s.uniform_bits(index)?;
    let whole = s.type_of(s.arg(0));
    let whole = s.b.module.types.pointee(whole).map_or(whole, |(pointee, _)| pointee);
    let count = s.b.module.types.part_count(whole)?;
    let index_type = s.type_of(index);
    // A negative i32 has 32 bits, and counts as unsigned.
    let clamped = clamp_index(bits, count);
    if index_type == Type::I32 && u64::from(clamped) == bits {
        return None;
    }
    let mut args: SmallVec<[Value; 3]> = s.args().into();
    args[position] = s.b.i32(clamped as i32);
    Some(s.with_args(&args))
}
