//! Modules without stages: what their exported functions give, called one after the other on one instance, is the same in the
//! evaluator as written, after every pass, in the virtual machine, and as WebAssembly that is read again.
//!
//! JavaScript is in `crates/back/js/tests/modules.rs`.

use planish::ir::module::Module;
use planish::ir::verify::verify;
use planish::wasm::{Options, translate};
use planish::{EmitOptions, LEVELS, Optimizer, Target, emit};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::modules::{self, Number};
use planish_generate::{Choices, for_each_seed};
use planish_opt::{Context, lower_to_scalars};
use planish_testkit::seeds;
use planish_vm::{Engine, Linker, Store, Val};

/// The bits of a result; all NaNs are one.
fn bits(number: Number, bits: u64) -> u64 {
    match number {
        Number::F32 if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        Number::F64 if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

/// Results of the calls in the evaluator.
fn evaluated(module: &Module, program: &modules::Module) -> Result<Vec<u64>, String> {
    let limits = Limits { steps: 3_000_000, ..Limits::default() };
    let mut evaluator = Evaluator::new(module, limits).map_err(|e| e.to_string())?;
    let call = |call: &modules::Call| {
        let export = &program.exports[call.export];
        let func = module.funcs_named(&export.name).next().expect("it is there");
        let types = module.funcs[func].params.iter().map(|p| p.ty);
        let args: Vec<EvalValue> =
            types.zip(&call.args).map(|(ty, &word)| EvalValue { ty, bits: vec![word] }).collect();
        let results = evaluator.call(func, &args).map_err(|e| e.to_string())?;
        Ok(bits(export.result, results[0].bits[0]))
    };
    program.calls.iter().map(call).collect()
}

/// Results of the calls in the virtual machine.
fn executed(module: &Module, program: &modules::Module) -> Result<Vec<u64>, String> {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let module = planish_vm::Module::new(&engine, module.clone()).map_err(|e| e.to_string())?;
    let instance = Linker::new().instantiate(&mut store, &module).map_err(|e| e.to_string())?;
    let value = |number: Number, word: u64| match number {
        Number::F32 => Val::F32(word as u32),
        Number::F64 => Val::F64(word),
        _ => Val::I32(word as i32),
    };
    let call = |call: &modules::Call| {
        let export = &program.exports[call.export];
        let func = instance.get_func(&store, &export.name).expect("exported");
        let args: Vec<Val> = export.params.iter().zip(&call.args).map(|(&number, &word)| value(number, word)).collect();
        let mut results = [Val::I32(0)];
        func.call(&mut store, &args, &mut results).map_err(|e| e.to_string())?;
        let word = match results[0] {
            Val::I32(x) => x as u32 as u64,
            Val::F32(x) => x.into(),
            Val::F64(x) => x,
            ref other => panic!("{other:?} is no number"),
        };
        Ok(bits(export.result, word))
    };
    program.calls.iter().map(call).collect()
}

fn parsed(text: &str) -> Module {
    let module = planish::ir::text::parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    let errors = verify(&module);
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    module
}

/// Compares what lowering, WebAssembly and the machine make of a module with what it gives.
fn check_targets(module: &Module, program: &modules::Module, want: &[u64], what: &str) {
    let text = || format!("{what}:\n{}\n{:?}", planish::ir::text::print(module), program.calls);
    let mut lowered = module.clone();
    if lower_to_scalars::is_needed(module, &planish_back_wasm::info()) {
        lower_to_scalars::run(&mut lowered, &planish_back_wasm::info(), &mut Context::default())
            .unwrap_or_else(|e| panic!("{e:#?} {}", text()));
    }
    assert_eq!(evaluated(&lowered, program).as_deref(), Ok(want), "lowered {}", text());
    assert_eq!(executed(&lowered, program).as_deref(), Ok(want), "lowered, in the machine {}", text());
    let bytes = emit(module, Target::Wasm, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?} {}", text()));
    let mut map = planish::source::SourceMap::new();
    let file = map.add("m.wasm", "").expect("it is small");
    let (again, _) =
        translate(&file, &bytes.bytes, &Options::default()).unwrap_or_else(|e| panic!("{e:#?} {}", text()));
    assert_eq!(evaluated(&again, program).as_deref(), Ok(want), "WebAssembly {}", text());
    assert_eq!(executed(&again, program).as_deref(), Ok(want), "WebAssembly in the machine {}", text());
}

/// Compares what the machine makes of a module that is not lowered. It refuses local arrays that are indexed while it runs, and
/// numbers of 8 and 16 bits.
fn check_machine(module: &Module, program: &modules::Module, want: &[u64]) {
    match executed(module, program) {
        Err(error) if error.contains("no arrays that are indexed while it runs") => {}
        Err(error) if ["no 8-bit", "no 16-bit"].iter().any(|lacks| error.contains(lacks)) => {}
        got => assert_eq!(got.as_deref(), Ok(want), "in the machine:\n{}", planish::ir::text::print(module)),
    }
}

/// Runs every pass of a level and compares after each that changed something.
fn check_passes(module: &Module, program: &modules::Module, want: &[u64], level: &str) -> Module {
    let mut optimized = module.clone();
    let mut right = planish::ir::text::print(module);
    Optimizer::level(level).expect("has passes").run(&mut optimized, &mut |pass, module| {
        let text = planish::ir::text::print(module);
        if text != right {
            assert_eq!(evaluated(module, program).as_deref(), Ok(want), "after {pass} at -O{level}:\n{text}");
            right = text;
        }
    });
    optimized
}

fn check_everywhere(seeds: impl IntoIterator<Item = u64>, make: fn(&mut Choices<'_>) -> modules::Module) {
    for_each_seed(seeds, 1200, |bytes| {
        let program = make(&mut Choices::from_bytes(bytes));
        let module = parsed(&program.text);
        let want = evaluated(&module, &program).unwrap_or_else(|e| panic!("{e}\n{}", program.text));
        check_machine(&module, &program, &want);
        check_targets(&module, &program, &want, "-O0");
        for level in LEVELS.iter().skip(1) {
            let optimized = check_passes(&module, &program, &want, level);
            if *level == "2" {
                check_machine(&optimized, &program, &want);
                check_targets(&optimized, &program, &want, "-O2");
            }
        }
    });
}

#[test]
fn plain_exports_give_the_same_everywhere() {
    check_everywhere(0..120, modules::plain);
}

#[test]
fn exports_with_narrow_numbers_give_the_same_everywhere() {
    check_everywhere(seeds(0..40), modules::narrow);
}

#[test]
fn pointers_that_alias_give_the_same_after_every_pass() {
    for_each_seed(0..120, 1600, |bytes| {
        let program = modules::aliasing(&mut Choices::from_bytes(bytes));
        let module = parsed(&program.text);
        let want = evaluated(&module, &program).unwrap_or_else(|e| panic!("{e}\n{}", program.text));
        check_targets(&module, &program, &want, "-O0");
        for level in LEVELS.iter().skip(1) {
            let optimized = check_passes(&module, &program, &want, level);
            if *level == "2" {
                check_targets(&optimized, &program, &want, "-O2");
            }
        }
    });
}

/// Calls an exported function without parameters so often, on one instance, and gives its results: in the evaluator, in the machine,
/// and as WebAssembly, at both levels, where all must be the same.
fn states(text: &str, calls: usize) -> Vec<u64> {
    let export = modules::Export { name: "main".into(), params: vec![], result: Number::I32 };
    let calls = (0..calls).map(|_| modules::Call { export: 0, args: vec![] }).collect();
    let program = modules::Module { text: text.into(), exports: vec![export], calls };
    let module = parsed(text);
    let want = evaluated(&module, &program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check_targets(&module, &program, &want, "-O0");
    let optimized = check_passes(&module, &program, &want, "2");
    check_targets(&optimized, &program, &want, "-O2");
    want
}

#[test]
fn composite_variables_begin_with_their_values_and_keep_what_calls_leave() {
    let main = "fn @main() -> (i32) {
b0:
  %0 = access_array_element @a, 1
  %1 = load %0
  %2 = add %1, 1
  store %0, %2
  return %1
}
export @main \"main\"
";
    assert_eq!(states(&format!("module ir\nvar private @a: [2 x i32] = [2 x i32]{{9, 8}}\n{main}"), 3), [8, 9, 10]);
    // At an index that is known only when the program runs, it lies in memory.
    let main = main.replace("b0:", "b0:\n  %i = load @i").replace("@a, 1", "@a, %i");
    let text = format!("module ir\nvar private @a: [2 x i32] = [2 x i32]{{9, 8}}\nvar private @i: i32 = 1\n{main}");
    assert_eq!(states(&text, 3), [8, 9, 10]);
}

#[test]
fn a_stage_begins_anew_where_exports_keep_their_state() {
    let text = "module ir
var private @v: ivec2 = ivec2{5, 6}
var output @out: i32

fn @next() -> (i32) {
b0:
  %0 = access_vector_component[1] @v
  %1 = load %0
  %2 = add %1, 1
  store %0, %2
  return %1
}
fn @main() {
b0:
  %0 = call @next
  store @out, %0
  return
}
entry fragment @main \"main\"
export @next \"next\"
";
    let mut module = parsed(text);
    lower_to_scalars::run(&mut module, &planish_back_wasm::info(), &mut Context::default())
        .expect("it has numbers only");
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("it is small");
    let [next, main] = ["next", "main"].map(|name| module.funcs_named(name).next().expect("it is there"));
    let mut call = |func| evaluator.call(func, &[]).expect("it ends").first().map(|r| r.bits[0]);
    assert_eq!([call(next), call(next), call(main), call(next)], [Some(6), Some(7), None, Some(7)]);
}

#[test]
fn exports_read_and_write_scalars_that_the_host_sees() {
    let text = "module ir
var storage @count: i32
var uniform @step: i32 = 3

fn @main() -> (i32) {
b0:
  %0 = load @count
  %1 = load @step
  %2 = add %0, %1
  store @count, %2
  return %2
}
export @main \"main\"
";
    assert_eq!(states(text, 3), [3, 6, 9]);
    for target in [Target::Wasm, Target::Js, Target::AsmJs, Target::Dts] {
        let output = emit(&parsed(text), target, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"));
        let text = String::from_utf8_lossy(&output.bytes).into_owned();
        assert!(text.contains("count") && text.contains("step"), "their addresses are exported: {text}");
    }
}

/// `@f` stores through both of its parameters and calls itself, so it is not inlined.
const BOTH: &str = "fn @f(NOALIAS%0 p: *private i32, %1 q: *private i32, %2 n: i32) -> (i32) {
b0:
  store %0, 5
  store %1, 6
  %3 = load %0
  %4 = greater_than %2, 0
  if %4 {
  then b1:
    %5 = subtract %2, 1
    %6 = call @f, %0, %1, %5
    merge
  else b2:
    merge
  }
b3:
  return %3
}
fn @main() -> (i32) {
b0:
  %0 = call @f, @x, @x, 2
  %1 = load @x
  %2 = multiply %1, 10
  %3 = add %0, %2
  return %3
}
export @main \"main\"
";

#[test]
fn pointers_to_one_variable_are_the_same_memory() {
    let text = format!("module ir\nvar private @x: i32\n{}", BOTH.replace("NOALIAS", ""));
    assert_eq!(states(&text, 1), [66]);
    let module = parsed(&text);
    let error = emit(&module, Target::Asm, &EmitOptions::default()).expect_err("it passes copies");
    assert!(error[0].code.0 == "E0680" && !error[0].span.is_none(), "{error:#?}");
}

#[test]
fn pointers_that_promise_to_be_alone_are_not_given_the_same_memory() {
    let text = format!("module ir\nvar private @x: i32\n{}", BOTH.replace("NOALIAS", "noalias "));
    let module = planish::ir::text::parse_str(&text).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    assert!(planish::ir::text::print(&module).contains("noalias %0 p"));
    let errors = verify(&module);
    assert!(errors.len() == 1 && errors[0].message.contains("`p` (`noalias`)"), "{errors:#?}");
}

/// Copies in and out, as GLSL passes them, must have the effects of the pointer.
#[test]
fn pointers_without_a_direction_are_written_back_in_shading_languages() {
    let text = "module ir
var output @color: f32
var private @x: f32 = 2.0
fn @f(%0 p: *function f32, %1 q: *private f32) {
b0:
  %2 = load %0
  %3 = add %2, 1.0
  store %0, %3
  store %1, %2
  return
}
fn @main() {
b0:
  var @l: f32 = 2.0
  call @f, @l, @x
  %1 = load @l
  %2 = load @x
  %3 = add %1, %2
  store @color, %3
  return
}
entry fragment @main \"main\"
";
    let module = parsed(text);
    let emitted = |target| emit(&module, target, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
    let glsl = String::from_utf8(emitted(Target::Glsl)).expect("text");
    assert!(glsl.contains("inout float p") && glsl.contains("f(l, x)"), "{glsl}");
    for target in [Target::Wgsl, Target::Msl, Target::Hlsl, Target::Spirv] {
        assert!(!emitted(target).is_empty());
    }
}
