//! WebAssembly into the IR: binary and text, version 2.0 with tail calls, extended constant expressions and several memories.
//!
//! ```
//! use planish_front_wasm::{Options, translate};
//! use planish_ir::source::SourceMap;
//!
//! let text = r#"(module
//!     (func (export "double") (param i32) (result i32)
//!         local.get 0
//!         local.get 0
//!         i32.add))"#;
//! let file = SourceMap::new().add("double.wat", text).expect("small");
//! let (module, _) = translate(&file, text.as_bytes(), &Options::default()).expect("valid");
//! assert!(planish_ir::text::print(&module).contains("%1 = add %0, %0"));
//! ```
//!
//! [`translate`] takes a whole module at once, on several threads; [`Parsed`] reads its sections, and then translates
//! single functions on demand. Validity is defined by `wasmparser`, which checks each part before it is used.
//!
//! Stages of a function: [`scan`] decodes it and drops unreachable code, [`liveness`] finds the local variables that
//! need merging, and [`function`] builds blocks in one pass.

#![forbid(unsafe_code)]

mod environment;
mod function;
mod initial;
mod liveness;
mod names;
mod parallel;
mod parsed;
mod places;
mod report;
mod scan;
mod sections;
mod text;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::source::SourceFile;

pub use parsed::Parsed;

/// Options of reading a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Threads to translate functions on; 0: as many as there are cores. Does not affect the result.
    pub threads: usize,
    /// Whether [`Parsed::new`] leaves the bodies of functions unchecked, so that an invalid one is found when it is
    /// translated. The WebAssembly specification requires all of a module to be valid before any of it runs.
    pub check_lazily: bool,
    /// Whether only version 2.0 is accepted, without the later proposals that Planish supports.
    pub only_version_2: bool,
}

/// A module with its warnings, or the errors.
pub type ReadResult = Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Translates a whole module. `bytes` are the contents of `file`: a binary, whose places are then named by its
/// functions, or a text.
///
/// # Errors
/// Errors in the module, and constructs that the IR does not support. If the sections are valid, errors of several
/// functions are reported.
pub fn translate(file: &SourceFile, bytes: &[u8], options: &Options) -> ReadResult {
    let options = Options { check_lazily: true, ..*options };
    Ok((Parsed::new(file, bytes, &options)?.into_module()?, vec![]))
}
