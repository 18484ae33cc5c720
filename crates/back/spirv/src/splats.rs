//! Scalars that were repeated for an operator. The IR multiplies a vector by a vector of equal components; SPIR-V has
//! `OpVectorTimesScalar`, so that the vector of equal components need not be made.
//!
//! ```text
//! %2: vec3 = construct_vector_from_scalar %1        %3 = OpVectorTimesScalar %v3float %0 %1
//! %3 = multiply %0, %2
//! ```

use planish_ir::entity::{Local, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk;
use rustc_hash::FxHashSet;

/// The scalar that is repeated, if the value is a float vector of a repeated scalar of its own component type.
fn repeated(module: &Module, body: &Body, value: Value) -> Option<Value> {
    let node = body.node_of(value).filter(|&n| body.node(n).op == Op::ConstructVectorFromScalar)?;
    let scalar = body.args(node)[0];
    let TypeKind::Vector(component, _) = module.types[module.type_of(body, value)] else { return None };
    let same = module.types.scalar_of(module.type_of(body, scalar)) == Some(component);
    (same && matches!(component, Scalar::F32 | Scalar::F64)).then_some(scalar)
}

/// The repeated scalars of a function that are only factors of other vectors.
pub(crate) fn only_factors(module: &Module, body: &Body) -> FxHashSet<Local> {
    let (mut factors, mut others) = (FxHashSet::default(), FxHashSet::default());
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let args = body.args(node);
            let is_product = body.node(node).op == Op::Multiply;
            let found: Vec<Local> =
                args.iter().filter(|&&a| repeated(module, body, a).is_some()).filter_map(|a| a.as_local()).collect();
            match found[..] {
                [one] if is_product => {
                    factors.insert(one);
                }
                _ => others.extend(found),
            }
        }
        body.blocks[block].exit.for_each_operand(|value| others.extend(value.as_local()));
    }
    factors.retain(|l| !others.contains(l));
    factors
}
