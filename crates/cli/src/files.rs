//! Identity of the files that a command reads and writes: an output must be neither an input nor another output.
//!
//! Files are compared as the file system sees them: `./a`, `a`, a link to `a`, and on case-insensitive file systems
//! `A`, are one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};

use planish::source::SourceMap;
use planish_files::Temporary;

use crate::Stop;
use crate::output::{Target, target};

/// A path without `.` and `..`, as written: links are not followed.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

/// An output of a command.
pub(crate) struct Output {
    /// As messages call it, such as `the glsl output`.
    pub(crate) name: String,
    /// `-` is standard output.
    pub(crate) path: PathBuf,
}

impl Output {
    /// An output to a file, or without one to standard output.
    pub(crate) fn new(name: impl Into<String>, path: Option<&Path>) -> Self {
        Output { name: name.into(), path: path.unwrap_or(Path::new("-")).to_owned() }
    }
}

/// The file that a path leads to.
enum Identity {
    /// An existing file.
    File(FileId),
    /// An open file such as standard output, which takes several outputs in sequence.
    Open(FileId),
    /// A file to be created: its directory and its name.
    New { id: FileId, name: OsString, folder: PathBuf },
}

#[cfg(unix)]
type FileId = (u64, u64);
/// Without links, spelled as the file system does.
#[cfg(not(unix))]
type FileId = PathBuf;

impl Identity {
    /// Equal for outputs that [`is_same`] may find to be one file.
    fn key(&self) -> (&FileId, Option<String>) {
        match self {
            Identity::File(id) | Identity::Open(id) => (id, None),
            Identity::New { id, name, .. } => (id, Some(lower(name))),
        }
    }
}

/// Checks the command line, before anything is read or written. `-` is standard input among `read`. Time: linear in their number.
///
/// # Errors
/// If an output is a file that is read, or two outputs are one file.
pub(crate) fn check<'a>(read: impl IntoIterator<Item = &'a Path>, outputs: &[Output]) -> Result<(), Stop> {
    let mut ids: HashMap<FileId, &Path> = HashMap::new();
    for path in read {
        if let Some(id) = id_of_input(path) {
            ids.entry(id).or_insert(path);
        }
    }
    // Devices and pipes lose nothing.
    let written = outputs.iter().filter_map(|output| Some((output, identity(&output.path)?)));
    let written: Vec<(&Output, Identity)> = written.collect();
    // A sequence of frames is many files.
    let mut seen: HashMap<_, Vec<(&Output, &Identity)>> = HashMap::new();
    for &(output, ref identity) in &written {
        if let Identity::File(id) | Identity::Open(id) = identity
            && let Some(input) = ids.get(id)
        {
            return Err(overwrites(output, input));
        }
        let candidates = seen.entry(identity.key()).or_default();
        if let Some((other, _)) = candidates.iter().find(|(_, other)| is_same(other, identity)) {
            return Err(two_in_one(other, output));
        }
        candidates.push((output, identity));
    }
    Ok(())
}

/// Checks the sources that the front end has read (`#include`).
///
/// # Errors
/// If an output is one of the sources.
pub(crate) fn check_sources(map: &SourceMap, outputs: &[Output]) -> Result<(), Stop> {
    check(map.files().iter().map(|file| Path::new(&*file.name)), outputs)
}

fn overwrites(output: &Output, input: &Path) -> Stop {
    let (from, to) = (show(input, "standard input"), show(&output.path, "standard output"));
    let alias = if from == to { String::new() } else { format!(" ({to})") };
    let name = &output.name;
    Stop::usage(format!("{name}{alias} would overwrite {from}, which is read; give it another file (-o FILE)"))
}

fn two_in_one(a: &Output, b: &Output) -> Stop {
    let [a_path, b_path] = [a, b].map(|output| show(&output.path, "standard output"));
    let files = if a_path == b_path { a_path } else { format!("one file ({a_path}, {b_path})") };
    Stop::usage(format!("{} and {} would both go to {files}; give each a file of its own (-o FILE)", a.name, b.name))
}

fn show(path: &Path, stream: &str) -> String {
    if path == Path::new("-") { stream.into() } else { path.display().to_string() }
}

/// `None` of what is no file, or is not there.
fn id_of_input(path: &Path) -> Option<FileId> {
    if path == Path::new("-") {
        return streams::stdin();
    }
    id_of(path, &fs::metadata(path).ok().filter(Metadata::is_file)?)
}

/// `None` for anything that an output cannot destroy: devices, pipes, directories, and paths that do not exist.
fn identity(path: &Path) -> Option<Identity> {
    let file = match target(path) {
        Target::Stdout => return streams::stdout().map(Identity::Open),
        Target::Descriptor(path) => return id_of_input(&path).map(Identity::Open),
        Target::File(file) => file,
    };
    match fs::metadata(&file) {
        Ok(about) if about.is_file() => id_of(&file, &about).map(Identity::File),
        Ok(_) => None,
        Err(_) => {
            // The folder may be new as well.
            let folders = file.ancestors().skip(1).map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
            let (folder, about) = folders.filter_map(|f| Some((f, fs::metadata(f).ok()?))).next()?;
            let name = file.strip_prefix(folder).unwrap_or(&file);
            let id = id_of(folder, &about)?;
            Some(Identity::New { id, name: name.as_os_str().to_owned(), folder: folder.to_owned() })
        }
    }
}

/// Whether two outputs are one file. Names of new files that differ in case only are equal on case-insensitive file
/// systems.
fn is_same(a: &Identity, b: &Identity) -> bool {
    match (a, b) {
        (Identity::Open(_), Identity::Open(_)) => false,
        (Identity::File(a) | Identity::Open(a), Identity::File(b) | Identity::Open(b)) => a == b,
        (Identity::New { id, name, folder }, Identity::New { id: other, name: other_name, .. }) => {
            id == other && (name == other_name || lower(name) == lower(other_name) && ignores_case(folder))
        }
        _ => false,
    }
}

fn lower(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

/// Whether names in a directory are case-insensitive. Tested with a temporary file.
fn ignores_case(folder: &Path) -> bool {
    let Ok(file) = Temporary::new(folder) else { return false };
    let upper = file.path().file_name().map(|name| name.to_string_lossy().to_uppercase());
    upper.is_some_and(|name| folder.join(name).exists())
}

#[cfg(unix)]
fn id_of(_: &Path, about: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn id_of(path: &Path, _: &Metadata) -> Option<FileId> {
    // WASI does not tell where a path leads.
    let as_written = || Some(without_dots(&std::env::current_dir().ok()?.join(path)));
    path.canonicalize().ok().or_else(as_written)
}

/// The files that the standard streams were redirected from and to, if any.
#[cfg(unix)]
mod streams {
    use std::fs::{File, Metadata};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::path::Path;

    use super::{FileId, id_of};

    pub(super) fn stdin() -> Option<FileId> {
        id_of_stream(std::io::stdin().as_fd())
    }

    pub(super) fn stdout() -> Option<FileId> {
        id_of_stream(std::io::stdout().as_fd())
    }

    fn id_of_stream(stream: BorrowedFd<'_>) -> Option<FileId> {
        let about = File::from(stream.try_clone_to_owned().ok()?).metadata().ok();
        id_of(Path::new("-"), &about.filter(Metadata::is_file)?)
    }
}

#[cfg(not(unix))]
mod streams {
    pub(super) fn stdin() -> Option<super::FileId> {
        None
    }

    pub(super) fn stdout() -> Option<super::FileId> {
        None
    }
}
