//! Brings constructors of vectors and matrices to one component type: operands of another type are converted first.
//!
//! ```text
//! before: %2 = construct_vector_from_multiple %i, %f        after: %2 = construct_scalar_from_scalar %i: f32
//!                                                                  %3 = construct_vector_from_multiple %2, %f
//! ```
//!
//! Holds before: a valid module. Left alone: conversions of whole vectors (`vec3(ivec3)`), which targets have.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::entity::{Func, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use crate::context::Context;
use crate::restage::{Stage, copy_node, restage};

/// Runs on every function that has such a constructor.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        if body.nodes().any(|(node, _)| is_mixed(module, body, node)) {
            let policy = Policy { form: body.form, ..Policy::PLAIN };
            context.changed();
            restage(module, func, policy, &mut Scalarize);
        }
    }
}

fn is_mixed(module: &Module, body: &Body, node: Node) -> bool {
    let data = body.node(node);
    let constructs = matches!(
        data.op,
        Op::ConstructVectorFromScalar
            | Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromScalar
            | Op::ConstructMatrixFromMultiple
    );
    let args = body.args(node);
    let wanted = body.result(node).and_then(|r| module.types.scalar_of(body.local_type(r)));
    let single_vector = data.op == Op::ConstructVectorFromMultiple && args.len() == 1;
    constructs && !single_vector && args.iter().any(|&a| module.types.scalar_of(module.type_of(body, a)) != wanted)
}

struct Scalarize;

impl Stage for Scalarize {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        if !is_mixed(builder.module, old, node) {
            return copy_node(old, node, args, builder);
        }
        let result = old.result(node).map(|r| old.local_type(r)).expect("a constructor has a result");
        let scalar = builder.module.types.scalar_of(result).expect("a vector or matrix has components");
        let data = old.node(node);
        let args: SmallVec<[Value; 8]> = args.iter().map(|&a| convert(builder, data.imm, a, scalar)).collect();
        builder.set_precise(data.precise);
        builder.make_all(Request {
            op: data.op,
            imm: data.imm,
            args: &args,
            ty: Some(result),
            precision: Some(data.precision),
        })
    }
}

/// A scalar or vector with another component type; a matrix has floats only and stays.
fn convert(builder: &mut Builder<'_, '_>, imm: Imm, value: Value, scalar: Scalar) -> Value {
    let from: Type = builder.type_of(value);
    let to = builder.module.types.with_scalar(from, scalar);
    match builder.module.types[from] {
        _ if from == to => value,
        TypeKind::Scalar(_) => builder.convert_imm(imm, value, to),
        TypeKind::Vector(..) => builder.make(Request::new(Op::ConstructVectorFromMultiple, &[value]).imm(imm).ty(to)),
        _ => value,
    }
}
