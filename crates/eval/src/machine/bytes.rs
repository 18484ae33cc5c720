//! Byte-addressed memories, tables and references, as WebAssembly has them.

use planish_ir::arena::Id;
use planish_ir::function::TrapKind;
use planish_ir::meaning::convert;
use planish_ir::module::{Module, Offset};
use planish_ir::ops::{Imm, MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};

use super::Machine;
use crate::program::{Code, Inst};
use crate::stop::{Limits, Stop};

const PAGE: usize = 1 << 16;

/// Memories, tables and segments.
pub(crate) struct ByteWorld {
    pub(crate) memories: Vec<Vec<u8>>,
    /// References: zero is null, a function its index plus one.
    pub(crate) tables: Vec<Vec<u64>>,
    data_dropped: Vec<bool>,
    elem_dropped: Vec<bool>,
}

impl ByteWorld {
    pub(super) fn new(module: &Module, limits: Limits) -> Result<Self, Stop> {
        let mut words = 0usize;
        let mut memories = Vec::new();
        for (_, memory) in module.memories.iter() {
            words += memory.min_pages as usize * PAGE / 8;
            if words > limits.words {
                return Err(Stop::MemoryLimit);
            }
            memories.push(vec![0; memory.min_pages as usize * PAGE]);
        }
        let mut tables = Vec::new();
        for (_, table) in module.tables.iter() {
            words += table.min as usize;
            if words > limits.words {
                return Err(Stop::MemoryLimit);
            }
            tables.push(vec![0; table.min as usize]);
        }
        let data_dropped = vec![false; module.data.len()];
        let elem_dropped = vec![false; module.elems.len()];
        Ok(ByteWorld { memories, tables, data_dropped, elem_dropped })
    }
}

/// `start .. start + len` if it lies within `size`.
fn range(start: u64, len: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}

fn reference(func: Option<planish_ir::entity::Func>) -> u64 {
    func.map_or(0, |f| u64::from(f.as_u32()) + 1)
}

impl<'m> Machine<'m> {
    /// Copies active segments to where they belong: elements first, as WebAssembly does.
    pub(super) fn instantiate(&mut self) -> Result<(), Stop> {
        let module = self.program.module;
        let trap = |kind| Stop::Trap { kind, span: planish_ir::source::Span::NONE };
        for (id, elem) in module.elems.iter() {
            let Some((table, offset)) = elem.active else { continue };
            let start = self.offset(offset);
            let table = &mut self.bytes.tables[table.index()];
            let to = range(start, elem.items.len() as u64, table.len()).ok_or(trap(TrapKind::OutOfBoundsTable))?;
            for (slot, item) in table[to].iter_mut().zip(&elem.items) {
                *slot = reference(*item);
            }
            self.bytes.elem_dropped[id.index()] = true;
        }
        for (id, data) in module.data.iter() {
            let Some((memory, offset)) = data.active else { continue };
            let start = self.offset(offset);
            let memory = &mut self.bytes.memories[memory.index()];
            let to = range(start, data.bytes.len() as u64, memory.len()).ok_or(trap(TrapKind::OutOfBoundsMemory))?;
            memory[to].copy_from_slice(&data.bytes);
            self.bytes.data_dropped[id.index()] = true;
        }
        Ok(())
    }

    fn offset(&self, offset: Offset) -> u64 {
        match offset {
            Offset::Const(n) => n.into(),
            Offset::Var(var) => match self.lane_column(var, 0) {
                Some(column) => column.first().copied().unwrap_or(0) as u32 as u64,
                None => self.shared_ref(var).and_then(|w| w.first().copied()).unwrap_or(0) as u32 as u64,
            },
        }
    }

    /// An op on memories, tables or references.
    pub(super) fn machine_op(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let args = code.args(inst);
        let live = self.live();
        for lane in self.cx.active.lanes() {
            let mut words = [0u64; 3];
            for (word, &arg) in words.iter_mut().zip(args) {
                *word = self.read(arg, 0, lane);
            }
            // Helpers change nothing that others see.
            if !live.has(lane) && inst.op.info().effect != planish_ir::ops::Effect::Pure {
                if inst.out.1 > 0 {
                    self.write_lane(inst, 0, lane, 0);
                }
                continue;
            }
            let result = match inst.op {
                Op::RefFunc => Ok(words[0] + 1),
                Op::RefIsNull => Ok((words[0] == 0).into()),
                Op::MemoryLoad => self.memory_load(inst, words[0]),
                Op::MemoryStore => self.memory_store(inst.imm.as_mem_arg(), words[0], words[1]),
                _ => self.bulk(inst.op, inst.imm, words),
            };
            match result {
                Ok(word) if inst.out.1 > 0 => self.write_lane(inst, 0, lane, word),
                Ok(_) => {}
                Err(kind) => self.lane_trap(kind, lane)?,
            }
        }
        Ok(())
    }

    fn memory_load(&self, inst: &Inst, address: u64) -> Result<u64, TrapKind> {
        let arg = inst.imm.as_mem_arg();
        let memory = &self.bytes.memories[arg.memory.index()];
        let start = u64::from(address as u32) + u64::from(arg.offset);
        let at = range(start, arg.width.bytes().into(), memory.len()).ok_or(TrapKind::OutOfBoundsMemory)?;
        let mut bytes = [0; 8];
        bytes[..at.len()].copy_from_slice(&memory[at]);
        let bits = u64::from_le_bytes(bytes);
        let wide = match (arg.width, arg.signed) {
            (Width::B8, true) => bits as u8 as i8 as i64 as u64,
            (Width::B16, true) => bits as u16 as i16 as i64 as u64,
            (Width::B32, true) => bits as u32 as i32 as i64 as u64,
            _ => bits,
        };
        let scalar = match self.program.module.types[inst.ty] {
            TypeKind::Scalar(s) => s,
            _ => Scalar::I64,
        };
        Ok(if scalar.is_integer() { convert(wide, Scalar::I64, scalar) } else { wide })
    }

    fn memory_store(&mut self, arg: MemArg, address: u64, value: u64) -> Result<u64, TrapKind> {
        let memory = &mut self.bytes.memories[arg.memory.index()];
        let start = u64::from(address as u32) + u64::from(arg.offset);
        let at = range(start, arg.width.bytes().into(), memory.len()).ok_or(TrapKind::OutOfBoundsMemory)?;
        let len = at.len();
        memory[at].copy_from_slice(&value.to_le_bytes()[..len]);
        Ok(0)
    }

    /// Sizes, growth, and ops on ranges. Each checks all ranges before it writes.
    fn bulk(&mut self, op: Op, imm: Imm, [a, b, c]: [u64; 3]) -> Result<u64, TrapKind> {
        let module = self.program.module;
        let (low, high) = (imm.as_pair().0 as usize, imm.as_pair().1 as usize);
        let (a32, b32, c32) = (u64::from(a as u32), u64::from(b as u32), u64::from(c as u32));
        let world = &mut self.bytes;
        let (memory_trap, table_trap) = (TrapKind::OutOfBoundsMemory, TrapKind::OutOfBoundsTable);
        match op {
            Op::MemorySize => return Ok((world.memories[low].len() / PAGE) as u64),
            Op::MemoryGrow => {
                let old = world.memories[low].len() / PAGE;
                let most = module.memories.values().nth(low).and_then(|m| m.max_pages).unwrap_or(65536).min(65536);
                let new = old as u64 + a32;
                if new > most.into() || new as usize * PAGE / 8 > self.limits.words {
                    return Ok(0xffff_ffff);
                }
                world.memories[low].resize(new as usize * PAGE, 0);
                return Ok(old as u64);
            }
            Op::MemoryFill => {
                let memory = &mut world.memories[low];
                let at = range(a32, c32, memory.len()).ok_or(memory_trap)?;
                memory[at].fill(b as u8);
            }
            Op::MemoryCopy => {
                let to = range(a32, c32, world.memories[low].len()).ok_or(memory_trap)?;
                let from = range(b32, c32, world.memories[high].len()).ok_or(memory_trap)?;
                if low == high {
                    world.memories[low].copy_within(from, to.start);
                } else {
                    let bytes = world.memories[high][from].to_vec();
                    world.memories[low][to].copy_from_slice(&bytes);
                }
            }
            Op::MemoryInit => {
                let dropped = world.data_dropped[high];
                let bytes: &[u8] = if dropped { &[] } else { &module.data.values().as_slice()[high].bytes };
                let from = range(b32, c32, bytes.len()).ok_or(memory_trap)?;
                let to = range(a32, c32, world.memories[low].len()).ok_or(memory_trap)?;
                world.memories[low][to].copy_from_slice(&bytes[from]);
            }
            Op::DataDrop => world.data_dropped[low] = true,
            Op::TableGet => return world.tables[low].get(a32 as usize).copied().ok_or(table_trap),
            Op::TableSet => *world.tables[low].get_mut(a32 as usize).ok_or(table_trap)? = b,
            Op::TableSize => return Ok(world.tables[low].len() as u64),
            Op::TableGrow => {
                let old = world.tables[low].len() as u64;
                let most = module.tables.values().nth(low).and_then(|t| t.max).unwrap_or(u32::MAX);
                if old + b32 > most.into() || (old + b32) as usize > self.limits.words {
                    return Ok(0xffff_ffff);
                }
                world.tables[low].resize((old + b32) as usize, a);
                return Ok(old);
            }
            Op::TableFill => {
                let at = range(a32, c32, world.tables[low].len()).ok_or(table_trap)?;
                world.tables[low][at].fill(b);
            }
            Op::TableCopy => {
                let to = range(a32, c32, world.tables[low].len()).ok_or(table_trap)?;
                let from = range(b32, c32, world.tables[high].len()).ok_or(table_trap)?;
                let items = world.tables[high][from].to_vec();
                world.tables[low][to].copy_from_slice(&items);
            }
            Op::TableInit => {
                let dropped = world.elem_dropped[high];
                let items = if dropped { &[][..] } else { &module.elems.values().as_slice()[high].items };
                let from = range(b32, c32, items.len()).ok_or(table_trap)?;
                let to = range(a32, c32, world.tables[low].len()).ok_or(table_trap)?;
                for (slot, item) in world.tables[low][to].iter_mut().zip(&items[from]) {
                    *slot = reference(*item);
                }
            }
            Op::ElemDrop => world.elem_dropped[low] = true,
            _ => {}
        }
        Ok(0)
    }
}
