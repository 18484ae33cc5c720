//! The directives of the reference instruction set.

use planish_ir::entity::{Func, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};
use smallvec::SmallVec;

use crate::isa::{Comparison, Frame, Kind, Label, Operand, Operation, Reg};

/// An operand of a directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A register, or the first of two (`v128`).
    Reg(Reg),
    /// A constant of at most 64 bits, zero-extended.
    Const(u64),
    /// A `v128` constant.
    Wide(u128),
    /// The result of a nested operation, which has no register.
    Nested(Box<Nested>),
}

/// A nested operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nested {
    /// The op.
    pub op: Op,
    /// The op's immediate.
    pub imm: Imm,
    /// The kind of the operands, as in [`Operation`].
    pub operand: Kind,
    /// The kind of the result.
    pub result: Kind,
    /// Operands; not nested themselves.
    pub args: SmallVec<[Arg; 2]>,
}

/// Callee of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A function of the module with a body.
    Func(Func),
    /// An imported function of the module.
    Import(Func),
    /// The function of a reference.
    Value(Arg),
    /// An element of a table; traps if it is out of bounds, null, or of another type.
    Table {
        /// The table.
        table: Table,
        /// The required function type.
        ty: Type,
        /// Index of the element.
        index: Arg,
    },
}

/// An instruction of the reference machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directive {
    /// A jump target. No operation.
    Label(Label),
    /// Jumps to the label.
    Jump(Label),
    /// Jumps to the label if the condition is not 0 (`nonzero`), or if it is 0.
    JumpIf {
        /// A `bool`, or any value of one word.
        condition: Arg,
        /// Whether the jump is taken on a nonzero condition.
        nonzero: bool,
        /// Target.
        to: Label,
    },
    /// Jumps to the label if the comparison holds (negated: does not hold).
    JumpCompare {
        /// The comparison.
        comparison: Comparison,
        /// Its operands: a register, and a register or constant.
        args: [Arg; 2],
        /// Target.
        to: Label,
    },
    /// Jumps to the label selected by the low 32 bits of the index; to the last one if the index is out of range.
    JumpTable {
        /// Register of the index.
        index: Reg,
        /// Targets, at least one.
        to: Box<[Label]>,
    },
    /// Terminates the program with a trap.
    Trap(TrapKind),
    /// Copies a word.
    Copy {
        /// Destination.
        out: Reg,
        /// Source.
        from: Reg,
    },
    /// Loads a constant into a register.
    Constant {
        /// Destination.
        out: Reg,
        /// The word.
        bits: u64,
    },
    /// An operation.
    Op {
        /// The op.
        op: Op,
        /// The op's immediate.
        imm: Imm,
        /// The kind of the operands, as in [`Operation`].
        operand: Kind,
        /// The kind of the first result.
        result: Kind,
        /// Result registers: none, one, or two (`modf` and similar).
        outs: SmallVec<[Reg; 2]>,
        /// Operands.
        args: SmallVec<[Arg; 2]>,
    },
    /// Copies words from register `base` plus the index on.
    IndexedLoad {
        /// First destination register.
        out: Reg,
        /// Register of index 0.
        base: Reg,
        /// A `u32`.
        index: Arg,
        /// Number of words.
        words: u32,
    },
    /// Copies words to register `base` plus the index on.
    IndexedStore {
        /// Register of index 0.
        base: Reg,
        /// A `u32`.
        index: Arg,
        /// A register, or a constant.
        value: Arg,
        /// Number of words.
        words: u32,
    },
    /// Calls a function: the callee's register 0 is `frame.base`. Arguments and results are in its first registers.
    Call {
        /// Callee.
        target: Target,
        /// Frame of the callee.
        frame: Frame,
    },
    /// Tail call, which reuses the frame of the running function: the callee's register 0 is its register 0.
    TailCall {
        /// Callee.
        target: Target,
        /// Frame of the callee; the base is 0.
        frame: Frame,
    },
    /// Returns. The results are in the registers from 0 on.
    Return,
}

impl From<Operand<'_>> for Arg {
    fn from(operand: Operand<'_>) -> Arg {
        match operand {
            Operand::Reg(r) => Arg::Reg(r),
            Operand::Const(bits) => Arg::Const(bits),
            Operand::Wide(bits) => Arg::Wide(bits),
            Operand::Nested(inner) => Arg::Nested(Box::new(inner.into())),
        }
    }
}

impl From<&Operation<'_>> for Nested {
    fn from(operation: &Operation<'_>) -> Nested {
        let &Operation { op, imm, operand, result, args, .. } = operation;
        Nested { op, imm, operand, result, args: args.iter().map(|&a| a.into()).collect() }
    }
}

impl From<&Operation<'_>> for Directive {
    fn from(operation: &Operation<'_>) -> Directive {
        let &Operation { op, imm, operand, result, outs, args } = operation;
        let args = args.iter().map(|&a| a.into()).collect();
        Directive::Op { op, imm, operand, result, outs: outs.into(), args }
    }
}
