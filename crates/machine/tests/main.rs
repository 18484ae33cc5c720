//! Integration tests of the machine, in one program.

mod assembly;
mod check;
mod common;
mod ops;
mod programs;
mod quality;
mod random;
mod report;
mod vectors;
