//! Integration tests of the reader of graphs, in one program.

mod common;
mod functions;
mod host;
mod ops;
mod random;
mod storage;
mod traps;
