//! Exits of blocks, with their edges and operands.

use smallvec::SmallVec;

use crate::entity::{Block, Const, Value};

/// One case of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Selector values of the case: constants of the selector's type.
    pub values: SmallVec<[Const; 1]>,
    /// Whether the case also takes all other values.
    pub is_default: bool,
    /// The block of the case.
    pub block: Block,
}

/// Kind of a trap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum TrapKind {
    /// WebAssembly `unreachable`.
    Unreachable,
    /// Integer division by zero.
    DivisionByZero,
    /// An integer result that does not fit.
    IntegerOverflow,
    /// Conversion of NaN to an integer.
    InvalidConversion,
    /// Memory access out of bounds.
    OutOfBoundsMemory,
    /// Table access out of bounds.
    OutOfBoundsTable,
    /// Indirect call through a null element.
    UninitializedElement,
    /// Indirect call through an element of another type.
    IndirectCallType,
    /// Too many nested calls.
    StackOverflow,
    /// `error` in the program.
    User,
    /// No memory for a growable array, or for an instance.
    OutOfMemory,
}

impl TrapKind {
    /// Every kind.
    pub const ALL: [TrapKind; 11] = [
        TrapKind::Unreachable,
        TrapKind::DivisionByZero,
        TrapKind::IntegerOverflow,
        TrapKind::InvalidConversion,
        TrapKind::OutOfBoundsMemory,
        TrapKind::OutOfBoundsTable,
        TrapKind::UninitializedElement,
        TrapKind::IndirectCallType,
        TrapKind::StackOverflow,
        TrapKind::User,
        TrapKind::OutOfMemory,
    ];

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            TrapKind::Unreachable => "unreachable",
            TrapKind::DivisionByZero => "division_by_zero",
            TrapKind::IntegerOverflow => "integer_overflow",
            TrapKind::InvalidConversion => "invalid_conversion",
            TrapKind::OutOfBoundsMemory => "out_of_bounds_memory",
            TrapKind::OutOfBoundsTable => "out_of_bounds_table",
            TrapKind::UninitializedElement => "uninitialized_element",
            TrapKind::IndirectCallType => "indirect_call_type",
            TrapKind::StackOverflow => "stack_overflow",
            TrapKind::User => "user",
            TrapKind::OutOfMemory => "out_of_memory",
        }
    }
}

/// Operands of an exit.
pub type Args = SmallVec<[Value; 4]>;

/// Exit of a block.
///
/// A *construct* is identified by the block that it ends: `Break(b)` leaves the construct that ends block `b`, which is
/// a `Loop`, `DoLoop`, `Switch` or `Labelled` around the block with the `Break`.
///
/// A *merge chain* is a block, the merge block of the construct that ends it, the merge block of the construct that
/// ends that one, and so on.
///
/// Visibility: a block may use its own values, and those of its parent: for a sub-block or a merge block, of the block
/// with the exit and of all earlier blocks of that merge chain, and so on outwards. The body, continue block and merge
/// block of a `Loop` may also use the values of the whole merge chain of its condition. The condition block of a
/// `DoLoop` may use the inputs of the body through its own inputs only.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Exit {
    /// Not yet ended; only while a function is being built.
    #[default]
    Open,
    // Diverging exits have sub-blocks and a merge block.
    /// A branch to one of two blocks, which end with `Merge` or another leaving exit.
    If {
        /// A `bool`.
        condition: Value,
        /// Executed if the condition is true.
        then: Block,
        /// Executed if the condition is false.
        otherwise: Block,
        /// Merge block.
        merge: Block,
    },
    /// A loop with its test before the body. `condition` (its inputs are the loop-carried values, initially `args`)
    /// ends with `LoopIf`: to `body` if true, to `merge` if false. The end of the body and its `Continue`s go to
    /// `next`, or without one back to `condition`; `next` ends with `Continue` to `condition`.
    Loop {
        /// Initial values of the condition block's inputs.
        args: Args,
        /// Computes the condition.
        condition: Block,
        /// Loop body.
        body: Block,
        /// Continue block, executed after the body.
        next: Option<Block>,
        /// Merge block.
        merge: Block,
    },
    /// A loop with its test after the body. `body` (its inputs are the loop-carried values, initially `args`) ends with
    /// `Continue` to `condition`, which ends with `LoopIf`: back to `body` if true, to `merge` if false.
    DoLoop {
        /// Initial values of the body's inputs.
        args: Args,
        /// Loop body.
        body: Block,
        /// Computes the condition.
        condition: Block,
        /// Merge block.
        merge: Block,
    },
    /// A branch by the value of a selector; cases end with `Break`, `Passthrough` or another leaving exit.
    Switch {
        /// An integer scalar.
        selector: Value,
        /// Cases in order. Without a default case, other selectors go to the merge block, which then has no inputs or
        /// takes `args`.
        cases: Vec<Case>,
        /// Arguments of the merge block for selectors without a case.
        args: Args,
        /// Merge block.
        merge: Block,
    },
    /// A block that inner `Break`s can leave; its own end is `Merge`.
    Labelled {
        /// The block.
        body: Block,
        /// Merge block.
        merge: Block,
    },
    /// Jump to `merge`, which has no inputs.
    NextBlock {
        /// Merge block.
        merge: Block,
    },
    // Leaving exits have no sub-blocks.
    /// Jump to the merge block of the parent `If` or `Labelled`, with its arguments.
    Merge(Args),
    /// Jump to the merge block of an enclosing construct, with its arguments.
    Break(Block, Args),
    /// Jump to the next iteration of an enclosing loop. The arguments are those of its continue block, if it has one
    /// that does not contain this exit, else those of its first block (`DoLoop`: of its condition block).
    Continue(Block, Args),
    /// End of the condition of a loop.
    LoopIf {
        /// A `bool`.
        condition: Value,
        /// Arguments of the body (of a `Loop`, usually none; of a `DoLoop`, for the next iteration).
        body_args: Args,
        /// Arguments of the merge block.
        merge_args: Args,
    },
    /// Jump to the next case of the switch.
    Passthrough,
    /// Return from the function, with its results.
    Return(Args),
    /// Discards the fragment.
    Discard,
    /// Terminates the program with a trap.
    Trap(TrapKind),
}

impl Exit {
    /// The merge block, if the exit has one.
    #[inline]
    pub fn merge_block(&self) -> Option<Block> {
        match *self {
            Exit::If { merge, .. }
            | Exit::Loop { merge, .. }
            | Exit::DoLoop { merge, .. }
            | Exit::Switch { merge, .. }
            | Exit::Labelled { merge, .. }
            | Exit::NextBlock { merge } => Some(merge),
            _ => None,
        }
    }

    /// The sub-blocks without the merge block, in the order of the dump.
    pub fn sub_blocks(&self) -> SmallVec<[Block; 3]> {
        match self {
            Exit::If { then, otherwise, .. } => [*then, *otherwise].into_iter().collect(),
            Exit::Loop { condition, body, next, .. } => [*condition, *body].into_iter().chain(*next).collect(),
            Exit::DoLoop { body, condition, .. } => [*body, *condition].into_iter().collect(),
            Exit::Switch { cases, .. } => cases.iter().map(|c| c.block).collect(),
            Exit::Labelled { body, .. } => [*body].into_iter().collect(),
            _ => SmallVec::new(),
        }
    }

    /// Calls `f` with every operand, mutably.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Exit::If { condition, .. } => f(condition),
            Exit::Loop { args, .. } | Exit::DoLoop { args, .. } => args.iter_mut().for_each(f),
            Exit::Switch { selector, args, .. } => {
                f(selector);
                args.iter_mut().for_each(f);
            }
            Exit::Merge(args) | Exit::Break(_, args) | Exit::Continue(_, args) | Exit::Return(args) => {
                args.iter_mut().for_each(f);
            }
            Exit::LoopIf { condition, body_args, merge_args } => {
                f(condition);
                body_args.iter_mut().chain(merge_args).for_each(f);
            }
            Exit::Open
            | Exit::Labelled { .. }
            | Exit::NextBlock { .. }
            | Exit::Passthrough
            | Exit::Discard
            | Exit::Trap(_) => {}
        }
    }

    /// Calls `f` with every operand.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Exit::If { condition, .. } => f(*condition),
            Exit::Loop { args, .. } | Exit::DoLoop { args, .. } => args.iter().copied().for_each(f),
            Exit::Switch { selector, args, .. } => {
                f(*selector);
                args.iter().copied().for_each(f);
            }
            Exit::Merge(args) | Exit::Break(_, args) | Exit::Continue(_, args) | Exit::Return(args) => {
                args.iter().copied().for_each(f);
            }
            Exit::LoopIf { condition, body_args, merge_args } => {
                f(*condition);
                body_args.iter().chain(merge_args).copied().for_each(f);
            }
            Exit::Open
            | Exit::Labelled { .. }
            | Exit::NextBlock { .. }
            | Exit::Passthrough
            | Exit::Discard
            | Exit::Trap(_) => {}
        }
    }
}
