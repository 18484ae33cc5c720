//! Integration tests of the library, in one program.

mod common;
mod every_target;
mod flatten;
mod flatten_oracles;
mod fuzz_regressions;
mod lanes;
mod lanes_stages;
mod modules;
mod names;
mod nested;
mod nests;
mod objects;
mod one_to_one;
mod passes;
mod permuted_loops;
mod random;
mod reference;
mod spirv;
mod stage;
mod stages;
mod vl;
mod vl_targets;
mod wasm;
mod wasm_as_shader;
mod wasm_sizes;
mod wasm_suite;
