//! Integration tests of the zk machine, in one program.

mod programs;
mod wasm_suite;
