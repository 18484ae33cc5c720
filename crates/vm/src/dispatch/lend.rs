//! Memories whose bytes are the host's for a while.
//!
//! # Soundness
//!
//! - The bytes are borrowed until [`with_lent`] ends, which takes them back also if `work` panics. Code holds an address of them only while it
//!   runs, or reads it again when it goes on: no code of the store runs when `work` has ended.
//! - Only a memory that can never have a page of its own is lent to, so machine code compares every access with its size, which it
//!   reads after it was entered (`planish_back_native::memory`). Code that was compiled for another kind of memory and got this one as its
//!   import ([`Uses::relies`]) prevents that.
//! - Bytes that are lent for reading are lent to memories only that no code writes to ([`Uses::writes`]), and the host gets no
//!   mutable reference to them ([`MemoryData::bytes_mut`]).

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use planish_ir::entity::Memory;
use planish_ir::module::{MemoryData, Module};
use planish_ir::ops::{Effect, Op};
use smallvec::SmallVec;

use super::storage::{Bytes, Lent, Uses};
use super::world::World;
use crate::error::Error;

/// The largest memory: addresses have 32 bits.
const MAX_BYTES: usize = if usize::BITS > 32 { 1 << 32 } else { isize::MAX as usize };

/// Uses that a module makes of its memories, in their order; of those that nothing can be lent to, nothing is known.
pub(crate) fn uses(module: &Module) -> Vec<Uses> {
    let declared = |data: &MemoryData| Uses { writes: false, relies: data.max_pages != Some(0) };
    let mut uses: Vec<Uses> = module.memories.values().map(declared).collect();
    if uses.iter().all(|uses| uses.relies) {
        return uses;
    }
    let mut note = |memory: Memory| {
        if let Some(uses) = uses.get_mut(planish_ir::arena::Id::index(memory)) {
            uses.writes = true;
        }
    };
    let imported = |func| module.func_imports.iter().any(|(import, _)| *import == func);
    for (func, function) in module.funcs.iter() {
        match &function.body {
            None if imported(func) => {}
            None => module.memories.keys().for_each(&mut note),
            Some(body) => {
                for (_, node) in body.nodes() {
                    match node.op.info().effect {
                        Effect::MemoryStore => note(node.imm.as_mem_arg().memory),
                        // The memory that is written to stands in the lower half; growing writes nothing.
                        Effect::MemoryModify if node.op != Op::MemoryGrow => {
                            note(Memory::from_u32(node.imm.as_pair().0))
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    uses
}

/// Memories, and what each is lent.
pub(crate) type Loans<'a> = SmallVec<[(u32, Lent<'a>); 8]>;

/// Does `work` while memories have bytes of the host.
///
/// # Errors
/// If a memory has pages of its own, is lent to already, or may be written to and its bytes may not; and bytes beyond 4 GiB.
pub(crate) fn with_lent<C, R>(
    owner: &mut C,
    world: impl Fn(&mut C) -> &mut World,
    lent: Loans<'_>,
    work: impl FnOnce(&mut C) -> R,
) -> Result<R, Error> {
    let mut own: SmallVec<[(u32, Bytes); 8]> = SmallVec::new();
    let mut refused = None;
    for (index, bytes) in lent {
        let memory = world(owner).memory_mut(index);
        let size = match &bytes {
            Lent::ToRead(bytes) => bytes.len(),
            Lent::ToWrite(bytes) => bytes.len(),
        };
        refused = if memory.max != Some(0) || memory.uses.relies {
            Some("a memory that may have pages of its own cannot be lent bytes")
        } else if memory.is_lent() {
            Some("this memory is lent bytes already")
        } else if memory.uses.writes && matches!(bytes, Lent::ToRead(_)) {
            Some("bytes that are lent for reading cannot be those of a memory that code writes to")
        } else if size > MAX_BYTES {
            Some("a memory has at most 4 GiB")
        } else {
            None
        };
        if refused.is_some() {
            break;
        }
        // SAFETY: see the module's documentation.
        own.push((index, unsafe { memory.lend(bytes) }));
    }
    let result = match refused {
        Some(why) => Ok(Err(Error::Type(why.into()))),
        None => catch_unwind(AssertUnwindSafe(|| work(owner))).map(Ok),
    };
    for (index, bytes) in own {
        world(owner).memory_mut(index).take_back(bytes);
    }
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
