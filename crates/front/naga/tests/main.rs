//! Integration tests of the front ends for WGSL and SPIR-V, in one program.

mod bad;
mod common;
mod evaluate;
mod hostile;
mod legal;
mod read;
mod spirv;
