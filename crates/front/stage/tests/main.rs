//! Integration tests of staging, in one program.

mod errors;
mod programs;
