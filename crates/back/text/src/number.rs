//! Numbers as literals: the shortest decimal that reads back as the same bits.

use planish_ir::meaning::shortest_half;

/// A finite `f32` (not negative zero's sign, which the caller writes) as a float literal with a point or an exponent.
/// `short` drops every digit and point that the lexer does not need.
pub fn float32(value: f32, short: bool) -> String {
    decimal(&format!("{value:e}"), short)
}

/// As [`float32`] for `f64`, without suffix.
pub fn float64(value: f64, short: bool) -> String {
    decimal(&format!("{value:e}"), short)
}

/// As [`float32`] for the bits of an `f16`, without suffix.
pub fn float16(bits: u64, short: bool) -> String {
    float64(shortest_half(bits as u16), short)
}

/// Rewrites Rust's shortest scientific notation (`-1.25e-7`).
fn decimal(scientific: &str, short: bool) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let plain = positional(&digits, exponent, short);
    let scientific = scientific_form(&digits, exponent, short);
    let use_scientific = if short { scientific.len() < plain.len() } else { !(-6..16).contains(&exponent) };
    format!("{sign}{}", if use_scientific { scientific } else { plain })
}

fn positional(digits: &str, exponent: i32, short: bool) -> String {
    let zero = if short { "" } else { "0" };
    if exponent < 0 {
        return format!("{zero}.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        let body = format!("{digits}{}", "0".repeat(whole - digits.len()));
        return format!("{body}.{zero}");
    }
    let (whole, fraction) = digits.split_at(whole);
    let whole = if short && whole == "0" { "" } else { whole };
    format!("{whole}.{fraction}")
}

fn scientific_form(digits: &str, exponent: i32, short: bool) -> String {
    if short {
        // The point moves after the last digit, which costs nothing.
        return format!("{digits}e{}", exponent - digits.len() as i32 + 1);
    }
    let (first, rest) = digits.split_at(1);
    format!("{first}.{}e{exponent}", if rest.is_empty() { "0" } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_read_back_as_the_same_bits() {
        let mut bits = 1u32;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            for short in [false, true] {
                let text = float32(value, short);
                assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits, "{text}");
                assert!(text.contains('.') || text.contains('e'), "{text}");
            }
        }
    }

    #[test]
    fn they_look_as_people_write_them() {
        let long = |v| float32(v, false);
        assert_eq!([long(1.0), long(0.5), long(1e-3), long(1500.0)], ["1.0", "0.5", "0.001", "1500.0"]);
        assert_eq!([long(1e20), long(1.5e-10), long(-2.25)], ["1.0e20", "1.5e-10", "-2.25"]);
        let short = |v| float32(v, true);
        assert_eq!([short(1.0), short(0.5), short(1e6), short(0.0)], ["1.", ".5", "1e6", "0."]);
        assert_eq!(float64(0.1, false), "0.1");
    }
}
