//! Fuel, and interrupts: code looks at the beginning of blocks, iterations and functions.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use planish_machine::code::{CallKind, Node, What};

use crate::body::{Builder, Region};
use crate::{Reason, abi};

impl Builder<'_, '_> {
    /// Charges fuel at a label that is no loop.
    pub(crate) fn charge_label(&mut self, first: usize) {
        if !self.env.module.facts.on_lanes {
            self.charge(first);
        }
    }

    /// Charges fuel for the operations from a node on to the next label. Of functions over several invocations, which enter most
    /// of their blocks: for all of an iteration, or of a function, but for its loops. Such a function that can run no longer than its
    /// operations take is free.
    pub(crate) fn charge(&mut self, first: usize) {
        if !self.env.options.fuel {
            return;
        }
        let nodes = &self.code.nodes[first..];
        let is_counted = |node: &&Node| matches!(node.what, What::Operation | What::Call(_) | What::TailCall(_));
        let count = if self.env.module.facts.on_lanes {
            if first == 0 && !nodes.iter().any(may_repeat) {
                return;
            }
            outside_loops(nodes).filter(is_counted).count()
        } else {
            let ends = |node: &&Node| !matches!(node.what, What::Label(_) | What::Loop { .. });
            nodes.iter().take_while(ends).filter(is_counted).count()
        };
        let runtime = self.runtime();
        let fuel = self.load(Region::Context, types::I64, runtime, offset_of!(abi::Runtime, fuel));
        let left = self.b.ins().iadd_imm_s(fuel, -(count as i64 + 1));
        self.store(Region::Context, left, runtime, offset_of!(abi::Runtime, fuel));
        let out = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, left, 0);
        self.stop_if(out, Reason::OutOfFuel);
    }

    /// Stops if the embedder asks for it.
    pub(crate) fn heed_interrupt(&mut self) {
        if !self.env.options.interruptible {
            return;
        }
        let runtime = self.runtime();
        // (Another thread writes it: this load is not shared with one before the loop.)
        let at = self.load_constant(types::I64, runtime, offset_of!(abi::Runtime, interrupt));
        let asked = self.b.ins().atomic_load(types::I32, MemFlagsData::trusted(), at);
        self.stop_if(asked, Reason::Interrupted);
    }
}

/// Whether a node may make a function run longer than its operations take.
fn may_repeat(node: &Node) -> bool {
    let calls = |kind: CallKind| kind != CallKind::Import;
    matches!(node.what, What::Loop { .. } | What::TailCall(_)) || matches!(node.what, What::Call(kind) if calls(kind))
}

/// The nodes up to the end of the loop that they are in, without those of inner loops.
fn outside_loops(nodes: &[Node]) -> impl Iterator<Item = &Node> {
    let mut depth = 0_u32;
    nodes
        .iter()
        .take_while(move |node| match node.what {
            What::LoopEnd(_) if depth == 0 => false,
            What::LoopEnd(_) => {
                depth -= 1;
                true
            }
            What::Loop { .. } => {
                depth += 1;
                true
            }
            _ => true,
        })
        .scan(0_u32, |depth, node| {
            match node.what {
                What::Loop { .. } => *depth += 1,
                What::LoopEnd(_) => *depth -= 1,
                _ => {}
            }
            Some((*depth, node))
        })
        .filter_map(|(depth, node)| (depth == 0).then_some(node))
}
