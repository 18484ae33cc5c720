//! The runtime of object files that Planish writes (`planish compile -o x.o`): elementary functions with the bits of the
//! evaluator, byte memories, tables, and a default for `planish_trap`. `docs/objects.md` lists its symbols.
//!
//! A C program links with the static library, a Rust program with this crate:
//!
//! ```
//! use planish_runtime as _;
//! ```
//!
//! The definitions are those of [`planish_ir::meaning`].

mod memory;
mod operate;
mod texture;
mod trap;

#[allow(unsafe_code)]
mod exports;

pub use exports::*;
pub use operate::Operation;
