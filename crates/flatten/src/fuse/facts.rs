//! Facts of a flat function before it is rewritten.

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

/// Number of levels of operands in a structural hash.
const LEVELS: usize = 4;

impl Facts {
    /// Analyses a function. O(nodes).
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
            let scalar = |value: Value| module.types.scalar_of(module.type_of(body, value));
            let constructs = body.result(node).filter(|_| body.node(node).op == Op::ConstructVectorFromMultiple);
            for local in body.args(node).iter().filter_map(|a| a.as_local()) {
                depth = depth.max(facts.depth[local] + 1);
                facts.user[local] = Some(node);
                if constructs.is_some_and(|vector| scalar(vector.into()) == scalar(local.into())) {
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

    /// Number of uses of a value; constants and other non-local values: more than one.
    pub(crate) fn uses(&self, value: Value) -> u32 {
        value.as_local().map_or(u32::MAX, |local| self.uses[local])
    }

    /// Whether a value is local and used once.
    pub(crate) fn once(&self, value: Value) -> bool {
        self.uses(value) == 1
    }

    /// The last user of a value; for a value with one use, its only user, unless that is an exit.
    pub(crate) fn user(&self, value: Value) -> Option<Node> {
        self.user[value.as_local()?]
    }

    /// Whether a value is uniform.
    pub(crate) fn is_uniform(&self, value: Value) -> bool {
        value.as_local().is_none_or(|local| self.uniform[local])
    }

    /// Depth of a value: nodes on the longest path from the inputs.
    pub(crate) fn depth(&self, value: Value) -> u32 {
        value.as_local().map_or(0, |local| self.depth[local])
    }

    /// Position of the node that makes a value in the list; 0 for other values.
    pub(crate) fn order(&self, value: Value) -> u32 {
        value.as_local().map_or(0, |local| self.order[local])
    }

    /// A vector constructor with this operand, which does not convert it; `None` if there is none.
    pub(crate) fn vector(&self, value: Value) -> Option<Node> {
        self.vector[value.as_local()?]
    }

    /// Structural hash of a value: equal for values computed by the same ops down to a level (at most 3), regardless of
    /// the leaves.
    pub(crate) fn likeness(&self, value: Value, level: usize) -> u64 {
        value.as_local().map_or(u64::from(value.as_const().is_some()), |local| self.likeness[local][level])
    }

    fn likeness_of(&self, body: &Body, node: Node) -> [u64; LEVELS] {
        let data = body.node(node);
        std::array::from_fn(|level| {
            let mut hasher = FxHasher::default();
            // The component index is not part of the hash.
            let imm = if data.op == Op::ExtractVectorComponent { Imm::NONE } else { data.imm };
            (data.op, imm).hash(&mut hasher);
            // Operands may be swapped, so the hash is symmetric in them.
            let operands = |&arg: &Value| if level == 0 { 0 } else { self.likeness(arg, level - 1) };
            body.args(node).iter().map(operands).fold(0, u64::wrapping_add).hash(&mut hasher);
            hasher.finish()
        })
    }
}
