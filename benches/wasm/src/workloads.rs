//! The programs: those of `examples/wasm`, and real ones that a chore has fetched.

use std::fs;
use std::path::{Path, PathBuf};

use crate::engines::Error;

/// A row of `examples/wasm/workloads.txt`.
pub struct Workload {
    /// Base name of its files.
    pub name: String,
    /// The binary.
    pub wasm: Vec<u8>,
    /// A small size, and the result of `run` there.
    pub small: (i32, i64),
    /// A size that runs long enough to be measured.
    pub size: i32,
    /// The result of `run` at that size.
    pub sum: i64,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All workloads whose name has `only` in it.
///
/// # Errors
/// If the table or a text cannot be read.
pub fn all(only: &str) -> Result<Vec<Workload>, Error> {
    let folder = root().join("examples/wasm");
    let table = fs::read_to_string(folder.join("workloads.txt"))?;
    let mut all = vec![];
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [name, small, of_small, size, sum] = words[..] else { return Err(format!("`{row}` is no row").into()) };
        if name.contains(only) {
            let wasm = wat::parse_file(folder.join(name).with_extension("wat"))?;
            let small = (small.parse()?, of_small.parse()?);
            all.push(Workload { name: name.into(), wasm, small, size: size.parse()?, sum: sum.parse()? });
        }
    }
    Ok(all)
}

/// Names and bytes of the real modules that `cargo xtask wasm` has installed; none if it has not run.
pub fn real() -> Vec<(String, Vec<u8>)> {
    let mut found = vec![];
    let mut folders = vec![root().join("target/wasm/node_modules")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "wasm") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                found.extend(fs::read(&path).ok().map(|bytes| (name, bytes)));
            }
        }
    }
    found.sort_by_key(|(_, bytes)| bytes.len());
    found
}
