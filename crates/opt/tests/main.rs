//! Integration tests of the optimizer, in one program.

mod approximate_functions;
mod constants;
mod custom;
mod lane_ops;
mod legalize;
mod nests;
mod passes;
mod remarks;
mod rules;
mod widen;
