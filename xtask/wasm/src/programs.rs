//! The real modules, and what is done with each.

use planish_vm::{Engine, Module};

use crate::{esbuild, pictures, sqlite, tree_sitter};

/// Runs a module, and returns a summary of its output.
type Run = fn(&Engine, &Module) -> Result<String, String>;

/// A module of an installed package.
pub(crate) struct Program {
    /// Its path in `node_modules`.
    pub path: &'static str,
    /// Runs it, and returns a summary of its output.
    pub run: Option<Run>,
    /// The expected error, for a module that needs more than the supported WebAssembly.
    pub refused: Option<&'static str>,
}

const fn read(path: &'static str) -> Program {
    Program { path, run: None, refused: None }
}

const fn runs(path: &'static str, run: Run) -> Program {
    Program { path, run: Some(run), refused: None }
}

/// All of them, the small ones first.
pub(crate) const PROGRAMS: &[Program] = &[
    read("@jsquash/qoi/codec/dec/qoi_dec.wasm"),
    read("@jsquash/qoi/codec/enc/qoi_enc.wasm"),
    read("@jsquash/webp/codec/dec/webp_dec.wasm"),
    read("@jsquash/webp/codec/enc/webp_enc.wasm"),
    read("@jsquash/webp/codec/enc/webp_enc_simd.wasm"),
    runs("@jsquash/png/codec/pkg/squoosh_png_bg.wasm", pictures::run),
    runs("web-tree-sitter/web-tree-sitter.wasm", tree_sitter::run),
    runs("sql.js/dist/sql-wasm-debug.wasm", sqlite::run),
    read("sql.js/dist/sql-wasm.wasm"),
    read("@jsquash/avif/codec/dec/avif_dec.wasm"),
    read("@jsquash/avif/codec/enc/avif_enc.wasm"),
    // Threads share its memory.
    Program { path: "@jsquash/avif/codec/enc/avif_enc_mt.wasm", run: None, refused: Some("threads") },
    runs("esbuild-wasm/esbuild.wasm", esbuild::run),
];
