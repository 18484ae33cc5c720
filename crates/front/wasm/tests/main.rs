//! Integration tests of the front end for WebAssembly, in one program.

mod common;
mod errors;
mod hostile;
mod meaning;
mod random;
