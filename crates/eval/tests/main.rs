//! Integration tests of the evaluator, in one program.

mod control;
mod host;
mod ops;
mod programs;
mod random_control;
mod shade;
mod world;
