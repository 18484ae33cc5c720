//! Swizzles of constructors.
//!
//! ```text
//! vector(p.yx, s).zyx         vector(s, p)     needed by the swizzle only, and each part of it read whole
//! vector(v.zx, 0.5, v.y).ywx  v                components of one vector
//! ```
//!
//! The rules of the optimizer look into one constructor; here it is known whether it becomes dead, so that another may
//! replace it. Values only move, so all bits stay the same.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Node, Value};
use planish_ir::function::Body;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use super::chains::Chains;

/// Maximum depth of nested constructors that are traced.
const MAX_DEPTH: u32 = 4;

/// Source of a component.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Scalar(Value),
    /// A component of an opaque vector.
    Part(Value, u8),
}

/// The replacement of the swizzle `node` of a vector of known components; `None` if there is none.
pub(crate) fn narrowed(
    source: &Body,
    node: Node,
    args: &[Value],
    chains: &Chains,
    b: &mut Builder<'_, '_>,
) -> Option<Value> {
    let data = *source.node(node);
    let (base, lanes) = (args[0], data.imm.as_lanes());
    let found: SmallVec<[Lane; 4]> = lanes.iter().map(|i| origin(b, base, i)).collect();
    // A swizzle of the same operand would be found again forever.
    if found.iter().any(|&lane| matches!(lane, Lane::Part(vector, _) if vector == base)) {
        return None;
    }
    if let Some((vector, lanes)) = one_vector(b, &found) {
        let whole = size_of(b, vector) == lanes.len() && lanes.iter().enumerate().all(|(i, &l)| i == usize::from(l));
        return Some(if whole { vector } else { b.swizzle(vector, &lanes) });
    }
    let parts = whole_parts(b, &found).filter(|_| chains.is_used_once(source.args(node)[0]))?;
    let ty = source.local_type(source.result(node)?);
    b.set_precise(data.precise);
    Some(b.make(Request::new(Op::ConstructVectorFromMultiple, &parts).ty(ty).precision(data.precision)))
}

/// The source of a component of a new vector.
fn origin(b: &Builder<'_, '_>, vector: Value, index: u8) -> Lane {
    let (mut vector, mut index) = (vector, index);
    for _ in 0..MAX_DEPTH {
        let scalar = scalar_type(b, vector);
        let is_plain = |part: Value| scalar_type(b, part) == scalar;
        match b.definition(vector) {
            Some((Op::ConstructVectorFromScalar, _, &[x])) if is_plain(x) => return Lane::Scalar(x),
            Some((Op::ExtractVectorComponentMulti, imm, &[inner])) => {
                (vector, index) = (inner, imm.as_lanes().get(index.into()));
            }
            Some((Op::InsertVectorComponent, imm, &[_, x])) if imm.as_index() == u32::from(index) => {
                return Lane::Scalar(x);
            }
            Some((Op::InsertVectorComponent, _, &[inner, _])) => vector = inner,
            Some((Op::ConstructVectorFromMultiple, _, parts)) if parts.iter().all(|&p| is_plain(p)) => {
                let mut at = 0;
                let part = parts.iter().find_map(|&part| {
                    let begin = at;
                    at += size_of(b, part);
                    (usize::from(index) < at).then_some((part, usize::from(index) - begin))
                });
                match part {
                    Some((part, _)) if size_of(b, part) == 1 => return Lane::Scalar(part),
                    Some((part, i)) => (vector, index) = (part, i as u8),
                    None => break,
                }
            }
            _ => break,
        }
    }
    Lane::Part(vector, index)
}

/// The vector of all components, and their indices in it.
fn one_vector(b: &Builder<'_, '_>, found: &[Lane]) -> Option<(Value, SmallVec<[u8; 4]>)> {
    let part = |lane: Lane| match lane {
        Lane::Part(vector, index) => Some((vector, index)),
        Lane::Scalar(scalar) => match b.definition(scalar) {
            Some((Op::ExtractVectorComponent, imm, &[vector])) => Some((vector, imm.as_index() as u8)),
            _ => None,
        },
    };
    let (vector, _) = part(found[0])?;
    let lanes = found.iter().map(|&lane| part(lane).filter(|p| p.0 == vector).map(|p| p.1));
    Some((vector, lanes.collect::<Option<_>>()?))
}

/// The operands of a constructor of these components, if each vector among them is used whole.
fn whole_parts(b: &mut Builder<'_, '_>, found: &[Lane]) -> Option<SmallVec<[Value; 4]>> {
    let mut parts = SmallVec::new();
    let mut at = 0;
    while let Some(&lane) = found.get(at) {
        at += match lane {
            Lane::Scalar(scalar) => {
                parts.push(scalar);
                1
            }
            Lane::Part(vector, index) if vector.as_const().is_some() => {
                parts.push(b.op_imm(Op::ExtractVectorComponent, Imm::index(index.into()), &[vector]));
                1
            }
            Lane::Part(vector, _) => {
                let size = size_of(b, vector);
                let run = found.get(at..at + size)?;
                if !run.iter().zip(0..).all(|(&lane, i)| lane == Lane::Part(vector, i)) {
                    return None;
                }
                parts.push(vector);
                size
            }
        };
    }
    Some(parts)
}

fn size_of(b: &Builder<'_, '_>, value: Value) -> usize {
    b.module.types.vector_size(b.type_of(value)).map_or(0, usize::from)
}

fn scalar_type(b: &Builder<'_, '_>, value: Value) -> Option<Scalar> {
    b.module.types.scalar_of(b.type_of(value))
}
