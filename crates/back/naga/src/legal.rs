//! The table of ops that are one function of naga, and the support of all others for legalization.

use naga::MathFunction as Math;
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};

use crate::Target;

/// A target of naga, as legalization knows it.
pub fn info(target: Target) -> TargetInfo<'static> {
    let support: &dyn Fn(&Operation) -> Support = match target {
        Target::Wgsl => &|operation| support(Target::Wgsl, operation),
        Target::Spirv => &|operation| support(Target::Spirv, operation),
    };
    TargetInfo { name: target.name(), support, is_shading_language: true }
}

/// Support of a target for an operation through naga, whose writers guard divisors and conversions themselves.
fn support(target: Target, operation: &Operation) -> Support {
    use Support::{Call, Expand, Guard, GuardConstants, Yes};
    let (is_scalar, is_wide) = (operation.first.shape == Shape::Scalar, operation.is_wide());
    let is_unsigned = matches!(operation.scalar(), Some(Scalar::U32 | Scalar::U64));
    let expand_if = |condition: bool| if condition { Expand } else { Yes };
    match operation.op {
        // Constants of them are of a type of another crate.
        Op::Add if operation.scalar().is_some_and(|scalar| scalar.widened() != scalar) => Expand,
        Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple => Guard,
        Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix => Expand,
        Op::Bitcast => {
            let is_float = |scalar: Option<Scalar>| scalar.is_some_and(Scalar::is_float);
            expand_if(is_wide && is_float(operation.scalar()) != is_float(operation.result.scalar))
        }
        Op::Negate => expand_if(operation.is_matrix() || is_unsigned),
        Op::Abs | Op::Sign => expand_if(is_unsigned),
        Op::Divide if operation.is_matrix() => Expand,
        Op::Divide | Op::Remainder | Op::Clamp | Op::SmoothStep => GuardConstants,
        Op::ShiftLeft | Op::ShiftRight => Guard,
        Op::BitfieldExtract | Op::BitfieldInsert => expand_if(is_wide),
        Op::BitCount | Op::FindLsb => Yes,
        // naga's writer for SPIR-V has the first bit of 32-bit integers only.
        Op::FindMsb | Op::CountLeadingZeros => expand_if(is_wide && target == Target::Spirv),
        Op::Any | Op::All => expand_if(is_scalar),
        // naga has them for vectors only.
        Op::Length | Op::Normalize | Op::Distance | Op::Dot | Op::Reflect | Op::Refract | Op::FaceForward => {
            expand_if(is_scalar)
        }
        Op::Inverse => Call,
        Op::Frexp => expand_if(is_wide),
        Op::Modf | Op::Select | Op::ArrayLength => Yes,
        Op::Dfdx | Op::Dfdy | Op::Fwidth | Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => Yes,
        Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => Yes,
        Op::Add | Op::Subtract | Op::Multiply | Op::MatrixTimesScalar | Op::MatrixTimesVector => Yes,
        Op::VectorTimesMatrix | Op::MatrixTimesMatrix => Yes,
        Op::LogicalNot | Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor => Yes,
        Op::BitwiseNot | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Yes,
        Op::AggregateEqual => Expand,
        op => match op.info().class {
            Class::Unary | Class::Binary | Class::BuiltIn => expand_if(function(op).is_none()),
            _ => Yes,
        },
    }
}

/// The function that an op is.
pub(crate) fn function(op: Op) -> Option<Math> {
    Some(match op {
        Op::Radians => Math::Radians,
        Op::Degrees => Math::Degrees,
        Op::Sin => Math::Sin,
        Op::Cos => Math::Cos,
        Op::Tan => Math::Tan,
        Op::Asin => Math::Asin,
        Op::Acos => Math::Acos,
        Op::Atan => Math::Atan,
        Op::Sinh => Math::Sinh,
        Op::Cosh => Math::Cosh,
        Op::Tanh => Math::Tanh,
        Op::Asinh => Math::Asinh,
        Op::Acosh => Math::Acosh,
        Op::Atanh => Math::Atanh,
        Op::Exp => Math::Exp,
        Op::Log => Math::Log,
        Op::Exp2 => Math::Exp2,
        Op::Log2 => Math::Log2,
        Op::Sqrt => Math::Sqrt,
        Op::InverseSqrt => Math::InverseSqrt,
        Op::Floor => Math::Floor,
        Op::Trunc => Math::Trunc,
        Op::Round | Op::RoundEven => Math::Round,
        Op::Ceil => Math::Ceil,
        Op::Fract => Math::Fract,
        Op::Saturate => Math::Saturate,
        Op::Transpose => Math::Transpose,
        Op::Determinant => Math::Determinant,
        Op::BitReverse => Math::ReverseBits,
        Op::CountLeadingZeros => Math::CountLeadingZeros,
        Op::CountTrailingZeros => Math::CountTrailingZeros,
        Op::PackSnorm2x16 => Math::Pack2x16snorm,
        Op::PackUnorm2x16 => Math::Pack2x16unorm,
        Op::PackHalf2x16 => Math::Pack2x16float,
        Op::PackSnorm4x8 => Math::Pack4x8snorm,
        Op::PackUnorm4x8 => Math::Pack4x8unorm,
        Op::UnpackSnorm2x16 => Math::Unpack2x16snorm,
        Op::UnpackUnorm2x16 => Math::Unpack2x16unorm,
        Op::UnpackHalf2x16 => Math::Unpack2x16float,
        Op::UnpackSnorm4x8 => Math::Unpack4x8snorm,
        Op::UnpackUnorm4x8 => Math::Unpack4x8unorm,
        Op::Atan2 => Math::Atan2,
        Op::Pow => Math::Pow,
        Op::Min => Math::Min,
        Op::Max => Math::Max,
        Op::Step => Math::Step,
        Op::Cross => Math::Cross,
        Op::Ldexp => Math::Ldexp,
        Op::Mix => Math::Mix,
        Op::Fma => Math::Fma,
        Op::Length => Math::Length,
        Op::Normalize => Math::Normalize,
        Op::Distance => Math::Distance,
        Op::Dot => Math::Dot,
        Op::Reflect => Math::Reflect,
        Op::Refract => Math::Refract,
        Op::FaceForward => Math::FaceForward,
        Op::Clamp => Math::Clamp,
        Op::SmoothStep => Math::SmoothStep,
        Op::Abs => Math::Abs,
        Op::Sign => Math::Sign,
        _ => return None,
    })
}
