//! File descriptors of a program.

use std::fs::File;
use std::io::{self, Read, Write};

use cap_std::fs::Dir;

use crate::errno::{Answer, Errno};
use crate::rights::Rights;

/// Flags of an open file, as bits of WASI preview 1.
pub(crate) mod fd_flags {
    pub(crate) const APPEND: u16 = 1;
    pub(crate) const DSYNC: u16 = 1 << 1;
    pub(crate) const NONBLOCK: u16 = 1 << 2;
    pub(crate) const RSYNC: u16 = 1 << 3;
    pub(crate) const SYNC: u16 = 1 << 4;
    pub(crate) const ALL: u16 = (1 << 5) - 1;
}

/// The file type of a descriptor, as numbered by WASI preview 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum FileType {
    Unknown = 0,
    BlockDevice = 1,
    CharacterDevice = 2,
    Directory = 3,
    RegularFile = 4,
    SocketStream = 6,
    SymbolicLink = 7,
}

/// An open descriptor, with its rights.
pub(crate) struct Descriptor {
    pub(crate) node: Node,
    /// Operations allowed on it.
    pub(crate) base: Rights,
    /// Operations allowed on descriptors opened through it.
    pub(crate) inheriting: Rights,
}

/// The object that a descriptor refers to.
pub(crate) enum Node {
    Input(Input),
    Output(Output),
    File(OpenFile),
    Directory(Directory),
}

/// Standard input.
pub(crate) struct Input {
    pub(crate) reader: Reader,
    pub(crate) terminal: bool,
}

/// The source of standard input.
pub(crate) enum Reader {
    /// The embedder's.
    Own(Box<dyn Read + Send>),
    /// The process's own, unbuffered, so that it can be polled.
    #[cfg(unix)]
    Host(File),
}

impl Input {
    /// The process's own.
    pub(crate) fn inherit() -> Self {
        let stdin = io::stdin();
        let terminal = io::IsTerminal::is_terminal(&stdin);
        #[cfg(unix)]
        if let Ok(owned) = std::os::fd::AsFd::as_fd(&stdin).try_clone_to_owned() {
            return Input { reader: Reader::Host(owned.into()), terminal };
        }
        Input { reader: Reader::Own(Box::new(stdin)), terminal }
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.reader {
            Reader::Own(reader) => reader.read(buffer),
            #[cfg(unix)]
            Reader::Host(file) => file.read(buffer),
        }
    }
}

/// Standard output or error.
pub(crate) struct Output {
    pub(crate) writer: Box<dyn Write + Send>,
    pub(crate) terminal: bool,
}

/// An open file, or anything that is neither file nor directory.
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) flags: u16,
}

/// An open directory.
pub(crate) struct Directory {
    pub(crate) dir: Dir,
    /// Its name for the program, if it is preopened.
    pub(crate) preopened_as: Option<String>,
    /// Its entries when the program began to read it.
    pub(crate) entries: Vec<Entry>,
}

/// Something in a directory.
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) inode: u64,
    pub(crate) file_type: FileType,
}

impl Descriptor {
    /// Fails unless the program may do that with it.
    pub(crate) fn allow(&self, rights: Rights) -> Answer {
        if self.base.contains(rights) { Ok(()) } else { Err(Errno::NotCapable) }
    }

    pub(crate) fn file_type(&self) -> Answer<FileType> {
        Ok(match &self.node {
            Node::Input(Input { terminal: true, .. }) | Node::Output(Output { terminal: true, .. }) => {
                FileType::CharacterDevice
            }
            Node::Input(_) | Node::Output(_) => FileType::Unknown,
            Node::Directory(_) => FileType::Directory,
            Node::File(open) => crate::stat::of_type(cap_std::fs::Metadata::from_file(&open.file)?.file_type()),
        })
    }
}

/// The open descriptors of a program, by number.
#[derive(Default)]
pub(crate) struct Descriptors(Vec<Option<Descriptor>>);

impl Descriptors {
    /// Adds a descriptor under the lowest free number.
    pub(crate) fn add(&mut self, descriptor: Descriptor) -> Answer<u32> {
        let at = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        let number = u32::try_from(at).map_err(|_| Errno::ManyFiles)?;
        if at == self.0.len() {
            self.0.push(None);
        }
        self.0[at] = Some(descriptor);
        Ok(number)
    }

    /// An open descriptor.
    pub(crate) fn get(&self, fd: u32) -> Answer<&Descriptor> {
        self.0.get(fd as usize).and_then(Option::as_ref).ok_or(Errno::BadDescriptor)
    }

    /// An open descriptor, to change it.
    pub(crate) fn get_mut(&mut self, fd: u32) -> Answer<&mut Descriptor> {
        self.0.get_mut(fd as usize).and_then(Option::as_mut).ok_or(Errno::BadDescriptor)
    }

    /// An open descriptor with these rights.
    pub(crate) fn with(&mut self, fd: u32, rights: Rights) -> Answer<&mut Node> {
        let descriptor = self.get_mut(fd)?;
        descriptor.allow(rights)?;
        Ok(&mut descriptor.node)
    }

    /// An open file with which the program may do that.
    pub(crate) fn file(&mut self, fd: u32, rights: Rights) -> Answer<&mut OpenFile> {
        match self.with(fd, rights)? {
            Node::File(open) => Ok(open),
            Node::Directory(_) => Err(Errno::IsDirectory),
            Node::Input(_) | Node::Output(_) => Err(Errno::Seek),
        }
    }

    /// An open directory with these rights.
    pub(crate) fn directory(&self, fd: u32, rights: Rights) -> Answer<&Directory> {
        let descriptor = self.get(fd)?;
        // A descriptor of anything else has none of a directory's rights; the error is the more specific one.
        let Node::Directory(directory) = &descriptor.node else { return Err(Errno::NotDirectory) };
        descriptor.allow(rights)?;
        Ok(directory)
    }

    /// Takes a descriptor out.
    pub(crate) fn take(&mut self, fd: u32) -> Answer<Descriptor> {
        self.0.get_mut(fd as usize).and_then(Option::take).ok_or(Errno::BadDescriptor)
    }

    /// Puts a descriptor in the place of an open one.
    pub(crate) fn replace(&mut self, fd: u32, descriptor: Descriptor) -> Answer {
        *self.get_mut(fd)? = descriptor;
        Ok(())
    }
}
