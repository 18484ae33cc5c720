//! Constructors and matrix ops, which naga does column by column or not at all.

use naga::{BinaryOperator as Bin, UnaryOperator};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use crate::function::{Ex, FunctionLowering};
use crate::helpers::Helper;
use crate::types::{Res, fail};

impl FunctionLowering<'_, '_> {
    fn matrix(&self, ty: Type) -> Option<(Scalar, u8, u8)> {
        match self.cx.types.ir[ty] {
            TypeKind::Matrix { scalar, columns, rows } => Some((scalar, columns, rows)),
            _ => None,
        }
    }

    /// A matrix whose columns `f` makes.
    fn by_columns(&mut self, ty: Type, mut f: impl FnMut(&mut Self, u32) -> Res<Ex>) -> Res<Ex> {
        let (_, columns, _) = self.matrix(ty).expect("a matrix");
        let mut parts = vec![];
        for c in 0..columns.into() {
            parts.push(f(self, c)?);
        }
        self.compose(ty, parts)
    }

    /// Componentwise ops on matrices that are not naga's.
    pub(crate) fn matrix_componentwise(&mut self, op: Bin, ty: Type, a: Ex, b: Ex) -> Res<Ex> {
        self.by_columns(ty, |s, c| {
            let (a, b) = (s.access_index(a, c), s.access_index(b, c));
            Ok(s.binary(op, a, b))
        })
    }

    /// `-x`.
    pub(crate) fn negate(&mut self, x: Ex, ty: Type) -> Res<Ex> {
        if self.matrix(ty).is_some() {
            return self.by_columns(ty, |s, c| {
                let x = s.access_index(x, c);
                Ok(s.unary(UnaryOperator::Negate, x))
            });
        }
        if matches!(self.shape(ty).0, Scalar::U32 | Scalar::U64) {
            let zero = self.splat_number(ty, 0);
            return Ok(self.binary(Bin::Subtract, zero, x));
        }
        Ok(self.unary(UnaryOperator::Negate, x))
    }

    /// Column vector times row vector.
    pub(crate) fn outer_product(&mut self, ty: Type, column: Ex, row: Ex) -> Res<Ex> {
        self.by_columns(ty, |s, c| {
            let factor = s.access_index(row, c);
            Ok(s.binary(Bin::Multiply, column, factor))
        })
    }

    /// Inverse of a square matrix, by a function of its own.
    pub(crate) fn inverse(&mut self, ty: Type, x: Ex) -> Res<Ex> {
        let Some((Scalar::F32, n, _)) = self.matrix(ty) else {
            return fail(Code::E0604, self.span, format!("{} has no inverse of a matrix of doubles", self.cx.target()));
        };
        let function = self.cx.helper(Helper::Inverse(n))?;
        let result = self.pre(naga::Expression::CallResult(function));
        self.push(naga::Statement::Call { function, arguments: vec![x], result: Some(result) });
        Ok(result)
    }

    /// Whether all components are equal, as one boolean.
    pub(crate) fn all_equal(&mut self, ty: Type, a: Ex, b: Ex) -> Res<Ex> {
        let count = match self.kind(ty) {
            TypeKind::Scalar(_) => return Ok(self.binary(Bin::Equal, a, b)),
            TypeKind::Vector(..) => {
                let equal = self.binary(Bin::Equal, a, b);
                return Ok(
                    self.add(naga::Expression::Relational { fun: naga::RelationalFunction::All, argument: equal })
                );
            }
            _ => self.cx.types.ir.part_count(ty),
        };
        let Some(count) = count else { return fail(Code::E0604, self.span, "values of this type cannot be compared") };
        let mut all = None;
        for i in 0..count {
            let part = self.cx.types.ir.part(ty, i).expect("counted");
            let (x, y) = (self.access_index(a, i), self.access_index(b, i));
            let equal = self.all_equal(part, x, y)?;
            all = Some(match all {
                Some(all) => self.binary(Bin::LogicalAnd, all, equal),
                None => equal,
            });
        }
        Ok(match all {
            Some(all) => all,
            None => self.literal(naga::Literal::Bool(true)),
        })
    }

    /// The components of the operands, converted, as runs of scalars and vectors; at most `wanted` of them.
    fn components(&mut self, args: &[Value], to: Scalar, wanted: u8) -> Res<Vec<(Ex, u8)>> {
        let mut parts = vec![];
        let mut left = wanted;
        for &arg in args {
            let value = self.expr(arg)?;
            let ty = self.type_of(arg);
            let mut runs = vec![];
            if let Some((_, columns, rows)) = self.matrix(ty) {
                for c in 0..columns.into() {
                    let column = self.access_index(value, c);
                    runs.push((column, rows));
                }
            } else {
                runs.push((value, self.shape(ty).1));
            }
            let (from, _) = self.shape(ty);
            for (run, n) in runs {
                if left == 0 {
                    break;
                }
                let take = n.min(left);
                let lanes: Vec<u8> = (0..take).collect();
                let run = if take < n { self.swizzle(run, &lanes) } else { run };
                let run = if from == to { run } else { self.convert(run, to) };
                parts.push((run, take));
                left -= take;
            }
        }
        Ok(parts)
    }

    /// A vector of the components of the operands.
    pub(crate) fn vector_from(&mut self, ty: Type, args: &[Value]) -> Res<Ex> {
        let (to, n) = self.shape(ty);
        let parts = self.components(args, to, n)?;
        if let [(whole, size)] = parts[..]
            && size == n
        {
            return Ok(whole);
        }
        self.compose(ty, parts.into_iter().map(|(e, _)| e).collect())
    }

    /// A matrix of the components of the operands, by columns.
    pub(crate) fn matrix_from(&mut self, ty: Type, args: &[Value]) -> Res<Ex> {
        let (to, columns, rows) = self.matrix(ty).expect("a matrix");
        let parts = self.components(args, to, columns * rows)?;
        if parts.iter().all(|&(_, n)| n == rows) {
            return self.compose(ty, parts.into_iter().map(|(e, _)| e).collect());
        }
        let mut scalars = vec![];
        for (e, n) in parts {
            if n == 1 {
                scalars.push(e);
                continue;
            }
            for i in 0..n {
                scalars.push(self.access_index(e, i.into()));
            }
        }
        let column = self.cx.types.ir.vector(to, rows);
        let mut parts = vec![];
        for chunk in scalars.chunks(rows.into()) {
            parts.push(self.compose(column, chunk.to_vec())?);
        }
        self.compose(ty, parts)
    }

    /// A scalar on the diagonal.
    pub(crate) fn matrix_from_scalar(&mut self, ty: Type, arg: Value) -> Res<Ex> {
        let (to, _, rows) = self.matrix(ty).expect("a matrix");
        let (from, _) = self.shape(self.type_of(arg));
        let value = self.expr(arg)?;
        let value = if from == to { value } else { self.convert(value, to) };
        let zero = self.number(to, 0);
        let column = self.cx.types.ir.vector(to, rows);
        self.by_columns(ty, |s, c| {
            let parts = (0..rows.into()).map(|r| if r == c { value } else { zero }).collect();
            s.compose(column, parts)
        })
    }

    /// What two sizes of matrices have in common, the identity elsewhere.
    pub(crate) fn matrix_from_matrix(&mut self, ty: Type, arg: Value) -> Res<Ex> {
        let (to, _, rows) = self.matrix(ty).expect("a matrix");
        let Some((from, have_columns, have_rows)) = self.matrix(self.type_of(arg)) else {
            return fail(Code::E0699, self.span, "a matrix was expected");
        };
        let value = self.expr(arg)?;
        let column_type = self.cx.types.ir.vector(to, rows);
        self.by_columns(ty, |s, c| {
            let unit = |s: &mut Self, r: u32| s.number(to, (r == c).into());
            if c >= have_columns.into() {
                let parts = (0..rows.into()).map(|r| unit(s, r)).collect();
                return s.compose(column_type, parts);
            }
            let column = s.access_index(value, c);
            let column = if from == to { column } else { s.convert(column, to) };
            let lanes: Vec<u8> = (0..rows.min(have_rows)).collect();
            if have_rows == rows {
                return Ok(column);
            }
            if have_rows > rows {
                return Ok(s.swizzle(column, &lanes));
            }
            let mut parts = vec![column];
            for r in have_rows.into()..rows.into() {
                parts.push(unit(s, r));
            }
            s.compose(column_type, parts)
        })
    }

    /// `select` for types that naga cannot select.
    pub(crate) fn select_aggregate(&mut self, ty: Type, condition: Ex, a: Ex, b: Ex) -> Res<Ex> {
        let pointer = self.spill(ty, b)?;
        let (accept, ()) = self.nested(|s| {
            s.push(naga::Statement::Store { pointer, value: a });
            Ok(())
        })?;
        self.push(naga::Statement::If { condition, accept, reject: naga::Block::new() });
        Ok(self.load_pointer(pointer))
    }

    /// An op on matrices that naga has as multiplication.
    pub(crate) fn is_matrix(&self, ty: Type) -> bool {
        self.matrix(ty).is_some()
    }

    /// Two-operand arithmetic on numbers of any shape.
    pub(crate) fn arithmetic(&mut self, op: Op, args: &[Value]) -> Res<Ex> {
        let ty = self.type_of(args[0]);
        let bin = match op {
            Op::Add => Bin::Add,
            Op::Subtract => Bin::Subtract,
            Op::Divide => Bin::Divide,
            _ => Bin::Multiply,
        };
        if self.is_matrix(ty) && matches!(op, Op::Divide | Op::MatrixComponentMultiply) {
            let (a, b) = (self.expr(args[0])?, self.expr(args[1])?);
            return self.matrix_componentwise(bin, ty, a, b);
        }
        if op == Op::Divide {
            return self.divide(Bin::Divide, args);
        }
        let (a, b) = (self.expr(args[0])?, self.expr(args[1])?);
        Ok(self.binary(bin, a, b))
    }
}
