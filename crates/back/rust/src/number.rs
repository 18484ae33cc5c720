//! Literals of Rust.

use planish_back_text::number::float64;
use planish_ir::types::Scalar;

/// A scalar constant. With its type, as in `1.5f32`, where nothing else says it.
pub(crate) fn literal(scalar: Scalar, bits: u64, typed: bool) -> String {
    let name = if typed { scalar.name() } else { "" };
    match scalar {
        Scalar::Bool => (bits & 1 != 0).to_string(),
        Scalar::I32 if bits as i32 == i32::MIN => "i32::MIN".to_owned(),
        // Integers of 8 and 16 bits are lowered before.
        Scalar::I8 | Scalar::I16 | Scalar::I32 => format!("{}{name}", bits as i32),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => format!("{}{name}", bits as u32),
        Scalar::I64 if bits as i64 == i64::MIN => "i64::MIN".to_owned(),
        Scalar::I64 => format!("{}{name}", bits as i64),
        Scalar::U64 => format!("{bits}{name}"),
        Scalar::F16 | Scalar::F32 => {
            let x = f32::from_bits(bits as u32);
            match x.is_finite() {
                true => format!("{}{name}", planish_back_text::number::float32(x, false)),
                false if x.is_nan() && bits as u32 != 0x7fc0_0000 => format!("f32::from_bits({:#x})", bits as u32),
                false => format!("f32::{}", special(x.into())),
            }
        }
        Scalar::F64 => {
            let x = f64::from_bits(bits);
            match x.is_finite() {
                true => format!("{}{name}", float64(x, false)),
                false if x.is_nan() && bits != 0x7ff8_0000_0000_0000 => format!("f64::from_bits({bits:#x})"),
                false => format!("f64::{}", special(x)),
            }
        }
    }
}

fn special(x: f64) -> &'static str {
    match (x.is_nan(), x < 0.0) {
        (true, _) => "NAN",
        (_, true) => "NEG_INFINITY",
        _ => "INFINITY",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_a_type_where_they_need_one() {
        assert_eq!(literal(Scalar::I32, 0x8000_0000, true), "i32::MIN");
        assert_eq!(literal(Scalar::I64, (-5i64) as u64, true), "-5i64");
        assert_eq!(literal(Scalar::U32, 7, false), "7");
        assert_eq!(literal(Scalar::F32, 0.1f32.to_bits().into(), true), "0.1f32");
        assert_eq!(literal(Scalar::F64, (-0.0f64).to_bits(), false), "-0.0");
        assert_eq!(literal(Scalar::F64, f64::NAN.to_bits(), true), "f64::NAN");
        assert_eq!(literal(Scalar::F32, 0x7fc0_0001, false), "f32::from_bits(0x7fc00001)");
    }
}
