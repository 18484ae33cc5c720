//! Arithmetic on the lanes of 128-bit values.

use planish_ir::builder::Builder;
use planish_ir::entity::Value;
use planish_ir::ops::{LaneShape, Op};
use planish_ir::types::Scalar;

use super::lanes::{halves, joined, number, shape, signed_shape, simd};
use super::values::Parts;

use LaneShape::F64x2;

/// An op on the lanes of 128-bit values, by its definition in `docs/numerics.md`; `None` if they have neither it nor its expansion.
/// Of a comparison, lanes of ones and zeros as wide as the operands'.
pub(super) fn componentwise(b: &mut Builder<'_, '_>, op: Op, scalar: Scalar, args: &[Value]) -> Option<Value> {
    let (x, y) = (args[0], args.get(1).copied());
    let plain = shape(scalar);
    let two = |b: &mut Builder<'_, '_>, op: Op, shape: LaneShape| Some(simd(b, op, shape, &[x, y?]));
    if scalar == Scalar::Bool {
        return Some(match op {
            Op::LogicalNot => b.op(Op::SimdNot, &[x]),
            Op::LogicalAnd => b.op(Op::SimdAnd, &[x, y?]),
            Op::LogicalOr => b.op(Op::SimdOr, &[x, y?]),
            Op::LogicalXor | Op::NotEqual => b.op(Op::SimdXor, &[x, y?]),
            Op::Equal => {
                let differ = b.op(Op::SimdXor, &[x, y?]);
                b.op(Op::SimdNot, &[differ])
            }
            _ => return None,
        });
    }
    match op {
        Op::Add => return two(b, Op::SimdAdd, plain),
        Op::Subtract => return two(b, Op::SimdSubtract, plain),
        Op::Multiply => return two(b, Op::SimdMultiply, plain),
        Op::Equal => return two(b, Op::SimdEqual, plain),
        Op::NotEqual => return two(b, Op::SimdNotEqual, plain),
        Op::Negate => return Some(simd(b, Op::SimdNegate, plain, &[x])),
        Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual if scalar != Scalar::U64 => {
            let op = match op {
                Op::LessThan => Op::SimdLessThan,
                Op::LessThanEqual => Op::SimdLessThanEqual,
                Op::GreaterThan => Op::SimdGreaterThan,
                _ => Op::SimdGreaterThanEqual,
            };
            return two(b, op, signed_shape(scalar));
        }
        _ => {}
    }
    match scalar.is_float() {
        true => float(b, op, scalar, args),
        false => integer(b, op, scalar, args),
    }
}

fn integer(b: &mut Builder<'_, '_>, op: Op, scalar: Scalar, args: &[Value]) -> Option<Value> {
    let (x, y) = (args[0], args.get(1).copied());
    let wide = scalar.bits() == 64;
    Some(match op {
        Op::BitwiseAnd => b.op(Op::SimdAnd, &[x, y?]),
        Op::BitwiseOr => b.op(Op::SimdOr, &[x, y?]),
        Op::BitwiseXor => b.op(Op::SimdXor, &[x, y?]),
        Op::BitwiseNot => b.op(Op::SimdNot, &[x]),
        Op::Abs if !scalar.is_signed() => x,
        Op::Abs => simd(b, Op::SimdAbs, shape(scalar), &[x]),
        Op::Min if !wide => simd(b, Op::SimdMin, signed_shape(scalar), &[x, y?]),
        Op::Max if !wide => simd(b, Op::SimdMax, signed_shape(scalar), &[x, y?]),
        Op::Clamp if !wide => {
            let above = simd(b, Op::SimdMax, signed_shape(scalar), &[x, y?]);
            simd(b, Op::SimdMin, signed_shape(scalar), &[above, args[2]])
        }
        Op::MultiplyAdd => {
            let product = simd(b, Op::SimdMultiply, shape(scalar), &[x, y?]);
            simd(b, Op::SimdAdd, shape(scalar), &[product, args[2]])
        }
        _ => return None,
    })
}

fn float(b: &mut Builder<'_, '_>, op: Op, scalar: Scalar, args: &[Value]) -> Option<Value> {
    let plain = shape(scalar);
    let (x, y, z) = (args[0], args.get(1).copied(), args.get(2).copied());
    let mut calculator = Calculator { b, plain, scalar };
    let c = &mut calculator;
    let value = match op {
        Op::Divide => c.two(Op::SimdDivide, x, y?),
        Op::Abs => c.one(Op::SimdAbs, x),
        Op::Sqrt => c.one(Op::SimdSqrt, x),
        Op::Floor => c.one(Op::SimdFloor, x),
        Op::Ceil => c.one(Op::SimdCeil, x),
        Op::Trunc => c.one(Op::SimdTrunc, x),
        Op::Round | Op::RoundEven => c.one(Op::SimdRoundEven, x),
        Op::Minimum => c.two(Op::SimdMin, x, y?),
        Op::Maximum => c.two(Op::SimdMax, x, y?),
        Op::Min => c.two(Op::SimdPseudoMin, x, y?),
        Op::Max => c.two(Op::SimdPseudoMax, x, y?),
        Op::Clamp => c.clamp(x, y?, z?),
        Op::Saturate => {
            let (zero, one) = (c.number(0.0), c.number(1.0));
            c.clamp(x, zero, one)
        }
        Op::Fract => {
            let floor = c.one(Op::SimdFloor, x);
            c.two(Op::SimdSubtract, x, floor)
        }
        Op::Mod => {
            let quotient = c.two(Op::SimdDivide, x, y?);
            let floor = c.one(Op::SimdFloor, quotient);
            let product = c.two(Op::SimdMultiply, y?, floor);
            c.two(Op::SimdSubtract, x, product)
        }
        Op::Step => {
            let below = c.two(Op::SimdLessThan, y?, x);
            let one = c.number(1.0);
            c.b.op(Op::SimdAndNot, &[one, below])
        }
        Op::Mix => {
            let one = c.number(1.0);
            let rest = c.two(Op::SimdSubtract, one, z?);
            let (left, right) = (c.two(Op::SimdMultiply, x, rest), c.two(Op::SimdMultiply, y?, z?));
            c.two(Op::SimdAdd, left, right)
        }
        Op::Lerp => {
            let difference = c.two(Op::SimdSubtract, y?, x);
            let product = c.two(Op::SimdMultiply, difference, z?);
            c.two(Op::SimdAdd, product, x)
        }
        Op::MultiplyAdd => {
            let product = c.two(Op::SimdMultiply, x, y?);
            c.two(Op::SimdAdd, product, z?)
        }
        Op::SmoothStep => c.smooth_step(x, y?, z?),
        Op::Sign => c.sign(x),
        Op::Radians => {
            let factor = c.number(std::f64::consts::PI / 180.0);
            c.two(Op::SimdMultiply, x, factor)
        }
        Op::Degrees => {
            let factor = c.number(180.0 / std::f64::consts::PI);
            c.two(Op::SimdMultiply, x, factor)
        }
        Op::IsNan => c.two(Op::SimdNotEqual, x, x),
        Op::IsInf => {
            let (size, infinity) = (c.one(Op::SimdAbs, x), c.number(f64::INFINITY));
            c.two(Op::SimdEqual, size, infinity)
        }
        Op::CopySign => {
            let sign = c.number(-0.0);
            c.b.op(Op::SimdSelect, &[y?, x, sign])
        }
        Op::InverseSqrt if scalar == Scalar::F32 => c.inverse_sqrt(x),
        _ => return None,
    };
    // These select an operand; a NaN that an op computes is the canonical one.
    let selects = matches!(op, Op::Min | Op::Max | Op::Clamp | Op::Saturate | Op::Sign);
    Some(if selects && !calculator.b.module.facts.any_nan { calculator.canonical(value) } else { value })
}

/// Arithmetic on lanes of floats.
struct Calculator<'c, 'm, 'r> {
    b: &'c mut Builder<'m, 'r>,
    plain: LaneShape,
    scalar: Scalar,
}

impl Calculator<'_, '_, '_> {
    fn number(&mut self, value: f64) -> Value {
        number(self.b, self.scalar, value)
    }

    fn one(&mut self, op: Op, x: Value) -> Value {
        simd(self.b, op, self.plain, &[x])
    }

    fn two(&mut self, op: Op, x: Value, y: Value) -> Value {
        simd(self.b, op, self.plain, &[x, y])
    }

    /// With the canonical NaN instead of any other.
    fn canonical(&mut self, x: Value) -> Value {
        let (is_nan, nan) = (self.two(Op::SimdNotEqual, x, x), self.number(f64::NAN));
        self.b.op(Op::SimdSelect, &[nan, x, is_nan])
    }

    fn clamp(&mut self, x: Value, low: Value, high: Value) -> Value {
        let above = self.two(Op::SimdPseudoMax, x, low);
        self.two(Op::SimdPseudoMin, above, high)
    }

    fn smooth_step(&mut self, low: Value, high: Value, x: Value) -> Value {
        let (zero, one, two, three) = (self.number(0.0), self.number(1.0), self.number(2.0), self.number(3.0));
        let (from, length) = (self.two(Op::SimdSubtract, x, low), self.two(Op::SimdSubtract, high, low));
        let t = self.two(Op::SimdDivide, from, length);
        let t = self.clamp(t, zero, one);
        let twice = self.two(Op::SimdMultiply, two, t);
        let rest = self.two(Op::SimdSubtract, three, twice);
        let square = self.two(Op::SimdMultiply, t, t);
        self.two(Op::SimdMultiply, square, rest)
    }

    fn sign(&mut self, x: Value) -> Value {
        let (zero, one, minus) = (self.number(0.0), self.number(1.0), self.number(-1.0));
        let (above, below) = (self.two(Op::SimdGreaterThan, x, zero), self.two(Op::SimdLessThan, x, zero));
        let negative = self.b.op(Op::SimdSelect, &[minus, x, below]);
        self.b.op(Op::SimdSelect, &[one, negative, above])
    }

    /// In `f64`, rounded once more.
    fn inverse_sqrt(&mut self, x: Value) -> Value {
        let wide = halves(self.b, &[x], &mut |b, half| b.op(Op::SimdPromote, &[half]));
        let one = number(self.b, Scalar::F64, 1.0);
        let mut inverse = Parts::new();
        for x in wide {
            let root = simd(self.b, Op::SimdSqrt, F64x2, &[x]);
            inverse.push(simd(self.b, Op::SimdDivide, F64x2, &[one, root]));
        }
        joined(self.b, &inverse, &mut |b, part| b.op(Op::SimdDemote, &[part]))[0]
    }
}
