//! Installs the pinned packages and runs the harvest scripts; both only if their inputs have changed.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tools;
use crate::{Failure, root};

/// Modules that other scripts import; every other file of the folder is a script of its own.
const SHARED: [&str; 3] = ["lib.mjs", "three-addons.mjs", "cesium-models.mjs"];

/// Creates `programs/` below `folder`. Returns whether anything was rebuilt.
pub(super) fn harvest(folder: &Path, jobs: usize, fresh: bool) -> Result<bool, Failure> {
    let sources = root().join("xtask/conformance");
    fs::create_dir_all(folder)?;
    install(&sources, folder)?;

    let scripts = scripts(&sources.join("harvest"))?;
    let mut inputs = vec![sources.join("package-lock.json")];
    inputs.extend(scripts.iter().cloned());
    let stamp = stamp(&inputs, &[tools::version("node"), tools::version("glslangValidator")])?;
    let stamp_file = folder.join("harvest.stamp");
    let programs = folder.join("programs");
    if !fresh && programs.exists() && fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) {
        return Ok(false);
    }

    // The scripts resolve packages relative to their own path, so they are copied beside the packages.
    let copies = folder.join("harvest");
    for folder in [&copies, &programs] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    fs::create_dir_all(&copies)?;
    for script in &scripts {
        fs::copy(script, copies.join(name(script)))?;
    }
    let runs: Vec<String> = scripts.iter().map(|s| name(s)).filter(|s| !SHARED.contains(&s.as_str())).collect();
    run_scripts(folder, &runs, jobs)?;
    fs::write(stamp_file, stamp)?;
    Ok(true)
}

/// `npm ci` from the lock file, unless it was done for this very lock file.
fn install(sources: &Path, folder: &Path) -> Result<(), Failure> {
    let files = ["package.json", "package-lock.json"].map(|file| sources.join(file));
    let stamp = stamp(&files, &[])?;
    let stamp_file = folder.join("install.stamp");
    if folder.join("node_modules").exists() && fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) {
        return Ok(());
    }
    for file in &files {
        fs::copy(file, folder.join(name(file)))?;
    }
    println!("installing the packages of xtask/conformance/package-lock.json");
    let status = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(folder)
        .status()?;
    if !status.success() {
        return Err(Failure::Missing("npm could not install the packages of the corpus; is there a network?".into()));
    }
    Ok(fs::write(stamp_file, stamp)?)
}

/// Runs the scripts, `jobs` at a time; the output of each goes to a log beside the programs.
fn run_scripts(folder: &Path, runs: &[String], jobs: usize) -> Result<(), Failure> {
    let logs = folder.join("logs");
    fs::create_dir_all(&logs)?;
    for group in runs.chunks(jobs.max(1)) {
        let mut children = vec![];
        for script in group {
            let log = logs.join(script).with_extension("log");
            let out = fs::File::create(&log)?;
            let mut node = Command::new("node");
            node.arg(Path::new("harvest").join(script)).current_dir(folder);
            node.stdout(out.try_clone()?).stderr(out);
            children.push((script, log, node.spawn()?));
        }
        for (script, log, mut child) in children {
            let status = child.wait()?;
            let output = fs::read_to_string(&log)?;
            if !status.success() {
                let end: Vec<&str> = output.lines().rev().take(12).collect();
                let end: Vec<&str> = end.into_iter().rev().collect();
                return Err(Failure::Broken(format!("harvest/{script} ended with {status}:\n{}", end.join("\n"))));
            }
            println!("{}", output.lines().rfind(|line| line.ends_with("distinct shaders")).unwrap_or(script));
        }
    }
    Ok(())
}

/// Every script of the folder, in the order of their names.
fn scripts(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "mjs"));
    all.sort();
    Ok(all)
}

/// A short text that changes with any of the files or words.
fn stamp(files: &[PathBuf], words: &[String]) -> Result<String, Failure> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        name(file).hash(&mut hasher);
        fs::read(file)?.hash(&mut hasher);
    }
    words.hash(&mut hasher);
    Ok(format!("{:016x}\n", hasher.finish()))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
