//! Another type of numbers in place of one, wherever it is a part: the twins of types, constants, variables and signatures. A pass that does so
//! ([`crate::narrow_floats`], [`crate::lower_halves`], [`crate::lower_integers`]) adds what becomes of nodes.

use planish_ir::builder::{Builder, Policy};
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::entity::{Const, Func, Type, Value, ValueKind};
use planish_ir::meaning::convert;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::FxHashMap;

use crate::restage::{Stage, restage};

/// The replacements of types and constants of a module.
pub(crate) struct Retyped {
    /// Scalars and those in their place.
    scalars: Vec<(Scalar, Scalar)>,
    types: FxHashMap<Type, Type>,
    consts: FxHashMap<Const, Const>,
}

impl Retyped {
    /// Adds the twins to a module, and gives them to its variables and the signatures of its functions.
    pub(crate) fn new(module: &mut Module, scalars: &[(Scalar, Scalar)]) -> Self {
        let mut twins =
            Retyped { scalars: scalars.to_vec(), types: FxHashMap::default(), consts: FxHashMap::default() };
        // Types and constants are stored after their parts.
        let types: Vec<Type> = module.types.iter().map(|(ty, _)| ty).collect();
        for ty in types {
            twins.add_type(module, ty);
        }
        let consts: Vec<Const> = module.consts.iter().map(|(constant, _)| constant).collect();
        for constant in consts {
            twins.constant(module, constant);
        }
        for data in module.vars.values_mut() {
            (data.ty, data.pointer) = (twins.ty(data.ty), twins.ty(data.pointer));
            data.initializer =
                data.initializer.map(|constant| twins.consts.get(&constant).copied().unwrap_or(constant));
        }
        for function in module.funcs.values_mut() {
            function.params.iter_mut().for_each(|param| param.ty = twins.ty(param.ty));
            function.results.iter_mut().for_each(|result| result.ty = twins.ty(result.ty));
            function.ty = twins.ty(function.ty);
        }
        twins
    }

    /// The twin of a type; the type itself if there is none.
    pub(crate) fn ty(&self, ty: Type) -> Type {
        self.types.get(&ty).copied().unwrap_or(ty)
    }

    /// The twin of a value that is not local to a function.
    pub(crate) fn outer_value(&self, value: Value) -> Value {
        match value.kind() {
            ValueKind::Const(constant) => self.consts.get(&constant).map_or(value, |&twin| twin.into()),
            _ => value,
        }
    }

    /// Adds the twin of a type, if it has one.
    fn add_type(&mut self, module: &mut Module, ty: Type) {
        let twin = match module.types[ty].clone() {
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) | TypeKind::Matrix { scalar, .. } => {
                let Some(&(_, to)) = self.scalars.iter().find(|(from, _)| *from == scalar) else { return };
                module.types.with_scalar(ty, to)
            }
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
                let [from, to] = [data.ty, ty].map(|ty| module.types.scalar_of(ty).expect("a number"));
                module.consts.bits(ty, convert(bits, from, to))
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
}

/// The function on one scalar or vector of [`map_numbers`].
type OnNumbers<'f> = dyn Fn(&mut Builder<'_, '_>, Scalar, Value) -> Value + 'f;

/// A value of a type, perhaps of the twin of that, with a function on each of its scalars and vectors, whose component type in `ty` it gets.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn map_numbers(b: &mut Builder<'_, '_>, ty: Type, value: Value, f: &OnNumbers<'_>) -> Value {
    let (take, join) = match b.module.types[ty] {
        TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) => return f(b, scalar, value),
        TypeKind::Matrix { .. } => (Op::ExtractMatrixColumn, Op::ConstructMatrixFromMultiple),
        TypeKind::Array { .. } => (Op::ExtractArrayElement, Op::ConstructArray),
        TypeKind::Struct(_) => (Op::ExtractStructField, Op::ConstructStruct),
        _ => return value,
    };
    let parts: Vec<Value> = (0..b.module.types.part_count(ty).unwrap_or(0))
        .map(|i| {
            let part = match take {
                Op::ExtractStructField => b.op_imm(take, Imm::index(i), &[value]),
                _ => {
                    let index = b.u32(i);
                    b.op(take, &[value, index])
                }
            };
            let part_type = b.module.types.part(ty, i).expect("it has so many parts");
            map_numbers(b, part_type, part, f)
        })
        .collect();
    let whole = b.type_of(value);
    b.op_typed(join, &parts, whole)
}

/// Rewrites all bodies through the stage of a pass, in their own form.
pub(crate) fn bodies(module: &mut Module, stage: &mut dyn Stage) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let policy = Policy { form: body.form, ..Policy::PLAIN };
        restage(module, func, policy, stage);
    }
}
