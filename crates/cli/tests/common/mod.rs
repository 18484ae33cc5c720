//! The command as tests start it.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command there, with this input. No history of anybody is read or written.
pub(crate) fn planish(args: &[&str], stdin: &str) -> Output {
    planish_in(&root(), args, stdin, Stdio::piped(), Stdio::piped())
}

fn planish_in(folder: &Path, args: &[&str], stdin: &str, stdout: Stdio, stderr: Stdio) -> Output {
    use std::io::Write as _;
    let mut child = Command::new(env!("CARGO_BIN_EXE_planish"))
        .args(args)
        .current_dir(folder)
        .env_remove("HOME")
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .expect("the command starts");
    // A command that knows better than to read ends before it has.
    match child.stdin.take().expect("is piped").write_all(stdin.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => panic!("the command reads: {error}"),
        _ => {}
    }
    child.wait_with_output().expect("the command ends")
}

/// Bytes as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of a test, which is removed with all that is in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new one.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("planish-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), contents).expect("can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        text(&std::fs::read(self.0.join(name)).expect("can be read"))
    }

    /// Its contents by name: the bytes of files, the paths that links lead to, nothing of folders.
    pub(crate) fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(&self.0).expect("can be read").flatten();
        let bytes = |path: PathBuf| match std::fs::read_link(&path) {
            Ok(to) => to.into_os_string().into_encoded_bytes(),
            Err(_) => std::fs::read(path).unwrap_or_default(),
        };
        entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), bytes(entry.path()))).collect()
    }

    /// Runs the command in it.
    pub(crate) fn planish(&self, args: &[&str], stdin: &str) -> Output {
        self.planish_with(args, stdin, Stdio::piped(), Stdio::piped())
    }

    /// Runs the command in it with these streams.
    pub(crate) fn planish_with(&self, args: &[&str], stdin: &str, stdout: Stdio, stderr: Stdio) -> Output {
        planish_in(&self.0, args, stdin, stdout, stderr)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that has failed leaves it, to be looked at.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
