//! Components that are read one by one from an input or uniform.
//!
//! ```text
//! load a.x                                 component 0 of (load a)
//! vector(load a.x, load a.y, load a.z)     load a
//! vector(load a.z, load a.x)               (load a).zx
//! ```
//!
//! The vector may change at most before the function runs, so one load is all of them. It then has the form that the rules of vectors, and the
//! packing of lanes, know.

use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Node, Value};
use planish_ir::function::Body;
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::chains::Chains;

/// The component of the whole vector, for a load of a component; `None` for other loads.
pub(super) fn component(args: &[Value], precision: Precision, b: &mut Builder<'_, '_>) -> Option<Value> {
    let (Op::AccessVectorComponent, imm, &[vector]) = b.definition(args[0])? else { return None };
    if !b.module.floats(b.body(), Op::Load, &[vector]) {
        return None;
    }
    let whole = b.make(Request::new(Op::Load, &[vector]).precision(precision));
    Some(b.swizzle(whole, &[u8::try_from(imm.as_index()).ok()?]))
}

/// The vector, or its swizzle, for the constructor `node` of its components; `None` if the operands are others.
pub(super) fn whole(
    source: &Body,
    node: Node,
    args: &[Value],
    chains: &Chains,
    b: &mut Builder<'_, '_>,
) -> Option<Value> {
    let mut vector = None;
    let mut lanes: SmallVec<[u8; 4]> = SmallVec::new();
    for &arg in args {
        let (Op::ExtractVectorComponent, imm, &[base]) = b.definition(arg)? else { return None };
        if vector.is_some_and(|vector| vector != base) || !matches!(b.definition(base), Some((Op::Load, ..))) {
            return None;
        }
        vector = Some(base);
        lanes.push(u8::try_from(imm.as_index()).ok()?);
    }
    let vector = vector.filter(|_| lanes.len() >= 2)?;
    let count = b.module.types.vector_size(b.type_of(vector))?;
    let is_whole =
        lanes.len() == usize::from(count) && lanes.iter().enumerate().all(|(i, &lane)| i == usize::from(lane));
    // A swizzle is a node more, if a component is needed by itself, too.
    if !is_whole && !source.args(node).iter().all(|&arg| chains.is_used_once(arg)) {
        return None;
    }
    Some(if is_whole { vector } else { b.swizzle(vector, &lanes) })
}
