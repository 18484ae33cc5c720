//! Instances of modules in the view of code: addresses of their variables, memories, tables and functions.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::function::TrapKind;
use planish_ir::meaning::{self, Fault};
use planish_ir::ops::{Class, MemArg, Op, Width};
use planish_ir::source::Span;
use smallvec::SmallVec;

use super::Stop;
use super::owned::Owned;
use super::storage::{MemoryData, TableData};
use crate::code::{FuncCode, Rare};
use crate::error::Error;
use crate::module::ModuleInner;

/// The target of a function reference.
#[repr(C)]
pub(crate) struct Entry {
    /// As machine code sees it. It is first: a pointer to it is one to the entry.
    #[cfg(planish_native)]
    pub(crate) callee: planish_back_native::abi::Callee,
    /// Enters its machine code; null before the first call from outside.
    #[cfg(planish_native)]
    pub(crate) enter: *const std::ffi::c_void,
    /// Its code; the host's have none.
    pub(crate) code: *const FuncCode,
    /// The instance it belongs to; null for functions of the host.
    pub(crate) instance: *mut InstanceData,
    /// The number of its type in the engine.
    pub(crate) ty: u32,
    /// Number of the host function.
    pub(crate) host: u32,
    /// Words of its arguments and of its results.
    pub(crate) words: (u32, u32),
}

impl Entry {
    /// Whether it is a function of the host.
    #[inline(always)]
    pub(crate) fn is_host(&self) -> bool {
        self.code.is_null()
    }

    /// Words that a function of the host needs.
    pub(crate) fn host_words(&self) -> usize {
        self.words.0.max(self.words.1) as usize
    }
}

/// The encoder has emitted an op that has no meaning on words of registers: an internal error, see
/// `works_on_registers`.
#[cold]
pub(super) fn no_meaning(op: Op) -> Stop {
    debug_assert!(false, "`{}` has no meaning on registers", op.text());
    Stop::Error(Error::unsupported(Span::NONE, format!("the machine has no `{}`", op.text())))
}

/// An instance of a module.
pub(crate) struct InstanceData {
    /// Its number in the world.
    pub(crate) index: u32,
    pub(crate) module: Arc<ModuleInner>,
    /// The words of its variables, imports too, in the order of the module's numbering.
    pub(crate) globals: Vec<*mut u64>,
    pub(super) memories: Vec<*mut MemoryData>,
    pub(super) tables: Vec<*mut TableData>,
    /// By function of the module.
    pub(super) entries: Vec<*mut Entry>,
    /// Those of the functions that it does not import.
    #[allow(dead_code)]
    pub(super) own: Owned<[Entry]>,
    pub(super) data_dropped: Vec<bool>,
    pub(super) elems: Vec<Vec<u64>>,
    /// The last token handed out.
    pub(super) tokens: u64,
    /// As machine code sees it.
    #[cfg(planish_native)]
    pub(super) native: Option<Box<super::native::NativeInstance>>,
    /// As the machine code of single loops sees it.
    #[cfg(planish_native)]
    pub(super) loops: Vec<super::native::NativeInstance>,
}

/// `start .. start + len`, if it lies within `size`.
pub(super) fn range(start: u64, len: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}

impl InstanceData {
    /// Bytes and size of memory 0.
    #[inline(always)]
    pub(crate) unsafe fn first_memory(&self) -> (*mut u8, usize) {
        match self.memories.first() {
            Some(&memory) => ((*memory).bytes.start(), (*memory).size),
            None => (std::ptr::null_mut(), 0),
        }
    }

    /// The first byte of memory 0, null if there is none.
    #[cfg(planish_native)]
    pub(super) fn first_memory_start(&self) -> *mut u8 {
        // SAFETY: memories are live.
        self.memories.first().map_or(std::ptr::null_mut(), |&memory| unsafe { (*memory).view.start })
    }

    /// An imported function.
    #[inline(always)]
    pub(crate) fn import(&self, func: u32) -> *mut Entry {
        self.entries[func as usize]
    }

    /// The function at an index of a table (low half of `which`) that must have a type (high half).
    #[inline(always)]
    pub(crate) unsafe fn callee(&self, which: u64, index: u32) -> Result<*mut Entry, TrapKind> {
        let table = &*self.tables[which as u32 as usize];
        let Some(&item) = table.items.get(index as usize) else { return Err(TrapKind::OutOfBoundsTable) };
        if item == 0 {
            return Err(TrapKind::UninitializedElement);
        }
        let entry: *mut Entry = std::ptr::with_exposed_provenance_mut(item as usize);
        if (*entry).ty != (which >> 32) as u32 {
            return Err(TrapKind::IndirectCallType);
        }
        Ok(entry)
    }

    /// Others have no access while code runs.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn memory(&self, index: u32) -> &mut MemoryData {
        let memory: *mut MemoryData = self.memories[index as usize];
        &mut *memory
    }

    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn table(&self, index: u32) -> &mut TableData {
        let table: *mut TableData = self.tables[index as usize];
        &mut *table
    }

    /// Does an op that has no handler of its own.
    pub(crate) unsafe fn rare(&mut self, rare: &Rare, args: &[u64], out: &mut SmallVec<[u64; 4]>) -> Result<(), Stop> {
        match rare.op {
            Op::MemoryLoad => self.load(rare.imm.as_mem_arg(), rare, args[0] as u32, out)?,
            Op::MemoryStore => self.store(rare.imm.as_mem_arg(), args)?,
            Op::Load | Op::Store => {
                let (var, component) = rare.imm.as_pair();
                let first = self.module.globals[planish_ir::entity::Var::from_u32(var)] + component;
                let is_indexed = rare.operands.len() > usize::from(rare.op == Op::Store);
                let (index, args) = match args.split_last() {
                    Some((&index, rest)) if is_indexed => (index as u32, rest),
                    _ => (0, args),
                };
                let first = first + index;
                if rare.op == Op::Load {
                    let words = rare.outs[0].1;
                    out.extend((first..first + words).map(|i| *self.globals[i as usize]));
                } else {
                    args.iter().enumerate().for_each(|(i, &word)| *self.globals[first as usize + i] = word);
                }
            }
            Op::Select => {
                let words = (args.len() - 1) / 2;
                out.extend_from_slice(&args[1..][if args[0] != 0 { 0 } else { words }..][..words]);
            }
            Op::RefFunc => {
                let entry = self.entries[rare.imm.as_pair().0 as usize];
                out.push(args.first().copied().unwrap_or_else(|| entry.expose_provenance() as u64));
            }
            Op::NewToken => {
                self.tokens += 1;
                out.push(self.tokens);
            }
            Op::TokenEqual => out.push((args[0] == args[1]).into()),
            Op::TokenLess => out.push((args[0] < args[1]).into()),
            op if op.info().class == Class::Machine => {
                let result = self.bulk(op, rare.imm.as_pair(), args)?;
                if !rare.outs.is_empty() {
                    out.push(result);
                }
            }
            _ => return self.value(rare, args, out),
        }
        Ok(())
    }

    /// An op on values, by its definition.
    fn value(&self, rare: &Rare, words: &[u64], out: &mut SmallVec<[u64; 4]>) -> Result<(), Stop> {
        let mut args = SmallVec::<[meaning::Operand<'_>; 4]>::new();
        let mut left = words;
        for operand in &rare.operands {
            let (bits, rest) = left.split_at(operand.words as usize);
            args.push(meaning::Operand { ty: operand.ty, bits });
            left = rest;
        }
        let mut results = Vec::new();
        match meaning::evaluate(&self.module.types, rare.op, rare.imm, &args, rare.result, &mut results) {
            Ok(()) => {
                out.extend(results);
                Ok(())
            }
            Err(Fault::Trap(kind)) => Err(Stop::Trap(kind)),
            Err(Fault::NoMeaning) => Err(no_meaning(rare.op)),
        }
    }

    unsafe fn load(
        &self,
        arg: MemArg,
        rare: &Rare,
        address: u32,
        out: &mut SmallVec<[u64; 4]>,
    ) -> Result<(), TrapKind> {
        let memory = self.memory(arg.memory.index() as u32);
        let bytes = arg.width.bytes();
        let at = range(u64::from(address) + u64::from(arg.offset), bytes.into(), memory.size)
            .ok_or(TrapKind::OutOfBoundsMemory)?;
        let mut word = [0u8; 16];
        word[..at.len()].copy_from_slice(&memory.bytes[at]);
        let bits = u128::from_le_bytes(word);
        if arg.width == Width::B128 {
            out.extend([bits as u64, (bits >> 64) as u64]);
            return Ok(());
        }
        let unused = 64 - 8 * bytes;
        let low = bits as u64;
        let extended = if arg.signed { ((low << unused) as i64 >> unused) as u64 } else { low };
        let narrow = self.module.types.scalar_of(rare.result).is_some_and(|s| s.bits() == 32);
        out.push(if narrow { extended & 0xffff_ffff } else { extended });
        Ok(())
    }

    unsafe fn store(&self, arg: MemArg, args: &[u64]) -> Result<(), TrapKind> {
        let memory = self.memory(arg.memory.index() as u32);
        let at = range(u64::from(args[0] as u32) + u64::from(arg.offset), arg.width.bytes().into(), memory.size)
            .ok_or(TrapKind::OutOfBoundsMemory)?;
        let bits = u128::from(args[1]) | u128::from(args.get(2).copied().unwrap_or(0)) << 64;
        let len = at.len();
        memory.bytes[at].copy_from_slice(&bits.to_le_bytes()[..len]);
        Ok(())
    }
}
