//! Functions of newer versions for targets that lack them, as source text that is written into the output.

use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

/// A function that the output brings along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Helper {
    Trunc,
    RoundEven,
    IsNan,
    IsInf,
}

impl Helper {
    /// The helper for an op, if there is one.
    pub(crate) fn for_op(op: Op) -> Option<Helper> {
        Some(match op {
            Op::Trunc => Helper::Trunc,
            Op::Round | Op::RoundEven => Helper::RoundEven,
            Op::IsNan => Helper::IsNan,
            Op::IsInf => Helper::IsInf,
            _ => return None,
        })
    }

    /// The preferred name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Helper::Trunc => "truncate",
            Helper::RoundEven => "round_even",
            Helper::IsNan => "is_nan",
            Helper::IsInf => "is_infinite",
        }
    }

    /// Whether it has a form for an operand of this type.
    pub(crate) fn takes(self, kind: &TypeKind) -> bool {
        match self {
            Helper::IsNan | Helper::IsInf => matches!(kind, TypeKind::Scalar(Scalar::F32)),
            _ => matches!(kind, TypeKind::Scalar(Scalar::F32) | TypeKind::Vector(Scalar::F32, _)),
        }
    }

    /// The definition, as lines. `ty` is the operand's type as GLSL writes it, of one component or several.
    pub(crate) fn define(self, name: &str, ty: &str, is_scalar: bool) -> Vec<String> {
        let body: Vec<String> = match self {
            Helper::Trunc => vec!["return sign(x) * floor(abs(x));".into()],
            Helper::RoundEven => {
                let mut lines = vec![format!("{ty} low = floor(x);"), format!("{ty} f = x - low;")];
                // Halfway between two integers the even one is next.
                if is_scalar {
                    lines.push("return f < 0.5 || (f == 0.5 && mod(low, 2.0) == 0.0) ? low : low + 1.0;".into());
                } else {
                    let down = format!("step(f, {ty}(0.5)) * step(0.5, f) * (1.0 - odd)");
                    lines.push(format!("{ty} odd = mod(low, 2.0);"));
                    lines.push(format!("return low + step(0.5, f) - {down};"));
                }
                lines
            }
            Helper::IsNan => vec!["return !(x < 0.0 || x >= 0.0);".into()],
            Helper::IsInf => vec!["return x != 0.0 && x * 2.0 == x;".into()],
        };
        let result = if matches!(self, Helper::IsNan | Helper::IsInf) { "bool" } else { ty };
        let mut lines = vec![format!("{result} {name}({ty} x) {{")];
        lines.extend(body.into_iter().map(|l| format!("    {l}")));
        lines.push("}".into());
        lines
    }
}
