//! Random modules of WebAssembly, and what every engine sees of them.

pub mod engines;
pub mod modules;
pub mod second;
