//! Integration tests of the IR, in one program.

mod common;
mod custom;
mod dump;
mod programs;
mod reference;
mod text;
mod verify;
