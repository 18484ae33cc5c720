//! The evaluator gives what the reference gives: random shaders, the programs of `tests/vl` and the workloads of
//! `examples/wasm`. Ops and the programs of `tests/ir` are compared in `crates/reference/tests`, random WebAssembly modules in
//! `crates/vm/tests/wasm_random`, the official suite of WebAssembly in `wasm_suite`.

use std::cell::RefCell;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use planish::eval::{EvalValue, Evaluator};
use planish::ir::entity::{Func, Type};
use planish::ir::types::Scalar;
use planish::module::Module;
use planish::{Compiler, eval};
use planish_generate::{Choices, glsl, tame_glsl};
use planish_reference::{HostCall, Limits, Reference, Stop, Value};
use planish_testkit::one_fragment::{self, words};
use planish_testkit::share;
use planish_testkit::vl::{Beside, call_of, header, programs};

fn compile(name: &str, source: &[u8]) -> Module {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(name, source);
    compilation.module.unwrap_or_else(|| panic!("{name}: {:?}", compilation.diagnostics))
}

#[test]
fn random_shaders() {
    let (mut compared, mut discarded, mut unsupported) = (0, 0, 0);
    let seeds = planish_testkit::seeds(0..400);
    for seed in seeds.clone() {
        let generate = if seed % 2 == 0 { glsl } else { tame_glsl };
        let source = generate(&mut Choices::from_seed(seed)).to_string();
        let module = compile("random.frag", source.as_bytes());
        let compare = || one_fragment::compare(&module, seed, (seed % 4 < 2).then_some("2"));
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(compare));
        match outcome.unwrap_or_else(|_| panic!("seed {seed}\n{source}")) {
            Ok(()) => compared += 1,
            Err(Stop::Discarded) => discarded += 1,
            Err(Stop::Unsupported(_)) => unsupported += 1,
            Err(stop) => panic!("seed {seed}: {stop}\n{source}"),
        }
    }
    println!("{compared} shaders, {discarded} discarded, {unsupported} with derivatives or textures");
    assert!(
        2 * compared > seeds.count(),
        "only {compared}: {discarded} discarded, {unsupported} with what is not supported"
    );
}

/// Input that is read, output that is written.
#[derive(Default)]
struct Tape {
    input: Vec<f64>,
    output: Vec<u64>,
}

type Shared = Rc<RefCell<Tape>>;

fn tape(input: &[f64]) -> Shared {
    Rc::new(RefCell::new(Tape { input: input.iter().rev().copied().collect(), output: vec![] }))
}

/// Deep recursion is not the same as none that ends.
const DEPTH: usize = 50_000;

fn vl_evaluated(module: &Module, func: Func, args: &[u64], input: &[f64]) -> (Result<Vec<u64>, String>, Vec<u64>) {
    let limits = eval::Limits { depth: DEPTH, ..eval::Limits::default() };
    let tape = tape(input);
    let (reads, writes) = (Rc::clone(&tape), Rc::clone(&tape));
    let mut evaluator = Evaluator::new(module, limits).expect("needs no memory");
    let real = module.types.iter().find(|(ty, _)| module.types.scalar_of(*ty) == Some(Scalar::F64)).map(|(ty, _)| ty);
    evaluator.provide("planish", "read_real", move |_| {
        let read = reads.borrow_mut().input.pop().expect("enough input");
        Ok(vec![EvalValue { ty: real.expect("reals are read"), bits: vec![read.to_bits()] }])
    });
    evaluator.provide("planish", "write_real", move |call| {
        writes.borrow_mut().output.push(call.args[0].bits[0]);
        Ok(vec![])
    });
    let params = module.funcs[func].params.iter().map(|param| param.ty);
    let args: Vec<EvalValue> = params.zip(args).map(|(ty, &word)| EvalValue { ty, bits: vec![word] }).collect();
    let results = match evaluator.call(func, &args) {
        Ok(results) => Ok(results.into_iter().flat_map(|result| result.bits).collect()),
        Err(eval::Stop::Trap { kind, .. }) => Err(kind.name().to_owned()),
        Err(stop) => Err(stop.to_string()),
    };
    drop(evaluator);
    let output = tape.borrow().output.clone();
    (results, output)
}

fn vl_meant(module: &Module, func: Func, args: &[u64], input: &[f64]) -> (Result<Vec<u64>, String>, Vec<u64>) {
    let tape = tape(input);
    let host = Rc::clone(&tape);
    let limits = Limits { depth: DEPTH, ..Limits::default() };
    let mut reference = Reference::new(module, limits).expect("needs no memory");
    reference.provide(move |call: HostCall<'_>| match call.args {
        [] => Ok(vec![Value::F64(host.borrow_mut().input.pop().expect("enough input"))]),
        args => {
            host.borrow_mut().output.push(words(&args[0])[0]);
            Ok(vec![])
        }
    });
    let params = module.funcs[func].params.iter().map(|param| param.ty);
    let value = |(ty, word): (Type, &u64)| Value::from_words(&module.types, ty, &mut std::slice::from_ref(word).iter());
    let args: Vec<Value> = params.zip(args).filter_map(value).collect();
    let results = match reference.call(func, &args) {
        Ok(results) => Ok(results.iter().flat_map(words).collect()),
        Err(Stop::Trap(kind)) => Err(kind.name().to_owned()),
        Err(stop) => Err(stop.to_string()),
    };
    drop(reference);
    let output = tape.borrow().output.clone();
    (results, output)
}

#[test]
fn programs_of_vl() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vl");
    let mut compared = 0;
    let files: Vec<PathBuf> = share(programs(&folder, &["bad", "parts"])).collect();
    for path in &files {
        let text = fs::read_to_string(path).expect("a program can be read");
        let header = header(&text);
        let mut includes = Beside(path.clone());
        let mut compiler = Compiler { includes: Some(&mut includes), ..Compiler::default() };
        let Some(module) = compiler.compile(&path.to_string_lossy(), &text).module else {
            panic!("{}", path.display());
        };
        let mut calls = vec![("main".to_owned(), vec![])];
        calls.extend(header.calls.iter().map(|(call, _)| call_of(call)));
        for (name, args) in calls {
            let Some(func) = module.funcs_named(&name).next() else { continue };
            let meant = vl_meant(&module, func, &args, &header.input);
            let evaluated = vl_evaluated(&module, func, &args, &header.input);
            assert_eq!(evaluated, meant, "{}: {name}", path.display());
            compared += 1;
        }
    }
    assert!(compared * 5 > files.len() * 4, "only {compared} calls");
}

/// Limit of a workload's steps: longer ones are left to the faster engines.
const STEPS: u64 = 4_000_000;

#[test]
fn workloads_of_webassembly() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/wasm");
    let list = fs::read_to_string(folder.join("workloads.txt")).expect("it is part of the repository");
    let (mut done, mut long) = (0, vec![]);
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split_whitespace();
        let mut next = || fields.next().expect("a name, a size and a result");
        let (name, size, result) = (next(), next(), next());
        let module = compile(name, &fs::read(folder.join(format!("{name}.wat"))).expect("it is beside the list"));
        let func = module.funcs_named("run").next().expect("it is exported");
        let mut reference =
            Reference::new(&module, Limits { steps: STEPS, ..Limits::default() }).expect("its memory is small");
        match reference.call(func, &[Value::I32(size.parse().expect("a size"))]) {
            Ok(results) => {
                assert_eq!(results, [Value::I64(result.parse().expect("a result"))], "{name}");
                done += 1;
            }
            Err(Stop::StepLimit) => long.push(name),
            Err(stop) => panic!("{name}: {stop}"),
        }
    }
    println!("{done} workloads, too long: {long:?}");
    assert!(done > 8, "too long: {long:?}");
}
