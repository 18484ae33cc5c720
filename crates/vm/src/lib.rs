//! A fast interpreter for WebAssembly, shaders and functional programs in the form of [`planish_ir`] modules.
//!
//! The names are those of the WebAssembly interpreters and compilers that embedders know: an [`Engine`] has a
//! [`Config`]; a [`Module`] is a program; a [`Store`] holds the state of running ones; a [`Linker`] resolves the
//! imports of an [`Instance`].
//!
//! ```text
//!  Module ──first call──► machine::compile ──► words of code ──► handlers that jump to each other
//!                         (this crate's Isa)                          │ called often, with tiers
//!         ──native──────► planish_back_native ──► machine code ◄──────┘
//! ```

mod calls;
mod check;
mod code;
mod dispatch;
mod encode;
mod engine;
mod error;
mod func;
mod instance;
mod module;
#[cfg(planish_native)]
mod native;
mod store;
#[cfg(planish_native)]
mod tier;
mod types;

pub use dispatch::storage::Lent;
pub use engine::{Config, Engine, Strategy, WideVectors};
pub use error::{Error, Trap, trap_text};
pub use func::{Func, Invocation, ResumableCall, TypedFunc, Value, Values};
pub use instance::{Extern, Instance, Linker};
pub use module::{Module, Source};
pub use planish_ir::function::TrapKind;
pub use planish_ir::host::{FuncType, ValType};
pub use store::{
    AsContext, AsContextMut, Caller, ExternRef, Global, InterruptHandle, Memory, Store, StoreContext, StoreContextMut,
    Table,
};
pub use types::Val;
