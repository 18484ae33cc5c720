//! The pieces of a function between two barriers, and the constructs that all invocations of a work group pass through together.

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::tree::Tree;
use planish_ir::types::TypeKind;
use planish_ir::walk;
use rustc_hash::FxHashSet;

use super::divergence::Divergence;

/// The pieces of a function.
pub(super) struct Pieces {
    /// By the block that ends with it: whether a construct is one of the group.
    pub(super) together: SideTable<Block, bool>,
    /// The `If`s of the group whose arms run one after the other.
    pub(super) masked: SideTable<Block, bool>,
    /// By block of the group's level: the piece of its end.
    pub(super) ends: SideTable<Block, u32>,
    /// By node: its piece.
    pub(super) of: SideTable<Node, u32>,
    /// By value: the piece that defines it.
    pub(super) defined: SideTable<Local, u32>,
    /// By piece: values of others that it uses.
    pub(super) used: Vec<Vec<Local>>,
    /// Values that a piece uses which does not define them, but for those that are made again.
    pub(super) crossing: SideTable<Local, bool>,
    /// By piece: the crossing values that it defines, but for the inputs of blocks that a jump of the group's level enters.
    pub(super) kept: Vec<Vec<Local>>,
    /// Whether not all invocations may be everywhere.
    pub(super) has_masks: bool,
}

impl Pieces {
    /// Time: O(nodes · pieces that use them).
    pub(super) fn new(old: &Module, body: &Body, tree: &Tree, divergence: &Divergence) -> Self {
        let together = together(body, tree);
        let mut masked: SideTable<Block, bool> = SideTable::new();
        for block in walk::blocks(body).filter(|&block| together[block]) {
            masked[block] = match body.blocks[block].exit {
                Exit::If { condition, .. } => divergence.is_varying(condition) && !is_left_by_jumps(body, tree, block),
                _ => false,
            };
        }
        let mut found = Pieces {
            ends: SideTable::new(),
            of: SideTable::new(),
            defined: SideTable::new(),
            used: Vec::new(),
            crossing: SideTable::new(),
            kept: Vec::new(),
            has_masks: walk::blocks(body).any(|block| masked[block]),
            together,
            masked,
        };
        for block in walk::blocks(body) {
            found.number(body, tree, block);
        }
        let mut seen = FxHashSet::default();
        for block in walk::blocks(body) {
            let data = &body.blocks[block];
            for &node in &data.nodes {
                for &arg in body.args(node) {
                    found.uses(old, body, arg, found.of[node], &mut seen);
                }
            }
            let piece = found.ends[block];
            data.exit.for_each_operand(|value| found.uses(old, body, value, piece, &mut seen));
        }
        found.used.iter_mut().for_each(|used| used.sort_by_key(|local| local.index()));
        found.find_kept(body, tree);
        found
    }

    /// Numbers the pieces of a block; those before it in walk order have their numbers.
    fn number(&mut self, body: &Body, tree: &Tree, block: Block) {
        let owner = tree.place(block).and_then(|place| place.owner);
        let data = &body.blocks[block];
        let is_of_group = self.is_of_group(owner);
        let merged = tree.merged(block);
        let mut piece = match (merged, owner) {
            (Some(construct), _) if !is_of_group || !self.together[construct] => self.ends[construct],
            (None, Some(owner)) if !is_of_group => self.ends[owner],
            _ => self.next(),
        };
        data.inputs.iter().for_each(|&input| self.defined[input] = piece);
        for &node in &data.nodes {
            self.of[node] = piece;
            body.results(node).for_each(|local| self.defined[local] = piece);
            if body.node(node).op == Op::ControlBarrier {
                piece = self.next();
            }
        }
        self.ends[block] = piece;
        self.has_masks |= !is_of_group && matches!(data.exit, Exit::Return(_));
    }

    fn next(&mut self) -> u32 {
        self.used.push(Vec::new());
        self.used.len() as u32 - 1
    }

    pub(super) fn is_of_group(&self, owner: Option<Block>) -> bool {
        owner.is_none_or(|owner| self.together[owner])
    }

    /// Whether a block at the group's level is entered by a jump of that level.
    pub(super) fn is_target(&self, tree: &Tree, block: Block) -> bool {
        tree.merged(block).is_none_or(|construct| self.together[construct])
    }

    fn find_kept(&mut self, body: &Body, tree: &Tree) {
        self.kept = vec![Vec::new(); self.used.len()];
        for (local, data) in body.locals().filter(|&(local, _)| self.crossing[local]) {
            let is_passed = match data.def {
                LocalDef::Input(block, _) => {
                    self.is_of_group(tree.place(block).and_then(|place| place.owner)) && self.is_target(tree, block)
                }
                LocalDef::Result(..) => false,
            };
            if !is_passed {
                self.kept[self.defined[local] as usize].push(local);
            }
        }
    }

    /// Notes a use in a piece, of what makes the value again too. `seen` are the uses noted so far.
    fn uses(&mut self, old: &Module, body: &Body, value: Value, piece: u32, seen: &mut FxHashSet<(u32, Local)>) {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let Some(local) = value.as_local().filter(|&local| self.defined[local] != piece) else { continue };
            if !seen.insert((piece, local)) {
                continue;
            }
            self.used[piece as usize].push(local);
            match body.node_of(value).filter(|&node| is_made_again(old, body, node)) {
                Some(node) => pending.extend(body.args(node)),
                None => self.crossing[local] = true,
            }
        }
    }
}

/// Whether a node gives a pointer or a handle, which each piece makes for itself.
fn is_made_again(old: &Module, body: &Body, node: Node) -> bool {
    let is_handle =
        |local: Local| matches!(old.types[body.local_type(local)], TypeKind::Image(_) | TypeKind::Sampler { .. });
    body.node(node).op.info().class == Class::Access || body.result(node).is_some_and(is_handle)
}

/// Whether a jump in a construct, other than a return, leads to an outer one.
fn is_left_by_jumps(body: &Body, tree: &Tree, owner: Block) -> bool {
    let is_inside = |target: Block| target == owner || tree.is_inside(target, owner);
    let parents = |block: Block| {
        std::iter::successors(tree.place(block).and_then(|place| place.owner), |&parent| {
            tree.place(parent).and_then(|place| place.owner)
        })
    };
    walk::inside(body, owner).any(|block| match &body.blocks[block].exit {
        Exit::Break(label, _) | Exit::Continue(label, _) => !is_inside(*label),
        Exit::Passthrough => {
            let switch = parents(block).find(|&parent| matches!(body.blocks[parent].exit, Exit::Switch { .. }));
            !switch.is_some_and(is_inside)
        }
        _ => false,
    })
}

/// The constructs that all invocations of a group pass through together.
fn together(body: &Body, tree: &Tree) -> SideTable<Block, bool> {
    let mut found: SideTable<Block, bool> = SideTable::new();
    let owners = |from: Option<Block>| {
        std::iter::successors(from, |&owner| tree.place(owner).and_then(|place| place.owner)).collect::<Vec<_>>()
    };
    let parent = |block: Block| tree.place(block).and_then(|place| place.owner);
    for block in walk::blocks(body) {
        if body.blocks[block].nodes.iter().any(|&node| body.node(node).op == Op::ControlBarrier) {
            owners(parent(block)).into_iter().for_each(|owner| found[owner] = true);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for block in walk::blocks(body) {
            let target = match &body.blocks[block].exit {
                Exit::Break(label, _) | Exit::Continue(label, _) => Some(*label),
                _ => None,
            };
            let Some(target) = target.filter(|&target| found[target]) else { continue };
            for owner in owners(parent(block)).into_iter().take_while(|&owner| owner != target) {
                changed |= !std::mem::replace(&mut found[owner], true);
            }
        }
    }
    found
}
