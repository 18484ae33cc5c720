//! Started by `cargo xtask features`, with some features of the library: prints the inputs and targets that it refuses
//! with E0711.

#![forbid(unsafe_code)]

use planish::diagnostic::Diagnostic;
use planish::module::Module;
use planish::{Compiler, EmitOptions, INPUTS, TARGETS, emit};

fn is_left_out(errors: &[Diagnostic]) -> bool {
    errors.iter().any(|error| error.code.0 == "E0711")
}

fn main() {
    for input in INPUTS {
        let mut compiler = Compiler::default();
        compiler.options.from = Some(input.kind);
        if is_left_out(&compiler.compile("a", "").diagnostics) {
            println!("{}", input.name);
        }
    }
    for target in TARGETS {
        if emit(&Module::default(), target.target, &EmitOptions::default()).is_err_and(|errors| is_left_out(&errors)) {
            println!("{}", target.name);
        }
    }
}
