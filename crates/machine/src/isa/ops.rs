//! Which ops of the IR can be operations of a machine, and how the operands of an operation make up those of its op.

use planish_ir::entity::Type;
use planish_ir::ops::{Class, Effect, Imm, Op, Rule};
use planish_ir::types::{TypeKind, Types};

use super::Kind;

/// Whether registers can hold what an op works on, so that a machine may have an operation for it ([`super::Isa::supports`]).
/// `operand` and `result` are as in [`super::Operation`].
///
/// These are functions of numbers, what works on memories, tables and references, tokens, and loads and stores of the
/// module's variables. No machine has what reaches through other pointers, neighbouring invocations, images, or the stage.
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
        // An image or a sampler is in no variable that holds words.
        Class::Memory => matches!(op, Op::Load | Op::Store) && operand != Kind::Opaque && result != Kind::Opaque,
        Class::Access | Class::Call | Class::Texture | Class::Stage | Class::Custom => false,
    }
}

/// An operand of an op, as an operation has it: one operand of the operation, or several in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpOperand {
    /// What each of them is.
    pub kind: Kind,
    /// How many.
    pub count: usize,
    /// The type of the whole, where the op asks for this one type.
    pub ty: Option<Type>,
}

/// The operands of an op, whose operation has `count` operands. `operand` is as in [`super::Operation`].
///
/// Most ops have one operand for each of the operation's. An op that takes words apart or puts them together (packing) has
/// composite operands, and its operation the components of all of them.
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

/// The kind of an operand of an op whose operands may differ in kind.
fn kind_of(rule: Rule, imm: Imm, i: usize, operand: Kind) -> Kind {
    match (rule, i) {
        (Rule::MemoryStore | Rule::TableSet | Rule::TableFill, 0) | (Rule::TableFill, 2) => Kind::I32,
        (Rule::TableGrow | Rule::SimdShift, 1) => Kind::I32,
        // What is put into a table; all references are one word.
        (Rule::TableSet | Rule::TableFill, 1) => Kind::Func,
        (Rule::Select, 0) => Kind::Bool,
        (Rule::SimdInsert, 0) => Kind::V128,
        (Rule::SimdInsert, 1) => Kind::of(imm.as_shape().scalar()),
        (Rule::Ldexp, 1) => Kind::I32,
        (Rule::BitfieldExtract, 1 | 2) | (Rule::BitfieldInsert, 2 | 3) => Kind::I32,
        _ => operand,
    }
}
