//! From the IR to WebAssembly, binary.
//!
//! [`write()`] takes a module in the placed form. Blocks become structured code, block inputs what a block leaves on
//! the stack or the local variables of a loop, and values that are read once are evaluated on the stack where they are
//! read. What WebAssembly cannot hold is an error that names it and its place in the source. `docs/targets/wasm.md`
//! lists the output for each construct.
//!
//! # Example
//! ```
//! use planish_back_wasm::{Options, write};
//!
//! let module = planish_ir::text::parse_str(
//!     "module wasm
//! fn @square(%0: i32) -> (i32) {
//! b0:
//!   %1 = multiply %0, %0
//!   return %1
//! }
//! export @square \"square\"
//! ",
//! )
//! .unwrap();
//! let output = write(&module, &Options { names: false }).unwrap();
//! assert_eq!(&output.bytes[..4], b"\0asm");
//! // local.get 0, local.get 0, i32.mul, end
//! assert!(output.bytes.ends_with(&[0x20, 0, 0x20, 0, 0x6c, 0x0b]));
//! ```

#![forbid(unsafe_code)]

mod code;
mod constant;
mod control;
mod function;
mod indices;
mod labels;
mod locals;
pub mod math;
mod module;
mod names;
mod ops;
mod select;
mod share;
mod simd;
mod types;

pub use ops::info;

use planish_ir::custom;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;

/// Options of [`write()`].
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether functions, local variables, tables, memories and globals have their names, in a custom section.
    pub names: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { names: true }
    }
}

/// Result of [`write()`].
#[derive(Clone, Debug)]
pub struct Output {
    /// The module.
    pub bytes: Vec<u8>,
    /// The names of the functions that it imports from [`math::MODULE`].
    pub math: Vec<&'static str>,
}

/// Writes a module whose functions are placed. Time is linear in its size, but for the numbering of local variables, which
/// sorts.
///
/// # Errors
/// Constructs that WebAssembly cannot hold (`E06xx`), each with its place.
pub fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    custom::check(module)?;
    planish_target::scalars::refuse_small(module, "WebAssembly")?;
    module::write(module, options)
}
