//! Scalars of 8 and 16 bits that a target lacks: integers ([`crate::lower_integers`]) and floats ([`crate::lower_halves`]) become those of 32
//! bits, with the same results.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Module;
use planish_ir::ops::Class;
use planish_ir::types::{AddressSpace, Scalar};
use planish_target::scalars::{self, holds, plural};

use crate::context::Context;
use crate::{lower_halves, lower_integers};

/// Has no scalar of 8 or 16 bits: most machines.
pub const NONE: &dyn Fn(Scalar) -> bool = &|_| false;

/// Whether a module computes with scalars of 8 or 16 bits of which the target `has` none.
pub fn is_needed(module: &Module, has: &dyn Fn(Scalar) -> bool) -> bool {
    Scalar::SMALL.into_iter().any(|scalar| !has(scalar) && scalars::is_used(module, scalar))
}

/// Runs on the whole module.
///
/// # Errors
/// The places where the bytes of such a scalar are visible (E0602).
pub fn run(
    module: &mut Module,
    target: &str,
    has: &dyn Fn(Scalar) -> bool,
    context: &mut Context,
) -> Result<(), Vec<Diagnostic>> {
    let lacks = |scalar: &Scalar| !has(*scalar) && scalars::is_used(module, *scalar);
    let (integers, floats): (Vec<Scalar>, Vec<Scalar>) =
        Scalar::SMALL.into_iter().filter(lacks).partition(|scalar| scalar.is_integer());
    let all: Vec<Scalar> = integers.iter().chain(&floats).copied().collect();
    let errors = obstacles(module, target, &all);
    if !errors.is_empty() {
        return Err(errors);
    }
    // Integers first: the bits of an `f16` are words of one.
    if !integers.is_empty() {
        lower_integers::run(module, target, &integers, context)?;
    }
    if !floats.is_empty() {
        lower_halves::run(module, target, context)?;
    }
    Ok(())
}

/// The errors of places where the bytes of scalars are visible: memory of the host, and ops on the bits of lanes and memories.
pub(crate) fn obstacles(module: &Module, target: &str, lacking: &[Scalar]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for &var in &module.globals {
        let data = &module.vars[var];
        let is_shared =
            matches!(data.space, AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::PushConstant);
        let first = lacking.iter().find(|&&scalar| holds(module, data.ty, scalar));
        if let Some(&scalar) = first.filter(|_| is_shared || data.linkage.is_some()) {
            let text = format!("{target} has no {}, which `{}` holds", plural(scalar), data.name.text);
            let help = match scalar {
                Scalar::F16 => "pass 32-bit floats and convert them, or two of them packed into a `uint`",
                Scalar::I8 | Scalar::U8 => {
                    "pass 32-bit integers and convert them, or four of them packed into a `uint`"
                }
                _ => "pass 32-bit integers and convert them, or two of them packed into a `uint`",
            };
            errors.push(Diagnostic::error(Code::E0602, data.span, text).help(help));
        }
    }
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        for (node, data) in body.nodes() {
            if !matches!(data.op.info().class, Class::Machine | Class::Simd | Class::Custom) {
                continue;
            }
            let operands = body.args(node).iter().map(|&arg| module.type_of(body, arg));
            let mut types = operands.chain(body.results(node).map(|result| body.local_type(result)));
            let first = types.find_map(|ty| lacking.iter().find(|&&scalar| holds(module, ty, scalar)));
            if let Some(&scalar) = first {
                let text =
                    format!("{target} has no {}, which `{}` takes or gives", plural(scalar), data.op.info().text);
                errors.push(Diagnostic::error(Code::E0602, data.span, text));
            }
        }
    }
    errors
}
