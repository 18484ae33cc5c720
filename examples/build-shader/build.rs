//! Compiles `src/rings.wgsl` to Rust for the processor, and to WGSL and SPIR-V for devices.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use planish::{Compiler, EmitOptions, Optimizer, Target, emit};

const SOURCE: &str = "src/rings.wgsl";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SOURCE}");
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(SOURCE, fs::read_to_string(SOURCE)?);
    let Some(mut module) = compilation.module else {
        return Err(format!("{SOURCE}: {:?}", compilation.diagnostics).into());
    };
    Optimizer::level("2").expect("there is a level 2").run(&mut module, &mut |_, _| {});
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    for (target, file) in [(Target::Rust, "rings.rs"), (Target::Wgsl, "rings.wgsl"), (Target::Spirv, "rings.spv")] {
        let artifact = emit(&module, target, &EmitOptions { optimize: true, ..EmitOptions::default() });
        let artifact = artifact.map_err(|errors| format!("{SOURCE} as {file}: {errors:?}"))?;
        fs::write(folder.join(file), artifact.bytes)?;
    }
    Ok(())
}
