//! Calls on paths, which are relative to an open directory: `cap-std` follows them and refuses those that leave it, by
//! `..`, by an absolute path or by a symbolic link.

use cap_fs_ext::{
    DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsMaybeDirExt, OpenOptionsSyncExt, SystemTimeSpec,
};
use cap_std::fs::{Dir, OpenOptions};

use super::{Answer, Errno, Guest, WasiCtx};
use crate::descriptor::{Descriptor, Directory, Node, OpenFile, fd_flags};
use crate::rights::Rights;
use crate::stat::{self, NewTime};

/// Flags of [`path_open`].
mod open_flags {
    pub(super) const CREATE: u32 = 1;
    pub(super) const DIRECTORY: u32 = 2;
    pub(super) const EXCLUSIVE: u32 = 4;
    pub(super) const TRUNCATE: u32 = 8;
    pub(super) const ALL: u32 = 15;
}

/// Whether a symbolic link at the end of a path is followed.
fn follows(lookup: u32) -> Answer<bool> {
    if lookup > 1 { Err(Errno::Invalid) } else { Ok(lookup == 1) }
}

/// A directory with which the program may do that.
fn dir(ctx: &WasiCtx, fd: u32, rights: Rights) -> Answer<&Dir> {
    Ok(&ctx.descriptors.directory(fd, rights)?.dir)
}

pub(super) fn path_create_directory(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, path: u32, len: u32) -> Answer {
    Ok(dir(ctx, fd, Rights::PATH_CREATE_DIRECTORY)?.create_dir(guest.path(path, len)?)?)
}

pub(super) fn path_filestat_get(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    lookup: u32,
    path: u32,
    len: u32,
    out: u32,
) -> Answer {
    let dir = dir(ctx, fd, Rights::PATH_FILESTAT_GET)?;
    let path = guest.path(path, len)?;
    let metadata = if follows(lookup)? { dir.metadata(path)? } else { dir.symlink_metadata(path)? };
    guest.put(out, &stat::of_metadata(&metadata))
}

pub(super) fn path_filestat_set_times(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    lookup: u32,
    path: u32,
    len: u32,
    access: u64,
    modification: u64,
    flags: u32,
) -> Answer {
    let dir = dir(ctx, fd, Rights::PATH_FILESTAT_SET_TIMES)?;
    let path = guest.path(path, len)?;
    let (access, modification) = stat::new_times(access, modification, flags)?;
    let (access, modification) = (time_spec(access), time_spec(modification));
    let done = match follows(lookup)? {
        true => dir.set_times(path, access, modification),
        false => dir.set_symlink_times(path, access, modification),
    };
    Ok(done?)
}

/// The time in the representation of `cap-std`.
pub(super) fn time_spec(time: NewTime) -> Option<SystemTimeSpec> {
    match time {
        NewTime::Keep => None,
        NewTime::Now => Some(SystemTimeSpec::SymbolicNow),
        NewTime::At(time) => Some(SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time))),
    }
}

/// Creates a hard link. Links to the target of a symbolic link are refused: the target might be outside of the sandbox.
pub(super) fn path_link(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    old_fd: u32,
    lookup: u32,
    old_path: u32,
    old_len: u32,
    new_fd: u32,
    new_path: u32,
    new_len: u32,
) -> Answer {
    let old = dir(ctx, old_fd, Rights::PATH_LINK_SOURCE)?;
    let new = dir(ctx, new_fd, Rights::PATH_LINK_TARGET)?;
    if follows(lookup)? {
        return Err(Errno::Invalid);
    }
    let to = guest.path(new_path, new_len)?;
    if to.ends_with('/') {
        return Err(Errno::NoEntry);
    }
    Ok(old.hard_link(guest.path(old_path, old_len)?, new, to)?)
}

pub(super) fn path_open(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    lookup: u32,
    path: u32,
    len: u32,
    open: u32,
    base: u64,
    inheriting: u64,
    flags: u32,
    out: u32,
) -> Answer {
    let parent = ctx.descriptors.get(fd)?;
    let Node::Directory(directory) = &parent.node else { return Err(Errno::NotDirectory) };
    let flags = u16::try_from(flags).ok().filter(|flags| flags & !fd_flags::ALL == 0).ok_or(Errno::Invalid)?;
    if open & !open_flags::ALL != 0 {
        return Err(Errno::Invalid);
    }
    let follow = follows(lookup)?;
    parent.allow(needed(open))?;
    // C libraries request every right except read and write, which they request as the program does. So the other
    // rights are intersected with those that the directory passes on, and only missing read and write rights fail the
    // call.
    let essential = Rights(base) & (Rights::FD_READ | Rights::FD_WRITE);
    if !parent.inheriting.contains(essential) {
        return Err(Errno::NotCapable);
    }
    let (base, inheriting) = (Rights(base) & parent.inheriting, Rights(inheriting) & parent.inheriting);
    let wanted = Wanted { open, flags, follow, base };
    let node = open_at(&directory.dir, guest.path(path, len)?, &wanted)?;
    guest.u32(out)?;
    let descriptor = match node {
        Node::Directory(_) => Descriptor { node, base: base & Rights::DIRECTORY, inheriting },
        _ => Descriptor { node, base: base & Rights::FILE, inheriting: Rights::NONE },
    };
    let number = ctx.descriptors.add(descriptor)?;
    guest.put_u32(out, number)
}

/// The rights that the directory needs for a path to be opened with these flags.
fn needed(open: u32) -> Rights {
    let mut needed = Rights::PATH_OPEN;
    if open & open_flags::CREATE != 0 {
        needed = needed | Rights::PATH_CREATE_FILE;
    }
    if open & open_flags::TRUNCATE != 0 {
        needed = needed | Rights::PATH_FILESTAT_SET_SIZE;
    }
    needed
}

/// The request of a `path_open`.
struct Wanted {
    open: u32,
    flags: u16,
    follow: bool,
    base: Rights,
}

fn open_at(dir: &Dir, path: &str, wanted: &Wanted) -> Answer<Node> {
    let has = |flag| wanted.open & flag != 0;
    if has(open_flags::DIRECTORY) {
        if has(open_flags::CREATE | open_flags::EXCLUSIVE | open_flags::TRUNCATE) {
            return Err(Errno::Invalid);
        }
        let dir = if wanted.follow { dir.open_dir(path)? } else { dir.open_dir_nofollow(path)? };
        return Ok(directory(dir));
    }
    // Creating or truncating a file needs it opened for writing, even if the program requests no writes.
    let makes = has(open_flags::CREATE | open_flags::TRUNCATE);
    let writes = wanted.base.intersects(Rights::FD_WRITE | Rights::FD_ALLOCATE | Rights::FD_FILESTAT_SET_SIZE);
    let reads = wanted.base.intersects(Rights::FD_READ | Rights::FD_READDIR) || !writes;
    let appends = wanted.flags & fd_flags::APPEND != 0 && writes;
    let mut options = OpenOptions::new();
    options.read(reads).write(writes || makes).append(appends).maybe_dir(true);
    options.follow(if wanted.follow { FollowSymlinks::Yes } else { FollowSymlinks::No });
    match (has(open_flags::CREATE), has(open_flags::EXCLUSIVE)) {
        (true, true) => options.create_new(true),
        (create, _) => options.create(create),
    };
    // Systems refuse to truncate a file that is opened for appending.
    let empties = has(open_flags::TRUNCATE);
    options.truncate(empties && !appends);
    options.sync(wanted.flags & fd_flags::SYNC != 0);
    options.dsync(wanted.flags & fd_flags::DSYNC != 0);
    options.rsync(wanted.flags & fd_flags::RSYNC != 0);
    options.nonblock(wanted.flags & fd_flags::NONBLOCK != 0);
    let opened = match dir.open_with(path, &options) {
        // An existing read-only file can still be opened for reading.
        Err(error) if makes && !writes && !empties && error.kind() == std::io::ErrorKind::PermissionDenied => {
            dir.open_with(path, options.write(false).create(false).create_new(false))
        }
        opened => opened,
    }?;
    if opened.metadata()?.is_dir() {
        return Ok(directory(Dir::from_std_file(opened.into_std())));
    }
    let file = opened.into_std();
    if empties && appends {
        file.set_len(0)?;
    }
    Ok(Node::File(OpenFile { file, flags: wanted.flags }))
}

fn directory(dir: Dir) -> Node {
    Node::Directory(Directory { dir, preopened_as: None, entries: Vec::new() })
}

pub(super) fn path_readlink(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    fd: u32,
    path: u32,
    len: u32,
    buffer: u32,
    size: u32,
    out: u32,
) -> Answer {
    let dir = dir(ctx, fd, Rights::PATH_READLINK)?;
    let target = dir.read_link(guest.path(path, len)?)?;
    let target = target.to_str().ok_or(Errno::IllegalSequence)?.as_bytes();
    let used = target.len().min(size as usize);
    guest.bytes(buffer, size)?;
    guest.put(buffer, &target[..used])?;
    guest.put_u32(out, used as u32)
}

pub(super) fn path_remove_directory(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, path: u32, len: u32) -> Answer {
    Ok(dir(ctx, fd, Rights::PATH_REMOVE_DIRECTORY)?.remove_dir(guest.path(path, len)?)?)
}

pub(super) fn path_rename(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    old_fd: u32,
    old_path: u32,
    old_len: u32,
    new_fd: u32,
    new_path: u32,
    new_len: u32,
) -> Answer {
    let old = dir(ctx, old_fd, Rights::PATH_RENAME_SOURCE)?;
    let new = dir(ctx, new_fd, Rights::PATH_RENAME_TARGET)?;
    Ok(old.rename(guest.path(old_path, old_len)?, new, guest.path(new_path, new_len)?)?)
}

pub(super) fn path_symlink(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    target: u32,
    target_len: u32,
    fd: u32,
    path: u32,
    len: u32,
) -> Answer {
    let dir = dir(ctx, fd, Rights::PATH_SYMLINK)?;
    Ok(dir.symlink(guest.path(target, target_len)?, guest.path(path, len)?)?)
}

pub(super) fn path_unlink_file(ctx: &mut WasiCtx, guest: &mut Guest<'_>, fd: u32, path: u32, len: u32) -> Answer {
    Ok(dir(ctx, fd, Rights::PATH_UNLINK_FILE)?.remove_file_or_symlink(guest.path(path, len)?)?)
}
