//! Integration tests of the optimizer, in one program.

mod approximate_functions;
mod call_graph;
mod constants;
mod cost;
mod custom;
mod facts;
mod join_slices;
mod lane_ops;
mod legalize;
mod limits;
mod lower_halves;
mod lower_integers;
mod narrow_floats;
mod nests;
mod passes;
mod remarks;
mod rules;
mod widen;
