//! The scripts of the official test suite of WebAssembly, and the engines that run them.

pub mod engine;
pub mod script;
