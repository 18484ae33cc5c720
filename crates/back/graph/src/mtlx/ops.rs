//! The operations that a document holds, as nodes of the standard library or composed of them.

use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};

/// The ops that MaterialX has for floats, in the order of the op table.
pub const OPS: &[Op] = &[
    Op::Negate,
    Op::LogicalNot,
    Op::Radians,
    Op::Degrees,
    Op::Sin,
    Op::Cos,
    Op::Tan,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Exp,
    Op::Log,
    Op::Exp2,
    Op::Log2,
    Op::Sqrt,
    Op::InverseSqrt,
    Op::Abs,
    Op::Sign,
    Op::Floor,
    Op::Trunc,
    Op::Round,
    Op::RoundEven,
    Op::Ceil,
    Op::Fract,
    Op::Saturate,
    Op::Length,
    Op::HorizontalAdd,
    Op::Normalize,
    Op::Transpose,
    Op::Any,
    Op::All,
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Divide,
    Op::MatrixTimesScalar,
    Op::MatrixTimesVector,
    Op::VectorTimesMatrix,
    Op::MatrixTimesMatrix,
    Op::MatrixComponentMultiply,
    Op::OuterProduct,
    Op::LogicalAnd,
    Op::LogicalOr,
    Op::LogicalXor,
    Op::Mod,
    Op::Pow,
    Op::Atan2,
    Op::Min,
    Op::Max,
    Op::Step,
    Op::Distance,
    Op::Dot,
    Op::Cross,
    Op::Reflect,
    Op::Equal,
    Op::NotEqual,
    Op::LessThan,
    Op::LessThanEqual,
    Op::GreaterThan,
    Op::GreaterThanEqual,
    Op::Clamp,
    Op::Mix,
    Op::Lerp,
    Op::SmoothStep,
    Op::Fma,
    Op::MultiplyAdd,
    Op::Select,
    Op::ConstructScalarFromScalar,
    Op::TextureSample,
];

/// Those of them that it has for integers.
const OF_INTEGERS: &[Op] = &[
    Op::Negate,
    Op::Add,
    Op::Subtract,
    Op::Equal,
    Op::NotEqual,
    Op::LessThan,
    Op::LessThanEqual,
    Op::GreaterThan,
    Op::GreaterThanEqual,
    Op::Select,
    Op::ConstructScalarFromScalar,
];

/// The operations of MaterialX, for the legalizer.
pub const INFO: TargetInfo<'static> = TargetInfo { name: "MaterialX", support: &support, is_shading_language: true };

fn support(operation: &Operation) -> Support {
    let op = operation.op;
    let is_move =
        matches!(op.info().class, Class::Construct | Class::Extract | Class::Access | Class::Memory | Class::Call);
    let has = if operation.scalar().is_some_and(Scalar::is_integer) { OF_INTEGERS } else { OPS };
    match op {
        Op::Reflect if operation.first.shape != Shape::Vector(3) => Support::Expand,
        Op::Bitcast | Op::TruncateTrapping => Support::Expand,
        _ if is_move || has.contains(&op) => Support::Yes,
        _ => Support::Expand,
    }
}
