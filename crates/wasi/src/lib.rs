//! WASI preview 1 for programs that [`planish_vm`] runs: arguments, environment, standard streams, clocks, random
//! bytes, and directories that the embedder opens for the program, which no path escapes.
//!
//! ```
//! use planish_vm::{Engine, Linker, Store};
//! use planish_wasi::{WasiCtx, WasiCtxBuilder};
//!
//! let ctx = WasiCtxBuilder::new().args(["program", "argument"])?.env("HOME", "/")?.inherit_stdio().build();
//! let engine = Engine::default();
//! let mut store = Store::new(&engine, ctx);
//! let mut linker = Linker::new();
//! planish_wasi::add_to_linker(&mut linker, |ctx: &mut WasiCtx| ctx);
//! // linker.instantiate(&mut store, &module)?, then its `_start`
//! # let _ = &mut store;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The operations allowed on a descriptor are its rights, as defined by the interface: a descriptor opened by the
//! program gets the rights it requests, less those that the directory does not pass on (missing rights fail the request
//! only if they are read or write, since libraries request everything). Addresses are checked; one out of bounds is
//! answered with `fault`. There are no sockets and no signals.

mod calls;
mod ctx;
mod descriptor;
mod errno;
mod guest;
mod host;
mod linker;
mod rights;
mod stat;

pub use ctx::{Access, WasiCtx, WasiCtxBuilder};
pub use errno::Errno;
pub use linker::{Exit, MODULE, add_to_linker};
