//! Integration tests of the back end for SPIR-V, in one program.

mod cases;
mod conversions;
mod errors;
mod guards;
mod judge;
mod legal;
mod structured;
