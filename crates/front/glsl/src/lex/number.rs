//! Values of numbers, by the rules of the version.

use planish_ir::meaning::float_bits;
use planish_ir::types::Scalar;

use super::excerpt;
use crate::token::TokenKind;
use crate::version::Version;

/// Maximum number of characters of a number. (The digits that determine the rounding of a `double` are fewer than 800.)
const MAX_LENGTH: usize = 1024;

/// A number that has a value, and its error.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Number {
    pub(crate) kind: TokenKind,
    pub(crate) trouble: Option<Trouble>,
}

/// An error in a number. There is a value all the same, so that parsing can continue.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Trouble {
    /// Whether the program is still valid.
    pub(crate) warning: bool,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The correction, if there is one.
    pub(crate) replacement: Option<String>,
}

impl Trouble {
    fn error(message: impl Into<String>) -> Self {
        Trouble { warning: false, message: message.into(), help: None, replacement: None }
    }

    fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into()).filter(|t| t.len() < 200);
        self
    }

    fn replacement(mut self, text: impl Into<String>) -> Self {
        self.replacement = Some(text.into()).filter(|t| t.len() < 200);
        self
    }
}

/// Reads a lexeme of kind [`Number`](super::LexKind::Number).
pub(crate) fn read_number(text: &str, version: Version) -> Number {
    // The common case first: a short decimal integer.
    let bytes = text.as_bytes();
    if bytes.len() < 10 && bytes.iter().all(u8::is_ascii_digit) && (bytes[0] != b'0' || bytes.len() == 1) {
        let bits = bytes.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
        return Number { kind: TokenKind::Int { bits, unsigned: false }, trouble: None };
    }
    // A macro may repeat a number arbitrarily often: parsing it must be fast.
    if bytes.len() > MAX_LENGTH {
        let trouble = Trouble::error(format!("this number has {} characters; {MAX_LENGTH} is the limit", bytes.len()));
        return Number { kind: TokenKind::Float(0.0), trouble: Some(trouble) };
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return read_hexadecimal(text, digits, version);
    }
    let (body, suffix) = text.split_at(body_length(bytes));
    if body.bytes().all(|b| b.is_ascii_digit()) {
        read_integer(text, body, suffix, version)
    } else {
        read_float(text, body, suffix, version)
    }
}

/// Length of the number without adjacent letters and digits.
fn body_length(bytes: &[u8]) -> usize {
    let digits = |mut pos: usize| {
        while bytes.get(pos).is_some_and(u8::is_ascii_digit) {
            pos += 1;
        }
        pos
    };
    let mut pos = digits(0);
    if bytes.get(pos) == Some(&b'.') {
        pos = digits(pos + 1);
    }
    if matches!(bytes.get(pos), Some(b'e' | b'E')) {
        let first = pos + 1 + usize::from(matches!(bytes.get(pos + 1), Some(b'+' | b'-')));
        if digits(first) > first {
            pos = digits(first);
        }
    }
    pos
}

fn read_hexadecimal(text: &str, digits: &str, version: Version) -> Number {
    let end = digits.bytes().position(|b| !b.is_ascii_hexdigit()).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() {
        let trouble = Trouble::error(format!("`{0}` has no hexadecimal digits", excerpt(text)))
            .help("write at least one, as in `0x1F`");
        return Number { kind: TokenKind::Int { bits: 0, unsigned: false }, trouble: Some(trouble) };
    }
    finish_integer(text, u64::from_str_radix(digits, 16).ok(), suffix, version)
}

fn read_integer(text: &str, body: &str, suffix: &str, version: Version) -> Number {
    if body.len() > 1 && body.starts_with('0') {
        if let Some(digit) = body.chars().find(|c| matches!(c, '8' | '9')) {
            let decimal = body.trim_start_matches('0');
            let trouble = Trouble::error(format!("`{digit}` is not an octal digit"))
                .help(format!("a number that starts with 0 is octal; for decimal, write `{decimal}`"))
                .replacement(format!("{decimal}{suffix}"));
            return Number { kind: TokenKind::Int { bits: 0, unsigned: false }, trouble: Some(trouble) };
        }
        return finish_integer(text, u64::from_str_radix(body, 8).ok(), suffix, version);
    }
    finish_integer(text, body.parse().ok(), suffix, version)
}

/// Checks the suffix and the range; `value` is none if it does not fit 64 bits.
fn finish_integer(text: &str, value: Option<u64>, suffix: &str, version: Version) -> Number {
    if suffix.eq_ignore_ascii_case("l") || suffix.eq_ignore_ascii_case("ul") {
        let trouble = Trouble::error(format!("`{}` does not fit 64 bits", excerpt(text)));
        let kind = TokenKind::Long { bits: value.unwrap_or(u64::MAX), unsigned: suffix.len() == 2 };
        return Number { kind, trouble: value.is_none().then_some(trouble) };
    }
    let value = value.and_then(|value| u32::try_from(value).ok());
    if suffix.eq_ignore_ascii_case("s") || suffix.eq_ignore_ascii_case("us") {
        // The checker asks for the extension.
        let bits = value.and_then(|value| u16::try_from(value).ok());
        let trouble = Trouble::error(format!("`{}` does not fit 16 bits", excerpt(text)));
        let kind = TokenKind::Short { bits: bits.unwrap_or(u16::MAX), unsigned: suffix.len() == 2 };
        return Number { kind, trouble: bits.is_none().then_some(trouble) };
    }
    let unsigned = matches!(suffix, "u" | "U");
    let number = |bits, trouble| Number { kind: TokenKind::Int { bits, unsigned }, trouble };
    let Some(bits) = value else {
        let mut trouble = Trouble::error(format!("`{0}` does not fit 32 bits", excerpt(text)));
        // Integers of ES 1.00 may be implemented as floats; practical targets have the whole range.
        trouble.warning = version.is_es_100();
        return number(u32::MAX, Some(trouble));
    };
    let trouble = match suffix {
        "" => None,
        "u" | "U" if version.has_unsigned() => None,
        "u" | "U" => Some(
            Trouble::error(format!("{version} has no unsigned integers"))
                .help("drop the suffix `u`")
                .replacement(&text[..text.len() - 1]),
        ),
        "f" | "F" => Some(
            Trouble::error(format!("`{0}` has the suffix of a float, but no decimal point", excerpt(text)))
                .help(format!("write `{}.0`", &text[..text.len() - 1]))
                .replacement(format!("{}.0", &text[..text.len() - 1])),
        ),
        _ => Some(bad_suffix(text, suffix)),
    };
    if matches!(suffix, "f" | "F") {
        return Number { kind: TokenKind::Float(bits as f32), trouble };
    }
    number(bits, trouble)
}

fn read_float(text: &str, body: &str, suffix: &str, version: Version) -> Number {
    let double = matches!(suffix, "lf" | "LF");
    let half = suffix.eq_ignore_ascii_case("hf");
    let trouble = match suffix {
        "" => None,
        "f" | "F" if version.has_float_suffix() => None,
        // The checker asks for the extension.
        "lf" | "LF" if version.is_desktop() => None,
        _ if half => None,
        "f" | "F" => Some(
            Trouble::error(format!("{version} has no suffix `{suffix}` on floats"))
                .help("drop it: a number with a decimal point is a float")
                .replacement(body),
        ),
        "lf" | "LF" => Some(Trouble::error(format!("{version} has no double precision")).replacement(body)),
        _ => Some(bad_suffix(text, suffix)),
    };
    // `parse` accepts every `body` that gets here and rounds correctly; zero would be an internal error.
    let kind = if double {
        TokenKind::Double(body.parse().unwrap_or(0.0))
    } else if half {
        TokenKind::Half(float_bits(Scalar::F16, body.parse().unwrap_or(0.0)) as u16)
    } else {
        TokenKind::Float(body.parse().unwrap_or(0.0))
    };
    let infinite = match kind {
        TokenKind::Double(value) => value.is_infinite(),
        TokenKind::Float(value) => value.is_infinite(),
        TokenKind::Half(bits) => bits == 0x7c00,
        _ => false,
    };
    let overflow = infinite.then(|| Trouble {
        warning: true,
        message: format!(
            "`{text}` is too large for a {}; it becomes infinity",
            match (double, half) {
                (true, _) => "double",
                (_, true) => "float16_t",
                _ => "float",
            }
        ),
        help: None,
        replacement: None,
    });
    Number { kind, trouble: trouble.or(overflow) }
}

fn bad_suffix(text: &str, suffix: &str) -> Trouble {
    if matches!(suffix, "e" | "E") {
        return Trouble::error(format!("the exponent of `{}` has no digits", excerpt(text)));
    }
    let trouble = Trouble::error(format!("`{}` is not a suffix of numbers", excerpt(suffix)));
    let body = &text[..text.len() - suffix.len()];
    if body.ends_with('.') && suffix.bytes().all(|b| b"xyzwrgbastpq".contains(&b)) {
        return trouble.help(format!("a component is taken with a second dot: `{body}0.{suffix}`"));
    }
    trouble.help("suffixes are `u` for unsigned integers, `s` and `us` for 16-bit integers, `l` and `ul` for 64-bit integers, `f` for floats, `lf` for doubles and `hf` for 16-bit floats")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ES_100: Version = Version::ES_100;
    const ES_300: Version = Version::ES_300;
    const V_450: Version = Version::desktop(450);

    fn int(bits: u32) -> TokenKind {
        TokenKind::Int { bits, unsigned: false }
    }

    #[test]
    fn good_numbers_have_their_value() {
        let cases = [
            ("0", ES_100, int(0)),
            ("123456789", ES_100, int(123_456_789)),
            ("4294967295", ES_300, int(u32::MAX)),
            ("2147483648", ES_300, int(1 << 31)),
            ("017", ES_100, int(15)),
            ("00", ES_100, int(0)),
            ("0xfF", ES_100, int(255)),
            ("0XFFFFFFFFu", ES_300, TokenKind::Int { bits: u32::MAX, unsigned: true }),
            ("7U", ES_300, TokenKind::Int { bits: 7, unsigned: true }),
            ("1.", ES_100, TokenKind::Float(1.0)),
            (".5", ES_100, TokenKind::Float(0.5)),
            ("1e3", ES_100, TokenKind::Float(1000.0)),
            ("1.5E-3", ES_100, TokenKind::Float(1.5e-3)),
            ("010.0", ES_100, TokenKind::Float(10.0)),
            ("09e1", ES_100, TokenKind::Float(90.0)),
            ("1.0f", ES_300, TokenKind::Float(1.0)),
            ("1e2F", ES_300, TokenKind::Float(100.0)),
            ("0.1lf", V_450, TokenKind::Double(0.1)),
            // Halfway cases: rounding to f64 first would result in the other neighbour.
            ("1.00000017881393432617187499", ES_100, TokenKind::Float(1.0 + f32::EPSILON)),
            ("16777217.0", ES_100, TokenKind::Float(16_777_216.0)),
            ("1e-45", ES_100, TokenKind::Float(f32::from_bits(1))),
        ];
        for (text, version, kind) in cases {
            assert_eq!(read_number(text, version), Number { kind, trouble: None }, "{text}");
        }
    }

    #[test]
    fn bad_numbers_say_why() {
        let cases = [
            ("08", ES_100, "`8` is not an octal digit"),
            ("0x", ES_100, "`0x` has no hexadecimal digits"),
            ("0xg", ES_100, "`0xg` has no hexadecimal digits"),
            ("4294967296", ES_300, "`4294967296` does not fit 32 bits"),
            ("0x100000000", V_450, "`0x100000000` does not fit 32 bits"),
            ("1u", ES_100, "GLSL ES 1.00 has no unsigned integers"),
            ("1f", ES_300, "`1f` has the suffix of a float, but no decimal point"),
            ("1.0f", ES_100, "GLSL ES 1.00 has no suffix `f` on floats"),
            ("1.0lf", ES_300, "GLSL ES 3.00 has no double precision"),
            ("1e", ES_300, "the exponent of `1e` has no digits"),
            ("2.0x", ES_300, "`x` is not a suffix of numbers"),
            ("1.xx", ES_300, "`xx` is not a suffix of numbers"),
            ("12abc", ES_300, "`abc` is not a suffix of numbers"),
        ];
        for (text, version, message) in cases {
            let trouble = read_number(text, version).trouble.unwrap_or_else(|| panic!("{text} is good"));
            assert_eq!(trouble.message, message, "{text}");
            assert!(!trouble.warning, "{text}");
        }
    }

    #[test]
    fn numbers_have_a_length_limit() {
        let zeros = "0".repeat(MAX_LENGTH - 2);
        assert_eq!(read_number(&format!("1.{zeros}"), ES_100), Number { kind: TokenKind::Float(1.0), trouble: None });
        assert!(read_number(&format!("1.0{zeros}"), ES_100).trouble.is_some_and(|t| !t.warning));
    }

    #[test]
    fn out_of_range_is_a_warning_where_the_program_is_legal() {
        let number = read_number("1e50", ES_300);
        assert_eq!(number.kind, TokenKind::Float(f32::INFINITY));
        assert!(number.trouble.unwrap().warning);
        let number = read_number("99999999999", ES_100);
        assert_eq!(number.kind, int(u32::MAX));
        assert!(number.trouble.unwrap().warning);
    }
}
