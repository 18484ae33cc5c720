//! Rust out: from the IR to safe Rust of edition 2024, one module, with nothing but `core`, and the crate `libm` where
//! elementary functions occur.
//!
//! [`write()`](fn@write) takes a module in the placed form whose values are numbers (`planish_opt::lower_to_scalars`, for which [`info`]
//! reports the operations of Rust), and the module before that, whose exported functions are the public ones.
//!
//! ```
//! let module = planish_ir::text::parse_str(
//!     "module ir
//! fn @square(%0 x: f64) -> (f64) {
//! b0:
//!   %1 = multiply %0, %0
//!   return %1
//! }
//! export @square \"square\"
//! ",
//! )
//! .unwrap();
//! let text = planish_back_rust::write(&module, &module, &[], &[]).unwrap();
//! assert!(text.ends_with("#[inline]\npub fn square(x: f64) -> f64 {\n    x * x\n}\n"));
//! ```
//!
//! Nothing in the output panics: integers wrap, divisions and conversions have a value for every operand, and what traps is
//! an `Err`.
#![forbid(unsafe_code)]

mod bits;
mod dialect;
mod exports;
mod flow;
mod helpers;
mod instance;
mod lints;
mod machine;
mod memories;
mod names;
mod number;
mod ops;
mod output;
mod polish;
mod slices;
mod state;
mod syntax;
mod writer;

pub use names::identifier;
pub use ops::info;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;

/// An entry point of a shader, which is a function of its uniforms and inputs by now (`planish_opt::call_stages`).
#[derive(Clone, Debug)]
pub struct Stage {
    /// Number of its first parameters that are uniforms; the others are inputs.
    pub uniforms: usize,
    /// Names of its results.
    pub outputs: Vec<String>,
}

/// Writes a module whose values are scalars as Rust. `source` is the module before it was lowered to scalars: its functions
/// have the same numbers, and the types that the public functions show. `slices` are parameters of `source` that are slices of the host. The entry points are `stages`, or
/// functions if there are none. Time is linear in their size.
///
/// # Errors
/// Constructs that Rust out cannot hold (`E06xx`), each with its place.
pub fn write(
    source: &Module,
    module: &Module,
    slices: &[SliceParam],
    stages: &[Stage],
) -> Result<String, Vec<Diagnostic>> {
    planish_target::scalars::refuse_small(module, "Rust")?;
    output::write(source, module, slices, stages)
}
