//! Conversions of scalars.

use super::Fault;
use super::half::{Half, to_half, to_half_once};
use super::kernel::Component;
use crate::function::TrapKind;
use crate::types::Scalar;

/// The value of a float, exactly.
#[inline]
pub fn float_value(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => Half::get(bits).into(),
        Scalar::F32 => f32::get(bits).into(),
        _ => f64::get(bits),
    }
}

/// The bits of the float that is nearest to a number; NaN gives the canonical one.
#[inline]
pub fn float_bits(scalar: Scalar, x: f64) -> u64 {
    match scalar {
        Scalar::F16 => to_half_once(x).into(),
        Scalar::F32 => (x as f32).put(),
        _ => x.put(),
    }
}

/// A scalar from decimal (`true` and `false` of a boolean); `None` if it does not fit. Bits of smaller types are extended by zeros.
pub fn parse_scalar(scalar: Scalar, text: &str) -> Option<u64> {
    Some(match scalar {
        Scalar::Bool => u64::from(text.parse::<bool>().ok()?),
        Scalar::I8 => u64::from(text.parse::<i8>().ok()? as u8),
        Scalar::U8 => text.parse::<u8>().ok()?.into(),
        Scalar::I16 => u64::from(text.parse::<i16>().ok()? as u16),
        Scalar::U16 => text.parse::<u16>().ok()?.into(),
        Scalar::I32 | Scalar::U32 => {
            let value: i64 = text.parse().ok()?;
            u64::from(u32::try_from(value).or_else(|_| i32::try_from(value).map(|v| v as u32)).ok()?)
        }
        Scalar::I64 => text.parse::<i64>().ok()? as u64,
        Scalar::U64 => text.parse().ok()?,
        Scalar::F16 => float_bits(scalar, text.parse().ok()?),
        Scalar::F32 => u64::from(text.parse::<f32>().ok()?.to_bits()),
        Scalar::F64 => text.parse::<f64>().ok()?.to_bits(),
    })
}

/// As [`parse_scalar`], but an integer must be in the range of its own type; booleans are `0` and `1`, too.
pub fn parse_value(scalar: Scalar, text: &str) -> Option<u64> {
    match (scalar, text) {
        (Scalar::Bool, "0") => Some(0),
        (Scalar::Bool, "1") => Some(1),
        (Scalar::I32, _) => parse_scalar(scalar, text).filter(|_| text.parse::<i32>().is_ok()),
        (Scalar::U32, _) => parse_scalar(scalar, text).filter(|_| text.parse::<u32>().is_ok()),
        _ => parse_scalar(scalar, text),
    }
}

/// The value of an integer.
#[inline]
pub fn integer_value(scalar: Scalar, bits: u64) -> i128 {
    match scalar {
        Scalar::I8 => i8::get(bits).into(),
        Scalar::I16 => i16::get(bits).into(),
        Scalar::I32 => i32::get(bits).into(),
        Scalar::I64 => i64::get(bits).into(),
        _ => bits.into(),
    }
}

/// The scalar `bits` of type `from` as one of type `to`. Float to integer truncates and saturates, NaN gives 0; integer to
/// float and wider to narrower floats round to nearest even; to `bool` is `x != 0`; wider to narrower integers drops bits, narrower
/// to wider ones copies the sign of a signed one.
#[inline]
pub fn convert(bits: u64, from: Scalar, to: Scalar) -> u64 {
    match from {
        _ if from == to => bits,
        Scalar::Bool if to.is_float() => float_bits(to, f64::from(bits != 0)),
        Scalar::Bool => (bits != 0) as u64,
        Scalar::F16 | Scalar::F32 | Scalar::F64 => {
            // Every narrower float is an f64, so that one rounding is all there is.
            let x = float_value(from, bits);
            match to {
                Scalar::Bool => (x != 0.0) as u64,
                Scalar::I8 => (x as i8).put(),
                Scalar::U8 => (x as u8).put(),
                Scalar::I16 => (x as i16).put(),
                Scalar::U16 => (x as u16).put(),
                Scalar::I32 => (x as i32).put(),
                Scalar::U32 => (x as u32).put(),
                Scalar::I64 => (x as i64).put(),
                Scalar::U64 => x as u64,
                Scalar::F16 | Scalar::F32 | Scalar::F64 => float_bits(to, x),
            }
        }
        _ if from.is_signed() => {
            let x = integer_value(from, bits) as i64;
            match to {
                // Integers in the range of binary16 are exact in binary32.
                Scalar::F16 => to_half(x as f32).into(),
                Scalar::F32 => (x as f32).put(),
                Scalar::F64 => (x as f64).put(),
                _ => low_bits(x as u64, to),
            }
        }
        _ => match to {
            Scalar::F16 => to_half(bits as f32).into(),
            Scalar::F32 => (bits as f32).put(),
            Scalar::F64 => (bits as f64).put(),
            _ => low_bits(bits, to),
        },
    }
}

/// The low bits of an integer, or whether it is not zero.
#[inline]
fn low_bits(x: u64, to: Scalar) -> u64 {
    if to == Scalar::Bool { (x != 0) as u64 } else { x & u64::MAX >> (64 - to.bits()) }
}

/// Float to integer that traps for NaN and where the truncated value does not fit.
pub(super) fn truncate(bits: u64, from: Scalar, to: Scalar) -> Result<u64, Fault> {
    let x = float_value(from, bits);
    if x.is_nan() {
        return Err(Fault::Trap(TrapKind::InvalidConversion));
    }
    let x = x.trunc();
    // The bounds are powers of two, exact as f64.
    let (low, end) = match to {
        Scalar::I32 => (-2147483648.0, 2147483648.0),
        Scalar::U32 => (0.0, 4294967296.0),
        Scalar::I64 => (-9223372036854775808.0, 9223372036854775808.0),
        Scalar::U64 => (0.0, 18446744073709551616.0),
        _ => return Err(Fault::NoMeaning),
    };
    if x < low || x >= end {
        return Err(Fault::Trap(TrapKind::IntegerOverflow));
    }
    Ok(convert(x.put(), Scalar::F64, to))
}
