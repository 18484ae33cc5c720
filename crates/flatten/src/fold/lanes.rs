//! Removes components that are multiplied by zero or overwritten.
//!
//! ```text
//! vector(sin(x) * 12, 13) * (0, 123)   (0, 1599)
//! vector(f(x), g(x)) * (2, 0)          vector(f(x), 0) * (2, 0)
//! v with .x = a with .y = b with .x = c  v with .y = b with .x = c
//! ```
//!
//! The component is replaced by zero in the constructor, and its computation becomes dead. Floats need fast-math: the
//! component might be infinite. The constructor must have no other user, which would need a second one.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Node, Value};
use planish_ir::function::Body;
use planish_ir::meaning::float_value;
use planish_ir::ops::{Imm, Op};
use smallvec::SmallVec;

use super::chains::Chains;

/// The product `node` with a constant, without the components that are multiplied by zero; `None` if there are none.
pub(crate) fn kill_zero_lanes(
    source: &Body,
    node: Node,
    args: &[Value],
    chains: &Chains,
    fast_math: bool,
    b: &mut Builder<'_, '_>,
) -> Option<Value> {
    let &[v, c] = args else { return None };
    let is_once = source.args(node).iter().any(|&a| chains.is_used_once(a) && is_constructor(source, a));
    let zeros = zero_lanes(b, c)?;
    let ty = b.type_of(v);
    let scalar = b.module.types.scalar_of(ty)?;
    let data = *source.node(node);
    let Some((Op::ConstructVectorFromMultiple, _, parts)) = b.definition(v) else { return None };
    if !is_once || scalar.is_float() && (!fast_math || data.precise) {
        return None;
    }
    let parts: SmallVec<[Value; 4]> = SmallVec::from_slice(parts);
    let mut killed = parts.clone();
    let mut at = 0;
    for part in &mut killed {
        let part_ty = b.type_of(*part);
        let size = b.module.types.vector_size(part_ty).map_or(0, usize::from);
        let lanes = zeros.get(at..at + size)?;
        at += size;
        // A part of several components, some of them not multiplied by zero, is one value: it stays.
        if size > 0 && lanes.iter().all(|&zero| zero) && b.module.types.scalar_of(part_ty) == Some(scalar) {
            *part = b.module.consts.zero(&mut b.module.types, part_ty)?.into();
        }
    }
    if killed == parts || at != zeros.len() {
        return None;
    }
    b.set_precise(data.precise);
    let v = b.make(Request::new(Op::ConstructVectorFromMultiple, &killed).ty(ty).precision(data.precision));
    Some(b.make(Request::new(Op::Multiply, &[v, c]).precision(data.precision)))
}

/// The insertion `node` without an earlier one into the same component, with only insertions between them that have no
/// other users; `None` if there is none.
pub(crate) fn drop_overwritten(
    source: &Body,
    node: Node,
    args: &[Value],
    chains: &Chains,
    b: &mut Builder<'_, '_>,
) -> Option<Value> {
    let (data, lane) = (*source.node(node), source.node(node).imm);
    let mut between = 0;
    let mut below = source.args(node)[0];
    loop {
        let inner = source.node_of(below).filter(|_| chains.is_used_once(below))?;
        if source.node(inner).op != Op::InsertVectorComponent || between > 4 {
            return None;
        }
        below = source.args(inner)[0];
        if source.node(inner).imm == lane {
            break;
        }
        between += 1;
    }
    // The corresponding insertions in the new function, as far as they exist.
    let mut kept: SmallVec<[(Imm, Value); 4]> = SmallVec::new();
    let mut vector = args[0];
    loop {
        let (Op::InsertVectorComponent, imm, &[rest, part]) = b.definition(vector)? else { return None };
        vector = rest;
        if imm == lane {
            break;
        }
        kept.push((imm, part));
    }
    b.set_precise(data.precise);
    for (imm, part) in kept.into_iter().rev().chain([(lane, args[1])]) {
        let args = [vector, part];
        let request = Request::new(Op::InsertVectorComponent, &args).imm(imm);
        vector = b.make(request.precision(data.precision));
    }
    Some(vector)
}

fn is_constructor(source: &Body, value: Value) -> bool {
    source.node_of(value).is_some_and(|node| source.node(node).op == Op::ConstructVectorFromMultiple)
}

/// The zero components of a constant vector; `None` if there are none, or for other values.
fn zero_lanes(b: &Builder<'_, '_>, value: Value) -> Option<SmallVec<[bool; 4]>> {
    let c = value.as_const()?;
    b.module.consts.as_parts(c)?;
    let mut bits = Vec::new();
    b.module.consts.flatten(c, &mut bits).then_some(())?;
    let zeros: SmallVec<[bool; 4]> = bits
        .iter()
        .map(|&bits| match b.module.types.scalar_of(b.type_of(value)) {
            Some(scalar) if scalar.is_float() => float_value(scalar, bits) == 0.0,
            _ => bits == 0,
        })
        .collect();
    zeros.contains(&true).then_some(zeros)
}
