//! The first programs: one for each way in, small enough to be read at once. The chores of these ways build and run them from the built
//! packages; `cargo xtask tidy` counts their lines.

use std::path::PathBuf;
use std::process::Command;

use crate::{Failure, root};

/// Their folder.
pub(crate) const FOLDER: &str = "examples/first";

/// Lines of a program, with its manifest and its shaders.
pub(crate) const MAX_LINES: usize = 40;

/// A program of [`FOLDER`], or elsewhere.
pub(crate) struct Program {
    /// Its folder, or its only file, from the root.
    pub(crate) path: &'static str,
    /// Texts that it prints, in this order. (Those that print nothing have tests of their own.)
    prints: &'static [&'static str],
}

/// Programs in Rust that use the packed crates.
pub(crate) const RUST: [Program; 3] = [
    Program { path: "examples/first/build-script", prints: &["@fragment", "// 16 bytes for", "binding"] },
    Program { path: "examples/first/host-functions", prints: &["17\n", "there is no item 7"] },
    Program { path: "examples/first/own-rule", prints: &["function f", "405"] },
];

/// A program that uses the wheel.
pub(crate) const PYTHON: Program =
    Program { path: "examples/first/gradient.py", prints: &["height 3.0", "rate 0.7", "loss 0.000"] };

/// A page that Vite builds with the plugin.
pub(crate) const BUNDLER: Program = Program { path: "examples/first/bundler", prints: &[] };

/// A program that uses the library for C.
pub(crate) const C: Program = Program { path: "bindings/c/examples/wgsl.c", prints: &[] };

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Program> {
    RUST.iter().chain([&PYTHON, &BUNDLER, &C])
}

impl Program {
    /// The name of its folder or file.
    pub(crate) fn name(&self) -> &'static str {
        self.path.rsplit('/').next().expect("split gives one part at least")
    }

    /// Its path in the repository.
    pub(crate) fn source(&self) -> PathBuf {
        root().join(self.path)
    }

    /// Runs it, and checks what it prints.
    ///
    /// # Errors
    /// If it fails, or prints something else.
    pub(crate) fn run(&self, command: &mut Command) -> Result<(), Failure> {
        let output = command.output()?;
        let [text, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let rest = self.prints.iter().try_fold(&*text, |rest, part| Some(rest.split_once(part)?.1));
        if output.status.success() && rest.is_some() {
            println!("{}: {} bytes", self.path, text.len());
            return Ok(());
        }
        Err(Failure::Broken(format!("{} should print {:?}:\n{text}{errors}", self.path, self.prints)))
    }
}
