//! `cargo xtask wasm`: installs real WebAssembly modules, and starts the harness that translates and runs them.

use std::fs;
use std::process::Command;

use crate::{Failure, root, skip, wasm_folder};

/// `npm ci` from the lock file into `target/wasm`, unless it was done for this very lock file; then the harness.
pub fn run(options: &[String]) -> Result<(), Failure> {
    let folder = wasm_folder();
    let sources = root().join("xtask/wasm");
    let lock = fs::read_to_string(sources.join("package-lock.json"))?;
    let stamp = folder.join("install.stamp");
    if fs::read_to_string(&stamp).is_ok_and(|old| old == lock) && folder.join("node_modules").exists() {
        return start(options);
    }
    fs::create_dir_all(&folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(sources.join(file), folder.join(file))?;
    }
    println!("installing the packages of xtask/wasm/package-lock.json");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder);
    match npm.status() {
        Ok(status) if status.success() => {}
        Ok(_) => return skip("npm could not install the packages; is there a network?"),
        Err(error) => return skip(&format!("`npm`: {error}; on Debian: apt-get install npm")),
    }
    fs::write(stamp, lock)?;
    start(options)
}

/// Hot crates are optimized in a debug build too, so the harness needs `--release` for meaningful times only.
fn start(options: &[String]) -> Result<(), Failure> {
    let (release, options): (Vec<_>, Vec<_>) = options.iter().partition(|option| *option == "--release");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--package", "wasm-check"]).args(release.first()).arg("--").args(options);
    cargo.current_dir(root());
    match cargo.status()?.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Missing("the check did not run".into())),
        _ => Err(Failure::Broken("a real module is not translated, not valid, or does not run as it should".into())),
    }
}
