//! The reference instruction set: 64-bit words, registers and immediates everywhere, comparisons fused with jumps.
//!
//! Its directives are data that can be printed, parsed, stored and executed. A virtual machine would encode them more
//! compactly; the interpreter in the tests of this crate defines the meaning of each directive.

pub mod binary;
mod directive;
mod emit;
pub mod parse;
pub mod text;

pub use directive::{Arg, Directive, Nested, Target};
pub use emit::Reference;
