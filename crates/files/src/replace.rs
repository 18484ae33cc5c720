//! Files that are replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names that are tried for a temporary file.
const MAX_NAMES: u32 = 100;

/// Held while a file is being replaced.
static REPLACING: Mutex<()> = Mutex::new(());

/// Waits until no file is being replaced, and lets none be until the result is dropped: for a thread that ends the process.
pub fn replacing() -> MutexGuard<'static, ()> {
    REPLACING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The folder that a file is in.
pub fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces or creates a regular file: readers see the old bytes or the new ones, and a process that is ended leaves the old ones. A file in a
/// folder that takes no new files is overwritten.
///
/// # Errors
/// If the file is read-only, or there is no such folder.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match fs::metadata(path) {
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
        // (WASI has no permissions.)
        if let Some(old) = old.as_ref().filter(|_| cfg!(not(target_family = "wasm"))) {
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
#[derive(Debug)]
pub struct Temporary {
    file: File,
    path: PathBuf,
}

impl Temporary {
    /// A new file in this directory.
    ///
    /// # Errors
    /// If the directory takes no new files.
    pub fn new(folder: &Path) -> io::Result<Self> {
        // (WASI has no processes.)
        let process = if cfg!(target_family = "wasm") { 0 } else { std::process::id() };
        let mut number = 0;
        loop {
            let path = folder.join(format!(".planish-{process}-{number}.tmp"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Temporary { file, path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_NAMES => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
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
