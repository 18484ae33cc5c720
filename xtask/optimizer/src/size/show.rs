//! `cargo xtask size --show NAME`: both results for a shader in files, for study.

use std::path::Path;

use planish::{EmitOptions, Target};
use xtask::corpus::Program;
use xtask::{Failure, conformance_folder};

use super::peer;
use super::words::count;
use crate::subject;

/// More would be a mistake in the name.
const MOST: usize = 20;

pub(super) fn show(programs: &[Program]) -> Result<(), Failure> {
    if programs.len() > MOST {
        return Err(Failure::Usage(format!(
            "{} programs are named like that; at most {MOST} are shown",
            programs.len()
        )));
    }
    for program in programs {
        let folder = conformance_folder().join("size/show").join(&program.package).join(&program.file);
        std::fs::create_dir_all(&folder)?;
        println!("{}", folder.display());
        one(program, &folder).map_err(|why| Failure::Broken(format!("{}: {why}", program.name())))?;
    }
    Ok(())
}

fn one(program: &Program, folder: &Path) -> Result<(), String> {
    let to_message = |e: std::io::Error| e.to_string();
    let (module, _) = subject::compile(program)?;
    let source = folder.join(format!("source.{}", program.stage));
    std::fs::copy(subject::path(program), source).map_err(to_message)?;
    let twin = folder.join(format!("twin.{}", program.stage));
    std::fs::write(&twin, peer::twin(&module)?).map_err(to_message)?;
    let unoptimized = folder.join("unoptimized.spv");
    peer::glslang(&program.stage, &[], &twin, &unoptimized)?;
    listing(&unoptimized)?;
    for passes in ["-O", "-Os"] {
        let file = folder.join(format!("spirv-opt{passes}.spv"));
        peer::spirv_opt(&unoptimized, &[passes], &file)?;
        listing(&file)?;
    }
    for level in ["0"].into_iter().chain(subject::levels()) {
        let optimized = subject::optimized(&module, level);
        let name = format!("planish-O{level}");
        for (target, extension) in [(Target::Spirv, "spv"), (Target::Ir, "ir"), (Target::Glsl, "glsl")] {
            let bytes = subject::write(&optimized, target, &EmitOptions::default())?;
            std::fs::write(folder.join(format!("{name}.{extension}")), bytes).map_err(to_message)?;
        }
        listing(&folder.join(format!("{name}.spv")))?;
    }
    Ok(())
}

/// The disassembly beside the module, and its counts on the terminal.
fn listing(file: &Path) -> Result<(), String> {
    let counts = count(&std::fs::read(file).map_err(|e| e.to_string())?)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    println!("  {name:16} body {:5}  arithmetic {:5}", counts.body, counts.arithmetic);
    peer::disassemble(file, &file.with_extension("spvasm"))
}
