//! Early refusals: code that can never be flat is searched before the work starts, and once something is refused, the output
//! is dropped, so that the work goes on only to find further problems.

use planish_ir::entity::{Block, Const, Func, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use crate::restage::engine::Engine;
use crate::restage::source::{Root, Source, root};

/// Source nodes that are interpreted after the function is refused before no loop continues any more, and again before it ends.
const SPARE: u64 = 1 << 15;

/// Source nodes and blocks that may be interpreted for each node that the function may have: most make one node or none.
const STEPS_PER_NODE: u64 = 4;

/// Blocks that are looked at before the work starts; more would cost more than they save.
const MAX_LOOKS: usize = 1 << 16;

/// The work of a flattening, in source nodes and blocks that were interpreted.
#[derive(Clone, Copy, Default)]
pub(super) struct Work {
    steps: u64,
    /// `steps` when the function was refused.
    refused: Option<u64>,
}

impl Work {
    /// The function is refused.
    pub(super) fn refuse(&mut self) {
        self.refused.get_or_insert(self.steps);
    }

    /// Source nodes and blocks that were interpreted.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether loops end now, regardless of their conditions.
    fn leaves_loops(&self) -> bool {
        self.refused.is_some_and(|at| self.steps > at + SPARE)
    }

    fn is_done(&self) -> bool {
        self.refused.is_some_and(|at| self.steps > at + 2 * SPARE)
    }
}

impl Engine<'_, '_, '_> {
    /// Whether loops end now, regardless of their conditions: the function was refused some time ago.
    pub(in crate::restage) fn leaves_loops(&self) -> bool {
        self.flat.as_ref().is_some_and(|flat| flat.work.leaves_loops())
    }

    /// Steps that a flattening may take.
    pub(super) fn most_steps(&self) -> u64 {
        u64::from(self.context.options.limits.flat_nodes).saturating_mul(STEPS_PER_NODE)
    }

    /// Counts a step. Whether the interpretation ends here: the function has become too large, or enough is known of what is
    /// wrong with it.
    pub(in crate::restage) fn is_too_much(&mut self, span: Span) -> bool {
        let limit = u64::from(self.context.options.limits.flat_nodes);
        let most_steps = self.most_steps();
        let work = &mut self.flat_mut().work;
        work.steps += 1;
        let steps = work.steps;
        if work.is_done() {
            return true;
        }
        let message = if self.b.body().node_count() as u64 > limit {
            format!("the flat function has more than {limit} nodes")
        } else if steps > most_steps {
            format!("writing the flat function out takes more than {most_steps} steps")
        } else {
            return false;
        };
        self.report_too_large(span, message);
        true
    }
}

/// Whether it is plain that a function cannot be flat: what has an effect that no dataflow has, in it or in what it calls, is
/// reached whatever the conditions are. O(nodes).
pub(super) fn is_refused(module: &Module, func: Func, source: &Source, leaves: &[Func]) -> bool {
    let mut seen = vec![func];
    let mut reached = Reached { module, leaves, calls: Vec::new(), looks: MAX_LOOKS };
    if reached.refuses(&source.body, &source.tree) {
        return true;
    }
    while let Some(callee) = reached.calls.pop() {
        let Some(body) = &module.funcs[callee].body else { return true };
        if !seen.contains(&callee) {
            seen.push(callee);
            if reached.refuses(body, &Tree::new(body)) {
                return true;
            }
        }
    }
    false
}

struct Reached<'a> {
    module: &'a Module,
    leaves: &'a [Func],
    /// Functions that are called for certain.
    calls: Vec<Func>,
    /// Blocks that may still be looked at to see whether constructs come to their ends: nested constructs are
    /// looked at again.
    looks: usize,
}

impl Reached<'_> {
    /// Whether a function certainly executes an op that cannot be flat.
    fn refuses(&mut self, body: &Body, tree: &Tree) -> bool {
        let mut chains = vec![body.entry];
        while let Some(first) = chains.pop() {
            let mut next = Some(first);
            while let Some(block) = next {
                if body.blocks[block].nodes.iter().any(|&node| self.is_refused(body, node)) {
                    return true;
                }
                // The first iteration of a loop that tests at its end, or never.
                match body.blocks[block].exit {
                    Exit::DoLoop { body: first, .. } => chains.push(first),
                    Exit::Loop { condition, body: first, .. } if always_goes_on(body, condition) => chains.push(first),
                    Exit::Labelled { body: first, .. } => chains.push(first),
                    _ => {}
                }
                next = body.blocks[block].exit.merge_block().filter(|_| self.comes_to_its_end(body, tree, block));
            }
        }
        false
    }

    fn is_refused(&mut self, body: &Body, node: Node) -> bool {
        use AddressSpace::{Function, Output, Private, Workgroup};
        let (op, args) = (body.node(node).op, body.args(node));
        let space = |pointer: Value| match root(body, pointer) {
            Some(Root::Var(var)) => Some(self.module.vars[var].space),
            _ => None,
        };
        match op.info().effect {
            Effect::Pure | Effect::Quad | Effect::MayTrap | Effect::ImageLoad => false,
            Effect::Load => op == Op::Load && space(args[0]) == Some(Workgroup),
            Effect::Store | Effect::Modify => {
                space(args[0]).is_some_and(|space| !matches!(space, Function | Output | Private))
            }
            Effect::Call => {
                let callee = args.first().and_then(|a| a.as_func()).filter(|_| op == Op::Call);
                self.calls.extend(callee.filter(|func| !self.leaves.contains(func)));
                false
            }
            Effect::World => op != Op::Demote,
            _ => true,
        }
    }

    /// Whether what follows a construct is reached from it, as far as can be seen: nothing in it leaves a construct around or ends
    /// the function.
    fn comes_to_its_end(&mut self, body: &Body, tree: &Tree, owner: Block) -> bool {
        let mut inside = walk::inside(body, owner);
        let falls = inside.by_ref().take(self.looks).all(|block| {
            self.looks -= 1;
            match body.blocks[block].exit {
                Exit::Return(_) | Exit::Discard | Exit::Trap(_) => false,
                Exit::Break(label, _) | Exit::Continue(label, _) => label == owner || tree.is_inside(label, owner),
                _ => true,
            }
        });
        falls && inside.next().is_none()
    }
}

/// Whether the condition of a loop is one block that never ends it.
fn always_goes_on(body: &Body, condition: Block) -> bool {
    matches!(body.blocks[condition].exit, Exit::LoopIf { condition, .. } if condition == Const::TRUE.into())
        && body.blocks[condition].nodes.is_empty()
}
