//! Values whose types MaterialX lacks, by their scalars: vectors of integers and truth values, matrices, arrays, structs.

use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;

use super::{Scalars, VECTORS, Value, Writer, splat};
use crate::graph::{Node, NodeId};
use crate::literal::Literal;
use crate::shape::{Shape, TypeId};

impl Writer<'_> {
    /// The types of the scalars of a type, in order.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(super) fn leaves(&self, ty: TypeId) -> Result<Vec<&'static str>, String> {
        let scalar = |scalar: Scalar| match scalar {
            Scalar::F32 => Ok("float"),
            Scalar::I32 => Ok("integer"),
            Scalar::Bool => Ok("boolean"),
            _ => Err(format!("a value of type `{}`", scalar.name())),
        };
        Ok(match &self.graph.types[ty as usize].shape {
            Shape::Scalar(s) => vec![scalar(*s)?],
            Shape::Vector(s, n) => vec![scalar(*s)?; usize::from(*n)],
            Shape::Matrix { scalar: s, columns, rows } => vec![scalar(*s)?; usize::from(*columns) * usize::from(*rows)],
            Shape::Array(element, len) => self.leaves(*element)?.repeat(*len as usize),
            Shape::Struct(members) => {
                let members = members.iter().map(|(_, ty)| self.leaves(*ty));
                members.collect::<Result<Vec<_>, _>>()?.concat()
            }
            _ => return Err(format!("a value of type `{}`", self.graph.type_name(ty))),
        })
    }

    /// The scalars of part `i` of a value, by their places.
    fn range(&self, ty: TypeId, i: usize) -> Result<std::ops::Range<usize>, String> {
        let (each, count) = match &self.graph.types[ty as usize].shape {
            Shape::Vector(_, n) => (1, usize::from(*n)),
            Shape::Matrix { columns, rows, .. } => (usize::from(*rows), usize::from(*columns)),
            Shape::Array(element, len) => (self.leaves(*element)?.len(), *len as usize),
            Shape::Struct(members) => {
                let sizes: Vec<usize> = members
                    .iter()
                    .map(|(_, ty)| self.leaves(*ty).map(|leaves| leaves.len()))
                    .collect::<Result<_, _>>()?;
                let first = sizes[..i].iter().sum();
                return Ok(first..first + sizes[i]);
            }
            _ => return Err(format!("a part of a `{}`", self.graph.type_name(ty))),
        };
        let i = i.min(count.saturating_sub(1));
        Ok(each * i..each * (i + 1))
    }

    /// The scalars of a node's value.
    pub(super) fn flat(&mut self, id: NodeId) -> Result<Vec<Scalars>, String> {
        let leaves = self.leaves(self.graph.nodes[id as usize].ty)?;
        let value = self.values[id as usize].clone();
        Ok(match value {
            Value::Parts(parts) => parts.into_iter().zip(leaves).collect(),
            Value::Constant(text) => {
                text.split(", ").map(|part| Value::Constant(part.to_owned())).zip(leaves).collect()
            }
            one if leaves.len() == 1 => vec![(one, leaves[0])],
            vector => {
                let ty = VECTORS[leaves.len() - 2];
                (0..leaves.len() as u32).map(|i| (self.component(&vector, ty, i), "float")).collect()
            }
        })
    }

    /// A value of scalars: a scalar, a vector, or parts.
    pub(super) fn rebuilt(&mut self, wish: &str, ty: TypeId, mut parts: Vec<Value>) -> Value {
        match self.type_name(ty) {
            Ok(_) if parts.len() == 1 => parts.remove(0),
            Ok(_) => self.combine(wish, &parts),
            Err(_) => Value::Parts(parts),
        }
    }

    /// An op by the scalars of its operands: structure, sums of products, and componentwise. `None` if there is no way.
    pub(super) fn by_parts(
        &mut self,
        wish: &str,
        (op, imm): (Op, Imm),
        node: &Node,
        types: &[TypeId],
        (flats, result): (&[Vec<Scalars>], &[&'static str]),
    ) -> Result<Option<Vec<Value>>, String> {
        let values = |flat: &[Scalars]| -> Vec<Value> { flat.iter().map(|(value, _)| value.clone()).collect() };
        // An index: of the op, or an operand that is a constant.
        let operand = |i: usize| match self.graph.constant(self.graph.operands(node)[i]) {
            Some(Literal::Bits(_, bits)) => Some(*bits as usize),
            _ => None,
        };
        let parts = match op {
            Op::ExtractVectorComponent | Op::ExtractStructField => {
                values(&flats[0][self.range(types[0], imm.as_index() as usize)?])
            }
            Op::ExtractMatrixColumn | Op::ExtractArrayElement | Op::ExtractVectorComponentDynamic => match operand(1) {
                Some(i) => values(&flats[0][self.range(types[0], i)?]),
                None => return Ok(None),
            },
            Op::ExtractVectorComponentMulti => {
                imm.as_lanes().iter().map(|i| flats[0][usize::from(i)].0.clone()).collect()
            }
            Op::InsertVectorComponent | Op::InsertStructField | Op::InsertMatrixColumn | Op::InsertArrayElement => {
                let at = match op {
                    Op::InsertVectorComponent | Op::InsertStructField => Some(imm.as_index() as usize),
                    _ => operand(2),
                };
                let Some(at) = at else { return Ok(None) };
                let mut parts = values(&flats[0]);
                parts.splice(self.range(types[0], at)?, values(&flats[1]));
                parts
            }
            Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromMultiple
            | Op::ConstructStruct
            | Op::ConstructArray => {
                let scalars = flats.concat();
                let converted = scalars.iter().zip(result).map(|((value, of), ty)| self.converted(wish, value, of, ty));
                let Some(parts) = converted.collect() else { return Ok(None) };
                parts
            }
            Op::ConstructVectorFromScalar => {
                let ((value, of), ty) = (&flats[0][0], result[0]);
                let Some(part) = self.converted(wish, value, of, ty) else { return Ok(None) };
                vec![part; result.len()]
            }
            Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix => {
                self.matrix_of(node.ty, types[0], &flats[0])
            }
            Op::Transpose
            | Op::MatrixTimesVector
            | Op::VectorTimesMatrix
            | Op::MatrixTimesMatrix
            | Op::OuterProduct => self.products(wish, op, node.ty, types, flats),
            Op::Any | Op::All => {
                let category = if op == Op::Any { "or" } else { "and" };
                let mut truths = flats[0].iter();
                let mut all = truths.next().map_or(Value::Missing, |(value, _)| self.settled(value));
                for (value, ty) in truths {
                    let value = self.settled(value);
                    all = self.add(wish, category, ty, &[("in1", ty, &all), ("in2", ty, &value)]);
                }
                vec![all]
            }
            _ if op.is_componentwise()
                || matches!(op, Op::Select | Op::MatrixTimesScalar | Op::MatrixComponentMultiply) =>
            {
                let op =
                    if matches!(op, Op::MatrixTimesScalar | Op::MatrixComponentMultiply) { Op::Multiply } else { op };
                let mut parts = Vec::with_capacity(result.len());
                for (i, ty) in result.iter().enumerate() {
                    let args: Vec<Scalars> =
                        flats.iter().map(|flat| flat[if flat.len() == 1 { 0 } else { i }].clone()).collect();
                    match self.apply(wish, op, imm, ty, &args)? {
                        Some(value) => parts.push(value),
                        None => return Ok(None),
                    }
                }
                parts
            }
            _ => return Ok(None),
        };
        Ok(Some(parts))
    }

    /// Columns and rows of a matrix.
    fn size(&self, ty: TypeId) -> [usize; 2] {
        match self.graph.types[ty as usize].shape {
            Shape::Matrix { columns, rows, .. } => [columns.into(), rows.into()],
            Shape::Vector(_, n) => [1, n.into()],
            _ => [1, 1],
        }
    }

    /// A matrix out of a number on its diagonal, or of a corner of another one.
    fn matrix_of(&self, ty: TypeId, from: TypeId, flat: &[Scalars]) -> Vec<Value> {
        let ([columns, rows], [from_columns, from_rows]) = (self.size(ty), self.size(from));
        let cell = |column: usize, row: usize| match flat {
            [one] if column == row => one.0.clone(),
            [_] => splat(0.0, "float"),
            _ if column < from_columns && row < from_rows => flat[column * from_rows + row].0.clone(),
            _ => splat(f32::from(u8::from(column == row)), "float"),
        };
        (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row))).map(|(c, r)| cell(c, r)).collect()
    }

    /// Products of matrices and vectors: sums of products, in the order of the columns.
    fn products(&mut self, wish: &str, op: Op, ty: TypeId, types: &[TypeId], flats: &[Vec<Scalars>]) -> Vec<Value> {
        let x = &flats[0];
        let [_, rows_of_x] = self.size(types[0]);
        if op == Op::Transpose {
            let [columns, rows] = self.size(ty);
            return (0..columns * rows).map(|i| x[i % rows * columns + i / rows].0.clone()).collect();
        }
        let y = &flats[1];
        let [_, rows_of_y] = self.size(types[1]);
        // For each cell of the result: pairs of a cell of `x` and one of `y`.
        let cells: Vec<Vec<(usize, usize)>> = match op {
            Op::OuterProduct => {
                (0..y.len()).flat_map(|column| (0..x.len()).map(move |row| vec![(row, column)])).collect()
            }
            Op::VectorTimesMatrix => (0..y.len() / rows_of_y)
                .map(|column| (0..rows_of_y).map(|i| (i, column * rows_of_y + i)).collect())
                .collect(),
            _ => {
                let columns = y.len() / rows_of_y;
                let cell = |column: usize, row: usize| {
                    (0..rows_of_y).map(|i| (i * rows_of_x + row, column * rows_of_y + i)).collect()
                };
                (0..columns)
                    .flat_map(|column| (0..rows_of_x).map(move |row| (column, row)))
                    .map(|(c, r)| cell(c, r))
                    .collect()
            }
        };
        let float = "float";
        let sum = |w: &mut Self, pairs: Vec<(usize, usize)>| {
            let mut products = pairs
                .into_iter()
                .map(|(i, j)| w.add("product", "multiply", float, &[("in1", float, &x[i].0), ("in2", float, &y[j].0)]))
                .collect::<Vec<_>>()
                .into_iter();
            let first = products.next().unwrap_or(Value::Missing);
            products.fold(first, |sum, product| {
                w.add(wish, "add", float, &[("in1", float, &sum), ("in2", float, &product)])
            })
        };
        cells.into_iter().map(|pairs| sum(self, pairs)).collect()
    }
}
