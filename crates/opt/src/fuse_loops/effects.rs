//! Effects of parts of a function, for the question whether they can change places.

use planish_ir::aliasing::bytes::may_be_one_memory;
use planish_ir::aliasing::{Root, root};
use planish_ir::entity::{Block, Memory};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashSet;

/// Memory as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Root(Root),
    Bytes(Memory),
}

/// Effects of some blocks.
#[derive(Default)]
pub(super) struct Effects {
    pub(super) reads: FxHashSet<Place>,
    pub(super) writes: FxHashSet<Place>,
    pub(super) traps: bool,
    /// Calls of the world outside, which sees all memory but variables of the function.
    pub(super) world: bool,
    /// Something else, which stays where it is.
    pub(super) others: bool,
}

impl Effects {
    /// Adds the effects of the nodes and the exit of a block.
    pub(super) fn add(&mut self, module: &Module, body: &Body, block: Block) {
        let data = &body.blocks[block];
        for &node in &data.nodes {
            let (op, imm, args) = (body.node(node).op, body.node(node).imm, body.args(node));
            let effect = op.info().effect;
            match effect {
                Effect::Pure => {}
                Effect::MayTrap => self.traps = true,
                Effect::Load | Effect::Store | Effect::Modify => match root(body, args[0]) {
                    Some(root) => {
                        if effect != Effect::Store {
                            self.reads.insert(Place::Root(root));
                        }
                        if effect != Effect::Load {
                            self.writes.insert(Place::Root(root));
                        }
                    }
                    None => self.others = true,
                },
                Effect::MemoryLoad if op == Op::MemoryLoad => {
                    let arg = imm.as_mem_arg();
                    self.reads.insert(Place::Bytes(arg.memory));
                    self.traps |= !arg.in_bounds;
                }
                Effect::MemoryStore if op == Op::MemoryStore => {
                    let arg = imm.as_mem_arg();
                    self.writes.insert(Place::Bytes(arg.memory));
                    self.traps |= !arg.in_bounds;
                }
                Effect::Call if module.is_pure_leaf_call(op, args) => {}
                Effect::World if !args.iter().any(|&arg| module.types.pointee(module.type_of(body, arg)).is_some()) => {
                    self.world = true;
                }
                _ => self.others = true,
            }
        }
        match data.exit {
            Exit::Trap(_) => self.traps = true,
            Exit::Return(_) | Exit::Discard | Exit::Open => self.others = true,
            _ => {}
        }
    }

    /// Whether code with these effects can change places with code that has the others, except for what both do with some places.
    pub(super) fn commute(&self, other: &Effects, module: &Module, except: &FxHashSet<Place>) -> bool {
        if self.others || other.others {
            return false;
        }
        let is_seen = |place: &Place| match place {
            Place::Root(Root::Var(var)) => module.vars[*var].space != AddressSpace::Function,
            _ => true,
        };
        let is_silent = |effects: &Effects| !effects.traps && !effects.world && !effects.writes.iter().any(is_seen);
        let is_unseen = |effects: &Effects| is_silent(effects) && !effects.reads.iter().any(is_seen);
        if self.world && !is_unseen(other) || other.world && !is_unseen(self) {
            return false;
        }
        if self.traps && !is_silent(other) || other.traps && !is_silent(self) {
            return false;
        }
        let meets = |writes: &FxHashSet<Place>, all: &FxHashSet<Place>| {
            let writes = writes.iter().filter(|place| !except.contains(place));
            writes.into_iter().any(|write| all.iter().any(|place| may_meet(module, write, place)))
        };
        !(meets(&self.writes, &other.writes) || meets(&self.writes, &other.reads) || meets(&other.writes, &self.reads))
    }
}

fn may_meet(module: &Module, a: &Place, b: &Place) -> bool {
    let space = |var| module.vars[var].space;
    match (a, b) {
        (Place::Bytes(a), Place::Bytes(b)) => may_be_one_memory(module, *a, *b),
        (Place::Root(Root::Var(a)), Place::Root(Root::Var(b))) => {
            a == b || space(*a) == AddressSpace::Storage && space(*b) == AddressSpace::Storage
        }
        // A parameter may lead to another one's memory, or to a variable of the module.
        (Place::Root(Root::Param(_)), Place::Root(Root::Var(var)))
        | (Place::Root(Root::Var(var)), Place::Root(Root::Param(_))) => space(*var) != AddressSpace::Function,
        (Place::Root(_), Place::Root(_)) => true,
        _ => false,
    }
}
