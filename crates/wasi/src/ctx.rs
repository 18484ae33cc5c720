//! The environment of a program: its arguments, variables, standard streams and directories.

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Instant;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::descriptor::{Descriptor, Descriptors, Directory, Input, Node, Output, Reader};
use crate::rights::Rights;

/// Permissions of a program in a directory opened for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Read files and list directories.
    ReadOnly,
    /// Everything.
    ReadWrite,
}

/// The state of one program's view of the world.
pub struct WasiCtx {
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<String>,
    pub(crate) descriptors: Descriptors,
    /// Zero of the monotonic clock.
    pub(crate) start: Instant,
}

/// Builder of a program's context. By default it has no arguments, no environment, an empty input, discarded output,
/// and no directories.
pub struct WasiCtxBuilder {
    args: Vec<String>,
    env: Vec<String>,
    stdin: Input,
    stdout: Output,
    stderr: Output,
    directories: Vec<Descriptor>,
}

impl Default for WasiCtxBuilder {
    fn default() -> Self {
        let sink = || Output { writer: Box::new(io::sink()), terminal: false };
        WasiCtxBuilder {
            args: Vec::new(),
            env: Vec::new(),
            stdin: Input { reader: Reader::Own(Box::new(io::empty())), terminal: false },
            stdout: sink(),
            stderr: sink(),
            directories: Vec::new(),
        }
    }
}

impl WasiCtxBuilder {
    /// A program that gets nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends arguments. The first one is the program's name.
    ///
    /// # Errors
    /// If one contains a zero byte.
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> io::Result<Self> {
        for arg in args {
            self.args.push(without_zero(arg.into())?);
        }
        Ok(self)
    }

    /// Adds a variable of the environment.
    ///
    /// # Errors
    /// If it contains a zero byte, or the name contains `=`.
    pub fn env(mut self, name: &str, value: &str) -> io::Result<Self> {
        if name.is_empty() || name.contains('=') {
            return Err(invalid(format!("`{name}` cannot name a variable of the environment")));
        }
        self.env.push(without_zero(format!("{name}={value}"))?);
        Ok(self)
    }

    /// Standard input, output and error are the process's own.
    pub fn inherit_stdio(mut self) -> Self {
        self.stdin = Input::inherit();
        self.stdout = Output { terminal: io::stdout().is_terminal(), writer: Box::new(io::stdout()) };
        self.stderr = Output { terminal: io::stderr().is_terminal(), writer: Box::new(io::stderr()) };
        self
    }

    /// The source of the program's standard input.
    pub fn stdin(mut self, reader: impl Read + Send + 'static) -> Self {
        self.stdin = Input { reader: Reader::Own(Box::new(reader)), terminal: false };
        self
    }

    /// The sink of the program's standard output.
    pub fn stdout(mut self, writer: impl Write + Send + 'static) -> Self {
        self.stdout = Output { writer: Box::new(writer), terminal: false };
        self
    }

    /// The sink of the program's standard error.
    pub fn stderr(mut self, writer: impl Write + Send + 'static) -> Self {
        self.stderr = Output { writer: Box::new(writer), terminal: false };
        self
    }

    /// Opens the directory `host` for the program, under the name `guest`. No path escapes it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn preopen(mut self, host: impl AsRef<Path>, guest: &str, access: Access) -> io::Result<Self> {
        let guest = without_zero(guest.to_owned())?;
        let dir = Dir::open_ambient_dir(host, ambient_authority())?;
        let allowed = match access {
            Access::ReadOnly => Rights::READ_ONLY,
            Access::ReadWrite => Rights::DIRECTORY | Rights::FILE,
        };
        self.directories.push(Descriptor {
            node: Node::Directory(Directory { dir, preopened_as: Some(guest), entries: Vec::new() }),
            base: Rights::DIRECTORY & allowed,
            inheriting: (Rights::DIRECTORY | Rights::FILE) & allowed,
        });
        Ok(self)
    }

    /// The finished context. Its monotonic clock begins now.
    pub fn build(self) -> WasiCtx {
        let input = Descriptor { node: Node::Input(self.stdin), base: Rights::INPUT, inheriting: Rights::NONE };
        let output = |output| Descriptor { node: Node::Output(output), base: Rights::OUTPUT, inheriting: Rights::NONE };
        let mut descriptors = Descriptors::default();
        let first = [input, output(self.stdout), output(self.stderr)];
        for descriptor in first.into_iter().chain(self.directories) {
            // Only fails beyond 2³² descriptors.
            let _ = descriptors.add(descriptor);
        }
        WasiCtx { args: self.args, env: self.env, descriptors, start: Instant::now() }
    }
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn without_zero(text: String) -> io::Result<String> {
    if text.contains('\0') { Err(invalid(format!("{text:?} has a zero byte in it"))) } else { Ok(text) }
}
