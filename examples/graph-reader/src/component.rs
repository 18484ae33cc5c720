//! Componentwise ops: functions of one component of each operand, as specified in `docs/ops.md` and `docs/numerics.md`.
//! whole: one table, a line an op.

use crate::types::Scalar;

/// A function on components, each 32 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    One(fn(u32) -> u32),
    Two(fn(u32, u32) -> u32),
    Three(fn(u32, u32, u32) -> u32),
    Four(fn(u32, u32, u32, u32) -> u32),
}

impl Kernel {
    pub(crate) fn arity(self) -> usize {
        match self {
            Kernel::One(_) => 1,
            Kernel::Two(_) => 2,
            Kernel::Three(_) => 3,
            Kernel::Four(_) => 4,
        }
    }
}

/// A component as a number.
trait Component {
    fn get(word: u32) -> Self;
    fn put(self) -> u32;
}

impl Component for f32 {
    fn get(word: u32) -> Self {
        f32::from_bits(word)
    }
    /// A NaN that is computed is the canonical one.
    fn put(self) -> u32 {
        if self.is_nan() { 0x7fc0_0000 } else { self.to_bits() }
    }
}

impl Component for i32 {
    fn get(word: u32) -> Self {
        word as i32
    }
    fn put(self) -> u32 {
        self as u32
    }
}

impl Component for u32 {
    fn get(word: u32) -> Self {
        word
    }
    fn put(self) -> u32 {
        self
    }
}

impl Component for bool {
    fn get(word: u32) -> Self {
        word != 0
    }
    fn put(self) -> u32 {
        self.into()
    }
}

macro_rules! kernel {
    ($t:ty, |$a:ident| $e:expr) => {
        Kernel::One(|$a| {
            let $a = <$t>::get($a);
            Component::put($e)
        })
    };
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {
        Kernel::Two(|$a, $b| {
            let ($a, $b) = (<$t>::get($a), <$t>::get($b));
            Component::put($e)
        })
    };
    ($t:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        Kernel::Three(|$a, $b, $c| {
            let ($a, $b, $c) = (<$t>::get($a), <$t>::get($b), <$t>::get($c));
            Component::put($e)
        })
    };
}

/// The function of an op whose operand 0 has components of this kind.
pub(crate) fn kernel(op: &str, scalar: Scalar) -> Option<Kernel> {
    if op == "select" {
        return Some(Kernel::Three(|c, x, y| if c != 0 { x } else { y }));
    }
    match scalar {
        Scalar::F32 => float(op).or_else(|| function(op)),
        Scalar::I32 => signed(op).or_else(|| bits(op)),
        Scalar::U32 => unsigned(op).or_else(|| bits(op)),
        Scalar::Bool => boolean(op),
    }
}

fn min(x: f32, y: f32) -> f32 {
    if y < x { y } else { x }
}

fn max(x: f32, y: f32) -> f32 {
    if x < y { y } else { x }
}

fn clamp(x: f32, low: f32, high: f32) -> f32 {
    min(max(x, low), high)
}

fn smooth_step(low: f32, high: f32, x: f32) -> f32 {
    let t = clamp((x - low) / (high - low), 0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Of two that are equal, the one that `first` prefers; NaN if either is NaN.
fn extreme(x: f32, y: f32, less: bool) -> f32 {
    if x.is_nan() || y.is_nan() {
        f32::NAN
    } else if x == y {
        if x.is_sign_negative() == less { x } else { y }
    } else if (x < y) == less {
        x
    } else {
        y
    }
}

fn float(op: &str) -> Option<Kernel> {
    Some(match op {
        // These move bits, and keep those of a NaN.
        "negate" => Kernel::One(|x| x ^ 0x8000_0000),
        "abs" => Kernel::One(|x| x & 0x7fff_ffff),
        "copy_sign" => Kernel::Two(|x, y| x & 0x7fff_ffff | y & 0x8000_0000),
        "add" => kernel!(f32, |x, y| x + y),
        "subtract" => kernel!(f32, |x, y| x - y),
        "multiply" | "matrix_component_multiply" | "matrix_times_scalar" => kernel!(f32, |x, y| x * y),
        "divide" => kernel!(f32, |x, y| x / y),
        "mod" => kernel!(f32, |x, y| x - y * (x / y).floor()),
        "min" => kernel!(f32, |x, y| min(x, y)),
        "max" => kernel!(f32, |x, y| max(x, y)),
        "minimum" => kernel!(f32, |x, y| extreme(x, y, true)),
        "maximum" => kernel!(f32, |x, y| extreme(x, y, false)),
        "step" => kernel!(f32, |edge, x| if x < edge { 0.0f32 } else { 1.0 }),
        "clamp" => kernel!(f32, |x, low, high| clamp(x, low, high)),
        "saturate" => kernel!(f32, |x| clamp(x, 0.0, 1.0)),
        "mix" => kernel!(f32, |x, y, a| x * (1.0 - a) + y * a),
        "lerp" => kernel!(f32, |x, y, a| (y - x) * a + x),
        "multiply_add" => kernel!(f32, |a, b, c| a * b + c),
        "fma" => kernel!(f32, |a, b, c| a.mul_add(b, c)),
        "smooth_step" => kernel!(f32, |low, high, x| smooth_step(low, high, x)),
        "sign" => kernel!(f32, |x| if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            x
        }),
        "floor" => kernel!(f32, |x| x.floor()),
        "ceil" => kernel!(f32, |x| x.ceil()),
        "trunc" => kernel!(f32, |x| x.trunc()),
        "round" | "round_even" => kernel!(f32, |x| x.round_ties_even()),
        "fract" => kernel!(f32, |x| x - x.floor()),
        "sqrt" => kernel!(f32, |x| x.sqrt()),
        "radians" => kernel!(f32, |x| x * (std::f64::consts::PI / 180.0) as f32),
        "degrees" => kernel!(f32, |x| x * (180.0 / std::f64::consts::PI) as f32),
        "is_nan" => kernel!(f32, |x| x.is_nan()),
        "is_inf" => kernel!(f32, |x| x.is_infinite()),
        "equal" => kernel!(f32, |x, y| x == y),
        "not_equal" => kernel!(f32, |x, y| x != y),
        "less_than" => kernel!(f32, |x, y| x < y),
        "less_than_equal" => kernel!(f32, |x, y| x <= y),
        "greater_than" => kernel!(f32, |x, y| x > y),
        "greater_than_equal" => kernel!(f32, |x, y| x >= y),
        "hypot" => kernel!(f32, |x, y| {
            let (m, n) = if x.abs() < y.abs() { (y.abs(), x.abs()) } else { (x.abs(), y.abs()) };
            let q = if n == m { 1.0 } else { n / m };
            m * (q * q + 1.0).sqrt()
        }),
        "ldexp" => Kernel::Two(|x, e| {
            // Beyond this range every float is infinite or zero; within, the product is exact in `f64`, and is rounded
            // once.
            let power = (e as i32).clamp(-300, 300);
            ((f64::from(f32::from_bits(x)) * 2f64.powi(power)) as f32).put()
        }),
        _ => return None,
    })
}

/// Functions are computed in `f64` and rounded.
fn function(op: &str) -> Option<Kernel> {
    macro_rules! wide {
        (|$x:ident| $e:expr) => {
            kernel!(f32, |$x| {
                let $x = f64::from($x);
                let wide: f64 = $e;
                wide as f32
            })
        };
        (|$x:ident, $y:ident| $e:expr) => {
            kernel!(f32, |$x, $y| {
                let ($x, $y) = (f64::from($x), f64::from($y));
                let wide: f64 = $e;
                wide as f32
            })
        };
    }
    Some(match op {
        "sin" => wide!(|x| libm::sin(x)),
        "cos" => wide!(|x| libm::cos(x)),
        "tan" => wide!(|x| libm::tan(x)),
        "asin" => wide!(|x| libm::asin(x)),
        "acos" => wide!(|x| libm::acos(x)),
        "atan" => wide!(|x| libm::atan(x)),
        "atan2" => wide!(|y, x| libm::atan2(y, x)),
        "sinh" => wide!(|x| libm::sinh(x)),
        "cosh" => wide!(|x| libm::cosh(x)),
        "tanh" => wide!(|x| libm::tanh(x)),
        "asinh" => wide!(|x| libm::asinh(x)),
        "acosh" => wide!(|x| libm::acosh(x)),
        "atanh" => wide!(|x| libm::atanh(x)),
        "exp" => wide!(|x| libm::exp(x)),
        "exp2" => wide!(|x| libm::exp2(x)),
        "log" => wide!(|x| libm::log(x)),
        "log2" => wide!(|x| libm::log2(x)),
        "inverse_sqrt" => wide!(|x| 1.0 / x.sqrt()),
        // The result for a negative base is NaN; both zeros count as positive.
        "pow" => wide!(|x, y| if x < 0.0 { f64::NAN } else { libm::pow(x.abs(), y) }),
        _ => return None,
    })
}

fn signed(op: &str) -> Option<Kernel> {
    Some(match op {
        "negate" => kernel!(i32, |x| x.wrapping_neg()),
        "abs" => kernel!(i32, |x| x.wrapping_abs()),
        "sign" => kernel!(i32, |x| x.signum()),
        "divide" => kernel!(i32, |x, y| if y == 0 { x } else { x.wrapping_div(y) }),
        "remainder" => kernel!(i32, |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
        "min" => kernel!(i32, |x, y| x.min(y)),
        "max" => kernel!(i32, |x, y| x.max(y)),
        "clamp" => kernel!(i32, |x, low, high| x.max(low).min(high)),
        "less_than" => kernel!(i32, |x, y| x < y),
        "less_than_equal" => kernel!(i32, |x, y| x <= y),
        "greater_than" => kernel!(i32, |x, y| x > y),
        "greater_than_equal" => kernel!(i32, |x, y| x >= y),
        "shift_right" => Kernel::Two(|x, y| ((x as i32) >> (y & 31)) as u32),
        "find_msb" => kernel!(i32, |x| 31 - (if x < 0 { !x } else { x }).leading_zeros() as i32),
        "bitfield_extract" => Kernel::Three(|x, offset, count| {
            let (offset, count) = field(offset, count);
            // Up to the top, and down again with the sign.
            if count == 0 { 0 } else { ((x << (32 - offset - count)) as i32 >> (32 - count)) as u32 }
        }),
        _ => return None,
    })
}

fn unsigned(op: &str) -> Option<Kernel> {
    Some(match op {
        "negate" => kernel!(u32, |x| x.wrapping_neg()),
        "abs" => kernel!(u32, |x| x),
        "sign" => kernel!(u32, |x| x.min(1)),
        "divide" => kernel!(u32, |x, y| x.checked_div(y).unwrap_or(x)),
        "remainder" => kernel!(u32, |x, y| x.checked_rem(y).unwrap_or(0)),
        "min" => kernel!(u32, |x, y| x.min(y)),
        "max" => kernel!(u32, |x, y| x.max(y)),
        "clamp" => kernel!(u32, |x, low, high| x.max(low).min(high)),
        "less_than" => kernel!(u32, |x, y| x < y),
        "less_than_equal" => kernel!(u32, |x, y| x <= y),
        "greater_than" => kernel!(u32, |x, y| x > y),
        "greater_than_equal" => kernel!(u32, |x, y| x >= y),
        "shift_right" => kernel!(u32, |x, y| x >> (y & 31)),
        "find_msb" => kernel!(u32, |x| 31 - x.leading_zeros() as i32),
        "bitfield_extract" => Kernel::Three(|x, offset, count| {
            let (offset, count) = field(offset, count);
            if count == 0 { 0 } else { x << (32 - offset - count) >> (32 - count) }
        }),
        _ => return None,
    })
}

/// Offset and count of a bit field, cut to the word.
fn field(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    (offset, count.min(32 - offset))
}

/// Ops that do not care for the sign.
fn bits(op: &str) -> Option<Kernel> {
    Some(match op {
        "add" => kernel!(u32, |x, y| x.wrapping_add(y)),
        "subtract" => kernel!(u32, |x, y| x.wrapping_sub(y)),
        "multiply" => kernel!(u32, |x, y| x.wrapping_mul(y)),
        "multiply_add" => kernel!(u32, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        "equal" => kernel!(u32, |x, y| x == y),
        "not_equal" => kernel!(u32, |x, y| x != y),
        "bitwise_not" => kernel!(u32, |x| !x),
        "bitwise_and" => kernel!(u32, |x, y| x & y),
        "bitwise_or" => kernel!(u32, |x, y| x | y),
        "bitwise_xor" => kernel!(u32, |x, y| x ^ y),
        "shift_left" => kernel!(u32, |x, y| x << (y & 31)),
        "rotate_left" => kernel!(u32, |x, y| x.rotate_left(y & 31)),
        "rotate_right" => kernel!(u32, |x, y| x.rotate_right(y & 31)),
        "bit_count" => kernel!(u32, |x| x.count_ones()),
        "bit_reverse" => kernel!(u32, |x| x.reverse_bits()),
        "find_lsb" => kernel!(u32, |x| if x == 0 { -1 } else { x.trailing_zeros() as i32 }),
        "count_leading_zeros" => kernel!(u32, |x| x.leading_zeros()),
        "count_trailing_zeros" => kernel!(u32, |x| x.trailing_zeros()),
        "sign_extend8" => kernel!(u32, |x| i32::from(x as i8)),
        "sign_extend16" => kernel!(u32, |x| i32::from(x as i16)),
        "sign_extend32" | "non_uniform" => kernel!(u32, |x| x),
        "bitfield_insert" => Kernel::Four(|base, insert, offset, count| {
            let (offset, count) = field(offset, count);
            if count == 0 {
                return base;
            }
            let mask = u32::MAX >> (32 - count) << offset;
            base & !mask | insert << offset & mask
        }),
        _ => return None,
    })
}

fn boolean(op: &str) -> Option<Kernel> {
    Some(match op {
        "logical_not" => kernel!(bool, |x| !x),
        "logical_and" => kernel!(bool, |x, y| x && y),
        "logical_or" => kernel!(bool, |x, y| x || y),
        "logical_xor" | "not_equal" => kernel!(bool, |x, y| x != y),
        "equal" => kernel!(bool, |x, y| x == y),
        _ => return None,
    })
}
