//! Vectors as geometry, and matrices, in the sequences of `docs/numerics.md`.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op, infer};
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::composites::{components, compose, divided};
use super::{Legalizer, float};

/// The components of a value.
pub(crate) type Parts = SmallVec<[Value; 4]>;

/// The value of an op on scalars, vectors or matrices.
pub(super) fn expand(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
    if !is_known(request.op) {
        return None;
    }
    let types: Vec<Type> = request.args.iter().map(|&arg| b.type_of(arg)).collect();
    let &[result] = &infer(&mut b.module.types, request.op, Imm::NONE, &types, None).ok()?[..] else { return None };
    let parts: Vec<Parts> = request.args.iter().map(|&arg| components(b, arg)).collect();
    if request.op == Op::Inverse {
        let n = b.module.types.part_count(result)? as usize;
        let whole = determinant(b, &parts[0], n);
        let cofactors = cofactors(b, &parts[0], n);
        return divided(l, b, result, &cofactors, whole);
    }
    let extreme = match request.op {
        Op::HorizontalMin => Some(Op::Min),
        Op::HorizontalMax => Some(Op::Max),
        _ => None,
    };
    // A minimum may have an expansion of its own.
    if let Some(op) = extreme {
        let (&first, others) = parts[0].split_first()?;
        return others.iter().try_fold(first, |all, &part| l.op(b, op, &[all, part]));
    }
    let made = lower(b, request.op, &types, &parts)?;
    compose(l, b, result, &made)
}

fn is_known(op: Op) -> bool {
    matches!(
        op,
        Op::Length
            | Op::HorizontalAdd
            | Op::HorizontalMin
            | Op::HorizontalMax
            | Op::Distance
            | Op::Dot
            | Op::Normalize
            | Op::Cross
            | Op::Reflect
            | Op::Refract
            | Op::FaceForward
            | Op::OuterProduct
            | Op::Transpose
            | Op::Determinant
            | Op::Inverse
            | Op::MatrixTimesVector
            | Op::VectorTimesMatrix
            | Op::MatrixTimesMatrix
    )
}

/// The components of the result of an op on operands of these types, given by components; `None` if it is none of these.
pub(crate) fn lower(b: &mut Builder<'_, '_>, op: Op, types: &[Type], parts: &[Parts]) -> Option<Parts> {
    let shape = |b: &Builder<'_, '_>, i: usize| match b.module.types[types[i]] {
        TypeKind::Matrix { columns, rows, .. } => Some((usize::from(columns), usize::from(rows))),
        _ => None,
    };
    // A component is a vector where each has a value for every lane.
    let scalar = b.type_of(*parts.first()?.first()?);
    let x = |i: usize| &parts[i][..];
    let one = |value: Value| Some(std::iter::once(value).collect());
    match op {
        Op::Length => {
            let length = length(b, x(0));
            one(length)
        }
        Op::HorizontalAdd => one(sum(b, x(0).to_vec())),
        Op::HorizontalMin => one(joined(b, Op::Min, x(0).to_vec())),
        Op::HorizontalMax => one(joined(b, Op::Max, x(0).to_vec())),
        Op::Distance => {
            let difference = zip(b, Op::Subtract, x(0), x(1));
            one(length(b, &difference))
        }
        Op::Dot => one(dot(b, x(0), x(1))),
        Op::Normalize => {
            let length = length(b, x(0));
            Some(x(0).iter().map(|&v| b.op(Op::Divide, &[v, length])).collect())
        }
        Op::Cross => {
            let mut out = Parts::new();
            for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                let left = b.op(Op::Multiply, &[x(0)[i], x(1)[j]]);
                let right = b.op(Op::Multiply, &[x(1)[i], x(0)[j]]);
                out.push(b.op(Op::Subtract, &[left, right]));
            }
            Some(out)
        }
        Op::Reflect => {
            let two = float(b, scalar, 2.0);
            let along = dot(b, x(1), x(0));
            let twice = b.op(Op::Multiply, &[two, along]);
            let part: Parts = x(1).iter().map(|&n| b.op(Op::Multiply, &[twice, n])).collect();
            Some(zip(b, Op::Subtract, x(0), &part))
        }
        Op::Refract => Some(refract(b, scalar, x(0), x(1), x(2)[0])),
        Op::FaceForward => {
            let along = dot(b, x(2), x(1));
            let zero = float(b, scalar, 0.0);
            let keep = b.op(Op::LessThan, &[along, zero]);
            let flip = |b: &mut Builder<'_, '_>, n: Value| {
                let negative = b.op(Op::Negate, &[n]);
                b.op(Op::Select, &[keep, n, negative])
            };
            Some(x(0).iter().map(|&n| flip(b, n)).collect())
        }
        Op::OuterProduct => {
            let pairs = x(1).iter().flat_map(|&r| x(0).iter().map(move |&c| (c, r)));
            Some(pairs.map(|(c, r)| b.op(Op::Multiply, &[c, r])).collect())
        }
        Op::Transpose => {
            let (columns, rows) = shape(b, 0)?;
            Some((0..rows).flat_map(|r| (0..columns).map(move |c| (c, r))).map(|(c, r)| x(0)[c * rows + r]).collect())
        }
        Op::Determinant => {
            let n = shape(b, 0)?.0;
            one(determinant(b, x(0), n))
        }
        Op::Inverse => {
            let n = shape(b, 0)?.0;
            let whole = determinant(b, x(0), n);
            let cofactors = cofactors(b, x(0), n);
            Some(cofactors.into_iter().map(|cofactor| b.op(Op::Divide, &[cofactor, whole])).collect())
        }
        Op::MatrixTimesVector => {
            let rows = shape(b, 0)?.1;
            Some(times(b, x(0), rows, x(1)))
        }
        Op::VectorTimesMatrix => {
            let rows = shape(b, 1)?.1;
            Some(x(1).chunks(rows).map(|column| dot(b, x(0), column)).collect())
        }
        Op::MatrixTimesMatrix => {
            let (rows, inner) = (shape(b, 0)?.1, shape(b, 1)?.1);
            let columns: Vec<Parts> = x(1).chunks(inner).map(|column| times(b, x(0), rows, column)).collect();
            Some(columns.into_iter().flatten().collect())
        }
        _ => None,
    }
}

fn zip(b: &mut Builder<'_, '_>, op: Op, x: &[Value], y: &[Value]) -> Parts {
    x.iter().zip(y).map(|(&x, &y)| b.op(op, &[x, y])).collect()
}

/// From the first term on.
fn sum(b: &mut Builder<'_, '_>, terms: Vec<Value>) -> Value {
    joined(b, Op::Add, terms)
}

/// By an op, from the first part on.
fn joined(b: &mut Builder<'_, '_>, op: Op, parts: Vec<Value>) -> Value {
    let all = parts.into_iter().reduce(|all, part| b.op(op, &[all, part]));
    all.expect("a vector has components")
}

fn dot(b: &mut Builder<'_, '_>, x: &[Value], y: &[Value]) -> Value {
    let products = zip(b, Op::Multiply, x, y);
    sum(b, products.into_vec())
}

fn length(b: &mut Builder<'_, '_>, x: &[Value]) -> Value {
    if let [x] = *x {
        return b.op(Op::Abs, &[x]);
    }
    let square = dot(b, x, x);
    b.op(Op::Sqrt, &[square])
}

fn refract(b: &mut Builder<'_, '_>, scalar: Type, i: &[Value], n: &[Value], eta: Value) -> Parts {
    let (zero, one) = (float(b, scalar, 0.0), float(b, scalar, 1.0));
    let d = dot(b, n, i);
    let dd = b.op(Op::Multiply, &[d, d]);
    let rest = b.op(Op::Subtract, &[one, dd]);
    let squared = b.op(Op::Multiply, &[eta, eta]);
    let part = b.op(Op::Multiply, &[squared, rest]);
    let k = b.op(Op::Subtract, &[one, part]);
    let total = b.op(Op::LessThan, &[k, zero]);
    let root = b.op(Op::Sqrt, &[k]);
    let eta_d = b.op(Op::Multiply, &[eta, d]);
    let along = b.op(Op::Add, &[eta_d, root]);
    let mut out = Parts::new();
    for (&i, &n) in i.iter().zip(n) {
        let left = b.op(Op::Multiply, &[eta, i]);
        let right = b.op(Op::Multiply, &[along, n]);
        let value = b.op(Op::Subtract, &[left, right]);
        out.push(b.op(Op::Select, &[total, zero, value]));
    }
    out
}

/// Matrix (by columns of `rows`) times column vector.
fn times(b: &mut Builder<'_, '_>, m: &[Value], rows: usize, v: &[Value]) -> Parts {
    let mut out = Parts::new();
    for row in 0..rows {
        let products: Vec<Value> =
            v.iter().enumerate().map(|(column, &x)| b.op(Op::Multiply, &[m[column * rows + row], x])).collect();
        out.push(sum(b, products));
    }
    out
}

fn minor(m: &[Value], n: usize, column: usize, row: usize) -> Vec<Value> {
    (0..n * n).filter(|i| i / n != column && i % n != row).map(|i| m[i]).collect()
}

/// Expansion along the first column; the terms are added from the first on with alternating sign.
/// Recursion: at most 4 rows.
fn determinant(b: &mut Builder<'_, '_>, m: &[Value], n: usize) -> Value {
    match n {
        1 => m[0],
        2 => {
            let left = b.op(Op::Multiply, &[m[0], m[3]]);
            let right = b.op(Op::Multiply, &[m[2], m[1]]);
            b.op(Op::Subtract, &[left, right])
        }
        _ => {
            let mut total = None;
            for row in 0..n {
                let inner = determinant(b, &minor(m, n, 0, row), n - 1);
                let term = b.op(Op::Multiply, &[m[row], inner]);
                total = Some(match total {
                    None => term,
                    Some(sum) => b.op(if row % 2 == 1 { Op::Subtract } else { Op::Add }, &[sum, term]),
                });
            }
            total.expect("a matrix has rows")
        }
    }
}

/// The transposed cofactors of a square matrix.
fn cofactors(b: &mut Builder<'_, '_>, m: &[Value], n: usize) -> Parts {
    let mut out = Parts::new();
    for i in 0..n * n {
        let (column, row) = (i % n, i / n);
        let cofactor = determinant(b, &minor(m, n, column, row), n - 1);
        out.push(if (column + row) % 2 == 1 { b.op(Op::Negate, &[cofactor]) } else { cofactor });
    }
    out
}
