//! Differences between operating systems.

use std::fs::File;
use std::io;

use crate::descriptor::fd_flags;
use crate::errno::{Answer, Errno};

/// Reads at an offset of a file, without moving its position.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// Writes at an offset of a file, without moving its position.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, offset)
}

/// Reads at an offset of a file, without moving its position.
#[cfg(windows)]
pub(crate) fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let position = io::Seek::stream_position(&mut file)?;
    let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
    io::Seek::seek(&mut file, io::SeekFrom::Start(position))?;
    read
}

/// Writes at an offset of a file, without moving its position.
#[cfg(windows)]
pub(crate) fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    let position = io::Seek::stream_position(&mut file)?;
    let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset);
    io::Seek::seek(&mut file, io::SeekFrom::Start(position))?;
    written
}

/// Sets whether writes to an open file append, and whether its calls block.
#[cfg(unix)]
pub(crate) fn set_flags(file: &File, flags: u16) -> Answer {
    use rustix::fs::OFlags;
    let mut host = rustix::fs::fcntl_getfl(file)?;
    host.set(OFlags::APPEND, flags & fd_flags::APPEND != 0);
    host.set(OFlags::NONBLOCK, flags & fd_flags::NONBLOCK != 0);
    Ok(rustix::fs::fcntl_setfl(file, host)?)
}

/// Sets whether writes to an open file append, and whether its calls block: unsupported here after opening.
#[cfg(not(unix))]
pub(crate) fn set_flags(_file: &File, _flags: u16) -> Answer {
    Err(Errno::NotSupported)
}

/// Announces how a part of a file will be used. `advice` is the interface's number, 0 to 5; ignored by systems without
/// such a call.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) fn advise(file: &File, offset: u64, len: u64, advice: u32) -> Answer {
    use rustix::fs::Advice;
    let known =
        [Advice::Normal, Advice::Sequential, Advice::Random, Advice::WillNeed, Advice::DontNeed, Advice::NoReuse];
    let advice = *known.get(advice as usize).ok_or(Errno::Invalid)?;
    Ok(rustix::fs::fadvise(file, offset, std::num::NonZeroU64::new(len), advice)?)
}

/// Announces how a part of a file will be used: unsupported here.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
pub(crate) fn advise(_file: &File, _offset: u64, _len: u64, advice: u32) -> Answer {
    if advice < 6 { Ok(()) } else { Err(Errno::Invalid) }
}

/// Allocates space for a file up to `end`.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn allocate(file: &File, offset: u64, len: u64) -> Answer {
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), offset, len)?)
}

/// Extends a file to `end` bytes: without a call that allocates, later writes may still run out of space.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn allocate(file: &File, offset: u64, len: u64) -> Answer {
    let end = offset + len;
    if file.metadata()?.len() < end {
        file.set_len(end)?;
    }
    Ok(())
}

/// CPU time of the process or thread and its resolution, in nanoseconds.
#[cfg(unix)]
pub(crate) fn cpu_clock(thread: bool) -> Answer<(u64, u64)> {
    use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};
    let id = if thread { ClockId::ThreadCPUTime } else { ClockId::ProcessCPUTime };
    let nanoseconds = |time: Timespec| (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64;
    Ok((nanoseconds(clock_gettime(id)), nanoseconds(clock_getres(id))))
}

/// CPU time of the process or thread: unsupported here.
#[cfg(not(unix))]
pub(crate) fn cpu_clock(_thread: bool) -> Answer<(u64, u64)> {
    Err(Errno::NotSupported)
}

/// Resolution of the realtime and the monotonic clock, in nanoseconds.
#[cfg(unix)]
pub(crate) fn resolutions() -> (u64, u64) {
    use rustix::time::{ClockId, clock_getres};
    let of = |id| (clock_getres(id).tv_nsec as u64).max(1);
    (of(ClockId::Realtime), of(ClockId::Monotonic))
}

/// Resolution of the realtime and the monotonic clock, in nanoseconds.
#[cfg(not(unix))]
pub(crate) fn resolutions() -> (u64, u64) {
    (100, 100)
}
