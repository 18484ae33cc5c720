//! Literals of C.

use planish_ir::types::Scalar;

/// A scalar constant; `None` for NaNs with other bits than that of `NAN`, which no literal is.
pub(crate) fn literal(scalar: Scalar, bits: u64) -> Option<String> {
    Some(match scalar {
        Scalar::Bool => if bits & 1 != 0 { "true" } else { "false" }.to_owned(),
        Scalar::I32 if bits as u32 as i32 == i32::MIN => "INT32_MIN".to_owned(),
        // Integers of 8 and 16 bits are lowered before.
        Scalar::I8 | Scalar::I16 | Scalar::I32 => (bits as u32 as i32).to_string(),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => format!("{}u", bits as u32),
        Scalar::I64 if bits as i64 == i64::MIN => "INT64_MIN".to_owned(),
        Scalar::I64 => {
            let n = bits as i64;
            let sign = if n < 0 { "-" } else { "" };
            format!("{sign}INT64_C({})", n.unsigned_abs())
        }
        Scalar::U64 => format!("UINT64_C({bits})"),
        Scalar::F16 | Scalar::F32 => {
            let x = f32::from_bits(bits as u32);
            match x.is_finite() {
                true => format!("{x:?}f"),
                false => special(x.is_nan(), x.is_sign_negative(), bits == 0x7fc0_0000)?,
            }
        }
        Scalar::F64 => {
            let x = f64::from_bits(bits);
            match x.is_finite() {
                true => format!("{x:?}"),
                false => special(x.is_nan(), x.is_sign_negative(), bits == 0x7ff8_0000_0000_0000)?,
            }
        }
    })
}

fn special(is_nan: bool, is_negative: bool, is_canonical: bool) -> Option<String> {
    match (is_nan, is_negative) {
        (true, _) => is_canonical.then(|| "NAN".to_owned()),
        (false, true) => Some("-INFINITY".to_owned()),
        (false, false) => Some("INFINITY".to_owned()),
    }
}

/// A text as a string literal.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(byte as char);
            }
            // (Two question marks may begin a trigraph.)
            b' '..=b'~' if byte != b'?' => out.push(byte as char),
            0 => break,
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_their_type() {
        assert_eq!(literal(Scalar::I32, 0x8000_0000).as_deref(), Some("INT32_MIN"));
        assert_eq!(literal(Scalar::I64, (-5i64) as u64).as_deref(), Some("-INT64_C(5)"));
        assert_eq!(literal(Scalar::F32, 0.1f32.to_bits().into()).as_deref(), Some("0.1f"));
        assert_eq!(literal(Scalar::F64, (-0.0f64).to_bits()).as_deref(), Some("-0.0"));
        assert_eq!(literal(Scalar::F64, 1e300f64.to_bits()).as_deref(), Some("1e300"));
        assert_eq!(literal(Scalar::F64, f64::NAN.to_bits()).as_deref(), Some("NAN"));
        assert_eq!(literal(Scalar::F32, 0x7fc0_0001), None);
        assert_eq!(string("a\"b\n??"), "\"a\\\"b\\012\\077\\077\"");
    }
}
