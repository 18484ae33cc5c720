//! Functions of newer versions for targets that lack them, as source text that is written into the output.

use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

/// A function that the output brings along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Helper {
    Trunc,
    RoundEven,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    IsNan,
    IsInf,
    Transpose,
    Determinant,
    Inverse,
    OuterProduct,
    Minimum,
    Maximum,
    CopySign,
    CountLeadingZeros,
    CountTrailingZeros,
}

impl Helper {
    /// The helper for an op, if there is one.
    pub(crate) fn for_op(op: Op) -> Option<Helper> {
        Some(match op {
            Op::Trunc => Helper::Trunc,
            Op::Round | Op::RoundEven => Helper::RoundEven,
            Op::Sinh => Helper::Sinh,
            Op::Cosh => Helper::Cosh,
            Op::Tanh => Helper::Tanh,
            Op::Asinh => Helper::Asinh,
            Op::Acosh => Helper::Acosh,
            Op::Atanh => Helper::Atanh,
            Op::IsNan => Helper::IsNan,
            Op::IsInf => Helper::IsInf,
            Op::Transpose => Helper::Transpose,
            Op::Determinant => Helper::Determinant,
            Op::Inverse => Helper::Inverse,
            Op::OuterProduct => Helper::OuterProduct,
            Op::Minimum => Helper::Minimum,
            Op::Maximum => Helper::Maximum,
            Op::CopySign => Helper::CopySign,
            Op::CountLeadingZeros => Helper::CountLeadingZeros,
            Op::CountTrailingZeros => Helper::CountTrailingZeros,
            _ => return None,
        })
    }

    /// The preferred name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Helper::Trunc => "truncate",
            Helper::RoundEven => "round_even",
            Helper::Sinh => "sinh_of",
            Helper::Cosh => "cosh_of",
            Helper::Tanh => "tanh_of",
            Helper::Asinh => "asinh_of",
            Helper::Acosh => "acosh_of",
            Helper::Atanh => "atanh_of",
            Helper::IsNan => "is_nan",
            Helper::IsInf => "is_infinite",
            Helper::Transpose => "transposed",
            Helper::Determinant => "determinant_of",
            Helper::Inverse => "inverse_of",
            Helper::OuterProduct => "outer_product",
            Helper::Minimum => "minimum",
            Helper::Maximum => "maximum",
            Helper::CopySign => "copy_sign",
            Helper::CountLeadingZeros => "leading_zeros",
            Helper::CountTrailingZeros => "trailing_zeros",
        }
    }

    /// The first versions, of ES and of the desktop, that have all operations of its body.
    pub(crate) const fn since(self) -> (u16, u16) {
        match self {
            Helper::Minimum | Helper::Maximum | Helper::CopySign => (300, 330),
            Helper::CountLeadingZeros | Helper::CountTrailingZeros => (300, 130),
            _ => (100, 110),
        }
    }

    /// Whether it has a form for an operand of this type.
    pub(crate) fn takes(self, kind: &TypeKind) -> bool {
        match self {
            Helper::Transpose | Helper::Determinant | Helper::Inverse => {
                matches!(kind, TypeKind::Matrix { scalar: Scalar::F32, columns, rows } if columns == rows)
            }
            Helper::OuterProduct => matches!(kind, TypeKind::Vector(Scalar::F32, _)),
            Helper::IsNan | Helper::IsInf | Helper::Minimum | Helper::Maximum | Helper::CopySign => {
                matches!(kind, TypeKind::Scalar(Scalar::F32))
            }
            Helper::CountLeadingZeros | Helper::CountTrailingZeros => {
                matches!(kind, TypeKind::Scalar(Scalar::I32 | Scalar::U32))
            }
            _ => matches!(kind, TypeKind::Scalar(Scalar::F32) | TypeKind::Vector(Scalar::F32, _)),
        }
    }

    /// The definition, as lines. `ty` is the operand's type as GLSL writes it, `n` its components or columns. `finds_bits`:
    /// whether the target has `findMSB` and `findLSB`.
    pub(crate) fn define(self, name: &str, ty: &str, n: u8, finds_bits: bool) -> Vec<String> {
        let body: Vec<String> = match self {
            Helper::Trunc => vec!["return sign(x) * floor(abs(x));".into()],
            Helper::RoundEven => {
                // Halfway between two integers the even one is next.
                let half = if n == 1 {
                    "return f < 0.5 || (f == 0.5 && mod(low, 2.0) == 0.0) ? low : low + 1.0;".to_string()
                } else {
                    format!(
                        "{ty} odd = mod(low, 2.0);\nreturn low + step(0.5, f) - step(f, {ty}(0.5)) * step(0.5, f) * (1.0 - odd);"
                    )
                };
                let mut lines = vec![format!("{ty} low = floor(x);"), format!("{ty} f = x - low;")];
                lines.extend(half.lines().map(str::to_owned));
                lines
            }
            Helper::Sinh => vec!["return (exp(x) - exp(-x)) * 0.5;".into()],
            Helper::Cosh => vec!["return (exp(x) + exp(-x)) * 0.5;".into()],
            Helper::Tanh => vec![
                // Beyond 10 the quotient is 1 in every precision, and exp would overflow.
                format!("{ty} e = exp(2.0 * clamp(x, -10.0, 10.0));"),
                "return (e - 1.0) / (e + 1.0);".into(),
            ],
            Helper::Asinh => vec!["return sign(x) * log(abs(x) + sqrt(x * x + 1.0));".into()],
            Helper::Acosh => vec!["return log(x + sqrt(x * x - 1.0));".into()],
            Helper::Atanh => vec!["return 0.5 * log((1.0 + x) / (1.0 - x));".into()],
            Helper::IsNan => vec!["return !(x < 0.0 || x >= 0.0);".into()],
            Helper::IsInf => vec!["return x != 0.0 && x * 2.0 == x;".into()],
            Helper::Transpose => vec![transpose(ty, n)],
            Helper::Determinant => determinant(n),
            Helper::Inverse => inverse(ty, n),
            Helper::OuterProduct => {
                let columns: Vec<String> = (0..n).map(|i| format!("x * y{}", component(i))).collect();
                vec![format!("return mat{n}({});", columns.join(", "))]
            }
            Helper::Minimum => extreme("<", "|"),
            Helper::Maximum => extreme(">", "&"),
            Helper::CopySign => vec![
                "uint bits = floatBitsToUint(x) & 0x7fffffffu | floatBitsToUint(y) & 0x80000000u;".into(),
                "return uintBitsToFloat(bits);".into(),
            ],
            Helper::CountLeadingZeros if finds_bits => vec![format!("return {ty}(31 - findMSB(uint(x)));")],
            Helper::CountTrailingZeros if finds_bits => vec![format!("return {ty}(x == {ty}(0) ? 32 : findLSB(x));")],
            Helper::CountLeadingZeros => {
                let mut lines = highest_bit("uint(x)");
                lines.push(format!("return {ty}(x == {ty}(0) ? 32 : 31 - at);"));
                lines
            }
            Helper::CountTrailingZeros => {
                // The lowest one bit alone.
                let mut lines = highest_bit("uint(x) & ~uint(x) + 1u");
                lines.push(format!("return {ty}(x == {ty}(0) ? 32 : at);"));
                lines
            }
        };
        let result = match self {
            Helper::IsNan | Helper::IsInf => "bool",
            Helper::Determinant => "float",
            Helper::OuterProduct => ["", "", "mat2", "mat3", "mat4"][n as usize],
            _ => ty,
        };
        let params = match self {
            Helper::OuterProduct | Helper::Minimum | Helper::Maximum | Helper::CopySign => format!("{ty} x, {ty} y"),
            Helper::Transpose | Helper::Determinant | Helper::Inverse => format!("{ty} m"),
            _ => format!("{ty} x"),
        };
        let mut lines = vec![format!("{result} {name}({params}) {{")];
        lines.extend(body.into_iter().map(|l| format!("    {l}")));
        lines.push("}".into());
        lines
    }
}

/// NaN if either operand is; of two zeros the one with the sign that `join` gives.
fn extreme(order: &str, join: &str) -> Vec<String> {
    vec![
        format!("float chosen = x {order} y ? x : y;"),
        format!("chosen = x == y ? uintBitsToFloat(floatBitsToUint(x) {join} floatBitsToUint(y)) : chosen;"),
        "return x != x ? x : y != y ? y : chosen;".into(),
    ]
}

/// Statements that compute the position of the highest one bit in `at`.
fn highest_bit(of: &str) -> Vec<String> {
    let mut lines = vec![format!("uint left = {of};"), "int at = 0;".into()];
    for half in [16, 8, 4, 2, 1] {
        lines.push(format!("int by_{half} = left > {}u ? {half} : 0;", (1u32 << half) - 1));
        lines.push(format!("left >>= by_{half};"));
        lines.push(format!("at += by_{half};"));
    }
    lines
}

fn component(i: u8) -> &'static str {
    [".x", ".y", ".z", ".w"][i as usize]
}

fn transpose(ty: &str, n: u8) -> String {
    let parts: Vec<String> = (0..n).flat_map(|c| (0..n).map(move |r| format!("m[{r}]{}", component(c)))).collect();
    format!("return {ty}({});", parts.join(", "))
}

/// `m[c].r`
fn at(c: u8, r: u8) -> String {
    format!("m[{c}]{}", component(r))
}

/// The determinant of these columns and rows of the matrix: expanded along the first column, the terms from the first row
/// on, as `docs/numerics.md` has it.
fn minor(columns: &[u8], rows: &[u8]) -> String {
    match columns {
        [c] => at(*c, rows[0]),
        [a, b] => format!("({} * {} - {} * {})", at(*a, rows[0]), at(*b, rows[1]), at(*b, rows[0]), at(*a, rows[1])),
        [first, rest @ ..] => {
            let terms: Vec<String> = rows
                .iter()
                .enumerate()
                .map(|(i, &r)| {
                    let others: Vec<u8> = rows.iter().copied().filter(|&o| o != r).collect();
                    let sign = if i % 2 == 0 { "" } else { "-" };
                    format!("{sign}{} * {}", at(*first, r), minor(rest, &others))
                })
                .collect();
            format!("({})", terms.join(" + ").replace("+ -", "- "))
        }
        [] => String::new(),
    }
}

fn determinant(n: u8) -> Vec<String> {
    let all: Vec<u8> = (0..n).collect();
    let whole = minor(&all, &all);
    vec![format!("return {};", whole.strip_prefix('(').and_then(|w| w.strip_suffix(')')).unwrap_or(&whole))]
}

/// The adjugate, each component divided by the determinant.
fn inverse(ty: &str, n: u8) -> Vec<String> {
    let all: Vec<u8> = (0..n).collect();
    let without = |x: u8| all.iter().copied().filter(|&o| o != x).collect::<Vec<u8>>();
    let mut parts = Vec::new();
    for c in 0..n {
        for r in 0..n {
            // Column c, row r of the inverse is the cofactor of row c, column r.
            let sign = if (c + r) % 2 == 0 { "" } else { "-" };
            parts.push(format!("{sign}{}", minor(&without(r), &without(c))));
        }
    }
    vec![format!("float d = {};", minor(&all, &all)), format!("return {ty}({}) / d;", parts.join(", "))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_the_adjugate() {
        let text = Helper::Inverse.define("f", "mat2", 2, false).join("\n");
        assert!(text.contains("mat2(m[1].y, -m[0].y, -m[1].x, m[0].x)"), "{text}");
        assert!(text.contains("float d = (m[0].x * m[1].y - m[1].x * m[0].y);"), "{text}");
        assert!(text.contains(") / d;"), "{text}");
    }
}
