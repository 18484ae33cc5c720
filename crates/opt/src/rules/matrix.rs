//! Matrices: transposition, products with constants, and columns.

use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::Law::{AnyNan, Associative, Exact, Finite, RealFunctions};
use super::site::float;
use super::{Rule, Site, rule};

const TIMES: &[Op] = &[Op::MatrixTimesVector, Op::VectorTimesMatrix, Op::MatrixTimesMatrix];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("transpose_twice", &[Op::Transpose], AnyNan, "transpose(transpose(m)) → m", |s| {
        s.unary(s.arg(0), Op::Transpose)
    }),
    rule("transposed_times_vector", &[Op::MatrixTimesVector], Exact, "transpose(m) * v → v * m", |s| {
        let m = s.unary(s.arg(0), Op::Transpose)?;
        Some(s.make(Op::VectorTimesMatrix, &[s.arg(1), m]))
    }),
    rule("vector_times_transposed", &[Op::VectorTimesMatrix], Exact, "v * transpose(m) → m * v", |s| {
        let m = s.unary(s.arg(1), Op::Transpose)?;
        Some(s.make(Op::MatrixTimesVector, &[m, s.arg(0)]))
    }),
    rule(
        "transpose_outer_product",
        &[Op::Transpose],
        Exact,
        "transpose(outer_product(x, y)) → outer_product(y, x)",
        |s| {
            let (x, y) = s.binary(s.arg(0), Op::OuterProduct)?;
            Some(s.make(Op::OuterProduct, &[y, x]))
        },
    ),
    rule("times_identity", TIMES, Finite, "m * identity → m, identity * v → v", |s| {
        let (x, y) = s.pair();
        match () {
            _ if is_diagonal(s, x, Some(1.0)) => Some(y),
            _ if is_diagonal(s, y, Some(1.0)) => Some(x),
            _ => None,
        }
    }),
    rule("times_zero_matrix", TIMES, Finite, "m * zero → zero, zero * v → zero", |s| {
        let (x, y) = s.pair();
        (s.is_zero(x) || s.is_zero(y)).then(|| s.zero())
    }),
    rule(
        "times_diagonal",
        &[Op::MatrixTimesVector, Op::VectorTimesMatrix],
        Finite,
        "diagonal(c) * v → c * v (constants)",
        |s| {
            let (m, v) = if s.op() == Op::MatrixTimesVector { s.pair() } else { (s.arg(1), s.arg(0)) };
            if !is_diagonal(s, m, None) {
                return None;
            }
            let diagonal = diagonal(s, m)?;
            Some(s.make(Op::Multiply, &[v, diagonal]))
        },
    ),
    rule("times_two_constants", &[Op::MatrixTimesVector], Associative, "c * (d * v) → (c * d) * v", |s| {
        let (c, inner) = s.pair();
        let (d, v) = s.binary(inner, Op::MatrixTimesVector)?;
        let both = s.fold(Op::MatrixTimesMatrix, &[c, d])?;
        Some(s.make(Op::MatrixTimesVector, &[both, v]))
    }),
    rule("vector_times_two_constants", &[Op::VectorTimesMatrix], Associative, "(v * c) * d → v * (c * d)", |s| {
        let (inner, d) = s.pair();
        let (v, c) = s.binary(inner, Op::VectorTimesMatrix)?;
        let both = s.fold(Op::MatrixTimesMatrix, &[c, d])?;
        Some(s.make(Op::VectorTimesMatrix, &[v, both]))
    }),
    rule(
        "matrix_times_two_constants",
        &[Op::MatrixTimesMatrix],
        Associative,
        "(m * c) * d → m * (c * d), c * (d * m) → (c * d) * m",
        |s| {
            let (x, y) = s.pair();
            if let Some((m, c)) = s.binary(x, Op::MatrixTimesMatrix)
                && let Some(both) = s.fold(Op::MatrixTimesMatrix, &[c, y])
            {
                return Some(s.make(Op::MatrixTimesMatrix, &[m, both]));
            }
            let (d, m) = s.binary(y, Op::MatrixTimesMatrix)?;
            let both = s.fold(Op::MatrixTimesMatrix, &[x, d])?;
            Some(s.make(Op::MatrixTimesMatrix, &[both, m]))
        },
    ),
    rule(
        "product_times_vector",
        &[Op::MatrixTimesVector, Op::VectorTimesMatrix],
        Associative,
        "(a * b) * v → a * (b * v), v * (a * b) → (v * a) * b (up to four factors)",
        product_times_vector,
    ),
    rule("scale_matrix_twice", &[Op::MatrixTimesScalar], Associative, "(m * a) * b → m * (a * b) (constants)", |s| {
        let (inner, b) = s.pair();
        let (m, a) = s.binary(inner, Op::MatrixTimesScalar)?;
        let both = s.fold(Op::Multiply, &[a, b])?;
        Some(s.make(Op::MatrixTimesScalar, &[m, both]))
    }),
    rule(
        "scaled_matrix_times_vector",
        &[Op::MatrixTimesVector],
        Associative,
        "(m * a) * v → (m * v) * a (a constant)",
        |s| {
            // A constant scale of a value that is no constant: one product per component of the vector, not of the matrix.
            let (scaled, v) = s.pair();
            let (m, a) = s.binary(scaled, Op::MatrixTimesScalar)?;
            let bits = s.uniform_bits(a)?;
            let product = s.make(Op::MatrixTimesVector, &[m, v]);
            let scale = s.splat(s.ty(), bits);
            Some(s.make(Op::Multiply, &[product, scale]))
        },
    ),
    rule(
        "determinant_of_transposed",
        &[Op::Determinant],
        Associative,
        "determinant(transpose(m)) → determinant(m)",
        |s| {
            let m = s.unary(s.arg(0), Op::Transpose)?;
            Some(s.make(Op::Determinant, &[m]))
        },
    ),
    rule("inverse_twice", &[Op::Inverse], RealFunctions, "inverse(inverse(m)) → m", |s| {
        s.unary(s.arg(0), Op::Inverse)
    }),
    rule(
        "times_inverse",
        &[Op::MatrixTimesMatrix],
        RealFunctions,
        "m * inverse(m) → identity, inverse(m) * m → identity",
        |s| {
            let (x, y) = s.pair();
            if s.unary(x, Op::Inverse) != Some(y) && s.unary(y, Op::Inverse) != Some(x) {
                return None;
            }
            let scalar = s.scalar_of(x)?;
            let component = s.b.module.types.scalar(scalar);
            let one = s.number(component, 1.0);
            Some(s.make_typed(Op::ConstructMatrixFromScalar, &[one], s.ty()))
        },
    ),
    rule("same_matrix", &[Op::ConstructMatrixFromMatrix], Exact, "matrix(m) → m (same type)", |s| {
        (s.type_of(s.arg(0)) == s.ty()).then(|| s.arg(0))
    }),
    rule("column_of_construct", &[Op::ExtractMatrixColumn], Exact, "matrix(a, b)[1] → b", column_of_construct),
    rule(
        "column_of_op",
        &[Op::ExtractMatrixColumn],
        Exact,
        "(m + c)[i] → m[i] + c[i]; also -, matrix_component_multiply, and m times a scalar (c and i constant)",
        column_of_op,
    ),
    rule(
        "construct_of_columns",
        &[Op::ConstructMatrixFromMultiple],
        Exact,
        "matrix(m[0], m[1]) → m",
        construct_of_columns,
    ),
];

/// A product of matrices times a vector as matrices times vectors. More factors than four are more likely powers of few
/// matrices, which squaring has made: written out they would be exponentially many.
fn product_times_vector(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let column = s.op() == Op::MatrixTimesVector;
    let (m, mut v) = if column { s.pair() } else { (s.arg(1), s.arg(0)) };
    // In the order in which they meet the vector, the last one first.
    let mut factors = SmallVec::<[Value; 8]>::new();
    let mut pending = SmallVec::<[Value; 8]>::from_slice(&[m]);
    while let Some(m) = pending.pop() {
        match s.binary(m, Op::MatrixTimesMatrix) {
            Some((a, b)) => pending.extend(if column { [a, b] } else { [b, a] }),
            None => factors.push(m),
        }
        if factors.len() + pending.len() > 4 {
            return None;
        }
    }
    if factors.len() < 2 {
        return None;
    }
    for m in factors {
        v = s.make(s.op(), &if column { [m, v] } else { [v, m] });
    }
    Some(v)
}

/// The components of a constant matrix, by columns, and its number of rows.
fn components(s: &Site<'_, '_, '_>, m: Value) -> Option<(SmallVec<[f64; 16]>, usize)> {
    let &TypeKind::Matrix { scalar, columns, rows } = s.kind_of(m) else { return None };
    if columns != rows {
        return None;
    }
    let mut bits = Vec::new();
    s.b.module.consts.flatten(m.as_const()?, &mut bits).then_some(())?;
    Some((bits.into_iter().map(|b| float(scalar, b)).collect(), rows.into()))
}

/// Whether a value is a constant square matrix with zeros beside the diagonal and, if it is given, this number on it.
fn is_diagonal(s: &Site<'_, '_, '_>, m: Value, number: Option<f64>) -> bool {
    let Some((all, rows)) = components(s, m) else { return false };
    all.iter().enumerate().all(|(i, &x)| if i % (rows + 1) == 0 { number.is_none_or(|n| n == x) } else { x == 0.0 })
}

/// The diagonal of a constant square matrix, as a vector.
fn diagonal(s: &mut Site<'_, '_, '_>, m: Value) -> Option<Value> {
    let (_, rows) = components(s, m)?;
    let mut bits = Vec::new();
    s.b.module.consts.flatten(m.as_const()?, &mut bits).then_some(())?;
    let mut bits = bits.into_iter().step_by(rows + 1);
    let ty = s.ty();
    let module = &mut *s.b.module;
    module.consts.unflatten(&mut module.types, ty, &mut bits).map(Value::from)
}

/// The operands of a matrix constructor that make one column, if they are the column or its components.
fn column_of_construct(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (m, index) = s.pair();
    let &TypeKind::Matrix { columns, rows, .. } = s.kind_of(m) else { return None };
    let index = planish_ir::meaning::clamp_index(s.uniform_bits(index)?, columns.into()) as usize;
    let ty = s.ty();
    let scalar = s.scalar_of(m);
    let (Op::ConstructMatrixFromMultiple, _, parts) = s.def(m)? else { return None };
    let (start, end) = (index * rows as usize, (index + 1) * rows as usize);
    let mut at = 0;
    let mut column = SmallVec::<[Value; 4]>::new();
    for &part in parts {
        let size = s.size_of(part) as usize;
        if size == 0 || s.scalar_of(part) != scalar {
            return None;
        }
        match at {
            _ if at == start && size == rows as usize => return Some(part),
            _ if at >= start && at + size <= end => column.push(part),
            _ if at + size <= start || at >= end => {}
            // A vector across columns.
            _ => return None,
        }
        at += size;
    }
    Some(s.make_typed(Op::ConstructVectorFromMultiple, &column, ty))
}

/// A column of ops on a matrix and constants as the ops on columns: targets do matrices column by column anyway.
fn column_of_op(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (mut m, index) = s.pair();
    index.as_const()?;
    let mut ops = SmallVec::<[(Op, Value); 4]>::new();
    while let Some((inner, op, c)) = column_step(s, m, index) {
        m = inner;
        ops.push((op, c));
    }
    if ops.is_empty() {
        return None;
    }
    let column = s.make(Op::ExtractMatrixColumn, &[m, index]);
    Some(ops.iter().rev().fold(column, |column, &(op, c)| s.make(op, &[column, c])))
}

/// The matrix that `whole` is made of by an op with a constant, the op for a column, and the constant's column.
fn column_step(s: &mut Site<'_, '_, '_>, whole: Value, index: Value) -> Option<(Value, Op, Value)> {
    let (op, _, &[m, c]) = s.def(whole)? else { return None };
    match op {
        Op::Add | Op::Subtract => Some((m, op, s.fold(Op::ExtractMatrixColumn, &[c, index])?)),
        Op::MatrixComponentMultiply => Some((m, Op::Multiply, s.fold(Op::ExtractMatrixColumn, &[c, index])?)),
        Op::MatrixTimesScalar => {
            let bits = s.uniform_bits(c)?;
            Some((m, Op::Multiply, s.splat(s.ty(), bits)))
        }
        _ => None,
    }
}

/// `matrix(m[0], m[1]) → m`
fn construct_of_columns(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let mut whole: Option<Value> = None;
    for (i, &part) in s.args().iter().enumerate() {
        let (m, index) = s.binary(part, Op::ExtractMatrixColumn)?;
        if s.uniform_bits(index) != Some(i as u64) || whole.is_some_and(|w| w != m) {
            return None;
        }
        whole = Some(m);
    }
    let ty: Type = s.ty();
    whole.filter(|&m| s.type_of(m) == ty)
}
