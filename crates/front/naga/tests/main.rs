//! Integration tests of the front end for WGSL, in one program.

mod bad;
mod common;
mod compose;
mod evaluate;
mod hostile;
mod legal;
mod read;
