//! Integration tests of the command, in one program.

mod command;
mod command_lines;
mod common;
mod devices;
mod files;
mod flatten;
mod graph;
mod lanes;
mod objects;
mod vl;
mod wasm;
