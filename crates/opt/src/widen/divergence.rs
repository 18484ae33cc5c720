//! Divergence analysis: values and constructs in which invocations that run together may differ.
//!
//! A construct is *divergent* if its lanes may take different paths through it, or leave it at different times; it *leaks* if some
//! of them may leave it for an outer construct or the end of the function, so that fewer go on behind it than came.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value, ValueKind, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::ops::{Class, Op};
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk;

/// See the module's documentation.
pub(crate) struct Divergence {
    varying: SideTable<Local, bool>,
    /// By the block that the construct ends.
    divergent: SideTable<Block, bool>,
    leaks: SideTable<Block, bool>,
    /// Constructs that lanes leave apart from others.
    partial: SideTable<Block, bool>,
    /// Whether all lanes stop together where one of them would trap: an `If` with such an arm is none in which they differ.
    stops_together: bool,
}

/// The number of the arm of an `If` that only traps, if one does.
pub(crate) fn stopping_arm(body: &Body, owner: Block) -> Option<usize> {
    let Exit::If { then, otherwise, .. } = body.blocks[owner].exit else { return None };
    [then, otherwise].iter().position(|&arm| matches!(body.blocks[arm].exit, Exit::Trap(_)))
}

impl Divergence {
    /// Analyses a placed function whose parameters vary. Time: O(nodes · nesting) for each iteration to the fixpoint, of which
    /// there are few. `space` gives the address space of a variable.
    pub(super) fn new(body: &Body, tree: &Tree, space: &dyn Fn(Var) -> AddressSpace) -> Self {
        let mut found = Self::none(body);
        for &param in &body.blocks[body.entry].inputs {
            found.varying[param] = true;
        }
        let blocks: Vec<Block> = walk::blocks(body).collect();
        while found.iterate(body, tree, (&blocks, None), space) {}
        found
    }

    /// Analyses a loop of which each lane runs another iteration: what it carries varies, and nothing outside. Its own condition holds in
    /// all of them.
    pub(crate) fn of_iterations(body: &Body, tree: &Tree, owner: Block) -> Self {
        let mut found = Divergence { stops_together: true, ..Self::none(body) };
        if let Exit::Loop { condition, .. } = body.blocks[owner].exit {
            body.blocks[condition].inputs.iter().for_each(|&input| found.varying[input] = true);
        }
        let blocks: Vec<Block> = walk::inside(body, owner).collect();
        // Variables of the function are none of the loop's.
        while found.iterate(body, tree, (&blocks, Some(owner)), &|_| AddressSpace::Function) {}
        found
    }

    fn none(body: &Body) -> Self {
        Divergence {
            varying: SideTable::with_capacity(body.local_count()),
            divergent: SideTable::new(),
            leaks: SideTable::new(),
            partial: SideTable::new(),
            stops_together: false,
        }
    }

    /// Whether the value may differ between lanes.
    pub(crate) fn is_varying(&self, value: Value) -> bool {
        value.as_local().is_some_and(|local| self.varying[local])
    }

    /// Whether the lanes in a construct may be at different places, so that their masks differ from that of the construct.
    pub(crate) fn is_apart(&self, owner: Block) -> bool {
        self.divergent[owner] || self.partial[owner]
    }

    pub(crate) fn leaks(&self, owner: Block) -> bool {
        self.leaks[owner]
    }

    /// Goes through blocks once; `iterations`: the loop whose iterations are lanes.
    fn iterate(
        &mut self,
        body: &Body,
        tree: &Tree,
        (blocks, iterations): (&[Block], Option<Block>),
        space: &dyn Fn(Var) -> AddressSpace,
    ) -> bool {
        let mut changed = false;
        for &block in blocks {
            for &node in &body.blocks[block].nodes {
                if !self.is_uniform_node(body, node, space) {
                    for local in body.results(node) {
                        changed |= !std::mem::replace(&mut self.varying[local], true);
                    }
                }
            }
            let is_own = |&owner: &Block| {
                tree.place(block).and_then(|place| place.owner) == Some(owner)
                    && matches!(body.blocks[block].exit, Exit::LoopIf { .. } | Exit::Continue(..))
            };
            match iterations.filter(is_own) {
                Some(_) => changed |= self.pass(body, tree, block),
                None => changed |= self.exit(body, tree, block),
            }
        }
        changed
    }

    fn is_uniform_node(&self, body: &Body, node: Node, space: &dyn Fn(Var) -> AddressSpace) -> bool {
        let (op, args) = (body.node(node).op, body.args(node));
        if args.iter().any(|&arg| self.is_varying(arg)) {
            return false;
        }
        match op.info().class {
            Class::Access => true,
            // Nothing that the iterations of a loop write is loaded by all of them.
            Class::Machine if op == Op::MemoryLoad => true,
            Class::Texture => op == Op::CombineSampler,
            Class::Memory => {
                let is_shared = |value: Value| match body.base(value).kind() {
                    ValueKind::Var(var) => {
                        matches!(space(var), AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle)
                    }
                    _ => false,
                };
                op == Op::Load && args.first().is_some_and(|&pointer| is_shared(pointer))
            }
            _ => op.is_pure(),
        }
    }

    /// Marks what follows from the exit of a block.
    fn exit(&mut self, body: &Body, tree: &Tree, block: Block) -> bool {
        let mut changed = false;
        let owner = tree.place(block).and_then(|place| place.owner);
        match &body.blocks[block].exit {
            Exit::If { .. } if self.stops_together && stopping_arm(body, block).is_some() => {}
            Exit::If { condition, .. } if self.is_varying(*condition) => changed |= self.mark(block),
            Exit::Switch { selector, .. } if self.is_varying(*selector) => changed |= self.mark(block),
            Exit::LoopIf { condition, .. } if self.is_varying(*condition) => {
                changed |= owner.is_some_and(|owner| self.mark(owner));
            }
            Exit::Break(label, _) | Exit::Continue(label, _) => changed |= self.jump(tree, owner, Some(*label)),
            Exit::Return(_) => changed |= self.jump(tree, owner, None),
            Exit::Passthrough => {
                let switch = owner.filter(|&owner| matches!(body.blocks[owner].exit, Exit::Switch { .. }));
                changed |= self.jump(tree, owner, switch);
            }
            _ => {}
        }
        changed | self.pass(body, tree, block)
    }

    /// Marks the inputs that the exit of a block passes arguments to.
    fn pass(&mut self, body: &Body, tree: &Tree, block: Block) -> bool {
        let mut changed = false;
        for (target, args) in tree.edges(body, block) {
            let apart = self.construct_of(body, tree, target).is_some_and(|owner| self.divergent[owner]);
            for (&input, &arg) in body.blocks[target].inputs.iter().zip(args) {
                if apart || self.is_varying(arg) {
                    changed |= !std::mem::replace(&mut self.varying[input], true);
                }
            }
        }
        changed
    }

    /// The construct whose merge block, or sub-block, a block is.
    fn construct_of(&self, body: &Body, tree: &Tree, target: Block) -> Option<Block> {
        let inner = tree.place(target)?.owner;
        match tree.merged(target) {
            Some(owner) => Some(owner),
            None => inner.filter(|&owner| body.blocks[owner].exit.sub_blocks().contains(&target)),
        }
    }

    fn mark(&mut self, owner: Block) -> bool {
        !std::mem::replace(&mut self.divergent[owner], true)
    }

    /// A jump from inside the construct `from` to the construct `to`, or out of the function.
    fn jump(&mut self, tree: &Tree, from: Option<Block>, to: Option<Block>) -> bool {
        let (mut changed, mut apart, mut at) = (false, false, from);
        while let Some(owner) = at.filter(|&owner| Some(owner) != to) {
            apart |= self.divergent[owner];
            changed |= !std::mem::replace(&mut self.leaks[owner], true);
            changed |= apart && !std::mem::replace(&mut self.partial[owner], true);
            at = tree.place(owner).and_then(|place| place.owner);
        }
        if apart && let Some(to) = to {
            changed |= self.mark(to);
        }
        changed
    }
}
