//! Vectors as geometry, and matrices: sequences of componentwise ops. Sums start with the first term; nothing is fused.

use planish_ir::ops::Op;

use super::{componentwise, convert::like};
use crate::value::{Value, composite};

/// A matrix as its columns of components.
type Columns = Vec<Vec<Value>>;

fn op2(op: Op, x: &Value, y: &Value) -> Option<Value> {
    componentwise(op, &[x.clone(), y.clone()])
}

fn add(x: &Value, y: &Value) -> Option<Value> {
    op2(Op::Add, x, y)
}

fn subtract(x: &Value, y: &Value) -> Option<Value> {
    op2(Op::Subtract, x, y)
}

fn multiply(x: &Value, y: &Value) -> Option<Value> {
    op2(Op::Multiply, x, y)
}

/// The sum of the components.
fn sum(x: &Value) -> Option<Value> {
    reduced(Op::Add, x)
}

/// The components joined by an op, from the first on.
fn reduced(op: Op, x: &Value) -> Option<Value> {
    let (first, rest) = x.parts().split_first()?;
    rest.iter().try_fold(first.clone(), |all, part| op2(op, &all, part))
}

fn dot(x: &Value, y: &Value) -> Option<Value> {
    sum(&multiply(x, y)?)
}

fn length(x: &Value) -> Option<Value> {
    match x {
        Value::Composite(_) => componentwise(Op::Sqrt, &[dot(x, x)?]),
        scalar => componentwise(Op::Abs, std::slice::from_ref(scalar)),
    }
}

/// The value with canonical NaNs: multiplied by one.
pub(super) fn canonical(x: &Value) -> Option<Value> {
    multiply(x, &like(x, 1.0)?)
}

/// The result of an op on vectors or matrices; `None` for other ops.
pub(super) fn geometry(op: Op, args: &[Value]) -> Option<Value> {
    let result = match (op, args) {
        (Op::Length, [x]) => length(x)?,
        (Op::HorizontalAdd, [x]) => sum(x)?,
        (Op::HorizontalMin, [x]) => reduced(Op::Min, x)?,
        (Op::HorizontalMax, [x]) => reduced(Op::Max, x)?,
        (Op::Distance, [x, y]) => length(&subtract(x, y)?)?,
        (Op::Dot, [x, y]) => dot(x, y)?,
        (Op::Normalize, [x]) => op2(Op::Divide, x, &length(x)?)?,
        (Op::Cross, [x, y]) => cross(x.parts(), y.parts())?,
        (Op::Reflect, [i, n]) => {
            let twice = multiply(&like(i, 2.0)?, &dot(n, i)?)?;
            subtract(i, &multiply(&twice, n)?)?
        }
        (Op::Refract, [i, n, eta]) => refract(i, n, eta)?,
        (Op::FaceForward, [n, i, reference]) => {
            let behind = op2(Op::LessThan, &dot(reference, i)?, &like(n, 0.0)?)?;
            if behind == Value::Bool(true) { n.clone() } else { componentwise(Op::Negate, std::slice::from_ref(n))? }
        }
        (Op::OuterProduct, [x, y]) => composite(y.parts().iter().map(|y| multiply(x, y)).collect::<Option<Vec<_>>>()?),
        (Op::MatrixTimesVector, [m, v]) => times_vector(m, v)?,
        (Op::VectorTimesMatrix, [v, m]) => {
            composite(m.parts().iter().map(|column| dot(v, column)).collect::<Option<Vec<_>>>()?)
        }
        (Op::MatrixTimesMatrix, [a, b]) => {
            composite(b.parts().iter().map(|column| times_vector(a, column)).collect::<Option<Vec<_>>>()?)
        }
        (Op::Transpose, [m]) => {
            let m = columns(m);
            composite((0..m[0].len()).map(|row| composite(m.iter().map(|column| column[row].clone()))))
        }
        (Op::Determinant, [m]) => determinant(&columns(m))?,
        (Op::Inverse, [m]) => inverse(&columns(m))?,
        _ => return None,
    };
    canonical(&result)
}

fn columns(m: &Value) -> Columns {
    m.parts().iter().map(|column| column.parts().to_vec()).collect()
}

/// The products of the columns with the components, added from the first column on.
fn times_vector(m: &Value, v: &Value) -> Option<Value> {
    let mut products = m.parts().iter().zip(v.parts()).map(|(column, x)| multiply(column, x));
    let first = products.next()??;
    products.try_fold(first, |sum, product| add(&sum, &product?))
}

fn cross(x: &[Value], y: &[Value]) -> Option<Value> {
    let component = |(i, j): (usize, usize)| subtract(&multiply(&x[i], &y[j])?, &multiply(&y[i], &x[j])?);
    Some(composite([(1, 2), (2, 0), (0, 1)].into_iter().map(component).collect::<Option<Vec<_>>>()?))
}

fn refract(i: &Value, n: &Value, eta: &Value) -> Option<Value> {
    let one = like(eta, 1.0)?;
    let d = dot(n, i)?;
    let k = subtract(&one, &multiply(&multiply(eta, eta)?, &subtract(&one, &multiply(&d, &d)?)?)?)?;
    if op2(Op::LessThan, &k, &like(eta, 0.0)?)? == Value::Bool(true) {
        return match i {
            Value::Composite(parts) => Some(composite(vec![like(i, 0.0)?; parts.len()])),
            _ => like(i, 0.0),
        };
    }
    let along = add(&multiply(eta, &d)?, &componentwise(Op::Sqrt, &[k])?)?;
    subtract(&multiply(eta, i)?, &multiply(&along, n)?)
}

/// The matrix without one column and one row.
fn minor(m: &Columns, column: usize, row: usize) -> Columns {
    let without = |c: &Vec<Value>| c.iter().enumerate().filter(|(r, _)| *r != row).map(|(_, x)| x.clone()).collect();
    m.iter().enumerate().filter(|(c, _)| *c != column).map(|(_, c)| without(c)).collect()
}

/// Expansion along the first column, terms added from the first row on with alternating sign.
/// Recursion: at most 4 rows.
fn determinant(m: &Columns) -> Option<Value> {
    if let [column] = &m[..] {
        return column.first().cloned();
    }
    if let [a, b] = &m[..] {
        return subtract(&multiply(&a[0], &b[1])?, &multiply(&b[0], &a[1])?);
    }
    let term = |row: usize| multiply(&m[0][row], &determinant(&minor(m, 0, row))?);
    (1..m.len())
        .try_fold(term(0)?, |sum, row| op2(if row % 2 == 1 { Op::Subtract } else { Op::Add }, &sum, &term(row)?))
}

/// The transposed cofactors (determinants of the minors with alternating sign), each divided by the determinant.
fn inverse(m: &Columns) -> Option<Value> {
    let whole = determinant(m)?;
    let part = |column: usize, row: usize| {
        // Transposed: the cofactor of the element in this row's column and this column's row.
        let minor = determinant(&minor(m, row, column))?;
        let odd = (column + row) % 2 == 1;
        let cofactor = if odd { componentwise(Op::Negate, &[minor])? } else { minor };
        op2(Op::Divide, &cofactor, &whole)
    };
    let column = |c: usize| Some(composite((0..m.len()).map(|r| part(c, r)).collect::<Option<Vec<_>>>()?));
    Some(composite((0..m.len()).map(column).collect::<Option<Vec<_>>>()?))
}
