//! Shows a program of the language on its way: as it is written, after the rules, and in three targets.
//! With an argument, that program: `cargo run -p linear-algebra -- "f(A: 4x4, v: 4) = A' * v + v"`.

use std::process::ExitCode;

use linear_algebra::{compile, optimizer};
use planish::ir::text::print;
use planish::{EmitOptions, Target, Version, emit};

const PROGRAM: &str = "f(A: 3x3, B: 3x3, v: 3) = A * B * v + A * identity(3) * v";

fn main() -> ExitCode {
    let program = std::env::args().nth(1).unwrap_or_else(|| PROGRAM.into());
    let mut module = match compile(&program) {
        Ok(module) => module,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{program}\n\n-- as it is written --\n{}", print(&module));
    let mut whole = String::new();
    let mut is_whole = true;
    let context = optimizer("2").run(&mut module, &mut |pass, module| {
        is_whole &= !pass.starts_with("lower_custom_ops");
        if is_whole {
            whole = print(module);
        }
    });
    println!("-- when the rules rest --\n{whole}");
    for (pass, rule, count) in context.stats.iter() {
        if linear_algebra::language::rules().iter().any(|known| known.name == rule) {
            println!("{pass}: {rule} {count}");
        }
    }
    for (target, name) in [(Target::Glsl, "GLSL"), (Target::Js, "JavaScript"), (Target::Wat, "WebAssembly")] {
        let options = EmitOptions { version: Version::parse("450"), ..EmitOptions::default() };
        match emit(&module, target, &options) {
            Ok(artifact) => println!("\n-- {name} --\n{}", String::from_utf8_lossy(&artifact.bytes)),
            Err(errors) => errors.iter().for_each(|error| eprintln!("{name}: {}: {}", error.code.0, error.message)),
        }
    }
    ExitCode::SUCCESS
}
