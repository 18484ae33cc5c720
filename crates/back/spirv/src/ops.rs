//! The table of ops that are one instruction: which, by the components of the first operand.

use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use spirv::{GlslStd450Op as G, Op as S};

/// An instruction on all operands, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instruction {
    /// None: the op is something else for these components.
    No,
    /// Of SPIR-V itself.
    Core(S),
    /// Of `GLSL.std.450`.
    Glsl(G),
    /// Of `GLSL.std.450`, and not for doubles.
    Single(G),
}
use Instruction::{Core, Glsl, No, Single};

/// A row: op; for floats, signed integers, unsigned integers, booleans.
struct Row(Op, Instruction, Instruction, Instruction, Instruction);

const fn float(op: Op, instruction: Instruction) -> Row {
    Row(op, instruction, No, No, No)
}

const fn integer(op: Op, instruction: S) -> Row {
    Row(op, No, Core(instruction), Core(instruction), No)
}

const fn boolean(op: Op, instruction: S) -> Row {
    Row(op, No, No, No, Core(instruction))
}

/// For floats, signed and unsigned integers.
const fn numeric(op: Op, f: S, s: S, u: S) -> Row {
    Row(op, Core(f), Core(s), Core(u), No)
}

#[rustfmt::skip]
static TABLE: &[Row] = &[
    Row(Op::Negate, Core(S::FNegate), Core(S::SNegate), No, No),
    boolean(Op::LogicalNot, S::LogicalNot),
    integer(Op::BitwiseNot, S::Not),
    float(Op::Radians, Single(G::Radians)),
    float(Op::Degrees, Single(G::Degrees)),
    float(Op::Sin, Single(G::Sin)),
    float(Op::Cos, Single(G::Cos)),
    float(Op::Tan, Single(G::Tan)),
    float(Op::Asin, Single(G::Asin)),
    float(Op::Acos, Single(G::Acos)),
    float(Op::Atan, Single(G::Atan)),
    float(Op::Sinh, Single(G::Sinh)),
    float(Op::Cosh, Single(G::Cosh)),
    float(Op::Tanh, Single(G::Tanh)),
    float(Op::Asinh, Single(G::Asinh)),
    float(Op::Acosh, Single(G::Acosh)),
    float(Op::Atanh, Single(G::Atanh)),
    float(Op::Exp, Single(G::Exp)),
    float(Op::Log, Single(G::Log)),
    float(Op::Exp2, Single(G::Exp2)),
    float(Op::Log2, Single(G::Log2)),
    float(Op::Sqrt, Glsl(G::Sqrt)),
    float(Op::InverseSqrt, Glsl(G::InverseSqrt)),
    Row(Op::Abs, Glsl(G::FAbs), Glsl(G::SAbs), No, No),
    Row(Op::Sign, Glsl(G::FSign), Glsl(G::SSign), No, No),
    float(Op::Floor, Glsl(G::Floor)),
    float(Op::Trunc, Glsl(G::Trunc)),
    // GLSL's `Round` may go either way at a half; the IR's goes to even.
    float(Op::Round, Glsl(G::RoundEven)),
    float(Op::RoundEven, Glsl(G::RoundEven)),
    float(Op::Ceil, Glsl(G::Ceil)),
    float(Op::Fract, Glsl(G::Fract)),
    float(Op::Transpose, Core(S::Transpose)),
    float(Op::Determinant, Glsl(G::Determinant)),
    float(Op::Inverse, Glsl(G::MatrixInverse)),
    integer(Op::BitReverse, S::BitReverse),
    float(Op::PackSnorm2x16, Glsl(G::PackSnorm2x16)),
    float(Op::PackUnorm2x16, Glsl(G::PackUnorm2x16)),
    float(Op::PackHalf2x16, Glsl(G::PackHalf2x16)),
    float(Op::PackSnorm4x8, Glsl(G::PackSnorm4x8)),
    float(Op::PackUnorm4x8, Glsl(G::PackUnorm4x8)),
    Row(Op::PackDouble2x32, No, No, Glsl(G::PackDouble2x32), No),
    Row(Op::UnpackSnorm2x16, No, No, Glsl(G::UnpackSnorm2x16), No),
    Row(Op::UnpackUnorm2x16, No, No, Glsl(G::UnpackUnorm2x16), No),
    Row(Op::UnpackHalf2x16, No, No, Glsl(G::UnpackHalf2x16), No),
    Row(Op::UnpackSnorm4x8, No, No, Glsl(G::UnpackSnorm4x8), No),
    Row(Op::UnpackUnorm4x8, No, No, Glsl(G::UnpackUnorm4x8), No),
    float(Op::UnpackDouble2x32, Glsl(G::UnpackDouble2x32)),
    float(Op::Dfdx, Core(S::DPdx)),
    float(Op::Dfdy, Core(S::DPdy)),
    float(Op::Fwidth, Core(S::Fwidth)),
    float(Op::DfdxFine, Core(S::DPdxFine)),
    float(Op::DfdyFine, Core(S::DPdyFine)),
    float(Op::FwidthFine, Core(S::FwidthFine)),
    float(Op::DfdxCoarse, Core(S::DPdxCoarse)),
    float(Op::DfdyCoarse, Core(S::DPdyCoarse)),
    float(Op::FwidthCoarse, Core(S::FwidthCoarse)),
    numeric(Op::Add, S::FAdd, S::IAdd, S::IAdd),
    numeric(Op::Subtract, S::FSub, S::ISub, S::ISub),
    numeric(Op::Multiply, S::FMul, S::IMul, S::IMul),
    float(Op::Divide, Core(S::FDiv)),
    float(Op::MatrixComponentMultiply, Core(S::FMul)),
    float(Op::MatrixTimesScalar, Core(S::MatrixTimesScalar)),
    float(Op::MatrixTimesVector, Core(S::MatrixTimesVector)),
    float(Op::VectorTimesMatrix, Core(S::VectorTimesMatrix)),
    float(Op::MatrixTimesMatrix, Core(S::MatrixTimesMatrix)),
    float(Op::OuterProduct, Core(S::OuterProduct)),
    boolean(Op::LogicalAnd, S::LogicalAnd),
    boolean(Op::LogicalOr, S::LogicalOr),
    boolean(Op::LogicalXor, S::LogicalNotEqual),
    integer(Op::BitwiseAnd, S::BitwiseAnd),
    integer(Op::BitwiseOr, S::BitwiseOr),
    integer(Op::BitwiseXor, S::BitwiseXor),
    float(Op::Atan2, Single(G::Atan2)),
    float(Op::Pow, Single(G::Pow)),
    Row(Op::Min, Glsl(G::FMin), Glsl(G::SMin), Glsl(G::UMin), No),
    Row(Op::Max, Glsl(G::FMax), Glsl(G::SMax), Glsl(G::UMax), No),
    float(Op::Step, Glsl(G::Step)),
    float(Op::Cross, Glsl(G::Cross)),
    float(Op::Ldexp, Glsl(G::Ldexp)),
    Row(Op::Equal, Core(S::FOrdEqual), Core(S::IEqual), Core(S::IEqual), Core(S::LogicalEqual)),
    // NaN differs from everything.
    Row(Op::NotEqual, Core(S::FUnordNotEqual), Core(S::INotEqual), Core(S::INotEqual), Core(S::LogicalNotEqual)),
    numeric(Op::LessThan, S::FOrdLessThan, S::SLessThan, S::ULessThan),
    numeric(Op::LessThanEqual, S::FOrdLessThanEqual, S::SLessThanEqual, S::ULessThanEqual),
    numeric(Op::GreaterThan, S::FOrdGreaterThan, S::SGreaterThan, S::UGreaterThan),
    numeric(Op::GreaterThanEqual, S::FOrdGreaterThanEqual, S::SGreaterThanEqual, S::UGreaterThanEqual),
    float(Op::Mix, Glsl(G::FMix)),
    float(Op::Fma, Glsl(G::Fma)),
];

/// The instruction that an op is for operands of these components.
pub(crate) fn instruction(op: Op, scalar: Scalar) -> Instruction {
    let Some(Row(_, f, s, u, b)) = TABLE.iter().find(|row| row.0 == op) else { return No };
    match scalar {
        Scalar::F32 | Scalar::F64 => *f,
        Scalar::I32 | Scalar::I64 => *s,
        Scalar::U32 | Scalar::U64 => *u,
        Scalar::Bool => *b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_op_stands_twice() {
        for (i, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..i].iter().all(|other| other.0 != row.0), "{:?}", row.0);
        }
    }
}
