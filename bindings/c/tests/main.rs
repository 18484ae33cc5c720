//! The functions of `planish.h`, called from Rust.

mod borders;
mod header;
