//! `cargo xtask wasi`: programs in C and Rust, with their standard libraries for WASI, run by `planish`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Failure, built, root, skip, target_folder};

/// Builds the programs of `xtask/wasi` and runs each at every level.
///
/// # Errors
/// If a program does not end as it should; in continuous integration, too, if `clang` with `wasi-libc` is missing.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("wasi");
    let sources = root().join("xtask/wasi");
    std::fs::create_dir_all(&folder)?;
    crate::build(&["planish-cli"])?;
    let mut clang = Command::new("clang");
    clang.args(["--target=wasm32-wasi", "--sysroot=/usr", "-O2"]).arg(sources.join("files.c"));
    match build(clang, &folder.join("c.wasm")) {
        Ok(program) => run_at_every_level(&program, &folder)?,
        Err(why) => skip(&format!("{why}; on Debian: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32"))?,
    }
    let mut rustc = Command::new("rustc");
    rustc.args(["--target=wasm32-wasip1", "--edition=2024", "-O"]).arg(sources.join("files.rs"));
    match build(rustc, &folder.join("rs.wasm")) {
        Ok(program) => run_at_every_level(&program, &folder),
        // No package of Debian has Rust's standard library for WASI, so continuous integration may lack it.
        Err(why) => {
            eprintln!("SKIPPED: {why}; rustup target add wasm32-wasip1");
            Ok(())
        }
    }
}

/// Compiles a program; returns the reason if it cannot.
fn build(mut compiler: Command, program: &Path) -> Result<PathBuf, String> {
    let name = compiler.get_program().to_string_lossy().into_owned();
    match compiler.arg("-o").arg(program).status() {
        Ok(status) if status.success() => Ok(program.to_owned()),
        Ok(_) => Err(format!("`{name}` cannot build {}: is there a standard library for WASI?", program.display())),
        Err(error) => Err(format!("`{name}`: {error}")),
    }
}

fn run_at_every_level(program: &Path, folder: &Path) -> Result<(), Failure> {
    ["-O0", "-O1", "-O2"].iter().try_for_each(|level| run_one(program, folder, level))
}

fn run_one(program: &Path, folder: &Path, level: &str) -> Result<(), Failure> {
    let data = folder.join("data");
    let _ = std::fs::remove_dir_all(&data);
    std::fs::create_dir_all(&data)?;
    std::fs::write(folder.join("secret"), "")?;
    let mut planish = Command::new(built("planish"));
    planish.args(["run", level]).arg(program);
    planish.arg("--dir").arg(format!("{}::/data", data.display())).args(["--env", "NAME=value", "--", "argument"]);
    let mut child = planish.current_dir(root()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(b"input\n")?;
    }
    let output = child.wait_with_output()?;
    let name = program.file_name().unwrap_or_default().display();
    if output.status.code() != Some(7) || output.stdout != b"all is well\n" {
        return Err(Failure::Broken(format!("{name} at {level} does not end as it should")));
    }
    if std::fs::read_dir(&data)?.next().is_some() {
        return Err(Failure::Broken(format!("{name} at {level} leaves something behind")));
    }
    println!("{name} {level}: as it should be");
    Ok(())
}
