//! WASI preview 1 for programs that [`planish_vm`] runs: arguments, environment, standard streams, clocks, chance, and
//! directories that the embedder opens for the program, out of which no path leads.
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
//! What a program may do with a descriptor is said by its rights, as the interface has them: what it opens gets no more
//! than it asks for, and nothing that the directory does not hand on (a request for more than that fails only if it is to
//! read or write: libraries ask for everything). Places in its memory are checked; what lies outside
//! is answered with `fault`. There are no sockets and no signals.

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
