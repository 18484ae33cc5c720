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

/// The error of a target that runs after `planish_opt::lower_small`, so that it need not know scalars of 8 and 16 bits, in a module that still
/// has some.
///
/// # Errors
/// E0602, with the place of the first use.
pub fn refuse_small(module: &Module, target: &str) -> Result<(), Vec<Diagnostic>> {
    let first = Scalar::SMALL.into_iter().find_map(|scalar| Some((scalar, first_use(module, scalar)?)));
    match first {
        None => Ok(()),
        Some((scalar, span)) => Err(vec![lacks(target, scalar, span)]),
    }
}

/// The error of a target without scalars of a type of 8 or 16 bits.
pub fn lacks(target: &str, scalar: Scalar, span: Span) -> Diagnostic {
    let text = format!("{target} has no {}", plural(scalar));
    Diagnostic::error(Code::E0602, span, text).help("`planish_opt::lower_small` makes 32-bit numbers of them")
}

/// The words of messages for numbers of 8 or 16 bits.
pub const fn plural(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F16 => "16-bit floats",
        Scalar::I8 | Scalar::U8 => "8-bit integers",
        _ => "16-bit integers",
    }
}
