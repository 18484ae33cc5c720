//! Fuel, and interrupts: code looks at the beginning of blocks, iterations and functions.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use planish_machine::code::{Node, What};

use crate::body::{Builder, Region};
use crate::{Reason, abi};

impl Builder<'_, '_> {
    /// Charges fuel for the operations from a node on to the next label.
    pub(crate) fn charge(&mut self, first: usize) {
        if !self.env.options.fuel {
            return;
        }
        let ends = |node: &&Node| !matches!(node.what, What::Label(_) | What::Loop { .. });
        let nodes = self.code.nodes[first..].iter().take_while(ends);
        let count =
            nodes.filter(|node| matches!(node.what, What::Operation | What::Call(_) | What::TailCall(_))).count();
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
