//! `cargo xtask semver`: the public interfaces of the published libraries beside those of the last version, by `cargo-semver-checks`.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Failure, package, root, skip, succeeds};

/// Compares with the last tag of a version, or with `--baseline REV`; all libraries, or those of `--only CRATE`.
///
/// # Errors
/// If an interface has changed in a way that its version does not allow; in continuous integration also if the tool is missing.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let Options { baseline, only } = Options::parse(args)?;
    let mut libraries: Vec<String> = package::published()?.iter().filter_map(library).collect();
    if let Some(unknown) = only.iter().find(|name| !libraries.contains(name)) {
        return Err(Failure::Usage(format!("`{unknown}` is no published library")));
    }
    libraries.retain(|name| only.is_empty() || only.contains(name));
    let tool = Command::new(env!("CARGO")).args(["semver-checks", "--version"]).stderr(Stdio::null()).output();
    if !tool.is_ok_and(|output| output.status.success()) {
        return skip("there is no `cargo-semver-checks`; cargo install --locked cargo-semver-checks");
    }
    let Some(baseline) = baseline.map_or_else(last_version, |revision| Ok(Some(revision)))? else {
        eprintln!("SKIPPED: no version has a tag `v…` yet; `--baseline REV` compares with any revision");
        return Ok(());
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["semver-checks", "--baseline-rev", &baseline]);
    cargo.args(libraries.iter().flat_map(|name| ["--package", name])).current_dir(root());
    succeeds(
        &mut cargo,
        &format!("an interface is not that of {baseline}: raise the minor version, or keep what was there"),
    )?;
    println!("{} libraries have what they had in {baseline}", libraries.len());
    Ok(())
}

/// The user's options.
#[derive(Debug, Default, PartialEq)]
struct Options {
    /// A revision of git.
    baseline: Option<String>,
    /// Names of crates; none: all.
    only: Vec<String>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, Failure> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().cloned().ok_or_else(|| Failure::Usage(format!("`{arg}` wants a value")));
            match arg.as_str() {
                "--baseline" => options.baseline = Some(value()?),
                "--only" => options.only.push(value()?),
                _ => return Err(Failure::Usage(format!("`semver` takes no `{arg}`"))),
            }
        }
        Ok(options)
    }
}

/// The name of a package with a library. (Macros have no interface that the tool reads.)
fn library(package: &Value) -> Option<String> {
    let kinds =
        package["targets"].as_array()?.iter().flat_map(|target| target["kind"].as_array().into_iter().flatten());
    kinds.into_iter().any(|kind| kind == "lib").then(|| package["name"].as_str().map(str::to_owned))?
}

/// The last tag of a version before this commit.
fn last_version() -> Result<Option<String>, Failure> {
    let mut git = Command::new("git");
    let output = git.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]).current_dir(root()).output()?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_a_baseline_and_crates() {
        let parse = |args: &[&str]| Options::parse(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>());
        let options =
            parse(&["--baseline", "HEAD~1", "--only", "planish", "--only", "planish-ir"]).expect("they are right");
        assert_eq!(options.baseline.as_deref(), Some("HEAD~1"));
        assert_eq!(options.only, ["planish", "planish-ir"]);
        assert!(parse(&["--baseline"]).is_err() && parse(&["all"]).is_err());
    }

    #[test]
    fn libraries_are_those_that_programs_use() {
        let libraries: Vec<String> =
            package::published().expect("Cargo describes them").iter().filter_map(library).collect();
        for name in ["planish", "planish-build", "planish-ir", "planish-vm"] {
            assert!(libraries.iter().any(|library| library == name), "{name}");
        }
        assert!(!libraries.iter().any(|library| library == "planish-macros" || library == "xtask"));
    }
}
