//! Generation of random modules, and comparison of observations.

use arbitrary::Unstructured;
use wasm_smith::{Config, Module};

use super::engines::Seen;

/// Fuel of a function for loops and calls; also the maximum depth of calls.
const FUEL: u32 = 300;

fn config() -> Config {
    Config {
        export_everything: true,
        canonicalize_nans: true,
        min_funcs: 2,
        max_funcs: 12,
        max_instructions: 300,
        max_imports: 0,
        max_memories: 2,
        max_tables: 3,
        max_memory32_bytes: 4 << 16,
        memory_max_size_required: true,
        max_table_elements: 50,
        table_max_size_required: true,
        gc_enabled: false,
        compact_imports_enabled: false,
        exceptions_enabled: false,
        threads_enabled: false,
        relaxed_simd_enabled: false,
        memory64_enabled: false,
        custom_page_sizes_enabled: false,
        wide_arithmetic_enabled: false,
        ..Config::default()
    }
}

/// A module made of these bytes, if they are enough; it ends, whatever is called.
pub fn module(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut module = Module::new(config(), &mut Unstructured::new(bytes)).ok()?;
    module.ensure_termination(FUEL).ok()?;
    Some(module.to_bytes())
}

/// The first difference between the observations of two engines.
pub fn difference(expected: &Seen, seen: &Seen) -> Option<String> {
    let names = expected.iter().chain(seen.iter().filter(|(name, _)| !expected.contains_key(*name)));
    names
        .map(|(name, _)| (name, expected.get(name), seen.get(name)))
        .find(|(_, a, b)| a != b)
        .map(|(name, a, b)| format!("{name}:\n  wasmi   {a:?}\n  planish {b:?}"))
}
