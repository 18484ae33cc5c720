//! Exits of blocks.

use super::{Builder, IfBlocks, LoopBlocks};
use crate::entity::{Block, Value};
use crate::function::{Args, Case, Exit};

impl Builder<'_, '_> {
    /// Ends the current block.
    ///
    /// # Panics
    /// If it has an exit already.
    pub fn exit(&mut self, exit: Exit) {
        self.exit_block(self.block, exit);
    }

    /// Ends a block.
    ///
    /// # Panics
    /// If it has an exit already.
    pub fn exit_block(&mut self, block: Block, exit: Exit) {
        let span = self.span;
        let data = &mut self.body.blocks[block];
        assert!(data.exit == Exit::Open, "{block} has ended already");
        data.exit = exit;
        data.exit_span = span;
    }

    /// Ends the current block with an `If`; the caller builds the three blocks.
    pub fn if_(&mut self, condition: Value) -> IfBlocks {
        let (then, otherwise, merge) = (self.new_block(), self.new_block(), self.new_block());
        let owner = self.block;
        self.exit(Exit::If { condition, then, otherwise, merge });
        IfBlocks { owner, then, otherwise, merge }
    }

    /// Ends the current block with a `Loop`; the caller adds the inputs of the condition block (for `args`) and builds
    /// all blocks.
    pub fn loop_(&mut self, args: &[Value], with_next: bool) -> LoopBlocks {
        let (condition, body) = (self.new_block(), self.new_block());
        let next = with_next.then(|| self.new_block());
        let (owner, merge) = (self.block, self.new_block());
        self.exit(Exit::Loop { args: args.into(), condition, body, next, merge });
        LoopBlocks { owner, condition, body, next, merge }
    }

    /// Ends the current block with a `DoLoop`; the caller adds the inputs of the body (for `args`) and builds all
    /// blocks.
    pub fn do_loop(&mut self, args: &[Value]) -> LoopBlocks {
        let (condition, body, merge) = (self.new_block(), self.new_block(), self.new_block());
        let owner = self.block;
        self.exit(Exit::DoLoop { args: args.into(), body, condition, merge });
        LoopBlocks { owner, condition, body, next: None, merge }
    }

    /// Ends the current block with a `Switch` over `cases`, whose blocks the caller made; returns the merge block.
    pub fn switch(&mut self, selector: Value, cases: Vec<Case>, args: &[Value]) -> Block {
        let merge = self.new_block();
        self.exit(Exit::Switch { selector, cases, args: args.into(), merge });
        merge
    }

    /// Ends the current block with a `Labelled`; returns its body and merge block. The label is the current block.
    pub fn labelled(&mut self) -> (Block, Block) {
        let (body, merge) = (self.new_block(), self.new_block());
        self.exit(Exit::Labelled { body, merge });
        (body, merge)
    }

    /// Jumps to the merge block of the parent `If` or `Labelled`.
    pub fn merge(&mut self, args: &[Value]) {
        self.exit(Exit::Merge(args.into()));
    }

    /// Jumps to the merge block of the construct that ends `label`.
    pub fn break_(&mut self, label: Block, args: &[Value]) {
        self.exit(Exit::Break(label, args.into()));
    }

    /// Jumps to the next iteration of the loop that ends `label`.
    pub fn continue_(&mut self, label: Block, args: &[Value]) {
        self.exit(Exit::Continue(label, args.into()));
    }

    /// Ends the condition of a loop, without block arguments.
    pub fn loop_if(&mut self, condition: Value) {
        self.exit(Exit::LoopIf { condition, body_args: Args::new(), merge_args: Args::new() });
    }

    /// Returns from the function.
    pub fn ret(&mut self, values: &[Value]) {
        self.exit(Exit::Return(values.into()));
    }
}
