//! Machine code of the processor, by Cranelift.
//!
//! ```text
//!  placed functions ─► machine::Lowering ─► Builder ─► CLIF ─► Cranelift ─► Unit: bytes, positions, stops
//!                      list of nodes        block inputs are
//!                                           block parameters
//! ```
//!
//! The list of nodes is that of all register machines ([`planish_machine::code`]): composites have fallen apart, labels
//! have inputs. Code reaches all else through a [`abi::Context`]: memories, tables, variables, the functions of other
//! instances and of the host. It contains no address, so that a [`Unit`] may be stored and loaded elsewhere.
//!
//! This crate makes bytes; it runs none, and has no unsafe code. Who runs them keeps the promises of [`abi`].

#![forbid(unsafe_code)]

pub mod abi;
mod adapters;
mod avx;
mod body;
mod cache;
mod calls;
mod checkpoints;
mod compile;
mod context;
mod faults;
mod host;
mod link;
mod loops;
mod masks;
mod memory;
mod numbers;
pub(crate) mod object;
mod ops;
mod rest;
mod simd;
mod slices;
mod slots;
mod words;

pub use adapters::{Adapters, FAILED, OVERFLOW};
pub use cache::Cache;
pub use compile::{Compiler, Options, Vectors};
pub use host::{Host, host, native_triple, target};
pub use link::{Fault, Position, Unit};
pub use object::{Object, ObjectOptions, write_object};
pub use planish_back_header::shaders::{FieldKind, ShaderEntry, ShaderField, ShaderGroup, ShaderNumbers, Shaders};

use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_machine::isa::Kind;

/// Why and where code may stop: the source of a number that it hands to [`abi::Runtime::stop`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Why.
    pub reason: Reason,
    /// Its place in the source.
    pub span: Span,
}

/// Why code stops.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// A trap.
    Trap(TrapKind),
    /// No fuel is left.
    OutOfFuel,
    /// The embedder has asked for it.
    Interrupted,
    /// An operation of the runtime or a function of the host has failed, which has noted why.
    Noted,
}

/// An operation that code leaves to the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// The op.
    pub op: Op,
    /// Its immediate.
    pub imm: Imm,
    /// Kind of the operands, as in [`planish_machine::isa::Operation`].
    pub operand: Kind,
    /// Kind of the first result.
    pub result: Kind,
    /// Number of operands.
    pub args: u32,
    /// Number of results.
    pub results: u32,
}

impl Operation {
    /// The number of operands with which the runtime calls the definition of the op on scalars
    /// ([`planish_ir::meaning::kernel`]) by registers; `None` if its operands and results are in memory.
    pub fn by_registers(&self) -> Option<usize> {
        use planish_ir::meaning::Kernel;
        let kernel = planish_ir::meaning::kernel(self.op, self.operand.scalar()?)?;
        (self.results == 1).then_some(match kernel {
            Kernel::Unary(_) => 1,
            Kernel::Binary(_) => 2,
            Kernel::Ternary(_) => 3,
            Kernel::Quaternary(_) => return None,
        })
    }
}
