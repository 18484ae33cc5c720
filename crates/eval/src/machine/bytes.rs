//! Byte-addressed memories, tables and references, as in WebAssembly.

use planish_ir::arena::Id;
use planish_ir::function::TrapKind;
use planish_ir::meaning::convert;
use planish_ir::ops::{Imm, MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};

use super::Machine;
use super::store::PAGE;
use crate::program::{Code, Inst};
use crate::stop::Stop;

/// The range `start .. start + len`; `None` if it exceeds `size`.
pub(super) fn range(start: u64, len: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}

impl<'m> Machine<'m> {
    /// An op on memories, tables or references.
    pub(super) fn machine_op(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let args = code.args(inst);
        let live = self.live();
        for lane in self.cx.active.lanes() {
            let mut words = [0u64; 3];
            for (word, &arg) in words.iter_mut().zip(args) {
                *word = self.read(arg, 0, lane);
            }
            // Helper lanes have no effects visible to others.
            if !live.has(lane) && inst.op.info().effect != planish_ir::ops::Effect::Pure {
                for c in 0..inst.out.1 as usize {
                    self.write_lane(inst, c, lane, 0);
                }
                continue;
            }
            let result = match inst.op {
                Op::RefFunc => Ok(u128::from(self.instances[self.at].funcs[words[0] as usize]) + 1),
                Op::RefIsNull => Ok((words[0] == 0).into()),
                Op::MemoryLoad => self.memory_load(inst, words[0]),
                Op::MemoryStore => {
                    let high = if args[1].size() > 1 { self.read(args[1], 1, lane) } else { 0 };
                    let value = u128::from(words[1]) | u128::from(high) << 64;
                    self.memory_store(inst.imm.as_mem_arg(), words[0], value)
                }
                Op::MemorySize | Op::MemoryGrow | Op::MemoryFill | Op::MemoryCopy | Op::MemoryInit | Op::DataDrop => {
                    self.bulk_bytes(inst.op, inst.imm, words).map(u128::from)
                }
                _ => self.bulk_items(inst.op, inst.imm, words).map(u128::from),
            };
            match result {
                Ok(value) => {
                    for c in 0..inst.out.1 as usize {
                        self.write_lane(inst, c, lane, (value >> (64 * c)) as u64);
                    }
                }
                Err(kind) => self.lane_trap(kind, lane)?,
            }
        }
        Ok(())
    }

    /// The bytes of a memory of the running instance.
    fn memory_bytes(&mut self, memory: usize) -> &mut Vec<u8> {
        &mut self.store.memories[self.instances[self.at].memories[memory] as usize].bytes
    }

    /// The elements of a table of the running instance.
    pub(super) fn table_items(&mut self, table: usize) -> &mut Vec<u64> {
        &mut self.store.tables[self.instances[self.at].tables[table] as usize].items
    }

    fn memory_load(&mut self, inst: &Inst, address: u64) -> Result<u128, TrapKind> {
        let arg = inst.imm.as_mem_arg();
        let memory = self.memory_bytes(arg.memory.index());
        let start = u64::from(address as u32) + u64::from(arg.offset);
        let at = range(start, arg.width.bytes().into(), memory.len()).ok_or(TrapKind::OutOfBoundsMemory)?;
        let mut bytes = [0; 16];
        bytes[..at.len()].copy_from_slice(&memory[at]);
        if arg.width == Width::B128 {
            return Ok(u128::from_le_bytes(bytes));
        }
        let bits = u128::from_le_bytes(bytes) as u64;
        let wide = match (arg.width, arg.signed) {
            (Width::B8, true) => bits as u8 as i8 as i64 as u64,
            (Width::B16, true) => bits as u16 as i16 as i64 as u64,
            (Width::B32, true) => bits as u32 as i32 as i64 as u64,
            _ => bits,
        };
        let scalar = match self.program().module.types[inst.ty] {
            TypeKind::Scalar(s) => s,
            _ => Scalar::I64,
        };
        Ok((if scalar.is_integer() { convert(wide, Scalar::I64, scalar) } else { wide }).into())
    }

    fn memory_store(&mut self, arg: MemArg, address: u64, value: u128) -> Result<u128, TrapKind> {
        let memory = self.memory_bytes(arg.memory.index());
        let start = u64::from(address as u32) + u64::from(arg.offset);
        let at = range(start, arg.width.bytes().into(), memory.len()).ok_or(TrapKind::OutOfBoundsMemory)?;
        let len = at.len();
        memory[at].copy_from_slice(&value.to_le_bytes()[..len]);
        Ok(0)
    }

    /// An op on whole memories or ranges of them. Each checks all ranges before it writes.
    fn bulk_bytes(&mut self, op: Op, imm: Imm, [a, b, c]: [u64; 3]) -> Result<u64, TrapKind> {
        let (low, high) = (imm.as_pair().0 as usize, imm.as_pair().1 as usize);
        let (a32, b32, c32) = (u64::from(a as u32), u64::from(b as u32), u64::from(c as u32));
        let trap = TrapKind::OutOfBoundsMemory;
        let limit = self.limits.words;
        let instance = &mut self.instances[self.at];
        match op {
            Op::MemorySize => return Ok((self.memory_bytes(low).len() / PAGE) as u64),
            Op::MemoryGrow => {
                let old = self.store.grow_memory(instance.memories[low], a32 as u32, limit);
                return Ok(old.unwrap_or(u32::MAX).into());
            }
            Op::MemoryFill => {
                let memory = self.memory_bytes(low);
                let at = range(a32, c32, memory.len()).ok_or(trap)?;
                memory[at].fill(b as u8);
            }
            Op::MemoryCopy => {
                let to = range(a32, c32, self.memory_bytes(low).len()).ok_or(trap)?;
                let from = range(b32, c32, self.memory_bytes(high).len()).ok_or(trap)?;
                if low == high {
                    self.memory_bytes(low).copy_within(from, to.start);
                } else {
                    let bytes = self.memory_bytes(high)[from].to_vec();
                    self.memory_bytes(low)[to].copy_from_slice(&bytes);
                }
            }
            Op::MemoryInit => {
                let data = &instance.program.module.data.values().as_slice()[high];
                let bytes: &[u8] = if instance.data_dropped[high] { &[] } else { &data.bytes };
                let from = range(b32, c32, bytes.len()).ok_or(trap)?;
                let memory = &mut self.store.memories[instance.memories[low] as usize].bytes;
                let to = range(a32, c32, memory.len()).ok_or(trap)?;
                memory[to].copy_from_slice(&bytes[from]);
            }
            Op::DataDrop => instance.data_dropped[low] = true,
            _ => unreachable!("no op on bytes"),
        }
        Ok(0)
    }

    /// An op on tables. Each checks all ranges before it writes.
    fn bulk_items(&mut self, op: Op, imm: Imm, [a, b, c]: [u64; 3]) -> Result<u64, TrapKind> {
        let (low, high) = (imm.as_pair().0 as usize, imm.as_pair().1 as usize);
        let (a32, b32, c32) = (u64::from(a as u32), u64::from(b as u32), u64::from(c as u32));
        let trap = TrapKind::OutOfBoundsTable;
        let limit = self.limits.words;
        let instance = &mut self.instances[self.at];
        match op {
            Op::TableGet => return self.table_items(low).get(a32 as usize).copied().ok_or(trap),
            Op::TableSet => *self.table_items(low).get_mut(a32 as usize).ok_or(trap)? = b,
            Op::TableSize => return Ok(self.table_items(low).len() as u64),
            Op::TableGrow => {
                let old = self.store.grow_table(instance.tables[low], b32 as u32, a, limit);
                return Ok(old.unwrap_or(u32::MAX).into());
            }
            Op::TableFill => {
                let items = self.table_items(low);
                let at = range(a32, c32, items.len()).ok_or(trap)?;
                items[at].fill(b);
            }
            Op::TableCopy => {
                let to = range(a32, c32, self.table_items(low).len()).ok_or(trap)?;
                let from = range(b32, c32, self.table_items(high).len()).ok_or(trap)?;
                let items = self.table_items(high)[from].to_vec();
                self.table_items(low)[to].copy_from_slice(&items);
            }
            Op::TableInit => {
                let items = &instance.elems[high];
                let from = range(b32, c32, items.len()).ok_or(trap)?;
                let table = &mut self.store.tables[instance.tables[low] as usize].items;
                let to = range(a32, c32, table.len()).ok_or(trap)?;
                table[to].copy_from_slice(&items[from]);
            }
            Op::ElemDrop => instance.elems[low] = Vec::new(),
            _ => unreachable!("no op on tables"),
        }
        Ok(0)
    }
}
