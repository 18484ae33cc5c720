//! The virtual machine's speed against other engines for WebAssembly: the same programs, in the same process, in turn.

pub mod engines;
pub mod measure;
pub mod workloads;

pub use engines::{Engine, Instance, Program};
