//! `cargo xtask size` and `cargo xtask optimize`: start the judges of the optimizer over the corpus.

use std::process::Command;

use crate::{Failure, conformance, conformance_folder, corpus, root};

/// Runs a judge (`size` or `meaning`) with the user's options; harvests the corpus first if there is none.
pub fn run(judge: &str, options: &[String]) -> Result<(), Failure> {
    if !conformance_folder().join(corpus::INDEX).exists() {
        conformance::run(&conformance::Options { harvest_only: true, ..conformance::Options::default() })?;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--release", "--package", "optimizer-judge", "--", judge]).args(options);
    match cargo.current_dir(root()).status()?.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Missing("the judge did not run".into())),
        _ => Err(Failure::Broken("the optimizer does not hold what it must".into())),
    }
}
