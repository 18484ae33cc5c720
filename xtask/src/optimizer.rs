//! `cargo xtask size`, `optimize`, `flatten` and `matrix`: start the checks over the corpus.

use std::process::Command;

use crate::{Failure, conformance, conformance_folder, corpus, root};

/// Runs a check (`size` or `meaning`) with the user's options; harvests the corpus first if there is none.
pub fn run(check: &str, options: &[String]) -> Result<(), Failure> {
    harvest()?;
    start("optimizer-check", &[check], options, "the optimizer does not hold what it must")
}

/// Runs the whole matrix; harvests the corpus first if there is none.
pub fn matrix(options: &[String]) -> Result<(), Failure> {
    harvest()?;
    start("matrix-check", &[], options, "a cell of the matrix is not as it must be")
}

fn harvest() -> Result<(), Failure> {
    if conformance_folder().join(corpus::INDEX).exists() {
        return Ok(());
    }
    conformance::run(&conformance::Options { harvest_only: true, ..conformance::Options::default() })
}

fn start(package: &str, check: &[&str], options: &[String], broken: &str) -> Result<(), Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--release", "--package", package, "--"]).args(check).args(options);
    match cargo.current_dir(root()).status()?.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Missing("the check did not run".into())),
        _ => Err(Failure::Broken(broken.into())),
    }
}
