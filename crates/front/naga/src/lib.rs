//! WGSL and SPIR-V into the IR, through the readers and the validator of `naga`.
//!
//! [`read_wgsl`] takes a source file, [`read_spirv`] the words of a binary. Both return a module in placed form that
//! verifies, or errors that point at the user's source (for SPIR-V, which has none, errors name the instruction or the
//! construct). Constructs that the IR does not support are errors, never approximated.

mod aliasing;
mod carry;
mod end_endless_loops;
mod entry;
mod expressions;
mod function;
mod images;
mod limits;
mod math;
mod misread;
mod module;
mod plain_switches;
mod report;
mod split_samplers;
mod statements;
mod types;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Language, Module};
use planish_ir::source::SourceFile;

/// A module with its warnings, or the errors.
pub type ReadResult = Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Reads a WGSL source file.
///
/// # Errors
/// Errors in the program's text or types, and constructs that the IR does not support.
pub fn read_wgsl(file: &SourceFile) -> ReadResult {
    let source = report::Source::wgsl(file);
    limits::check_wgsl(file).map_err(|e| vec![*e])?;
    let mut module = limits::parse_wgsl(&file.text)
        .map_err(|e| vec![limits::locate_recursion_error(source.parse_error(&e), file)])?;
    end_endless_loops::end_endless_loops(&mut module);
    checked(&module, source, Language::Wgsl)
}

/// Reads a SPIR-V module, given as the words of its binary in the byte order of the machine.
///
/// # Errors
/// Errors in the program, and constructs that the IR does not support.
pub fn read_spirv(words: &[u32]) -> ReadResult {
    let source = report::Source::spirv();
    limits::check_spirv(words).map_err(|e| vec![*e])?;
    let words = plain_switches::plain_switches(words);
    misread::check(&words, source).map_err(|e| vec![*e])?;
    let words = split_samplers::split_samplers(&words);
    // Unsupported capabilities are refused at their use, so that an unused one is no error.
    let options =
        naga::front::spv::Options { adjust_coordinate_space: false, strict_capabilities: false, ..Default::default() };
    // naga's reader panics on some malformed binaries.
    let parse = || naga::front::spv::Frontend::new(words.iter().copied(), &options).parse();
    let module = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse)) {
        Ok(parsed) => parsed.map_err(|e| vec![source.spirv_error(&e)])?,
        Err(_) => return Err(vec![source.malformed("the binary is malformed: reading it failed")]),
    };
    checked(&module, source, Language::Spirv)
}

/// The words of a SPIR-V binary in either byte order, determined by its first word.
///
/// # Errors
/// If it is not a multiple of four bytes.
pub fn spirv_words(bytes: &[u8]) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let words = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    if !bytes.len().is_multiple_of(4) {
        return Err(vec![report::Source::spirv().malformed("the length of the binary is no multiple of four bytes")]);
    }
    let swapped = bytes.first_chunk() == Some(&report::MAGIC.to_be_bytes());
    Ok(words.map(|w| if swapped { w.swap_bytes() } else { w }).collect())
}

/// Validates the module by the language's rules, and lowers it. Constructs that the IR does not support are reported by
/// the lowering, so the validator gets every capability.
fn checked(module: &naga::Module, source: report::Source, language: Language) -> ReadResult {
    limits::check_types(module, source).map_err(|e| vec![*e])?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|e| vec![source.validation_error(&e, module)])?;
    if language == Language::Wgsl {
        let errors = aliasing::check(module, source);
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    Ok((module::lower(module, source, language)?, vec![]))
}
