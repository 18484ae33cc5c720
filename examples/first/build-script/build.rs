//! Compiles all shaders in `shaders`, to WGSL.
fn main() -> Result<(), planish_build::Error> {
    planish_build::Build::new().folder("shaders").set("level", "2").compile()
}
