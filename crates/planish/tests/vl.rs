//! VL: what a program gives is the same in the direct interpreter, in the evaluator without optimization, and on the virtual
//! machine at -O2.

#[path = "../../front/vl/tests/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use common::{Beside, header, programs, run};
use planish::eval::Limits;
use planish::eval::world::{Val, World};
use planish::ir::host::{FuncType, ValType};
use planish::module::Module;
use planish::vl::Program;
use planish::{Compiler, Optimizer, vm};

/// A program's value and what it wrote.
type Found = (String, Vec<String>);

fn compile(path: &Path, text: &str) -> Result<Program, String> {
    let mut includes = Beside(path.to_owned());
    let mut compiler = Compiler { includes: Some(&mut includes), ..Compiler::default() };
    let compilation = compiler.compile(&path.to_string_lossy(), text);
    match (compilation.module, compilation.answer) {
        (Some(module), Some(answer)) => Ok(Program { module, answer }),
        _ => {
            Err(compilation.diagnostics.iter().map(|d| common::shown(&compiler.map, d)).collect::<Vec<_>>().join("; "))
        }
    }
}

/// Input that is read, output that is written.
#[derive(Clone, Default)]
struct Tape(Arc<Mutex<(Vec<f64>, Vec<String>)>>);

impl Tape {
    fn new(input: &[f64]) -> Self {
        Tape(Arc::new(Mutex::new((input.iter().rev().copied().collect(), vec![]))))
    }

    fn read(&self) -> u64 {
        self.0.lock().expect("one thread").0.pop().expect("enough input").to_bits()
    }

    fn write(&self, bits: u64) {
        self.0.lock().expect("one thread").1.push(f64::from_bits(bits).to_string());
    }

    fn written(&self) -> Vec<String> {
        self.0.lock().expect("one thread").1.clone()
    }
}

/// The evaluator on a program as it is.
fn evaluated(program: &Program, input: &[f64]) -> Result<Found, String> {
    let tape = Tape::new(input);
    let mut world = World::new(Limits { steps: 100_000_000, depth: 200_000, ..Limits::default() });
    let (reads, writes) = (tape.clone(), tape.clone());
    let read = world.host_func(FuncType::new([], [ValType::F64]), move |_, _| Ok(vec![Val::F64(reads.read())]));
    let write = world.host_func(FuncType::new([ValType::F64], []), move |_, args| {
        writes.write(bits(&args[0]));
        Ok(vec![])
    });
    let find = |_: &str, name: &str| Some(if name == "read_real" { read } else { write });
    let instance = world.instantiate(&program.module, find).map_err(|e| format!("{e:?}"))?;
    let results = world.invoke(instance, "main", &[]).map_err(|e| e.to_string())?;
    Ok((show(program, results.iter().map(bits)), tape.written()))
}

fn bits(value: &Val) -> u64 {
    match *value {
        Val::F64(bits) => bits,
        Val::I32(x) => u64::from(x as u32),
        ref other => panic!("{other:?} is no scalar of VL"),
    }
}

fn show(program: &Program, scalars: impl Iterator<Item = u64>) -> String {
    let output = program.answer.output("main").expect("the program has a value");
    output.show(&scalars.collect::<Vec<_>>())
}

/// The virtual machine on a program at -O2.
fn on_machine(program: &Program, optimized: Module, input: &[f64]) -> Result<Found, String> {
    let tape = Tape::new(input);
    let engine = vm::Engine::default();
    let mut store = vm::Store::new(&engine, tape.clone());
    let mut linker: vm::Linker<Tape> = vm::Linker::new();
    linker.func_new("planish", "read_real", FuncType::new([], [ValType::F64]), |mut caller, _, results| {
        results[0] = vm::Val::F64(caller.data_mut().read());
        Ok(())
    });
    linker.func_new("planish", "write_real", FuncType::new([ValType::F64], []), |mut caller, args, _| {
        let vm::Val::F64(bits) = args[0] else { panic!("a real is written") };
        caller.data_mut().write(bits);
        Ok(())
    });
    let mut results = vec![vm::Val::I32(0); program.answer.output("main").expect("a value").width()];
    let run = |store: &mut vm::Store<Tape>, results: &mut [vm::Val]| -> Result<(), vm::Error> {
        let module = vm::Module::new(&engine, optimized)?;
        let instance = linker.instantiate(&mut *store, &module)?;
        instance.get_func(&*store, "main").expect("is exported").call(&mut *store, &[], results)
    };
    run(&mut store, &mut results).map_err(|e| e.to_string())?;
    let scalars = results.iter().map(|value| match *value {
        vm::Val::F64(bits) => bits,
        vm::Val::I32(x) => u64::from(x as u32),
        ref other => panic!("{other:?} is no scalar of VL"),
    });
    Ok((show(program, scalars), tape.written()))
}

/// What is wrong with a program, if anything is.
fn complaint(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).expect("a program can be read");
    let header = header(&text);
    let direct = match run(path, &text, &header.input) {
        Ok(found) => found,
        Err(errors) => return Some(format!("interpreter: {}", errors.join("; "))),
    };
    let program = match compile(path, &text) {
        Ok(program) => program,
        Err(error) => return Some(error),
    };
    if program.answer.output("main").is_none() {
        return None;
    }
    let mut optimized = program.module.clone();
    Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
    let errors = planish::ir::verify::verify(&optimized);
    if !errors.is_empty() {
        return Some(format!("-O2 is not valid: {errors:?}"));
    }
    let ways = [
        ("evaluator", evaluated(&program, &header.input)),
        ("machine", on_machine(&program, optimized, &header.input)),
    ];
    for (way, found) in ways {
        match found {
            Ok(found) if found == direct => {}
            Ok(found) => return Some(format!("{way}: {found:?}, not {direct:?}")),
            Err(error) => return Some(format!("{way}: {error}")),
        }
    }
    None
}

fn check(place: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(place);
    let files = programs(&folder, &["bad", "parts"]);
    let complaints: Vec<String> = files
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.strip_prefix(&folder).ok()?.display(), complaint(path)?)))
        .collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n"));
}

#[test]
fn every_way_to_run_a_program_gives_the_same() {
    check("tests/vl");
}

#[test]
fn every_way_to_run_an_example_gives_the_same() {
    check("examples/vl");
}
