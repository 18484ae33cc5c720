//! From the IR to JavaScript: asm.js, ES modules, and declarations of these for TypeScript.
//!
//! [`write_asm`] and [`write_module`] take a module in the placed form whose values are numbers; vectors and shaders
//! are lowered to numbers first (`planish_opt::lower_to_scalars`, for which [`info`] reports the operations of the target).
//! `docs/targets/javascript.md` lists the output for each construct.
//!
//! # Example
//! ```
//! use planish_back_js::{Options, write_asm, write_module};
//!
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
//! let output = write_module(&module, &Options::default()).unwrap();
//! assert_eq!(output.text, "export function square(x) {\n  return x * x;\n}\n");
//! assert_eq!(output.declarations, "export function square(x: number): number;\n");
//! let output = write_asm(&module, &Options::default()).unwrap();
//! assert!(output.text.contains("    x = +x;\n    return +(x * x);"));
//! ```

#![forbid(unsafe_code)]

mod calls;
mod control;
mod declarations;
mod function;
mod helpers;
mod items;
mod memory;
mod module;
mod names;
mod number;
mod ops;
mod shapes;
mod slices;
mod state;
mod tables;
mod text;

pub use ops::info;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;

/// Dialect of JavaScript.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dialect {
    Asm,
    Module,
}

/// Options of the back end.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the function that contains the asm.js module.
    pub name: String,
    /// Parameters that are typed arrays of the host (modules only).
    pub slices: Vec<SliceParam>,
}

impl Default for Options {
    fn default() -> Self {
        Options { name: "program".to_owned(), slices: Vec::new() }
    }
}

/// Result of the back end.
#[derive(Clone, Debug)]
pub struct Output {
    /// The program.
    pub text: String,
    /// The types of its exports, for TypeScript (modules only).
    pub declarations: String,
}

/// Writes a module whose functions are placed as asm.js. Time is linear in its size.
///
/// # Errors
/// Constructs that asm.js cannot hold (`E06xx`), each with its place.
pub fn write_asm(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    planish_target::scalars::refuse_small(module, "JavaScript")?;
    module::write(module, Dialect::Asm, options)
}

/// Writes a module whose functions are placed as an ES module. Time is linear in its size. An export with a signature takes and returns objects
/// and arrays; no function of the module may call it (`planish_opt::build_records::separate`).
///
/// # Errors
/// Constructs that JavaScript cannot hold (`E06xx`), each with its place.
pub fn write_module(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    planish_target::scalars::refuse_small(module, "JavaScript")?;
    module::write(module, Dialect::Module, options)
}
