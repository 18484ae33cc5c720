//! Integration tests of the virtual machine, in one program.

mod cache;
mod common;
mod faults;
mod fuel;
mod handles;
mod interrupts;
mod lending;
mod lengths;
mod load_jumps;
mod nans;
mod native;
mod ops;
mod programs;
mod registers;
mod seen_memories;
mod tiers;
mod wasm_random;
mod wasm_workloads;
mod wide;
mod widths;
