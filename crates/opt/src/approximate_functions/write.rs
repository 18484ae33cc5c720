//! The bodies of the functions.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI, SQRT_2};

use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::entity::{Func, Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use crate::legalize::{float, integer};

/// Magnitude beyond which angles are left to the exact functions.
const LARGEST_ANGLE: f64 = 33_554_432.0;
/// 1.5 · 2^52: a number of at most 2^51 added to it is an integer in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;
/// Bits of the significand of an `f64`.
const SIGNIFICAND: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;
const SIGN: u64 = 1 << 63;

/// Writes the body of the function that computes an op on lanes of `f32`.
pub(super) fn function(module: &mut Module, func: Func, op: Op) {
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let count = builder.module.funcs[func].params.len();
    let args: Vec<Value> = (0..count).map(|i| builder.param(i)).collect();
    let single = builder.type_of(args[0]);
    if matches!(op, Op::Sin | Op::Cos | Op::Tan) {
        let limit = float(&mut builder, single, LARGEST_ANGLE);
        let size = builder.op(Op::Abs, &[args[0]]);
        let large = builder.op(Op::GreaterThan, &[size, limit]);
        let any = builder.op(Op::Any, &[large]);
        let blocks = builder.if_(any);
        builder.switch_to(blocks.then);
        let exact = builder.op(op, &args);
        builder.ret(&[exact]);
        builder.switch_to(blocks.otherwise);
        builder.merge(&[]);
        builder.switch_to(blocks.merge);
    }
    let double = builder.module.types.with_scalar(single, Scalar::F64);
    let bits = builder.module.types.with_scalar(single, Scalar::U64);
    let mut writer = Writer { b: &mut builder, double, bits };
    let args: Vec<Value> = args.into_iter().map(|x| writer.b.convert(x, double)).collect();
    let result = writer.compute(op, &args);
    let rounded = builder.convert(result, single);
    builder.ret(&[rounded]);
    builder.finish();
}

/// Writes operations on lanes of `f64`.
struct Writer<'w, 'm, 'r> {
    b: &'w mut Builder<'m, 'r>,
    double: Type,
    /// Lanes of `u64`.
    bits: Type,
}

impl Writer<'_, '_, '_> {
    fn compute(&mut self, op: Op, args: &[Value]) -> Value {
        let x = args[0];
        match op {
            Op::Exp2 => self.exp2(x),
            Op::Exp => {
                let factor = self.number(LOG2_E);
                let power = self.two(Op::Multiply, x, factor);
                self.exp2(power)
            }
            Op::Log2 => self.log2(x),
            Op::Log => {
                let (log, factor) = (self.log2(x), self.number(LN_2));
                self.two(Op::Multiply, log, factor)
            }
            Op::Pow => self.pow(x, args[1]),
            Op::Sin | Op::Cos | Op::Tan => self.angle(op, x),
            Op::Atan2 => self.atan2(x, args[1]),
            Op::Atan => {
                let one = self.number(1.0);
                self.atan2(x, one)
            }
            _ => {
                // The other side of the triangle with the hypotenuse 1.
                let one = self.number(1.0);
                let (below, above) = (self.two(Op::Subtract, one, x), self.two(Op::Add, one, x));
                let square = self.two(Op::Multiply, below, above);
                let other = self.b.op(Op::Sqrt, &[square]);
                if op == Op::Asin { self.atan2(x, other) } else { self.atan2(other, x) }
            }
        }
    }

    fn number(&mut self, value: f64) -> Value {
        float(self.b, self.double, value)
    }

    fn word(&mut self, value: u64) -> Value {
        integer(self.b, self.bits, value)
    }

    fn two(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op(op, &[x, y])
    }

    fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.b.op(Op::Select, &[condition, then, otherwise])
    }

    fn bits_of(&mut self, x: Value) -> Value {
        self.b.op_typed(Op::Bitcast, &[x], self.bits)
    }

    fn float_of(&mut self, x: Value) -> Value {
        self.b.make(Request::new(Op::Bitcast, &[x]).ty(self.double))
    }

    /// `op(bits of x, word)`, as a float.
    fn with_bits(&mut self, op: Op, x: Value, word: u64) -> Value {
        let (bits, word) = (self.bits_of(x), self.word(word));
        let bits = self.two(op, bits, word);
        self.float_of(bits)
    }

    /// `c0 + x (c1 + x (c2 + …))`
    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let mut sum = self.number(coefficients[coefficients.len() - 1]);
        for &coefficient in coefficients.iter().rev().skip(1) {
            let product = self.two(Op::Multiply, sum, x);
            let coefficient = self.number(coefficient);
            sum = self.two(Op::Add, product, coefficient);
        }
        sum
    }

    /// The nearest integer as a number, and in the low bits of a word.
    fn nearest(&mut self, x: Value) -> (Value, Value) {
        let magic = self.number(MAGIC);
        let shifted = self.two(Op::Add, x, magic);
        let bits = self.bits_of(shifted);
        (self.two(Op::Subtract, shifted, magic), bits)
    }

    fn exp2(&mut self, x: Value) -> Value {
        // Beyond these, `f32` has nothing but 0 and infinity; NaN stays.
        let (low, high) = (self.number(-200.0), self.number(200.0));
        let x = self.b.op(Op::Clamp, &[x, low, high]);
        let (whole, bits) = self.nearest(x);
        let fraction = self.two(Op::Subtract, x, whole);
        let mut coefficients = [1.0; 11];
        for i in 1..coefficients.len() {
            coefficients[i] = coefficients[i - 1] * LN_2 / i as f64;
        }
        let power = self.polynomial(fraction, &coefficients);
        let amount = self.word(52);
        let exponent = self.two(Op::ShiftLeft, bits, amount);
        let bits = self.bits_of(power);
        let bits = self.two(Op::Add, bits, exponent);
        let scaled = self.float_of(bits);
        let is_nan = self.b.op(Op::IsNan, &[x]);
        self.select(is_nan, x, scaled)
    }

    fn log2(&mut self, x: Value) -> Value {
        let bits = self.bits_of(x);
        let (amount, to_float) = (self.word(52), self.word(0x4330 << 48));
        let biased = self.two(Op::ShiftRight, bits, amount);
        let biased = self.two(Op::BitwiseOr, biased, to_float);
        let biased = self.float_of(biased);
        let bias = self.number((1u64 << 52) as f64 + 1023.0);
        let exponent = self.two(Op::Subtract, biased, bias);
        let mask = self.word(SIGNIFICAND);
        let bits = self.two(Op::BitwiseAnd, bits, mask);
        let one_bits = self.word(ONE);
        let bits = self.two(Op::BitwiseOr, bits, one_bits);
        let significand = self.float_of(bits);
        let (root, half, one) = (self.number(SQRT_2), self.number(0.5), self.number(1.0));
        let is_large = self.two(Op::GreaterThan, significand, root);
        let halved = self.two(Op::Multiply, significand, half);
        let m = self.select(is_large, halved, significand);
        let next = self.two(Op::Add, exponent, one);
        let exponent = self.select(is_large, next, exponent);
        let (above, below) = (self.two(Op::Subtract, m, one), self.two(Op::Add, m, one));
        let s = self.two(Op::Divide, above, below);
        let square = self.two(Op::Multiply, s, s);
        let coefficients: [f64; 10] = std::array::from_fn(|i| 2.0 * LOG2_E / (2 * i + 1) as f64);
        let series = self.polynomial(square, &coefficients);
        let log = self.two(Op::Multiply, s, series);
        let log = self.two(Op::Add, log, exponent);
        // 0, infinity, negative numbers, NaN.
        let (zero, infinity) = (self.number(0.0), self.number(f64::INFINITY));
        let (least, nan) = (self.number(f64::NEG_INFINITY), self.number(f64::NAN));
        let is_zero = self.two(Op::Equal, x, zero);
        let is_infinite = self.two(Op::Equal, x, infinity);
        let is_number = self.two(Op::GreaterThanEqual, x, zero);
        let log = self.select(is_zero, least, log);
        let log = self.select(is_infinite, x, log);
        self.select(is_number, log, nan)
    }

    fn pow(&mut self, x: Value, y: Value) -> Value {
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let log = self.log2(x);
        let product = self.two(Op::Multiply, y, log);
        let power = self.exp2(product);
        let (is_one, is_none) = (self.two(Op::Equal, x, one), self.two(Op::Equal, y, zero));
        let is_known = self.two(Op::LogicalOr, is_one, is_none);
        let power = self.select(is_known, one, power);
        let is_negative = self.two(Op::LessThan, x, zero);
        let nan = self.number(f64::NAN);
        self.select(is_negative, nan, power)
    }

    fn angle(&mut self, op: Op, x: Value) -> Value {
        let factor = self.number(1.0 / FRAC_PI_2);
        let turns = self.two(Op::Multiply, x, factor);
        let (whole, quadrant) = self.nearest(turns);
        // π/2 in parts of 27 bits, whose products with the number of quarters are exact, and the rest.
        let high = f64::from_bits(FRAC_PI_2.to_bits() & !((1 << 26) - 1));
        let middle = f64::from_bits((FRAC_PI_2 - high).to_bits() & !((1 << 26) - 1));
        // π/2 - FRAC_PI_2
        let low = (FRAC_PI_2 - high - middle) + 6.123_233_995_736_766e-17;
        let mut rest = x;
        for part in [high, middle, low] {
            let part = self.number(part);
            let product = self.two(Op::Multiply, whole, part);
            rest = self.two(Op::Subtract, rest, product);
        }
        let square = self.two(Op::Multiply, rest, rest);
        let (mut sines, mut cosines) = ([1.0; 7], [1.0; 8]);
        for i in 1..sines.len() {
            sines[i] = -sines[i - 1] / ((2 * i) * (2 * i + 1)) as f64;
        }
        for i in 1..cosines.len() {
            cosines[i] = -cosines[i - 1] / ((2 * i - 1) * (2 * i)) as f64;
        }
        let series = self.polynomial(square, &sines);
        let sine = self.two(Op::Multiply, rest, series);
        let cosine = self.polynomial(square, &cosines);
        let is_odd = self.has_bit(quadrant, 0);
        match op {
            Op::Tan => {
                // In odd quarters it is -cos / sin.
                let (above, below) = (self.select(is_odd, cosine, sine), self.select(is_odd, sine, cosine));
                let quotient = self.two(Op::Divide, above, below);
                let amount = self.word(63);
                let sign = self.two(Op::ShiftLeft, quadrant, amount);
                self.flip(quotient, sign)
            }
            _ => {
                let (even, odd, shift) = if op == Op::Sin { (sine, cosine, 0) } else { (cosine, sine, 1) };
                let value = self.select(is_odd, odd, even);
                // The sign of sin is bit 1 of the quarter; of cos, bit 1 of the next quarter.
                let step = self.word(shift);
                let quadrant = self.two(Op::Add, quadrant, step);
                let amount = self.word(62);
                let sign = self.two(Op::ShiftLeft, quadrant, amount);
                self.flip(value, sign)
            }
        }
    }

    fn has_bit(&mut self, word: Value, bit: u32) -> Value {
        let (mask, zero) = (self.word(1 << bit), self.word(0));
        let set = self.two(Op::BitwiseAnd, word, mask);
        self.two(Op::NotEqual, set, zero)
    }

    /// A number with its sign changed where the highest bit of a word is set.
    fn flip(&mut self, x: Value, word: Value) -> Value {
        let sign = self.word(SIGN);
        let sign = self.two(Op::BitwiseAnd, word, sign);
        let bits = self.bits_of(x);
        let bits = self.two(Op::BitwiseXor, bits, sign);
        self.float_of(bits)
    }

    fn atan2(&mut self, y: Value, x: Value) -> Value {
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let (width, height) = (self.with_bits(Op::BitwiseAnd, x, !SIGN), self.with_bits(Op::BitwiseAnd, y, !SIGN));
        let is_steep = self.two(Op::GreaterThan, height, width);
        let (small, great) = (self.select(is_steep, width, height), self.select(is_steep, height, width));
        let quotient = self.two(Op::Divide, small, great);
        // 0 / 0, and infinity / infinity.
        let is_same = self.two(Op::Equal, small, great);
        let quotient = self.select(is_same, one, quotient);
        let is_zero = self.two(Op::Equal, great, zero);
        let quotient = self.select(is_zero, zero, quotient);
        // Beyond tan(π/8): atan t is π/4 + atan((t - 1) / (t + 1)).
        let limit = self.number(SQRT_2 - 1.0);
        let is_far = self.two(Op::GreaterThan, quotient, limit);
        let (above, below) = (self.two(Op::Subtract, quotient, one), self.two(Op::Add, quotient, one));
        let turned = self.two(Op::Divide, above, below);
        let t = self.select(is_far, turned, quotient);
        let eighth = self.number(FRAC_PI_4);
        let offset = self.select(is_far, eighth, zero);
        let square = self.two(Op::Multiply, t, t);
        let coefficients: [f64; 15] = std::array::from_fn(|i| if i % 2 == 0 { 1.0 } else { -1.0 } / (2 * i + 1) as f64);
        let series = self.polynomial(square, &coefficients);
        let angle = self.two(Op::Multiply, t, series);
        let angle = self.two(Op::Add, offset, angle);
        let quarter = self.number(FRAC_PI_2);
        let rest = self.two(Op::Subtract, quarter, angle);
        let angle = self.select(is_steep, rest, angle);
        // To the left, by the sign bit.
        let half = self.number(PI);
        let rest = self.two(Op::Subtract, half, angle);
        let bits = self.bits_of(x);
        let is_left = self.has_bit(bits, 63);
        let angle = self.select(is_left, rest, angle);
        let (bits, size) = (self.bits_of(y), self.with_bits(Op::BitwiseAnd, angle, !SIGN));
        let angle = self.flip(size, bits);
        // A NaN is neither above nor below anything.
        let (first, second) = (self.b.op(Op::IsNan, &[x]), self.b.op(Op::IsNan, &[y]));
        let is_nan = self.two(Op::LogicalOr, first, second);
        let nan = self.number(f64::NAN);
        self.select(is_nan, nan, angle)
    }
}
