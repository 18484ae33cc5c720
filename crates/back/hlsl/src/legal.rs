//! The built-in functions of HLSL, and what legalization has to do about operations that it lacks.
//!
//! Some operations are no function of HLSL and are written as a function that the output brings along ([`crate::helpers`]):
//! packing, `frexp`, and `ldexp`, which HLSL computes by `exp2`. `isnan` is left to the bits, as compilers take it for `false`.

use planish_ir::ops::{Class, GroupOperation, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};

use crate::ShaderModel;

/// A shader model, as legalization knows it.
pub fn info(version: ShaderModel) -> TargetInfo<'static> {
    let support: &'static dyn Fn(&Operation) -> Support = match (version.has_wide_integers(), version.has_halves()) {
        (true, true) => &support::<true, true>,
        (true, false) => &support::<true, false>,
        _ => &support::<false, false>,
    };
    TargetInfo { name: "HLSL", support, is_shading_language: true }
}

fn support<const WIDE: bool, const HALF: bool>(operation: &Operation) -> Support {
    use Support::{Call, Expand, Guard, GuardConstants, Yes};
    let (is_scalar, is_wide) = (operation.first.shape == Shape::Scalar, operation.is_wide());
    let is_double = operation.scalar() == Some(Scalar::F64);
    let is_unsigned = matches!(operation.scalar(), Some(Scalar::U32 | Scalar::U64));
    let expand_if = |condition: bool| if condition { Expand } else { Yes };
    let is_half = operation.scalar() == Some(Scalar::F16);
    let is_small = operation.scalar().is_some_and(Scalar::is_small_integer);
    let is_16_bits = operation.scalar().is_some_and(|scalar| scalar.bits() == 16);
    let is_bool = operation.scalar() == Some(Scalar::Bool);
    match operation.op {
        Op::Add if is_half && !HALF => Expand,
        // Lowered to 32 bits.
        Op::Add if is_small && !(HALF && is_16_bits) => Expand,
        // On 32 bits.
        Op::Abs | Op::Sign | Op::BitCount | Op::BitReverse | Op::FindLsb | Op::FindMsb if is_small => Expand,
        Op::ConstructVectorFromScalar
        | Op::ConstructVectorFromMultiple
        | Op::ConstructMatrixFromMultiple
        | Op::ConstructScalarFromScalar => Guard,
        Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix => Expand,
        Op::Bitcast => {
            let is_float = |scalar: Option<Scalar>| scalar.is_some_and(Scalar::is_float);
            expand_if(is_wide && is_float(operation.scalar()) != is_float(operation.result.scalar))
        }
        Op::Negate => expand_if(operation.is_matrix() || is_unsigned),
        Op::Abs | Op::Sign => expand_if(is_unsigned || is_wide),
        Op::Divide if operation.is_matrix() => Expand,
        Op::Divide | Op::Remainder if operation.is_float() => expand_if(operation.op == Op::Remainder && is_wide),
        Op::Divide | Op::Remainder | Op::ShiftLeft | Op::ShiftRight => Guard,
        Op::Clamp | Op::SmoothStep if !is_wide => GuardConstants,
        Op::BitfieldExtract | Op::BitfieldInsert => Expand,
        Op::BitCount | Op::BitReverse | Op::FindLsb | Op::FindMsb => expand_if(is_wide),
        Op::CountLeadingZeros | Op::CountTrailingZeros => Expand,
        Op::Any | Op::All => expand_if(is_scalar),
        // Functions of vectors, as people write them.
        Op::Length | Op::Normalize | Op::Distance | Op::Dot | Op::Reflect | Op::Refract | Op::FaceForward => {
            expand_if(is_scalar || is_double)
        }
        Op::Inverse | Op::Asinh | Op::Acosh | Op::Atanh => Call,
        Op::Transpose => Yes,
        Op::Determinant => {
            if is_double {
                Call
            } else {
                Yes
            }
        }
        Op::OuterProduct | Op::AggregateEqual | Op::Modf => Expand,
        Op::Fma => Yes,
        Op::Frexp | Op::Ldexp => expand_if(is_wide || is_half),
        Op::PackHalf2x16 | Op::PackSnorm2x16 | Op::PackUnorm2x16 | Op::PackSnorm4x8 | Op::PackUnorm4x8 => Yes,
        Op::UnpackHalf2x16 | Op::UnpackSnorm2x16 | Op::UnpackUnorm2x16 => Yes,
        Op::UnpackSnorm4x8 | Op::UnpackUnorm4x8 => Yes,
        // Logic of vectors changed its meaning with the versions of the language.
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor | Op::Select => expand_if(!is_scalar),
        Op::LogicalNot | Op::ArrayLength => Yes,
        Op::Min | Op::Max => expand_if(is_wide && !is_double),
        Op::Dfdx | Op::Dfdy | Op::Fwidth | Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => Yes,
        Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => Yes,
        Op::Add | Op::Subtract | Op::Multiply | Op::MatrixTimesScalar | Op::MatrixTimesVector => Yes,
        Op::VectorTimesMatrix | Op::MatrixTimesMatrix | Op::MatrixComponentMultiply => Yes,
        Op::BitwiseNot | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Yes,
        Op::Equal | Op::NotEqual | Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual => Yes,
        Op::QuadBroadcast if !is_bool => Guard,
        op => match op.info().class {
            Class::Subgroup if op != Op::SubgroupBarrier => expand_if(subgroup_function(operation).is_none()),
            Class::Unary | Class::Binary | Class::BuiltIn => expand_if(function(op).is_none() || is_wide),
            _ => Yes,
        },
    }
}

/// The function that an op on subgroups is, if it has one for these values.
pub(crate) fn subgroup_function(operation: &Operation) -> Option<&'static str> {
    let group = operation.imm.as_group();
    let is_number = operation.scalar() != Some(Scalar::Bool);
    let number = |name| is_number.then_some(name);
    let whole = |name| number(name).filter(|_| group == GroupOperation::Reduce);
    let scan = |reduce, prefix| match group {
        GroupOperation::Reduce => number(reduce),
        GroupOperation::ExclusiveScan => number(prefix),
        _ => None,
    };
    let is_unsigned = matches!(operation.scalar(), Some(Scalar::U32 | Scalar::U64));
    match operation.op {
        Op::SubgroupElect => Some("WaveIsFirstLane"),
        Op::SubgroupAll => Some("WaveActiveAllTrue"),
        Op::SubgroupAny => Some("WaveActiveAnyTrue"),
        Op::SubgroupBallot => Some("WaveActiveBallot"),
        Op::SubgroupBroadcast | Op::SubgroupShuffle => number("WaveReadLaneAt"),
        Op::SubgroupBroadcastFirst => number("WaveReadLaneFirst"),
        Op::SubgroupAdd => scan("WaveActiveSum", "WavePrefixSum"),
        Op::SubgroupMultiply => scan("WaveActiveProduct", "WavePrefixProduct"),
        Op::SubgroupMin => whole("WaveActiveMin"),
        Op::SubgroupMax => whole("WaveActiveMax"),
        Op::SubgroupAnd => whole("WaveActiveBitAnd").filter(|_| is_unsigned),
        Op::SubgroupOr => whole("WaveActiveBitOr").filter(|_| is_unsigned),
        Op::SubgroupXor => whole("WaveActiveBitXor").filter(|_| is_unsigned),
        Op::QuadBroadcast => number("QuadReadLaneAt"),
        Op::QuadSwapHorizontal => number("QuadReadAcrossX"),
        Op::QuadSwapVertical => number("QuadReadAcrossY"),
        Op::QuadSwapDiagonal => number("QuadReadAcrossDiagonal"),
        _ => None,
    }
}

/// The function that an op is.
pub(crate) fn function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Radians => "radians",
        Op::Degrees => "degrees",
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Exp2 => "exp2",
        Op::Log2 => "log2",
        Op::Sqrt => "sqrt",
        Op::InverseSqrt => "rsqrt",
        Op::Floor => "floor",
        Op::Trunc => "trunc",
        Op::Round | Op::RoundEven => "round",
        Op::Ceil => "ceil",
        Op::Fract => "frac",
        Op::Saturate => "saturate",
        Op::Transpose => "transpose",
        Op::Determinant => "determinant",
        Op::Any => "any",
        Op::All => "all",
        Op::BitReverse => "reversebits",
        Op::Atan2 => "atan2",
        Op::Pow => "pow",
        Op::Min => "min",
        Op::Max => "max",
        Op::Step => "step",
        Op::Cross => "cross",
        Op::Mix => "lerp",
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
        Op::Dfdx => "ddx",
        Op::Dfdy => "ddy",
        Op::Fwidth => "fwidth",
        Op::DfdxFine => "ddx_fine",
        Op::DfdyFine => "ddy_fine",
        Op::DfdxCoarse => "ddx_coarse",
        Op::DfdyCoarse => "ddy_coarse",
        _ => return None,
    })
}
