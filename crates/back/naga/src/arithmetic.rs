//! Small pieces of arithmetic, and the ops that naga lacks or that its writers do not all have.

use naga::{BinaryOperator as Bin, Expression, MathFunction as Math, ScalarKind, UnaryOperator};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use crate::function::{Ex, FunctionLowering};
use crate::types::{Res, fail, scalar, size_of};

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

    /// Bits of a shift amount or rotation within the word, as the unsigned type of the same shape.
    fn amount(&mut self, value: Value, ty: Type) -> Res<Ex> {
        let (s, n) = self.shape(self.type_of(value));
        let (word, _) = self.shape(ty);
        let mask = self.number(Scalar::U32, word.bits() as i32 - 1);
        if let Some(c) = value.as_const() {
            // A constant amount must not even look too large.
            let mut bits = vec![];
            self.cx.module.consts.flatten(c, &mut bits);
            let mut parts = vec![];
            for b in bits {
                let part = self.u32(b as u32 & (word.bits() - 1));
                parts.push(part);
            }
            let ty = self.cx.types.ir.vector(Scalar::U32, n);
            return if n == 1 { Ok(parts[0]) } else { self.compose(ty, parts) };
        }
        let mut amount = self.expr(value)?;
        if s != Scalar::U32 {
            amount = self.convert(amount, Scalar::U32);
        }
        let mask = self.splat(mask, n);
        Ok(self.binary(Bin::And, amount, mask))
    }

    /// `x << y`, `x >> y`.
    pub(crate) fn shift(&mut self, op: Bin, args: &[Value]) -> Res<Ex> {
        let x = self.expr(args[0])?;
        let amount = self.amount(args[1], self.type_of(args[0]))?;
        Ok(self.binary(op, x, amount))
    }

    /// Bits rotated.
    pub(crate) fn rotate(&mut self, op: Op, args: &[Value]) -> Res<Ex> {
        let ty = self.type_of(args[0]);
        let (s, n) = self.shape(ty);
        if s.bits() != 32 {
            return fail(Code::E0604, self.span, "rotations of 64-bit integers are not supported here");
        }
        let x = self.expr(args[0])?;
        let x = if s == Scalar::I32 { self.bitcast(x, ScalarKind::Uint) } else { x };
        let amount = self.amount(args[1], ty)?;
        let (zero, mask) = (self.u32(0), self.u32(31));
        let (zero, mask) = (self.splat(zero, n), self.splat(mask, n));
        let back = self.binary(Bin::Subtract, zero, amount);
        let back = self.binary(Bin::And, back, mask);
        let (left, right) = if op == Op::RotateLeft { (amount, back) } else { (back, amount) };
        let up = self.binary(Bin::ShiftLeft, x, left);
        let down = self.binary(Bin::ShiftRight, x, right);
        let both = self.binary(Bin::InclusiveOr, up, down);
        Ok(if s == Scalar::I32 { self.bitcast(both, ScalarKind::Sint) } else { both })
    }

    /// `x / y` or `x % y`. Where a constant integer divisor is 0, 1 does the same: `x / 0` is `x` and `x % 0` is 0.
    pub(crate) fn divide(&mut self, op: Bin, args: &[Value]) -> Res<Ex> {
        let x = self.expr(args[0])?;
        let ty = self.type_of(args[1]);
        let (s, n) = self.shape(ty);
        if s.is_integer()
            && let Some(c) = args[1].as_const()
        {
            let mut bits = vec![];
            self.cx.module.consts.flatten(c, &mut bits);
            if bits.contains(&0) {
                let mut parts = vec![];
                for b in bits {
                    let part = self.number(s, if b == 0 { 1 } else { b as i32 });
                    parts.push(part);
                }
                let y = if n == 1 { parts[0] } else { self.compose(ty, parts)? };
                return Ok(self.binary(op, x, y));
            }
        }
        let y = self.expr(args[1])?;
        Ok(self.binary(op, x, y))
    }

    /// `x - y * floor(x / y)`.
    pub(crate) fn floor_modulo(&mut self, x: Ex, y: Ex) -> Ex {
        let quotient = self.binary(Bin::Divide, x, y);
        let whole = self.math1(Math::Floor, quotient);
        let product = self.binary(Bin::Multiply, y, whole);
        self.binary(Bin::Subtract, x, product)
    }

    /// Whether x is NaN (`infinite`: infinite), by its bits, which no fast-math setting can spoil.
    pub(crate) fn float_test(&mut self, x: Ex, ty: Type, infinite: bool) -> Res<Ex> {
        let (s, n) = self.shape(ty);
        if s != Scalar::F32 {
            return fail(Code::E0604, self.span, format!("{} has no such test of doubles", self.cx.target()));
        }
        let bits = self.bitcast(x, ScalarKind::Uint);
        let (mask, limit) = (self.u32(0x7fff_ffff), self.u32(0x7f80_0000));
        let (mask, limit) = (self.splat(mask, n), self.splat(limit, n));
        let bits = self.binary(Bin::And, bits, mask);
        Ok(self.binary(if infinite { Bin::Equal } else { Bin::Greater }, bits, limit))
    }

    /// x with the sign of y.
    pub(crate) fn copy_sign(&mut self, x: Ex, y: Ex, ty: Type) -> Res<Ex> {
        let (s, n) = self.shape(ty);
        if s != Scalar::F32 {
            return fail(Code::E0604, self.span, format!("{} has no `copysign` of doubles", self.cx.target()));
        }
        let (x, y) = (self.bitcast(x, ScalarKind::Uint), self.bitcast(y, ScalarKind::Uint));
        let (low, high) = (self.u32(0x7fff_ffff), self.u32(0x8000_0000));
        let (low, high) = (self.splat(low, n), self.splat(high, n));
        let (x, y) = (self.binary(Bin::And, x, low), self.binary(Bin::And, y, high));
        let both = self.binary(Bin::InclusiveOr, x, y);
        Ok(self.bitcast(both, ScalarKind::Float))
    }

    /// The smaller or larger number; NaN if either is, and -0 is below 0.
    pub(crate) fn ieee_extreme(&mut self, op: Op, x: Ex, y: Ex, ty: Type) -> Res<Ex> {
        if self.shape(ty).0 != Scalar::F32 {
            return fail(Code::E0604, self.span, format!("{} has no minimum and maximum of doubles", self.cx.target()));
        }
        let (order, join) = if op == Op::Minimum { (Bin::Less, Bin::InclusiveOr) } else { (Bin::Greater, Bin::And) };
        let first = self.binary(order, x, y);
        let chosen = self.select(first, x, y);
        // Equal numbers differ at most in the signs of zeros.
        let (a, b) = (self.bitcast(x, ScalarKind::Uint), self.bitcast(y, ScalarKind::Uint));
        let joined = self.binary(join, a, b);
        let joined = self.bitcast(joined, ScalarKind::Float);
        let equal = self.binary(Bin::Equal, x, y);
        let chosen = self.select(equal, joined, chosen);
        let (a, b) = (self.binary(Bin::NotEqual, x, x), self.binary(Bin::NotEqual, y, y));
        let chosen = self.select(b, y, chosen);
        Ok(self.select(a, x, chosen))
    }

    /// The low `bits` bits, sign-extended.
    pub(crate) fn sign_extend(&mut self, x: Ex, ty: Type, bits: u32) -> Res<Ex> {
        let (s, n) = self.shape(ty);
        let signed = if s.is_signed() { x } else { self.convert(x, Scalar::I32) };
        if s.bits() != 32 {
            return fail(Code::E0604, self.span, "sign extension of 64-bit integers is not supported here");
        }
        let by = self.u32(32 - bits);
        let by = self.splat(by, n);
        let up = self.binary(Bin::ShiftLeft, signed, by);
        let down = self.binary(Bin::ShiftRight, up, by);
        Ok(if s.is_signed() { down } else { self.convert(down, Scalar::U32) })
    }

    /// Functions of geometry, which naga has for vectors only.
    pub(crate) fn geometry(&mut self, op: Op, args: &[Value]) -> Res<Ex> {
        let (_, n) = self.shape(self.type_of(args[0]));
        let mut e = vec![];
        for &a in args {
            e.push(self.expr(a)?);
        }
        if n > 1 {
            let fun = match op {
                Op::Length => Math::Length,
                Op::Normalize => Math::Normalize,
                Op::Distance => Math::Distance,
                Op::Dot => Math::Dot,
                Op::Reflect => Math::Reflect,
                Op::Refract => Math::Refract,
                _ => Math::FaceForward,
            };
            return Ok(self.math(fun, &e));
        }
        Ok(match op {
            Op::Length => self.math1(Math::Abs, e[0]),
            Op::Normalize => {
                let length = self.math1(Math::Abs, e[0]);
                self.binary(Bin::Divide, e[0], length)
            }
            Op::Distance => {
                let difference = self.binary(Bin::Subtract, e[0], e[1]);
                self.math1(Math::Abs, difference)
            }
            Op::Dot => self.binary(Bin::Multiply, e[0], e[1]),
            Op::Reflect => {
                let dot = self.binary(Bin::Multiply, e[1], e[0]);
                let two = self.splat_number(self.type_of(args[0]), 2);
                let twice = self.binary(Bin::Multiply, two, dot);
                let along = self.binary(Bin::Multiply, twice, e[1]);
                self.binary(Bin::Subtract, e[0], along)
            }
            Op::Refract => self.refract_scalar(&e, self.type_of(args[0])),
            _ => {
                let dot = self.binary(Bin::Multiply, e[2], e[1]);
                let zero = self.splat_number(self.type_of(args[0]), 0);
                let front = self.binary(Bin::Less, dot, zero);
                let back = self.unary(UnaryOperator::Negate, e[0]);
                self.select(front, e[0], back)
            }
        })
    }

    /// `k = 1 - eta² (1 - (N·I)²)`; 0 if k < 0, else `eta I - (eta N·I + sqrt(k)) N`.
    fn refract_scalar(&mut self, e: &[Ex], ty: Type) -> Ex {
        let (i, n, eta) = (e[0], e[1], e[2]);
        let (zero, one) = (self.splat_number(ty, 0), self.splat_number(ty, 1));
        let dot = self.binary(Bin::Multiply, n, i);
        let square = self.binary(Bin::Multiply, dot, dot);
        let rest = self.binary(Bin::Subtract, one, square);
        let eta2 = self.binary(Bin::Multiply, eta, eta);
        let scaled = self.binary(Bin::Multiply, eta2, rest);
        let k = self.binary(Bin::Subtract, one, scaled);
        let total = self.binary(Bin::Less, k, zero);
        let root = self.math2(Math::Max, k, zero);
        let root = self.math1(Math::Sqrt, root);
        let straight = self.binary(Bin::Multiply, eta, i);
        let bend = self.binary(Bin::Multiply, eta, dot);
        let bend = self.binary(Bin::Add, bend, root);
        let bend = self.binary(Bin::Multiply, bend, n);
        let refracted = self.binary(Bin::Subtract, straight, bend);
        self.select(total, zero, refracted)
    }

    /// Whether two constant operands are not in ascending order in some component, which WGSL forbids for the bounds
    /// of `clamp` and `smoothstep`.
    fn descending(&self, low: Value, high: Value) -> bool {
        let consts = &self.cx.module.consts;
        let (Some(low), Some(high)) = (low.as_const(), high.as_const()) else { return false };
        let types = &self.cx.module.types;
        let parts = |c| consts.as_parts(c).map_or_else(|| vec![c], <[_]>::to_vec);
        parts(low).into_iter().zip(parts(high)).any(|(a, b)| {
            match (consts.as_float(types, a), consts.as_float(types, b)) {
                // Not "less", so that NaN counts as descending.
                (Some(a), Some(b)) => a.partial_cmp(&b) != Some(std::cmp::Ordering::Less),
                _ => consts.as_integer(types, a) >= consts.as_integer(types, b),
            }
        })
    }

    /// `min(max(x, low), high)`.
    pub(crate) fn clamp(&mut self, args: &[Value]) -> Res<Ex> {
        let (x, low, high) = (self.expr(args[0])?, self.expr(args[1])?, self.expr(args[2])?);
        if self.descending(args[1], args[2]) {
            let above = self.math2(Math::Max, x, low);
            return Ok(self.math2(Math::Min, above, high));
        }
        Ok(self.math(Math::Clamp, &[x, low, high]))
    }

    /// `t = clamp((x - e0) / (e1 - e0), 0, 1)`; `t * t * (3 - 2 * t)`.
    pub(crate) fn smooth_step(&mut self, args: &[Value]) -> Res<Ex> {
        let (e0, e1, x) = (self.expr(args[0])?, self.expr(args[1])?, self.expr(args[2])?);
        if !self.descending(args[0], args[1]) {
            return Ok(self.math(Math::SmoothStep, &[e0, e1, x]));
        }
        let ty = self.type_of(args[2]);
        let way = self.binary(Bin::Subtract, x, e0);
        let whole = self.binary(Bin::Subtract, e1, e0);
        let t = self.binary(Bin::Divide, way, whole);
        let t = self.math1(Math::Saturate, t);
        let (two, three) = (self.splat_number(ty, 2), self.splat_number(ty, 3));
        let twice = self.binary(Bin::Multiply, two, t);
        let rest = self.binary(Bin::Subtract, three, twice);
        let square = self.binary(Bin::Multiply, t, t);
        Ok(self.binary(Bin::Multiply, square, rest))
    }

    /// Sum and carry, or difference and borrow.
    pub(crate) fn with_carry(&mut self, op: Op, args: &[Value]) -> Res<[Ex; 2]> {
        let (_, n) = self.shape(self.type_of(args[0]));
        let signed = self.shape(self.type_of(args[0])).0 == Scalar::I32;
        let (mut a, mut b) = (self.expr(args[0])?, self.expr(args[1])?);
        if signed {
            (a, b) = (self.bitcast(a, ScalarKind::Uint), self.bitcast(b, ScalarKind::Uint));
        }
        let (result, over) = if op == Op::AddCarry {
            let sum = self.binary(Bin::Add, a, b);
            (sum, self.binary(Bin::Less, sum, a))
        } else {
            let difference = self.binary(Bin::Subtract, a, b);
            (difference, self.binary(Bin::Less, a, b))
        };
        let (zero, one) = (self.u32(0), self.u32(1));
        let (zero, one) = (self.splat(zero, n), self.splat(one, n));
        let over = self.select(over, one, zero);
        Ok(if signed {
            [self.bitcast(result, ScalarKind::Sint), self.bitcast(over, ScalarKind::Sint)]
        } else {
            [result, over]
        })
    }

    /// High and low words of a product, by half words.
    pub(crate) fn multiply_extended(&mut self, args: &[Value]) -> Res<[Ex; 2]> {
        let (s, n) = self.shape(self.type_of(args[0]));
        let signed = s == Scalar::I32;
        let (a, b) = (self.expr(args[0])?, self.expr(args[1])?);
        let (ua, ub) =
            if signed { (self.bitcast(a, ScalarKind::Uint), self.bitcast(b, ScalarKind::Uint)) } else { (a, b) };
        let (mask, half) = (self.u32(0xffff), self.u32(16));
        let (mask, half) = (self.splat(mask, n), self.splat(half, n));
        let low = self.binary(Bin::Multiply, ua, ub);
        let (al, ah) = (self.binary(Bin::And, ua, mask), self.binary(Bin::ShiftRight, ua, half));
        let (bl, bh) = (self.binary(Bin::And, ub, mask), self.binary(Bin::ShiftRight, ub, half));
        let ll = self.binary(Bin::Multiply, al, bl);
        let carry = self.binary(Bin::ShiftRight, ll, half);
        let lh = self.binary(Bin::Multiply, al, bh);
        let hl = self.binary(Bin::Multiply, ah, bl);
        let middle = self.binary(Bin::Add, hl, carry);
        let middle_low = self.binary(Bin::And, middle, mask);
        let middle_high = self.binary(Bin::ShiftRight, middle, half);
        let other = self.binary(Bin::Add, lh, middle_low);
        let other = self.binary(Bin::ShiftRight, other, half);
        let hh = self.binary(Bin::Multiply, ah, bh);
        let high = self.binary(Bin::Add, hh, middle_high);
        let mut high = self.binary(Bin::Add, high, other);
        if !signed {
            return Ok([high, low]);
        }
        // Two's complement: subtract the other factor for each negative one.
        for (x, other) in [(a, ub), (b, ua)] {
            let (zero, nothing) = (self.i32(0), self.u32(0));
            let (zero, nothing) = (self.splat(zero, n), self.splat(nothing, n));
            let negative = self.binary(Bin::Less, x, zero);
            let correction = self.select(negative, other, nothing);
            high = self.binary(Bin::Subtract, high, correction);
        }
        Ok([self.bitcast(high, ScalarKind::Sint), self.bitcast(low, ScalarKind::Sint)])
    }
}
