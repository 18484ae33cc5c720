//! Files that are written, and what Cargo is told.

use std::fs;
use std::path::{Path, PathBuf};

use planish_files::{folder, replace};

use crate::{Error, Output};

/// Writes files below a folder if their contents have changed; their paths.
pub(crate) fn write(below: &Path, files: Vec<(PathBuf, Vec<u8>)>) -> Result<Vec<PathBuf>, Error> {
    let mut paths = vec![];
    for (name, bytes) in files {
        let path = below.join(name);
        if fs::read(&path).ok().as_deref() != Some(&bytes) {
            let made = fs::create_dir_all(folder(&path)).and_then(|()| replace(&path, &bytes));
            made.map_err(|error| Error::new(format!("cannot write {}: {error}", path.display())))?;
        }
        paths.push(path);
    }
    Ok(paths)
}

/// Lines for Cargo: files and variables to watch, and warnings.
///
/// # Errors
/// A name with a line break, which would be several lines.
pub(crate) fn directives(output: &Output, environment: &[String]) -> Result<Vec<String>, Error> {
    let mut lines = vec![];
    for path in &output.read {
        lines.push(format!("cargo::rerun-if-changed={}", path.display()));
    }
    lines.extend(environment.iter().map(|name| format!("cargo::rerun-if-env-changed={name}")));
    if let Some(line) = lines.iter().find(|line| line.contains(['\n', '\r'])) {
        return Err(Error::new(format!("Cargo cannot be told to watch a name with a line break: {line:?}")));
    }
    lines.extend(output.warnings.iter().flat_map(|text| text.lines()).map(|line| format!("cargo::warning={line}")));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_told_what_to_watch() {
        let output = Output {
            module: "shaders.rs".into(),
            files: vec![],
            read: vec!["shaders".into(), "shaders/a.frag".into()],
            warnings: vec!["warning: a\n --> b\n".into()],
        };
        let lines = directives(&output, &["QUALITY".into()]).unwrap();
        let watched = ["cargo::rerun-if-changed=shaders", "cargo::rerun-if-changed=shaders/a.frag"];
        let rest = ["cargo::rerun-if-env-changed=QUALITY", "cargo::warning=warning: a", "cargo::warning= --> b"];
        assert_eq!(lines, [&watched[..], &rest[..]].concat());
        let broken = Output { read: vec!["a\nb".into()], ..output };
        assert!(directives(&broken, &[]).unwrap_err().to_string().contains("line break"));
    }
}
