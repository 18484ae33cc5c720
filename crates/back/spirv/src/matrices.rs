//! Vectors and matrices made of other numbers, and matrix ops that SPIR-V does column by column.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Imm;
use planish_ir::types::{Scalar, TypeKind};
use spirv::Op as S;

use crate::assemble::Id;
use crate::constants::bits_of;
use crate::function::FunctionWriter;
use crate::ops::Instruction;
use crate::types::{Res, fail};

impl FunctionWriter<'_, '_> {
    fn matrix(&self, ty: Type) -> Option<(Scalar, u8, u8)> {
        match self.cx.types[ty] {
            TypeKind::Matrix { scalar, columns, rows } => Some((scalar, columns, rows)),
            _ => None,
        }
    }

    /// An instruction on the columns of matrices of one type.
    pub(crate) fn by_columns(&mut self, ty: Type, instruction: Instruction, operands: &[Id]) -> Res<Id> {
        let Some((scalar, columns, rows)) = self.matrix(ty) else {
            return fail(Code::E0699, self.span, "a matrix was expected");
        };
        let column = self.cx.types.vector(scalar, rows);
        let mut made = vec![];
        for c in 0..columns.into() {
            let parts: Vec<Id> = operands.iter().map(|&m| self.part(m, column, c)).collect();
            made.push(self.apply(instruction, column, &parts));
        }
        Ok(self.compose(ty, &made))
    }

    /// Column vector times row vector, if the matrix is not square: column by column, because naga's reader takes
    /// `OpOuterProduct` for a matrix of the other shape.
    pub(crate) fn oblong_product(&mut self, ty: Type, column: Id, row: Id) -> Option<Id> {
        let (scalar, columns, rows) = self.matrix(ty).filter(|(_, columns, rows)| columns != rows)?;
        let (one, part) = (self.cx.types.scalar(scalar), self.cx.types.vector(scalar, rows));
        let mut made = vec![];
        for c in 0..columns.into() {
            let factor = self.part(row, one, c);
            made.push(self.op2(S::VectorTimesScalar, part, column, factor));
        }
        Some(self.compose(ty, &made))
    }

    /// The components of the operands, converted, as runs of scalars and vectors with their sizes; `wanted` of them.
    fn components(&mut self, imm: Imm, args: &[Value], to: Scalar, wanted: u8) -> Res<Vec<(Id, u8)>> {
        let mut parts = vec![];
        let mut left = wanted;
        for &arg in args {
            let (value, ty) = (self.id(arg)?, self.type_of(arg));
            let mut runs = vec![];
            match self.matrix(ty) {
                Some((scalar, columns, rows)) => {
                    let column = self.cx.types.vector(scalar, rows);
                    for c in 0..columns.min(left.div_ceil(rows)).into() {
                        runs.push((self.part(value, column, c), column));
                    }
                }
                None => runs.push((value, ty)),
            }
            for (run, ty) in runs {
                if left == 0 {
                    break;
                }
                let (from, n) = self.shape(ty);
                let take = n.min(left);
                let (run, ty) = if take < n { self.first_components(run, from, take) } else { (run, ty) };
                parts.push((self.convert(imm, run, ty, to)?, take));
                left -= take;
            }
        }
        Ok(parts)
    }

    /// The first components of a vector.
    fn first_components(&mut self, vector: Id, scalar: Scalar, count: u8) -> (Id, Type) {
        let ty = self.cx.types.vector(scalar, count);
        if count == 1 {
            return (self.part(vector, ty, 0), ty);
        }
        let mut operands = vec![vector, vector];
        operands.extend(0..u32::from(count));
        let id = self.cx.number(ty);
        (self.emit(S::VectorShuffle, id, &operands), ty)
    }

    /// A vector of the components of the operands.
    pub(crate) fn vector_from(&mut self, imm: Imm, ty: Type, args: &[Value]) -> Res<Id> {
        let (to, n) = self.shape(ty);
        let parts = self.components(imm, args, to, n)?;
        if let [(whole, _)] = parts[..] {
            return Ok(whole);
        }
        let ids: Vec<Id> = parts.into_iter().map(|(id, _)| id).collect();
        Ok(self.compose(ty, &ids))
    }

    /// A matrix of the components of the operands, by columns.
    pub(crate) fn matrix_from(&mut self, ty: Type, args: &[Value]) -> Res<Id> {
        let Some((to, columns, rows)) = self.matrix(ty) else {
            return fail(Code::E0699, self.span, "a matrix was expected");
        };
        let parts = self.components(Imm::NONE, args, to, columns * rows)?;
        if parts.iter().all(|&(_, n)| n == rows) {
            let ids: Vec<Id> = parts.into_iter().map(|(id, _)| id).collect();
            return Ok(self.compose(ty, &ids));
        }
        let one = self.cx.types.scalar(to);
        let mut scalars = vec![];
        for (id, n) in parts {
            if n == 1 {
                scalars.push(id);
                continue;
            }
            for i in 0..n {
                scalars.push(self.part(id, one, i.into()));
            }
        }
        let column = self.cx.types.vector(to, rows);
        let columns: Vec<Id> = scalars.chunks(rows.into()).map(|chunk| self.compose(column, chunk)).collect();
        Ok(self.compose(ty, &columns))
    }

    /// A scalar on the diagonal.
    pub(crate) fn matrix_from_scalar(&mut self, ty: Type, arg: Value) -> Res<Id> {
        let Some((to, columns, rows)) = self.matrix(ty) else {
            return fail(Code::E0699, self.span, "a matrix was expected");
        };
        let value = self.id(arg)?;
        let value = self.convert(Imm::NONE, value, self.type_of(arg), to)?;
        let zero = self.cx.scalar(to, 0);
        let column = self.cx.types.vector(to, rows);
        let mut made = vec![];
        for c in 0..columns {
            let parts: Vec<Id> = (0..rows).map(|r| if r == c { value } else { zero }).collect();
            made.push(self.compose(column, &parts));
        }
        Ok(self.compose(ty, &made))
    }

    /// What two sizes of matrices have in common, the identity elsewhere.
    pub(crate) fn matrix_from_matrix(&mut self, ty: Type, arg: Value) -> Res<Id> {
        let (Some((to, columns, rows)), Some((from, have_columns, have_rows))) =
            (self.matrix(ty), self.matrix(self.type_of(arg)))
        else {
            return fail(Code::E0699, self.span, "a matrix was expected");
        };
        let value = self.id(arg)?;
        let (column, old) = (self.cx.types.vector(to, rows), self.cx.types.vector(from, have_rows));
        let mut made = vec![];
        for c in 0..columns {
            let unit = |s: &mut Self, r: u8| s.cx.scalar(to, bits_of(to, (r == c).into()));
            if c >= have_columns {
                let parts: Vec<Id> = (0..rows).map(|r| unit(self, r)).collect();
                made.push(self.compose(column, &parts));
                continue;
            }
            let mut run = (self.part(value, old, c.into()), old);
            if have_rows > rows {
                run = self.first_components(run.0, from, rows);
            }
            let mut parts = vec![self.convert(Imm::NONE, run.0, run.1, to)?];
            parts.extend((have_rows.min(rows)..rows).map(|r| unit(self, r)));
            made.push(if let [whole] = parts[..] { whole } else { self.compose(column, &parts) });
        }
        Ok(self.compose(ty, &made))
    }
}
