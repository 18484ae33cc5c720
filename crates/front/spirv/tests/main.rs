//! Integration tests of the front end for SPIR-V, in one program.

mod binaries;
mod hostile;
