//! Output of results and messages: files are written atomically, streams may be closed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Stop;

/// Maximum number of symbolic links followed before a path counts as circular.
const MAX_LINKS: usize = 40;

/// Names that are tried for a temporary file.
const MAX_NAMES: u32 = 100;

/// Held while a file is being replaced.
static REPLACING: Mutex<()> = Mutex::new(());

/// Waits until no file is being replaced, and lets none be until the result is dropped: for a thread that ends the process.
pub(crate) fn replacing() -> MutexGuard<'static, ()> {
    REPLACING.lock().unwrap_or_else(PoisonError::into_inner)
}

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

/// The folder that a file is in.
pub(crate) fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
    let old = match fs::metadata(path) {
        Ok(about) if !about.is_file() => {
            return closed_is_fine(OpenOptions::new().write(true).open(path)?.write_all(bytes));
        }
        Ok(about) => {
            // A read-only file must not be replaced either, even if the directory allows it.
            drop(OpenOptions::new().write(true).open(path)?);
            Some(about)
        }
        Err(_) => None,
    };
    let _replacing = replacing();
    let replaced = Temporary::new(folder(path)).and_then(|mut temporary| {
        temporary.file.write_all(bytes)?;
        if let Some(old) = &old {
            fs::set_permissions(&temporary.path, old.permissions())?;
        }
        temporary.rename(path)
    });
    match replaced {
        // The directory is read-only, or the file is a mount point: it can only be overwritten.
        Err(error) if old.is_some() && cannot_replace(error.kind()) => fs::write(path, bytes),
        other => other,
    }
}

fn cannot_replace(kind: ErrorKind) -> bool {
    use ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(kind, PermissionDenied | ReadOnlyFilesystem | ResourceBusy | CrossesDevices)
}

/// A new file in a directory, which is removed unless it is renamed.
pub(crate) struct Temporary {
    file: File,
    path: PathBuf,
}

impl Temporary {
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let mut number = 0;
        loop {
            let path = folder.join(format!(".planish-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Temporary { file, path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_NAMES => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts it in the place of another file.
    fn rename(mut self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        self.path.clear();
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // Somebody else may have removed it.
            let _ = fs::remove_file(&self.path);
        }
    }
}
