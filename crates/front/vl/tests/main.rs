//! Integration tests of the front end for VL, in one program.

mod bad;
mod derivatives;
mod guide;
mod higher_order;
mod hostile;
mod programs;
mod random;
