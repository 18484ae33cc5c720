//! Integration tests of flattening, in one program.

mod dynamic;
mod names;
mod options;
mod oracle;
mod oracle_random;
mod random;
mod random_arithmetic;
mod rounds;
mod scale;
mod stages;
