//! Errors of a module as diagnostics at their places.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;
use wasmparser::{BinaryReader, Error, FunctionBody, Parser, Payload, Validator, WasmFeatures};

use crate::Options;
use crate::environment::Environment;

/// Errors of functions that are reported at most.
pub(crate) const MOST_ERRORS: usize = 20;

/// Supported features of WebAssembly: version 2.0, tail calls, extended constant expressions, several memories.
const FEATURES: WasmFeatures = WasmFeatures::WASM2
    .union(WasmFeatures::TAIL_CALL)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::MULTI_MEMORY);

/// Features supported under these options.
pub(crate) fn features(options: &Options) -> WasmFeatures {
    if options.only_version_2 { WasmFeatures::WASM2 } else { FEATURES }
}

/// An error in the sections of a module.
pub(crate) fn module_error(error: &Error, bytes: &[u8], features: WasmFeatures, span: Span) -> Diagnostic {
    // Not every error names its feature.
    let later = WasmFeatures::all();
    let is_later = features != later && Validator::new_with_features(later).validate_all(bytes).is_ok();
    diagnostic(error, span, is_later, || decode_module(bytes, features).is_err())
}

/// An error in the function with this number among those with a body.
pub(crate) fn function_error(error: &Error, bytes: &[u8], env: &Environment, index: usize) -> Diagnostic {
    let range = env.bodies[index].clone();
    let reader = BinaryReader::new_features(&bytes[range.clone()], range.start as u64, env.features);
    let body = FunctionBody::new(reader);
    let span = instruction_at(&body, error.offset(), env, index);
    diagnostic(error, span, false, || decode_function(&body).is_err())
}

fn diagnostic(error: &Error, span: Span, is_later: bool, is_malformed: impl Fn() -> bool) -> Diagnostic {
    let message = error.message().trim_end_matches(['\n', '.']).to_owned();
    if is_later || error.missing_wasm_feature().is_some() {
        return Diagnostic::error(Code::E1203, span, message)
            .note("WebAssembly 2.0 is read, with tail calls, extended constant expressions and several memories")
            .help("disable the feature in the compiler that produced the module");
    }
    if message.contains("exceeds limit") || message.contains("too many locals") {
        return Diagnostic::error(Code::E1205, span, message).help("split the module or the function");
    }
    if is_malformed() {
        Diagnostic::error(Code::E1201, span, message)
            .help("the file is damaged or no WebAssembly module; make it again")
    } else {
        Diagnostic::error(Code::E1202, span, message)
            .help("this is an error of the tool that produced the module, or of the hand-written text")
    }
}

/// A limit of ours.
pub(crate) fn too_large(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::E1205, span, format!("the function has too many {what}"))
        .note("the product of local variables and nested blocks that hand them on is bounded")
        .help("split the function, or have the compiler inline less")
}

/// The place of the instruction that begins at or before an offset.
fn instruction_at(body: &FunctionBody<'_>, offset: u64, env: &Environment, index: usize) -> Span {
    let places = env.places.function(index);
    let range = body.range();
    let Ok(mut reader) = body.get_operators_reader() else { return places.whole(offset, offset) };
    if offset < reader.original_position() {
        return places.whole(offset, offset);
    }
    let mut number = 0;
    let mut start = reader.original_position();
    while !reader.eof() && reader.read().is_ok() && reader.original_position() <= offset {
        number += 1;
        start = reader.original_position();
    }
    let end = if reader.original_position() > start { reader.original_position() } else { range.end };
    places.instruction(number, offset, end.max(offset))
}

/// Reads everything of a module without asking whether it is valid.
fn decode_module(bytes: &[u8], features: WasmFeatures) -> Result<(), Error> {
    let mut parser = Parser::new(0);
    parser.set_features(features);
    for payload in parser.parse_all(bytes) {
        match payload? {
            Payload::TypeSection(reader) => decode_all(reader)?,
            Payload::ImportSection(reader) => {
                reader.into_imports().try_for_each(|import| import.map(|_| ()))?;
            }
            Payload::FunctionSection(reader) => decode_all(reader)?,
            Payload::TableSection(reader) => decode_all(reader)?,
            Payload::MemorySection(reader) => decode_all(reader)?,
            Payload::GlobalSection(reader) => decode_all(reader)?,
            Payload::ExportSection(reader) => decode_all(reader)?,
            Payload::ElementSection(reader) => decode_all(reader)?,
            Payload::DataSection(reader) => decode_all(reader)?,
            Payload::CodeSectionEntry(body) => decode_function(&body)?,
            _ => {}
        }
    }
    Ok(())
}

fn decode_all<'a, T: wasmparser::FromReader<'a>>(reader: wasmparser::SectionLimited<'a, T>) -> Result<(), Error> {
    reader.into_iter().try_for_each(|item| item.map(|_| ()))
}

fn decode_function(body: &FunctionBody<'_>) -> Result<(), Error> {
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        reader.read()?;
    }
    reader.finish()
}
