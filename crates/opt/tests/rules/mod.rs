//! Tests of the rule sets: every rule has a case that it fires in, with the expected result; both sides give
//! the same bits, on special numbers, if the rule is exact, and nearly the same on ordinary ones if it is not; random
//! expressions too; nothing is left for a rule afterwards; and the page of the rules follows the tables.

mod cases;
mod fft;
mod page;
mod random;
mod scale;
mod sets;
