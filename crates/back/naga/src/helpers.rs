//! Functions that the output needs and no target has everywhere.

use naga::{BinaryOperator as Bin, Expression, Handle, Span, Statement, TypeInner};

use crate::module::Context;
use crate::types::{Res, size_of};

/// A function of our own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Helper {
    /// Inverse of an n × n matrix of floats.
    Inverse(u8),
}

type Ex = Handle<Expression>;

impl Context<'_> {
    /// The helper, written when first used. Callers are appended behind it.
    pub(crate) fn helper(&mut self, helper: Helper) -> Res<Handle<naga::Function>> {
        if let Some(&known) = self.helpers.get(&helper) {
            return Ok(known);
        }
        let Helper::Inverse(n) = helper;
        let vector = self.types.vector(naga::Scalar::F32, n);
        let inner = TypeInner::Matrix { columns: size_of(n), rows: size_of(n), scalar: naga::Scalar::F32 };
        let matrix = self.types.insert(None, inner);
        let function = inverse(n, vector, matrix);
        let handle = self.types.naga.functions.append(function, Span::UNDEFINED);
        self.helpers.insert(helper, handle);
        Ok(handle)
    }
}

struct Writer {
    fun: naga::Function,
}

impl Writer {
    fn add(&mut self, e: Expression) -> Ex {
        self.fun.expressions.append(e, Span::UNDEFINED)
    }

    fn binary(&mut self, op: Bin, left: Ex, right: Ex) -> Ex {
        self.add(Expression::Binary { op, left, right })
    }

    fn negate(&mut self, expr: Ex) -> Ex {
        self.add(Expression::Unary { op: naga::UnaryOperator::Negate, expr })
    }

    /// Determinant of these columns and rows of `m` (component by column and row): expanded along the first column, the
    /// terms from the first row on, as `docs/numerics.md` has it.
    fn minor(&mut self, m: &[Vec<Ex>], columns: &[usize], rows: &[usize]) -> Ex {
        if let ([c], [r]) = (columns, rows) {
            return m[*c][*r];
        }
        if let ([a, b], [r, s]) = (columns, rows) {
            let left = self.binary(Bin::Multiply, m[*a][*r], m[*b][*s]);
            let right = self.binary(Bin::Multiply, m[*b][*r], m[*a][*s]);
            return self.binary(Bin::Subtract, left, right);
        }
        let mut sum = None;
        for (i, &r) in rows.iter().enumerate() {
            let rest: Vec<usize> = rows.iter().copied().filter(|&x| x != r).collect();
            let minor = self.minor(m, &columns[1..], &rest);
            let term = self.binary(Bin::Multiply, m[columns[0]][r], minor);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.binary(if i % 2 == 0 { Bin::Add } else { Bin::Subtract }, sum, term),
            });
        }
        sum.expect("not empty")
    }
}

/// The adjugate, each component divided by the determinant.
fn inverse(n: u8, vector: Handle<naga::Type>, matrix: Handle<naga::Type>) -> naga::Function {
    let size = usize::from(n);
    let argument = naga::FunctionArgument { name: Some("m".into()), ty: matrix, binding: None };
    let mut w = Writer {
        fun: naga::Function {
            name: Some(format!("inverse_{n}x{n}")),
            arguments: vec![argument],
            result: Some(naga::FunctionResult { ty: matrix, binding: None }),
            ..naga::Function::default()
        },
    };
    let m = w.add(Expression::FunctionArgument(0));
    let from = w.fun.expressions.len();
    let mut parts: Vec<Vec<Ex>> = vec![];
    for c in 0..n {
        let column = w.add(Expression::AccessIndex { base: m, index: c.into() });
        parts.push((0..n).map(|r| w.add(Expression::AccessIndex { base: column, index: r.into() })).collect());
    }
    let all: Vec<usize> = (0..size).collect();
    let determinant = w.minor(&parts, &all, &all);
    let determinant = w.add(Expression::Splat { size: size_of(n), value: determinant });
    let mut columns = vec![];
    for c in 0..size {
        let mut components = vec![];
        for r in 0..size {
            // Component (c, r) of the adjugate is the cofactor of (r, c).
            let other = |skip: usize| (0..size).filter(|&x| x != skip).collect::<Vec<_>>();
            let mut cofactor = w.minor(&parts, &other(r), &other(c));
            if (c + r) % 2 == 1 {
                cofactor = w.negate(cofactor);
            }
            components.push(cofactor);
        }
        let column = w.add(Expression::Compose { ty: vector, components });
        columns.push(w.binary(Bin::Divide, column, determinant));
    }
    let result = w.add(Expression::Compose { ty: matrix, components: columns });
    let range = w.fun.expressions.range_from(from);
    w.fun.body.push(Statement::Emit(range), Span::UNDEFINED);
    w.fun.body.push(Statement::Return { value: Some(result) }, Span::UNDEFINED);
    w.fun
}
