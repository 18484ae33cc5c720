//! Chores of the repository, as a library: the `xtask` command and the `conformance` harness share it.
//!
//! It depends on no crate of the compiler, so that `cargo xtask tidy` builds in seconds.

pub mod bless;
pub mod bundler;
pub mod c;
pub mod c_library;
pub mod conformance;
pub mod corpus;
pub mod datafusion;
pub mod directions;
pub mod dist;
pub mod elementary;
pub mod features;
mod first;
pub mod gpu;
pub mod hlsl;
pub mod materialx;
pub mod miri;
pub mod msl;
pub mod nested;
pub mod npm;
pub mod optimizer;
pub mod package;
pub mod pages;
pub mod pool;
pub mod python;
pub mod rust;
pub mod semver;
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

/// Runs a command that must succeed; its own messages say why it does not.
pub(crate) fn succeeds(command: &mut Command, message: &str) -> Result<(), Failure> {
    if command.status()?.success() { Ok(()) } else { Err(Failure::Broken(message.into())) }
}

/// Builds programs of the workspace, debug builds: packages whose program has the name of the package, or `planish-cli`.
///
/// In continuous integration it builds what the tests have built, so that nothing is compiled once more with other features; for a user,
/// who may not have run the tests, the packages alone.
pub(crate) fn build(packages: &[&str]) -> Result<(), Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]);
    match std::env::var_os("CI") {
        None => cargo.args(packages.iter().flat_map(|package| ["--package", package])),
        Some(_) => {
            let bins = packages.iter().map(|package| if *package == "planish-cli" { "planish" } else { package });
            cargo.args(["--workspace", "--test", "it"]).args(bins.flat_map(|bin| ["--bin", bin]))
        }
    };
    match cargo.current_dir(root()).status()?.success() {
        true => Ok(()),
        false => Err(Failure::Broken(format!("{} cannot be built", packages.join(", ")))),
    }
}

/// Runs cargo on all that draws on devices and in windows, in one selection: the features of shared crates are the same for all, and are
/// compiled once. `verb` is `build` or `test`; `rest` selects programs or tests.
pub(crate) fn with_devices(verb: &str, rest: &[&str]) -> Result<bool, Failure> {
    let packages = ["planish", "planish-cli", "stage-examples", "build-shader", "wgpu-shader", "gpu-check"];
    let features = "planish/gpu,planish-cli/gpu,planish-cli/window,stage-examples/gpu,build-shader/gpu,wgpu-shader/gpu,gpu-check/device";
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([verb, "--quiet"]).args(packages.iter().flat_map(|package| ["--package", package]));
    let programs = ["--test", "it", "--test", "all", "--test", "device", "--bin", "planish", "--bin", "gpu-check"];
    cargo.args(["--features", features]).args(programs);
    Ok(cargo.args(rest).env("LIBGL_ALWAYS_SOFTWARE", "1").current_dir(root()).status()?.success())
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
