//! The plan of `planish compile`: the files that are compiled together, and the file that each result goes to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use planish::Target;

use crate::Stop;
use crate::args::Compile;
use crate::files::{Output, without_dots};
use crate::names::{self, suggest};

/// Targets of a file, each with its output; `None` is standard output.
pub(crate) type Outputs = Vec<(Target, Option<PathBuf>)>;

/// The stages of one program, and the outputs of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub(crate) files: Vec<PathBuf>,
    /// As many as there are files.
    pub(crate) outputs: Vec<Outputs>,
}

impl Job {
    /// All targets, with repetitions.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Target> {
        self.outputs.iter().flatten().map(|(target, _)| *target)
    }

    /// The files that are written: the outputs, and headers beside them.
    pub(crate) fn written(&self) -> Vec<Output> {
        let of_output = |(target, file): &(Target, Option<PathBuf>)| {
            Output::new(format!("the {} output", target.info().name), file.as_deref())
        };
        let headers = self.outputs.iter().flat_map(|outputs| {
            let beside = |(target, file): &(Target, _)| header_beside(Option::as_deref(file)?, *target, outputs);
            outputs.iter().filter_map(beside)
        });
        let headers = headers.map(|file| Output::new("the header output", Some(&file)));
        self.outputs.iter().flatten().map(of_output).chain(headers).collect()
    }
}

/// The header that is written beside an object file, unless it is one of the outputs itself. There is none for a device.
pub(crate) fn header_beside(file: &Path, target: Target, outputs: &Outputs) -> Option<PathBuf> {
    let has_header = outputs.iter().any(|(target, _)| *target == Target::Header);
    let header = file.with_extension("h");
    (matches!(target, Target::Object | Target::C) && !has_header && file.extension().is_some()).then_some(header)
}

/// The jobs of a command line: with `--out-dir` one for each file or group of stages, else one.
pub(crate) fn jobs(args: &Compile) -> Result<Vec<Job>, Stop> {
    let named = args.emit.iter().map(|n| target(n)).collect::<Result<Vec<_>, _>>()?;
    let Some(folder) = &args.out_dir else {
        let outputs = match &args.files[..] {
            [file] => vec![outputs_of_one(file, &args.outputs, &named)?],
            files => outputs_of_stages(files, &args.outputs, &named)?,
        };
        return Ok(vec![Job { files: args.files.clone(), outputs }]);
    };
    if named.is_empty() {
        return Err(Stop::usage("give targets: --out-dir goes with --emit=TARGET,…"));
    }
    let names = names_below(args)?;
    let mut jobs: Vec<Job> = vec![];
    let mut groups: HashMap<PathBuf, usize> = HashMap::new();
    let mut written: HashMap<PathBuf, usize> = HashMap::new();
    for (index, (file, name)) in args.files.iter().zip(names).enumerate() {
        let outputs: Outputs = named.iter().map(|t| (*t, Some(with_extension(&folder.join(&name), *t)))).collect();
        for (_, output) in &outputs {
            let output = output.clone().unwrap_or_default();
            let first = written.insert(output.clone(), index).filter(|&first| first != index);
            if let Some(first) = first {
                let (first, file) = (args.files[first].display(), file.display());
                let message = format!("{first} and {file} would both be written to {}", output.display());
                return Err(Stop::usage(format!("{message}; give each file once")));
            }
        }
        let group = if args.group_stages { name.with_extension("") } else { name };
        let number = *groups.entry(group).or_insert(jobs.len());
        if number == jobs.len() {
            jobs.push(Job { files: vec![], outputs: vec![] });
        }
        jobs[number].files.push(file.clone());
        jobs[number].outputs.push(outputs);
    }
    Ok(jobs)
}

/// The path of each file below the output folder: that below the common folder of all, or below `--out-base`.
fn names_below(args: &Compile) -> Result<Vec<PathBuf>, Stop> {
    let path = |file: &PathBuf| match (file.as_os_str() == "-", &args.input.stdin_name) {
        (false, _) => absolute(file),
        (true, Some(name)) => absolute(Path::new(name)),
        (true, None) => Err(Stop::usage("--out-dir needs a name for standard input: --stdin-name NAME")),
    };
    let paths = args.files.iter().map(path).collect::<Result<Vec<_>, _>>()?;
    let base = match &args.out_base {
        Some(base) => absolute(base)?,
        None => common(&paths),
    };
    let below = |path: &PathBuf| {
        let outside =
            || format!("{} is not below {}, so it has no place below --out-dir", path.display(), base.display());
        let name = path.strip_prefix(&base).ok().filter(|name| name.file_name().is_some());
        name.map(Path::to_owned).ok_or_else(|| Stop::usage(outside()))
    };
    paths.iter().map(below).collect()
}

/// An absolute path without `.` and `..`, as written: links are not followed.
fn absolute(path: &Path) -> Result<PathBuf, Stop> {
    let whole = std::path::absolute(path).map_err(|e| Stop::usage(format!("no file {}: {e}", path.display())))?;
    Ok(without_dots(&whole))
}

/// The folder that all files are below.
fn common(paths: &[PathBuf]) -> PathBuf {
    let mut folders = paths.iter().map(|path| path.parent().unwrap_or(Path::new("")));
    let Some(first) = folders.next() else { return PathBuf::new() };
    folders.fold(first.to_owned(), |common, folder| {
        let both = common.components().zip(folder.components());
        both.take_while(|(a, b)| a == b).map(|(part, _)| part).collect()
    })
}

fn outputs_of_one(file: &Path, outputs: &[PathBuf], named: &[Target]) -> Result<Outputs, Stop> {
    match (outputs, named) {
        ([], []) => Err(Stop::usage("give a target: -o FILE with the target's extension, or --emit=TARGET")),
        ([], [one]) => Ok(vec![(*one, None)]),
        ([], many) => Ok(many.iter().map(|t| (*t, Some(beside(file, *t)))).collect()),
        (files, []) => files.iter().map(|f| Ok((target_of(f)?, Some(f.clone())))).collect(),
        (files, targets) if files.len() == targets.len() => {
            Ok(targets.iter().copied().zip(files.iter().cloned().map(Some)).collect())
        }
        _ => Err(Stop::usage("give as many -o as --emit targets, or only one of the two")),
    }
}

/// Several files are written to one output each, or beside themselves for each target: `a.vert` to `a.vert.wgsl`.
fn outputs_of_stages(files: &[PathBuf], outputs: &[PathBuf], named: &[Target]) -> Result<Vec<Outputs>, Stop> {
    if files.iter().any(|file| file.as_os_str() == "-") {
        return Err(Stop::usage("standard input can only be compiled by itself"));
    }
    match (outputs, named) {
        ([], []) => Err(Stop::usage("give targets: as many -o as there are files, or --emit=TARGET")),
        ([], targets) => {
            let at = |file: &PathBuf| targets.iter().map(|t| (*t, Some(with_extension(file, *t)))).collect();
            Ok(files.iter().map(at).collect())
        }
        (outputs, targets) if outputs.len() == files.len() && targets.len() <= 1 => {
            let target = |f: &PathBuf| targets.first().map_or_else(|| target_of(f), |t| Ok(*t));
            outputs.iter().map(|f| Ok(vec![(target(f)?, Some(f.clone()))])).collect()
        }
        _ => Err(Stop::usage("give as many -o as there are files, or only --emit targets")),
    }
}

fn target(name: &str) -> Result<Target, Stop> {
    Target::from_name(name).ok_or_else(|| {
        Stop::usage(format!("unknown target `{name}`, see `planish targets`{}", suggest(name, names::targets())))
    })
}

fn target_of(file: &Path) -> Result<Target, Stop> {
    Target::from_file(&file.to_string_lossy()).ok_or_else(|| {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let near = suggest(&extension, names::target_extensions());
        Stop::usage(format!("the extension of {} names no target{near}; select one with --emit", file.display()))
    })
}

/// The file's name with the target's extension after its own.
fn with_extension(file: &Path, target: Target) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(format!(".{}", target.info().extensions[0]));
    name.into()
}

/// The input's name with the target's extension.
fn beside(file: &Path, target: Target) -> PathBuf {
    let stem = if file.as_os_str() == "-" { Path::new("out") } else { file };
    stem.with_extension(target.info().extensions[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_folder_is_that_of_whole_names() {
        let of = |paths: &[&str]| common(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["/a/b/x.frag"]), Path::new("/a/b"));
        assert_eq!(of(&["/a/b/x.frag", "/a/b/c/y.frag"]), Path::new("/a/b"));
        assert_eq!(of(&["/a/bc/x.frag", "/a/b/y.frag"]), Path::new("/a"));
    }
}
