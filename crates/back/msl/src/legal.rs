//! The built-in functions of Metal, and what legalization has to do about operations that it lacks.

use planish_ir::ops::{Class, GroupOperation, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};

/// Metal, as legalization knows it.
pub fn info() -> TargetInfo<'static> {
    TargetInfo { name: "MSL", support: &support, is_shading_language: true }
}

/// As in C++, divisions by zero, shifts beyond the width, and conversions of floats that do not fit are undefined. Compilers of Metal assume
/// that there is no NaN, unless they are told otherwise.
fn support(operation: &Operation) -> Support {
    use Support::{Call, Expand, Guard, Yes};
    let (is_scalar, is_wide) = (operation.first.shape == Shape::Scalar, operation.is_wide());
    let is_unsigned = matches!(operation.scalar(), Some(Scalar::U32 | Scalar::U64));
    let is_integer = operation.scalar().is_some_and(Scalar::is_integer);
    let expand_if = |condition: bool| if condition { Expand } else { Yes };
    let is_small = operation.scalar().is_some_and(Scalar::is_small_integer);
    match operation.op {
        // On 32 bits.
        Op::Abs | Op::FindLsb | Op::FindMsb | Op::BitCount | Op::CountLeadingZeros if is_small => Expand,
        Op::CountTrailingZeros | Op::BitReverse | Op::BitfieldExtract | Op::BitfieldInsert if is_small => Expand,
        Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple => Guard,
        Op::ConstructScalarFromScalar => Guard,
        Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix => Expand,
        Op::Bitcast => {
            let is_float = |scalar: Option<Scalar>| scalar.is_some_and(Scalar::is_float);
            expand_if(is_wide && is_float(operation.scalar()) != is_float(operation.result.scalar))
        }
        Op::Negate => expand_if(operation.is_matrix() || is_unsigned),
        Op::Abs => expand_if(is_unsigned || is_wide),
        Op::Sign => expand_if(is_integer),
        Op::Divide if operation.is_matrix() => Expand,
        Op::Divide | Op::Remainder if is_integer => Guard,
        Op::Remainder => Expand,
        Op::ShiftLeft | Op::ShiftRight => Guard,
        Op::BitfieldExtract | Op::BitfieldInsert => {
            if is_wide {
                Expand
            } else {
                Guard
            }
        }
        Op::FindLsb | Op::FindMsb if !is_wide => Call,
        Op::FindLsb | Op::FindMsb | Op::BitCount | Op::CountLeadingZeros => expand_if(is_wide),
        Op::CountTrailingZeros | Op::BitReverse => expand_if(is_wide),
        Op::Any | Op::All => expand_if(is_scalar),
        // Functions of vectors only.
        Op::Length | Op::Normalize | Op::Distance | Op::Dot | Op::Reflect | Op::Refract | Op::FaceForward => {
            expand_if(is_scalar)
        }
        Op::Pow | Op::Clamp | Op::SmoothStep => Guard,
        Op::Inverse => Call,
        Op::Frexp | Op::Modf | Op::Radians | Op::Degrees => Expand,
        Op::Select | Op::ArrayLength => Yes,
        Op::Dfdx | Op::Dfdy | Op::Fwidth | Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => Yes,
        Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse | Op::Divide => Yes,
        Op::Add | Op::Subtract | Op::Multiply | Op::MatrixTimesScalar | Op::MatrixTimesVector => Yes,
        Op::VectorTimesMatrix | Op::MatrixTimesMatrix => Yes,
        Op::LogicalNot | Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor => Yes,
        Op::BitwiseNot | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Yes,
        Op::AggregateEqual => Expand,
        op => match op.info().class {
            Class::Subgroup if op != Op::SubgroupBarrier => expand_if(subgroup_function(operation).is_none()),
            Class::Unary | Class::Binary | Class::BuiltIn => expand_if(function(op).is_none()),
            _ => Yes,
        },
    }
}

/// The function that an op on subgroups is, if it has one for these values.
pub(crate) fn subgroup_function(operation: &Operation) -> Option<&'static str> {
    let group = operation.imm.as_group();
    let scan = |reduce: &'static str, inclusive: &'static str, exclusive: &'static str| match group {
        GroupOperation::Reduce => Some(reduce),
        GroupOperation::InclusiveScan => Some(inclusive),
        GroupOperation::ExclusiveScan => Some(exclusive),
        GroupOperation::ClusteredReduce(_) => None,
    };
    let is_number = operation.scalar() != Some(Scalar::Bool) && !operation.is_wide();
    let number = |name| is_number.then_some(name);
    let whole = |name| number(name).filter(|_| group == GroupOperation::Reduce);
    match operation.op {
        Op::SubgroupElect => Some("simd_is_first"),
        Op::SubgroupAll => Some("simd_all"),
        Op::SubgroupAny => Some("simd_any"),
        Op::SubgroupBallot => Some("simd_ballot"),
        Op::SubgroupBroadcast => number("simd_broadcast"),
        Op::SubgroupBroadcastFirst => number("simd_broadcast_first"),
        Op::SubgroupShuffle => number("simd_shuffle"),
        Op::SubgroupShuffleXor => number("simd_shuffle_xor"),
        Op::SubgroupShuffleUp => number("simd_shuffle_up"),
        Op::SubgroupShuffleDown => number("simd_shuffle_down"),
        Op::SubgroupAdd if is_number => scan("simd_sum", "simd_prefix_inclusive_sum", "simd_prefix_exclusive_sum"),
        Op::SubgroupMultiply if is_number => {
            scan("simd_product", "simd_prefix_inclusive_product", "simd_prefix_exclusive_product")
        }
        Op::SubgroupMin => whole("simd_min"),
        Op::SubgroupMax => whole("simd_max"),
        Op::SubgroupAnd => whole("simd_and"),
        Op::SubgroupOr => whole("simd_or"),
        Op::SubgroupXor => whole("simd_xor"),
        Op::QuadBroadcast => number("quad_broadcast"),
        Op::QuadSwapHorizontal | Op::QuadSwapVertical | Op::QuadSwapDiagonal => number("quad_shuffle_xor"),
        _ => None,
    }
}

/// The function that an op is.
pub(crate) fn function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Exp2 => "exp2",
        Op::Log2 => "log2",
        Op::Sqrt => "sqrt",
        Op::InverseSqrt => "rsqrt",
        Op::Floor => "floor",
        Op::Trunc => "trunc",
        Op::Round | Op::RoundEven => "rint",
        Op::Ceil => "ceil",
        Op::Fract => "fract",
        Op::Saturate => "saturate",
        Op::Transpose => "transpose",
        Op::Determinant => "determinant",
        Op::BitReverse => "reverse_bits",
        Op::BitCount => "popcount",
        Op::CountLeadingZeros => "clz",
        Op::CountTrailingZeros => "ctz",
        Op::PackSnorm2x16 => "pack_float_to_snorm2x16",
        Op::PackUnorm2x16 => "pack_float_to_unorm2x16",
        Op::PackSnorm4x8 => "pack_float_to_snorm4x8",
        Op::PackUnorm4x8 => "pack_float_to_unorm4x8",
        Op::UnpackSnorm2x16 => "unpack_snorm2x16_to_float",
        Op::UnpackUnorm2x16 => "unpack_unorm2x16_to_float",
        Op::UnpackSnorm4x8 => "unpack_snorm4x8_to_float",
        Op::UnpackUnorm4x8 => "unpack_unorm4x8_to_float",
        // By conversions of `half2`.
        Op::PackHalf2x16 | Op::UnpackHalf2x16 => "as_type",
        Op::Atan2 => "atan2",
        Op::Pow => "pow",
        Op::Min => "min",
        Op::Max => "max",
        Op::Step => "step",
        Op::Cross => "cross",
        Op::Ldexp => "ldexp",
        Op::Mix => "mix",
        Op::Fma => "fma",
        Op::Length => "length",
        Op::Normalize => "normalize",
        Op::Distance => "distance",
        Op::Dot => "dot",
        Op::Reflect => "reflect",
        Op::Refract => "refract",
        Op::FaceForward => "faceforward",
        Op::Clamp => "clamp",
        Op::SmoothStep => "smoothstep",
        Op::Abs => "abs",
        Op::Sign => "sign",
        _ => return None,
    })
}
