//! The reference instruction set: 64-bit words, registers and immediates everywhere, comparisons fused with jumps.
//!
//! Its directives are data that can be printed, read back, stored and run. A virtual machine turns them into a compact code
//! of its own; an example of that, and the meaning of each directive, is the interpreter of this crate's tests.

pub mod binary;
mod directive;
mod emit;
pub mod parse;
pub mod text;

pub use directive::{Arg, Directive, Nested, Target};
pub use emit::Reference;
