//! The error numbers of WASI preview 1, and the conversion of the host's errors.

use std::io;

/// The result of a call.
pub(crate) type Answer<T = ()> = Result<T, Errno>;

macro_rules! errnos {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal $(($host:ident))?,)*) => {
        /// An error number of WASI preview 1.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u16)]
        pub enum Errno { $($(#[doc = $doc])* $name = $number,)* }

        /// The number for an error code of the operating system.
        #[cfg(unix)]
        fn of_host(error: rustix::io::Errno) -> Option<Errno> {
            $($(if error == rustix::io::Errno::$host { return Some(Errno::$name); })?)*
            None
        }
    };
}

errnos! {
    /// Done.
    Success = 0,
    /// Argument list too long.
    TooBig = 1 (TOOBIG),
    /// Permission denied.
    Access = 2 (ACCESS),
    /// Address in use.
    AddressInUse = 3 (ADDRINUSE),
    /// Address not available.
    AddressNotAvailable = 4 (ADDRNOTAVAIL),
    /// Address family not supported.
    AddressFamily = 5 (AFNOSUPPORT),
    /// Resource unavailable, or the operation would block.
    Again = 6 (AGAIN),
    /// Connection already in progress.
    Already = 7 (ALREADY),
    /// Bad file descriptor.
    BadDescriptor = 8 (BADF),
    /// Bad message.
    BadMessage = 9 (BADMSG),
    /// Device or resource busy.
    Busy = 10 (BUSY),
    /// Operation canceled.
    Canceled = 11 (CANCELED),
    /// No child processes.
    Child = 12 (CHILD),
    /// Connection aborted.
    ConnectionAborted = 13 (CONNABORTED),
    /// Connection refused.
    ConnectionRefused = 14 (CONNREFUSED),
    /// Connection reset.
    ConnectionReset = 15 (CONNRESET),
    /// Resource deadlock would occur.
    Deadlock = 16 (DEADLK),
    /// Destination address required.
    DestinationRequired = 17 (DESTADDRREQ),
    /// Mathematics argument out of domain of function.
    Domain = 18 (DOM),
    /// Disk quota exceeded.
    Quota = 19 (DQUOT),
    /// File exists.
    Exists = 20 (EXIST),
    /// Bad address.
    Fault = 21 (FAULT),
    /// File too large.
    FileTooBig = 22 (FBIG),
    /// Host is unreachable.
    HostUnreachable = 23 (HOSTUNREACH),
    /// Identifier removed.
    IdentifierRemoved = 24 (IDRM),
    /// Illegal byte sequence.
    IllegalSequence = 25 (ILSEQ),
    /// Operation in progress.
    InProgress = 26 (INPROGRESS),
    /// Interrupted function.
    Interrupted = 27 (INTR),
    /// Invalid argument.
    Invalid = 28 (INVAL),
    /// Input or output error.
    Io = 29 (IO),
    /// Socket is connected.
    IsConnected = 30 (ISCONN),
    /// Is a directory.
    IsDirectory = 31 (ISDIR),
    /// Too many levels of symbolic links.
    Loop = 32 (LOOP),
    /// Too many open files of the process.
    ManyFiles = 33 (MFILE),
    /// Too many links.
    ManyLinks = 34 (MLINK),
    /// Message too large.
    MessageSize = 35 (MSGSIZE),
    /// Multihop attempted.
    Multihop = 36 (MULTIHOP),
    /// File name too long.
    NameTooLong = 37 (NAMETOOLONG),
    /// Network is down.
    NetworkDown = 38 (NETDOWN),
    /// Connection aborted by the network.
    NetworkReset = 39 (NETRESET),
    /// Network unreachable.
    NetworkUnreachable = 40 (NETUNREACH),
    /// Too many open files of the system.
    ManyFilesSystem = 41 (NFILE),
    /// No buffer space available.
    NoBuffers = 42 (NOBUFS),
    /// No such device.
    NoDevice = 43 (NODEV),
    /// No such file or directory.
    NoEntry = 44 (NOENT),
    /// Executable file format error.
    NoExec = 45 (NOEXEC),
    /// No locks available.
    NoLocks = 46 (NOLCK),
    /// Link has been severed.
    NoLink = 47 (NOLINK),
    /// Not enough space in memory.
    NoMemory = 48 (NOMEM),
    /// No message of the desired type.
    NoMessage = 49 (NOMSG),
    /// Protocol not available.
    NoProtocolOption = 50 (NOPROTOOPT),
    /// No space left on device.
    NoSpace = 51 (NOSPC),
    /// Function not supported.
    NoSystemCall = 52 (NOSYS),
    /// The socket is not connected.
    NotConnected = 53 (NOTCONN),
    /// Not a directory.
    NotDirectory = 54 (NOTDIR),
    /// Directory not empty.
    NotEmpty = 55 (NOTEMPTY),
    /// State not recoverable.
    NotRecoverable = 56 (NOTRECOVERABLE),
    /// Not a socket.
    NotSocket = 57 (NOTSOCK),
    /// Not supported.
    NotSupported = 58 (NOTSUP),
    /// Inappropriate I/O control operation.
    NotTerminal = 59 (NOTTY),
    /// No such device or address.
    NoAddress = 60 (NXIO),
    /// Value too large to be stored.
    Overflow = 61 (OVERFLOW),
    /// Previous owner died.
    OwnerDead = 62 (OWNERDEAD),
    /// Operation not permitted.
    NotPermitted = 63 (PERM),
    /// Broken pipe.
    Pipe = 64 (PIPE),
    /// Protocol error.
    Protocol = 65 (PROTO),
    /// Protocol not supported.
    ProtocolSupport = 66 (PROTONOSUPPORT),
    /// Protocol wrong type for socket.
    ProtocolType = 67 (PROTOTYPE),
    /// Result too large.
    Range = 68 (RANGE),
    /// Read-only file system.
    ReadOnly = 69 (ROFS),
    /// Invalid seek.
    Seek = 70 (SPIPE),
    /// No such process.
    NoProcess = 71 (SRCH),
    /// Stale file handle.
    Stale = 72 (STALE),
    /// Connection timed out.
    TimedOut = 73 (TIMEDOUT),
    /// Text file busy.
    TextBusy = 74 (TXTBSY),
    /// Cross-device link.
    CrossDevice = 75 (XDEV),
    /// Capabilities insufficient.
    NotCapable = 76,
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Errno {
        #[cfg(unix)]
        if let Some(errno) = rustix::io::Errno::from_io_error(&error).and_then(of_host) {
            return errno;
        }
        of_kind(&error)
    }
}

/// The number of an error that has no system error code.
fn of_kind(error: &io::Error) -> Errno {
    use io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => Errno::NoEntry,
        // The sandbox's own error, for a path that leads out of the directory. The operating system's has an error
        // code.
        ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Errno::NotPermitted,
        ErrorKind::PermissionDenied => Errno::Access,
        ErrorKind::AlreadyExists => Errno::Exists,
        ErrorKind::WouldBlock => Errno::Again,
        ErrorKind::NotADirectory => Errno::NotDirectory,
        ErrorKind::IsADirectory => Errno::IsDirectory,
        ErrorKind::DirectoryNotEmpty => Errno::NotEmpty,
        ErrorKind::ReadOnlyFilesystem => Errno::ReadOnly,
        ErrorKind::StaleNetworkFileHandle => Errno::Stale,
        ErrorKind::InvalidInput => Errno::Invalid,
        ErrorKind::InvalidData => Errno::IllegalSequence,
        ErrorKind::TimedOut => Errno::TimedOut,
        ErrorKind::StorageFull => Errno::NoSpace,
        ErrorKind::NotSeekable => Errno::Seek,
        ErrorKind::QuotaExceeded => Errno::Quota,
        ErrorKind::FileTooLarge => Errno::FileTooBig,
        ErrorKind::ResourceBusy => Errno::Busy,
        ErrorKind::ExecutableFileBusy => Errno::TextBusy,
        ErrorKind::Deadlock => Errno::Deadlock,
        ErrorKind::CrossesDevices => Errno::CrossDevice,
        ErrorKind::TooManyLinks => Errno::ManyLinks,
        ErrorKind::InvalidFilename => Errno::NoEntry,
        ErrorKind::ArgumentListTooLong => Errno::TooBig,
        ErrorKind::Interrupted => Errno::Interrupted,
        ErrorKind::Unsupported => Errno::NotSupported,
        ErrorKind::OutOfMemory => Errno::NoMemory,
        ErrorKind::BrokenPipe => Errno::Pipe,
        _ => Errno::Io,
    }
}

/// Converts the host's error.
#[cfg(unix)]
impl From<rustix::io::Errno> for Errno {
    fn from(error: rustix::io::Errno) -> Errno {
        of_host(error).unwrap_or(Errno::Io)
    }
}

#[cfg(test)]
mod tests {
    use super::Errno;

    #[test]
    fn errors_of_the_host_keep_their_meaning() {
        let error = std::fs::File::open("/nonexistent/file").unwrap_err();
        assert_eq!(Errno::from(error), Errno::NoEntry);
        let error = std::fs::File::open("").unwrap_err();
        assert_eq!(Errno::from(error), Errno::NoEntry);
        let escape = std::io::Error::new(std::io::ErrorKind::PermissionDenied, "outside");
        assert_eq!(Errno::from(escape), Errno::NotPermitted);
        #[cfg(unix)]
        assert_eq!(Errno::from(std::io::Error::from(rustix::io::Errno::LOOP)), Errno::Loop);
        #[cfg(unix)]
        assert_eq!(Errno::from(std::io::Error::from(rustix::io::Errno::ACCESS)), Errno::Access);
    }
}
