//! Takes fused ops apart, for targets that have none of them.
//!
//! ```text
//! before: %4 = multiply_add %a, %b, %c      after: %4 = multiply %a, %b    %5 = add %4, %c
//!         %5 = lerp %x, %y, %t                     %6 = subtract %y, %x    %7 = multiply %6, %t    %8 = add %7, %x
//!         %6 = horizontal_add %v                   %9 = component 0 of %v  %10 = component 1       %11 = add %9, %10
//! ```
//!
//! Each op is defined as these steps (`docs/numerics.md`), so no bit changes. Holds before: a valid module; fused ops come
//! from flattening, no language has them.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Func, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use smallvec::smallvec;

use crate::context::Context;
use crate::restage::{Stage, copy_node, restage};

/// Runs on every function that has a fused op.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = module.funcs[func].body.as_ref().filter(|body| has_fused(body)) else { continue };
        let policy = Policy { form: body.form, ..Policy::PLAIN };
        context.changed();
        restage(module, func, policy, &mut Expand);
    }
}

/// Whether a function of the module has a fused op.
pub fn is_needed(module: &Module) -> bool {
    module.funcs.values().any(|f| f.body.as_ref().is_some_and(has_fused))
}

fn has_fused(body: &Body) -> bool {
    body.nodes().any(|(_, data)| is_fused(data.op))
}

fn is_fused(op: Op) -> bool {
    matches!(op, Op::MultiplyAdd | Op::Lerp | Op::HorizontalAdd)
}

struct Expand;

impl Stage for Expand {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        if !is_fused(data.op) {
            return copy_node(old, node, args, builder);
        }
        builder.set_precise(data.precise);
        let precision = data.precision;
        let mut step = |op, args: &[Value]| builder.make(Request::new(op, args).precision(precision));
        let value = match (data.op, args) {
            (Op::MultiplyAdd, &[a, b, c]) => {
                let product = step(Op::Multiply, &[a, b]);
                step(Op::Add, &[product, c])
            }
            (Op::Lerp, &[x, y, a]) => {
                let difference = step(Op::Subtract, &[y, x]);
                let part = step(Op::Multiply, &[difference, a]);
                step(Op::Add, &[part, x])
            }
            _ => horizontal_sum(builder, args[0], precision),
        };
        smallvec![value]
    }
}

/// The components of a vector, added from the first on; a scalar is its own sum.
fn horizontal_sum(builder: &mut Builder<'_, '_>, vector: Value, precision: Precision) -> Value {
    let ty = builder.type_of(vector);
    let size = builder.module.types.vector_size(ty).expect("it sums scalars and vectors");
    if size == 1 {
        return vector;
    }
    let component = |builder: &mut Builder<'_, '_>, i: u8| {
        let extract = Request::new(Op::ExtractVectorComponent, std::slice::from_ref(&vector));
        builder.make(extract.imm(Imm::index(i.into())).precision(precision))
    };
    let first = component(builder, 0);
    (1..size).fold(first, |sum, i| {
        let next = component(builder, i);
        builder.make(Request::new(Op::Add, &[sum, next]).precision(precision))
    })
}
