//! `cargo xtask wasi`: programs in C and Rust, with the standard libraries that they have for WASI, run by `planish`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Failure, root, target_folder};

/// Builds the programs of `xtask/wasi` and runs each at every level.
///
/// # Errors
/// If a compiler is missing (`clang` with `wasi-libc`; the target `wasm32-wasip1` of Rust), or a program does not end as it should.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("wasi");
    let sources = root().join("xtask/wasi");
    std::fs::create_dir_all(&folder)?;
    let mut clang = Command::new("clang");
    clang.args(["--target=wasm32-wasi", "--sysroot=/usr", "-O2"]).arg(sources.join("files.c"));
    let mut rustc = Command::new("rustc");
    rustc.args(["--target=wasm32-wasip1", "--edition=2024", "-O"]).arg(sources.join("files.rs"));
    for (mut compiler, name) in [(clang, "c.wasm"), (rustc, "rs.wasm")] {
        let program = folder.join(name);
        if !compiler.arg("-o").arg(&program).status()?.success() {
            return Err(Failure::Missing(format!(
                "{name} cannot be built: is the target's standard library installed?"
            )));
        }
        for level in ["-O0", "-O1", "-O2"] {
            run_one(&program, &folder, level)?;
        }
    }
    Ok(())
}

fn run_one(program: &Path, folder: &Path, level: &str) -> Result<(), Failure> {
    let data = folder.join("data");
    let _ = std::fs::remove_dir_all(&data);
    std::fs::create_dir_all(&data)?;
    std::fs::write(folder.join("secret"), "")?;
    let mut planish = Command::new(env!("CARGO"));
    planish.args(["run", "--quiet", "--package", "planish-cli", "--", "run", level]).arg(program);
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
