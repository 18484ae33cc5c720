//! Integration tests of the optimizer, in one program.

mod nests;
mod passes;
mod remarks;
mod rules;
