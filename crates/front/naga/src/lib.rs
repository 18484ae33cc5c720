//! WGSL into the IR, through the reader and the validator of `naga`.
//!
//! [`read_wgsl`] takes a source file. It returns a module in placed form that verifies, or errors that point at the user's
//! source. Constructs that the IR does not support are errors, never approximated.

mod aliasing;
mod carry;
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

use naga::valid::{Capabilities, ValidationFlags, Validator};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::source::SourceFile;

/// A module with its warnings, or the errors.
pub type ReadResult = Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Reads a WGSL source file.
///
/// `overrides` has final values of overrides, by name or number: those that types or defaults depend on are known then. The overrides stay
/// specialization constants, with these values as their defaults. Names that the program has not are not reported.
///
/// # Errors
/// Errors in the program's text or types, and constructs that the IR does not support; in several functions, if there are.
pub fn read_wgsl(file: &SourceFile, overrides: &[(String, String)]) -> ReadResult {
    let source = report::Source::wgsl(file);
    limits::check_wgsl(file).map_err(|e| vec![*e])?;
    recover::read_with_all_errors(file, &subgroups::without_directive(&file.text), |text| {
        let mut module =
            limits::parse_wgsl(text).map_err(|e| vec![limits::locate_recursion_error(source.parse_error(&e), file)])?;
        end_endless_loops::end_endless_loops(&mut module);
        checked(&module, source, overrides)
    })
}

/// Validates the module by the language's rules, and lowers it. Constructs that the IR does not support are reported by
/// the lowering, so the validator gets every capability.
fn checked(module: &naga::Module, source: report::Source, overrides: &[(String, String)]) -> ReadResult {
    limits::check_types(module, source).map_err(|e| vec![*e])?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|e| vec![source.validation_error(&e, module)])?;
    let errors = aliasing::check(module, source);
    if !errors.is_empty() {
        return Err(errors);
    }
    module::lower(module, source, overrides)
}
