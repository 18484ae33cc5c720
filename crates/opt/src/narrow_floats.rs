//! Makes `f32` of `f64`, for targets without the latter.
//!
//! ```text
//! before: fn @f(%x: f64) -> (f64)              after: fn @f(%x: f32) -> (f32)
//!           %1 = multiply %x, 0.1d                      %1 = multiply %x, 0.1
//!           %2: f32 = convert %1                        (%1 is used)
//! ```
//!
//! Results change: every operation rounds to `f32`, and so does every constant. So it runs only where the language says that its
//! reals are `f32` if the target has no other (VL). Holds before: a valid module. Scalars, vectors and matrices are narrowed;
//! `f64`s in memory and ops on their bits are an error.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Node, Type, Value, ValueKind};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::restage::{Stage, restage};

/// Whether a module computes with `f64`.
pub fn is_needed(module: &Module) -> bool {
    let is_double = |ty: Type| module.types.scalar_of(ty) == Some(Scalar::F64);
    module.funcs.values().any(|function| {
        function.params.iter().any(|p| is_double(p.ty))
            || function.results.iter().any(|r| is_double(r.ty))
            || function.body.as_ref().is_some_and(|body| body.locals().any(|(_, local)| is_double(local.ty)))
    })
}

/// Runs on the whole module.
///
/// # Errors
/// Where `f64`s are in memory, or their bits are looked at.
pub fn run(module: &mut Module) -> Result<(), Vec<Diagnostic>> {
    let errors = obstacles(module);
    if !errors.is_empty() {
        return Err(errors);
    }
    let types: Vec<Type> = module.types.iter().map(|(ty, _)| ty).collect();
    let mut narrow = Narrow::default();
    for ty in types {
        if let Some(twin) = twin(module, ty) {
            narrow.types.insert(ty, twin);
        }
    }
    // A composite comes behind its parts.
    let consts: Vec<Const> = module.consts.iter().map(|(constant, _)| constant).collect();
    for constant in consts {
        narrow.constant(module, constant);
    }
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for &func in &funcs {
        narrow.signature(module, func);
    }
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let policy = Policy { form: body.form, ..Policy::PLAIN };
        restage(module, func, policy, &mut narrow);
    }
    Ok(())
}

fn obstacles(module: &Module) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        for (node, data) in body.nodes() {
            let touches =
                body.args(node).iter().map(|&arg| module.type_of(body, arg)).any(|ty| holds_double(module, ty));
            let is_about_bits = matches!(data.op, Op::Bitcast | Op::PackDouble2x32 | Op::UnpackDouble2x32) && touches;
            let is_memory = matches!(data.op, Op::Load | Op::Store) && touches && !is_plain(module, body, node);
            if is_about_bits || is_memory {
                let message = format!("`{}` of an f64, for a target that has none", data.op.info().text);
                errors.push(Diagnostic::error(Code::E0602, data.span, message));
            }
        }
    }
    errors
}

/// Whether a load or store has no `f64` behind its pointer.
fn is_plain(module: &Module, body: &Body, node: Node) -> bool {
    let pointer = module.type_of(body, body.args(node)[0]);
    !matches!(module.types[pointer], TypeKind::Pointer { pointee, .. } if holds_double(module, pointee))
}

fn holds_double(module: &Module, ty: Type) -> bool {
    match &module.types[ty] {
        TypeKind::Pointer { pointee, .. } => holds_double(module, *pointee),
        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => holds_double(module, *element),
        TypeKind::Struct(data) => data.members.iter().any(|member| holds_double(module, member.ty)),
        _ => module.types.scalar_of(ty) == Some(Scalar::F64),
    }
}

/// The type with `f32` for `f64`, if it is one of those.
fn twin(module: &mut Module, ty: Type) -> Option<Type> {
    Some(match module.types[ty] {
        TypeKind::Scalar(Scalar::F64) => Type::F32,
        TypeKind::Vector(Scalar::F64, size) => module.types.vector(Scalar::F32, size),
        TypeKind::Matrix { scalar: Scalar::F64, columns, rows } => module.types.matrix(Scalar::F32, columns, rows),
        _ => return None,
    })
}

/// What stands for types and constants with `f64`s.
#[derive(Default)]
struct Narrow {
    types: FxHashMap<Type, Type>,
    consts: FxHashMap<Const, Const>,
}

impl Narrow {
    fn ty(&self, ty: Type) -> Type {
        self.types.get(&ty).copied().unwrap_or(ty)
    }

    fn constant(&mut self, module: &mut Module, constant: Const) {
        let data = module.consts[constant].clone();
        let Some(&ty) = self.types.get(&data.ty) else { return };
        let twin = match data.value {
            ConstValue::Bits(bits) => {
                let narrow = planish_ir::meaning::convert(bits, Scalar::F64, Scalar::F32);
                module.consts.bits(ty, narrow)
            }
            ConstValue::Composite(parts) => {
                let parts: Vec<Const> =
                    parts.iter().map(|part| self.consts.get(part).copied().unwrap_or(*part)).collect();
                module.consts.composite(ty, parts)
            }
            _ => return,
        };
        self.consts.insert(constant, twin);
    }

    fn signature(&self, module: &mut Module, func: Func) {
        let function = &mut module.funcs[func];
        function.params.iter_mut().for_each(|param| param.ty = self.ty(param.ty));
        function.results.iter_mut().for_each(|result| result.ty = self.ty(result.ty));
        let params: Vec<Type> = function.params.iter().map(|param| param.ty).collect();
        let results: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
        function.ty = module.types.function(&params, &results);
    }
}

impl Stage for Narrow {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        let ty = old.result(node).map(|result| self.ty(old.local_type(result)));
        if data.op == Op::ConstructScalarFromScalar && ty == Some(builder.type_of(args[0])) {
            return smallvec![args[0]];
        }
        builder.set_precise(data.precise);
        builder.make_all(Request { op: data.op, imm: data.imm, args, ty, precision: Some(data.precision) })
    }

    fn input_type(&self, ty: Type) -> Type {
        self.ty(ty)
    }

    fn outer_value(&mut self, value: Value) -> Value {
        match value.kind() {
            ValueKind::Const(constant) => self.consts.get(&constant).map_or(value, |&twin| twin.into()),
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::source::SourceMap;

    #[test]
    fn doubles_become_floats() {
        let text = "module vl\n\nfn @f(%0 x: f64) -> (f64, f32) {\nb0:\n  %1 = multiply %0, 0.1d\n  %2: f32 = construct_scalar_from_scalar %1\n  return %1, %2\n}\n";
        let file = SourceMap::new().add("a.ir", text).expect("small");
        let mut module = planish_ir::text::parse(&file).expect("valid");
        assert!(is_needed(&module));
        run(&mut module).expect("plain arithmetic");
        assert!(planish_ir::verify::verify(&module).is_empty());
        let printed = planish_ir::text::print(&module);
        assert!(printed.contains("fn @f(%0 x: f32) -> (f32, f32)"), "{printed}");
        assert!(printed.contains("%1 = multiply %0, 0.1\n  return %1, %1"), "{printed}");
        assert!(!is_needed(&module));
    }
}
