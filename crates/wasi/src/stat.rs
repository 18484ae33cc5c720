//! Metadata of files, in the interface's layout.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_fs_ext::FileTypeExt;
use cap_std::fs::{FileType as HostType, Metadata};

use crate::descriptor::FileType;
use crate::errno::{Answer, Errno};

/// The bytes of a `filestat`.
pub(crate) type FileStat = [u8; 64];

/// The type of a file, as numbered by the interface. Pipes have none.
pub(crate) fn of_type(host: HostType) -> FileType {
    if host.is_dir() {
        FileType::Directory
    } else if host.is_symlink() {
        FileType::SymbolicLink
    } else if host.is_file() {
        FileType::RegularFile
    } else if host.is_block_device() {
        FileType::BlockDevice
    } else if host.is_char_device() {
        FileType::CharacterDevice
    } else if host.is_socket() {
        FileType::SocketStream
    } else {
        FileType::Unknown
    }
}

/// The metadata of a file.
pub(crate) fn of_metadata(metadata: &Metadata) -> FileStat {
    use cap_fs_ext::MetadataExt;
    let time = |time: std::io::Result<cap_std::time::SystemTime>| time.map_or(0, |t| nanoseconds(t.into_std()));
    let mut stat = of_type_alone(of_type(metadata.file_type()));
    stat[..8].copy_from_slice(&metadata.dev().to_le_bytes());
    stat[8..16].copy_from_slice(&metadata.ino().to_le_bytes());
    stat[24..32].copy_from_slice(&metadata.nlink().to_le_bytes());
    stat[32..40].copy_from_slice(&metadata.len().to_le_bytes());
    stat[40..48].copy_from_slice(&time(metadata.accessed()).to_le_bytes());
    stat[48..56].copy_from_slice(&time(metadata.modified()).to_le_bytes());
    stat[56..].copy_from_slice(&changed(metadata).to_le_bytes());
    stat
}

/// The metadata of standard input and output.
pub(crate) fn of_type_alone(file_type: FileType) -> FileStat {
    let mut stat = [0; 64];
    stat[16] = file_type as u8;
    stat
}

/// When the file's status was last changed.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> u64 {
    use cap_std::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(metadata.ctime_nsec()).unwrap_or(0))
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> u64 {
    metadata.modified().map_or(0, |time| nanoseconds(time.into_std()))
}

/// Nanoseconds since 1970; earlier times become 0.
pub(crate) fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// New value of a file's time stamp.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewTime {
    Keep,
    Now,
    At(SystemTime),
}

/// The access and modification times requested by a call. `flags` has two bits for each, of which at most one may be
/// set.
pub(crate) fn new_times(access: u64, modification: u64, flags: u32) -> Answer<(NewTime, NewTime)> {
    let one = |flags: u32, nanoseconds: u64| match flags & 3 {
        0 => Ok(NewTime::Keep),
        1 => Ok(NewTime::At(UNIX_EPOCH + Duration::from_nanos(nanoseconds))),
        2 => Ok(NewTime::Now),
        _ => Err(Errno::Invalid),
    };
    if flags > 15 {
        return Err(Errno::Invalid);
    }
    Ok((one(flags, access)?, one(flags >> 2, modification)?))
}

impl NewTime {
    /// The time to set, if it is not kept.
    pub(crate) fn at(self, now: SystemTime) -> Option<SystemTime> {
        match self {
            NewTime::Keep => None,
            NewTime::Now => Some(now),
            NewTime::At(time) => Some(time),
        }
    }
}
