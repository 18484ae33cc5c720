//! NaNs of languages whose arithmetic gives any: where the IR's canonical one has to be restored.

use planish_ir::entity::{Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::{Scalar, TypeKind};

fn scalar(module: &Module, ty: Type) -> Option<Scalar> {
    match module.types[ty] {
        TypeKind::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// Whether a float is the result of a computation, and no number that was moved.
pub fn is_computed(module: &Module, body: &Body, value: Value) -> bool {
    let Some(node) = body.node_of(value) else { return false };
    let data = body.node(node);
    let moves =
        matches!(data.op, Op::Negate | Op::Abs | Op::CopySign | Op::Select | Op::Bitcast | Op::Load | Op::Frexp)
            || matches!(data.op.info().class, Class::Machine | Class::Call)
            || data.op == Op::ConstructScalarFromScalar && {
                let from = scalar(module, module.type_of(body, body.args(node)[0]));
                from == scalar(module, module.type_of(body, value))
            };
    !moves
}

/// Whether the bits of a float are seen that may be those of a NaN that was computed elsewhere, before a merge or a call: then all that is
/// computed has to have the canonical one.
pub fn sees_bits(module: &Module) -> bool {
    let is_float = |ty: Type| scalar(module, ty).is_some_and(Scalar::is_float);
    module.funcs.values().filter_map(|function| function.body.as_ref()).any(|body| {
        body.nodes().any(|(node, data)| {
            let args = body.args(node);
            let seen = match data.op {
                Op::Bitcast => args[0],
                Op::CopySign | Op::MemoryStore => args[1],
                _ => return false,
            };
            is_float(module.type_of(body, seen)) && seen.as_const().is_none() && !is_computed(module, body, seen)
        })
    })
}
