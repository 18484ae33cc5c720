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

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Node, Type, Value, ValueKind};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use crate::restage::{Stage, restage};

/// Whether a module computes with `f64`.
pub fn is_needed(module: &Module) -> bool {
    let is_double = |ty: Type| holds_double(module, ty);
    module.globals.iter().any(|&var| is_double(module.vars[var].ty))
        || module.funcs.values().any(|function| {
            is_double(function.ty)
                || function.body.as_ref().is_some_and(|body| {
                    let variables = || body.blocks.values().flat_map(|block| &block.variables);
                    body.locals().any(|(_, local)| is_double(local.ty))
                        || variables().any(|&var| is_double(module.vars[var].ty))
                })
        })
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
    let mut narrow = Narrow::default();
    // Types and constants are stored after their parts.
    let types: Vec<Type> = module.types.iter().map(|(ty, _)| ty).collect();
    for ty in types {
        narrow.add_type(module, ty);
    }
    let consts: Vec<Const> = module.consts.iter().map(|(constant, _)| constant).collect();
    for constant in consts {
        narrow.constant(module, constant);
    }
    for data in module.vars.values_mut() {
        (data.ty, data.pointer) = (narrow.ty(data.ty), narrow.ty(data.pointer));
        data.initializer = data.initializer.map(|constant| narrow.consts.get(&constant).copied().unwrap_or(constant));
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
    let mut refuse = |message: String, span| errors.push(Diagnostic::error(Code::E0602, span, message));
    for &var in &module.globals {
        let data = &module.vars[var];
        let is_own = matches!(data.space, AddressSpace::Private | AddressSpace::Workgroup) && data.linkage.is_none();
        if !is_own && holds_double(module, data.ty) {
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
            if is_about_bits && operands.chain(results).any(|ty| holds_double(module, ty)) {
                refuse(format!("`{}` of an f64, for a target that has none", data.op.info().text), data.span);
            }
        }
    }
    errors
}

/// Whether a type has an `f64` as a part. Types are finite: none is part of itself.
fn holds_double(module: &Module, ty: Type) -> bool {
    let mut open = vec![ty];
    let mut seen = FxHashSet::default();
    while let Some(ty) = open.pop() {
        match &module.types[ty] {
            TypeKind::Pointer { pointee: part, .. }
            | TypeKind::Array { element: part, .. }
            | TypeKind::RuntimeArray { element: part } => open.push(*part),
            TypeKind::Struct(data) if seen.insert(ty) => open.extend(data.members.iter().map(|member| member.ty)),
            TypeKind::Function { params, results } if seen.insert(ty) => open.extend(params.iter().chain(&**results)),
            _ if module.types.scalar_of(ty) == Some(Scalar::F64) => return true,
            _ => {}
        }
    }
    false
}

/// The replacements of types and constants with `f64`s.
#[derive(Default)]
struct Narrow {
    types: FxHashMap<Type, Type>,
    consts: FxHashMap<Const, Const>,
}

impl Narrow {
    fn ty(&self, ty: Type) -> Type {
        self.types.get(&ty).copied().unwrap_or(ty)
    }

    /// Adds the type with `f32` for `f64`, if there is an `f64` in it.
    fn add_type(&mut self, module: &mut Module, ty: Type) {
        let twin = match module.types[ty].clone() {
            TypeKind::Scalar(Scalar::F64)
            | TypeKind::Vector(Scalar::F64, _)
            | TypeKind::Matrix { scalar: Scalar::F64, .. } => module.types.with_scalar(ty, Scalar::F32),
            TypeKind::Array { element, len } => module.types.array(self.ty(element), len),
            TypeKind::RuntimeArray { element } => {
                module.types.intern(TypeKind::RuntimeArray { element: self.ty(element) })
            }
            TypeKind::Struct(data) => {
                let mut data = (*data).clone();
                data.members.iter_mut().for_each(|member| member.ty = self.ty(member.ty));
                module.types.intern(TypeKind::Struct(data.into()))
            }
            TypeKind::Pointer { pointee, space } => module.types.pointer(self.ty(pointee), space),
            TypeKind::Function { params, results } => {
                let [params, results] =
                    [params, results].map(|list| list.iter().map(|&ty| self.ty(ty)).collect::<Vec<_>>());
                module.types.function(&params, &results)
            }
            _ => return,
        };
        if twin != ty {
            self.types.insert(ty, twin);
        }
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
            // References and bits that are no number are the same in another type.
            value @ (ConstValue::Wide(_) | ConstValue::Null) => module.consts.intern(ConstData { ty, value }),
        };
        self.consts.insert(constant, twin);
    }

    fn signature(&self, module: &mut Module, func: Func) {
        let function = &mut module.funcs[func];
        function.params.iter_mut().for_each(|param| param.ty = self.ty(param.ty));
        function.results.iter_mut().for_each(|result| result.ty = self.ty(result.ty));
        function.ty = self.ty(function.ty);
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
