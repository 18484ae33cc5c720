//! `cargo xtask elementary`: starts the comparison of the elementary functions of lanes with the exact ones.

use std::process::Command;

use crate::{Failure, root};

/// Runs the check, optimized, with the user's options.
pub fn run(options: &[String]) -> Result<(), Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--release", "--package", "elementary-check", "--"]).args(options);
    match cargo.current_dir(root()).status()?.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Usage("the check did not run".into())),
        _ => Err(Failure::Broken("an elementary function of lanes is less exact than docs/numerics.md has it".into())),
    }
}
