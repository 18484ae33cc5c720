//! The interface of a program in C: names, parameters, results, the state of an instance, and the header that declares them.
//!
//! Object files (`planish-back-native`) and C out (`planish-back-c`) define the functions that it declares; `docs/objects.md`
//! describes it.
//!
//! ```text
//!  module ─► Layout, Interface ─► header
//! ```
#![forbid(unsafe_code)]

pub mod ctype;
pub mod header;
pub mod interface;
pub mod layout;
mod shader_header;
pub mod shaders;
pub mod traps;

pub use ctype::{CLayout, scalar_of};
pub use interface::{CFunction, CParam, CResults, Fields, Interface, Passing, StageFunction, State};
pub use layout::Layout;
pub use shaders::Shaders;
