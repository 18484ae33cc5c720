//! Output of results and messages: files are written atomically, streams may be closed.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use planish_files::{folder, replace};

use crate::Stop;

/// Maximum number of symbolic links followed before a path counts as circular.
const MAX_LINKS: usize = 40;

/// Writes to a file; `-` is standard output. Files are replaced atomically.
pub(crate) fn write(path: &Path, bytes: &[u8], binary: bool) -> Result<(), Stop> {
    let written = match target(path) {
        Target::Stdout => return write_stdout(bytes, binary),
        Target::Descriptor(path) => append(&path, bytes),
        Target::File(file) => write_file(&file, bytes),
    };
    written.map_err(|e| Stop::usage(format!("cannot write {}: {e}", path.display())))
}

/// Makes a folder and those that it is in.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Stop> {
    fs::create_dir_all(folder).map_err(|e| Stop::usage(format!("cannot make the folder {}: {e}", folder.display())))
}

/// Writes to standard output; binary never to a terminal. A closed pipe is no error.
pub(crate) fn write_stdout(bytes: &[u8], binary: bool) -> Result<(), Stop> {
    if binary && io::stdout().is_terminal() {
        return Err(Stop::usage("this output is binary: give a file with -o, or redirect standard output"));
    }
    match write_open_stdout(bytes) {
        Err(Stop::Closed) => Ok(()),
        other => other,
    }
}

/// As [`write_stdout`] of text, for commands with nothing left to do once the pipe is closed (`planish … | head`).
///
/// # Errors
/// [`Stop::Closed`] if the pipe is closed.
pub(crate) fn write_open_stdout(bytes: &[u8]) -> Result<(), Stop> {
    let mut out = io::stdout();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Stop::Closed,
        _ => Stop::usage(format!("cannot write to standard output: {error}")),
    })
}

/// Writes a message to standard error; `false` if that is closed, which callers may ignore.
pub(crate) fn write_message(message: &str) -> bool {
    io::stderr().write_all(message.as_bytes()).is_ok()
}

/// The kind of file that a path on the command line leads to.
pub(crate) enum Target {
    /// Standard output, as `-`, `/dev/stdout` or `/dev/fd/1`.
    Stdout,
    /// Another open file of a process, as `/dev/fd/3`.
    Descriptor(PathBuf),
    /// A file (possibly to be created) or a device; not a link.
    File(PathBuf),
}

/// Follows symbolic links, also to files that do not exist yet.
pub(crate) fn target(path: &Path) -> Target {
    if path == Path::new("-") {
        return Target::Stdout;
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Some(own) = is_descriptor(&path) {
            let is_stdout = own && path.file_name().is_some_and(|name| name == "1");
            return if is_stdout { Target::Stdout } else { Target::Descriptor(path) };
        }
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder(&path).join(next);
    }
    Target::File(path)
}

/// `Some` if a path names an open file by its descriptor; `true` if it is one of this process. Such a file can be
/// written, but not replaced.
fn is_descriptor(path: &Path) -> Option<bool> {
    let folder = path.parent()?;
    if !folder.is_absolute() || path.file_name()?.to_str()?.parse::<u32>().is_err() {
        return None;
    }
    let real = folder.canonicalize().ok()?;
    let is_own = |of: &str| Path::new(of).canonicalize().is_ok_and(|own| own == real);
    if is_own("/dev/fd") || is_own("/proc/self/fd") || is_own("/proc/thread-self/fd") {
        return Some(true);
    }
    (real.starts_with("/proc") && real.ends_with("fd")).then_some(false)
}

/// Appends to an open file.
fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    closed_is_fine(OpenOptions::new().append(true).open(path)?.write_all(bytes))
}

/// The reader has closed the stream.
fn closed_is_fine(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Replaces or creates a file; anything but a regular file (a device, a named pipe) is written to.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| std::path::is_separator(last.into())) {
        return Err(ErrorKind::IsADirectory.into());
    }
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return closed_is_fine(OpenOptions::new().write(true).open(path)?.write_all(bytes));
    }
    replace(path, bytes)
}
