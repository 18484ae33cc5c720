//! Composites: made, compared, chosen, and computed with by columns; conversions; increments.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::guards::float_to_integer;
use super::{Legalizer, number};

/// Runs of components: scalars and vectors.
type Runs = SmallVec<[Value; 4]>;

/// The value of an op on or to composites.
pub(super) fn expand(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
    let args = request.args;
    let ty = b.type_of(*args.first()?);
    match request.op {
        Op::Negate | Op::Add | Op::Subtract | Op::Divide | Op::MatrixComponentMultiply | Op::MatrixTimesScalar => {
            matrix(b, ty)?;
            by_columns(l, b, request.op, args)
        }
        Op::OuterProduct => outer_product(l, b, args[0], args[1]),
        Op::LogicalAnd | Op::LogicalOr => logic(l, b, request.op, [args[0], args[1]]),
        Op::LogicalXor => l.op(b, Op::NotEqual, args),
        Op::Any | Op::All => {
            let join = if request.op == Op::Any { Op::LogicalOr } else { Op::LogicalAnd };
            let parts: Runs = components(b, args[0]);
            join_all(l, b, join, &parts)
        }
        Op::AggregateEqual => all_equal(l, b, ty, args[0], args[1]),
        Op::Select => select(l, b, args),
        Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement => {
            increment(l, b, request.op, args[0])
        }
        _ => construct(l, b, request),
    }
}

fn matrix(b: &Builder<'_, '_>, ty: Type) -> Option<(Scalar, u8, u8)> {
    match b.module.types[ty] {
        TypeKind::Matrix { scalar, columns, rows } => Some((scalar, columns, rows)),
        _ => None,
    }
}

/// Part number `i` of a composite.
fn part(b: &mut Builder<'_, '_>, whole: Value, i: u32) -> Option<Value> {
    let ty = b.type_of(whole);
    let op = match b.module.types[ty] {
        TypeKind::Vector(..) => return Some(b.op_imm(Op::ExtractVectorComponent, Imm::index(i), &[whole])),
        TypeKind::Struct(_) => return Some(b.op_imm(Op::ExtractStructField, Imm::index(i), &[whole])),
        TypeKind::Matrix { .. } => Op::ExtractMatrixColumn,
        TypeKind::Array { .. } => Op::ExtractArrayElement,
        _ => return None,
    };
    let index = b.i32(i as i32);
    Some(b.op(op, &[whole, index]))
}

/// The components of a scalar, vector or matrix. Recursion: once, for the columns.
pub(super) fn components(b: &mut Builder<'_, '_>, value: Value) -> Runs {
    let ty = b.type_of(value);
    match b.module.types[ty] {
        TypeKind::Vector(_, n) => (0..n.into()).filter_map(|i| part(b, value, i)).collect(),
        TypeKind::Matrix { columns, .. } => {
            let columns: Runs = (0..columns.into()).filter_map(|i| part(b, value, i)).collect();
            columns.into_iter().flat_map(|column| components(b, column)).collect()
        }
        _ => smallvec![value],
    }
}

/// A scalar, vector or matrix of its components. Recursion: once, for the columns.
pub(super) fn compose(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ty: Type, parts: &[Value]) -> Option<Value> {
    match b.module.types[ty] {
        TypeKind::Scalar(_) => parts.first().copied(),
        TypeKind::Matrix { scalar, rows, .. } => {
            let column = b.module.types.vector(scalar, rows);
            let chunks = parts.chunks(rows.into());
            let columns: Runs = chunks.map(|chunk| compose(l, b, column, chunk)).collect::<Option<_>>()?;
            columns_of(l, b, ty, &columns)
        }
        _ => l.make(b, Request::new(Op::ConstructVectorFromMultiple, parts).ty(ty)),
    }
}

fn columns_of(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ty: Type, columns: &[Value]) -> Option<Value> {
    l.make(b, Request::new(Op::ConstructMatrixFromMultiple, columns).ty(ty))
}

fn splat(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ty: Type, scalar: Value) -> Option<Value> {
    l.make(b, Request::new(Op::ConstructVectorFromScalar, &[scalar]).ty(ty))
}

fn by_columns(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, args: &[Value]) -> Option<Value> {
    let ty = b.type_of(args[0]);
    let (scalar, columns, rows) = matrix(b, ty)?;
    let op = if matches!(op, Op::MatrixComponentMultiply | Op::MatrixTimesScalar) { Op::Multiply } else { op };
    let mut made = Runs::new();
    for c in 0..columns.into() {
        let mut operands = Runs::new();
        for &arg in args {
            let is_matrix = matrix(b, b.type_of(arg)).is_some();
            let column = b.module.types.vector(scalar, rows);
            operands.push(if is_matrix { part(b, arg, c)? } else { splat(l, b, column, arg)? });
        }
        made.push(l.op(b, op, &operands)?);
    }
    columns_of(l, b, ty, &made)
}

/// Divides every component of a matrix, given by components, by a scalar.
pub(super) fn divided(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    ty: Type,
    parts: &[Value],
    divisor: Value,
) -> Option<Value> {
    let (scalar, _, rows) = matrix(b, ty)?;
    let column = b.module.types.vector(scalar, rows);
    let divisor = splat(l, b, column, divisor)?;
    let mut made = Runs::new();
    for chunk in parts.chunks(rows.into()) {
        let dividend = compose(l, b, column, chunk)?;
        made.push(l.op(b, Op::Divide, &[dividend, divisor])?);
    }
    columns_of(l, b, ty, &made)
}

/// Column vector times row vector: the column times each component of the row.
fn outer_product(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, column: Value, row: Value) -> Option<Value> {
    let (column_type, row_type) = (b.type_of(column), b.type_of(row));
    let types = &mut b.module.types;
    let scalar = types.scalar_of(column_type)?;
    let (rows, columns) = (types.vector_size(column_type)?, types.vector_size(row_type)?);
    let ty = types.matrix(scalar, columns, rows);
    let mut made = Runs::new();
    for factor in components(b, row) {
        let factor = splat(l, b, column_type, factor)?;
        made.push(l.op(b, Op::Multiply, &[column, factor])?);
    }
    columns_of(l, b, ty, &made)
}

/// The values joined by a boolean op, from the first on.
fn join_all(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, values: &[Value]) -> Option<Value> {
    let (&first, rest) = values.split_first()?;
    rest.iter().try_fold(first, |all, &next| l.op(b, op, &[all, next]))
}

/// Whether all components of two values are equal. Recurses as deep as types are nested.
fn all_equal(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ty: Type, x: Value, y: Value) -> Option<Value> {
    if b.module.types.vector_size(ty).is_some() {
        let equal = l.op(b, Op::Equal, &[x, y])?;
        return if b.type_of(equal) == Type::BOOL { Some(equal) } else { l.op(b, Op::All, &[equal]) };
    }
    let mut terms = Vec::new();
    for i in 0..b.module.types.part_count(ty)? {
        let (x, y) = (part(b, x, i)?, part(b, y, i)?);
        terms.push(all_equal(l, b, b.type_of(x), x, y)?);
    }
    match terms.is_empty() {
        true => Some(b.bool(true)),
        false => join_all(l, b, Op::LogicalAnd, &terms),
    }
}

/// By one boolean: a vector by a vector of it, another composite part by part.
fn select(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, args: &[Value]) -> Option<Value> {
    let &[condition, x, y] = args else { return None };
    let ty = b.type_of(x);
    if b.type_of(condition) != Type::BOOL {
        // By components.
        let parts: [Runs; 3] = [condition, x, y].map(|value| components(b, value));
        let made: Runs =
            (0..parts[1].len()).map(|i| l.select(b, parts[0][i], parts[1][i], parts[2][i])).collect::<Option<_>>()?;
        return compose(l, b, ty, &made);
    }
    if matches!(b.module.types[ty], TypeKind::Vector(..)) {
        let tests = b.module.types.with_scalar(ty, Scalar::Bool);
        let condition = splat(l, b, tests, condition)?;
        return l.select(b, condition, x, y);
    }
    let mut made = Vec::new();
    for i in 0..b.module.types.part_count(ty)? {
        let (x, y) = (part(b, x, i)?, part(b, y, i)?);
        made.push(l.select(b, condition, x, y)?);
    }
    let op = match b.module.types[ty] {
        TypeKind::Matrix { .. } => Op::ConstructMatrixFromMultiple,
        TypeKind::Struct(_) => Op::ConstructStruct,
        _ => Op::ConstructArray,
    };
    l.make(b, Request::new(op, &made).ty(ty))
}

/// Logic on vectors: by select, else by components.
fn logic(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, [x, y]: [Value; 2]) -> Option<Value> {
    let ty = b.type_of(x);
    if !l.has_total(b, Op::Select, x) && b.module.types.vector_size(ty) > Some(1) {
        let (x, y) = (components(b, x), components(b, y));
        let parts = x.iter().zip(&y).map(|(&x, &y)| l.op(b, op, &[x, y]));
        let parts: Runs = parts.collect::<Option<_>>()?;
        return compose(l, b, ty, &parts);
    }
    let is_or = op == Op::LogicalOr;
    let known = b.module.consts.splat(&mut b.module.types, ty, is_or.into())?.into();
    if is_or { l.select(b, x, known, y) } else { l.select(b, x, y, known) }
}

fn increment(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, pointer: Value) -> Option<Value> {
    let old = b.load(pointer);
    let ty = b.type_of(old);
    let one = match matrix(b, ty) {
        Some((scalar, columns, rows)) => {
            let column = b.module.types.vector(scalar, rows);
            let column = number(b, column, 1).as_const()?;
            b.module.consts.composite(ty, vec![column; columns.into()]).into()
        }
        None => number(b, ty, 1),
    };
    let adds = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
    let new = l.op(b, if adds { Op::Add } else { Op::Subtract }, &[old, one])?;
    b.store(pointer, new);
    Some(if matches!(op, Op::PrefixIncrement | Op::PrefixDecrement) { new } else { old })
}

/// The value of a constructor or conversion.
pub(super) fn construct(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
    let (ty, args, imm) = (request.ty?, request.args, request.imm);
    let to = b.module.types.scalar_of(ty)?;
    let from = b.type_of(*args.first()?);
    match request.op {
        Op::ConstructScalarFromScalar => converted(l, b, imm, args[0], to),
        Op::ConstructVectorFromScalar => {
            let scalar = l.convert(b, imm, args[0], to)?;
            splat(l, b, ty, scalar)
        }
        Op::ConstructVectorFromMultiple => {
            let size = b.module.types.vector_size(ty)?;
            if args.len() == 1 && b.module.types.vector_size(from) == Some(size) {
                return converted(l, b, imm, args[0], to);
            }
            match runs(l, b, imm, args, to, size)?[..] {
                [whole] => Some(whole),
                ref parts => l.make(b, Request::new(Op::ConstructVectorFromMultiple, parts).ty(ty)),
            }
        }
        Op::ConstructMatrixFromScalar => {
            let (_, columns, rows) = matrix(b, ty)?;
            let scalar = l.convert(b, imm, args[0], to)?;
            let one_type = b.module.types.scalar(to);
            let zero = number(b, one_type, 0);
            let places = (0..columns).flat_map(|c| (0..rows).map(move |r| c == r));
            let parts: Vec<Value> = places.map(|diagonal| if diagonal { scalar } else { zero }).collect();
            compose(l, b, ty, &parts)
        }
        Op::ConstructMatrixFromMatrix => resized(l, b, ty, args[0]),
        Op::ConstructMatrixFromMultiple => {
            let (_, columns, rows) = matrix(b, ty)?;
            let runs = runs(l, b, imm, args, to, columns * rows)?;
            let is_column = |value: &Value| b.module.types.vector_size(b.type_of(*value)) == Some(rows);
            if runs.iter().all(is_column) {
                return columns_of(l, b, ty, &runs);
            }
            let parts: Vec<Value> = runs.into_iter().flat_map(|run| components(b, run)).collect();
            compose(l, b, ty, &parts)
        }
        _ => None,
    }
}

/// The first `wanted` components of the operands, converted, as scalars and vectors.
fn runs(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    imm: Imm,
    args: &[Value],
    to: Scalar,
    wanted: u8,
) -> Option<Runs> {
    let mut runs = Runs::new();
    let mut left = wanted;
    for &arg in args {
        let ty = b.type_of(arg);
        let pieces: Runs = match matrix(b, ty) {
            Some((_, columns, rows)) => {
                let columns = columns.min(left.div_ceil(rows));
                (0..columns.into()).map(|c| part(b, arg, c)).collect::<Option<_>>()?
            }
            None => smallvec![arg],
        };
        for piece in pieces {
            let size = b.module.types.vector_size(b.type_of(piece))?;
            let take = size.min(left);
            if take == 0 {
                break;
            }
            let lanes: SmallVec<[u8; 4]> = (0..take).collect();
            let piece = if take < size { b.swizzle(piece, &lanes) } else { piece };
            runs.push(l.convert(b, imm, piece, to)?);
            left -= take;
        }
    }
    Some(runs)
}

/// The columns and rows that two sizes of matrices have in common, the identity elsewhere.
fn resized(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ty: Type, from: Value) -> Option<Value> {
    let (to, columns, rows) = matrix(b, ty)?;
    let (_, have_columns, have_rows) = matrix(b, b.type_of(from))?;
    let (one_type, column_type) = (b.module.types.scalar(to), b.module.types.vector(to, rows));
    let mut made = Runs::new();
    for c in 0..columns {
        let mut parts = Runs::new();
        let mut filled = 0;
        if c < have_columns {
            let column = part(b, from, c.into())?;
            parts = runs(l, b, Imm::NONE, &[column], to, rows)?;
            filled = have_rows.min(rows);
        }
        parts.extend((filled..rows).map(|r| number(b, one_type, (r == c).into())));
        made.push(if let [whole] = parts[..] { whole } else { compose(l, b, column_type, &parts)? });
    }
    columns_of(l, b, ty, &made)
}

/// A scalar or vector converted by other conversions, or by a comparison or choice.
fn converted(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, imm: Imm, x: Value, to: Scalar) -> Option<Value> {
    let ty = b.type_of(x);
    let from = b.module.types.scalar_of(ty)?;
    let target = b.module.types.with_scalar(ty, to);
    if from == Scalar::Bool {
        let (one, zero) = (number(b, target, 1), number(b, target, 0));
        return l.select(b, x, one, zero);
    }
    if to == Scalar::Bool {
        let zero = number(b, ty, 0);
        return l.op(b, Op::NotEqual, &[x, zero]);
    }
    if from.is_float() && to.is_integer() && !imm.is_open() {
        return float_to_integer(l, b, x, to);
    }
    if !from.is_integer() || !to.is_integer() {
        return None;
    }
    if from.bits() == to.bits() {
        return l.bitcast(b, x, to);
    }
    // Widened by its own sign, or cut, and then taken as the other type.
    if from.is_signed() == to.is_signed() {
        return None;
    }
    let between = if from.is_signed() { to.signed() } else { to.unsigned() };
    let x = l.convert(b, Imm::NONE, x, between)?;
    l.bitcast(b, x, to)
}
