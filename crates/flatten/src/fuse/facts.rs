//! What is known of a flat function before it is written again.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::uniform::uniform_values;
use planish_ir::walk;

use crate::options::Options;
use crate::uses::use_counts;

/// Facts of the values of a placed function.
pub(crate) struct Facts {
    uses: SideTable<Local, u32>,
    user: SideTable<Local, Option<Node>>,
    uniform: SideTable<Local, bool>,
    depth: SideTable<Local, u32>,
    vector: SideTable<Local, Option<Node>>,
}

impl Facts {
    /// Looks at a function. O(nodes).
    pub(crate) fn new(module: &Module, body: &Body, options: &Options) -> Facts {
        let mut facts = Facts {
            uses: use_counts(body),
            user: SideTable::with_capacity(body.local_count()),
            uniform: uniform_values(module, body, &options.barriers),
            depth: SideTable::with_capacity(body.local_count()),
            vector: SideTable::new(),
        };
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
            body.results(node).for_each(|local| facts.depth[local] = depth);
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

    /// A constructor of a vector that a value is an operand of.
    pub(crate) fn vector(&self, value: Value) -> Option<Node> {
        self.vector[value.as_local()?]
    }
}
