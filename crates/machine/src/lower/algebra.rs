//! Vectors as geometry, and matrices, in operations on scalars: the sequences of `docs/numerics.md`, rounding by rounding.

use planish_ir::entity::Type;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::TypeKind;

use super::memory::one;
use super::{Fallible, Lower};
use crate::code::Arg;
use crate::isa::{Kind, Machine};

/// An operand: its components and its type.
pub(super) type Parts = (Vec<Arg>, Type);

impl<I: Machine> Lower<'_, I> {
    /// The components of the result of an op of this family; `None` for other ops.
    pub(super) fn algebra(&mut self, op: Op, operands: &[Parts], kind: Kind) -> Fallible<Option<Vec<Arg>>> {
        let rows = |lower: &Self, i: usize| match lower.module.types[operands[i].1] {
            TypeKind::Matrix { rows, .. } => usize::from(rows),
            _ => 1,
        };
        let x = &operands[0].0;
        let y = operands.get(1).map_or(x, |y| &y.0);
        Ok(Some(match op {
            Op::Length => vec![self.length(kind, x)?],
            Op::HorizontalAdd => vec![self.sum(kind, x)?],
            Op::HorizontalMin => vec![self.joined(Op::Min, kind, x)?],
            Op::HorizontalMax => vec![self.joined(Op::Max, kind, x)?],
            Op::Distance => {
                let difference = self.zip(Op::Subtract, kind, x, y)?;
                vec![self.length(kind, &difference)?]
            }
            Op::Dot => vec![self.dot(kind, x, y)?],
            Op::Normalize => {
                let length = self.length(kind, x)?;
                self.each(x, |lower, x| lower.step(Op::Divide, kind, x, length))?
            }
            Op::Cross => self.cross(kind, x, y)?,
            Op::Reflect => {
                let dot = self.dot(kind, y, x)?;
                let two = self.number(kind, 2.0);
                let twice = self.step(Op::Multiply, kind, two, dot)?;
                let along = self.each(y, |lower, n| lower.step(Op::Multiply, kind, twice, n))?;
                self.zip(Op::Subtract, kind, x, &along)?
            }
            Op::Refract => self.refract(kind, x, y, operands[2].0[0])?,
            Op::FaceForward => {
                let dot = self.dot(kind, &operands[2].0, y)?;
                let zero = self.number(kind, 0.0);
                let keep = self.operation(Op::LessThan, Imm::NONE, kind, Kind::Bool, &[dot, zero])?;
                let (plus, minus) = (self.number(kind, 1.0), self.number(kind, -1.0));
                let sign = self.operation(Op::Select, Imm::NONE, kind, kind, &[keep, plus, minus])?;
                self.each(x, |lower, n| lower.step(Op::Multiply, kind, n, sign))?
            }
            Op::OuterProduct => {
                let pairs = y.iter().flat_map(|&y| x.iter().map(move |&x| (x, y)));
                pairs.map(|(x, y)| self.step(Op::Multiply, kind, x, y)).collect::<Fallible<_>>()?
            }
            Op::Transpose => {
                let (rows, one) = (rows(self, 0), self.bits(kind, one(kind)));
                let order = (0..rows).flat_map(|row| (0..x.len() / rows).map(move |column| column * rows + row));
                // (An op that is not said to keep the bits of a NaN gives the canonical one.)
                order.map(|i| self.step(Op::Multiply, kind, x[i], one)).collect::<Fallible<_>>()?
            }
            Op::Determinant => vec![self.determinant(kind, x, rows(self, 0))?],
            Op::Inverse => self.inverse(kind, x, rows(self, 0))?,
            Op::MatrixTimesVector => self.times(kind, x, rows(self, 0), y)?,
            Op::VectorTimesMatrix => {
                let columns = y.chunks(rows(self, 1));
                columns.map(|column| self.dot(kind, x, column)).collect::<Fallible<_>>()?
            }
            Op::MatrixTimesMatrix => {
                let mut out = vec![];
                for column in y.chunks(rows(self, 1)) {
                    out.extend(self.times(kind, x, rows(self, 0), column)?);
                }
                out
            }
            _ => return Ok(None),
        }))
    }

    fn number(&mut self, kind: Kind, x: f32) -> Arg {
        let bits = if kind == Kind::F64 { f64::from(x).to_bits() } else { x.to_bits().into() };
        self.bits(kind, bits)
    }

    fn step(&mut self, op: Op, kind: Kind, x: Arg, y: Arg) -> Fallible<Arg> {
        self.operation(op, Imm::NONE, kind, kind, &[x, y])
    }

    fn each(&mut self, x: &[Arg], mut f: impl FnMut(&mut Self, Arg) -> Fallible<Arg>) -> Fallible<Vec<Arg>> {
        x.iter().map(|&x| f(self, x)).collect()
    }

    fn zip(&mut self, op: Op, kind: Kind, x: &[Arg], y: &[Arg]) -> Fallible<Vec<Arg>> {
        x.iter().zip(y).map(|(&x, &y)| self.step(op, kind, x, y)).collect()
    }

    /// From the first term on.
    fn sum(&mut self, kind: Kind, terms: &[Arg]) -> Fallible<Arg> {
        self.joined(Op::Add, kind, terms)
    }

    /// By an op, from the first part on.
    fn joined(&mut self, op: Op, kind: Kind, parts: &[Arg]) -> Fallible<Arg> {
        parts[1..].iter().try_fold(parts[0], |all, &part| self.step(op, kind, all, part))
    }

    fn dot(&mut self, kind: Kind, x: &[Arg], y: &[Arg]) -> Fallible<Arg> {
        let products = self.zip(Op::Multiply, kind, x, y)?;
        self.sum(kind, &products)
    }

    fn root(&mut self, kind: Kind, x: Arg) -> Fallible<Arg> {
        self.operation(Op::Sqrt, Imm::NONE, kind, kind, &[x])
    }

    fn length(&mut self, kind: Kind, x: &[Arg]) -> Fallible<Arg> {
        if let [x] = *x {
            let magnitude = self.operation(Op::Abs, Imm::NONE, kind, kind, &[x])?;
            let one = self.bits(kind, one(kind));
            return self.step(Op::Multiply, kind, magnitude, one);
        }
        let dot = self.dot(kind, x, x)?;
        self.root(kind, dot)
    }

    fn cross(&mut self, kind: Kind, x: &[Arg], y: &[Arg]) -> Fallible<Vec<Arg>> {
        [(1, 2), (2, 0), (0, 1)]
            .into_iter()
            .map(|(i, j)| {
                let (a, b) = (self.step(Op::Multiply, kind, x[i], y[j])?, self.step(Op::Multiply, kind, y[i], x[j])?);
                self.step(Op::Subtract, kind, a, b)
            })
            .collect()
    }

    fn refract(&mut self, kind: Kind, i: &[Arg], n: &[Arg], eta: Arg) -> Fallible<Vec<Arg>> {
        let (zero, one) = (self.number(kind, 0.0), self.number(kind, 1.0));
        let d = self.dot(kind, n, i)?;
        let square = self.step(Op::Multiply, kind, d, d)?;
        let rest = self.step(Op::Subtract, kind, one, square)?;
        let eta2 = self.step(Op::Multiply, kind, eta, eta)?;
        let bent = self.step(Op::Multiply, kind, eta2, rest)?;
        let k = self.step(Op::Subtract, kind, one, bent)?;
        let total = self.operation(Op::LessThan, Imm::NONE, kind, Kind::Bool, &[k, zero])?;
        let (along, root) = (self.step(Op::Multiply, kind, eta, d)?, self.root(kind, k)?);
        let along = self.step(Op::Add, kind, along, root)?;
        let mut out = vec![];
        for (&i, &n) in i.iter().zip(n) {
            let (a, b) = (self.step(Op::Multiply, kind, eta, i)?, self.step(Op::Multiply, kind, along, n)?);
            let bent = self.step(Op::Subtract, kind, a, b)?;
            out.push(self.operation(Op::Select, Imm::NONE, kind, kind, &[total, zero, bent])?);
        }
        Ok(out)
    }

    /// Matrix (by columns of `rows`) times column vector.
    fn times(&mut self, kind: Kind, m: &[Arg], rows: usize, v: &[Arg]) -> Fallible<Vec<Arg>> {
        (0..rows)
            .map(|row| {
                let column: Vec<Arg> = (0..v.len()).map(|column| m[column * rows + row]).collect();
                self.dot(kind, &column, v)
            })
            .collect()
    }

    /// Expansion along the first column. (A matrix has at most four rows, so that this is no deep recursion.)
    fn determinant(&mut self, kind: Kind, m: &[Arg], n: usize) -> Fallible<Arg> {
        match n {
            1 => Ok(m[0]),
            2 => {
                let (a, b) = (self.step(Op::Multiply, kind, m[0], m[3])?, self.step(Op::Multiply, kind, m[2], m[1])?);
                self.step(Op::Subtract, kind, a, b)
            }
            _ => {
                let mut sum = Arg::NONE;
                for row in 0..n {
                    let minor = self.determinant(kind, &minor(m, n, 0, row), n - 1)?;
                    let term = self.step(Op::Multiply, kind, m[row], minor)?;
                    let op = if row % 2 == 1 { Op::Subtract } else { Op::Add };
                    sum = if row == 0 { term } else { self.step(op, kind, sum, term)? };
                }
                Ok(sum)
            }
        }
    }

    /// The transposed cofactors, each divided by the determinant.
    fn inverse(&mut self, kind: Kind, m: &[Arg], n: usize) -> Fallible<Vec<Arg>> {
        let whole = self.determinant(kind, m, n)?;
        (0..n * n)
            .map(|i| {
                let (column, row) = (i % n, i / n);
                let mut cofactor = self.determinant(kind, &minor(m, n, column, row), n - 1)?;
                if (column + row) % 2 == 1 {
                    cofactor = self.operation(Op::Negate, Imm::NONE, kind, kind, &[cofactor])?;
                }
                self.step(Op::Divide, kind, cofactor, whole)
            })
            .collect()
    }
}

/// The matrix (n × n, by columns) without one column and one row.
fn minor(m: &[Arg], n: usize, column: usize, row: usize) -> Vec<Arg> {
    (0..n * n).filter(|i| i / n != column && i % n != row).map(|i| m[i]).collect()
}
