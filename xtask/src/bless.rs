//! `cargo xtask bless`: runs the tests with `BLESS=1`, under which file tests rewrite the expected texts that differ.

use std::process::Command;

use crate::{Failure, root};

/// Blesses the given crates, or all of them. The change is a diff that someone reads.
pub fn run(crates: &[String]) -> Result<(), Failure> {
    if let Some(option) = crates.iter().find(|c| c.starts_with('-')) {
        return Err(Failure::Usage(format!("`bless` takes names of crates, not `{option}`")));
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.arg("test").env("BLESS", "1").env("INSTA_UPDATE", "always").current_dir(root());
    if crates.is_empty() {
        cargo.arg("--workspace");
    }
    for name in crates {
        cargo.args(["-p", name]);
    }
    match cargo.status()?.success() {
        true => {
            println!("blessed; `git diff` shows what changed");
            Ok(())
        }
        false => Err(Failure::Broken("some tests fail for other reasons than their expected text".into())),
    }
}
