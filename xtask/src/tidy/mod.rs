//! `cargo xtask tidy`: the repository's own invariants. Each violation has a place, a reason and a remedy. `cargo test
//! -p xtask` runs the same checks.

mod errors;
mod first;
mod links;
mod manifests;
mod packages;
mod prose;
mod recursion;
mod text;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, root};

/// A violation of an invariant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Violation {
    /// The file, from the root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The violation.
    pub what: String,
    /// The remedy.
    pub remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}\n    {}", self.file, self.line, self.what, self.remedy)
    }
}

/// A file of the repository, as text.
pub(crate) struct File {
    /// Its path from the root, with `/`.
    path: String,
    /// Its contents.
    text: String,
}

impl File {
    fn violation(&self, line: usize, what: impl Into<String>, remedy: impl Into<String>) -> Violation {
        Violation { file: self.path.clone(), line, what: what.into(), remedy: remedy.into() }
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = Path::new(&self.path).extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| extensions.contains(&e))
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().expect("split gives one part at least")
    }
}

/// Checks the repository and prints all violations.
pub fn run() -> Result<(), Failure> {
    let violations = check(root())?;
    for violation in &violations {
        eprintln!("{violation}");
    }
    match violations.len() {
        0 => Ok(()),
        n => Err(Failure::Broken(format!("{n} things are untidy"))),
    }
}

/// All violations in the repository at `root`, in the order of files and lines. With `BLESS`, files that follow from others are
/// written before.
pub fn check(root: &Path) -> Result<Vec<Violation>, Failure> {
    if std::env::var_os("BLESS").is_some() {
        packages::bless(root, &files(root)?)?;
    }
    Ok(check_files(&files(root)?))
}

fn check_files(files: &[File]) -> Vec<Violation> {
    let mut violations = vec![];
    violations.extend(text::check(files));
    violations.extend(manifests::check(files));
    violations.extend(packages::check(files));
    violations.extend(errors::check(files));
    violations.extend(first::check(files));
    violations.extend(links::check(files));
    violations.extend(prose::check(files));
    violations.extend(recursion::check(files));
    violations.sort();
    violations
}

/// Every text file that is tracked or would be added by git.
fn files(root: &Path) -> Result<Vec<File>, Failure> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|e| Failure::Missing(format!("tidy asks git for the repository's files, and cannot start it: {e}")))?;
    if !output.status.success() {
        return Err(Failure::Missing(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let paths = names.split('\0').filter(|name| !name.is_empty());
    // Deleted files that are not yet committed are listed, too, and binary files have no prose: neither can be read as
    // text.
    let read = |name: &str| {
        Some(File { path: name.into(), text: std::fs::read_to_string(PathBuf::from(root).join(name)).ok()? })
    };
    Ok(paths.filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::{File, Violation, check, check_files};
    use crate::root;

    /// The violations in an artificial repository.
    pub(super) fn violations(files: &[(&str, &str)]) -> Vec<Violation> {
        let files: Vec<File> =
            files.iter().map(|(path, text)| File { path: path.to_string(), text: text.to_string() }).collect();
        check_files(&files)
    }

    /// Places of the violations, as `file:line`.
    pub(super) fn places(files: &[(&str, &str)]) -> Vec<String> {
        violations(files).iter().map(|v| format!("{}:{}", v.file, v.line)).collect()
    }

    #[test]
    fn the_repository_is_tidy() {
        // A packaged copy of the sources has no history to list files from.
        if !root().join(".git").exists() {
            eprintln!("skipped: not a git checkout");
            return;
        }
        let violations = check(root()).expect("git lists the files");
        let report: Vec<String> = violations.iter().map(Violation::to_string).collect();
        assert!(violations.is_empty(), "{}", report.join("\n"));
    }
}
