//! Files of the repository, committed texts, and tools that may be missing.

use std::fs;
use std::iter::StepBy;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder or file of the repository, by its path from the root.
pub fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The files of a folder of the repository with an extension, sorted; without those of its folders.
pub fn files(path: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(path)).unwrap_or_else(|e| panic!("{path} is part of the repository: {e}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    paths
}

/// True if `BLESS` is set: expected texts are rewritten.
pub fn is_bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Compares a text with a committed file (its path from the root of the repository), or rewrites the file with `BLESS=1`.
pub fn committed(path: &str, text: &str) {
    let file = folder(path);
    if is_bless() {
        fs::write(&file, text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == text,
        "{path} differs from the text made now; BLESS=1 rewrites it:\n{}",
        difference(&committed, text)
    );
}

/// The first lines that differ.
fn difference(old: &str, new: &str) -> String {
    let line = |text: &str, n| text.lines().nth(n).unwrap_or("(the end)").to_owned();
    let n = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    format!("line {}\n- {}\n+ {}", n + 1, line(old, n), line(new, n))
}

/// An empty folder for files of a test, in the build directory.
pub fn scratch(test: &str) -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let folder = program.ancestors().nth(3).expect("tests are built in target/PROFILE/deps").join("tmp").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for files of tests can be made");
    folder
}

/// True if a program can be started. A missing one is reported aloud, and a failure in CI.
pub fn has_tool(name: &str) -> bool {
    let mut command = Command::new(name);
    let found =
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "CI must have {name}");
        eprintln!("SKIPPED: there is no {name}");
    }
    found
}

/// The part of a corpus that tests run by default is one of so many.
pub const SHARE: usize = 5;

/// Whether tests run all of a generated corpus: with `PLANISH_TESTS=all`, as continuous integration does.
pub fn runs_all() -> bool {
    std::env::var_os("PLANISH_TESTS").is_some_and(|tests| tests == "all")
}

/// The part of a corpus that a test runs: by default every [`SHARE`]th item, from the first on; all if [`runs_all`].
pub fn share<T: IntoIterator>(corpus: T) -> StepBy<T::IntoIter> {
    corpus.into_iter().step_by(if runs_all() { 1 } else { SHARE })
}

/// The seeds that the variable `PLANISH_SEEDS` (`FROM..TO`) asks for, or the [`share`] of the usual ones; of fewer
/// than ten, all.
pub fn seeds(usual: Range<u64>) -> StepBy<Range<u64>> {
    let given = std::env::var("PLANISH_SEEDS").ok();
    let given =
        given.as_deref().and_then(|s| s.split_once("..")).and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    match given {
        None if usual.clone().count() >= 10 => share(usual),
        given => given.unwrap_or(usual).step_by(1),
    }
}

/// Runs work on a thread with a stack of `bytes` bytes, and returns its result.
pub fn on_a_stack_of<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).expect("a thread");
        thread.join().expect("no panic and no overflow")
    })
}
