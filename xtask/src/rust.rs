//! `cargo xtask rust`: Rust out, compiled with every warning an error: programs, random modules, workloads and shaders, and the official
//! WebAssembly suite but for vectors.

use crate::Failure;
use crate::c::tests_of_the_library;

/// Tests of `planish` with programs in Rust.
const TESTS: [&str; 2] = ["rust_out::", "wasm_suite::rust::"];

/// Runs the tests on all files of the suite and all programs; with `--suite` those of the suite only.
///
/// # Errors
/// If a test fails.
pub fn run(options: &[String]) -> Result<(), Failure> {
    let tests = match options {
        [] => &TESTS[..],
        [option] if option == "--suite" => &TESTS[1..],
        _ => return Err(Failure::Usage("`rust` has the option `--suite` only".into())),
    };
    let mut cargo = tests_of_the_library(tests);
    cargo.env("PLANISH_TESTS", "all").env("PLANISH_RUST", "1");
    match cargo.status()?.success() {
        true => Ok(()),
        false => Err(Failure::Broken("programs in Rust are not what they should be".into())),
    }
}
