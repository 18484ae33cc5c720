//! What operating systems do differently.

use std::fs::File;
use std::io;

use crate::descriptor::fd_flags;
use crate::errno::{Answer, Errno};

/// Reads at a place of a file, without moving where it is read next.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// Writes at a place of a file, without moving where it is written next.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, offset)
}

/// Reads at a place of a file, without moving where it is read next.
#[cfg(windows)]
pub(crate) fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let position = io::Seek::stream_position(&mut file)?;
    let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
    io::Seek::seek(&mut file, io::SeekFrom::Start(position))?;
    read
}

/// Writes at a place of a file, without moving where it is written next.
#[cfg(windows)]
pub(crate) fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    let position = io::Seek::stream_position(&mut file)?;
    let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset);
    io::Seek::seek(&mut file, io::SeekFrom::Start(position))?;
    written
}

/// Sets whether an open file is written at its end, and whether its calls wait.
#[cfg(unix)]
pub(crate) fn set_flags(file: &File, flags: u16) -> Answer {
    use rustix::fs::OFlags;
    let mut host = rustix::fs::fcntl_getfl(file)?;
    host.set(OFlags::APPEND, flags & fd_flags::APPEND != 0);
    host.set(OFlags::NONBLOCK, flags & fd_flags::NONBLOCK != 0);
    Ok(rustix::fs::fcntl_setfl(file, host)?)
}

/// Sets whether an open file is written at its end, and whether its calls wait: not possible here once it is open.
#[cfg(not(unix))]
pub(crate) fn set_flags(_file: &File, _flags: u16) -> Answer {
    Err(Errno::NotSupported)
}

/// Says how a part of a file will be used: `advice` is one of the interface's six. Systems that want no advice get none.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) fn advise(file: &File, offset: u64, len: u64, advice: u32) -> Answer {
    use rustix::fs::Advice;
    let known =
        [Advice::Normal, Advice::Sequential, Advice::Random, Advice::WillNeed, Advice::DontNeed, Advice::NoReuse];
    let advice = *known.get(advice as usize).ok_or(Errno::Invalid)?;
    Ok(rustix::fs::fadvise(file, offset, std::num::NonZeroU64::new(len), advice)?)
}

/// Says how a part of a file will be used: `advice` is one of the interface's six. Systems that want no advice get none.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
pub(crate) fn advise(_file: &File, _offset: u64, _len: u64, advice: u32) -> Answer {
    if advice < 6 { Ok(()) } else { Err(Errno::Invalid) }
}

/// Makes sure that a file has room up to `end`.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn allocate(file: &File, offset: u64, len: u64) -> Answer {
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), offset, len)?)
}

/// Makes sure that a file is as long as that: systems without a call for it may still run out of room later.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn allocate(file: &File, offset: u64, len: u64) -> Answer {
    let end = offset + len;
    if file.metadata()?.len() < end {
        file.set_len(end)?;
    }
    Ok(())
}

/// Time that the process or thread has computed, and how fine that is known, in nanoseconds.
#[cfg(unix)]
pub(crate) fn cpu_clock(thread: bool) -> Answer<(u64, u64)> {
    use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};
    let id = if thread { ClockId::ThreadCPUTime } else { ClockId::ProcessCPUTime };
    let nanoseconds = |time: Timespec| (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64;
    Ok((nanoseconds(clock_gettime(id)), nanoseconds(clock_getres(id))))
}

/// Time that the process or thread has computed: not known here.
#[cfg(not(unix))]
pub(crate) fn cpu_clock(_thread: bool) -> Answer<(u64, u64)> {
    Err(Errno::NotSupported)
}

/// How fine the clocks of the standard library are, in nanoseconds: of the day, and the monotonic one.
#[cfg(unix)]
pub(crate) fn resolutions() -> (u64, u64) {
    use rustix::time::{ClockId, clock_getres};
    let of = |id| (clock_getres(id).tv_nsec as u64).max(1);
    (of(ClockId::Realtime), of(ClockId::Monotonic))
}

/// How fine the clocks of the standard library are, in nanoseconds: of the day, and the monotonic one.
#[cfg(not(unix))]
pub(crate) fn resolutions() -> (u64, u64) {
    (100, 100)
}
