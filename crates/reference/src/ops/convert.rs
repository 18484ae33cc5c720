//! Conversions of scalars.

use planish_ir::types::Scalar;

use super::half;
use super::integer::{number, wrap};
use crate::value::Value;

/// The value of a float, exactly; `None` for other values.
pub(super) fn as_f64(value: &Value) -> Option<f64> {
    match *value {
        Value::F16(x) => Some(half::value(x)),
        Value::F32(x) => Some(x.into()),
        Value::F64(x) => Some(x),
        _ => None,
    }
}

/// The type of a scalar.
fn type_of(value: &Value) -> Option<Scalar> {
    match value {
        Value::Bool(_) => Some(Scalar::Bool),
        Value::F16(_) => Some(Scalar::F16),
        Value::F32(_) => Some(Scalar::F32),
        Value::F64(_) => Some(Scalar::F64),
        _ => Some(number(value)?.1),
    }
}

/// Converts a scalar. Float to integer truncates and saturates, NaN gives 0; integer to float and wider to narrower
/// floats round to nearest even; to `bool` is `x != 0`; wider to narrower integers drops bits.
pub(super) fn convert(value: &Value, to: Scalar) -> Option<Value> {
    if type_of(value)? == to {
        // No computation: a NaN keeps its bits.
        return Some(value.clone());
    }
    if let Some(x) = as_f64(value) {
        return Some(match to {
            Scalar::Bool => Value::Bool(x != 0.0),
            Scalar::I8 => Value::I8(x as i8),
            Scalar::U8 => Value::U8(x as u8),
            Scalar::I16 => Value::I16(x as i16),
            Scalar::U16 => Value::U16(x as u16),
            Scalar::I32 => Value::I32(x as i32),
            Scalar::U32 => Value::U32(x as u32),
            Scalar::I64 => Value::I64(x as i64),
            Scalar::U64 => Value::U64(x as u64),
            Scalar::F16 => Value::F16(half::nearest(x)),
            Scalar::F32 if x.is_nan() => Value::F32(f32::from_bits(0x7fc0_0000)),
            Scalar::F32 => Value::F32(x as f32),
            Scalar::F64 if x.is_nan() => Value::F64(f64::from_bits(0x7ff8_0000_0000_0000)),
            Scalar::F64 => Value::F64(x),
        });
    }
    let x = if let Value::Bool(x) = *value { x.into() } else { number(value)?.0 };
    Some(match to {
        Scalar::Bool => Value::Bool(x != 0),
        // Integers that a half does not exceed are exact.
        Scalar::F16 => Value::F16(half::nearest(x as f64)),
        Scalar::F32 => Value::F32(x as f32),
        Scalar::F64 => Value::F64(x as f64),
        integer => wrap(integer, x),
    })
}

/// A number in the component type of a value.
pub(crate) fn like(value: &Value, x: f64) -> Option<Value> {
    let mut leaves = Vec::new();
    value.leaves(&mut leaves);
    convert(&Value::F64(x), type_of(leaves.first()?)?)
}
