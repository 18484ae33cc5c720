//! `cargo xtask miri`: the tests of unsafe code, interpreted by Miri.

use std::process::{Command, Stdio};

use crate::{Failure, root, skip};

/// Packages with unsafe code, and the tests of them that Miri can run in minutes: all but those of machine code (Miri runs none, and
/// engines fall back to the virtual machine), of signals, and of long programs.
const TESTS: [(&str, &[&str]); 2] = [
    ("planish-vm-tests", &["--test", "it", "--", "handles::", "fuel::", "seen_memories::", "interrupts::"]),
    ("planish-runtime", &["--lib"]),
];

/// Runs them.
pub fn run() -> Result<(), Failure> {
    let mut version = Command::new("cargo");
    version.args(["+nightly", "miri", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        return skip("no Miri: `rustup toolchain install nightly --component miri,rust-src`");
    }
    for (package, options) in TESTS {
        let mut cargo = Command::new("cargo");
        cargo.args(["+nightly", "miri", "test", "--package", package]).args(options).current_dir(root());
        // Frames hold addresses as words.
        cargo.env("MIRIFLAGS", "-Zmiri-permissive-provenance");
        if !cargo.status()?.success() {
            return Err(Failure::Broken(format!("Miri finds a fault in the tests of `{package}`")));
        }
    }
    Ok(())
}
