//! The calls as functions of the host.

use std::fmt;

use planish_vm::{Caller, Error, Extern, FuncType, Linker, Val, ValType};

use crate::calls::CALLS;
use crate::ctx::WasiCtx;
use crate::errno::Errno;
use crate::guest::Guest;

/// The name that programs import the interface by.
pub const MODULE: &str = "wasi_snapshot_preview1";

/// The program's exit, with its status. Reported as an error of the host; [`Exit::of`] finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit(pub i32);

impl Exit {
    /// The program's exit, if that is the error.
    pub fn of(error: &Error) -> Option<Exit> {
        if let Error::Host(error) = error { error.downcast_ref().copied() } else { None }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the program has ended with status {}", self.0)
    }
}

impl std::error::Error for Exit {}

/// Defines all calls of the interface. `ctx` selects the context in the embedder's data.
///
/// A call accesses the memory that the calling instance exports as `memory`; it fails if there is none.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    ctx: impl Fn(&mut T) -> &mut WasiCtx + Send + Sync + Copy + 'static,
) {
    for call in CALLS {
        let ty = FuncType::new(call.params.iter().copied(), [ValType::I32]);
        linker.func_new(MODULE, call.name, ty, move |mut caller: Caller<'_, T>, args, results| {
            let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
                return Err(Error::host("the program exports no memory as `memory`"));
            };
            let (bytes, data) = memory.data_and_store_mut(&mut caller);
            let answer = (call.run)(ctx(data), &mut Guest(bytes), args);
            let errno = answer.err().unwrap_or(Errno::Success);
            results[0] = Val::I32((errno as u16).into());
            Ok(())
        });
    }
    linker.func_new(MODULE, "proc_exit", FuncType::new([ValType::I32], []), |_, args, _| {
        Err(Error::host(Exit(args.first().and_then(Val::i32).unwrap_or(0))))
    });
}
