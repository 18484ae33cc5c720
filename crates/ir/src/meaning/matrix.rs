//! Vectors as geometry, and matrices: each op a fixed sequence of roundings in the operands' own type, so that every
//! engine can give the same bits. Sums go from the first term on; nothing is fused.

use smallvec::SmallVec;

use super::float::{max, min};
use super::half::Half;
use super::kernel::{Component, Real};
use super::{Fault, Operand};
use crate::entity::Type;
use crate::ops::Op;
use crate::types::{Scalar, TypeKind, Types};

type Column<T> = SmallVec<[T; 16]>;

/// A geometric or matrix op.
pub(super) fn algebra(types: &Types, op: Op, args: &[Operand<'_>], out: &mut Vec<u64>) -> Result<(), Fault> {
    let scalar = args.first().and_then(|a| types.scalar_of(a.ty));
    let result = match scalar {
        Some(Scalar::F16) => compute::<Half>(types, op, args),
        Some(Scalar::F32) => compute::<f32>(types, op, args),
        Some(Scalar::F64) => compute::<f64>(types, op, args),
        _ => None,
    };
    out.extend(result.ok_or(Fault::NoMeaning)?);
    Ok(())
}

fn compute<T: Real>(types: &Types, op: Op, args: &[Operand<'_>]) -> Option<SmallVec<[u64; 16]>> {
    let values: SmallVec<[Column<T>; 3]> = args.iter().map(|a| a.bits.iter().map(|&b| T::get(b)).collect()).collect();
    let shape = |i: usize| shape(types, args[i].ty);
    let result: Column<T> = match (op, values.as_slice()) {
        (Op::Length, [x]) => one(length(x)),
        (Op::HorizontalAdd, [x]) => one(sum(x.iter().copied())),
        (Op::HorizontalMin, [x]) => one(x.iter().copied().reduce(min)?),
        (Op::HorizontalMax, [x]) => one(x.iter().copied().reduce(max)?),
        (Op::Distance, [x, y]) => one(length(&zip(x, y, |x, y| x - y))),
        (Op::Dot, [x, y]) => one(dot(x, y)),
        (Op::Normalize, [x]) => {
            let length = length(x);
            x.iter().map(|&x| x / length).collect()
        }
        (Op::Cross, [x, y]) => cross(x, y),
        (Op::Reflect, [i, n]) => {
            let twice = T::of(2.0) * dot(n, i);
            zip(i, n, |i, n| i - twice * n)
        }
        (Op::Refract, [i, n, eta]) => refract(i, n, eta[0]),
        (Op::FaceForward, [n, i, reference]) => {
            let keep = dot(reference, i) < T::of(0.0);
            n.iter().map(|&n| if keep { n } else { -n }).collect()
        }
        (Op::OuterProduct, [x, y]) => y.iter().flat_map(|&y| x.iter().map(move |&x| x * y)).collect(),
        (Op::Transpose, [m]) => transpose(m, shape(0)?.1),
        (Op::Determinant, [m]) if square(shape(0)?) => one(determinant(m, shape(0)?.1)),
        (Op::Inverse, [m]) if square(shape(0)?) => inverse(m, shape(0)?.1),
        (Op::MatrixTimesVector, [m, v]) => times(m, shape(0)?.1, v),
        (Op::VectorTimesMatrix, [v, m]) => m.chunks(shape(1)?.1).map(|column| dot(v, column)).collect(),
        (Op::MatrixTimesMatrix, [a, b]) => {
            let (rows, inner) = (shape(0)?.1, shape(1)?.1);
            b.chunks(inner).flat_map(|column| times(a, rows, column)).collect()
        }
        _ => return None,
    };
    Some(result.into_iter().map(Component::put).collect())
}

/// Columns and rows of a matrix.
fn shape(types: &Types, ty: Type) -> Option<(usize, usize)> {
    match types[ty] {
        TypeKind::Matrix { columns, rows, .. } => Some((columns.into(), rows.into())),
        _ => None,
    }
}

fn square((columns, rows): (usize, usize)) -> bool {
    columns == rows
}

fn one<T>(x: T) -> Column<T> {
    let mut column = Column::new();
    column.push(x);
    column
}

fn zip<T: Real>(x: &[T], y: &[T], f: impl Fn(T, T) -> T) -> Column<T> {
    x.iter().zip(y).map(|(&x, &y)| f(x, y)).collect()
}

/// Sum of products, from the first on.
fn dot<T: Real>(x: &[T], y: &[T]) -> T {
    sum(x.iter().zip(y).map(|(&x, &y)| x * y))
}

/// Sum from the first term on.
fn sum<T: Real>(mut terms: impl Iterator<Item = T>) -> T {
    let first = terms.next().unwrap_or(T::of(0.0));
    terms.fold(first, |sum, term| sum + term)
}

/// Of a scalar, its magnitude.
fn length<T: Real>(x: &[T]) -> T {
    if let [x] = *x { x.magnitude() } else { dot(x, x).root() }
}

fn cross<T: Real>(x: &[T], y: &[T]) -> Column<T> {
    [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| x[i] * y[j] - y[i] * x[j]).collect()
}

/// `k = 1 - eta * eta * (1 - d * d)` with `d = dot(n, i)`; zero where `k < 0`, else `eta * i - (eta * d + sqrt(k)) * n`.
fn refract<T: Real>(i: &[T], n: &[T], eta: T) -> Column<T> {
    let d = dot(n, i);
    let k = T::of(1.0) - eta * eta * (T::of(1.0) - d * d);
    if k < T::of(0.0) {
        return i.iter().map(|_| T::of(0.0)).collect();
    }
    let along = eta * d + k.root();
    zip(i, n, |i, n| eta * i - along * n)
}

/// Matrix (by columns of `rows`) times column vector: the columns times the components, added from the first on.
fn times<T: Real>(m: &[T], rows: usize, v: &[T]) -> Column<T> {
    (0..rows).map(|row| sum(v.iter().enumerate().map(|(column, &x)| m[column * rows + row] * x))).collect()
}

fn transpose<T: Real>(m: &[T], rows: usize) -> Column<T> {
    let columns = m.len() / rows;
    (0..rows).flat_map(|row| (0..columns).map(move |column| m[column * rows + row])).collect()
}

/// The matrix (n × n, by columns) without one column and one row.
fn minor<T: Real>(m: &[T], n: usize, column: usize, row: usize) -> Column<T> {
    (0..n * n).filter(|i| i / n != column && i % n != row).map(|i| m[i]).collect()
}

/// Expansion along the first column; the terms are added from the first on with alternating sign.
/// Recursion: at most 4 rows.
fn determinant<T: Real>(m: &[T], n: usize) -> T {
    match n {
        1 => m[0],
        2 => m[0] * m[3] - m[2] * m[1],
        _ => {
            let term = |row: usize| m[row] * determinant(&minor(m, n, 0, row), n - 1);
            (1..n).fold(term(0), |sum, row| if row % 2 == 1 { sum - term(row) } else { sum + term(row) })
        }
    }
}

/// The transposed cofactors, each divided by the determinant.
fn inverse<T: Real>(m: &[T], n: usize) -> Column<T> {
    let whole = determinant(m, n);
    let cofactor = |column: usize, row: usize| {
        let minor = determinant(&minor(m, n, column, row), n - 1);
        if (column + row) % 2 == 1 { -minor } else { minor }
    };
    (0..n * n).map(|i| cofactor(i % n, i / n) / whole).collect()
}
