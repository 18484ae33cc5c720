//! VL into the IR: a small functional language for numeric code, whose closures, pairs and derivatives are gone when it runs.
//!
//! ```
//! use planish_front_vl::{World, interpret};
//! use planish_ir::source::SourceMap;
//!
//! struct Nothing;
//! impl World for Nothing {
//!     fn read_real(&mut self) -> Option<f64> { None }
//!     fn write_real(&mut self, _: f64) {}
//! }
//! let mut map = SourceMap::new();
//! let file = map.add("a.vl", "(define ((add x) y) (+ x y)) (list ((add 1) 2) #t)").expect("small");
//! assert_eq!(interpret(&file, &mut map, None, &mut Nothing, 1000).expect("valid"), "(3 #t)");
//! ```
//!
//! [`reader`] makes data of text, [`expand`] terms of data, [`resolve`] core of terms. [`interpret`] runs core as it is.

#![forbid(unsafe_code)]

mod core;
mod datum;
mod expand;
mod interpret;
mod primitive;
mod reader;
mod resolve;
mod show;
mod terms;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{IncludeResolver, SourceFile, SourceMap};

pub use interpret::World;

/// The standard library.
const LIBRARY: &str = concat!(
    include_str!("../library/standard.vl"),
    include_str!("../library/lists.vl"),
    include_str!("../library/complex.vl"),
    include_str!("../library/derivatives.vl"),
    include_str!("../library/numeric.vl"),
);

/// Reads a program as far as core; nothing if it has errors, which go to `diagnostics`.
fn read(
    file: &SourceFile,
    map: &mut SourceMap,
    includes: Option<&mut dyn IncludeResolver>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<core::Core> {
    let library = map.add("standard library", LIBRARY).ok()?;
    let library_data = reader::read(&library, diagnostics);
    let data = reader::read(file, diagnostics);
    // Only a reference that is made anew may live as shortly as the others.
    let includes = includes.map(|includes| includes as &mut dyn IncludeResolver);
    let source = expand::expand(&library_data, &data, file.span(), map, includes, diagnostics);
    let core = resolve::resolve(&source, library.span(), diagnostics);
    (!diagnostics.iter().any(Diagnostic::is_error)).then_some(core)
}

/// Runs a program by the direct interpreter, and writes its value as text; for tests, since what is compiled must agree.
///
/// # Errors
/// What is wrong with the program, or why it ended without a value: after more than `fuel` steps, say.
pub fn interpret(
    file: &SourceFile,
    map: &mut SourceMap,
    includes: Option<&mut dyn IncludeResolver>,
    world: &mut dyn World,
    fuel: u64,
) -> Result<String, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let Some(core) = read(file, map, includes, &mut diagnostics) else { return Err(diagnostics) };
    match interpret::run(&core, world, fuel) {
        Ok(value) => Ok(value.to_string()),
        Err(stop) => Err(vec![Diagnostic::error(Code::E0814, stop.span, stop.message)]),
    }
}
