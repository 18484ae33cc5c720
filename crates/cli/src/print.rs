//! `planish print`: the IR of a program, before, between and after passes.

use std::fmt::Write as _;

use planish::flatten::STAGES;
use planish::module::Module;
use planish::vl::Report;
use planish::{PASSES, Target, emit};

use crate::Stop;
use crate::args::Print;
use crate::diff;
use crate::files::{self, Output};
use crate::input;
use crate::optimize::{Work, no_pass};
use crate::output::write_stdout;
use crate::report::Reporter;

pub(crate) fn print(args: &Print, reporter: &Reporter) -> Result<(), Stop> {
    let outputs = [Output::new("the listing", None)].into_iter().chain(args.passes.outputs()).collect::<Vec<_>>();
    files::check([&*args.file], &outputs)?;
    if args.after.as_deref() == Some(ANALYZE) {
        return analysis(args, reporter);
    }
    let mut work = Work::new(&args.passes, &args.input)?;
    if let Some(label) = &args.after {
        stop_after(&mut work, label)?;
    }
    let program = input::read(&args.file, &args.input, reporter)?;
    work.times.lap("front end");
    files::check_sources(&program.compiler.map, &outputs)?;
    if reporter.errors() > 0 {
        return reporter.finish(false);
    }
    let Some(mut module) = program.compilation.module else { return reporter.finish(false).and(Err(Stop::Errors)) };
    let mut listing = Listing { args, text: String::new(), last: String::new() };
    listing.begin(&module);
    if let Err(diagnostics) = work.run(&mut module, &mut |label, module| listing.after(label, module)) {
        reporter.show(&diagnostics, &program.compiler.map);
        return reporter.finish(false);
    }
    if let Some(lanes) = args.lanes
        && let Err(diagnostics) = planish::lanes::widen(&mut module, lanes)
    {
        reporter.show(&diagnostics, &program.compiler.map);
        return reporter.finish(false);
    }
    if !args.after_all && !args.changed {
        listing.text = show(&module, args.dump);
        work.times.lap("write");
    }
    write_stdout(listing.text.as_bytes(), false)?;
    work.report(&program.compiler.map, reporter)?;
    reporter.finish(false)
}

/// Label of the flow analysis of VL, which runs before there is IR.
const ANALYZE: &str = "analyze";

fn analysis(args: &Print, reporter: &Reporter) -> Result<(), Stop> {
    let (name, bytes) = input::read_bytes(&args.file, &args.input)?;
    let (map, result) = input::analyze(&name, &bytes, &args.input, Report::Text)?;
    match result {
        Ok(text) => write_stdout(text.as_bytes(), false),
        Err(diagnostics) => {
            reporter.show(&diagnostics, &map);
            reporter.finish(false)
        }
    }
}

/// Drops the passes (or stages of flattening) after the labelled one. A pass that is not part of this level is
/// appended.
fn stop_after(work: &mut Work<'_>, label: &str) -> Result<(), Stop> {
    if let Some(stage) = STAGES.iter().find(|stage| stage.name == label) {
        work.flatten_until(stage.name);
        return Ok(());
    }
    let found = work.optimizer.find(label);
    let passes = &mut work.optimizer.passes;
    match (found, PASSES.iter().find(|pass| pass.name == label)) {
        (Some(count), _) => passes.truncate(count),
        (None, Some(pass)) => passes.push(pass),
        (None, None) => return Err(no_pass(label)),
    }
    Ok(())
}

fn show(module: &Module, dump: bool) -> String {
    let target = if dump { Target::Dump } else { Target::Ir };
    emit(module, target, &planish::EmitOptions::default())
        .map(|artifact| String::from_utf8_lossy(&artifact.bytes).into_owned())
        .unwrap_or_default()
}

/// The output of `--after-all` and `--changed`.
struct Listing<'a> {
    args: &'a Print,
    text: String,
    /// The text after the pass before.
    last: String,
}

impl Listing<'_> {
    fn begin(&mut self, module: &Module) {
        if self.args.changed {
            self.last = show(module, self.args.dump);
            writeln!(self.text, "// at the start\n{}", self.last).expect("a string takes all");
        }
    }

    fn after(&mut self, label: &str, module: &Module) {
        if self.args.after_all {
            writeln!(self.text, "// after {label}\n{}", show(module, self.args.dump)).expect("a string takes all");
        } else if self.args.changed {
            let now = show(module, self.args.dump);
            if let Some(hunks) = diff::unified(&self.last, &now) {
                writeln!(self.text, "// changed by {label}\n{hunks}").expect("a string takes all");
            }
            self.last = now;
        }
    }
}
