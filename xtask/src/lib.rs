//! Chores of the repository, as a library: the `xtask` command and the `conformance` harness share it.
//!
//! It depends on no crate of the compiler, so that `cargo xtask tidy` builds in seconds.

pub mod bless;
pub mod c;
pub mod conformance;
pub mod corpus;
pub mod datafusion;
pub mod directions;
pub mod elementary;
pub mod features;
pub mod gpu;
pub mod hlsl;
pub mod materialx;
pub mod miri;
pub mod msl;
pub mod nested;
pub mod optimizer;
pub mod package;
pub mod pages;
pub mod pool;
pub mod rust;
pub mod tidy;
pub mod tint;
pub mod types;
pub mod validators;
pub mod wasi;
pub mod wasm;
pub mod window;
pub mod workloads;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Why a chore did not end well. Each text is a whole message for the user.
#[derive(Debug)]
pub enum Failure {
    /// Invalid command line.
    Usage(String),
    /// A tool or a file that the chore needs is missing.
    Missing(String),
    /// The chore ran, and its check failed.
    Broken(String),
}

impl Failure {
    /// Prints the result of a check, and returns its exit status: 0 passed, 1 failed, 2 wrong usage or a missing tool.
    pub fn exit_code(result: Result<(), Failure>) -> ExitCode {
        let (what, code) = match result {
            Ok(()) => return ExitCode::SUCCESS,
            Err(Failure::Usage(what) | Failure::Missing(what)) => (what, ExitCode::from(2)),
            Err(Failure::Broken(what)) => (what, ExitCode::FAILURE),
        };
        eprintln!("error: {what}");
        code
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Missing(error.to_string())
    }
}

/// The result of a check whose tool is missing: skipped with a message, but a failure in continuous integration, which
/// has every tool.
pub(crate) fn skip(why: &str) -> Result<(), Failure> {
    if std::env::var_os("CI").is_some() {
        return Err(Failure::Missing(format!("CI must have every tool: {why}")));
    }
    eprintln!("SKIPPED: {why}");
    Ok(())
}

/// Builds packages of the workspace for tests and chores.
pub(crate) fn build(packages: &[&str]) -> Result<(), Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]).args(packages.iter().flat_map(|package| ["--package", package]));
    match cargo.current_dir(root()).status()?.success() {
        true => Ok(()),
        false => Err(Failure::Broken(format!("{} cannot be built", packages.join(", ")))),
    }
}

/// The program of a package that [`build`] has built.
pub(crate) fn built(program: &str) -> PathBuf {
    target_folder().join("debug").join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
}

/// The repository's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the root")
}

/// Working directory of the conformance run; nothing in it is committed.
pub fn conformance_folder() -> PathBuf {
    target_folder().join("conformance")
}

/// Directory in which `cargo xtask wasm` installs its modules; nothing in it is committed.
pub fn wasm_folder() -> PathBuf {
    target_folder().join("wasm")
}

/// Cargo's target folder, which the environment may override.
fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
