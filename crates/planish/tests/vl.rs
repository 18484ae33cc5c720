//! VL: what a program gives is the same in the direct interpreter, in the evaluator without optimization, on the virtual
//! machine at -O2, and as JavaScript and as asm.js in Node.js.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arbitrary::Unstructured;
use planish::eval::Limits;
use planish::eval::world::{Val, World};
use planish::ir::host::{FuncType, ValType};
use planish::ir::types::{Scalar, TypeKind};
use planish::module::Module;
use planish::vl::Program;
use planish::{Compiler, EmitOptions, Optimizer, Target, vm};
use planish_testkit::node as javascript;
use planish_testkit::vl::{Beside, agree, call_of, header, leaves, programs, run, shown, writer};
use planish_testkit::{SHARE, runs_all, share};

/// A program's value and what it wrote.
type Found = (String, Vec<String>);

fn compile(path: &Path, text: &str) -> Result<Program, String> {
    let mut includes = Beside(path.to_owned());
    let mut compiler = Compiler { includes: Some(&mut includes), ..Compiler::default() };
    let compilation = compiler.compile(&path.to_string_lossy(), text);
    match (compilation.module, compilation.answer) {
        (Some(module), Some(answer)) => Ok(Program { module, answer }),
        _ => Err(compilation.diagnostics.iter().map(|d| shown(&compiler.map, d)).collect::<Vec<_>>().join("; ")),
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
fn evaluated(program: &Program, input: &[f64], call: &Call) -> Result<Found, String> {
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
    let args: Vec<Val> = call.arguments(&program.module).map(|(ty, bits)| value(ty, bits)).collect();
    let results = world.invoke(instance, &call.name, &args).map_err(|e| e.to_string())?;
    Ok((call.show(program, results.iter().map(bits)), tape.written()))
}

fn value(ty: Scalar, bits: u64) -> Val {
    match ty {
        Scalar::F64 => Val::F64(bits),
        _ => Val::I32(bits as i32),
    }
}

fn bits(value: &Val) -> u64 {
    match *value {
        Val::F64(bits) => bits,
        Val::I32(x) => u64::from(x as u32),
        ref other => panic!("{other:?} is no scalar of VL"),
    }
}

/// The virtual machine on a program at -O2.
fn on_machine(program: &Program, optimized: Module, input: &[f64], call: &Call) -> Result<Found, String> {
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
    let args: Vec<vm::Val> = call.arguments(&optimized).map(|(ty, bits)| on_machine_value(ty, bits)).collect();
    let mut results = vec![vm::Val::I32(0); call.width(program)];
    let run = |store: &mut vm::Store<Tape>, results: &mut [vm::Val]| -> Result<(), vm::Error> {
        let module = vm::Module::new(&engine, optimized)?;
        let instance = linker.instantiate(&mut *store, &module)?;
        instance.get_func(&*store, &call.name).expect("is exported").call(&mut *store, &args, results)
    };
    run(&mut store, &mut results).map_err(|e| e.to_string())?;
    let scalars = results.iter().map(|value| match *value {
        vm::Val::F64(bits) => bits,
        vm::Val::I32(x) => u64::from(x as u32),
        ref other => panic!("{other:?} is no scalar of VL"),
    });
    Ok((call.show(program, scalars), tape.written()))
}

fn on_machine_value(ty: Scalar, bits: u64) -> vm::Val {
    match ty {
        Scalar::F64 => vm::Val::F64(bits),
        _ => vm::Val::I32(bits as i32),
    }
}

/// The program's value, or a procedure that it exports with arguments; and what the direct interpreter makes of it.
struct Call {
    name: String,
    scalars: Vec<u64>,
    direct: Found,
}

impl Call {
    /// Its arguments with their types.
    fn arguments<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = (Scalar, u64)> + 'a {
        let func = module.funcs_named(&self.name).next().expect("it is exported");
        let params = &module.funcs[func].params;
        assert_eq!(params.len(), self.scalars.len(), "{} takes other arguments", self.name);
        params.iter().zip(&self.scalars).map(|(param, &bits)| match module.types[param.ty] {
            TypeKind::Scalar(scalar) => (scalar, bits),
            ref other => panic!("{other:?} is no scalar of VL"),
        })
    }

    fn width(&self, program: &Program) -> usize {
        program.answer.output(&self.name).expect("it is exported").width()
    }

    fn show(&self, program: &Program, scalars: impl Iterator<Item = u64>) -> String {
        program.answer.output(&self.name).expect("it is exported").show_lists(&scalars.collect::<Vec<_>>())
    }

    /// Outcome in Node.js: the results, and the numbers written after them.
    fn found(&self, program: &Program, outcome: &javascript::Outcome) -> Result<Found, String> {
        let words = outcome.clone()?;
        let (results, written) = words.split_at(self.width(program));
        let written = written.iter().map(|&word| f64::from_bits(word).to_string()).collect();
        Ok((self.show(program, results.iter().copied()), written))
    }
}

/// A program that was compiled, and what is called of it.
struct Case {
    path: PathBuf,
    program: Program,
    optimized: Module,
    input: Vec<f64>,
    calls: Vec<Call>,
    is_random: bool,
}

impl Case {
    fn new(path: &Path) -> Result<Self, String> {
        Case::of_text(path, &fs::read_to_string(path).expect("a program can be read"))
    }

    fn of_text(path: &Path, text: &str) -> Result<Self, String> {
        let header = header(text);
        let interpreted =
            |text: &str| run(path, text, &header.input).map_err(|errors| format!("interpreter: {}", errors.join("; ")));
        let program = compile(path, text)?;
        let mut calls = Vec::new();
        if program.answer.output("main").is_some() {
            calls.push(Call { name: "main".to_owned(), scalars: vec![], direct: interpreted(text)? });
        }
        for (call, _) in &header.calls {
            let (name, scalars) = call_of(call);
            calls.push(Call { name, scalars, direct: interpreted(&format!("{text}\n{call}"))? });
        }
        let mut optimized = program.module.clone();
        Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
        let errors = planish::ir::verify::verify(&optimized);
        if !errors.is_empty() {
            return Err(format!("-O2 is not valid: {errors:?}"));
        }
        Ok(Case { path: path.to_owned(), program, optimized, input: header.input, calls, is_random: false })
    }

    /// The difference of an outcome from the direct one; `None` if there is none.
    fn compare(&self, call: &Call, way: &str, found: Result<Found, String>) -> Option<String> {
        let (path, name) = (self.path.display(), &call.name);
        // The functions of random programs are the host's, and may differ in the last digits.
        let is_same = |found: &Found| match self.is_random {
            true => agree(&call.direct.0, &found.0, false) && call.direct.1 == found.1,
            false => *found == call.direct,
        };
        match found {
            Ok(found) if is_same(&found) => None,
            Ok(found) => Some(format!("{path}: {way}: {name}: {found:?}, not {:?}", call.direct)),
            Err(error) => Some(format!("{path}: {way}: {name}: {error}")),
        }
    }
}

/// A module of JavaScript that is a module of WebAssembly.
fn module_around(wasm: &[u8]) -> String {
    let bytes: Vec<String> = wasm.iter().map(u8::to_string).collect();
    format!(
        "const module = new WebAssembly.Module(new Uint8Array([{}]));
export function instantiate(imports) {{
  return new WebAssembly.Instance(module, {{ math: Math, planish: imports.planish }}).exports;
}}",
        bytes.join(",")
    )
}

/// In WebAssembly truth values are numbers, and there are no records and lists.
fn plain_values(call: &mut javascript::Call) {
    call.signature = None;
    for scalar in call.params.iter_mut().chain(&mut call.results) {
        if *scalar == Scalar::Bool {
            *scalar = Scalar::I32;
        }
    }
}

/// All cases in Node.js, in one process for each target: modules, asm.js, WebAssembly.
fn in_node(place: &str, cases: &[Case], complaints: &mut Vec<String>) {
    for target in [Target::Js, Target::AsmJs, Target::Wasm] {
        let (mut programs, mut calls) = (Vec::new(), Vec::new());
        for (number, case) in cases.iter().enumerate() {
            let artifact = planish::emit(&case.optimized, target, &EmitOptions::default());
            let artifact = artifact.unwrap_or_else(|errors| panic!("{}: {errors:?}", case.path.display()));
            let text = match target {
                Target::Wasm => module_around(&artifact.bytes),
                _ => String::from_utf8(artifact.bytes).expect("JavaScript is text"),
            };
            programs.push(javascript::Program { text, asm: target == Target::AsmJs, pages: 0, fresh: false });
            for called in &case.calls {
                let func = case.optimized.funcs_named(&called.name).next().expect("it is exported");
                let scalars = called.scalars.clone();
                // asm.js has identifiers only.
                let name = match target {
                    Target::AsmJs => called.name.replace(['-', '?', '!', '.'], "_"),
                    _ => called.name.clone(),
                };
                let mut call = javascript::Call::new(number, &case.optimized, func, &name, scalars);
                call.tape = Some(case.input.iter().map(|x| x.to_bits()).collect());
                if target == Target::Wasm {
                    plain_values(&mut call);
                }
                calls.push(call);
            }
        }
        let name = format!("vl-{}-{}", place.replace('/', "-"), target.info().name);
        let Some(outcomes) = javascript::run(&name, &programs, &calls) else { return };
        let way = target.info().name;
        let called = cases.iter().flat_map(|case| case.calls.iter().map(move |call| (case, call)));
        complaints.extend(
            called
                .zip(&outcomes)
                .filter_map(|((case, call), outcome)| case.compare(call, way, call.found(&case.program, outcome))),
        );
    }
}

/// Compares all programs of a folder, each with its value and the calls of its header: so many of these at least.
fn check(place: &str, at_least: usize) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(place);
    let mut complaints = Vec::new();
    let mut cases = Vec::new();
    for path in share(programs(&folder, &["bad", "parts"])) {
        match Case::new(&path) {
            Ok(case) if case.calls.is_empty() => complaints.push(format!("{}: nothing to call", path.display())),
            Ok(case) => cases.push(case),
            Err(error) => complaints.push(format!("{}: {error}", path.display())),
        }
    }
    // Not every program has as many calls as the next.
    let at_least = if runs_all() { at_least } else { at_least / (SHARE + 1) };
    check_cases(place, &cases, at_least, complaints);
}

fn check_cases(place: &str, cases: &[Case], at_least: usize, mut complaints: Vec<String>) {
    let count: usize = cases.iter().map(|case| case.calls.len()).sum();
    assert!(count + complaints.len() >= at_least, "{count} calls in {place} are too few");
    for case in cases {
        for call in &case.calls {
            complaints.extend(case.compare(call, "evaluator", evaluated(&case.program, &case.input, call)));
            let machine = on_machine(&case.program, case.optimized.clone(), &case.input, call);
            complaints.extend(case.compare(call, "machine", machine));
        }
    }
    in_node(place, cases, &mut complaints);
    assert!(complaints.is_empty(), "{} of {count}:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_way_to_run_a_program_gives_the_same() {
    check("tests/vl", 444);
}

#[test]
fn every_way_to_run_an_example_gives_the_same() {
    check("examples/vl", 15);
}

/// Exports give the whole structure of their value in every target: as many results of these types as the interpreter's value has
/// numbers and booleans, and the same ones.
#[test]
fn random_exports_give_every_number_and_boolean_in_every_target() {
    let mut cases = Vec::new();
    planish_generate::for_each_seed(1000..1060, 3000, |bytes| {
        let Ok((text, call)) = writer::export(&mut Unstructured::new(bytes)) else { return };
        let path = PathBuf::from(format!("export-{}.vl", cases.len()));
        let Ok(mut case) = Case::of_text(&path, &format!("; call: {call} = ?\n{text}")) else { return };
        let call = &case.calls[0];
        if call.direct.0.contains("inf") || call.direct.0.contains("nan") {
            return;
        }
        for module in [&case.program.module, &case.optimized] {
            let func = module.funcs_named(&call.name).next().expect("it is exported");
            let is_bool = |result: &planish::ir::function::ResultType| result.ty == planish::ir::entity::Type::BOOL;
            let found: Vec<bool> = module.funcs[func].results.iter().map(is_bool).collect();
            let wanted: Vec<bool> = leaves(&call.direct.0).iter().map(|(is_bool, _)| *is_bool).collect();
            assert_eq!(found, wanted, "{text}");
        }
        case.is_random = true;
        cases.push(case);
    });
    check_cases("random", &cases, 30, vec![]);
}

/// The Mandelbrot set: one loop with few numbers in it, and nothing else.
#[test]
fn closures_and_pairs_cost_nothing() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/vl/mandelbrot.vl");
    let mut program = compile(&path, &fs::read_to_string(&path).expect("an example")).expect("a program");
    Optimizer::level("2").expect("a level").run(&mut program.module, &mut |_, _| {});
    let text = planish::ir::text::print(&program.module);
    let functions = text.lines().filter(|line| line.starts_with("fn ")).count();
    let loops: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("loop ")).collect();
    assert_eq!((functions, loops.len()), (1, 1), "{text}");
    // The point is not carried.
    assert_eq!(loops[0], "loop 400.0d, 0.0d, 0.0d {", "{text}");
    assert!(!["call", "struct", "construct", "extract", "load", "store"].iter().any(|op| text.contains(op)), "{text}");
}

/// Images: the same colours at the same points, however they are computed.
#[test]
fn images_are_the_same_everywhere() {
    for name in ["mandelbrot-image", "scene"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/vl/{name}.vl"));
        let program = compile(&path, &fs::read_to_string(&path).expect("an example")).expect("a program");
        let entry = program.module.entry_points.iter().find(|e| e.stage.is_none()).expect("an image is a procedure");
        let export = entry.names[0].to_string();
        let points: Vec<[f64; 2]> =
            (0..24 * 16).map(|i| [f64::from(i % 24) / 8.0 - 1.45, f64::from(i / 24) / 8.0 - 0.95]).collect();
        let mut world = World::new(Limits::default());
        let instance = world.instantiate(&program.module, |_, _| None).expect("imports nothing");
        let wanted: Vec<Vec<u64>> = points
            .iter()
            .map(|point| {
                let colour = world.invoke(instance, &export, &point.map(Val::f64)).expect("a colour");
                colour.iter().map(bits).collect()
            })
            .collect();
        let mut optimized = program.module.clone();
        Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
        assert_eq!(colours_on_machine(optimized.clone(), &export, &points), wanted, "{name} on the machine");
        for target in [Target::Js, Target::AsmJs, Target::Wasm] {
            let found = colours_in_node(name, &optimized, &export, &points, target);
            assert!(found.is_none_or(|found| found == wanted), "{name} as {}", target.info().name);
        }
    }
}

fn colours_on_machine(module: Module, export: &str, points: &[[f64; 2]]) -> Vec<Vec<u64>> {
    let engine = vm::Engine::default();
    let mut store = vm::Store::new(&engine, ());
    let module = vm::Module::new(&engine, module).expect("fits the machine");
    let instance = vm::Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let image = instance.get_func(&store, export).expect("is exported");
    let mut all = Vec::new();
    for point in points {
        let mut colour = [vm::Val::F64(0); 3];
        let point = point.map(|x| vm::Val::F64(x.to_bits()));
        image.call(&mut store, &point, &mut colour).expect("a colour");
        all.push(colour.iter().map(|c| if let vm::Val::F64(bits) = *c { bits } else { 0 }).collect());
    }
    all
}

fn colours_in_node(
    name: &str,
    module: &Module,
    export: &str,
    points: &[[f64; 2]],
    target: Target,
) -> Option<Vec<Vec<u64>>> {
    let artifact = planish::emit(module, target, &EmitOptions::default()).expect("can be written");
    let text = match target {
        Target::Wasm => module_around(&artifact.bytes),
        _ => String::from_utf8(artifact.bytes).expect("JavaScript is text"),
    };
    let program = javascript::Program { text, asm: target == Target::AsmJs, pages: 0, fresh: false };
    let func = module.entry_points.iter().find(|e| e.stage.is_none()).expect("an image").func;
    let call = |point: &[f64; 2]| {
        let mut call = javascript::Call::new(0, module, func, export, point.map(f64::to_bits).to_vec());
        if target == Target::Wasm {
            plain_values(&mut call);
        }
        call
    };
    let calls: Vec<javascript::Call> = points.iter().map(call).collect();
    let outcomes = javascript::run(&format!("vl-{name}-{}", target.info().name), &[program], &calls)?;
    Some(outcomes.into_iter().map(|outcome| outcome.expect("a colour")).collect())
}

/// Shading languages have no recursion: what calls itself last is a loop at -O2, and the error says so; other recursion stays one.
#[test]
fn recursion_on_a_shading_target_says_whether_optimization_helps() {
    let image = |step: &str| {
        format!(
            "(define (count n x) (if (<= n 0) x {step}))
             (define (picture (list x y)) (list (count (* 9 x) y) 0 0))
             picture"
        )
    };
    for (step, is_helped) in [("(count (- n 1) (* x x))", true), ("(* x (count (- n 1) x))", false)] {
        let program = compile(Path::new("picture.vl"), &image(step)).expect("a program");
        for target in [Target::Glsl, Target::Wgsl, Target::Spirv] {
            let errors = planish::emit(&program.module, target, &EmitOptions::default()).expect_err("recursion");
            let error = errors.iter().find(|e| e.code.0 == "E0608").unwrap_or_else(|| panic!("{errors:?}"));
            let helps = error.help.iter().any(|help| help.contains("`-O2`"));
            assert_eq!(helps, is_helped, "{step} as {}: {error:?}", target.info().name);
        }
        let mut optimized = program.module.clone();
        Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
        let written = planish::emit(&optimized, Target::Glsl, &EmitOptions::default());
        assert_eq!(written.is_ok(), is_helped, "{step}: {:?}", written.err());
    }
}
