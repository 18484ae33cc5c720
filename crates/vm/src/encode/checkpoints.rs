//! Instructions that count, that heed interrupts, and at which machine code takes over.

use std::sync::atomic::AtomicBool;

use planish_ir::entity::Func;
use planish_machine::isa::LoopHead;

use super::{Encoder, To};
use crate::code::LoopFrame;
use crate::dispatch::checkpoints;

/// Loops of a function in which machine code can take over at most, as each is a look at all values.
const MAX_HEADS: usize = 64;

impl Encoder<'_> {
    pub(super) fn begin_function(&self, to: To<'_, '_>, func: Func) {
        if self.names.tiers {
            self.put(to, checkpoints::count_call, &[self.address(func)]);
        }
        if self.names.interruptible {
            self.put(to, checkpoints::heed_interrupt, &[]);
        }
    }

    pub(super) fn begin_loop(&self, to: To<'_, '_>, head: &LoopHead<'_>) {
        if !self.names.tiers || !head.is_outermost() {
            return;
        }
        let Some(frame) = self.loop_frame(head) else {
            return self.put(to, checkpoints::count_iteration, &[self.address(head.func), u64::from(head.label)]);
        };
        // Registers are read there: all are written.
        self.put(to, checkpoints::loop_head, &[self.address(head.func), frame.expose_provenance() as u64]);
    }

    pub(super) fn begin_iteration(&self, to: To<'_, '_>, head: &LoopHead<'_>) {
        if self.names.tiers && !head.is_outermost() {
            let operands = [self.address(head.func), u64::from(head.outermost)];
            self.put_keeping(to, checkpoints::count_iteration, &operands);
        }
        if self.names.interruptible {
            self.put_keeping(to, checkpoints::heed_interrupt, &[]);
        }
    }

    /// The frame of a loop, unless there are too many.
    fn loop_frame(&self, head: &LoopHead<'_>) -> Option<*const LoopFrame> {
        let heads = &mut self.state.borrow_mut().heads;
        if let Some(known) = heads.iter().find(|known| known.label == head.label) {
            return Some(&raw const **known);
        }
        if heads.len() == MAX_HEADS {
            return None;
        }
        let values = head.values().map(|(v, reg)| (v, reg.0)).collect();
        heads.push(Box::new(LoopFrame { label: head.label, values, has_code: AtomicBool::new(false) }));
        heads.last().map(|new| &raw const **new)
    }
}
