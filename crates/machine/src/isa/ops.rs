//! Ops of the IR that machines can execute, and the operands of their operations.

use planish_ir::entity::Type;
use planish_ir::ops::{Class, Effect, Imm, Op, Rule};
use planish_ir::types::{TypeKind, Types};

use super::Kind;

/// Whether the operands and results of an op are values in registers, so that a machine may support it
/// ([`super::Machine::supports`]). `operand` and `result` are as in [`super::Operation`].
///
/// These are functions of numbers, operations on memories, tables and references, tokens, and loads and stores of the
/// module's variables. Excluded are accesses through other pointers, to neighbouring invocations, to images, and to the
/// stage.
#[inline]
pub fn works_on_registers(op: Op, operand: Kind, result: Kind) -> bool {
    let row = op.info();
    match row.class {
        Class::Unary
        | Class::Binary
        | Class::Compare
        | Class::BuiltIn
        | Class::Construct
        | Class::Extract
        | Class::Simd => {
            let numbers = operand.scalar().is_some() || (row.class == Class::Simd && operand == Kind::V128);
            matches!(row.effect, Effect::Pure | Effect::MayTrap) && (numbers || op == Op::Select)
        }
        Class::Machine | Class::Token => true,
        // Images and samplers are never in variables of words.
        Class::Memory => matches!(op, Op::Load | Op::Store) && operand != Kind::Opaque && result != Kind::Opaque,
        Class::Access | Class::Call | Class::Texture | Class::Stage | Class::Subgroup | Class::Custom => false,
    }
}

/// An operand of an op: one operand of the operation, or several consecutive ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpOperand {
    /// Kind of each.
    pub kind: Kind,
    /// Number of operands.
    pub count: usize,
    /// Type of the composite, if the op requires this type.
    pub ty: Option<Type>,
}

/// The operands of an op whose operation has `count` operands. `operand` is as in [`super::Operation`].
///
/// Most ops have one operand for each of the operation's. Ops that convert between words and composites (packing) have
/// composite operands, and their operations the components of all of them.
pub fn operands_of(types: &Types, (op, imm): (Op, Imm), operand: Kind, count: usize) -> Vec<OpOperand> {
    match op.info().rule {
        Rule::Fixed(params, _) => params.iter().map(|&ty| composite(types, ty)).collect(),
        Rule::PackDouble => vec![composite(types, Type::UVEC2)],
        rule => (0..count).map(|i| OpOperand { kind: kind_of(rule, imm, i, operand), count: 1, ty: None }).collect(),
    }
}

fn composite(types: &Types, ty: Type) -> OpOperand {
    let (kind, count) = match types[ty] {
        TypeKind::Vector(scalar, n) => (Kind::of(scalar), n.into()),
        ref other => (Kind::of_type(other).expect("a fixed operand is a value"), 1),
    };
    OpOperand { kind, count, ty: Some(ty) }
}

/// The kind of an operand of an op whose operands can differ in kind.
fn kind_of(rule: Rule, imm: Imm, i: usize, operand: Kind) -> Kind {
    match (rule, i) {
        (Rule::MemoryStore | Rule::TableSet | Rule::TableFill, 0) | (Rule::TableFill, 2) => Kind::I32,
        (Rule::TableGrow | Rule::SimdShift, 1) => Kind::I32,
        // The element stored to a table; all references are one word.
        (Rule::TableSet | Rule::TableFill, 1) => Kind::Func,
        (Rule::Select, 0) => Kind::Bool,
        (Rule::SimdInsert, 0) => Kind::V128,
        (Rule::SimdInsert, 1) => Kind::of(imm.as_shape().scalar()),
        (Rule::Ldexp, 1) => Kind::I32,
        (Rule::BitfieldExtract, 1 | 2) | (Rule::BitfieldInsert, 2 | 3) => Kind::I32,
        _ => operand,
    }
}
