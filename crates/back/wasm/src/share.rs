//! Values that share a slot, so that passing block arguments copies nothing; `planish_target::coalesce` decides which
//! may. A deferred value is evaluated at its reader, so its operands are mentioned there.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::module::Module;
use planish_target::coalesce::Coalescer;
use planish_target::expressions::Uses;
use planish_target::flow::Flow;
use wasm_encoder::ValType;

use crate::types::val_type;

/// Assignment of block inputs to slots.
#[derive(Default)]
pub(crate) struct Shared {
    /// By value: the one whose slot it has, if that is another one.
    of: SideTable<Local, Option<Local>>,
    /// Inputs that jumps leave in their slot, not on the stack.
    pub(crate) in_slot: SideTable<Local, bool>,
}

impl Shared {
    /// The value whose slot another one has.
    pub(crate) fn root(&self, local: Local) -> Local {
        self.of[local].unwrap_or(local)
    }
}

struct Finder<'a> {
    module: &'a Module,
    body: &'a Body,
    uses: &'a Uses,
    flow: &'a Flow<'a>,
    values: Coalescer<'a>,
}

/// Finds them. O(n log n) steps at most, in the size of the function.
pub(crate) fn find(module: &Module, body: &Body, uses: &Uses) -> Shared {
    let flow = Flow::of(body);
    if flow.edges.is_empty() {
        return Shared::default();
    }
    let mut finder = Finder { module, body, uses, flow: &flow, values: Coalescer::new(body, &flow) };
    finder.mention_all();
    finder.join_all();
    let mut shared = Shared::default();
    for local in (0..body.local_count()).map(planish_ir::arena::Id::new) {
        let root = finder.values.root(local);
        if root != local {
            shared.of[local] = Some(root);
        }
    }
    finder.choose(&mut shared);
    shared
}

impl Finder<'_> {
    fn mention_all(&mut self) {
        let (flow, body) = (self.flow, self.body);
        for &block in flow.blocks.iter().rev() {
            let end = flow.end[block];
            body.blocks[block].exit.for_each_operand(|value| self.mention(value, end));
            for &node in body.blocks[block].nodes.iter().rev() {
                if self.uses.is_dead(body, node) {
                    continue;
                }
                let result = self.deferred(block, node);
                for &arg in body.args(node) {
                    match (result, self.uses.resolve(arg).as_local()) {
                        (Some(result), Some(local)) => self.values.mention_with(local, result),
                        _ => self.mention(arg, flow.place[node]),
                    }
                }
            }
        }
    }

    fn mention(&mut self, value: Value, place: u32) {
        if let Some(local) = self.uses.resolve(value).as_local() {
            self.values.mention(local, place);
        }
    }

    /// The result of a node that may be evaluated where it is read.
    fn deferred(&self, block: Block, node: Node) -> Option<Local> {
        let result = self.body.result(node)?;
        (self.uses.counts[result] == 1 && self.uses.readers[result] == Some(block)).then_some(result)
    }

    fn val_type(&self, local: Local) -> Option<ValType> {
        val_type(&self.module.types, self.body.local(local).ty)
    }

    /// Whether a value gets a slot that others may have, too.
    fn has_slot(&self, local: Local) -> bool {
        let made = match self.body.local(local).def {
            LocalDef::Input(..) => true,
            LocalDef::Result(node, _) => self.deferred(self.flow.block_at(self.flow.place[node]), node).is_none(),
        };
        made && self.uses.counts[local] > 0 && !self.values.has_many(local)
    }

    fn join_all(&mut self) {
        let mut pairs: Vec<(u32, u32, Local, Local)> = Vec::new();
        for edge in &self.flow.edges {
            // Values passed to the next iteration have priority.
            let back = self.flow.start[edge.to] <= self.flow.start[edge.from];
            let weight = 2 * self.flow.loops[edge.from] + u32::from(back);
            for (&input, &arg) in self.body.blocks[edge.to].inputs.iter().zip(edge.args) {
                if let Some(arg) = self.uses.resolve(arg).as_local()
                    && arg != input
                    && self.has_slot(input)
                    && self.has_slot(arg)
                    && self.val_type(input) == self.val_type(arg)
                {
                    pairs.push((u32::MAX - weight, pairs.len() as u32, input, arg));
                }
            }
        }
        pairs.sort_unstable();
        for (_, _, input, arg) in pairs {
            self.values.join(input, arg);
        }
    }

    /// Chooses how merge blocks get their inputs. In the slot, if about half of the edges or more have the value there
    /// already; otherwise on the stack, from which it is stored to the slot once.
    fn choose(&self, shared: &mut Shared) {
        let mut balance: SideTable<Local, i32> = SideTable::new();
        for edge in &self.flow.edges {
            let from = &self.body.blocks[edge.from];
            let is_bare = from.nodes.is_empty() && matches!(from.exit, Exit::Break(..) | Exit::Continue(..));
            for (&input, &arg) in self.body.blocks[edge.to].inputs.iter().zip(edge.args) {
                let local = self.uses.resolve(arg).as_local();
                let is_there = local.is_some_and(|local| shared.root(local) == shared.root(input));
                // A jump that does nothing but jump is one instruction with its condition.
                balance[input] += if is_there { 1 + i32::from(is_bare) } else { -1 };
                shared.in_slot[input] |= is_there;
            }
        }
        for edge in &self.flow.edges {
            let begins_iteration = self.begins_iteration(edge.to);
            for &input in &self.body.blocks[edge.to].inputs {
                shared.in_slot[input] = begins_iteration || shared.in_slot[input] && balance[input] >= 0;
            }
        }
    }

    /// Whether a block begins an iteration of a loop, or follows its condition: labels of loops take nothing from the
    /// stack.
    fn begins_iteration(&self, block: Block) -> bool {
        let owner = self.uses.tree.place(block).and_then(|place| place.owner);
        owner.is_some_and(|owner| match self.body.blocks[owner].exit {
            Exit::Loop { condition, body, .. } => block == condition || block == body,
            Exit::DoLoop { body, .. } => block == body,
            _ => false,
        })
    }
}
