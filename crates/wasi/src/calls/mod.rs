//! The calls of WASI preview 1, one function each. They get the program's memory and its [`WasiCtx`](crate::WasiCtx),
//! write their results to the memory, and return an error number.

mod clock;
mod directory;
mod file;
mod path;
mod poll;
mod process;

use planish_vm::{Val, Value};

use crate::ctx::WasiCtx;
use crate::errno::{Answer, Errno};
use crate::guest::Guest;

pub(crate) use planish_vm::ValType;

/// A call of the interface.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [ValType],
    pub(crate) run: fn(&mut WasiCtx, &mut Guest<'_>, &[Val]) -> Answer,
}

/// An argument out of a value.
trait Argument: Value {
    fn of(value: &Val) -> Option<Self>;
}

impl Argument for u32 {
    fn of(value: &Val) -> Option<u32> {
        value.i32().map(|x| x as u32)
    }
}

impl Argument for u64 {
    fn of(value: &Val) -> Option<u64> {
        value.i64().map(|x| x as u64)
    }
}

impl Argument for i64 {
    fn of(value: &Val) -> Option<i64> {
        value.i64()
    }
}

macro_rules! calls {
    ($($module:ident: $($name:ident($($arg:ident: $ty:ty),*))*;)*) => {
        /// All calls but `proc_exit`, which does not return.
        pub(crate) const CALLS: &[Call] = &[$($(
            Call {
                name: stringify!($name),
                params: &[$(<$ty as Value>::TYPE),*],
                run: |ctx, guest, args| {
                    let [$($arg),*] = args else { return Err(Errno::Invalid) };
                    $(let $arg = <$ty as Argument>::of($arg).ok_or(Errno::Invalid)?;)*
                    $module::$name(ctx, guest, $($arg),*)
                },
            },
        )*)*];
    };
}

calls! {
    process:
        args_get(argv: u32, buffer: u32)
        args_sizes_get(count: u32, size: u32)
        environ_get(environ: u32, buffer: u32)
        environ_sizes_get(count: u32, size: u32)
        proc_raise(signal: u32)
        sched_yield()
        random_get(buffer: u32, len: u32)
        sock_accept(fd: u32, flags: u32, out: u32)
        sock_recv(fd: u32, buffers: u32, count: u32, flags: u32, out: u32, out_flags: u32)
        sock_send(fd: u32, buffers: u32, count: u32, flags: u32, out: u32)
        sock_shutdown(fd: u32, how: u32);
    clock:
        clock_res_get(id: u32, out: u32)
        clock_time_get(id: u32, precision: u64, out: u32);
    poll:
        poll_oneoff(subscriptions: u32, events: u32, count: u32, out: u32);
    file:
        fd_advise(fd: u32, offset: u64, len: u64, advice: u32)
        fd_allocate(fd: u32, offset: u64, len: u64)
        fd_close(fd: u32)
        fd_datasync(fd: u32)
        fd_fdstat_get(fd: u32, out: u32)
        fd_fdstat_set_flags(fd: u32, flags: u32)
        fd_fdstat_set_rights(fd: u32, base: u64, inheriting: u64)
        fd_filestat_get(fd: u32, out: u32)
        fd_filestat_set_size(fd: u32, size: u64)
        fd_filestat_set_times(fd: u32, access: u64, modification: u64, flags: u32)
        fd_pread(fd: u32, buffers: u32, count: u32, offset: u64, out: u32)
        fd_pwrite(fd: u32, buffers: u32, count: u32, offset: u64, out: u32)
        fd_read(fd: u32, buffers: u32, count: u32, out: u32)
        fd_renumber(from: u32, to: u32)
        fd_seek(fd: u32, offset: i64, whence: u32, out: u32)
        fd_sync(fd: u32)
        fd_tell(fd: u32, out: u32)
        fd_write(fd: u32, buffers: u32, count: u32, out: u32);
    directory:
        fd_prestat_get(fd: u32, out: u32)
        fd_prestat_dir_name(fd: u32, path: u32, len: u32)
        fd_readdir(fd: u32, buffer: u32, len: u32, cookie: u64, out: u32);
    path:
        path_create_directory(fd: u32, path: u32, len: u32)
        path_filestat_get(fd: u32, lookup: u32, path: u32, len: u32, out: u32)
        path_filestat_set_times(
            fd: u32, lookup: u32, path: u32, len: u32, access: u64, modification: u64, flags: u32)
        path_link(
            old_fd: u32, lookup: u32, old_path: u32, old_len: u32, new_fd: u32, new_path: u32, new_len: u32)
        path_open(
            fd: u32, lookup: u32, path: u32, len: u32, open: u32, base: u64, inheriting: u64, flags: u32, out: u32)
        path_readlink(fd: u32, path: u32, len: u32, buffer: u32, size: u32, out: u32)
        path_remove_directory(fd: u32, path: u32, len: u32)
        path_rename(old_fd: u32, old_path: u32, old_len: u32, new_fd: u32, new_path: u32, new_len: u32)
        path_symlink(target: u32, target_len: u32, fd: u32, path: u32, len: u32)
        path_unlink_file(fd: u32, path: u32, len: u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WasiCtxBuilder;

    /// Every call returns, for any arguments.
    #[test]
    fn no_call_panics_on_odd_numbers() {
        let odd = [0u64, 1, 3, 7, 24, 63, 64, 0x7fff_ffff, 0xffff_ffff, i64::MAX as u64, u64::MAX];
        let mut ctx = WasiCtxBuilder::new().args(["program"]).unwrap().build();
        let mut memory = vec![0xff; 64];
        for (c, call) in CALLS.iter().enumerate() {
            // All combinations of odd numbers as arguments.
            for turn in 0..odd.len() * odd.len() {
                let number = |i: usize| odd[(turn / odd.len() * (i + 1) + turn + c * i) % odd.len()];
                let args: Vec<Val> = (call.params.iter().enumerate())
                    .map(|(i, ty)| match ty {
                        ValType::I32 => Val::I32(number(i) as i32),
                        _ => Val::I64(number(i) as i64),
                    })
                    .collect();
                // It would sleep until the time stored in memory.
                memory.fill(if call.name == "poll_oneoff" { 0 } else { 0xff });
                let _ = (call.run)(&mut ctx, &mut Guest(&mut memory), &args);
            }
        }
    }

    #[test]
    fn the_interface_is_whole() {
        assert_eq!(CALLS.len(), 45);
        let mut names: Vec<&str> = CALLS.iter().map(|c| c.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 45);
    }
}
