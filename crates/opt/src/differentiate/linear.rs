//! Derivatives of ops that make and take apart vectors and matrices, and of their algebra.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use super::rules::{Needs, Primal, number, times};

/// Needs of the change of an operand.
pub(super) fn needs(op: Op, operand: usize) -> Needs {
    match op {
        Op::Dot
        | Op::Cross
        | Op::MatrixTimesScalar
        | Op::MatrixTimesVector
        | Op::VectorTimesMatrix
        | Op::MatrixTimesMatrix
        | Op::OuterProduct => Needs::of_args(1 << (1 - operand)),
        Op::Length | Op::Normalize => Needs { args: 1, result: true },
        Op::Distance => Needs { args: 3, result: true },
        Op::Determinant => Needs { args: 1, result: true },
        Op::Inverse => Needs { args: 0, result: true },
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn => Needs::of_args(2),
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn => Needs::of_args(4),
        _ => Needs::default(),
    }
}

/// The scalars of a value.
/// Recursion: of a matrix into its columns.
pub(super) fn scalars(b: &mut Builder<'_, '_>, value: Value) -> Vec<Value> {
    match b.module.types[b.type_of(value)] {
        TypeKind::Vector(_, n) => (0..n).map(|lane| b.swizzle(value, &[lane])).collect(),
        TypeKind::Matrix { columns, .. } => (0..columns)
            .flat_map(|column| {
                let index = b.i32(column.into());
                let column = b.op(Op::ExtractMatrixColumn, &[value, index]);
                scalars(b, column)
            })
            .collect(),
        _ => vec![value],
    }
}

/// A value of its scalars.
fn composed(b: &mut Builder<'_, '_>, ty: Type, scalars: &[Value]) -> Value {
    match b.module.types[ty] {
        TypeKind::Vector(..) => b.op_typed(Op::ConstructVectorFromMultiple, scalars, ty),
        TypeKind::Matrix { .. } => b.op_typed(Op::ConstructMatrixFromMultiple, scalars, ty),
        _ => b.convert(scalars[0], ty),
    }
}

/// A scalar in each component of a value of a type.
fn splat(b: &mut Builder<'_, '_>, ty: Type, scalar: Value) -> Value {
    if b.type_of(scalar) == ty { scalar } else { b.op_typed(Op::ConstructVectorFromScalar, &[scalar], ty) }
}

fn total(b: &mut Builder<'_, '_>, x: Value) -> Value {
    let parts = scalars(b, x);
    parts.into_iter().reduce(|sum, part| b.op(Op::Add, &[sum, part])).expect("a value has scalars")
}

fn transposed(b: &mut Builder<'_, '_>, matrix: Value) -> Value {
    b.op(Op::Transpose, &[matrix])
}

fn negated(b: &mut Builder<'_, '_>, x: Value) -> Value {
    b.op(Op::Negate, &[x])
}

/// The change of the result by that of one operand, where the others stay.
pub(super) fn tangent(
    source: &Body,
    node: Node,
    operand: usize,
    t: Value,
    primal: &mut dyn Primal,
    b: &mut Builder<'_, '_>,
) -> Value {
    let data = *source.node(node);
    let ty = source.result(node).map(|result| source.local_type(result)).expect("a result");
    match data.op {
        Op::Dot | Op::Cross | Op::OuterProduct | Op::MatrixTimesScalar => {
            let other = primal.arg(1 - operand, b);
            b.op(data.op, &if operand == 0 { [t, other] } else { [other, t] })
        }
        Op::MatrixTimesVector | Op::VectorTimesMatrix | Op::MatrixTimesMatrix => {
            let other = primal.arg(1 - operand, b);
            b.op(data.op, &if operand == 0 { [t, other] } else { [other, t] })
        }
        Op::Length | Op::Distance => {
            let (direction, length) = (direction(data.op, operand, primal, b), primal.result(b));
            let along = if b.type_of(t) == ty { times(b, direction, t) } else { b.op(Op::Dot, &[direction, t]) };
            b.op(Op::Divide, &[along, length])
        }
        Op::Normalize => normalized(t, primal, b),
        Op::Determinant => {
            let (x, det) = (primal.arg(0, b), primal.result(b));
            let inverse = b.op(Op::Inverse, &[x]);
            let transposed = transposed(b, inverse);
            let products = times(b, transposed, t);
            let trace = total(b, products);
            b.op(Op::Multiply, &[det, trace])
        }
        Op::Inverse => {
            let y = primal.result(b);
            let left = b.op(Op::MatrixTimesMatrix, &[y, t]);
            let product = b.op(Op::MatrixTimesMatrix, &[left, y]);
            negated(b, product)
        }
        _ => {
            let mut tangents = vec![None; source.args(node).len()];
            tangents[operand] = Some(t);
            together(source, node, &tangents, primal, b)
        }
    }
}

/// Whether an op is linear in all operands that are no indices, together.
pub(super) fn is_linear_together(op: Op) -> bool {
    needs(op, 0) == needs(op, 1) && !needs(op, 0).result || is_index(op, 1) || is_index(op, 2)
}

/// The change of the result of an op that is linear in all operands together.
pub(super) fn together(
    source: &Body,
    node: Node,
    tangents: &[Option<Value>],
    primal: &mut dyn Primal,
    b: &mut Builder<'_, '_>,
) -> Value {
    let data = *source.node(node);
    let ty = source.result(node).map(|result| source.local_type(result)).expect("a result");
    if let (Op::ConstructMatrixFromMatrix, &[Some(tangent)]) = (data.op, tangents) {
        // (The identity that fills up does not change.)
        let (from, map) = (scalars(b, tangent), sources(source, node, data.op, b));
        let scalar = b.type_of(from[0]);
        let nothing = number(b, scalar, 0.0);
        let all: Vec<Value> = map.iter().map(|at| at.map_or(nothing, |(_, part)| from[part])).collect();
        return composed(b, ty, &all);
    }
    let operands = source.args(node).iter().zip(tangents).enumerate();
    let args: Vec<Value> = operands
        .map(|(index, (&arg, tangent))| match tangent {
            Some(tangent) => *tangent,
            None if is_index(data.op, index) => primal.arg(index, b),
            None => {
                let ty = b.module.type_of(source, arg);
                let module = &mut *b.module;
                module.consts.zero(&mut module.types, ty).expect("numbers").into()
            }
        })
        .collect();
    b.make(Request::new(data.op, &args).imm(data.imm).ty(ty))
}

fn is_index(op: Op, operand: usize) -> bool {
    match op {
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn => operand == 1,
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn => operand == 2,
        _ => false,
    }
}

/// The direction that a length or a distance grows in.
fn direction(op: Op, operand: usize, primal: &mut dyn Primal, b: &mut Builder<'_, '_>) -> Value {
    let x = primal.arg(0, b);
    if op == Op::Length {
        return x;
    }
    let y = primal.arg(1, b);
    b.op(Op::Subtract, &if operand == 0 { [x, y] } else { [y, x] })
}

/// `(t - y (y · t)) / |x|`, of `y = x / |x|`: its own transpose.
fn normalized(t: Value, primal: &mut dyn Primal, b: &mut Builder<'_, '_>) -> Value {
    let (x, y) = (primal.arg(0, b), primal.result(b));
    let ty = b.type_of(x);
    let length = b.op(Op::Length, &[x]);
    let products = times(b, y, t);
    let along = total(b, products);
    let (along, length) = (splat(b, ty, along), splat(b, ty, length));
    let parallel = times(b, y, along);
    let rest = b.op(Op::Subtract, &[t, parallel]);
    b.op(Op::Divide, &[rest, length])
}

/// The adjoint of an operand by that of the result.
pub(super) fn adjoint(
    source: &Body,
    node: Node,
    operand: usize,
    ty: Type,
    t: Value,
    primal: &mut dyn Primal,
    b: &mut Builder<'_, '_>,
) -> Value {
    let data = *source.node(node);
    match data.op {
        Op::Dot => {
            let (t, other) = (splat(b, ty, t), primal.arg(1 - operand, b));
            times(b, other, t)
        }
        Op::Length | Op::Distance => {
            let (direction, length) = (direction(data.op, operand, primal, b), primal.result(b));
            let factor = b.op(Op::Divide, &[t, length]);
            let factor = splat(b, ty, factor);
            times(b, direction, factor)
        }
        Op::Normalize => normalized(t, primal, b),
        Op::Cross => {
            let other = primal.arg(1 - operand, b);
            b.op(Op::Cross, &if operand == 0 { [other, t] } else { [t, other] })
        }
        Op::HorizontalAdd => splat(b, ty, t),
        Op::Transpose => transposed(b, t),
        Op::Determinant => {
            let (x, det) = (primal.arg(0, b), primal.result(b));
            let inverse = b.op(Op::Inverse, &[x]);
            let (cofactors, factor) = (transposed(b, inverse), b.op(Op::Multiply, &[det, t]));
            b.op(Op::MatrixTimesScalar, &[cofactors, factor])
        }
        Op::Inverse => {
            let y = primal.result(b);
            let y = transposed(b, y);
            let left = b.op(Op::MatrixTimesMatrix, &[y, t]);
            let product = b.op(Op::MatrixTimesMatrix, &[left, y]);
            negated(b, product)
        }
        Op::MatrixTimesScalar
        | Op::MatrixTimesVector
        | Op::VectorTimesMatrix
        | Op::MatrixTimesMatrix
        | Op::OuterProduct => product(data.op, operand, t, primal, b),
        _ => parts(source, node, operand, ty, t, primal, b),
    }
}

/// The adjoint of a factor of a product with a matrix.
fn product(op: Op, operand: usize, t: Value, primal: &mut dyn Primal, b: &mut Builder<'_, '_>) -> Value {
    let other = primal.arg(1 - operand, b);
    match (op, operand) {
        (Op::MatrixTimesScalar, 0) => b.op(op, &[t, other]),
        (Op::MatrixTimesScalar, _) => {
            let products = times(b, other, t);
            total(b, products)
        }
        (Op::MatrixTimesVector, 0) => b.op(Op::OuterProduct, &[t, other]),
        (Op::MatrixTimesVector, _) => b.op(Op::VectorTimesMatrix, &[t, other]),
        (Op::VectorTimesMatrix, 0) => b.op(Op::MatrixTimesVector, &[other, t]),
        (Op::VectorTimesMatrix, _) => b.op(Op::OuterProduct, &[other, t]),
        (Op::OuterProduct, 0) => b.op(Op::MatrixTimesVector, &[t, other]),
        (Op::OuterProduct, _) => b.op(Op::VectorTimesMatrix, &[other, t]),
        (_, 0) => {
            let other = transposed(b, other);
            b.op(Op::MatrixTimesMatrix, &[t, other])
        }
        _ => {
            let other = transposed(b, other);
            b.op(Op::MatrixTimesMatrix, &[other, t])
        }
    }
}

/// The adjoint of what a value is put together of, or taken out of.
fn parts(
    source: &Body,
    node: Node,
    operand: usize,
    ty: Type,
    t: Value,
    primal: &mut dyn Primal,
    b: &mut Builder<'_, '_>,
) -> Value {
    let data = *source.node(node);
    let zero = |b: &mut Builder<'_, '_>, ty| number(b, ty, 0.0);
    match data.op {
        Op::ExtractVectorComponent => {
            let zero = zero(b, ty);
            b.op_imm(Op::InsertVectorComponent, data.imm, &[zero, t])
        }
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn => {
            let (zero, index) = (zero(b, ty), primal.arg(1, b));
            let is_matrix = data.op == Op::ExtractMatrixColumn;
            let op = if is_matrix { Op::InsertMatrixColumn } else { Op::InsertVectorComponentDynamic };
            b.op(op, &[zero, t, index])
        }
        Op::InsertVectorComponent => match operand {
            0 => {
                let scalar = b.module.types.scalar_of(ty).expect("a vector");
                let scalar = b.module.types.scalar(scalar);
                let zero = zero(b, scalar);
                b.op_imm(data.op, data.imm, &[t, zero])
            }
            _ => b.op_imm(Op::ExtractVectorComponent, data.imm, &[t]),
        },
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn => {
            let index = primal.arg(2, b);
            let is_matrix = data.op == Op::InsertMatrixColumn;
            if operand == 0 {
                let part = b.module.types.part(ty, 0).expect("a composite");
                let zero = zero(b, part);
                return b.op(data.op, &[t, zero, index]);
            }
            let op = if is_matrix { Op::ExtractMatrixColumn } else { Op::ExtractVectorComponentDynamic };
            b.op(op, &[t, index])
        }
        op => {
            let scalar = b.module.types.scalar_of(ty).expect("numbers");
            let scalar = b.module.types.scalar(scalar);
            let from = scalars(b, t);
            let map = sources(source, node, op, b);
            let count = planish_ir::meaning::Shape::components(&b.module.types, ty).expect("numbers");
            let sum = |part: usize, b: &mut Builder<'_, '_>| {
                let uses = map.iter().zip(&from).filter(|(at, _)| **at == Some((operand, part))).map(|(_, &t)| t);
                let uses: Vec<Value> = uses.collect();
                let sum = uses.into_iter().reduce(|sum, t| b.op(Op::Add, &[sum, t]));
                match sum {
                    Some(sum) => b.convert(sum, scalar),
                    None => number(b, scalar, 0.0),
                }
            };
            let sums: Vec<Value> = (0..count).map(|part| sum(part, b)).collect();
            composed(b, ty, &sums)
        }
    }
}

/// For each scalar of a result, the operand and the number of the scalar of it that it is; `None`: a constant.
fn sources(source: &Body, node: Node, op: Op, b: &Builder<'_, '_>) -> Vec<Option<(usize, usize)>> {
    let components = |ty| planish_ir::meaning::Shape::components(&b.module.types, ty).expect("numbers");
    let result = source.result(node).map(|result| source.local_type(result)).expect("a result");
    let count = components(result);
    match op {
        Op::ConstructVectorFromScalar => vec![Some((0, 0)); count],
        Op::ConstructMatrixFromScalar => {
            let TypeKind::Matrix { rows, .. } = b.module.types[result] else { return vec![None; count] };
            let rows = usize::from(rows);
            (0..count).map(|at| (at / rows == at % rows).then_some((0, 0))).collect()
        }
        Op::ConstructMatrixFromMatrix => {
            let of = b.module.type_of(source, source.args(node)[0]);
            let (TypeKind::Matrix { rows, .. }, TypeKind::Matrix { columns, rows: from, .. }) =
                (&b.module.types[result], &b.module.types[of])
            else {
                return vec![None; count];
            };
            let (rows, columns, from) = (usize::from(*rows), usize::from(*columns), usize::from(*from));
            let place =
                |at: usize| (at / rows < columns && at % rows < from).then(|| (0, at / rows * from + at % rows));
            (0..count).map(place).collect()
        }
        Op::ExtractVectorComponentMulti => {
            source.node(node).imm.as_lanes().iter().map(|lane| Some((0, usize::from(lane)))).collect()
        }
        _ => {
            let args = source.args(node).iter().enumerate();
            let all = args.flat_map(|(arg, &value)| {
                let ty = b.module.type_of(source, value);
                (0..components(ty)).map(move |part| Some((arg, part)))
            });
            all.take(count).collect()
        }
    }
}
