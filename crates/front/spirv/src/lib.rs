//! SPIR-V 1.0 to 1.6 into the IR.
//!
//! [`translate`] takes the words of a binary. It returns a module in placed form of the shape that the front end for GLSL gives for
//! the equal shader: combined samplers stay combined, separate ones separate, and inputs and outputs are variables. Errors name the
//! instruction and its word; there is at most one a declaration and one a function.
//!
//! Steps: [`words`] splits the binary into instructions and collects names, decorations and functions; [`types`], [`layouts`],
//! [`constants`] and [`globals`] translate declarations, with the facts that [`samplers`] finds about comparisons; for each function,
//! [`cfg`] finds its blocks, dominators and loops, [`structure`] makes a tree of structured statements of them, [`scopes`] finds
//! values that are used where the IR does not see them, and [`emit`] and [`function`] build the IR. What the IR has no name for goes through it
//! as it is, by the [`grammar`] of instructions ([`spirv_parts`]).

#![forbid(unsafe_code)]

mod accesses;
mod arithmetic;
mod atomics;
mod builtins;
mod cfg;
mod composites;
mod constants;
mod emit;
mod entry;
mod extended;
mod function;
mod globals;
mod grammar;
mod images;
mod layouts;
mod memory;
mod module;
mod references;
mod report;
mod samplers;
mod scopes;
mod spirv_parts;
mod structure;
mod subgroups;
mod types;
mod words;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::source::{SourceFile, SourceMap, Span};

/// A module with its warnings, or the errors.
pub type ReadResult = Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Translates a module. `words` are the contents of `file`, a binary file of `map`, which gets the sources that debug information
/// names.
///
/// # Errors
/// Errors in the binary, and constructs that the IR does not support.
pub fn translate(file: &SourceFile, words: &[u32], map: &mut SourceMap) -> ReadResult {
    module::translate(file, words, map)
}

/// Translates a module that has no file of its own.
///
/// # Errors
/// See [`translate`].
pub fn read(name: &str, words: &[u32]) -> ReadResult {
    let mut map = SourceMap::new();
    match map.add_binary(name, 4 * words.len()) {
        Ok(file) => translate(&file, words, &mut map),
        Err(_) => Err(vec![report::malformed(Span::NONE, "the binary is larger than 4 GiB")]),
    }
}

/// The words of a binary in either byte order, determined by its first word.
///
/// # Errors
/// If it is not a multiple of four bytes.
pub fn words_of(file: &SourceFile, bytes: &[u8]) -> Result<Vec<u32>, Vec<Diagnostic>> {
    if !bytes.len().is_multiple_of(4) {
        return Err(vec![report::malformed(file.span(), "the length of the binary is no multiple of four bytes")]);
    }
    let swapped = bytes.first_chunk() == Some(&words::MAGIC.to_be_bytes());
    let words = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    Ok(words.map(|w| if swapped { w.swap_bytes() } else { w }).collect())
}
