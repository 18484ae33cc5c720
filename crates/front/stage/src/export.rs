//! The exported function. What a host passes are scalars: vectors and matrices are put together and taken apart.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Type, Value};
use planish_ir::function::ResultType;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use crate::session::param;

/// Exports a function.
pub(crate) fn export(module: &mut Module, name: &str, func: Func) {
    let params: Vec<Type> = module.funcs[func].params.iter().map(|param| param.ty).collect();
    let results: Vec<Type> = module.funcs[func].results.iter().map(|result| result.ty).collect();
    let is_scalar = |ty: &Type| matches!(module.types[*ty], TypeKind::Scalar(_));
    let is_flat = params.iter().chain(&results).all(is_scalar);
    let func = if is_flat { func } else { on_scalars(module, name, func, &params, &results) };
    let properties = StageProperties::default();
    module.entry_points.push(EntryPoint { names: vec![name.into()], func, stage: None, properties });
}

/// A function on scalars that calls another one.
fn on_scalars(module: &mut Module, name: &str, func: Func, params: &[Type], results: &[Type]) -> Func {
    let span = module.funcs[func].span;
    let flat_params =
        scalars(module, params).into_iter().enumerate().map(|(index, ty)| param(index, ty, span)).collect();
    let result = |ty| ResultType { ty, precision: Precision::None };
    let flat_results = scalars(module, results).into_iter().map(result).collect();
    let wrapper = module.add_func(Name::new(name, NameSource::Temporary), flat_params, flat_results, Span::NONE);
    let mut b = Builder::new(module, wrapper, Policy::PLAIN);
    b.at(span);
    let mut rest =
        (0..b.module.funcs[wrapper].params.len()).map(|index| b.param(index)).collect::<Vec<Value>>().into_iter();
    let args: Vec<Value> = params.iter().map(|&ty| join(&mut b, ty, &mut rest)).collect();
    let values = b.call(func.into(), &args);
    let mut flat = Vec::new();
    for value in values {
        split(&mut b, value, &mut flat);
    }
    b.ret(&flat);
    b.finish();
    wrapper
}

fn scalars(module: &mut Module, types: &[Type]) -> Vec<Type> {
    let mut scalars = Vec::new();
    for &ty in types {
        let count = match module.types[ty] {
            TypeKind::Vector(_, size) => size.into(),
            TypeKind::Matrix { columns, rows, .. } => usize::from(columns) * usize::from(rows),
            _ => 1,
        };
        let scalar = module.types.scalar_of(ty).expect("values consist of scalars");
        scalars.extend(std::iter::repeat_n(module.types.scalar(scalar), count));
    }
    scalars
}

/// The value of a type that consists of the next scalars.
fn join(b: &mut Builder<'_, '_>, ty: Type, rest: &mut dyn Iterator<Item = Value>) -> Value {
    let (op, count) = match b.module.types[ty] {
        TypeKind::Vector(_, size) => (Op::ConstructVectorFromMultiple, size.into()),
        TypeKind::Matrix { columns, rows, .. } => {
            (Op::ConstructMatrixFromMultiple, usize::from(columns) * usize::from(rows))
        }
        _ => return rest.next().expect("a parameter for each scalar"),
    };
    let parts: Vec<Value> = rest.take(count).collect();
    b.op_typed(op, &parts, ty)
}

/// Adds the scalars of a value.
fn split(b: &mut Builder<'_, '_>, value: Value, out: &mut Vec<Value>) {
    let ty = b.type_of(value);
    let vectors = match b.module.types[ty] {
        TypeKind::Vector(..) => vec![value],
        TypeKind::Matrix { columns, .. } => (0..i32::from(columns))
            .map(|column| {
                let column = b.i32(column);
                b.op(Op::ExtractMatrixColumn, &[value, column])
            })
            .collect(),
        _ => return out.push(value),
    };
    for vector in vectors {
        let ty = b.type_of(vector);
        let size = b.module.types.part_count(ty).expect("it is a vector");
        out.extend((0..size).map(|index| b.op_imm(Op::ExtractVectorComponent, Imm::index(index), &[vector])));
    }
}
