//! WGSL into the IR, through the reader and the validator of `naga`.
//!
//! [`read_wgsl`] takes a source file. It returns a module in placed form that verifies, or errors that point at the user's
//! source. Constructs that the IR does not support are errors, never approximated.

mod aliasing;
mod carry;
mod compose;
mod end_endless_loops;
mod entry;
mod expressions;
mod function;
mod images;
mod limits;
mod math;
mod module;
mod overrides;
mod recover;
mod report;
mod statements;
mod subgroups;
mod types;

use std::borrow::Cow;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::source::{IncludeResolver, SourceFile, SourceMap};

use compose::Text;

/// A module with its warnings, or the errors.
pub type ReadResult = Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Options of reading a program.
#[derive(Default)]
pub struct Options<'o> {
    /// Final values of overrides, by name or number: those that types or defaults depend on are known then. The overrides stay
    /// specialization constants, with these values as their defaults. Names that the program has not are not reported.
    pub overrides: &'o [(String, String)],
    /// Files that are read before the program: their declarations are known in it, and in the ones after them, unless it has its own.
    pub preludes: &'o [SourceFile],
    /// Macros with their values, for `#ifdef`, `#if` and `#{NAME}`.
    pub defines: &'o [(String, String)],
    /// Finds the files of `#include` and the modules of `#import`.
    pub includes: Option<&'o mut (dyn IncludeResolver + 'o)>,
}

/// Reads a WGSL source file, and what it includes and imports.
///
/// # Errors
/// Errors in the program's text or types, and constructs that the IR does not support; in several functions, if there are.
pub fn read_wgsl(file: &SourceFile, map: &mut SourceMap, options: &mut Options<'_>) -> ReadResult {
    let mut text = match !options.preludes.is_empty() || compose::has_directives(&file.text, options.defines) {
        true => compose::compose(file, map, options)?,
        false => Text::of_file(file, file.text.to_string()),
    };
    if let Cow::Owned(changed) = subgroups::without_directive(&text.text) {
        text.text = changed;
    }
    let source = report::Source(&text);
    limits::check_wgsl(&text).map_err(|e| vec![*e])?;
    recover::read_with_all_errors(&text, |read| {
        let mut module = limits::parse_wgsl(read)
            .map_err(|e| vec![limits::locate_recursion_error(source.parse_error(&e), &text)])?;
        end_endless_loops::end_endless_loops(&mut module);
        checked(&module, source, options.overrides)
    })
}

/// Validates the module by the language's rules, and lowers it. Constructs that the IR does not support are reported by
/// the lowering, so the validator gets every capability.
fn checked(module: &naga::Module, source: report::Source<'_>, overrides: &[(String, String)]) -> ReadResult {
    limits::check_types(module, source).map_err(|e| vec![*e])?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|e| vec![source.validation_error(&e, module)])?;
    let errors = aliasing::check(module, source);
    if !errors.is_empty() {
        return Err(errors);
    }
    module::lower(module, source, overrides)
}
