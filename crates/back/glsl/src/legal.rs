//! Operations that a version of GLSL has, and what legalization has to do about the others.
//!
//! These are written by the back end, though they are no function or operator of the version, because they would be longer or
//! harder to read as other operations:
//!
//! | op | reason |
//! | --- | --- |
//! | `trunc`, `round`, `round_even`, `modf` before ES 3.00 and 1.30 | on vectors: without selects by a vector, which these versions lack |
//! | `is_nan`, `is_inf` before ES 3.00 and 1.30 | the bits of a float are out of reach, and `x != x` is what compilers remove |
//! | `remainder` before ES 3.00 and 1.30 | divisors are not guarded, as those of `/` and `%` |
//! | `select` and logic on vectors | by components, where `mix` does not take them |
//! | `fma` before ES 3.20 and 4.00 | a sum of a product, rounded twice; an error where it must be precise |

use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};

use crate::ops::has_function;
use crate::target::Target;

/// A version of GLSL, as legalization knows it; `None` if it cannot be written.
pub fn info(version: u16, es: bool) -> Option<TargetInfo<'static>> {
    let (name, support): (_, &dyn Fn(&Operation) -> Support) = match (version, es) {
        (100, true) => ("GLSL ES 1.00", &support::<100, true>),
        (300, true) => ("GLSL ES 3.00", &support::<300, true>),
        (310, true) => ("GLSL ES 3.10", &support::<310, true>),
        (320, true) => ("GLSL ES 3.20", &support::<320, true>),
        (120, false) => ("GLSL 1.20", &support::<120, false>),
        (140, false) => ("GLSL 1.40", &support::<140, false>),
        (330, false) => ("GLSL 3.30", &support::<330, false>),
        (450 | 460, false) => ("GLSL", &support::<450, false>),
        _ if Target::VERSIONS.contains(&(version, es)) => ("GLSL", &support::<400, false>),
        _ => return None,
    };
    Some(TargetInfo { name, support, is_shading_language: true })
}

fn support<const VERSION: u16, const ES: bool>(operation: &Operation) -> Support {
    use Support::{Call, Expand, Yes};
    let at_least = |es, desktop| VERSION >= if ES { es } else { desktop };
    let is_single = operation.scalar() == Some(Scalar::F32);
    let is_half = operation.scalar() == Some(Scalar::F16);
    let is_word = matches!(operation.scalar(), Some(Scalar::I32 | Scalar::U32));
    if let Some(small) = operation.scalar().filter(|scalar| scalar.is_small_integer()) {
        return small_support(operation, small, at_least(u16::MAX, 450));
    }
    let call_if = |condition: bool| if condition { Call } else { Yes };
    match operation.op {
        Op::Add if is_half && !at_least(u16::MAX, 450) => Expand,
        Op::Minimum | Op::Maximum | Op::CopySign if is_half => Expand,
        Op::MultiplyAdd | Op::Lerp | Op::HorizontalAdd | Op::HorizontalMin | Op::HorizontalMax => Expand,
        Op::Hypot | Op::Saturate | Op::SignExtend8 | Op::SignExtend16 | Op::SignExtend32 => Expand,
        // Early versions have these of floats only.
        Op::Min | Op::Max | Op::Clamp | Op::Abs | Op::Sign
            if !at_least(300, 130) && operation.scalar().is_some_and(Scalar::is_integer) =>
        {
            Expand
        }
        op if has_function(op, at_least) => Yes,
        Op::Frexp if is_single && at_least(300, 330) => Expand,
        Op::Sinh | Op::Cosh | Op::Tanh | Op::Asinh | Op::Acosh | Op::Atanh => call_if(is_single),
        Op::Transpose | Op::Determinant | Op::Inverse => {
            let is_square = matches!(operation.first.shape, Shape::Matrix { columns, rows } if columns == rows);
            call_if(is_single && is_square)
        }
        Op::OuterProduct => call_if(is_single && operation.first.shape == operation.second.shape),
        Op::Minimum | Op::Maximum | Op::CopySign => call_if(is_single && at_least(300, 330)),
        Op::CountLeadingZeros | Op::CountTrailingZeros if is_word && at_least(310, 400) => Expand,
        Op::CountLeadingZeros | Op::CountTrailingZeros => call_if(is_word && at_least(300, 130)),
        Op::FindMsb | Op::FindLsb | Op::BitCount | Op::BitReverse => call_if(is_word && at_least(300, 130)),
        Op::BitfieldExtract | Op::BitfieldInsert => call_if(is_word && at_least(300, 130)),
        Op::AddCarry | Op::SubtractBorrow if is_word && at_least(300, 130) && !at_least(310, 400) => Expand,
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor if operation.first.shape != Shape::Scalar => Expand,
        Op::Select if operation.first.shape != Shape::Scalar => {
            let has_mix = operation.second.scalar.is_some_and(Scalar::is_float) && at_least(300, 130);
            if has_mix || at_least(320, 450) { Yes } else { Expand }
        }
        Op::Remainder if !at_least(300, 130) => Expand,
        // No matrix of a matrix.
        Op::ConstructMatrixFromMatrix if !at_least(300, 120) => Expand,
        _ => Yes,
    }
}

/// Support for an operation on integers of 8 or 16 bits, which is what the operators and a few functions do; none where `is_known` does not hold.
fn small_support(operation: &Operation, scalar: Scalar, is_known: bool) -> Support {
    use Support::{Expand, Yes};
    match operation.op {
        Op::Add if !is_known => Expand,
        Op::Abs | Op::Sign if !scalar.is_signed() => Expand,
        Op::Abs | Op::Sign | Op::Min | Op::Max | Op::Clamp | Op::Negate => Yes,
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder | Op::ShiftLeft | Op::ShiftRight => Yes,
        Op::BitwiseNot | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Yes,
        op => match op.info().class {
            Class::Unary | Class::Binary | Class::BuiltIn => Expand,
            _ => Yes,
        },
    }
}
