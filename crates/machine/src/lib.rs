//! Translation of the IR to linear code for register machines: any instruction set that implements [`isa::Isa`].
//!
//! ```text
//!  placed function ─► lower ─► liveness ─► allocate ─► linear ─► FunctionAsm<your directives>
//!                     list of  needed      frame       copies, jumps,
//!                     nodes    values,     registers   calls, operations
//!                              intervals
//! ```
//!
//! The [`mod@reference`] instruction set can be printed and executed. A [`Lowering`] ends with the list of nodes
//! ([`code`]), from which a compiler with registers of its own goes on.

#![forbid(unsafe_code)]

mod allocate;
mod asm;
pub mod check;
pub mod code;
mod compile;
mod fuse;
pub mod isa;
mod linear;
mod liveness;
mod lower;
mod numbers;
pub mod reference;
pub mod report;
mod signature;

pub use asm::{FunctionAsm, Spans};
pub use compile::{Compiler, Lowering, Nodes, Scratch, compile};
pub use signature::{Signature, Signatures};
