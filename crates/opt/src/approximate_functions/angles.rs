//! Functions of angles, and angles.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};

use planish_ir::builder::Results;
use planish_ir::entity::{Func, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use smallvec::smallvec;

use super::Reach;
use super::write::{SIGN, Writer};
use crate::legalize::float;

/// Magnitude up to which angles are reduced in three parts: multiples of π and a half have 7 bits.
pub(super) const SMALL_ANGLE: f64 = 190.0;
/// Magnitude beyond which angles are reduced in `f64`.
pub(super) const LARGE_ANGLE: f64 = 25_000.0;
/// Magnitude beyond which angles are left to the exact functions.
const LARGEST_ANGLE: f64 = 33_554_432.0;
/// 1.5 · 2^52, see [`Writer::nearest`].
const MAGIC: f64 = 6_755_399_441_055_744.0;
/// `π - PI`
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;
/// Bits of an `f32`'s significand that [`parts`] leaves out, so that products with numbers of so many bits are exact, and number of parts:
/// for small angles, and for others.
const PARTS_OF_SMALL: (u32, usize) = (7, 3);
const PARTS: (u32, usize) = (14, 5);

/// `(sin(√u) / √u - 1) / u` for `√u ≤ π/2`.
const SIN: [f64; 4] = [-0.166_666_659_610_3, 0.008_333_241_864_006, -0.000_198_227_029_276_4, 2.634_638_004_339e-6];
/// The same for `√u ≤ π/4`, and `(cos(√u) - 1 + u/2) / u²`.
const SIN_OF_QUARTER: [f64; 3] = [-0.166_666_646_623, 0.008_332_748_270_63, -1.958_789_088_04e-4];
const COS_OF_QUARTER: [f64; 3] = [0.041_666_664_659_5, -0.001_388_830_303_59, 2.454_794_208_51e-5];
/// `(tan(√u) / √u - 1) / u` for `√u ≤ π/4`.
const TAN: [f64; 6] = [
    0.333_333_240_813,
    0.133_344_051_934,
    0.053_769_976_189_3,
    0.023_185_047_283_8,
    0.005_049_504_510_65,
    0.008_285_446_957_46,
];
/// `(atan(√u) / √u - 1) / u` for `√u ≤ tan(π/8)`.
const ATAN: [f64; 5] =
    [-0.333_333_317_538, 0.199_995_387_948, -0.142_638_971_126, 0.107_430_996_677, -0.064_498_352_245_9];
/// `(asin(√u) / √u - 1) / u` for `√u ≤ 1/2`.
const ASIN: [f64; 5] =
    [0.166_666_724_148, 0.074_988_550_726, 0.045_001_380_069_9, 0.026_554_542_206_2, 0.038_085_023_561_1];

/// A number as an `f32`, and the rest as another.
fn in_two(x: f64) -> [f64; 2] {
    let high = f64::from(x as f32);
    [high, x - high]
}

/// A number and its `rest` in so many numbers of `f32`, of which all but the last lack their low bits.
fn parts(number: f64, rest: f64, (low_bits, count): (u32, usize)) -> Vec<f64> {
    let mut left = number;
    let mut parts = Vec::new();
    for _ in 1..count {
        let part = f64::from(f32::from_bits((left as f32).to_bits() >> low_bits << low_bits));
        left -= part;
        parts.push(part);
    }
    parts.push(left + rest);
    parts
}

/// A function of angles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Angle {
    /// `sin`, `cos` or `tan`.
    One(Op),
    /// Sine and cosine.
    SinCos,
}

/// Reduction of an angle by multiples of `unit`, whose number is an integer less `offset`.
#[derive(Clone, Copy)]
struct Turn {
    unit: f64,
    /// The rest of the unit beyond `f64`.
    rest: f64,
    offset: f64,
}

impl Turn {
    /// That of a function: cos(x) is sin(x + π/2).
    fn of(angle: Angle) -> Self {
        match angle {
            Angle::One(Op::Tan) | Angle::SinCos => Turn { unit: FRAC_PI_2, rest: PI_REST / 2.0, offset: 0.0 },
            Angle::One(Op::Cos) => Turn { unit: PI, rest: PI_REST, offset: 0.5 },
            Angle::One(_) => Turn { unit: PI, rest: PI_REST, offset: 0.0 },
        }
    }
}

impl Writer<'_, '_, '_> {
    /// A function of angles up to `reach`; `far` is the function for angles of which one is beyond [`LARGE_ANGLE`], if there may be any.
    pub(super) fn angle(&mut self, angle: Angle, x: Value, (reach, far): (Reach, Option<Func>)) -> Results {
        let size = self.b.op(Op::Abs, &[x]);
        if let Some(far) = far {
            let is_any_large = self.is_any_above(size, LARGE_ANGLE);
            let large = self.b.if_(is_any_large);
            self.b.switch_to(large.then);
            let results = self.b.call(far.into(), &[x]);
            self.b.ret(&results);
            self.b.switch_to(large.otherwise);
            self.b.merge(&[]);
            self.b.switch_to(large.merge);
        }
        let count = if reach == Reach::Small { PARTS_OF_SMALL } else { PARTS };
        let reduced = self.reduced(size, Turn::of(angle), count);
        self.of_reduced(angle, x, reduced)
    }

    /// As [`Writer::angle`], for angles of any size: in `f64`, or by the exact functions if a lane is beyond [`LARGEST_ANGLE`].
    pub(super) fn far_angle(&mut self, angle: Angle, x: Value) -> Results {
        let size = self.b.op(Op::Abs, &[x]);
        let is_any_largest = self.is_any_above(size, LARGEST_ANGLE);
        let largest = self.b.if_(is_any_largest);
        self.b.switch_to(largest.then);
        let exact: Results = match angle {
            Angle::One(op) => smallvec![self.b.op(op, &[x])],
            Angle::SinCos => [Op::Sin, Op::Cos].map(|op| self.b.op(op, &[x])).into(),
        };
        self.b.ret(&exact);
        self.b.switch_to(largest.otherwise);
        self.b.merge(&[]);
        self.b.switch_to(largest.merge);
        let reduced = self.reduced_in_f64(size, Turn::of(angle));
        self.of_reduced(angle, x, reduced)
    }

    /// The function of an angle whose magnitude was reduced.
    fn of_reduced(&mut self, angle: Angle, x: Value, (rest, turns): (Value, Value)) -> Results {
        // (The sum of zeros of both signs is 0: the sign of -0 would be lost.)
        let sign = self.sign_of(x);
        let square = self.multiply(rest, rest);
        match angle {
            Angle::SinCos => self.both(rest, square, (turns, sign)).into(),
            Angle::One(Op::Tan) => {
                let is_odd = self.is_set(turns, 0);
                // In odd quarters it is -1 / tan.
                let (tangent, one, minus) = (self.odd(rest, square, &TAN), self.number(1.0), self.number(-1.0));
                let (above, below) = (self.select(is_odd, minus, tangent), self.select(is_odd, tangent, one));
                let quotient = self.two(Op::Divide, above, below);
                smallvec![self.flip(quotient, sign)]
            }
            Angle::One(op) => {
                // The sign changes with each half turn.
                let sine = self.odd(rest, square, &SIN);
                let mut change = self.word_op(Op::ShiftLeft, turns, 31);
                if op == Op::Sin {
                    change = self.two(Op::BitwiseXor, change, sign);
                }
                smallvec![self.flip(sine, change)]
            }
        }
    }

    /// Sine and cosine of a rest of at most π/4, and a number of quarter turns.
    fn both(&mut self, rest: Value, square: Value, (turns, sign): (Value, Value)) -> [Value; 2] {
        let sine = self.odd(rest, square, &SIN_OF_QUARTER);
        let (half, one) = (self.scale(square, 0.5), self.number(1.0));
        let near_one = self.subtract(one, half);
        let fourth = self.multiply(square, square);
        let series = self.polynomial(square, &COS_OF_QUARTER);
        let series = self.multiply(series, fourth);
        let cosine = self.add(near_one, series);
        // In odd quarters they change places. The sine is negative in the second half of a turn, the cosine in its middle half.
        let (low, zero) = (self.word_op(Op::BitwiseAnd, turns, 1), self.integer(0));
        let is_even = self.two(Op::Equal, low, zero);
        let (first, second) = (self.select(is_even, sine, cosine), self.select(is_even, cosine, sine));
        let half_turn = self.word_op(Op::ShiftLeft, turns, 30);
        let next = self.word_op(Op::Add, turns, 1);
        let next = self.word_op(Op::ShiftLeft, next, 30);
        let (sine_sign, cosine_sign) =
            (self.word_op(Op::BitwiseAnd, half_turn, SIGN), self.word_op(Op::BitwiseAnd, next, SIGN));
        let sine_sign = self.two(Op::BitwiseXor, sine_sign, sign);
        [self.flip(first, sine_sign), self.flip(second, cosine_sign)]
    }

    /// The magnitude of an angle less its multiple of a turn, and the number of turns in the low bits of a word.
    fn reduced(&mut self, size: Value, turn: Turn, count: (u32, usize)) -> (Value, Value) {
        let mut turns = self.scale(size, 1.0 / turn.unit);
        if turn.offset != 0.0 {
            let offset = self.number(turn.offset);
            turns = self.add(turns, offset);
        }
        let (mut whole, number) = self.nearest(turns);
        if turn.offset != 0.0 {
            let offset = self.number(turn.offset);
            whole = self.subtract(whole, offset);
        }
        let mut rest = size;
        for part in parts(turn.unit, turn.rest, count) {
            let product = self.scale(whole, part);
            rest = self.subtract(rest, product);
        }
        (rest, number)
    }

    fn is_any_above(&mut self, size: Value, limit: f64) -> Value {
        let limit = self.number(limit);
        let above = self.two(Op::GreaterThan, size, limit);
        self.b.op(Op::Any, &[above])
    }

    fn reduced_in_f64(&mut self, x: Value, turn: Turn) -> (Value, Value) {
        let double = self.b.module.types.with_scalar(self.single, Scalar::F64);
        let wide = self.b.module.types.with_scalar(self.single, Scalar::U64);
        // 27 bits, and the rest.
        let high = f64::from_bits(turn.unit.to_bits() & !((1 << 26) - 1));
        let parts = [high, turn.unit - high + turn.rest];
        let x = self.b.convert(x, double);
        let [factor, offset, magic] = [1.0 / turn.unit, turn.offset, MAGIC].map(|number| float(self.b, double, number));
        let turns = self.multiply(x, factor);
        let turns = self.add(turns, offset);
        let shifted = self.add(turns, magic);
        let whole = self.subtract(shifted, magic);
        let whole = self.subtract(whole, offset);
        let mut rest = x;
        for part in parts {
            let part = float(self.b, double, part);
            let product = self.multiply(whole, part);
            rest = self.subtract(rest, product);
        }
        let bits = self.b.op_typed(Op::Bitcast, &[shifted], wide);
        (self.b.convert(rest, self.single), self.b.convert(bits, self.word))
    }

    pub(super) fn atan2(&mut self, y: Value, x: Value) -> Value {
        let (width, height) = (self.b.op(Op::Abs, &[x]), self.b.op(Op::Abs, &[y]));
        let is_steep = self.two(Op::GreaterThan, height, width);
        let (small, great) = (self.select(is_steep, width, height), self.select(is_steep, height, width));
        // So that the sum of both is finite.
        let huge = self.number(4.0e37);
        let is_huge = self.two(Op::GreaterThan, great, huge);
        let factor = self.choose(is_huge, 0.25, 1.0);
        let (low, high) = (self.multiply(small, factor), self.multiply(great, factor));
        // Beyond tan(π/8): atan(y / x) is π/4 + atan((y - x) / (y + x)).
        let limit = self.scale(high, SQRT_2 - 1.0);
        let most = self.number(f32::MAX.into());
        let limit = self.two(Op::Min, limit, most);
        let is_far = self.two(Op::GreaterThan, low, limit);
        let (difference, sum) = (self.subtract(low, high), self.add(low, high));
        let (above, below) = (self.select(is_far, difference, low), self.select(is_far, sum, high));
        let quotient = self.two(Op::Divide, above, below);
        // 0 / 0, and infinity / infinity.
        let zero = self.number(0.0);
        let is_same = self.two(Op::Equal, small, great);
        let t = self.select(is_same, zero, quotient);
        let square = self.multiply(t, t);
        let angle = self.odd(t, square, &ATAN);
        // A multiple of π/4, which is exact in two parts, plus or minus the angle.
        let is_left = {
            let bits = self.bits_of(x);
            self.is_set(bits, 31)
        };
        let (steep, far, left) = (in_two(FRAC_PI_2), in_two(FRAC_PI_4), in_two(PI));
        let mut parts = [zero; 2];
        for (i, part) in parts.iter_mut().enumerate() {
            let (plain, far_only) =
                (self.choose(is_far, far[i], 0.0), self.choose(is_far, steep[i] - far[i], steep[i]));
            let right = self.select(is_steep, far_only, plain);
            let half = self.number(left[i]);
            let rest = self.subtract(half, right);
            *part = self.select(is_left, rest, right);
        }
        let is_down = self.two(Op::LogicalXor, is_steep, is_left);
        let negative = self.b.op(Op::Negate, &[angle]);
        let angle = self.select(is_down, negative, angle);
        let rest = self.add(angle, parts[1]);
        let angle = self.add(parts[0], rest);
        let sign = self.sign_of(y);
        let angle = self.with_sign(angle, sign);
        // A NaN is neither above nor below anything.
        let (first, second) = (self.b.op(Op::IsNan, &[x]), self.b.op(Op::IsNan, &[y]));
        let is_nan = self.two(Op::LogicalOr, first, second);
        let nan = self.number(f64::NAN);
        self.select(is_nan, nan, angle)
    }

    /// The arc sine of the magnitude, or beyond 1/2 half of the arc cosine; and where it is beyond.
    fn arc(&mut self, x: Value) -> (Value, Value) {
        let (one, half) = (self.number(1.0), self.number(0.5));
        let size = self.b.op(Op::Abs, &[x]);
        let is_far = self.two(Op::GreaterThan, size, half);
        let below = self.subtract(one, size);
        let below = self.multiply(below, half);
        let square = self.multiply(size, size);
        let u = self.select(is_far, below, square);
        let root = self.b.op(Op::Sqrt, &[below]);
        let s = self.select(is_far, root, size);
        (self.odd(s, u, &ASIN), is_far)
    }

    pub(super) fn asin(&mut self, x: Value) -> Value {
        let (arc, is_far) = self.arc(x);
        let [high, low] = in_two(FRAC_PI_2).map(|part| self.number(part));
        let twice = self.add(arc, arc);
        let rest = self.subtract(twice, low);
        let far = self.subtract(high, rest);
        let angle = self.select(is_far, far, arc);
        let sign = self.sign_of(x);
        self.flip(angle, sign)
    }

    pub(super) fn acos(&mut self, x: Value) -> Value {
        let (arc, is_far) = self.arc(x);
        let sign = self.sign_of(x);
        let signed = self.flip(arc, sign);
        let twice = self.add(signed, signed);
        let negative = self.b.op(Op::Negate, &[signed]);
        let rest = self.select(is_far, twice, negative);
        let zero = self.number(0.0);
        let is_left = self.two(Op::LessThan, x, zero);
        let mut parts = [zero; 2];
        for (i, part) in parts.iter_mut().enumerate() {
            let far = self.choose(is_left, in_two(PI)[i], 0.0);
            let near = self.number(in_two(FRAC_PI_2)[i]);
            *part = self.select(is_far, far, near);
        }
        let rest = self.add(rest, parts[1]);
        self.add(parts[0], rest)
    }
}
