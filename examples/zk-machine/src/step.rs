//! The steps of the machine.

use planish_ir::entity::{Func, Memory, Table, Type, Var};
use planish_ir::function::TrapKind;
use planish_machine::isa::{Label, Reg};

/// An operand of a step: a register or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A register of the frame.
    Reg(Reg),
    /// A number.
    Number(u32),
}

/// An operation on two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Alu {
    Add,
    Subtract,
    Multiply,
    /// The upper word of the product of unsigned words.
    MultiplyHigh,
    And,
    Or,
    Xor,
    /// Shift amounts are taken modulo 32.
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    /// Unsigned division; by 0 it traps.
    Divide,
    Remainder,
    /// 1 or 0.
    Equal,
    Less,
    LessSigned,
    /// Of the first word only.
    LeadingZeros,
    TrailingZeros,
}

/// The callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function.
    Func(Func),
    /// The function that a word refers to.
    Value(Word),
    /// An element of a table, which must have the type.
    Table(Table, Type, Word),
}

/// A step.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A place that jumps go to.
    Label(Label),
    /// Goes there.
    Jump(Label),
    /// Goes there if the word is not zero.
    JumpIf(Word, Label),
    /// Ends the program.
    Trap(TrapKind),
    /// Puts a word into a register.
    Set(Reg, Word),
    /// Puts the result of an operation into a register.
    Alu(Alu, Reg, Word, Word),
    /// `out ← if condition then a else b`
    Select(Reg, Word, Word, Word),
    /// Loads `bytes` bytes (1, 2 or 4), zero-extended, from an address plus an offset. `reach` more bytes must be
    /// within the memory, too: the rest of an access of several steps.
    Load { out: Reg, memory: Memory, address: Word, offset: u64, bytes: u32, reach: u32 },
    /// Stores the low bytes of a word.
    Store { memory: Memory, address: Word, offset: u64, bytes: u32, value: Word, reach: u32 },
    /// Pages of a memory.
    Size(Reg, Memory),
    /// Grows a memory.
    Grow(Reg, Memory, Word),
    /// A word of a variable of the module: of a component (`index` more than `component`), and the number of the word
    /// in it.
    Global { out: Reg, var: Var, component: u32, index: Word, word: u32 },
    /// Sets a word of a variable.
    SetGlobal { var: Var, component: u32, index: Word, word: u32, value: Word },
    /// Calls: the callee's frame begins at `base`, return address and frame pointer are stored at its prelude.
    Call { callee: Callee, base: Reg, prelude: Reg },
    /// Goes to another function in this frame.
    TailCall(Callee),
    /// Returns to the address in the prelude.
    Return { prelude: Reg },
}
