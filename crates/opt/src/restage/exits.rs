//! Copying the exit of a block.

use planish_ir::builder::Builder;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Args, Body, Case, Exit};

/// The operations needed to copy an exit.
pub(crate) trait CopyExit {
    /// The new value of a source value.
    fn value(&mut self, value: Value, builder: &mut Builder<'_, '_>) -> Value;
    /// The new values for the inputs (that are kept) of the target of jump number `jump` of a source block.
    fn fed(&mut self, block: Block, jump: usize, builder: &mut Builder<'_, '_>) -> Args;
    /// The new values for the results that a source block returns.
    fn returned(&mut self, args: &[Value], builder: &mut Builder<'_, '_>) -> Args {
        args.iter().map(|&a| self.value(a, builder)).collect()
    }
    /// A new block for a source one, with the inputs that are kept.
    fn open(&mut self, block: Block, builder: &mut Builder<'_, '_>) -> Block;
    /// The new owner of a source construct.
    fn label(&self, owner: Block) -> Block;
}

/// The new exit for that of a source block.
pub(crate) fn copy_exit<C: CopyExit>(source: &Body, block: Block, copy: &mut C, builder: &mut Builder<'_, '_>) -> Exit {
    let exit = &source.blocks[block].exit;
    match exit {
        Exit::Open => panic!("{block} has no exit"),
        Exit::If { condition, then, otherwise, merge } => Exit::If {
            condition: copy.value(*condition, builder),
            then: copy.open(*then, builder),
            otherwise: copy.open(*otherwise, builder),
            merge: copy.open(*merge, builder),
        },
        Exit::Loop { condition, body, next, merge, .. } => Exit::Loop {
            args: copy.fed(block, 0, builder),
            condition: copy.open(*condition, builder),
            body: copy.open(*body, builder),
            next: next.map(|n| copy.open(n, builder)),
            merge: copy.open(*merge, builder),
        },
        Exit::DoLoop { body, condition, merge, .. } => Exit::DoLoop {
            args: copy.fed(block, 0, builder),
            body: copy.open(*body, builder),
            condition: copy.open(*condition, builder),
            merge: copy.open(*merge, builder),
        },
        Exit::Switch { selector, cases, merge, .. } => Exit::Switch {
            selector: copy.value(*selector, builder),
            cases: cases
                .iter()
                .map(|c| Case {
                    values: c.values.clone(),
                    is_default: c.is_default,
                    block: copy.open(c.block, builder),
                })
                .collect(),
            args: copy.fed(block, 0, builder),
            merge: copy.open(*merge, builder),
        },
        Exit::Labelled { body, merge } => {
            Exit::Labelled { body: copy.open(*body, builder), merge: copy.open(*merge, builder) }
        }
        Exit::NextBlock { merge } => Exit::NextBlock { merge: copy.open(*merge, builder) },
        Exit::Return(args) => Exit::Return(copy.returned(args, builder)),
        Exit::Merge(_) => Exit::Merge(copy.fed(block, 0, builder)),
        Exit::Break(label, _) => Exit::Break(copy.label(*label), copy.fed(block, 0, builder)),
        Exit::Continue(label, _) => Exit::Continue(copy.label(*label), copy.fed(block, 0, builder)),
        Exit::LoopIf { condition, .. } => Exit::LoopIf {
            condition: copy.value(*condition, builder),
            body_args: copy.fed(block, 0, builder),
            merge_args: copy.fed(block, 1, builder),
        },
        Exit::Passthrough => Exit::Passthrough,
        Exit::Discard => Exit::Discard,
        Exit::Trap(kind) => Exit::Trap(*kind),
    }
}
