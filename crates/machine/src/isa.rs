//! Description of an instruction set, and the interface by which it emits directives.
//!
//! The linear pass works with registers of a frame, labels and functions; for every instruction it calls an `emit`
//! method of [`Isa`], which pushes directives of the machine to an [`Emitter`].
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
mod support;

pub(crate) use emitter::LastReads;
pub use emitter::{Emitter, Temporaries};
pub use kind::Kind;
pub use ops::{OpOperand, operands_of, works_on_registers};
pub use support::support;
pub(crate) use support::trapping_division;

use planish_ir::entity::{Func, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};

use crate::code::{Code, NONE};
use crate::liveness::Liveness;

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
    /// The register `words` words after this one.
    #[must_use]
    pub const fn offset(self, words: u32) -> Reg {
        Reg(self.0 + words)
    }
}

/// A position in the code of one function. Labels are numbered per function; functions are identified by their
/// [`Func`], so that an export name cannot be mistaken for a label.
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

/// An operand of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<'a> {
    /// A register, or the first one of a wider value.
    Reg(Reg),
    /// The bits of a scalar, zero-extended. Only if [`Machine::takes_immediate`] allows it.
    Const(u64),
    /// A constant of kind [`Kind::V128`].
    Wide(u128),
    /// The result of a nested operation, whose operands are registers and constants. Only if [`Isa::absorbs`] allows
    /// it.
    Nested(&'a Operation<'a>),
}

/// An operation of the IR on values in registers: arithmetic, a load, a store, …
///
/// `Load` and `Store` access variables of the module (WebAssembly's globals, a shader's inputs, …): the immediate holds
/// the variable (low half) and the component (high half), and the value is one component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation<'a> {
    /// The op.
    pub op: Op,
    /// The op's immediate.
    pub imm: Imm,
    /// Kind of the operands: of the first one, except that `MemoryStore` has that of the stored value, and `Select`
    /// that of the selected values. [`Kind::None`] without operands.
    pub operand: Kind,
    /// Kind of the first result; [`Kind::None`] without results.
    pub result: Kind,
    /// Result registers. Empty in a nested operation.
    pub outs: &'a [Reg],
    /// Operands.
    pub args: &'a [Operand<'a>],
}

/// The comparison of a conditional jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// `Equal`, `NotEqual`, `LessThan`, `LessThanEqual`, `GreaterThan` or `GreaterThanEqual`.
    pub op: Op,
    /// Kind of the operands.
    pub kind: Kind,
    /// Whether the jump is taken when the comparison does *not* hold. Only for floats, for which `!(x < y)` is not `x
    /// >= y`.
    pub negated: bool,
}

impl Comparison {
    /// The comparison that holds if and only if this one does not.
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

/// Whether `op` can be that of a [`Comparison`].
pub fn is_comparison(op: Op) -> bool {
    use Op::{Equal, GreaterThan, GreaterThanEqual, LessThan, LessThanEqual, NotEqual};
    matches!(op, Equal | NotEqual | LessThan | LessThanEqual | GreaterThan | GreaterThanEqual)
}

/// Frame of a callee, which overlaps that of its caller.
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
    /// First register of the prelude, in the callee's numbering.
    pub const fn prelude(self) -> Reg {
        Reg(if self.args > self.results { self.args } else { self.results })
    }
}

/// Callee of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee<'a> {
    /// A function of the module with a body.
    Func(Func),
    /// An imported function of the module.
    Import(Func),
    /// The function of a value of function type: never null, always of the right type.
    Value(Operand<'a>),
    /// An element of a table, which must be a function of the type.
    Table {
        /// The table.
        table: Table,
        /// The required function type.
        ty: Type,
        /// Index of the element.
        index: Operand<'a>,
    },
}

/// Multiway jumps of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableJumps {
    /// None: a switch becomes comparisons.
    None,
    /// A jump by a number of directives in a register; plain jumps follow it.
    Relative,
    /// A directive with a list of labels; the index is checked before it.
    Table,
    /// A directive with a list of labels, the last of which is for out-of-range indices.
    TableWithDefault,
}

/// An operation that may contain a nested one, see [`Isa::absorbs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum User {
    /// An operation, by op, immediate and kinds of operand and result.
    Operation(Op, Imm, Kind, Kind),
    /// A conditional jump; comparisons are nested by [`Isa::jumps_on`] instead.
    Jump,
}

/// A machine with registers: the properties that lowering queries. Those who read the list of nodes ([`crate::code`])
/// need no more; directives need an [`Isa`].
pub trait Machine {
    /// Width of a register in bits: 32 or 64.
    const WORD_BITS: u32;

    /// Whether the machine has the operation. `operand` and `result` as in [`Operation`]. A machine with only
    /// registers, memories and tables supports at most what [`works_on_registers`] does. What it lacks becomes other
    /// operations if the module is legalized first, with [`support`].
    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool;

    /// Kind of multiway jumps.
    fn table_jumps(&self) -> TableJumps;

    /// Whether operand number `operand` of the operation may be a constant with these bits. Otherwise the constant is
    /// loaded into a register first. Operands of calls and of comparing jumps are not queried here.
    fn takes_immediate(&self, op: Op, kind: Kind, operand: usize, bits: u64) -> bool;

    /// Whether it can read and write a register whose number is in another one: [`Isa::emit_indexed_load`] and
    /// [`Isa::emit_indexed_store`].
    fn indexes_frames(&self) -> bool {
        false
    }
}

/// The head of a loop, for [`Isa::emit_loop_head`].
pub struct LoopHead<'a> {
    /// The function.
    pub func: Func,
    /// The label of the outermost loop around it, or its own.
    pub outermost: u32,
    /// Its label.
    pub label: u32,
    pub(crate) code: &'a Code,
    pub(crate) live: &'a Liveness,
    pub(crate) regs: &'a [u32],
}

impl LoopHead<'_> {
    /// Whether no loop is around it.
    pub fn is_outermost(&self) -> bool {
        self.label == self.outermost
    }

    /// The values of the list ([`crate::code`]) that may be read from the head of an outermost loop on, slots too, and
    /// their first registers. In time linear in the values of the function.
    pub fn values(&self) -> impl Iterator<Item = (u32, Reg)> {
        let node = self.code.labels[self.label as usize].node;
        let is_live = move |&v: &u32| {
            let value = &self.code.values[v as usize];
            let is_input = value.node == node && self.live.uses[v as usize] > 0;
            value.kind != Kind::None && (is_input || value.node < node && self.live.ends[v as usize] > node)
        };
        let values = (0..self.code.values.len() as u32).filter(is_live).chain(self.code.slots.iter().copied());
        values.map(|v| (v, Reg(self.regs[v as usize]))).filter(|(_, reg)| reg.0 != NONE)
    }
}

/// An instruction set.
///
/// First the properties, then the methods that emit directives. The compiler queries the properties, and calls only
/// `emit` methods that they allow.
pub trait Isa: Machine {
    /// Type of an instruction.
    type Directive;

    /// Words of a frame that the machine reserves after arguments and results: return address, frame pointer. 0 if it
    /// stores them elsewhere.
    const PRELUDE_WORDS: u32 = 0;

    /// Whether it can jump if a register is not zero (`true`), or if it is zero (`false`). At least one is required.
    fn jumps_if(&self, nonzero: bool) -> bool;

    /// Whether it can jump on a comparison of two registers, or of a register with an immediate.
    fn jumps_on(&self, comparison: Comparison, immediate: Option<u64>) -> bool;

    /// Whether operand number `operand` of `user` may be the pure operation `inner` (op, kinds of operand and result),
    /// so that its result needs no register. The user may read the result as a wider value, since zero extension only
    /// renames a register: check both kinds where a 32-bit result differs from the 64-bit one.
    fn absorbs(&self, user: User, operand: usize, inner: (Op, Kind, Kind)) -> bool {
        let _ = (user, operand, inner);
        false
    }

    /// Whether `user` computes the sum `inner` of a register and a constant (`of_constant`) or another register as its
    /// first operand at no cost, so that it may be nested in each of several readers.
    fn repeats(&self, user: User, inner: (Op, Kind, Kind), of_constant: bool) -> bool {
        let _ = (user, inner, of_constant);
        false
    }

    /// Whether the directives of an operation may write a result before they have read every operand. Results are then
    /// not allocated to registers of operands.
    fn writes_early(&self, op: Op, operand: Kind, result: Kind) -> bool {
        let _ = (op, operand, result);
        false
    }

    /// Copies words from register `base` plus `index` on.
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

    /// Copies words to register `base` plus `index` on. The value is a register or a constant.
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

    /// Begins a function, before its first directive: no jump leads there, and the arguments are in their registers.
    fn emit_entry(&self, to: &mut Emitter<'_, Self::Directive>, func: Func) {
        let _ = (to, func);
    }

    /// Begins a loop: at its label, and before a test at its head is repeated at the end of an iteration. The inputs of
    /// the loop are in their registers.
    fn emit_loop_head(&self, to: &mut Emitter<'_, Self::Directive>, head: &LoopHead<'_>) {
        let _ = (to, head);
    }

    /// Begins an iteration of a loop: at the target of its repeated test, or at its label if it has none.
    fn emit_iteration(&self, to: &mut Emitter<'_, Self::Directive>, head: &LoopHead<'_>) {
        let _ = (to, head);
    }

    /// Defines a label.
    fn emit_label(&self, to: &mut Emitter<'_, Self::Directive>, label: Label);

    /// Jumps to a label.
    fn emit_jump(&self, to: &mut Emitter<'_, Self::Directive>, target: Label);

    /// Terminates the program with a trap.
    fn emit_trap(&self, to: &mut Emitter<'_, Self::Directive>, kind: TrapKind);

    /// Copies a word.
    fn emit_copy(&self, to: &mut Emitter<'_, Self::Directive>, out: Reg, from: Reg);

    /// Loads a constant of one word into a register.
    fn emit_constant(&self, to: &mut Emitter<'_, Self::Directive>, out: Reg, bits: u64);

    /// Jumps to a label if a word is not zero (`nonzero`), or if it is zero. Only as [`Isa::jumps_if`] allows. The
    /// condition is a register, or an operation that [`User::Jump`] absorbs.
    fn emit_conditional_jump(
        &self,
        to: &mut Emitter<'_, Self::Directive>,
        condition: Operand<'_>,
        nonzero: bool,
        target: Label,
    );

    /// Jumps to a label if a comparison holds. Only as [`Isa::jumps_on`] allows; an immediate is always the second
    /// operand.
    fn emit_conditional_jump_compare(
        &self,
        to: &mut Emitter<'_, Self::Directive>,
        comparison: Comparison,
        operands: [Operand<'_>; 2],
        target: Label,
    );

    /// Skips as many directives as the word says, counted from the next one. Plain jumps to `targets` follow, one
    /// directive each by [`Isa::emit_jump`]. Only for [`TableJumps::Relative`].
    fn emit_relative_jump(&self, to: &mut Emitter<'_, Self::Directive>, offset: Reg) {
        let _ = (to, offset);
        unreachable!("a machine with relative jumps emits them");
    }

    /// Jumps to the label selected by the index (an `i32` or `u32`, or wider). Only for [`TableJumps::Table`], where
    /// the index is known to be in range, and [`TableJumps::TableWithDefault`].
    fn emit_jump_table(&self, to: &mut Emitter<'_, Self::Directive>, index: Reg, targets: &[Label]) {
        let _ = (to, index, targets);
        unreachable!("a machine with tables of jumps emits them");
    }

    /// Returns. The results are in their registers; `own` is the frame of the running function.
    fn emit_return(&self, to: &mut Emitter<'_, Self::Directive>, own: Frame);

    /// Calls a function. The arguments are in their registers. An indirect call through a table traps if the element is
    /// out of bounds, null, or of another type.
    fn emit_call(&self, to: &mut Emitter<'_, Self::Directive>, callee: Callee<'_>, frame: Frame);

    /// Tail call, in which the callee takes over the frame of the running function, `own`: the arguments are in the
    /// registers from 0 on (`own` was laid out so that its prelude does not overlap them), and the callee returns to
    /// the caller of the running function. Never called for imported functions.
    fn emit_tail_call(&self, to: &mut Emitter<'_, Self::Directive>, callee: Callee<'_>, frame: Frame, own: Frame);

    /// Executes an operation.
    fn emit_operation(&self, to: &mut Emitter<'_, Self::Directive>, operation: &Operation<'_>);
}
