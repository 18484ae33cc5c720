//! `cargo xtask rust`: Rust out, compiled with every warning an error: programs, random modules, workloads and shaders, and the official
//! WebAssembly suite but for vectors.

use std::process::Command;

use crate::{Failure, root};

/// Tests of `planish` with programs in Rust.
const TESTS: [&str; 2] = ["rust_out::", "wasm_suite::rust::"];

/// Runs the tests on all files of the suite and all programs.
///
/// # Errors
/// If a test fails.
pub fn run(options: &[String]) -> Result<(), Failure> {
    if !options.is_empty() {
        return Err(Failure::Broken("`rust` has no options".into()));
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--package", "planish", "--test", "it", "--"]).args(TESTS).current_dir(root());
    cargo.env("PLANISH_TESTS", "all").env("PLANISH_RUST", "1");
    match cargo.status()?.success() {
        true => Ok(()),
        false => Err(Failure::Broken("programs in Rust are not what they should be".into())),
    }
}
