//! `cargo xtask datafusion`: builds and tests `bindings/datafusion`, which is outside of the workspace.

use std::process::Command;

use crate::{Failure, root};

/// Format and tests, in a target folder of its own below that of the workspace. (Clippy would check the engines once more, which takes as long as to
/// build them.)
pub fn run() -> Result<(), Failure> {
    let target = crate::target_folder().join("datafusion");
    let steps: [&[&str]; 2] = [&["fmt", "--check"], &["test", "--locked", "--features", "ballista"]];
    for step in steps {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(step).current_dir(root().join("bindings/datafusion")).env("CARGO_TARGET_DIR", &target);
        if !cargo.status()?.success() {
            return Err(Failure::Broken(format!("bindings/datafusion: cargo {}", step[0])));
        }
    }
    Ok(())
}
