//! The directives of the reference instruction set.

use planish_ir::entity::{Func, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};
use smallvec::SmallVec;

use crate::isa::{Comparison, Frame, Kind, Label, Operand, Operation, Reg};

/// What a directive reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A register, or the first of two (`v128`).
    Reg(Reg),
    /// A constant of at most 64 bits, zero-extended.
    Const(u64),
    /// A `v128` constant.
    Wide(u128),
    /// The result of an operation that has no register of its own.
    Nested(Box<Nested>),
}

/// An operation inside another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nested {
    /// What is done.
    pub op: Op,
    /// The op's immediate.
    pub imm: Imm,
    /// The kind of the operands, as in [`Operation`].
    pub operand: Kind,
    /// The kind of the result.
    pub result: Kind,
    /// What it reads; nothing nested.
    pub args: SmallVec<[Arg; 2]>,
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A function of the module with a body.
    Func(Func),
    /// A function of the module that comes from outside.
    Import(Func),
    /// The function that a reference stands for.
    Value(Arg),
    /// The element of a table; traps if there is none, if it is null, or of another type.
    Table {
        /// Which table.
        table: Table,
        /// The type that the function must have.
        ty: Type,
        /// Which element.
        index: Arg,
    },
}

/// A step of the reference machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directive {
    /// A place that jumps go to. Does nothing.
    Label(Label),
    /// Goes on at the label.
    Jump(Label),
    /// Goes on at the label if the condition is not 0 (`nonzero`), or is.
    JumpIf {
        /// A `bool`, or any value of one word.
        condition: Arg,
        /// Which of both.
        nonzero: bool,
        /// Where to.
        to: Label,
    },
    /// Goes on at the label if the comparison holds (or, negated, does not).
    JumpCompare {
        /// Which comparison.
        comparison: Comparison,
        /// Its operands: a register, and a register or constant.
        args: [Arg; 2],
        /// Where to.
        to: Label,
    },
    /// Goes on at the label that the low 32 bits of the index count, or at the last one if there are not so many.
    JumpTable {
        /// The number.
        index: Reg,
        /// At least one.
        to: Box<[Label]>,
    },
    /// Ends the program.
    Trap(TrapKind),
    /// Copies a word.
    Copy {
        /// Into this register.
        out: Reg,
        /// Out of this one.
        from: Reg,
    },
    /// Puts a constant into a register.
    Constant {
        /// Into this register.
        out: Reg,
        /// The word.
        bits: u64,
    },
    /// An operation.
    Op {
        /// What is done.
        op: Op,
        /// The op's immediate.
        imm: Imm,
        /// The kind of the operands, as in [`Operation`].
        operand: Kind,
        /// The kind of the first result.
        result: Kind,
        /// Where the results go: none, one, or two (`modf` and its like).
        outs: SmallVec<[Reg; 2]>,
        /// What it reads.
        args: SmallVec<[Arg; 2]>,
    },
    /// Copies words out of the frame: from register `base` plus the index on.
    IndexedLoad {
        /// Into this register and those behind it.
        out: Reg,
        /// Index 0.
        base: Reg,
        /// A `u32`.
        index: Arg,
        /// How many.
        words: u32,
    },
    /// Copies words into the frame: to register `base` plus the index and those behind it.
    IndexedStore {
        /// Index 0.
        base: Reg,
        /// A `u32`.
        index: Arg,
        /// A register, or a constant.
        value: Arg,
        /// How many.
        words: u32,
    },
    /// Calls: the callee's register 0 is `frame.base`. Arguments are there, results will be.
    Call {
        /// Who.
        target: Target,
        /// Its frame.
        frame: Frame,
    },
    /// Calls, giving up the frame of the running function: the callee's register 0 is its register 0.
    TailCall {
        /// Who.
        target: Target,
        /// Its frame; the base is 0.
        frame: Frame,
    },
    /// Leaves the function. The results are in the registers from 0 on.
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
