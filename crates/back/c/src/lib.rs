//! C out: from the IR to portable C11, one file and its header, with nothing but the standard headers and `libm`.
//!
//! [`write()`](fn@write) takes a module in the placed form whose values are numbers and references (`planish_opt::lower_to_scalars`, for which
//! [`info`] reports the operations of C), and the module before that, whose functions the header declares. The interface is
//! that of object files (`docs/objects.md`), so a program may link either.
//!
//! ```
//! use planish_back_c::{Options, write};
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
//! let output = write(&module, &module, &Options::new("shape")).unwrap();
//! assert!(output.text.ends_with("double shape_square(double x) {\n    return x * x;\n}\n"));
//! assert!(output.header.contains("double shape_square(double x);"));
//! ```
//!
//! Nothing in the output is undefined: signed integers are added as unsigned ones, shift amounts are masked, conversions and
//! divisions whose operands are not known to be in range are functions of the prelude, memory is read byte by byte, and every
//! variable has a first value.
#![forbid(unsafe_code)]

mod adapters;
mod dialect;
mod helpers;
mod instance;
mod lanes;
mod machine;
mod names;
mod number;
mod ops;
mod output;
mod polish;
mod seen;
mod shaders;
mod state;
mod syntax;
mod vectors;
mod writer;

pub use ops::info;

pub use planish_back_header::{Fields, Shaders, StageFunction};
use planish_back_header::{Interface, Layout};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::source::Span;

/// Options of the back end.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The first part of all names that the program defines, followed by `_`; may be empty.
    pub prefix: &'a str,
    /// The name of the header, which the program includes.
    pub header: &'a str,
    /// Line and column of a place in the source, for traps; in a binary file 0 and the offset.
    pub place: &'a dyn Fn(Span) -> (u32, u32),
    /// Slices that C passes to functions; if there are any, they are all the memories.
    pub slices: &'a [SliceParam],
    /// Shaders over batches of invocations, which the module has as functions on memories.
    pub shaders: Option<&'a Shaders>,
    /// For each entry point of a stage, in the order of the interface, the function that takes the uniforms and inputs, and gives the
    /// outputs.
    pub stages: &'a [Func],
}

impl<'a> Options<'a> {
    /// A prefix, the header `program.h`, and no places.
    pub fn new(prefix: &'a str) -> Self {
        Options { prefix, header: "program.h", place: &|_| (0, 0), slices: &[], shaders: None, stages: &[] }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("prefix", &self.prefix).field("header", &self.header).finish_non_exhaustive()
    }
}

/// Result of the back end.
#[derive(Clone, Debug)]
pub struct Output {
    /// The program.
    pub text: String,
    /// Its interface.
    pub header: String,
    /// Warnings: exports that C cannot call.
    pub warnings: Vec<Diagnostic>,
}

/// Writes a module whose values are scalars as C. `source` is the module before it was lowered to scalars: its functions have
/// the same numbers, and the types that the header declares. Time is linear in their size.
///
/// # Errors
/// Constructs that C cannot hold (`E06xx`), each with its place.
pub fn write(source: &Module, module: &Module, options: &Options<'_>) -> Result<Output, Vec<Diagnostic>> {
    planish_target::scalars::refuse_small(module, "C")?;
    output::write(source, module, options)
}

/// The entry points of shaders for one invocation that the header of a module declares.
///
/// # Errors
/// E0604 for variables of types that C lacks, each with its place.
pub fn stages_of(module: &Module, prefix: &str) -> Result<Vec<StageFunction>, Vec<Diagnostic>> {
    let layout = Layout::new(module).map_err(|error| vec![*error])?;
    let interface = Interface::new(module, &layout, prefix, &Shaders::default(), &[])?;
    Ok(interface.stages)
}
