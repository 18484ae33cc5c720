//! The arguments passed to the inputs of a function's blocks, and the stores in its loops: asked of one loop after the other, so
//! found for all at once.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::ops::{Effect, Op};
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::source::{Root, root};

/// The arguments that edges pass to an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Passed {
    /// Nothing.
    #[default]
    Nothing,
    /// The same on all edges.
    One(Value),
    /// Different values.
    Many,
}

impl Passed {
    fn add(&mut self, value: Value) {
        *self = match *self {
            Passed::Nothing => Passed::One(value),
            Passed::One(known) if known == value => Passed::One(value),
            _ => Passed::Many,
        };
    }
}

/// The arguments passed to the inputs of a function's blocks.
#[derive(Debug)]
pub(crate) struct Arguments {
    all: SideTable<Local, Passed>,
    /// Without the arguments on entry to a loop.
    again: SideTable<Local, Passed>,
}

impl Arguments {
    /// Looks at every jump of a function. O(jumps).
    pub(super) fn new(body: &Body, tree: &Tree) -> Self {
        let mut passed = Arguments { all: SideTable::new(), again: SideTable::new() };
        for block in walk::blocks(body) {
            let enters = matches!(body.blocks[block].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
            for (target, args) in tree.edges(body, block) {
                for (&input, &arg) in body.blocks[target].inputs.iter().zip(args) {
                    passed.all[input].add(arg);
                    if !enters {
                        passed.again[input].add(arg);
                    }
                }
            }
        }
        passed
    }

    /// The arguments that edges pass to an input.
    pub(super) fn of(&self, input: Local) -> Passed {
        self.all[input]
    }

    /// The argument of an input of a loop's header in all iterations but the first.
    pub(super) fn again(&self, input: Local) -> Passed {
        self.again[input]
    }

    /// Whether an input of a loop's header is loop-invariant.
    pub(super) fn stays(&self, input: Local) -> bool {
        self.again[input] == Passed::Nothing || self.again[input] == Passed::One(input.into())
    }
}

/// The variables and parameters that a node may store to. Some of the parameters are perhaps no pointers.
pub(super) fn stores(body: &Body, node: Node) -> impl Iterator<Item = Root> + '_ {
    let op = body.node(node).op;
    let stores = !matches!(op.info().effect, Effect::Pure | Effect::Load) && op != Op::Load;
    let args = if stores { body.args(node) } else { &[] };
    args.iter().filter_map(|&arg| root(body, arg))
}

/// By block that ends with a loop: those of the wanted variables and parameters that are stored to in it, and were there before.
pub(super) fn stored_in_loops(body: &Body, tree: &Tree, wanted: impl Fn(Root) -> bool) -> FxHashMap<Block, Vec<Root>> {
    let owner_of = |block: Block| tree.place(block).and_then(|place| place.owner);
    let mut declared: FxHashMap<Var, Option<Block>> = FxHashMap::default();
    for block in walk::blocks(body) {
        declared.extend(body.blocks[block].variables.iter().map(|&var| (var, owner_of(block))));
    }
    let mut stored: FxHashMap<Block, Vec<Root>> = FxHashMap::default();
    let mut seen: FxHashSet<(Block, Root)> = FxHashSet::default();
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            for root in stores(body, node).filter(|&root| wanted(root)) {
                let around = match root {
                    Root::Var(var) => declared.get(&var).copied().flatten(),
                    Root::Param(_) => None,
                };
                let mut at = owner_of(block);
                while let Some(owner) = at.filter(|_| at != around) {
                    if !seen.insert((owner, root)) {
                        break;
                    }
                    if matches!(body.blocks[owner].exit, Exit::Loop { .. } | Exit::DoLoop { .. }) {
                        stored.entry(owner).or_default().push(root);
                    }
                    at = owner_of(owner);
                }
            }
        }
    }
    stored
}
