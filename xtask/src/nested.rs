//! `cargo xtask nested`: growth of every stage with programs of one construct, nested or repeated n, 10n and 100n
//! times.

use std::process::Command;

use crate::{Failure, root};

/// Measures with the optimized compiler; the options are those of the example `nested` of the library.
///
/// # Errors
/// If a program overflows the stack, panics or does not end.
pub fn run(options: &[String]) -> Result<(), Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--release", "--package", "planish", "--example", "nested", "--"]).args(options);
    match cargo.current_dir(root()).status()?.code() {
        Some(0) => Ok(()),
        _ => Err(Failure::Broken("a nested program did not end well".into())),
    }
}
