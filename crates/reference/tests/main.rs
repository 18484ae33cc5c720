//! Integration tests of the reference, in one program.

mod ops;
mod programs;
