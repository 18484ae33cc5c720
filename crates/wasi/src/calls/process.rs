//! Arguments, environment, random bytes, and the calls that always fail.

use super::{Answer, Errno, Guest, WasiCtx};

/// Writes NUL-terminated texts to `buffer` and their addresses to `pointers`.
fn put_texts(guest: &mut Guest<'_>, texts: &[String], pointers: u32, buffer: u32) -> Answer {
    let mut at = buffer;
    let mut pointer = pointers;
    for text in texts {
        guest.put_u32(pointer, at)?;
        guest.put(at, text.as_bytes())?;
        let end = at.checked_add(text.len() as u32).ok_or(Errno::Fault)?;
        guest.put(end, &[0])?;
        at = end.checked_add(1).ok_or(Errno::Fault)?;
        pointer = pointer.checked_add(4).ok_or(Errno::Fault)?;
    }
    Ok(())
}

fn put_sizes(guest: &mut Guest<'_>, texts: &[String], count: u32, size: u32) -> Answer {
    let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
    guest.put_u32(count, u32::try_from(texts.len()).map_err(|_| Errno::Overflow)?)?;
    guest.put_u32(size, u32::try_from(bytes).map_err(|_| Errno::Overflow)?)
}

pub(super) fn args_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, argv: u32, buffer: u32) -> Answer {
    put_texts(guest, &ctx.args, argv, buffer)
}

pub(super) fn args_sizes_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, count: u32, size: u32) -> Answer {
    put_sizes(guest, &ctx.args, count, size)
}

pub(super) fn environ_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, environ: u32, buffer: u32) -> Answer {
    put_texts(guest, &ctx.env, environ, buffer)
}

pub(super) fn environ_sizes_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, count: u32, size: u32) -> Answer {
    put_sizes(guest, &ctx.env, count, size)
}

/// Fails: there are no signals. C libraries never send one.
pub(super) fn proc_raise(_: &mut WasiCtx, _: &mut Guest<'_>, _signal: u32) -> Answer {
    Err(Errno::NotSupported)
}

pub(super) fn sched_yield(_: &mut WasiCtx, _: &mut Guest<'_>) -> Answer {
    std::thread::yield_now();
    Ok(())
}

pub(super) fn random_get(_: &mut WasiCtx, guest: &mut Guest<'_>, buffer: u32, len: u32) -> Answer {
    getrandom::fill(guest.bytes_mut(buffer, len)?).map_err(|_| Errno::Io)
}

/// Fails: there are no sockets, so an open descriptor is none.
fn no_socket(ctx: &mut WasiCtx, fd: u32) -> Answer {
    ctx.descriptors.get(fd)?;
    Err(Errno::NotSocket)
}

pub(super) fn sock_accept(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32, _flags: u32, _out: u32) -> Answer {
    no_socket(ctx, fd)
}

pub(super) fn sock_recv(
    ctx: &mut WasiCtx,
    _: &mut Guest<'_>,
    fd: u32,
    _buffers: u32,
    _count: u32,
    _flags: u32,
    _out: u32,
    _out_flags: u32,
) -> Answer {
    no_socket(ctx, fd)
}

pub(super) fn sock_send(
    ctx: &mut WasiCtx,
    _: &mut Guest<'_>,
    fd: u32,
    _buffers: u32,
    _count: u32,
    _flags: u32,
    _out: u32,
) -> Answer {
    no_socket(ctx, fd)
}

pub(super) fn sock_shutdown(ctx: &mut WasiCtx, _: &mut Guest<'_>, fd: u32, _how: u32) -> Answer {
    no_socket(ctx, fd)
}
