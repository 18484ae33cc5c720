//! Integration tests of the back ends through naga, in one program.

mod cases;
mod errors;
mod feed;
mod legal;
mod long;
mod ops;
mod schedule;
