//! What is known of a flat function before it is written again.

use std::hash::{Hash, Hasher};

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::uniform::uniform_values;
use planish_ir::walk;
use rustc_hash::FxHasher;

use crate::options::Options;
use crate::uses::use_counts;

/// Facts of the values of a placed function.
pub(crate) struct Facts {
    uses: SideTable<Local, u32>,
    user: SideTable<Local, Option<Node>>,
    uniform: SideTable<Local, bool>,
    depth: SideTable<Local, u32>,
    order: SideTable<Local, u32>,
    vector: SideTable<Local, Option<Node>>,
    likeness: SideTable<Local, [u64; LEVELS]>,
}

/// How many levels of what makes a value its likeness tells.
const LEVELS: usize = 4;

impl Facts {
    /// Looks at a function. O(nodes).
    pub(crate) fn new(module: &Module, body: &Body, options: &Options) -> Facts {
        let mut facts = Facts {
            uses: use_counts(body),
            user: SideTable::with_capacity(body.local_count()),
            uniform: uniform_values(module, body, &options.barriers),
            depth: SideTable::with_capacity(body.local_count()),
            order: SideTable::with_capacity(body.local_count()),
            vector: SideTable::new(),
            likeness: SideTable::with_capacity(body.local_count()),
        };
        let mut number = 0;
        for node in walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied()) {
            let mut depth = 0;
            let constructs = body.node(node).op == Op::ConstructVectorFromMultiple;
            for local in body.args(node).iter().filter_map(|a| a.as_local()) {
                depth = depth.max(facts.depth[local] + 1);
                facts.user[local] = Some(node);
                if constructs {
                    facts.vector[local] = Some(node);
                }
            }
            number += 1;
            let likeness = facts.likeness_of(body, node);
            for local in body.results(node) {
                facts.depth[local] = depth;
                facts.order[local] = number;
                facts.likeness[local] = likeness;
            }
        }
        facts
    }

    /// How often a value is used; constants and the like: always more than once.
    pub(crate) fn uses(&self, value: Value) -> u32 {
        value.as_local().map_or(u32::MAX, |local| self.uses[local])
    }

    /// Whether a value is local and used once.
    pub(crate) fn once(&self, value: Value) -> bool {
        self.uses(value) == 1
    }

    /// The last node that uses a value; of one that is used once, its only user, unless an exit uses it.
    pub(crate) fn user(&self, value: Value) -> Option<Node> {
        self.user[value.as_local()?]
    }

    /// Whether a value is the same for every invocation of a draw.
    pub(crate) fn is_uniform(&self, value: Value) -> bool {
        value.as_local().is_none_or(|local| self.uniform[local])
    }

    /// Nodes in a row, at most, from the inputs to a value.
    pub(crate) fn depth(&self, value: Value) -> u32 {
        value.as_local().map_or(0, |local| self.depth[local])
    }

    /// The number of the node that makes a value, as they are listed; 0 for what no node makes.
    pub(crate) fn order(&self, value: Value) -> u32 {
        value.as_local().map_or(0, |local| self.order[local])
    }

    /// A constructor of a vector that a value is an operand of.
    pub(crate) fn vector(&self, value: Value) -> Option<Node> {
        self.vector[value.as_local()?]
    }

    /// A number that values share which are computed by the same ops down to a level (at most 3), whatever these are
    /// computed of.
    pub(crate) fn likeness(&self, value: Value, level: usize) -> u64 {
        value.as_local().map_or(u64::from(value.as_const().is_some()), |local| self.likeness[local][level])
    }

    fn likeness_of(&self, body: &Body, node: Node) -> [u64; LEVELS] {
        let data = body.node(node);
        std::array::from_fn(|level| {
            let mut hasher = FxHasher::default();
            // The same component is no closer than another one.
            let imm = if data.op == Op::ExtractVectorComponent { Imm::NONE } else { data.imm };
            (data.op, imm).hash(&mut hasher);
            // Operands may be swapped, so their order does not count.
            let operands = |&arg: &Value| if level == 0 { 0 } else { self.likeness(arg, level - 1) };
            body.args(node).iter().map(operands).fold(0, u64::wrapping_add).hash(&mut hasher);
            hasher.finish()
        })
    }
}
