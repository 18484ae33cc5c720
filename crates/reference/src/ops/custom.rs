//! Ops of the user's own, which compute what the host says.

use planish_ir::custom::{Fault, Operand, evaluate};
use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::TypeKind;

use crate::stop::Stop;
use crate::value::Value;

/// The results of an op of the user's own.
pub(crate) fn custom(module: &Module, op: Op, imm: Imm, args: &[Value], results: &[Type]) -> Result<Vec<Value>, Stop> {
    let TypeKind::Function { params, .. } = &module.types[imm.as_custom().1] else { return Err(Stop::Unsupported(op)) };
    let mut words = vec![Vec::new(); args.len()];
    args.iter().zip(&mut words).for_each(|(arg, words)| arg.words(words));
    let operands: Vec<Operand<'_>> = params.iter().zip(&words).map(|(&ty, bits)| Operand { ty, bits }).collect();
    let mut out = Vec::new();
    evaluate(module, imm, &operands, &mut out).map_err(|fault| match fault {
        Fault::Trap(kind) => Stop::Trap(kind),
        _ => Stop::Unsupported(op),
    })?;
    let mut words = out.iter();
    let mut value = |&ty: &Type| Value::from_words(&module.types, ty, &mut words).ok_or(Stop::Unsupported(op));
    results.iter().map(&mut value).collect()
}
