//! An instruction set of one's own: a machine as proof systems like them, and an interpreter for it.
//!
//! Everything is a word of 32 bits in a frame. There is one conditional jump (if a word is not zero), no jump by a number, and no
//! comparison in a jump; the return address and the caller's frame pointer lie in the callee's frame. 64-bit integers are two
//! words, and every operation on them is spelled out in steps on one word. There are no floats and no vectors.
//!
//! [`Zk`] says this to `planish-machine`; [`Program`] links functions and runs them. Read `isa.rs` first.

#![forbid(unsafe_code)]

mod interpreter;
mod isa;
mod step;
mod wide;

pub use interpreter::{Program, Stop};
pub use isa::Zk;
pub use step::{Alu, Callee, Step, Word};
