//! Integration tests of dataflow graphs, in one program.

mod errors;
mod formats;
mod mtlx;
mod scale;
mod schema;
