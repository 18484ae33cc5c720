//! What an instruction set says of itself, and how it is told what to emit.
//!
//! The linear pass knows registers of a frame, labels and functions; every directive it wants is one call of an `emit`
//! method of [`Isa`], which pushes whatever directives the machine has for it to an [`Emitter`].
//!
//! ```text
//!  frame of the caller                     frame of the callee
//!  r0 … live across the call …  r(base)  = r0 …             arguments, and later results
//!                               r(base+n)= rn               prelude: return address, frame pointer, if the machine
//!                                                           keeps them there; n is the greater of both numbers
//! ```
//!
//! A frame is addressed by words. A value wider than a word takes consecutive registers, its low word first; a scalar
//! narrower than a word is zero-extended, a `bool` is 0 or 1.

mod emitter;
mod kind;
mod ops;

pub(crate) use emitter::LastReads;
pub use emitter::{Emitter, Temporaries};
pub use kind::Kind;
pub use ops::{OpOperand, operands_of, works_on_registers};

use planish_ir::entity::{Func, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};

/// A register: a word of the frame of the running function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u32);

impl std::fmt::Display for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl std::fmt::Debug for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl Reg {
    /// The register so many words behind this one.
    #[must_use]
    pub const fn offset(self, words: u32) -> Reg {
        Reg(self.0 + words)
    }
}

/// A place in the code of one function. Other functions have labels of their own with the same numbers; functions are
/// named by their [`Func`], so that no name of an export can be mistaken for a label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "L{}", self.0)
    }
}

impl std::fmt::Debug for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// What an operation reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<'a> {
    /// A register, or the first of those of a wider value.
    Reg(Reg),
    /// The bits of a scalar, zero-extended. Only where [`Isa::takes_immediate`] said so.
    Const(u64),
    /// A constant of kind [`Kind::V128`].
    Wide(u128),
    /// The result of an operation that is not done on its own. Only where [`Isa::absorbs`] said so; its own operands
    /// are registers and constants.
    Nested(&'a Operation<'a>),
}

/// One operation of the IR on values that registers hold: arithmetic, a load, a store, …
///
/// `Load` and `Store` are those of the module's variables (WebAssembly's globals, a shader's inputs, …): the immediate is
/// the variable (low half) and the component (high half), and what is loaded or stored is one component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation<'a> {
    /// What is done.
    pub op: Op,
    /// The op's immediate.
    pub imm: Imm,
    /// The kind of the operands: that of the first, but for `MemoryStore` that of what is stored, and for `Select` that of
    /// the values to choose from. [`Kind::None`] without operands.
    pub operand: Kind,
    /// The kind of the first result; [`Kind::None`] without results.
    pub result: Kind,
    /// Where the results go. Empty in a nested operation.
    pub outs: &'a [Reg],
    /// What it reads.
    pub args: &'a [Operand<'a>],
}

/// A comparison that decides a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// `Equal`, `NotEqual`, `LessThan`, `LessThanEqual`, `GreaterThan` or `GreaterThanEqual`.
    pub op: Op,
    /// What is compared.
    pub kind: Kind,
    /// Whether the jump is taken when the comparison does *not* hold. Only of floats: there `!(x < y)` is not `x >= y`.
    pub negated: bool,
}

impl Comparison {
    /// The comparison that holds where this one does not.
    #[must_use]
    pub fn inverse(self) -> Comparison {
        if self.kind.is_float() {
            return Comparison { negated: !self.negated, ..self };
        }
        let op = match self.op {
            Op::Equal => Op::NotEqual,
            Op::NotEqual => Op::Equal,
            Op::LessThan => Op::GreaterThanEqual,
            Op::LessThanEqual => Op::GreaterThan,
            Op::GreaterThan => Op::LessThanEqual,
            _ => Op::LessThan,
        };
        Comparison { op, ..self }
    }
}

/// Whether `op` is one that a [`Comparison`] may have.
pub fn is_comparison(op: Op) -> bool {
    use Op::{Equal, GreaterThan, GreaterThanEqual, LessThan, LessThanEqual, NotEqual};
    matches!(op, Equal | NotEqual | LessThan | LessThanEqual | GreaterThan | GreaterThanEqual)
}

/// Where the frame of a callee lies, and what it shares with its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The caller's register that is the callee's register 0.
    pub base: Reg,
    /// Words of the arguments, in the callee's registers from 0 on.
    pub args: u32,
    /// Words of the results, in the callee's registers from 0 on.
    pub results: u32,
}

impl Frame {
    /// Where the prelude begins, as the callee counts.
    pub const fn prelude(self) -> Reg {
        Reg(if self.args > self.results { self.args } else { self.results })
    }
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee<'a> {
    /// A function of the module with a body.
    Func(Func),
    /// A function of the module that comes from outside.
    Import(Func),
    /// The function that a value of a function type refers to: never null, always of the right type.
    Value(Operand<'a>),
    /// The table's element at the index, which must be a function of the type.
    Table {
        /// Which table.
        table: Table,
        /// The type that the function must have.
        ty: Type,
        /// Which element.
        index: Operand<'a>,
    },
}

/// How a jump into one of many places is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableJumps {
    /// Not at all: a switch becomes comparisons.
    None,
    /// A jump over as many directives as a register says; plain jumps stand behind it.
    Relative,
    /// A directive with a list of labels; the index is checked before.
    Table,
    /// A directive with a list of labels, whose last is for every index beyond.
    TableWithDefault,
}

/// An operation that may take another one inside, see [`Isa::absorbs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum User {
    /// An operation with an op, immediate and kinds of operand and result.
    Operation(Op, Imm, Kind, Kind),
    /// A conditional jump; it takes comparisons by [`Isa::jumps_on`] without being asked here.
    Jump,
}

/// An instruction set.
///
/// The questions come first, the directives after them. The word size and what it can do are the machine's own choice:
/// the passes before it ask and arrange their code so that only what was agreed to is emitted.
pub trait Isa {
    /// What code is made of.
    type Directive;

    /// Bits of a register: 32 or 64.
    const WORD_BITS: u32;

    /// Words of a frame that the machine keeps for itself, behind arguments and results: the return address, the frame
    /// pointer. 0 if it keeps them elsewhere.
    const PRELUDE_WORDS: u32 = 0;

    /// Whether it has the operation. `operand` and `result` as in [`Operation`]. A machine with
    /// nothing but registers, memories and tables has at most what [`works_on_registers`].
    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool;

    /// Whether it can jump if a register is not zero (`true`), or if it is (`false`). It can do at least one.
    fn jumps_if(&self, nonzero: bool) -> bool;

    /// Whether it can jump on a comparison of two registers, or of a register with an immediate.
    fn jumps_on(&self, comparison: Comparison, immediate: Option<u64>) -> bool;

    /// How it jumps to one of many places.
    fn table_jumps(&self) -> TableJumps;

    /// Whether operand number `operand` of the operation may be a constant with these bits. A constant that may not is put
    /// into a register before. Operands of calls, and what is compared in jumps, are not asked for here.
    fn takes_immediate(&self, op: Op, kind: Kind, operand: usize, bits: u64) -> bool;

    /// Whether operand number `operand` of `user` may be the pure operation `inner` (with its kinds of operand and
    /// result), so that its result needs no register. The user may read the result as a wider one: extending what has no sign is
    /// only another name for the register, so kinds of both must be asked for where a result of 32 bits is not what one of 64
    /// would be.
    fn absorbs(&self, user: User, operand: usize, inner: (Op, Kind, Kind)) -> bool {
        let _ = (user, operand, inner);
        false
    }

    /// Whether `user` takes the sum `inner` of a register and a constant (`of_constant`) or another register as its first operand
    /// for nothing, so that each of several readers may have it inside.
    fn repeats(&self, user: User, inner: (Op, Kind, Kind), of_constant: bool) -> bool {
        let _ = (user, inner, of_constant);
        false
    }

    /// Whether the directives for an operation may write a result before they have read every operand. Results then get no
    /// register that an operand is in.
    fn writes_early(&self, op: Op, operand: Kind, result: Kind) -> bool {
        let _ = (op, operand, result);
        false
    }

    /// Whether it can read and write the register that another one says: [`Isa::emit_indexed_load`] and
    /// [`Isa::emit_indexed_store`].
    fn indexes_frames(&self) -> bool {
        false
    }

    /// Copies words out of the frame: register `base` plus `index`, and those behind it.
    fn emit_indexed_load(
        &self,
        to: &mut Emitter<'_, Self::Directive>,
        out: Reg,
        base: Reg,
        index: Operand<'_>,
        words: u32,
    ) {
        let _ = (to, out, base, index, words);
        unreachable!("a machine that indexes frames emits it");
    }

    /// Copies words into the frame: register `base` plus `index`, and those behind it. The value is a register or a constant.
    fn emit_indexed_store(
        &self,
        to: &mut Emitter<'_, Self::Directive>,
        base: Reg,
        index: Operand<'_>,
        value: Operand<'_>,
        words: u32,
    ) {
        let _ = (to, base, index, value, words);
        unreachable!("a machine that indexes frames emits it");
    }

    /// Marks a place.
    fn emit_label(&self, to: &mut Emitter<'_, Self::Directive>, label: Label);

    /// Goes to a label.
    fn emit_jump(&self, to: &mut Emitter<'_, Self::Directive>, target: Label);

    /// Ends the program.
    fn emit_trap(&self, to: &mut Emitter<'_, Self::Directive>, kind: TrapKind);

    /// Copies a word.
    fn emit_copy(&self, to: &mut Emitter<'_, Self::Directive>, out: Reg, from: Reg);

    /// Puts a constant of one word into a register.
    fn emit_constant(&self, to: &mut Emitter<'_, Self::Directive>, out: Reg, bits: u64);

    /// Goes to a label if a word is not zero (`nonzero`), or is. Only as [`Isa::jumps_if`] allows. The condition is a
    /// register, or what [`User::Jump`] absorbs.
    fn emit_conditional_jump(
        &self,
        to: &mut Emitter<'_, Self::Directive>,
        condition: Operand<'_>,
        nonzero: bool,
        target: Label,
    );

    /// Goes to a label if a comparison holds. Only as [`Isa::jumps_on`] allows; an immediate is always the second operand.
    fn emit_conditional_jump_compare(
        &self,
        to: &mut Emitter<'_, Self::Directive>,
        comparison: Comparison,
        operands: [Operand<'_>; 2],
        target: Label,
    );

    /// Goes over as many directives as the word says, counted from the next one. Plain jumps to `targets`, one directive
    /// each by [`Isa::emit_jump`], follow. Only of [`TableJumps::Relative`].
    fn emit_relative_jump(&self, to: &mut Emitter<'_, Self::Directive>, offset: Reg) {
        let _ = (to, offset);
        unreachable!("a machine with relative jumps emits them");
    }

    /// Goes to the label that the index (an `i32` or `u32`, or a wider one) counts. Only of [`TableJumps::Table`], where the
    /// index is known to be below the number of targets, and [`TableJumps::TableWithDefault`].
    fn emit_jump_table(&self, to: &mut Emitter<'_, Self::Directive>, index: Reg, targets: &[Label]) {
        let _ = (to, index, targets);
        unreachable!("a machine with tables of jumps emits them");
    }

    /// Leaves the function. The results are where the caller expects them; `own` is the frame of the running function.
    fn emit_return(&self, to: &mut Emitter<'_, Self::Directive>, own: Frame);

    /// Calls a function. The arguments are in their places. An indirect call through a table traps if the element is not
    /// there, null, or of another type.
    fn emit_call(&self, to: &mut Emitter<'_, Self::Directive>, callee: Callee<'_>, frame: Frame);

    /// Calls a function that takes over the frame of the running one, `own`: the arguments are in the registers from 0 on
    /// (where `own`'s prelude would be in their way, `own` was laid out to leave room), and the callee returns to the
    /// caller of the running function. Imported functions are never called so.
    fn emit_tail_call(&self, to: &mut Emitter<'_, Self::Directive>, callee: Callee<'_>, frame: Frame, own: Frame);

    /// Does an operation.
    fn emit_operation(&self, to: &mut Emitter<'_, Self::Directive>, operation: &Operation<'_>);
}
