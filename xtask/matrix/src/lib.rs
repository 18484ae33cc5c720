//! The whole matrix: every input of the repository × every target × every level, and under options drawn by seed. No
//! cell may panic, hang, report an internal error, or fail without a diagnostic that has a code and a place.
//!
//! `cargo xtask matrix` runs all of it, one process per input; a test runs a sample.

#![forbid(unsafe_code)]

mod cells;
mod draw;
mod inputs;

pub use cells::{Cell, Observer, check};
pub use inputs::{Input, repository};
