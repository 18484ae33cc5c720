//! Calls on open descriptors.

use std::fs::{File, FileTimes};
use std::io::{IoSlice, Seek, SeekFrom, Write};
use std::time::SystemTime;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::{Answer, Errno, Guest, WasiCtx, path};
use crate::descriptor::{Node, OpenFile, fd_flags};
use crate::guest::Buffers;
use crate::rights::Rights;
use crate::{host, stat};

pub(super) fn fd_advise(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32, offset: u64, len: u64, advice: u32) -> Answer {
    let open = ctx.descriptors.file(fd, Rights::FD_ADVISE)?;
    if !fits(offset, len) {
        return Err(Errno::Invalid);
    }
    host::advise(&open.file, offset, len, advice)
}

/// Whether a range of a file is within the offsets that the host supports.
fn fits(offset: u64, len: u64) -> bool {
    offset.checked_add(len).is_some_and(|end| i64::try_from(end).is_ok())
}

pub(super) fn fd_allocate(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32, offset: u64, len: u64) -> Answer {
    let open = ctx.descriptors.file(fd, Rights::FD_ALLOCATE)?;
    if len == 0 {
        return Err(Errno::Invalid);
    }
    if !fits(offset, len) {
        return Err(Errno::FileTooBig);
    }
    host::allocate(&open.file, offset, len)
}

pub(super) fn fd_close(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32) -> Answer {
    match ctx.descriptors.take(fd)?.node {
        Node::Output(mut output) => Ok(output.writer.flush()?),
        _ => Ok(()),
    }
}

pub(super) fn fd_datasync(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32) -> Answer {
    sync(ctx.descriptors.with(fd, Rights::FD_DATASYNC)?, File::sync_data)
}

pub(super) fn fd_sync(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32) -> Answer {
    sync(ctx.descriptors.with(fd, Rights::FD_SYNC)?, File::sync_all)
}

fn sync(node: &mut Node, write_back: fn(&File) -> std::io::Result<()>) -> Answer {
    let done = match node {
        Node::File(open) => write_back(&open.file),
        // The directory may be open for path lookup only.
        Node::Directory(directory) if cfg!(unix) => write_back(&reopened(&directory.dir)?),
        Node::Directory(_) => Ok(()),
        Node::Output(output) => output.writer.flush(),
        Node::Input(_) => return Err(Errno::Invalid),
    };
    Ok(done?)
}

/// The directory, opened as a file is.
fn reopened(dir: &Dir) -> std::io::Result<File> {
    use cap_fs_ext::OpenOptionsMaybeDirExt;
    Ok(dir.open_with(".", OpenOptions::new().read(true).maybe_dir(true))?.into_std())
}

pub(super) fn fd_fdstat_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, out: u32) -> Answer {
    let descriptor = ctx.descriptors.get(fd)?;
    let flags = if let Node::File(open) = &descriptor.node { open.flags } else { 0 };
    let mut fdstat = [0; 24];
    fdstat[0] = descriptor.file_type()? as u8;
    fdstat[2..4].copy_from_slice(&flags.to_le_bytes());
    fdstat[8..16].copy_from_slice(&descriptor.base.0.to_le_bytes());
    fdstat[16..].copy_from_slice(&descriptor.inheriting.0.to_le_bytes());
    guest.put(out, &fdstat)
}

pub(super) fn fd_fdstat_set_flags(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32, flags: u32) -> Answer {
    let node = ctx.descriptors.with(fd, Rights::FD_FDSTAT_SET_FLAGS)?;
    let flags = u16::try_from(flags).ok().filter(|flags| flags & !fd_flags::ALL == 0).ok_or(Errno::Invalid)?;
    let Node::File(open) = node else {
        return if flags == 0 { Ok(()) } else { Err(Errno::NotSupported) };
    };
    // The synchronization mode (`dsync`, `sync`, `rsync`) is fixed when a file is opened.
    let settable = fd_flags::APPEND | fd_flags::NONBLOCK;
    if (open.flags ^ flags) & !settable != 0 {
        return Err(Errno::Invalid);
    }
    if open.flags != flags {
        host::set_flags(&open.file, flags)?;
        open.flags = flags;
    }
    Ok(())
}

pub(super) fn fd_fdstat_set_rights(
    ctx: &mut WasiCtx,
    _: &mut Guest<'_>,
    fd: u32,
    base: u64,
    inheriting: u64,
) -> Answer {
    let descriptor = ctx.descriptors.get_mut(fd)?;
    let (base, inheriting) = (Rights(base), Rights(inheriting));
    if !descriptor.base.contains(base) || !descriptor.inheriting.contains(inheriting) {
        return Err(Errno::NotCapable);
    }
    (descriptor.base, descriptor.inheriting) = (base, inheriting);
    Ok(())
}

pub(super) fn fd_filestat_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, out: u32) -> Answer {
    let descriptor = ctx.descriptors.get(fd)?;
    descriptor.allow(Rights::FD_FILESTAT_GET)?;
    let stat = match &descriptor.node {
        Node::File(open) => stat::of_metadata(&Metadata::from_file(&open.file)?),
        Node::Directory(directory) => stat::of_metadata(&directory.dir.dir_metadata()?),
        Node::Input(_) | Node::Output(_) => stat::of_type_alone(descriptor.file_type()?),
    };
    guest.put(out, &stat)
}

pub(super) fn fd_filestat_set_size(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32, size: u64) -> Answer {
    Ok(ctx.descriptors.file(fd, Rights::FD_FILESTAT_SET_SIZE)?.file.set_len(size)?)
}

pub(super) fn fd_filestat_set_times(
    ctx: &mut WasiCtx,
    _: &mut Guest<'_>,
    fd: u32,
    access: u64,
    modification: u64,
    flags: u32,
) -> Answer {
    let node = ctx.descriptors.with(fd, Rights::FD_FILESTAT_SET_TIMES)?;
    let (access, modification) = stat::new_times(access, modification, flags)?;
    match node {
        Node::File(open) => {
            let now = SystemTime::now();
            let mut times = FileTimes::new();
            if let Some(time) = access.at(now) {
                times = times.set_accessed(time);
            }
            if let Some(time) = modification.at(now) {
                times = times.set_modified(time);
            }
            Ok(open.file.set_times(times)?)
        }
        Node::Directory(directory) => {
            Ok(directory.dir.set_times(".", path::time_spec(access), path::time_spec(modification))?)
        }
        Node::Input(_) | Node::Output(_) => Err(Errno::Invalid),
    }
}

pub(super) fn fd_read(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, buffers: u32, count: u32, out: u32) -> Answer {
    let node = ctx.descriptors.with(fd, Rights::FD_READ)?;
    let buffers = guest.buffers(buffers, count)?;
    guest.u32(out)?;
    let read = match node {
        Node::File(open) => fill(guest, &buffers, |bytes, _| std::io::Read::read(&mut open.file, bytes))?,
        // Reads into the first buffer only: filling a second one might block.
        Node::Input(input) => {
            let first: Buffers = buffers.iter().copied().filter(|b| b.len > 0).take(1).collect();
            fill(guest, &first, |bytes, _| input.read(bytes))?
        }
        Node::Directory(_) => return Err(Errno::IsDirectory),
        Node::Output(_) => return Err(Errno::BadDescriptor),
    };
    guest.put_u32(out, read)
}

pub(super) fn fd_pread(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Answer {
    let open = seekable(ctx, fd, Rights::FD_READ | Rights::FD_SEEK)?;
    let buffers = guest.buffers(buffers, count)?;
    guest.u32(out)?;
    let read = fill(guest, &buffers, |bytes, done| host::read_at(&open.file, bytes, offset.saturating_add(done)))?;
    guest.put_u32(out, read)
}

/// Fills buffers until a read is short; returns the number of bytes. `read` gets a buffer and the number of bytes read
/// before.
fn fill(
    guest: &mut Guest<'_>,
    buffers: &Buffers,
    mut read: impl FnMut(&mut [u8], u64) -> std::io::Result<usize>,
) -> Answer<u32> {
    let mut total = 0;
    for buffer in buffers.iter().filter(|buffer| buffer.len > 0) {
        let bytes = guest.bytes_mut(buffer.at, buffer.len)?;
        match read(bytes, total.into()) {
            Ok(n) => {
                total += n as u32;
                if n < bytes.len() {
                    break;
                }
            }
            // A partial read is reported as success; the next call reports the error.
            Err(_) if total > 0 => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(total)
}

pub(super) fn fd_write(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    out: u32,
) -> Answer {
    let node = ctx.descriptors.with(fd, Rights::FD_WRITE)?;
    let buffers = guest.buffers(buffers, count)?;
    guest.u32(out)?;
    let written = match node {
        Node::File(open) => {
            let slices = buffers.iter().map(|b| guest.bytes(b.at, b.len).map(IoSlice::new));
            open.file.write_vectored(&slices.collect::<Answer<Vec<_>>>()?)?
        }
        Node::Output(output) => {
            let mut total = 0;
            for buffer in &buffers {
                output.writer.write_all(guest.bytes(buffer.at, buffer.len)?)?;
                total += buffer.len as usize;
            }
            // Output is flushed by each call, as writes of a process of its own would be.
            output.writer.flush()?;
            total
        }
        Node::Directory(_) => return Err(Errno::IsDirectory),
        Node::Input(_) => return Err(Errno::BadDescriptor),
    };
    guest.put_u32(out, written as u32)
}

pub(super) fn fd_pwrite(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    buffers: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Answer {
    let open = seekable(ctx, fd, Rights::FD_WRITE | Rights::FD_SEEK)?;
    let buffers = guest.buffers(buffers, count)?;
    guest.u32(out)?;
    let mut total = 0;
    for buffer in buffers.iter().filter(|buffer| buffer.len > 0) {
        let bytes = guest.bytes(buffer.at, buffer.len)?;
        match host::write_at(&open.file, bytes, offset.saturating_add(total.into())) {
            Ok(n) => {
                total += n as u32;
                if n < bytes.len() {
                    break;
                }
            }
            Err(_) if total > 0 => break,
            Err(error) => return Err(error.into()),
        }
    }
    guest.put_u32(out, total)
}

/// An open file with a position. Standard streams have none, whatever their rights.
fn seekable(ctx: &mut WasiCtx, fd: u32, rights: Rights) -> Answer<&mut OpenFile> {
    if matches!(ctx.descriptors.get(fd)?.node, Node::Input(_) | Node::Output(_)) {
        return Err(Errno::Seek);
    }
    ctx.descriptors.file(fd, rights)
}

pub(super) fn fd_renumber(ctx: &mut WasiCtx, _: &mut Guest<'_>, from: u32, to: u32) -> Answer {
    ctx.descriptors.get(from)?;
    ctx.descriptors.get(to)?;
    if from == to {
        return Ok(());
    }
    let descriptor = ctx.descriptors.take(from)?;
    ctx.descriptors.replace(to, descriptor)
}

pub(super) fn fd_seek(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, offset: i64, whence: u32, out: u32) -> Answer {
    let tells = whence == 1 && offset == 0;
    let open = seekable(ctx, fd, if tells { Rights::FD_TELL } else { Rights::FD_SEEK })?;
    let place = match whence {
        0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::Invalid)?),
        1 => SeekFrom::Current(offset),
        2 => SeekFrom::End(offset),
        _ => return Err(Errno::Invalid),
    };
    guest.u64(out)?;
    guest.put_u64(out, open.file.seek(place)?)
}

pub(super) fn fd_tell(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, out: u32) -> Answer {
    let open = seekable(ctx, fd, Rights::FD_TELL)?;
    guest.put_u64(out, open.file.stream_position()?)
}
