//! Constructors of components that are read one by one from an input or uniform.
//!
//! ```text
//! vector(load a.x, load a.y, load a.z)     load a
//! vector(load a.z, load a.x)               (load a).zx
//! ```
//!
//! The vector may change at most before the function runs, so one load is all of them. It then has the form that the rules of vectors know.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Node, Value};
use planish_ir::function::Body;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::chains::Chains;

/// The replacement of the constructor `node`; `None` if its operands are others.
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
        let (Op::Load, _, &[pointer]) = b.definition(arg)? else { return None };
        let (Op::AccessVectorComponent, imm, &[base]) = b.definition(pointer)? else { return None };
        if vector.is_some_and(|vector| vector != base) || !b.module.floats(b.body(), Op::Load, &[pointer]) {
            return None;
        }
        vector = Some(base);
        lanes.push(u8::try_from(imm.as_index()).ok()?);
    }
    let vector = vector.filter(|_| lanes.len() >= 2)?;
    let data = *source.node(node);
    let (ty, _) = b.module.types.pointee(b.type_of(vector))?;
    let TypeKind::Vector(_, count) = b.module.types[ty] else { return None };
    let is_whole =
        lanes.len() == usize::from(count) && lanes.iter().enumerate().all(|(i, &lane)| i == usize::from(lane));
    // A swizzle is a node more, if a component is needed by itself, too.
    if !is_whole && !source.args(node).iter().all(|&arg| chains.is_used_once(arg)) {
        return None;
    }
    let whole = b.make(Request::new(Op::Load, &[vector]).precision(data.precision));
    Some(if is_whole { whole } else { b.swizzle(whole, &lanes) })
}
