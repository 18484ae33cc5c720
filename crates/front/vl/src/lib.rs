//! VL into the IR: a small functional language for numeric code, whose closures, pairs and derivatives are eliminated
//! at compile time.
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
//! [`reader`] parses text to data, [`expand`] data to terms, [`resolve`] terms to core. [`interpret`] runs core
//! directly.

#![forbid(unsafe_code)]

mod analyze;
mod core;
mod datum;
mod expand;
mod generate;
mod interpret;
mod primitive;
mod reader;
mod resolve;
mod show;
mod terms;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{IncludeResolver, SourceFile, SourceMap, Span};

pub use generate::{Answer, Output, Program};
pub use interpret::World;

/// The kind of a text, for interactive input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Spaces and comments.
    Empty,
    /// Something is still open.
    Incomplete,
    /// Definitions and includes: the names that they define.
    Definitions(Vec<String>),
    /// An expression, perhaps with definitions before it; or something with errors.
    Expression,
}

/// Says what a text is.
pub fn piece(text: &str) -> Piece {
    let Ok(file) = SourceMap::new().add("text", text) else { return Piece::Expression };
    let mut diagnostics = Vec::new();
    let data = reader::read(&file, &mut diagnostics);
    if diagnostics.last().is_some_and(|last| last.code == Code::E0801 && last.message.ends_with("is not closed")) {
        return Piece::Incomplete;
    }
    if data.is_empty() && diagnostics.is_empty() {
        return Piece::Empty;
    }
    let is_definition = |datum: &datum::Datum| datum.form("define").is_some() || datum.form("include").is_some();
    if !diagnostics.is_empty() || !data.iter().all(is_definition) {
        return Piece::Expression;
    }
    let names = data.iter().filter_map(|datum| expand::defined(datum.form("define")?.first()?)?.symbol());
    Piece::Definitions(names.map(|name| name.to_string()).collect())
}

/// A real as VL writes it, from the bits of an `f64`: the shortest text that reads back.
pub fn show_real(bits: u64) -> String {
    show::real(bits)
}

/// The real that a text means.
pub fn parse_real(text: &str) -> Option<f64> {
    reader::number(text)?.ok()
}

/// The standard library.
const LIBRARY: &str = concat!(
    include_str!("../library/standard.vl"),
    include_str!("../library/lists.vl"),
    include_str!("../library/complex.vl"),
    include_str!("../library/derivatives.vl"),
    include_str!("../library/numeric.vl"),
);

/// A program with its warnings, or the errors.
pub type ReadResult = Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Limits of the flow analysis, beyond which it is taken not to terminate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Shapes of procedures and arguments.
    pub bindings: usize,
    /// Steps of abstract interpretation.
    pub steps: u64,
}

impl Default for Limits {
    /// Some seconds of work.
    fn default() -> Self {
        Limits { bindings: 100_000, steps: 40_000_000 }
    }
}

/// Translates a program.
///
/// # Errors
/// All errors of the program.
pub fn translate(file: &SourceFile, map: &mut SourceMap, includes: Option<&mut dyn IncludeResolver>) -> ReadResult {
    translate_within(file, map, includes, Limits::default())
}

/// Translates a program, with limits for its analysis.
///
/// # Errors
/// All errors of the program.
pub fn translate_within(
    file: &SourceFile,
    map: &mut SourceMap,
    includes: Option<&mut dyn IncludeResolver>,
    limits: Limits,
) -> ReadResult {
    let mut diagnostics = Vec::new();
    let Some((core, library)) = read(file, map, includes, &mut diagnostics) else { return Err(diagnostics) };
    let mut analysis = analyze::analyze(&core, library, limits)?;
    diagnostics.append(&mut analysis.warnings);
    Ok((generate::generate(&analysis), diagnostics))
}

/// An output format of the flow analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Report {
    /// An entry a line.
    Text,
    /// A self-contained HTML page that steps through it.
    Page,
}

/// The flow analysis of a program: the result of each procedure for each shape of argument that it is applied to.
///
/// # Errors
/// All errors of the program.
pub fn analysis(
    file: &SourceFile,
    map: &mut SourceMap,
    includes: Option<&mut dyn IncludeResolver>,
    report: Report,
) -> Result<String, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let Some((core, library)) = read(file, map, includes, &mut diagnostics) else { return Err(diagnostics) };
    let analysis = analyze::analyze(&core, library, Limits::default())?;
    Ok(match report {
        Report::Text => analysis.text(),
        Report::Page => analysis.page(file),
    })
}

/// Reads a program up to core, with the span of the standard library; `None` if it has errors, which are appended to
/// `diagnostics`.
fn read(
    file: &SourceFile,
    map: &mut SourceMap,
    includes: Option<&mut dyn IncludeResolver>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(core::Core, Span)> {
    let library = map.add("standard library", LIBRARY).ok()?;
    let library_data = reader::read(&library, diagnostics);
    let data = reader::read(file, diagnostics);
    // Reborrowed for a shorter lifetime.
    let includes = includes.map(|includes| includes as &mut dyn IncludeResolver);
    let source = expand::expand(&library_data, &data, file.span(), map, includes, diagnostics);
    let core = resolve::resolve(&source, library.span(), diagnostics);
    (!diagnostics.iter().any(Diagnostic::is_error)).then(|| (core, library.span()))
}

/// Runs a program by the direct interpreter, and returns its value as text; a reference for tests of compiled code.
///
/// # Errors
/// Errors in the program, or the reason why it ended without a value, such as having exceeded `fuel` steps.
pub fn interpret(
    file: &SourceFile,
    map: &mut SourceMap,
    includes: Option<&mut dyn IncludeResolver>,
    world: &mut dyn World,
    fuel: u64,
) -> Result<String, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let Some((core, library)) = read(file, map, includes, &mut diagnostics) else { return Err(diagnostics) };
    match interpret::run(&core, library, world, fuel) {
        Ok(value) => Ok(value.to_string()),
        Err(stop) => {
            let error = Diagnostic::error(Code::E0814, stop.span, stop.message);
            Err(vec![match stop.library_span {
                Some(place) => error.also(place, "in the standard library, here"),
                None => error,
            }])
        }
    }
}
