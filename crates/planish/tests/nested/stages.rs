//! Every stage that a program can go through, one after the other, for tests and for the table of `cargo xtask nested`.

use planish::diagnostic::Diagnostic;
use planish::eval::shade::{DrawOptions, draw};
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::text;
use planish::ir::verify::verify;
use planish::module::{Module, Stage};
use planish::source::SourceMap;
use planish::{Compiler, EmitOptions, Flattener, TARGETS, Target, emit, vm};
use planish_generate::nested::{Language, Shape};

/// The outcome of a stage.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It has a result: so many bytes, nodes or steps.
    Done(usize),
    /// The program is refused.
    Refused(Vec<Diagnostic>),
}

/// Called with the name of each stage and the stage, which it must run once.
pub(crate) type Visit<'v> = dyn FnMut(&str, &mut dyn FnMut() -> Outcome) + 'v;

/// Reads and verifies a program; `None` if it is refused.
pub(crate) fn read(shape: &Shape, n: usize, map: &mut SourceMap, visit: &mut Visit<'_>) -> Option<Module> {
    let text = shape.text(n);
    let mut module = None;
    visit("read", &mut || {
        let mut compiler = Compiler { map: std::mem::take(map), ..Compiler::default() };
        let compilation = compiler.compile(shape.language.file(), &text);
        *map = compiler.map;
        module = compilation.module;
        match module {
            Some(_) => Outcome::Done(text.len()),
            None => Outcome::Refused(compilation.diagnostics.into_iter().filter(Diagnostic::is_error).collect()),
        }
    });
    let module = module?;
    visit("verify", &mut || match verify(&module) {
        errors if errors.is_empty() => Outcome::Done(nodes(&module)),
        errors => panic!("the front end made an invalid module: {:?}", errors[0]),
    });
    Some(module)
}

/// Writes a module in every language.
pub(crate) fn write(level: &str, module: &Module, visit: &mut Visit<'_>) {
    for info in TARGETS.iter().filter(|info| info.target != Target::Analysis && !info.target.is_graph()) {
        visit(&format!("{} of -O{level}", info.name), &mut || match emit(module, info.target, &options(module)) {
            Ok(artifact) => Outcome::Done(length(&artifact.bytes)),
            Err(errors) => Outcome::Refused(errors),
        });
    }
}

/// A module without a stage is written as its functions.
fn options(module: &Module) -> EmitOptions {
    let function = module.entry_points.iter().find(|e| e.stage.is_none()).map(|e| e.names[0].to_string());
    EmitOptions { function, ..EmitOptions::default() }
}

/// The length of an output without spaces, since indentation grows with depth.
fn length(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b != b' ').count()
}

/// Reads the text form of a module, and the dump is drawn.
pub(crate) fn reread(module: &Module, visit: &mut Visit<'_>) {
    let printed = text::print(module);
    visit("the IR's text read", &mut || match text::parse_str(&printed) {
        Ok(again) => Outcome::Done(nodes(&again)),
        Err(errors) => Outcome::Refused(errors),
    });
}

/// Flattens what can be called, and writes its graph in every form.
pub(crate) fn flatten(module: &Module, most_nodes: u32, visit: &mut Visit<'_>) {
    let mut flat = module.clone();
    let mut flattener = Flattener { entry_points: true, ..Flattener::default() };
    flattener.options.limits.flat_nodes = most_nodes;
    let mut done = false;
    visit("flatten", &mut || match flattener.run(&mut flat, &mut |_, _| {}) {
        Ok(_) => {
            done = true;
            Outcome::Done(nodes(&flat))
        }
        Err(errors) => Outcome::Refused(errors),
    });
    for info in TARGETS.iter().filter(|info| done && info.target.is_graph()) {
        visit(info.name, &mut || match emit(&flat, info.target, &options(&flat)) {
            Ok(artifact) => Outcome::Done(length(&artifact.bytes)),
            Err(errors) => Outcome::Refused(errors),
        });
    }
}

/// Runs the program in the evaluator and in the virtual machine, for some steps. The machine is for what has no stage.
pub(crate) fn run(level: &str, language: Language, module: &Module, visit: &mut Visit<'_>) {
    let limits = Limits { steps: 200_000, words: 1 << 24, ..Limits::default() };
    let Some(entry) = module.entry_points.first() else { return };
    if entry.stage == Some(Stage::Fragment) {
        let options = DrawOptions { size: [1, 1], threads: 1, limits, ..DrawOptions::default() };
        visit(&format!("draw -O{level}"), &mut || Outcome::Done(usize::from(draw(module, &options).is_ok())));
        return;
    }
    if language == Language::Vl {
        return;
    }
    visit(&format!("evaluate -O{level}"), &mut || {
        let done = Evaluator::new(module, limits).and_then(|mut e| e.call(entry.func, &[EvalValue::i32(3)]));
        Outcome::Done(usize::from(done.is_ok()))
    });
    visit(&format!("run -O{level}"), &mut || {
        let engine = vm::Engine::new(vm::Config::default().stack_size(1 << 20).consume_fuel(true));
        let Ok(module) = vm::Module::new(&engine, module.clone()) else { return Outcome::Done(0) };
        let mut store = vm::Store::new(&engine, ());
        store.set_fuel(200_000);
        let instance = vm::Linker::new().instantiate(&mut store, &module).expect("nothing is imported");
        let func = instance.get_func(&store, "f").expect("every shape exports it");
        Outcome::Done(usize::from(func.call(&mut store, &[vm::Val::I32(3)], &mut [vm::Val::I32(0)]).is_ok()))
    });
}

/// Nodes of all functions.
pub(crate) fn nodes(module: &Module) -> usize {
    module.funcs.values().filter_map(|f| f.body.as_ref()).map(planish::ir::walk::node_count).sum()
}
