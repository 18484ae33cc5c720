//! Ops on one or several floats of one type. Computed NaNs are canonical; ops that only change the sign keep a NaN's
//! bits.

/// A significand in [0.5, 1) and an exponent; zeros, infinities and NaN are unchanged, with exponent 0.
fn significand(x: f64) -> (f64, i32) {
    let (mut significand, mut exponent) = (x, 0);
    if x != 0.0 && x.is_finite() {
        while significand.abs() < 0.5 {
            (significand, exponent) = (significand * 2.0, exponent - 1);
        }
        while significand.abs() >= 1.0 {
            (significand, exponent) = (significand / 2.0, exponent + 1);
        }
    }
    (significand, exponent)
}

/// The same rules for both widths. Functions of `libm` are computed in binary64 and rounded.
macro_rules! floats {
    ($name:ident, $float:ident, $Value:ident, $nan:literal) => {
        pub(super) mod $name {
            use planish_ir::ops::Op;

            use super::significand;
            use crate::value::Value;

            fn canonical(x: $float) -> Value {
                Value::$Value(if x.is_nan() { $float::from_bits($nan) } else { x })
            }

            fn min(x: $float, y: $float) -> $float {
                if y < x { y } else { x }
            }

            fn max(x: $float, y: $float) -> $float {
                if x < y { y } else { x }
            }

            fn clamp(x: $float, low: $float, high: $float) -> $float {
                min(max(x, low), high)
            }

            fn sign(x: $float) -> $float {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else {
                    x
                }
            }

            fn through(f: fn(f64) -> f64, x: $float) -> $float {
                f(x as f64) as $float
            }

            #[allow(clippy::excessive_precision, reason = "the digits of the number, not those of the type")]
            pub(in crate::ops) fn unary(op: Op, x: $float) -> Option<Value> {
                Some(canonical(match op {
                    Op::Negate => return Some(Value::$Value(-x)),
                    Op::Abs => return Some(Value::$Value(x.abs())),
                    Op::IsNan => return Some(Value::Bool(x.is_nan())),
                    Op::IsInf => return Some(Value::Bool(x.is_infinite())),
                    // pi / 180 and 180 / pi.
                    Op::Radians => x * 0.017_453_292_519_943_295_769,
                    Op::Degrees => x * 57.295_779_513_082_320_877,
                    Op::Sin => through(libm::sin, x),
                    Op::Cos => through(libm::cos, x),
                    Op::Tan => through(libm::tan, x),
                    Op::Asin => through(libm::asin, x),
                    Op::Acos => through(libm::acos, x),
                    Op::Atan => through(libm::atan, x),
                    Op::Sinh => through(libm::sinh, x),
                    Op::Cosh => through(libm::cosh, x),
                    Op::Tanh => through(libm::tanh, x),
                    Op::Asinh => through(libm::asinh, x),
                    Op::Acosh => through(libm::acosh, x),
                    Op::Atanh => through(libm::atanh, x),
                    Op::Exp => through(libm::exp, x),
                    Op::Log => through(libm::log, x),
                    Op::Exp2 => through(libm::exp2, x),
                    Op::Log2 => through(libm::log2, x),
                    Op::InverseSqrt => through(|x| 1.0 / libm::sqrt(x), x),
                    Op::Sqrt => x.sqrt(),
                    Op::Sign => sign(x),
                    Op::Floor => x.floor(),
                    Op::Ceil => x.ceil(),
                    Op::Trunc => x.trunc(),
                    Op::Round | Op::RoundEven => x.round_ties_even(),
                    Op::Fract => x - x.floor(),
                    Op::Saturate => clamp(x, 0.0, 1.0),
                    _ => return None,
                }))
            }

            pub(in crate::ops) fn binary(op: Op, x: $float, y: $float) -> Option<Value> {
                Some(canonical(match op {
                    Op::Equal => return Some(Value::Bool(x == y)),
                    Op::NotEqual => return Some(Value::Bool(x != y)),
                    Op::LessThan => return Some(Value::Bool(x < y)),
                    Op::LessThanEqual => return Some(Value::Bool(x <= y)),
                    Op::GreaterThan => return Some(Value::Bool(x > y)),
                    Op::GreaterThanEqual => return Some(Value::Bool(x >= y)),
                    Op::CopySign => return Some(Value::$Value(x.copysign(y))),
                    Op::Add => x + y,
                    Op::Subtract => x - y,
                    Op::Multiply | Op::MatrixComponentMultiply | Op::MatrixTimesScalar => x * y,
                    Op::Divide => x / y,
                    Op::Mod => x - y * (x / y).floor(),
                    Op::Min => min(x, y),
                    Op::Max => max(x, y),
                    Op::Minimum if x.is_nan() || y.is_nan() => $float::NAN,
                    Op::Maximum if x.is_nan() || y.is_nan() => $float::NAN,
                    // Of two zeros the negative one, and the positive one.
                    Op::Minimum if x == y => {
                        if x.is_sign_negative() {
                            x
                        } else {
                            y
                        }
                    }
                    Op::Maximum if x == y => {
                        if x.is_sign_positive() {
                            x
                        } else {
                            y
                        }
                    }
                    Op::Minimum => min(x, y),
                    Op::Maximum => max(x, y),
                    // Operand 0 is the edge.
                    Op::Step => {
                        if y < x {
                            0.0
                        } else {
                            1.0
                        }
                    }
                    Op::Atan2 => libm::atan2(x as f64, y as f64) as $float,
                    Op::Hypot => {
                        let (great, small) = if x.abs() < y.abs() { (y.abs(), x.abs()) } else { (x.abs(), y.abs()) };
                        let quotient = if great == small { 1.0 } else { small / great };
                        great * (quotient * quotient + 1.0).sqrt()
                    }
                    Op::Pow if x < 0.0 => $float::NAN,
                    // -0 counts as 0.
                    Op::Pow => libm::pow(x.abs() as f64, y as f64) as $float,
                    _ => return None,
                }))
            }

            pub(in crate::ops) fn ternary(op: Op, x: $float, y: $float, z: $float) -> Option<Value> {
                Some(canonical(match op {
                    Op::Clamp => clamp(x, y, z),
                    Op::Mix => x * (1.0 - z) + y * z,
                    Op::Lerp => (y - x) * z + x,
                    Op::MultiplyAdd => x * y + z,
                    Op::Fma => x.mul_add(y, z),
                    Op::SmoothStep => {
                        let t = clamp((z - x) / (y - x), 0.0, 1.0);
                        t * t * (3.0 - 2.0 * t)
                    }
                    _ => return None,
                }))
            }

            /// `x * 2^exponent`, rounded once.
            pub(in crate::ops) fn load_exponent(x: $float, exponent: i32) -> Value {
                let (significand, own) = significand(x as f64);
                // Far beyond the range of both widths.
                let exponent = exponent.saturating_add(own).clamp(-1200, 1200);
                let first = exponent / 2;
                // The first product is exact.
                canonical((significand * 2f64.powi(first) * 2f64.powi(exponent - first)) as $float)
            }

            /// Both have the sign of x; the fraction of an infinity is zero.
            pub(in crate::ops) fn fraction_and_whole(x: $float) -> [Value; 2] {
                let fraction = if x.is_infinite() { 0.0 } else { x - x.trunc() };
                [canonical(fraction.copysign(x)), canonical(x.trunc())]
            }

            pub(in crate::ops) fn significand_and_exponent(x: $float) -> [Value; 2] {
                let (significand, exponent) = significand(x as f64);
                [canonical(significand as $float), Value::I32(exponent)]
            }
        }
    };
}

floats!(f32, f32, F32, 0x7fc0_0000);
floats!(f64, f64, F64, 0x7ff8_0000_0000_0000);
