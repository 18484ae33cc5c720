//! The IR as linear code for a register machine: any instruction set that says what it can do ([`isa::Isa`]).
//!
//! ```text
//!  placed function ─► lower ─► liveness ─► allocate ─► linear ─► FunctionAsm<your directives>
//!                     nodes    who is      frame       copies, jumps,
//!                     in a     needed      registers   calls, operations
//!                     list     till when
//! ```
//!
//! The [`mod@reference`] instruction set is one that can be printed and run.

#![forbid(unsafe_code)]

mod allocate;
mod asm;
pub mod check;
mod code;
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
pub use compile::{Compiler, Room, compile};
pub use signature::{Signature, Signatures};
