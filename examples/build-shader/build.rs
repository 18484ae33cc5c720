//! Compiles `src/rings.wgsl` to Rust for the processor, and to WGSL and SPIR-V for devices.

use planish_build::planish::Target;
use planish_build::{Build, Error};

fn main() -> Result<(), Error> {
    Build::new().file("src/rings.wgsl").targets([Target::Rust, Target::Wgsl, Target::Spirv]).compile()
}
