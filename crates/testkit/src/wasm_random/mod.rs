//! Random modules of WebAssembly, and the observations of every engine.

pub mod engines;
pub mod modules;
pub mod second;
