//! `cargo xtask datafusion`: builds and tests `bindings/datafusion`, which is outside of the workspace.

use std::path::Path;
use std::process::Command;

use crate::{Failure, root};

/// Format, and tests compiled by clippy, in a target folder of its own below that of the workspace.
///
/// (`cargo clippy` would check the engines once more, which takes half as long as to build them.)
pub fn run() -> Result<(), Failure> {
    let target = crate::target_folder().join("datafusion");
    let clippy = Path::new(env!("CARGO")).with_file_name("clippy-driver");
    let steps: [&[&str]; 3] = [
        &["fmt", "--check"],
        &["build", "--locked", "--features", "ballista", "--benches"],
        &["test", "--locked", "--features", "ballista"],
    ];
    for step in steps {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(step).current_dir(root().join("bindings/datafusion")).env("CARGO_TARGET_DIR", &target);
        cargo.env("RUSTC_WORKSPACE_WRAPPER", &clippy).env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
        if !cargo.status()?.success() {
            return Err(Failure::Broken(format!("bindings/datafusion: `cargo {}` does not pass", step[0])));
        }
    }
    Ok(())
}
