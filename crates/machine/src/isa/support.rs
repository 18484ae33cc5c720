//! An instruction set as the data that the legalizer (`planish_opt::legalize`) asks for.

use planish_ir::ops::{Class, Meaning, Op, Rule};
use planish_target::legal::{self, Support};

use super::{Kind, Machine};
use crate::lower::convert::changes_nothing;

/// Means by which a machine gets the result of an operation of the IR: an operation of its own ([`Machine::supports`]) on each
/// component, or other operations.
///
/// | operation | support |
/// | --- | --- |
/// | componentwise, and the machine has the op | [`Support::Yes`] |
/// | `divide`, `remainder` of a machine with the trapping ones alone | [`Support::Guard`]; then the trapping ones |
/// | geometry, matrix products, reductions | [`Support::Expand`] |
/// | constructors of vectors and matrices | [`Support::Guard`]: their conversions become operations |
/// | neither a function of numbers nor a conversion | [`Support::Yes`]: the compiler names those that the machine lacks |
///
/// # Example
/// ```
/// use planish_ir::entity::Type;
/// use planish_ir::ops::{Imm, Op};
/// use planish_ir::types::Types;
/// use planish_machine::isa::support;
/// use planish_machine::reference::Reference;
/// use planish_target::legal::{Operation, Support};
///
/// let of = |op, ty| support(&Reference, &Operation::new(&Types::default(), op, Imm::NONE, &[ty, ty], Some(ty)));
/// assert_eq!(of(Op::Clamp, Type::VEC3), Support::Yes);
/// assert_eq!(of(Op::Dot, Type::VEC3), Support::Expand);
/// ```
pub fn support<I: Machine>(isa: &I, operation: &legal::Operation) -> Support {
    let op = operation.op;
    let kind = |operand: legal::Operand| operand.scalar.map_or(Kind::None, Kind::of);
    let operand = kind(if op == Op::Select { operation.second } else { operation.first });
    let either = |has: bool| if has { Support::Yes } else { Support::Expand };
    let row = op.info();
    match (op, row.meaning) {
        (Op::ConstructScalarFromScalar, _) => return either(converts(isa, operand, kind(operation.result))),
        (Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple, _) => {
            return Support::Guard;
        }
        (Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix, _)
        | (Op::MatrixTimesScalar | Op::MatrixComponentMultiply, _)
        | (_, Meaning::Algebra | Meaning::Reduction | Meaning::AggregateEqual) => return Support::Expand,
        _ => {}
    }
    let computes = matches!(row.class, Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn);
    let Some(result) = result_of(row.rule, operand).filter(|_| computes && operand != Kind::None && !op.may_trap())
    else {
        return Support::Yes;
    };
    match trapping_division(op).filter(|_| operand.is_integer()) {
        Some(trapping) if !isa.supports(op, operand, result) && isa.supports(trapping, operand, result) => {
            Support::Guard
        }
        _ => either(isa.supports(op, operand, result)),
    }
}

/// Whether a machine has a conversion between scalars, or needs none.
fn converts<I: Machine>(isa: &I, from: Kind, to: Kind) -> bool {
    match to {
        _ if changes_nothing::<I>(from, to) => true,
        Kind::Bool => isa.supports(Op::NotEqual, from, Kind::Bool),
        _ => isa.supports(Op::ConstructScalarFromScalar, from, to),
    }
}

/// The division that traps where another one has a result.
pub(crate) fn trapping_division(op: Op) -> Option<Op> {
    match op {
        Op::Divide => Some(Op::DivideTrapping),
        Op::Remainder => Some(Op::RemainderTrapping),
        _ => None,
    }
}

/// Kind of the result's components, given that of the operands; `None` if the result has a type of its own.
fn result_of(rule: Rule, operand: Kind) -> Option<Kind> {
    Some(match rule {
        Rule::Compare(_) | Rule::Test(_) => Kind::Bool,
        Rule::BitQuery if operand.scalar().is_some_and(|scalar| scalar.bits() == 32) => Kind::I32,
        Rule::BitQuery
        | Rule::Same(..)
        | Rule::Shift
        | Rule::Ldexp
        | Rule::BitfieldExtract
        | Rule::BitfieldInsert
        | Rule::TwoWords
        | Rule::Frexp
        | Rule::Modf
        | Rule::Select => operand,
        _ => return None,
    })
}
