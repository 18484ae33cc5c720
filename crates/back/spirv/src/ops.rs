//! The table of ops that are one instruction: which, by the components of the first operand; and the support of all
//! others for legalization.

use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Shape, Support, TargetInfo};
use spirv::{GlslStd450Op as G, Op as S};

/// SPIR-V, as legalization knows it.
pub const INFO: TargetInfo<'static> = TargetInfo { name: "SPIR-V", support: &support, is_shading_language: true };

/// Support of SPIR-V for an operation. [`Support::Yes`], or an operand in range, means one instruction, with bitcasts
/// if the instruction requires another type of the same width.
fn support(operation: &Operation) -> Support {
    use Support::{Expand, Guard, Yes};
    let (is_scalar, is_wide) = (operation.first.shape == Shape::Scalar, operation.is_wide());
    let is_half = operation.scalar() == Some(Scalar::F16);
    let is_word = operation.scalar().is_some_and(|scalar| scalar.bits() == 32);
    let expand_if = |condition: bool| if condition { Expand } else { Yes };
    match operation.op {
        Op::ConstructScalarFromScalar => conversion(operation),
        Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple => Guard,
        Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix => Expand,
        // By columns.
        Op::Negate | Op::Add | Op::Subtract | Op::Divide if operation.is_matrix() => Expand,
        Op::MatrixComponentMultiply => Expand,
        // naga's reader takes the product of vectors of different sizes for a matrix of the other shape.
        Op::OuterProduct => expand_if(operation.first.shape != operation.second.shape),
        Op::Divide | Op::Remainder if operation.is_float() => Yes,
        Op::Divide => Guard,
        // Vulkan leaves `OpSRem` undefined for negative operands.
        Op::Remainder => {
            if operation.scalar().is_some_and(Scalar::is_signed) {
                Expand
            } else {
                Guard
            }
        }
        Op::ShiftLeft | Op::ShiftRight | Op::Mod | Op::Clamp | Op::SmoothStep => Guard,
        Op::BitfieldExtract | Op::BitfieldInsert => {
            if is_word {
                Guard
            } else {
                Expand
            }
        }
        Op::BitCount | Op::BitReverse | Op::FindLsb | Op::FindMsb => expand_if(!is_word),
        // Not every reader knows them for vectors.
        Op::LogicalAnd | Op::LogicalOr => expand_if(!is_scalar),
        Op::Any | Op::All => expand_if(is_scalar),
        // Readers know them for vectors only.
        Op::Length | Op::Normalize | Op::Distance | Op::Dot | Op::Reflect | Op::Refract | Op::FaceForward => {
            expand_if(is_scalar)
        }
        Op::IsNan | Op::IsInf => expand_if(!is_wide),
        // Of 32 bits only.
        Op::Dfdx | Op::Dfdy | Op::Fwidth | Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => expand_if(is_half),
        Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => expand_if(is_half),
        Op::NonUniform | Op::Saturate | Op::Select | Op::ArrayLength | Op::Frexp | Op::Modf => Yes,
        Op::AddCarry | Op::SubtractBorrow => expand_if(operation.scalar() == Some(Scalar::I32)),
        Op::MultiplyExtended => Yes,
        op => match op.info().class {
            Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn => {
                match instruction(op, operation.scalar().unwrap_or(Scalar::Bool)) {
                    No => Expand,
                    Single(_) => expand_if(is_wide),
                    Core(_) | Glsl(_) => Yes,
                }
            }
            _ => Yes,
        },
    }
}

fn conversion(operation: &Operation) -> Support {
    let (Some(from), Some(to)) = (operation.scalar(), operation.result.scalar) else { return Support::Yes };
    if from == to {
        return Support::Yes;
    }
    let widens_to_other =
        from.is_integer() && to.is_integer() && from.bits() != to.bits() && from.is_signed() != to.is_signed();
    if from == Scalar::Bool || to == Scalar::Bool || widens_to_other { Support::Expand } else { Support::Guard }
}

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
const TABLE: &[Row] = &[
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
    // GLSL's `Round` may round a half up or down; the IR's rounds it to even.
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
    numeric(Op::Divide, S::FDiv, S::SDiv, S::UDiv),
    Row(Op::Remainder, No, No, Core(S::UMod), No),
    integer(Op::ShiftLeft, S::ShiftLeftLogical),
    Row(Op::ShiftRight, No, Core(S::ShiftRightArithmetic), Core(S::ShiftRightLogical), No),
    Row(Op::BitfieldExtract, No, Core(S::BitFieldSExtract), Core(S::BitFieldUExtract), No),
    integer(Op::BitfieldInsert, S::BitFieldInsert),
    float(Op::Mod, Core(S::FMod)),
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
    float(Op::Length, Glsl(G::Length)),
    float(Op::Normalize, Glsl(G::Normalize)),
    float(Op::Distance, Glsl(G::Distance)),
    float(Op::Dot, Core(S::Dot)),
    float(Op::Reflect, Glsl(G::Reflect)),
    float(Op::Refract, Glsl(G::Refract)),
    float(Op::FaceForward, Glsl(G::FaceForward)),
    boolean(Op::Any, S::Any),
    boolean(Op::All, S::All),
    float(Op::IsNan, Core(S::IsNan)),
    float(Op::IsInf, Core(S::IsInf)),
    Row(Op::Clamp, Glsl(G::FClamp), Glsl(G::SClamp), Glsl(G::UClamp), No),
    float(Op::SmoothStep, Glsl(G::SmoothStep)),
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

/// By op, its row; beyond the table if it has none.
static ROW_OF: [u8; 512] = {
    let mut rows = [u8::MAX; 512];
    let mut i = 0;
    while i < TABLE.len() {
        rows[TABLE[i].0 as usize] = i as u8;
        i += 1;
    }
    rows
};

/// The instruction that an op is for operands of these components.
pub(crate) fn instruction(op: Op, scalar: Scalar) -> Instruction {
    let Some(Row(_, f, s, u, b)) = TABLE.get(usize::from(ROW_OF[op as usize])) else { return No };
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => *f,
        Scalar::Bool => *b,
        integer if integer.is_signed() => *s,
        _ => *u,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_op_stands_twice() {
        for (i, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..i].iter().all(|other| other.0 != row.0), "{:?}", row.0);
            assert_eq!(usize::from(ROW_OF[row.0 as usize]), i);
        }
        assert!(TABLE.len() < u8::MAX.into() && Op::all().count() <= ROW_OF.len());
    }
}
