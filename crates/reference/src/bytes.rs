//! Byte-addressed memories, tables and references, as in WebAssembly. Every op checks all its ranges before it writes.

use std::ops::Range;
use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Memory, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::module::MemoryData;
use planish_ir::ops::{Imm, MemArg, Op, Width};
use planish_ir::types::TypeKind;

use crate::machine::Reference;
use crate::ops;
use crate::stop::Stop;
use crate::value::Value;

/// The range `start .. start + count`; `None` if it exceeds `size`.
pub(crate) fn range(start: u64, count: u64, size: usize) -> Option<Range<usize>> {
    (start + count <= size as u64).then(|| start as usize..(start + count) as usize)
}

fn bytes_at(start: u64, count: u64, memory: &[u8]) -> Result<Range<usize>, Stop> {
    range(start, count, memory.len()).ok_or(Stop::Trap(TrapKind::OutOfBoundsMemory))
}

fn items_at(start: u64, count: u64, table: &[Value]) -> Result<Range<usize>, Stop> {
    range(start, count, table.len()).ok_or(Stop::Trap(TrapKind::OutOfBoundsTable))
}

fn number(n: usize) -> Vec<Value> {
    vec![Value::I32(n as i32)]
}

const NOTHING: Vec<Value> = Vec::new();

impl Reference<'_> {
    /// Whether `more` words are within the limit.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        let bytes: usize = self.memories.iter().map(Vec::len).sum();
        let items: usize = self.tables.iter().map(Vec::len).sum();
        bytes / 8 + items + more <= self.limits.words
    }

    /// An op on memories, tables or references.
    pub(crate) fn machine_op(&mut self, op: Op, imm: Imm, args: &[Value], result: Type) -> Result<Vec<Value>, Stop> {
        // Addresses, indices and counts are unsigned.
        let n = |i: usize| args.get(i).map_or(0, ops::word);
        let (low, high) = (imm.as_pair().0 as usize, imm.as_pair().1 as usize);
        match op {
            Op::RefFunc => match args[0] {
                Value::Function(func) => return Ok(vec![Value::FuncRef(Some(func))]),
                _ => return Err(Stop::Malformed("a reference to a value that is not a function")),
            },
            Op::RefIsNull => {
                let is_null = matches!(args[0], Value::FuncRef(None) | Value::ExternRef(None));
                return Ok(vec![Value::I32(is_null.into())]);
            }
            Op::MemoryLoad => return Ok(vec![self.load_bytes(imm.as_mem_arg(), n(0), result)?]),
            Op::MemoryStore => self.store_bytes(imm.as_mem_arg(), n(0), &args[1])?,
            Op::MemorySize => return Ok(number(self.memories[low].len() / MemoryData::PAGE)),
            Op::MemoryGrow => return Ok(number(self.grow_memory(low, n(0)).unwrap_or(usize::MAX))),
            Op::MemoryFill => {
                let to = bytes_at(n(0), n(2), &self.memories[low])?;
                self.memories[low][to].fill(n(1) as u8);
            }
            Op::MemoryCopy => {
                let to = bytes_at(n(0), n(2), &self.memories[low])?;
                let from = bytes_at(n(1), n(2), &self.memories[high])?;
                let copied = self.memories[high][from].to_vec();
                self.memories[low][to].copy_from_slice(&copied);
            }
            Op::MemoryInit => {
                let from = bytes_at(n(1), n(2), &self.data[high])?;
                let to = bytes_at(n(0), n(2), &self.memories[low])?;
                self.memories[low][to].copy_from_slice(&self.data[high][from]);
            }
            Op::DataDrop => self.data[low] = Arc::new([]),
            Op::TableGet => {
                let at = items_at(n(0), 1, &self.tables[low])?;
                return Ok(self.tables[low][at].to_vec());
            }
            Op::TableSet => {
                let at = items_at(n(0), 1, &self.tables[low])?;
                self.tables[low][at].fill(args[1].clone());
            }
            Op::TableSize => return Ok(number(self.tables[low].len())),
            Op::TableGrow => return Ok(number(self.grow_table(low, n(1), &args[0]).unwrap_or(usize::MAX))),
            Op::TableFill => {
                let at = items_at(n(0), n(2), &self.tables[low])?;
                self.tables[low][at].fill(args[1].clone());
            }
            Op::TableCopy => {
                let to = items_at(n(0), n(2), &self.tables[low])?;
                let from = items_at(n(1), n(2), &self.tables[high])?;
                let copied = self.tables[high][from].to_vec();
                self.tables[low][to].clone_from_slice(&copied);
            }
            Op::TableInit => {
                let from = items_at(n(1), n(2), &self.elems[high])?;
                let to = items_at(n(0), n(2), &self.tables[low])?;
                self.tables[low][to].clone_from_slice(&self.elems[high][from]);
            }
            Op::ElemDrop => self.elems[low].clear(),
            _ => return Err(Stop::Unsupported(op)),
        }
        Ok(NOTHING)
    }

    fn load_bytes(&self, arg: MemArg, address: u64, result: Type) -> Result<Value, Stop> {
        let memory = &self.memories[arg.memory.index()];
        let at = bytes_at(address + u64::from(arg.offset), arg.width.bytes().into(), memory)?;
        // Little endian: the last byte is the highest.
        let bits = memory[at].iter().rev().fold(0u128, |bits, &byte| bits << 8 | u128::from(byte));
        let extended = match arg.width {
            Width::B8 if arg.signed => bits as i8 as u64,
            Width::B16 if arg.signed => bits as i16 as u64,
            Width::B32 if arg.signed => bits as i32 as u64,
            _ => bits as u64,
        };
        match self.module.types[result] {
            TypeKind::V128 => Ok(Value::V128(bits)),
            TypeKind::Scalar(scalar) => Ok(Value::scalar(scalar, extended)),
            _ => Err(Stop::Malformed("memory holds numbers only")),
        }
    }

    fn store_bytes(&mut self, arg: MemArg, address: u64, value: &Value) -> Result<(), Stop> {
        let bits = if let Value::V128(bits) = *value { bits } else { ops::word(value).into() };
        let memory = &mut self.memories[arg.memory.index()];
        let at = bytes_at(address + u64::from(arg.offset), arg.width.bytes().into(), memory)?;
        for (i, byte) in memory[at].iter_mut().enumerate() {
            *byte = (bits >> (8 * i)) as u8;
        }
        Ok(())
    }

    /// Grows a memory by pages. Returns the previous number of pages; `None` if the limit is exceeded.
    fn grow_memory(&mut self, memory: usize, more: u64) -> Option<usize> {
        let old = self.memories[memory].len() / MemoryData::PAGE;
        let max = self.module.memories[Memory::new(memory)].max_pages.unwrap_or(u32::MAX).min(MemoryData::MAX_PAGES);
        let new = old + more as usize;
        if new > max as usize || !self.has_room(more as usize * MemoryData::PAGE / 8) {
            return None;
        }
        self.memories[memory].resize(new * MemoryData::PAGE, 0);
        Some(old)
    }

    /// Grows a table by elements. Returns the previous number of elements; `None` if the limit is exceeded.
    fn grow_table(&mut self, table: usize, more: u64, item: &Value) -> Option<usize> {
        let old = self.tables[table].len();
        let max = self.module.tables[Table::new(table)].max.unwrap_or(u32::MAX);
        let new = old + more as usize;
        if new > max as usize || !self.has_room(more as usize) {
            return None;
        }
        self.tables[table].resize(new, item.clone());
        Some(old)
    }
}
