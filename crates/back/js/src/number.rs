//! Numbers as literals: the shortest decimal that reads back as the same bits.

use planish_ir::types::Scalar;

use crate::Dialect;
use crate::text::{Kind, Text, binds};

/// The literal of a scalar. Of asm.js, whose doubles have a point, infinity and NaN are names of the module.
pub(crate) fn literal(dialect: Dialect, scalar: Scalar, bits: u64) -> Text {
    let asm = dialect == Dialect::Asm;
    match scalar {
        Scalar::Bool if asm => Text::primary(if bits != 0 { "1" } else { "0" }, Kind::Fixnum),
        Scalar::Bool => Text::primary(if bits != 0 { "true" } else { "false" }, Kind::Truth),
        // Numbers of 8 and 16 bits are lowered before.
        Scalar::I8 | Scalar::I16 | Scalar::I32 => integer((bits as u32 as i32).into()),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => integer((bits as u32).into()),
        Scalar::I64 => big(bits as i64),
        Scalar::U64 => Text::primary(format!("{bits}n"), Kind::Big),
        Scalar::F64 => double(f64::from_bits(bits), asm),
        Scalar::F16 | Scalar::F32 if !asm => double(f32::from_bits(bits as u32).into(), false).of_kind(Kind::Float),
        Scalar::F16 | Scalar::F32 => {
            let value = f32::from_bits(bits as u32);
            // The shortest decimal of the type; `fround` rounds it to the same bits, as it is within its half unit.
            let text = if value.is_finite() { pointed(&format!("{value:e}")) } else { double(value.into(), true).text };
            Text::primary(format!("fround({text})"), Kind::Float)
        }
    }
}

fn integer(value: i64) -> Text {
    let kind = match value {
        ..0 => Kind::Signed,
        0..0x8000_0000 => Kind::Fixnum,
        _ => Kind::Unsigned,
    };
    Text::new(value.to_string(), if value < 0 { binds::UNARY } else { binds::PRIMARY }, kind)
}

fn big(value: i64) -> Text {
    Text::new(format!("{value}n"), if value < 0 { binds::UNARY } else { binds::PRIMARY }, Kind::Big)
}

fn double(value: f64, pointed_always: bool) -> Text {
    let text = if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if pointed_always {
        pointed(&format!("{value:e}"))
    } else {
        plain(&format!("{value:e}"))
    };
    let binds = if text.starts_with('-') { binds::UNARY } else { binds::PRIMARY };
    Text::new(text, binds, Kind::Double)
}

/// Rust's shortest scientific notation (`-1.25e-7`) as people write it.
fn plain(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    match exponent {
        -6..0 => format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        0..16 if digits.len() <= exponent as usize + 1 => {
            format!("{sign}{digits}{}", "0".repeat(exponent as usize + 1 - digits.len()))
        }
        0..16 => {
            let (whole, fraction) = digits.split_at(exponent as usize + 1);
            format!("{sign}{whole}.{fraction}")
        }
        _ => format!("{sign}{mantissa}e{exponent}"),
    }
}

/// As [`plain`], with a point always.
fn pointed(scientific: &str) -> String {
    let text = plain(scientific);
    match text.split_once('e') {
        _ if text.contains('.') => text,
        Some((mantissa, exponent)) => format!("{mantissa}.0e{exponent}"),
        None => format!("{text}.0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_read_back_as_the_same_bits() {
        let mut bits = 1u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            for dialect in [Dialect::Asm, Dialect::Module] {
                if f64::from_bits(bits).is_finite() {
                    let text = literal(dialect, Scalar::F64, bits).text;
                    assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{text}");
                    assert!(dialect == Dialect::Module || text.contains('.'), "{text}");
                }
                let narrow = f32::from_bits(bits as u32);
                if narrow.is_finite() {
                    let text = literal(dialect, Scalar::F32, bits & 0xffff_ffff).text;
                    let inner = text.trim_start_matches("fround(").trim_end_matches(')');
                    let read = inner.parse::<f64>().unwrap() as f32;
                    assert_eq!(read.to_bits(), narrow.to_bits(), "{text}");
                }
            }
        }
    }

    #[test]
    fn they_look_as_people_write_them() {
        let module = |x: f64| literal(Dialect::Module, Scalar::F64, x.to_bits()).text;
        assert_eq!([module(1.0), module(-0.0), module(0.001), module(1e300)], ["1", "-0", "0.001", "1e300"]);
        assert_eq!([module(f64::NEG_INFINITY), module(f64::NAN), module(12.5)], ["-Infinity", "NaN", "12.5"]);
        let asm = |x: f64| literal(Dialect::Asm, Scalar::F64, x.to_bits()).text;
        assert_eq!([asm(1.0), asm(-0.0), asm(1e300), asm(0.5)], ["1.0", "-0.0", "1.0e300", "0.5"]);
        assert_eq!(literal(Dialect::Asm, Scalar::F32, u64::from(0.1f32.to_bits())).text, "fround(0.1)");
        assert_eq!(literal(Dialect::Module, Scalar::I64, u64::MAX).text, "-1n");
        assert_eq!(literal(Dialect::Module, Scalar::U32, 0xffff_ffff).text, "4294967295");
    }
}
