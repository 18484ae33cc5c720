//! `cargo xtask materialx`: the validator of MaterialX reads the documents of all examples that have one, and the GLSL that it generates of
//! them gives the values of the sources.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Failure, build, built, root, skip, target_folder};

/// Version of the package, which holds validator and standard library.
const PACKAGE: &str = "materialx==1.39.5";

/// Folders of the programs.
const EXAMPLES: [&str; 2] = ["examples/flatten", "examples/shaders"];

/// Documents that there are at least: the others have operations on integers, textures and derivatives that MaterialX lacks.
const LEAST: usize = 70;

/// Writes what can be written, and has it validated.
///
/// # Errors
/// If a document is not valid, or fewer can be written than before; in continuous integration also if there is no Python.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("materialx");
    let documents = folder.join("documents");
    if documents.exists() {
        fs::remove_dir_all(&documents)?;
    }
    fs::create_dir_all(&documents)?;
    let python = folder.join("python/bin/python3");
    if !python.exists() || !has_package(&python) {
        let made = Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder.join("python")).status();
        if !made.is_ok_and(|status| status.success()) {
            return skip("there is no `python3` with `venv`; on Debian: apt-get install python3-venv");
        }
        let installed = Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]).status()?;
        if !installed.success() {
            return skip("pip could not install the package `materialx`; is there a network?");
        }
    }
    build(&["planish-cli", "materialx-check"])?;
    let command = built("planish");
    let (mut written, mut refused) = (0, 0);
    for from in EXAMPLES {
        for entry in fs::read_dir(root().join(from))? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "frag" || end == "wgsl") {
                *if write(&command, &path, &documents)? { &mut written } else { &mut refused } += 1;
            }
        }
    }
    println!("{written} programs are MaterialX, {refused} cannot be");
    let output = Command::new(&python).arg(root().join("xtask/materialx/check.py")).arg(&documents).output()?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    if written < LEAST || !messages.ends_with(&format!("VALID {written}\n")) {
        return Err(Failure::Broken(format!("{messages}{}", String::from_utf8_lossy(&output.stderr))));
    }
    println!("all of them are valid, and the standard library defines each node");
    compare_values(&python, &documents, written)?;
    // The validator does find errors.
    fs::write(documents.join("wrong.mtlx"), WRONG)?;
    let output = Command::new(&python).arg(root().join("xtask/materialx/check.py")).arg(&documents).output()?;
    match String::from_utf8_lossy(&output.stdout).starts_with("wrong.mtlx: ") {
        true => Ok(()),
        false => Err(Failure::Broken("a document that is wrong is taken for right".into())),
    }
}

/// MaterialX generates GLSL of the documents, and the evaluator runs it beside the sources.
fn compare_values(python: &Path, documents: &Path, written: usize) -> Result<(), Failure> {
    let output = Command::new(python).arg(root().join("xtask/materialx/generate.py")).arg(documents).output()?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    if !messages.ends_with(&format!("GENERATED {written}\n")) {
        return Err(Failure::Broken(format!("{messages}{}", String::from_utf8_lossy(&output.stderr))));
    }
    let program = built("materialx-check");
    let compared = Command::new(program).arg(documents).args(EXAMPLES).current_dir(root()).status()?;
    match compared.success() {
        true => Ok(()),
        false => Err(Failure::Broken("documents do not have the values of their sources".into())),
    }
}

const WRONG: &str = "<?xml version=\"1.0\"?>\n<materialx version=\"1.39\">\n  <nodegraph name=\"g\">\n    <sin name=\"a\" type=\"integer\">\n      \
                     <input name=\"in\" type=\"integer\" value=\"1\" />\n    </sin>\n  </nodegraph>\n</materialx>\n";

fn has_package(python: &Path) -> bool {
    let imported = Command::new(python).args(["-c", "import MaterialX"]).status();
    imported.is_ok_and(|status| status.success())
}

/// Whether a program could be written.
fn write(command: &Path, program: &Path, documents: &Path) -> Result<bool, Failure> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = Command::new(command)
        .args(["compile", "--flatten", "--emit=mtlx", "-o"])
        .arg(documents.join(format!("{name}.mtlx")))
        .arg(program)
        .output()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(true),
        // Not flat, or without a node.
        Some(1) if messages.contains("error[E11") || messages.contains("error[E0604]") => Ok(false),
        _ => Err(Failure::Broken(format!("{name}: {messages}"))),
    }
}
