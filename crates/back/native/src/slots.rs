//! Slots: memory of variables, in the frame.

use cranelift_codegen::ir::{InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types};
use planish_machine::code::{Node, What};

use crate::body::Builder;

impl Builder<'_, '_> {
    /// Memory for variables.
    pub(crate) fn make_slots(&mut self) {
        for &slot in &self.code.slots {
            let size = self.code.values[slot as usize].words * 8;
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size.max(8), 4);
            self.slots.insert(slot, self.b.create_sized_stack_slot(data));
        }
    }

    /// A place in a slot, or its address if a part of it is known only now. Every value begins at a word.
    pub(crate) fn slot(&mut self, node: &Node) -> Result<(StackSlot, i32), Value> {
        let args = self.code.args_of(node);
        let slot = self.slots[&args[0].as_value().expect("a slot is a value")];
        let offset = (node.imm.0 as u32 * 8) as i32;
        let index = if node.what == What::SlotLoad { args.get(1) } else { args.get(2) };
        let Some(&index) = index else { return Ok((slot, offset)) };
        let index = self.arg(index, types::I64);
        let bytes = self.b.ins().ishl_imm_s(index, 3);
        let start = self.b.ins().stack_addr(types::I64, slot, offset);
        Err(self.b.ins().iadd(start, bytes))
    }
}
