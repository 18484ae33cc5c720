//! `cargo xtask c`: C out, compiled by GCC and by Clang, with every warning an error and with the sanitizers of both.

use std::process::{Command, Stdio};

use crate::{Failure, root, skip};

/// Tests of `planish` with programs in C: all ops, run lines, random modules, workloads and shaders of the gallery; the official
/// WebAssembly suite; slices.
const TESTS: [&str; 3] = ["objects::", "wasm_suite::c::", "stage_slices::linked"];

/// Runs the tests, once for each compiler; with `--whole` all files of the suite and all programs.
///
/// # Errors
/// If a test fails; in continuous integration, too, if a compiler is missing.
pub fn run(options: &[String]) -> Result<(), Failure> {
    let whole = match options {
        [] => false,
        [option] if option == "--whole" => true,
        _ => return Err(Failure::Broken("`c` has the option `--whole` only".into())),
    };
    for compiler in ["gcc", "clang"] {
        let mut version = Command::new(compiler);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if !version.status().is_ok_and(|status| status.success()) {
            skip(&format!("no `{compiler}`: apt-get install {compiler}"))?;
            continue;
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--package", "planish", "--test", "it", "--"]).args(TESTS).current_dir(root());
        cargo.env("PLANISH_CC", compiler);
        if whole {
            cargo.env("PLANISH_TESTS", "all");
        }
        if !cargo.status()?.success() {
            return Err(Failure::Broken(format!("programs in C by `{compiler}` are not what they should be")));
        }
    }
    Ok(())
}
