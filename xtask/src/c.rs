//! `cargo xtask c`: C out, compiled by GCC and by Clang, with every warning an error and with the sanitizers of both.

use std::process::{Command, Stdio};

use crate::{Failure, root, skip};

/// Tests of `planish` with programs in C: all ops, run lines, random modules, workloads and shaders of the gallery; the official
/// WebAssembly suite; slices.
const TESTS: [&str; 3] = ["objects::", "wasm_suite::c::", "stage_slices::linked"];

/// Compilers, by the names of their commands.
const COMPILERS: [&str; 2] = ["gcc", "clang"];

/// Runs the tests, once for each compiler, or with `--compiler NAME` for one; with `--whole` all files of the suite and all programs.
///
/// # Errors
/// If a test fails; in continuous integration, too, if a compiler is missing.
pub fn run(options: &[String]) -> Result<(), Failure> {
    let (mut whole, mut compilers) = (false, &COMPILERS[..]);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let number = |name: &String| COMPILERS.iter().position(|compiler| compiler == name);
        match option.as_str() {
            "--whole" => whole = true,
            "--compiler" => match options.next().and_then(number) {
                Some(i) => compilers = &COMPILERS[i..=i],
                None => return Err(Failure::Usage(format!("`--compiler` is {}", COMPILERS.join(" or ")))),
            },
            _ => return Err(Failure::Usage(format!("`c` has no option `{option}`"))),
        }
    }
    for compiler in compilers {
        let mut version = Command::new(compiler);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if !version.status().is_ok_and(|status| status.success()) {
            skip(&format!("no `{compiler}`: apt-get install {compiler}"))?;
            continue;
        }
        let mut cargo = tests_of_the_library(&TESTS);
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

/// Tests of `planish` by their names, from the build of the whole workspace.
pub(crate) fn tests_of_the_library(names: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--workspace", "--quiet", "--test", "it", "--"]).args(names).current_dir(root());
    cargo
}
