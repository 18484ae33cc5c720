//! The inputs of the matrix: every file of the repository that is in a language Planish reads.

use std::path::{Path, PathBuf};

use planish::INPUTS;

/// Folders of the repository that contain programs.
const FOLDERS: [&str; 7] = ["benches", "crates", "examples", "fuzz/regressions", "tests", "xtask/pages", "docs"];

/// A program, valid or not.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its path relative to the repository's root, or its name in the corpus.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

/// Every input of the repository below `root`, sorted by name.
///
/// # Errors
/// If a folder cannot be read.
pub fn repository(root: &Path) -> std::io::Result<Vec<Input>> {
    let mut paths = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).filter(|f| f.exists()).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is_output = path.file_name().is_some_and(|name| name == "target" || name == "node_modules");
            match path.is_dir() {
                true if is_output => {}
                true => folders.push(path),
                false => paths.push(path),
            }
        }
    }
    let is_input = |path: &Path| {
        let extension = path.extension().and_then(|e| e.to_str());
        INPUTS.iter().any(|input| input.extensions.iter().any(|e| Some(*e) == extension))
            || path.parent().is_some_and(|folder| folder.ends_with("regressions"))
    };
    paths.retain(|path| is_input(path));
    paths.sort();
    let named = |path: PathBuf| Input {
        name: path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/"),
        path,
    };
    Ok(paths.into_iter().map(named).collect())
}
