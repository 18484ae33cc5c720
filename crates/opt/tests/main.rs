//! Integration tests of the optimizer, in one program.

mod custom;
mod nests;
mod passes;
mod remarks;
mod rules;
