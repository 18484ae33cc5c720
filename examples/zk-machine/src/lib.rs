//! An instruction set of one's own: a machine in the style of proof systems, and an interpreter for it.
//!
//! All registers are words of 32 bits in a frame. There is one conditional jump (if a word is not zero), no computed
//! jump, and no compare-and-jump; the return address and the caller's frame pointer are in the callee's frame. 64-bit
//! integers are two words, and every operation on them is expanded to steps on one word. There are no floats and no
//! vectors.
//!
//! [`Zk`] describes the machine to `planish-machine`; [`Program`] links functions and runs them. Read `isa.rs` first.

#![forbid(unsafe_code)]

mod interpreter;
mod isa;
mod step;
mod wide;

pub use interpreter::{Program, Stop};
pub use isa::Zk;
pub use step::{Alu, Callee, Step, Word};
