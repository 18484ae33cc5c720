//! `planish print`: the IR of a program, before, between and after passes.

use std::fmt::Write as _;

use planish::module::Module;
use planish::{Context, PASSES, Target, emit, run_passes};

use crate::Stop;
use crate::args::Print;
use crate::input;
use crate::output::write_stdout;
use crate::report::Reporter;

pub(crate) fn print(args: &Print, reporter: &mut Reporter) -> Result<(), Stop> {
    let mut passes = input::pass_list(&args.passes)?;
    if let Some(after) = &args.after {
        let known = PASSES.iter().find(|p| p.name == after);
        let pass = known.ok_or_else(|| Stop::usage(format!("there is no pass `{after}`")))?;
        match passes.iter().position(|p| p.name == pass.name) {
            Some(at) => passes.truncate(at + 1),
            None => passes.push(pass),
        }
    }
    let program = input::read(&args.file, &args.input, reporter)?;
    let Some(mut module) = program.compilation.module else { return reporter.finish(false).and(Err(Stop::Errors)) };
    let target = if args.dump { Target::Dump } else { Target::Ir };
    let show = |module: &Module| {
        emit(module, target, &planish::EmitOptions::default())
            .map(|artifact| String::from_utf8_lossy(&artifact.bytes).into_owned())
            .unwrap_or_default()
    };
    let mut text = String::new();
    let mut after_each = |name: &str, module: &Module| {
        if args.after_all {
            writeln!(text, "// after {name}\n{}", show(module)).expect("a string takes all");
        }
    };
    run_passes(&mut module, &passes, &mut Context::default(), &mut after_each);
    if !args.after_all {
        text = show(&module);
    }
    write_stdout(text.as_bytes(), false)?;
    reporter.finish(false)
}
