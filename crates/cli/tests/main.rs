//! Integration tests of the command, in one program.

mod batch;
mod command;
mod command_lines;
mod common;
mod devices;
mod files;
mod flatten;
mod graph;
mod lanes;
mod limits;
mod messages;
mod objects;
mod pages;
mod reduce;
mod sources;
mod trace;
mod variants;
mod vl;
mod wasm;
mod watch;
