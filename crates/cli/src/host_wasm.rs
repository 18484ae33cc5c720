//! In a build for WASI: a program that is run sees no system.

use planish_vm::{Error, Linker};

use crate::Stop;
use crate::args::Run;

pub(crate) struct WasiCtx;

pub(crate) fn context(args: &Run) -> Result<WasiCtx, Stop> {
    match args.dirs.is_empty() && args.env.is_empty() {
        true => Ok(WasiCtx),
        false => Err(crate::not_on_wasi("programs that use a system", "--dir and --env are for them")),
    }
}

/// Programs that import something are refused by the linker.
pub(crate) fn add_to_linker(_: &mut Linker<WasiCtx>) {}

pub(crate) fn exit_status(_: &Error) -> Option<i32> {
    None
}
