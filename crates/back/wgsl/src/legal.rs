//! The built-in functions of WGSL, and what legalization has to do about operations that it lacks.

use planish_ir::ops::{Class, GroupOperation, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};

/// WGSL, as legalization knows it.
pub fn info() -> TargetInfo<'static> {
    TargetInfo { name: "WGSL", support: &support, is_shading_language: true }
}

/// Divisors, conversions and indices are guarded by the language itself; what is known when the module is created is not, but
/// an error.
fn support(operation: &Operation) -> Support {
    use Support::{Call, Expand, Guard, GuardConstants, Yes};
    let (is_scalar, is_wide) = (operation.first.shape == Shape::Scalar, operation.is_wide());
    let is_unsigned = matches!(operation.scalar(), Some(Scalar::U32 | Scalar::U64));
    let is_half = operation.scalar() == Some(Scalar::F16);
    let is_bool = operation.scalar() == Some(Scalar::Bool);
    let expand_if = |condition: bool| if condition { Expand } else { Yes };
    match operation.op {
        // Lowered to 32 bits.
        Op::Add if operation.scalar().is_some_and(Scalar::is_small_integer) => Expand,
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
        Op::BitCount | Op::FindLsb | Op::FindMsb | Op::CountLeadingZeros => Yes,
        Op::Any | Op::All => expand_if(is_scalar),
        // Functions of vectors only.
        Op::Length | Op::Normalize | Op::Distance | Op::Dot | Op::Reflect | Op::Refract | Op::FaceForward => {
            expand_if(is_scalar)
        }
        Op::Inverse => Call,
        // Of halves, naga takes the exponent for an `i16`.
        Op::Frexp => expand_if(is_wide || is_half),
        Op::Modf | Op::Select | Op::ArrayLength => Yes,
        // Of 32 bits only.
        Op::Dfdx | Op::Dfdy | Op::Fwidth | Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => expand_if(is_half),
        Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => expand_if(is_half),
        Op::Add | Op::Subtract | Op::Multiply | Op::MatrixTimesScalar | Op::MatrixTimesVector => Yes,
        Op::VectorTimesMatrix | Op::MatrixTimesMatrix => Yes,
        Op::LogicalNot | Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor => Yes,
        Op::BitwiseNot | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Yes,
        Op::AggregateEqual => Expand,
        Op::SubgroupBroadcast | Op::QuadBroadcast if !is_bool => Guard,
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
        // (`subgroupElect` is missing in naga.)
        Op::SubgroupAll => Some("subgroupAll"),
        Op::SubgroupAny => Some("subgroupAny"),
        Op::SubgroupBallot => Some("subgroupBallot"),
        Op::SubgroupBroadcast => number("subgroupBroadcast"),
        Op::SubgroupBroadcastFirst => number("subgroupBroadcastFirst"),
        Op::SubgroupShuffle => number("subgroupShuffle"),
        Op::SubgroupShuffleXor => number("subgroupShuffleXor"),
        Op::SubgroupShuffleUp => number("subgroupShuffleUp"),
        Op::SubgroupShuffleDown => number("subgroupShuffleDown"),
        Op::SubgroupAdd if is_number => scan("subgroupAdd", "subgroupInclusiveAdd", "subgroupExclusiveAdd"),
        Op::SubgroupMultiply if is_number => scan("subgroupMul", "subgroupInclusiveMul", "subgroupExclusiveMul"),
        Op::SubgroupMin => whole("subgroupMin"),
        Op::SubgroupMax => whole("subgroupMax"),
        Op::SubgroupAnd => whole("subgroupAnd"),
        Op::SubgroupOr => whole("subgroupOr"),
        Op::SubgroupXor => whole("subgroupXor"),
        Op::QuadBroadcast => number("quadBroadcast"),
        Op::QuadSwapHorizontal => number("quadSwapX"),
        Op::QuadSwapVertical => number("quadSwapY"),
        Op::QuadSwapDiagonal => number("quadSwapDiagonal"),
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
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Exp2 => "exp2",
        Op::Log2 => "log2",
        Op::Sqrt => "sqrt",
        Op::InverseSqrt => "inverseSqrt",
        Op::Floor => "floor",
        Op::Trunc => "trunc",
        Op::Round | Op::RoundEven => "round",
        Op::Ceil => "ceil",
        Op::Fract => "fract",
        Op::Saturate => "saturate",
        Op::Transpose => "transpose",
        Op::Determinant => "determinant",
        Op::BitReverse => "reverseBits",
        Op::CountLeadingZeros => "countLeadingZeros",
        Op::CountTrailingZeros => "countTrailingZeros",
        Op::PackSnorm2x16 => "pack2x16snorm",
        Op::PackUnorm2x16 => "pack2x16unorm",
        Op::PackHalf2x16 => "pack2x16float",
        Op::PackSnorm4x8 => "pack4x8snorm",
        Op::PackUnorm4x8 => "pack4x8unorm",
        Op::UnpackSnorm2x16 => "unpack2x16snorm",
        Op::UnpackUnorm2x16 => "unpack2x16unorm",
        Op::UnpackHalf2x16 => "unpack2x16float",
        Op::UnpackSnorm4x8 => "unpack4x8snorm",
        Op::UnpackUnorm4x8 => "unpack4x8unorm",
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
        Op::FaceForward => "faceForward",
        Op::Clamp => "clamp",
        Op::SmoothStep => "smoothstep",
        Op::Abs => "abs",
        Op::Sign => "sign",
        _ => return None,
    })
}
