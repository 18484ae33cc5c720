//! Powers and logarithms.

use planish_ir::builder::Builder;
use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::write::Writer;
use crate::legalize::float;

/// `2^f` for `|f| ≤ 1/2`.
const EXP2: [f64; 7] = [
    1.0,
    0.693_147_188_026,
    0.240_226_507_606,
    0.055_503_571_142_2,
    0.009_618_082_557_28,
    0.001_339_086_336_47,
    0.000_154_531_629_451,
];
/// `(e^r - 1 - r) / r²` for `|r| ≤ ln(2)/2`.
const EXP: [f64; 5] = [0.5, 0.166_665_770_256, 0.041_666_554_662_1, 0.008_363_173_074_51, 0.001_392_617_611_99];
/// `(2 artanh(√z) / √z - 2) / z` for `√z ≤ tan(π/8)²`.
const LOG: [f64; 4] = [0.666_666_665_499, 0.400_001_255_946, 0.285_503_969_596, 0.233_419_433_887];
/// `(tanh(√u) / √u - 1) / u` for `u ≤ 0.4`.
const TANH: [f64; 5] =
    [-0.333_333_284_333, 0.133_327_188_456, -0.053_843_263_175_3, 0.020_961_329_108_6, -0.006_045_165_096_52];
/// Beyond it, `tanh` is computed by a power.
const TANH_LIMIT: f64 = 0.632_4;
/// `ln(2)` in two parts: products of the first with exponents are exact.
const LN_2: [f64; 2] = [0.693_145_752, 1.428_606_77e-6];
/// `1 / ln(2)` in two parts, the first of 12 bits.
const LOG2_E: [f64; 2] = [1.442_871_093_75, -1.760_528_539_3e-4];
/// Bits of `√½`.
const HALF_ROOT: u64 = 0x3f35_04f3;
const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
/// Powers of 2 beyond it are 0 or infinity.
const LARGEST_POWER: f64 = 160.0;

/// A power with a small exponent, as products: the error is below that of `pow`. `None` for other exponents.
pub(super) fn product(b: &mut Builder<'_, '_>, x: Value, exponent: f32) -> Option<Value> {
    let ty = b.type_of(x);
    let size = b.op(Op::Abs, &[x]);
    let mut times = |x: Value, y: Value| b.op(Op::Multiply, &[x, y]);
    let power = match exponent {
        1.0 => size,
        2.0 => times(size, size),
        3.0 | 6.0 => {
            let square = times(size, size);
            let cube = times(square, size);
            if exponent == 3.0 { cube } else { times(cube, cube) }
        }
        4.0 | 5.0 | 8.0 => {
            let square = times(size, size);
            let fourth = times(square, square);
            match exponent {
                4.0 => fourth,
                5.0 => times(fourth, size),
                _ => times(fourth, fourth),
            }
        }
        0.5 | 1.5 => {
            let root = b.op(Op::Sqrt, &[size]);
            if exponent == 0.5 { root } else { b.op(Op::Multiply, &[size, root]) }
        }
        _ => return None,
    };
    let (zero, nan) = (float(b, ty, 0.0), float(b, ty, f64::NAN));
    let is_negative = b.op(Op::LessThan, &[x, zero]);
    Some(b.op(Op::Select, &[is_negative, nan, power]))
}

/// `ln(x)` is `e · ln(2) + f - half_square + rest`, with `e` an integer and `f` exact.
struct Logarithm {
    e: Value,
    f: Value,
    half_square: Value,
    rest: Value,
}

impl Writer<'_, '_, '_> {
    pub(super) fn exp2(&mut self, x: Value) -> Value {
        let (low, high) = (self.number(-151.0), self.number(129.0));
        let x = self.b.op(Op::Clamp, &[x, low, high]);
        let (whole, bits) = self.nearest(x);
        let fraction = self.subtract(x, whole);
        let power = self.polynomial(fraction, &EXP2);
        self.times_power(power, bits)
    }

    pub(super) fn exp(&mut self, x: Value) -> Value {
        let (low, high) = (self.number(-105.0), self.number(90.0));
        let x = self.b.op(Op::Clamp, &[x, low, high]);
        let turns = self.scale(x, std::f64::consts::LOG2_E);
        let (whole, bits) = self.nearest(turns);
        let mut r = x;
        for part in LN_2 {
            let product = self.scale(whole, part);
            r = self.subtract(r, product);
        }
        let series = self.polynomial(r, &EXP);
        let square = self.multiply(r, r);
        let rest = self.multiply(series, square);
        let rest = self.add(rest, r);
        let one = self.number(1.0);
        let power = self.add(rest, one);
        self.times_power(power, bits)
    }

    /// `x · 2^n`, with `n` in the low bits of a word. In two steps, of which only the second rounds.
    fn times_power(&mut self, x: Value, bits: Value) -> Value {
        let half = self.word_op(Op::ShiftRight, bits, 1);
        let other = self.subtract(bits, half);
        let mut product = x;
        for exponent in [half, other] {
            let biased = self.word_op(Op::Add, exponent, 127);
            let bits = self.word_op(Op::ShiftLeft, biased, 23);
            let power = self.float_of(bits);
            product = self.multiply(product, power);
        }
        product
    }

    fn logarithm(&mut self, x: Value) -> Logarithm {
        let least = self.number(LEAST_NORMAL);
        let is_small = self.two(Op::LessThan, x, least);
        let larger = self.scale(x, f64::from(1 << 23));
        let normal = self.select(is_small, larger, x);
        let bits = self.bits_of(normal);
        let from_root = self.word_op(Op::Subtract, bits, HALF_ROOT);
        let signed = self.b.module.types.with_scalar(self.single, Scalar::I32);
        let exponent = self.b.op_typed(Op::Bitcast, &[from_root], signed);
        let amount = crate::legalize::integer(self.b, signed, 23);
        let exponent = self.two(Op::ShiftRight, exponent, amount);
        let e = self.b.convert(exponent, self.single);
        let offset = self.choose(is_small, -23.0, 0.0);
        let e = self.add(e, offset);
        let significand = self.word_op(Op::BitwiseAnd, from_root, 0x7f_ffff);
        let significand = self.word_op(Op::Add, significand, HALF_ROOT);
        let m = self.float_of(significand);
        let (one, two) = (self.number(1.0), self.number(2.0));
        let f = self.subtract(m, one);
        let below = self.add(two, f);
        let s = self.two(Op::Divide, f, below);
        let z = self.multiply(s, s);
        let series = self.polynomial(z, &LOG);
        let series = self.multiply(series, z);
        let half = self.scale(f, 0.5);
        let half_square = self.multiply(half, f);
        let sum = self.add(half_square, series);
        let rest = self.multiply(s, sum);
        Logarithm { e, f, half_square, rest }
    }

    /// A logarithm of 0, infinity, negative numbers and NaN.
    fn beyond(&mut self, x: Value, log: Value) -> Value {
        let (zero, infinity) = (self.number(0.0), self.number(f64::INFINITY));
        let (least, nan) = (self.number(f64::NEG_INFINITY), self.number(f64::NAN));
        let is_zero = self.two(Op::Equal, x, zero);
        let is_infinite = self.two(Op::Equal, x, infinity);
        let is_number = self.two(Op::GreaterThanEqual, x, zero);
        let log = self.select(is_zero, least, log);
        let log = self.select(is_infinite, x, log);
        self.select(is_number, log, nan)
    }

    pub(super) fn log(&mut self, x: Value) -> Value {
        let Logarithm { e, f, half_square, rest } = self.logarithm(x);
        let low = self.scale(e, LN_2[1]);
        let sum = self.add(low, rest);
        let sum = self.subtract(sum, half_square);
        let sum = self.add(sum, f);
        let high = self.scale(e, LN_2[0]);
        let sum = self.add(sum, high);
        self.beyond(x, sum)
    }

    /// `log2(x)` as a sum of three numbers: the exponent, and two whose error is about 2^-29 of their sum.
    fn log2_parts(&mut self, x: Value) -> [Value; 3] {
        let Logarithm { e, f, half_square, rest } = self.logarithm(x);
        let high = self.subtract(f, half_square);
        let high = self.upper_part(high);
        let low = self.subtract(f, high);
        let low = self.subtract(low, half_square);
        let low = self.add(low, rest);
        let first = self.scale(high, LOG2_E[0]);
        let sum = self.add(low, high);
        let second = self.scale(sum, LOG2_E[1]);
        let third = self.scale(low, LOG2_E[0]);
        [e, first, self.add(second, third)]
    }

    /// The sum of two numbers, of which the first is greater or zero, and its error.
    fn sum_with_error(&mut self, x: Value, y: Value) -> [Value; 2] {
        let sum = self.add(x, y);
        let error = self.subtract(x, sum);
        [sum, self.add(error, y)]
    }

    pub(super) fn log2(&mut self, x: Value) -> Value {
        let [e, high, low] = self.log2_parts(x);
        let [sum, error] = self.sum_with_error(e, high);
        let low = self.add(low, error);
        let log = self.add(low, sum);
        self.beyond(x, log)
    }

    /// `2^(y · log2(x))`, with the logarithm and the product in two parts each.
    pub(super) fn pow(&mut self, x: Value, y: Value) -> Value {
        let [e, first, rest] = self.log2_parts(x);
        let [sum, error] = self.sum_with_error(e, first);
        let low = self.add(error, rest);
        let log = self.add(sum, low);
        let log_high = self.upper_part(log);
        let log_low = self.subtract(sum, log_high);
        let log_low = self.add(log_low, error);
        let log_low = self.add(log_low, rest);
        let y_high = self.upper_part(y);
        let y_low = self.subtract(y, y_high);
        let (cross, small) = (self.multiply(y_low, log_high), self.multiply(y, log_low));
        let (high, low) = (self.multiply(y_high, log_high), self.add(cross, small));
        // The plain product is enough for powers that are 0 or infinite, and for infinite operands.
        let (zero, infinity) = (self.number(0.0), self.number(f64::INFINITY));
        let least = self.number(f64::NEG_INFINITY);
        let (is_zero, is_infinite) = (self.two(Op::Equal, x, zero), self.two(Op::Equal, x, infinity));
        let log = self.select(is_zero, least, log);
        let log = self.select(is_infinite, x, log);
        let product = self.multiply(y, log);
        let size = self.b.op(Op::Abs, &[product]);
        let limit = self.number(LARGEST_POWER);
        let is_ordinary = self.two(Op::LessThan, size, limit);
        let (lowest, highest) = (self.number(-152.0), self.number(130.0));
        let bounded = self.b.op(Op::Clamp, &[product, lowest, highest]);
        let high = self.select(is_ordinary, high, bounded);
        let low = self.select(is_ordinary, low, zero);
        let power = self.exp2_of_sum(high, low);
        let is_number = self.two(Op::GreaterThanEqual, x, zero);
        let (one, nan) = (self.number(1.0), self.number(f64::NAN));
        let power = self.select(is_number, power, nan);
        let (is_one, is_none) = (self.two(Op::Equal, x, one), self.two(Op::Equal, y, zero));
        let is_known = self.two(Op::LogicalOr, is_one, is_none);
        let power = self.select(is_known, one, power);
        let is_negative = self.two(Op::LessThan, x, zero);
        self.select(is_negative, nan, power)
    }

    /// `2^(high + low)`
    fn exp2_of_sum(&mut self, high: Value, low: Value) -> Value {
        let sum = self.add(high, low);
        let (lowest, highest) = (self.number(-152.0), self.number(130.0));
        let sum = self.b.op(Op::Clamp, &[sum, lowest, highest]);
        let (whole, bits) = self.nearest(sum);
        // Of parts beyond the bounds any fraction will do: the power is 0 or infinite.
        let high = self.b.op(Op::Clamp, &[high, lowest, highest]);
        let fraction = self.subtract(high, whole);
        let fraction = self.add(fraction, low);
        let power = self.polynomial(fraction, &EXP2);
        self.times_power(power, bits)
    }

    pub(super) fn tanh(&mut self, x: Value) -> Value {
        let size = self.b.op(Op::Abs, &[x]);
        let square = self.multiply(x, x);
        let near = self.odd(size, square, &TANH);
        let twice = self.add(size, size);
        let power = self.exp(twice);
        let (one, two) = (self.number(1.0), self.number(2.0));
        let below = self.add(power, one);
        let quotient = self.two(Op::Divide, two, below);
        let far = self.subtract(one, quotient);
        let limit = self.number(TANH_LIMIT);
        let is_far = self.two(Op::GreaterThanEqual, size, limit);
        let value = self.select(is_far, far, near);
        let sign = self.sign_of(x);
        self.flip(value, sign)
    }
}
