//! Small pieces of arithmetic.

use naga::{BinaryOperator as Bin, Expression, MathFunction as Math, ScalarKind, UnaryOperator};
use planish_ir::entity::{Type, Value};
use planish_ir::types::Scalar;

use crate::function::{Ex, FunctionLowering};
use crate::types::{Res, scalar, size_of};

impl FunctionLowering<'_, '_> {
    pub(crate) fn unary(&mut self, op: UnaryOperator, expr: Ex) -> Ex {
        self.add(Expression::Unary { op, expr })
    }

    pub(crate) fn binary(&mut self, op: Bin, left: Ex, right: Ex) -> Ex {
        self.add(Expression::Binary { op, left, right })
    }

    pub(crate) fn math(&mut self, fun: Math, args: &[Ex]) -> Ex {
        let at = |i: usize| args.get(i).copied();
        self.add(Expression::Math { fun, arg: args[0], arg1: at(1), arg2: at(2), arg3: at(3) })
    }

    pub(crate) fn math1(&mut self, fun: Math, a: Ex) -> Ex {
        self.math(fun, &[a])
    }

    pub(crate) fn math2(&mut self, fun: Math, a: Ex, b: Ex) -> Ex {
        self.math(fun, &[a, b])
    }

    /// `accept` where the condition holds.
    pub(crate) fn select(&mut self, condition: Ex, accept: Ex, reject: Ex) -> Ex {
        self.add(Expression::Select { condition, accept, reject })
    }

    /// A vector of `n` equal components; the scalar itself for 1.
    pub(crate) fn splat(&mut self, value: Ex, n: u8) -> Ex {
        if n == 1 { value } else { self.add(Expression::Splat { size: size_of(n), value }) }
    }

    /// A composite of its parts.
    pub(crate) fn compose(&mut self, ty: Type, components: Vec<Ex>) -> Res<Ex> {
        let ty = self.cx.types.value(ty, self.span)?;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// Components of a vector, in this order; one is a scalar.
    pub(crate) fn swizzle(&mut self, vector: Ex, lanes: &[u8]) -> Ex {
        use naga::SwizzleComponent as C;
        if let [lane] = lanes {
            return self.access_index(vector, (*lane).into());
        }
        let mut pattern = [C::X; 4];
        for (p, &lane) in pattern.iter_mut().zip(lanes) {
            *p = [C::X, C::Y, C::Z, C::W][lane as usize];
        }
        self.add(Expression::Swizzle { size: size_of(lanes.len() as u8), vector, pattern })
    }

    /// Same bits, other kind; 32-bit.
    pub(crate) fn bitcast(&mut self, expr: Ex, kind: ScalarKind) -> Ex {
        self.add(Expression::As { expr, kind, convert: None })
    }

    /// Conversion of every component.
    pub(crate) fn convert(&mut self, expr: Ex, to: Scalar) -> Ex {
        let to = scalar(to);
        self.add(Expression::As { expr, kind: to.kind, convert: Some(to.width) })
    }

    /// A `u32` of a 32-bit integer.
    pub(crate) fn as_u32(&mut self, expr: Ex) -> Ex {
        self.convert(expr, Scalar::U32)
    }

    /// `x << y`, `x >> y`, by a `u32` of the same shape.
    pub(crate) fn shift(&mut self, op: Bin, args: &[Value]) -> Res<Ex> {
        let (x, mut amount) = (self.expr(args[0])?, self.expr(args[1])?);
        let (s, n) = self.shape(self.type_of(args[1]));
        if let Some(c) = args[1].as_const().filter(|_| s != Scalar::U32) {
            let mut bits = vec![];
            self.cx.module.consts.flatten(c, &mut bits);
            let parts: Vec<Ex> = bits.into_iter().map(|b| self.u32(b as u32)).collect();
            let ty = self.cx.types.ir.vector(Scalar::U32, n);
            amount = if let [one] = parts[..] { one } else { self.compose(ty, parts)? };
        } else if s != Scalar::U32 {
            amount = self.convert(amount, Scalar::U32);
        }
        Ok(self.binary(op, x, amount))
    }
}
