//! Compiles the shaders to WGSL, with types, bindings and layouts for wgpu.

use planish_build::{Build, Error};

fn main() -> Result<(), Error> {
    Build::new().folder("shaders").group_stages(true).bytemuck(true).wgpu(true).compile()
}
