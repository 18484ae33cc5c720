//! Machine code on vectors of 256 bits, for x86-64 with AVX2. Cranelift has none.
//!
//! ```text
//!  CLIF ─► pairs: two operations on 128 bits become one ─► schedule ─► virtual registers ─► regalloc2 ─► bytes
//! ```
//!
//! Functions over several invocations ([`planish_machine::code`]) have each operation on lanes once for every 128 bits. Two of them that
//! work on both halves of 256 bits are one instruction here ([`pairs`]); what has no such instruction (lanes that are gathered one by one,
//! arguments of calls) stays as it is, and halves are taken apart and put together around it. So nothing above knows of the width, and the bits
//! are the same. The interface to other code is Cranelift's: calling conventions, the memory of [`crate::abi`], traps.
//!
//! A module with an instruction that is missing here is left to Cranelift as a whole ([`lower::Missing`] says which one): functions are lowered before code
//! is generated for any of them.

mod blocks;
mod calls;
mod emit;
mod encode;
mod flags;
mod lower;
mod memory;
mod ops;
mod pairs;
mod scalar;
mod schedule;
mod shuffle;
mod values;
mod vcode;
mod vector;

use regalloc2::{Algorithm, RegallocOptions};

pub(crate) use calls::{Directs, directs};
pub(crate) use lower::{Lowered, lower};

use crate::link::Made;

/// Generates the code of a function.
///
/// # Errors
/// If registers cannot be allocated: the reason.
pub(crate) fn generate(lowered: &Lowered) -> Result<Made, String> {
    let options =
        RegallocOptions { verbose_log: false, validate_ssa: cfg!(debug_assertions), algorithm: Algorithm::Ion };
    let environment = emit::environment(lowered.convention);
    let output = regalloc2::run(&lowered.code, &environment, &options).map_err(|error| format!("{error:?}"))?;
    Ok(emit::emit(lowered, &output))
}
