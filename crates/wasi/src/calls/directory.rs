//! Directories: preopened ones and their entries.

use cap_fs_ext::{DirEntryExt, MetadataExt};

use super::{Answer, Errno, Guest, WasiCtx};
use crate::descriptor::{Directory, Entry, FileType, Node};
use crate::rights::Rights;
use crate::stat;

/// Bytes before the name of an entry.
const HEADER: usize = 24;

/// The name of a preopened directory.
fn preopened(ctx: &WasiCtx, fd: u32) -> Answer<&str> {
    match &ctx.descriptors.get(fd)?.node {
        Node::Directory(Directory { preopened_as: Some(name), .. }) => Ok(name),
        Node::Directory(_) => Err(Errno::Invalid),
        _ => Err(Errno::BadDescriptor),
    }
}

pub(super) fn fd_prestat_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, out: u32) -> Answer {
    let len = u32::try_from(preopened(ctx, fd)?.len()).map_err(|_| Errno::Overflow)?;
    let mut prestat = [0; 8];
    prestat[4..].copy_from_slice(&len.to_le_bytes());
    guest.put(out, &prestat)
}

pub(super) fn fd_prestat_dir_name(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, path: u32, len: u32) -> Answer {
    let name = preopened(ctx, fd)?;
    if name.len() > len as usize {
        return Err(Errno::NameTooLong);
    }
    guest.put(path, name.as_bytes())
}

/// Writes entries from `cookie` on, as many as fit; the last one may be truncated, which signals to the program that
/// there are more.
pub(super) fn fd_readdir(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    buffer: u32,
    len: u32,
    cookie: u64,
    out: u32,
) -> Answer {
    let Node::Directory(directory) = ctx.descriptors.with(fd, Rights::FD_READDIR)? else {
        return Err(Errno::NotDirectory);
    };
    guest.u32(out)?;
    if cookie == 0 || directory.entries.is_empty() {
        directory.entries = entries(directory)?;
    }
    let bytes = guest.bytes_mut(buffer, len)?;
    let mut used = 0;
    let first = usize::try_from(cookie).unwrap_or(usize::MAX);
    for (i, entry) in directory.entries.iter().enumerate().skip(first) {
        if used == bytes.len() {
            break;
        }
        let header = header(i as u64 + 1, entry)?;
        for part in [&header[..], &entry.name] {
            let n = part.len().min(bytes.len() - used);
            bytes[used..used + n].copy_from_slice(&part[..n]);
            used += n;
        }
    }
    guest.put_u32(out, used as u32)
}

/// The header before the name of an entry; `next` is the cookie of the following entry.
fn header(next: u64, entry: &Entry) -> Answer<[u8; HEADER]> {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&next.to_le_bytes());
    header[8..16].copy_from_slice(&entry.inode.to_le_bytes());
    let len = u32::try_from(entry.name.len()).map_err(|_| Errno::Overflow)?;
    header[16..20].copy_from_slice(&len.to_le_bytes());
    header[20] = entry.file_type as u8;
    Ok(header)
}

/// All entries of a directory. `..` refers to the directory itself, since the parent may be outside of the sandbox.
fn entries(directory: &Directory) -> Answer<Vec<Entry>> {
    let inode = directory.dir.dir_metadata()?.ino();
    let dots = [b".".to_vec(), b"..".to_vec()];
    let mut entries: Vec<Entry> =
        dots.map(|name| Entry { name, inode, file_type: FileType::Directory }).into_iter().collect();
    for entry in directory.dir.entries()? {
        let entry = entry?;
        let metadata = match entry.full_metadata() {
            // It has been removed since.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            metadata => metadata?,
        };
        let name = entry.file_name().into_string().map_err(|_| Errno::IllegalSequence)?;
        let file_type = stat::of_type(metadata.file_type());
        entries.push(Entry { name: name.into_bytes(), inode: metadata.ino(), file_type });
    }
    Ok(entries)
}
