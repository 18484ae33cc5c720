//! Results of programs of the language, their numbers of multiplications, and the answers of targets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use linear_algebra::language::Shape;
use linear_algebra::{Error, compile, optimizer};
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::custom::Meaning;
use planish::ir::module::Module;
use planish::ir::text::{parse_str, print};
use planish::ir::verify::verify;
use planish::source::Span;
use planish::{EmitOptions, Target, Version, emit};

/// Small whole numbers, so that sums and products of floats are exact in any order.
fn arguments(module: &Module) -> Vec<EvalValue> {
    let func = module.entry_points[0].func;
    let mut seed = 1u32;
    let argument = |param: &planish::ir::function::Param| {
        let count = match Shape::of(&module.types, param.ty).expect("the language has no other types") {
            Shape::Vector(n) => n,
            Shape::Matrix(rows, columns) => rows * columns,
        };
        let mut number = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u64::from(((seed >> 28) as f32 - 7.0).to_bits())
        };
        EvalValue { ty: param.ty, bits: (0..count).map(|_| number()).collect() }
    };
    module.funcs[func].params.iter().map(argument).collect()
}

/// Result of the first function, and the multiplications that were run for it. The phase `scalars` is left out; the host counts
/// instead.
fn run(program: &str, level: &str, with_rules: bool) -> (Vec<f32>, usize) {
    let mut module = compile(program).expect("is well-formed");
    let mut optimizer = optimizer(level);
    optimizer.options.phases.pop();
    if !with_rules {
        optimizer.options.rules.clear();
    }
    optimizer.run(&mut module, &mut |_, _| {});
    assert_eq!(verify(&module), [], "{program}");
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let multiply = module.custom_op("scalar_multiply").expect("it is an op");
    module.custom_ops[multiply].meaning = Some(Meaning::new(move |call, results| {
        counted.fetch_add(1, Ordering::Relaxed);
        let [x, y] = [0, 1].map(|i| f32::from_bits(call.operands[i].bits[0] as u32));
        results.push((x * y).to_bits().into());
        Ok(())
    }));
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("can be run");
    let results = evaluator.call(module.entry_points[0].func, &arguments(&module)).expect("runs");
    let numbers = results[0].bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
    (numbers, count.load(Ordering::Relaxed))
}

#[test]
fn the_rules_save_multiplications_and_change_no_result() {
    let cases = [
        // The program; multiplications as it is written, and with the rules.
        ("f(A: 8x8, B: 8x8, v: 8) = A * B * v", 512 + 64, 128),
        ("f(A: 4x8, B: 8x16, C: 16x2, v: 2) = A * B * C * v", 4 * 8 * 16 + 4 * 16 * 2 + 8, 32 + 128 + 32),
        ("f(A: 5x5, x: 5, y: 5) = A * x + A * y", 50, 25),
        ("f(A: 6x3, B: 6x6, v: 6) = A' * B' * v", 3 * 6 * 6 + 18, 3 * 6 * 6 + 18),
        ("f(A: 6x3, v: 3) = A'' * v", 18, 18),
        ("f(A: 6x6, v: 6) = identity(6) * A * identity(6)' * v", 216 + 216 + 36, 36),
        ("f(A: 2x3, B: 2x3) = A + B", 0, 0),
    ];
    for (program, written, with_rules) in cases {
        for level in ["0", "2", "s"] {
            let (plain, count) = run(program, level, false);
            assert_eq!(count, written, "{program} at {level}");
            let (result, count) = run(program, level, true);
            assert_eq!(count, if level == "0" { written } else { with_rules }, "{program} at {level}, with rules");
            assert_eq!(result, plain, "{program} at {level}");
        }
    }
}

#[test]
fn a_product_is_what_it_should_be() {
    let (result, _) = run("f(A: 2x3, v: 3) = A * v", "2", true);
    let module = compile("f(A: 2x3, v: 3) = A * v").expect("is well-formed");
    let args = arguments(&module);
    let numbers = |i: usize| -> Vec<f32> { args[i].bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect() };
    let (a, v) = (numbers(0), numbers(1));
    let row = |i: usize| (0..3).map(|k| a[i * 3 + k] * v[k]).sum::<f32>();
    assert_eq!(result, [row(0), row(1)]);
}

#[test]
fn the_text_form_holds_programs_before_and_after() {
    let mut module = compile("f(A: 2x2, v: 2) = A' * v\ng(A: 2x2) = A + identity(2)").expect("is well-formed");
    for _ in 0..2 {
        let text = print(&module);
        assert_eq!(print(&parse_str(&text).expect("is well-formed")), text);
        optimizer("1").run(&mut module, &mut |_, _| {});
    }
    assert!(!print(&module).contains("= custom["));
}

#[test]
fn every_target_takes_what_is_lowered_and_refuses_what_is_not() {
    let program = "f(A: 3x3, B: 3x3, v: 3) = A * B * v";
    let whole = compile(program).expect("is well-formed");
    let mut lowered = whole.clone();
    optimizer("2").run(&mut lowered, &mut |_, _| {});
    let options = EmitOptions { version: Version::parse("450"), ..EmitOptions::default() };
    for target in [Target::Glsl, Target::Wgsl, Target::Spirv, Target::Js, Target::Wasm, Target::Wat, Target::Asm] {
        let errors = emit(&whole, target, &options).expect_err("no target has the ops");
        assert_eq!(errors.len(), 2, "{target:?}");
        assert_eq!(errors[0].code.0, "E0710", "{target:?}");
        assert_eq!(errors[0].message, "no target has the op `mat_mul`, which the phase `loops` should have lowered");
        let place = &program[errors[0].span.start as usize..errors[0].span.end as usize];
        assert_eq!(place.trim(), "A * B", "{target:?}");
        if matches!(target, Target::Glsl | Target::Js | Target::Wasm | Target::Wat | Target::Asm) {
            emit(&lowered, target, &options).unwrap_or_else(|errors| panic!("{target:?}: {errors:#?}"));
        }
    }
}

#[test]
fn mistakes_have_places() {
    let mistake = |program: &str| compile(program).expect_err("is wrong");
    let error = |start, end, message: &str| Error { span: Span::new(start, end), message: message.into() };
    let product = "f(A: 2x3, v: 2) = A * v";
    assert_eq!(mistake(product), error(18, 23, "a 2x3 matrix and a vector of 2 do not fit"));
    assert_eq!(mistake("f(v: 2) = v + w"), error(14, 15, "there is no `w`"));
    assert_eq!(mistake("f(v: 0) = v"), error(5, 6, "expected a number from 1 to 65536"));
    assert_eq!(mistake("f(v: 2, v: 3) = v").message, "there are two parameters `v`");
    assert_eq!(mistake("f(v: 2) = (v").message, "expected `)`");
    assert_eq!(mistake("f(A: 60000x60000) = A").message, "a matrix has at most 65536 numbers");
    assert_eq!(mistake(&format!("f(v: 2) = {}v", "(".repeat(1000))).message, "parentheses may be nested 100 deep");
}
