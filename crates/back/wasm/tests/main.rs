//! Integration tests of the back end for WebAssembly, in one program.

mod common;
mod programs;
mod shape;
