//! `cargo xtask conformance`: installs the packages, harvests their shaders, determines by the reference compiler which
//! of them are valid, and starts the harness.

mod harvest;
mod tools;

use std::process::Command;

use crate::{Failure, conformance_folder, corpus, root, validators};

/// The user's options.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    /// These packages only.
    pub only: Vec<String>,
    /// Stop after the corpus is complete.
    pub harvest_only: bool,
    /// Harvest even if nothing changed.
    pub fresh: bool,
    /// Threads and processes at a time.
    pub jobs: Option<usize>,
    /// Maximum number of programs of each package.
    pub sample: Option<usize>,
}

impl Options {
    /// Reads the options of the command line.
    pub fn parse(args: &[String]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, mut value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (arg.as_str(), None),
            };
            let mut value = || {
                value.take().or_else(|| args.next().cloned()).ok_or(Failure::Usage(format!("`{name}` wants a value")))
            };
            match name {
                "--only" => options.only.push(value()?),
                "--harvest-only" => options.harvest_only = true,
                "--fresh" => options.fresh = true,
                "--jobs" => options.jobs = Some(number(name, &value()?)?),
                "--sample" => options.sample = Some(number(name, &value()?)?),
                _ => return Err(Failure::Usage(format!("`conformance` has no option `{arg}`"))),
            }
        }
        Ok(options)
    }
}

fn number(name: &str, value: &str) -> Result<usize, Failure> {
    let parsed = value.parse().ok().filter(|n| *n > 0);
    parsed.ok_or(Failure::Usage(format!("`{name}` wants a positive number, not `{value}`")))
}

/// The whole run. Ends in `Broken` if a rate required by `docs/conformance.md` is missed.
pub fn run(options: &Options) -> Result<(), Failure> {
    let folder = conformance_folder();
    let jobs = options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(2, |n| n.get()));
    tools::require(&tools::ALL)?;
    let harvested = harvest::harvest(&folder, jobs, options.fresh)?;
    if harvested || !folder.join(corpus::INDEX).exists() {
        accept(&folder, jobs)?;
    }
    if options.harvest_only {
        return Ok(());
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--release", "--package", "conformance", "--", "--jobs", &jobs.to_string()]);
    for package in &options.only {
        cargo.args(["--only", package]);
    }
    if let Some(sample) = options.sample {
        cargo.args(["--sample", &sample.to_string()]);
    }
    match cargo.current_dir(root()).status()?.success() {
        true => Ok(()),
        false => Err(Failure::Broken("the conformance run missed its bar, or did not end".into())),
    }
}

/// Determines by the reference compiler which programs are valid, and writes the index.
fn accept(folder: &std::path::Path, jobs: usize) -> Result<(), Failure> {
    let programs = folder.join("programs");
    let mut index = corpus::read_harvest(&programs)?;
    let files: Vec<_> = index.iter().map(|p| (p.path(&programs), p.stage.as_str())).collect();
    let verdicts = validators::glslang(&files, &folder.join("oracle"), jobs)?;
    for (program, verdict) in index.iter_mut().zip(verdicts) {
        program.accepted = Some(verdict.is_none());
        program.message = verdict;
    }
    let accepted = index.iter().filter(|p| p.accepted == Some(true)).count();
    println!("{} programs, {accepted} of them accepted by glslangValidator", index.len());
    corpus::write(folder, &index)
}

#[cfg(test)]
mod tests {
    use super::Options;
    use crate::Failure;

    fn parse(line: &str) -> Result<Options, Failure> {
        Options::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn reads_options_in_both_spellings() {
        let options = parse("--only three --only=ogl --jobs 2 --sample=10 --harvest-only").unwrap();
        assert_eq!(options.only, ["three", "ogl"]);
        assert_eq!((options.jobs, options.sample, options.harvest_only), (Some(2), Some(10), true));
        assert!(matches!(parse("--jobs none"), Err(Failure::Usage(_))));
        assert!(matches!(parse("--jobs"), Err(Failure::Usage(_))));
        assert!(matches!(parse("--everything"), Err(Failure::Usage(_))));
    }
}
