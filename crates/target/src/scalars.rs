//! Types of numbers that a target has not at all: where a module uses them.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::FxHashSet;

/// Whether numbers of a type are a part of another type, behind pointers and in signatures, too. Types are finite: none is part of itself.
pub fn holds(module: &Module, ty: Type, scalar: Scalar) -> bool {
    let mut open = vec![ty];
    let mut seen = FxHashSet::default();
    while let Some(ty) = open.pop() {
        match &module.types[ty] {
            TypeKind::Pointer { pointee: part, .. }
            | TypeKind::Array { element: part, .. }
            | TypeKind::RuntimeArray { element: part } => open.push(*part),
            TypeKind::Struct(data) if seen.insert(ty) => open.extend(data.members.iter().map(|member| member.ty)),
            TypeKind::Function { params, results } if seen.insert(ty) => open.extend(params.iter().chain(&**results)),
            _ if module.types.scalar_of(ty) == Some(scalar) => return true,
            _ => {}
        }
    }
    false
}

/// Whether a module has variables, parameters or values in which numbers of a type are a part.
pub fn is_used(module: &Module, scalar: Scalar) -> bool {
    first_use(module, scalar).is_some()
}

/// The place of the first variable, parameter or value in which numbers of a type are a part.
fn first_use(module: &Module, scalar: Scalar) -> Option<Span> {
    if !has_type(module, scalar) {
        return None;
    }
    let var = module.globals.iter().map(|&var| &module.vars[var]).find(|data| holds(module, data.ty, scalar));
    let in_function = || module.funcs.keys().find_map(|func| use_in(module, func, scalar));
    var.map(|data| data.span).or_else(in_function)
}

/// The first place in a function where numbers of a type are a part of a parameter, a value or a variable.
pub fn use_in(module: &Module, func: Func, scalar: Scalar) -> Option<Span> {
    if !has_type(module, scalar) {
        return None;
    }
    let function = &module.funcs[func];
    if holds(module, function.ty, scalar) {
        return Some(function.span);
    }
    let body = function.body.as_ref()?;
    let is_result = |(_, local): &(_, &planish_ir::function::LocalData)| holds(module, local.ty, scalar);
    if !body.locals().any(|local| is_result(&local)) {
        let variables = body.blocks.values().flat_map(|block| &block.variables);
        let var = variables.map(|&var| &module.vars[var]).find(|data| holds(module, data.ty, scalar))?;
        return Some(var.span);
    }
    let makes = |node| body.results(node).any(|result| holds(module, body.local_type(result), scalar));
    let node = body.nodes().find(|&(node, _)| makes(node));
    Some(node.map_or(function.span, |(_, data)| data.span))
}

fn has_type(module: &Module, scalar: Scalar) -> bool {
    module.types.iter().any(|(ty, _)| module.types.scalar_of(ty) == Some(scalar))
}

/// The error of a target that runs after `planish_opt::lower_halves`, so that it need not know 16-bit floats, in a module that still has them.
///
/// # Errors
/// E0602, with the place of the first use.
pub fn refuse_halves(module: &Module, target: &str) -> Result<(), Vec<Diagnostic>> {
    match first_use(module, Scalar::F16) {
        None => Ok(()),
        Some(span) => Err(vec![no_halves(target, span)]),
    }
}

/// The error of a target without 16-bit floats.
pub fn no_halves(target: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::E0602, span, format!("{target} has no 16-bit floats"))
        .help("`planish_opt::lower_halves` makes 32-bit floats of them, which are rounded")
}
