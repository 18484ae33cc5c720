//! Makes `f32` of `f64`, for targets without the latter.
//!
//! ```text
//! before: fn @f(%x: f64) -> (f64)              after: fn @f(%x: f32) -> (f32)
//!           %1 = multiply %x, 0.1d                      %1 = multiply %x, 0.1
//!           %2: f32 = convert %1                        (%1 is used)
//! ```
//!
//! Results change: every operation rounds to `f32`, and so does every constant. So it runs only where the language says that its
//! reals are `f32` if the target has no other (VL). Holds before: a valid module. Every type that an `f64` is part of gets a
//! twin: vectors and matrices, arrays, structs, pointers, functions. What the host or the program reads as bytes has no twin:
//! variables of the interface, linear memories and ops on the bits of an `f64` are errors.

use planish_ir::builder::{Builder, Request, Results};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::{AddressSpace, Scalar};
use planish_target::scalars::{self, holds};
use smallvec::smallvec;

use crate::restage::Stage;
use crate::retype::{self, Retyped};

/// Whether a module computes with `f64`.
pub fn is_needed(module: &Module) -> bool {
    scalars::is_used(module, Scalar::F64)
}

/// Runs on the whole module.
///
/// # Errors
/// The places where the bytes of an `f64` are visible.
pub fn run(module: &mut Module) -> Result<(), Vec<Diagnostic>> {
    let errors = obstacles(module);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut narrow = Narrow(Retyped::new(module, &[(Scalar::F64, Scalar::F32)]));
    retype::bodies(module, &mut narrow);
    Ok(())
}

fn obstacles(module: &Module) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut refuse = |message: String, span| errors.push(Diagnostic::error(Code::E0602, span, message));
    for &var in &module.globals {
        let data = &module.vars[var];
        let is_own = matches!(data.space, AddressSpace::Private | AddressSpace::Workgroup) && data.linkage.is_none();
        if !is_own && holds(module, data.ty, Scalar::F64) {
            refuse(format!("`{}` holds an f64, for a target that has none", data.name.text), data.span);
        }
    }
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        for (node, data) in body.nodes() {
            let class = data.op.info().class;
            let is_about_bits = matches!(data.op, Op::Bitcast | Op::PackDouble2x32 | Op::UnpackDouble2x32)
                || matches!(class, Class::Machine | Class::Simd | Class::Custom);
            let operands = body.args(node).iter().map(|&arg| module.type_of(body, arg));
            let results = body.results(node).map(|result| body.local_type(result));
            if is_about_bits && operands.chain(results).any(|ty| holds(module, ty, Scalar::F64)) {
                refuse(format!("`{}` of an f64, for a target that has none", data.op.info().text), data.span);
            }
        }
    }
    errors
}

/// The stage.
struct Narrow(Retyped);

impl Stage for Narrow {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        let ty = old.result(node).map(|result| self.0.ty(old.local_type(result)));
        if data.op == Op::ConstructScalarFromScalar && ty == Some(builder.type_of(args[0])) {
            return smallvec![args[0]];
        }
        builder.set_precise(data.precise);
        builder.make_all(Request { op: data.op, imm: data.imm, args, ty, precision: Some(data.precision) })
    }

    fn input_type(&self, ty: Type) -> Type {
        self.0.ty(ty)
    }

    fn outer_value(&mut self, value: Value) -> Value {
        self.0.outer_value(value)
    }
}
