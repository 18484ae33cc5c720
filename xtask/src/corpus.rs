//! The corpus of real shaders: the output of the harvest scripts, and the verdicts of the reference compiler.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Failure;

/// The name of the index that lists every program of the corpus.
pub const INDEX: &str = "programs.json";

/// One shader: a whole translation unit of one stage, as a browser would get it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// Its package.
    pub package: String,
    /// Its file in `programs/<package>/`.
    pub file: String,
    /// `vert`, `frag` or `comp`.
    pub stage: String,
    /// The GLSL version that it is written in: `100`, `300 es`, …
    pub version: String,
    /// Its length.
    pub bytes: usize,
    /// The file of the other stage that it was first linked with.
    #[serde(default)]
    pub partner: Option<String>,
    /// Whether the reference compiler accepts it; `None` before the check.
    #[serde(default)]
    pub accepted: Option<bool>,
    /// The reference compiler's first message, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Program {
    /// Its name in messages: `package/file`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.package, self.file)
    }

    /// Its path below `folder` (`programs`, or one of the output folders that mirror it).
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.package).join(&self.file)
    }
}

/// Reads the indexes that the harvest scripts left beside the programs, in the order of the packages' names.
pub fn read_harvest(programs: &Path) -> Result<Vec<Program>, Failure> {
    let mut indexes: Vec<PathBuf> = std::fs::read_dir(programs)?
        .filter_map(|entry| Some(entry.ok()?.path().join("index.json")))
        .filter(|index| index.exists())
        .collect();
    indexes.sort();
    let mut all = vec![];
    for index in indexes {
        let text = std::fs::read_to_string(&index)?;
        let part: Vec<Program> = serde_json::from_str(&text).map_err(|e| broken(&index, e))?;
        all.extend(part);
    }
    Ok(all)
}

/// Reads the index of the whole corpus.
pub fn read(folder: &Path) -> Result<Vec<Program>, Failure> {
    let index = folder.join(INDEX);
    let text = std::fs::read_to_string(&index)
        .map_err(|_| Failure::Missing("there is no corpus yet: run `cargo xtask conformance`".into()))?;
    serde_json::from_str(&text).map_err(|e| broken(&index, e))
}

/// The programs of these packages (of all, if none is named), and of each package at most `sample`, spread evenly over it.
pub fn choose(programs: Vec<Program>, only: &[String], sample: Option<usize>) -> Result<Vec<Program>, Failure> {
    let mut kept = vec![];
    for package in programs.chunk_by(|a, b| a.package == b.package) {
        if only.is_empty() || only.contains(&package[0].package) {
            let step = package.len().div_ceil(sample.unwrap_or(usize::MAX));
            kept.extend(package.iter().step_by(step).cloned());
        }
    }
    match kept.is_empty() {
        true => Err(Failure::Usage(format!("no program is from {}", only.join(" or ")))),
        false => Ok(kept),
    }
}

/// Writes the index of the whole corpus.
pub fn write(folder: &Path, programs: &[Program]) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(programs).expect("plain data");
    Ok(std::fs::write(folder.join(INDEX), text + "\n")?)
}

fn broken(index: &Path, error: serde_json::Error) -> Failure {
    Failure::Broken(format!("{}: {error}; `cargo xtask conformance --fresh` makes it anew", index.display()))
}
