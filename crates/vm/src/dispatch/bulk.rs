//! Ops on whole memories, tables and segments.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;

use super::Stop;
use super::instance::{InstanceData, no_meaning, range};

impl InstanceData {
    /// Ops on whole memories, tables and segments; their result, or 0.
    pub(super) unsafe fn bulk(&mut self, op: Op, (low, high): (u32, u32), args: &[u64]) -> Result<u64, Stop> {
        let arg = |i: usize| args.get(i).copied().unwrap_or(0);
        let (a, b, c) = (u64::from(arg(0) as u32), u64::from(arg(1) as u32), u64::from(arg(2) as u32));
        let (memory_trap, table_trap) = (TrapKind::OutOfBoundsMemory, TrapKind::OutOfBoundsTable);
        let minus_one = u64::from(u32::MAX);
        match op {
            Op::MemorySize => return Ok(self.memory(low).pages().into()),
            Op::MemoryGrow => return Ok(self.memory(low).grow(a as u32).map_or(minus_one, u64::from)),
            Op::MemoryFill => {
                let memory = self.memory(low);
                let at = range(a, c, memory.size).ok_or(memory_trap)?;
                memory.bytes[at].fill(b as u8);
            }
            Op::MemoryCopy if low == high || std::ptr::eq(self.memory(low), self.memory(high)) => {
                let memory = self.memory(low);
                let to = range(a, c, memory.size).ok_or(memory_trap)?;
                let from = range(b, c, memory.size).ok_or(memory_trap)?;
                memory.bytes.copy_within(from, to.start);
            }
            Op::MemoryCopy => {
                let (target, source) = (self.memory(low), self.memory(high));
                let to = range(a, c, target.size).ok_or(memory_trap)?;
                let from = range(b, c, source.size).ok_or(memory_trap)?;
                target.bytes[to].copy_from_slice(&source.bytes[from]);
            }
            Op::MemoryInit => {
                let dropped = self.data_dropped[high as usize];
                let bytes = if dropped { &[][..] } else { &self.module.data[high as usize][..] };
                let memory = self.memory(low);
                let from = range(b, c, bytes.len()).ok_or(memory_trap)?;
                let to = range(a, c, memory.size).ok_or(memory_trap)?;
                memory.bytes[to].copy_from_slice(&bytes[from]);
            }
            Op::DataDrop => self.data_dropped[low as usize] = true,
            Op::TableGet => return Ok(*self.table(low).items.get(a as usize).ok_or(table_trap)?),
            Op::TableSet => *self.table(low).items.get_mut(a as usize).ok_or(table_trap)? = arg(1),
            Op::TableSize => return Ok(self.table(low).items.len() as u64),
            Op::TableGrow => return Ok(self.table(low).grow(arg(0), b as u32).map_or(minus_one, u64::from)),
            Op::TableFill => {
                let items = &mut self.table(low).items;
                let at = range(a, c, items.len()).ok_or(table_trap)?;
                items[at].fill(arg(1));
            }
            Op::TableCopy if low == high || std::ptr::eq(self.table(low), self.table(high)) => {
                let items = &mut self.table(low).items;
                let to = range(a, c, items.len()).ok_or(table_trap)?;
                let from = range(b, c, items.len()).ok_or(table_trap)?;
                items.copy_within(from, to.start);
            }
            Op::TableCopy => {
                let (target, source) = (&mut self.table(low).items, &self.table(high).items);
                let to = range(a, c, target.len()).ok_or(table_trap)?;
                let from = range(b, c, source.len()).ok_or(table_trap)?;
                target[to].copy_from_slice(&source[from]);
            }
            Op::TableInit => {
                let items = &self.elems[high as usize];
                let table = &mut *self.tables[low as usize];
                let from = range(b, c, items.len()).ok_or(table_trap)?;
                let to = range(a, c, table.items.len()).ok_or(table_trap)?;
                table.items[to].copy_from_slice(&items[from]);
            }
            Op::ElemDrop => self.elems[low as usize] = Vec::new(),
            op => return Err(no_meaning(op)),
        }
        Ok(0)
    }
}
