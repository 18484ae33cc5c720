//! `cargo xtask workloads`: builds `examples/wasm/NAME.wat` and the table of the workloads' results from the C sources
//! there.
//!
//! The sums in the table come from the same sources compiled for this machine, so that they do not depend on an engine
//! for WebAssembly.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, root, target_folder};

/// The defaults of current compilers for WebAssembly; clang 14 still needs them explicitly.
const WASM: [&str; 8] = [
    "--target=wasm32",
    "-nostdlib",
    "-msign-ext",
    "-mbulk-memory",
    "-mnontrapping-fptoint",
    "-Wl,--no-entry",
    "-Wl,-z,stack-size=65536",
    "-Wl,--strip-debug",
];

const BOTH: [&str; 6] =
    ["-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-psabi"];

const HEAD: &str = "\
# What `run` of NAME.wat gives at a small size (tests) and at a large one (benches/wasm).
# Made by `cargo xtask workloads`, by the C sources compiled for the machine itself.
";

/// Makes them all.
pub fn run() -> Result<(), Failure> {
    let folder = root().join("examples/wasm");
    let scratch = target_folder().join("workloads");
    fs::create_dir_all(&scratch)?;
    let mut sources: Vec<PathBuf> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    sources.retain(|path| path.extension().is_some_and(|e| e == "c"));
    sources.sort();
    let mut table = HEAD.to_string();
    for source in &sources {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(source)?;
        let sizes = line(&text, "sizes").ok_or_else(|| Failure::Broken(format!("{name}.c has no line `// sizes:`")))?;
        let flags = line(&text, "flags").unwrap_or("");
        translate(source, &scratch, flags)?;
        let native = native(source, &scratch)?;
        write!(table, "{name}").expect("a string takes all");
        for size in sizes.split_whitespace() {
            let out = tool(Command::new(&native).arg(size))?;
            write!(table, " {size} {}", out.trim()).expect("a string takes all");
        }
        table.push('\n');
    }
    fs::write(folder.join("workloads.txt"), table)?;
    println!("{} workloads", sources.len());
    Ok(())
}

/// The value of a line `// key: …` of a source.
fn line<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(':').map(str::trim))
}

fn translate(source: &Path, scratch: &Path, flags: &str) -> Result<(), Failure> {
    let wasm = scratch.join(source.with_extension("wasm").file_name().unwrap_or_default());
    let mut clang = Command::new("clang");
    clang.args(BOTH).args(WASM).args(flags.split_whitespace()).arg(source).arg("-o").arg(&wasm);
    tool(&mut clang)?;
    tool(Command::new("wasm2wat").arg("--enable-all").arg(&wasm).arg("-o").arg(source.with_extension("wat")))?;
    Ok(())
}

fn native(source: &Path, scratch: &Path) -> Result<PathBuf, Failure> {
    let name = source.file_stem().unwrap_or_default();
    let (program, main) = (scratch.join(name), scratch.join(source.file_name().unwrap_or_default()));
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include \"{}\"\n\
         int main(int count, char **words) {{ return count == 2 ? !printf(\"%lld\\n\", run(atoi(words[1]))) : 2; }}\n",
        source.display()
    );
    fs::write(&main, text)?;
    tool(Command::new("clang").args(BOTH).arg(&main).arg("-o").arg(&program).arg("-lm"))?;
    Ok(program)
}

fn tool(command: &mut Command) -> Result<String, Failure> {
    let output = command.output().map_err(|error| {
        let name = command.get_program().to_string_lossy();
        Failure::Missing(format!("`{name}`: {error}; on Debian: apt-get install clang lld wabt"))
    })?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Broken(format!("{command:?}:\n{messages}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
