//! The programs of `tests/ir` that need only integers, and random ones, give here what they give in the evaluator.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::arena::Id;
use planish_ir::entity::{Func, Type};
use planish_ir::function::TrapKind;
use planish_ir::module::Module;
use planish_machine::check::check;
use planish_testkit::random_programs::generate;
use planish_testkit::run_lines::{lines, programs};
use zk_machine::{Program, Stop, Zk};

/// Bits of each scalar as words of 32 bits.
fn words(module: &Module, types: impl Iterator<Item = Type>, bits: &[u64]) -> Vec<u32> {
    let mut words = vec![];
    for (ty, &bits) in types.zip(bits) {
        words.push(bits as u32);
        if module.types.scalar_of(ty).is_some_and(|s| s.bits() == 64) {
            words.push((bits >> 32) as u32);
        }
    }
    words
}

/// What the evaluator says, in words.
fn evaluate(module: &Module, func: Func, args: &[u64]) -> Result<Vec<u32>, TrapKind> {
    let function = &module.funcs[func];
    let args: Vec<EvalValue> =
        function.params.iter().zip(args).map(|(p, &bits)| EvalValue { ty: p.ty, bits: vec![bits] }).collect();
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
    match evaluator.call(func, &args) {
        Ok(results) => {
            let bits: Vec<u64> = results.iter().flat_map(|r| r.bits.clone()).collect();
            Ok(words(module, function.results.iter().map(|r| r.ty), &bits))
        }
        Err(planish_eval::Stop::Trap { kind, .. }) => Err(kind),
        Err(other) => panic!("{other}"),
    }
}

/// Runs a call on both, and compares; false if the machine cannot run it.
fn same(module: &Module, program: &mut Program<'_>, func: Func, args: &[u64], what: &str) -> bool {
    if !program.has(func) {
        return false;
    }
    let function = &module.funcs[func];
    let count = words(module, function.results.iter().map(|r| r.ty), &vec![0; function.results.len()]).len();
    let given = words(module, function.params.iter().map(|p| p.ty), args);
    let got = match program.call(func, &given, count) {
        Ok(words) => Ok(words),
        Err(Stop::Trap(kind)) => Err(kind),
        Err(Stop::Missing(_)) => return false,
    };
    assert_eq!(got, evaluate(module, func, args), "{what}: {}{args:x?}", function.name.text);
    true
}

#[test]
fn the_integer_programs_give_what_the_evaluator_gives() {
    let (mut run, mut left_out) = (0, 0);
    for (name, text, module) in programs() {
        if matches!(name.as_str(), "floating" | "wasm_instance") {
            continue; // Not placed; computed variables.
        }
        for line in lines(&module, &text) {
            let (func, args) = (line.func, line.args.concat());
            // A fresh program for each call, as the lines say.
            if same(&module, &mut Program::new(&module).expect("it starts"), func, &args, &name) {
                run += 1;
            } else {
                left_out += 1;
            }
        }
    }
    assert!(run > 70, "{run} calls ran, {left_out} did not");
}

#[test]
fn random_programs_are_right_and_give_what_the_evaluator_gives() {
    for seed in 1..=150 {
        let module = generate(seed, 12 + seed as u32 % 60);
        let mut program = Program::new(&module).expect("it starts");
        let mut random = Choices::from_seed(seed);
        for func in (0..module.funcs.len()).map(Func::new) {
            if let Err(problems) = check(&Zk, &module, func) {
                panic!("seed {seed}, {func}:\n{problems}");
            }
            for _ in 0..3 {
                let args: Vec<u64> = module.funcs[func]
                    .params
                    .iter()
                    .map(|p| {
                        let bits = [0, 1, 2, 3, 9, 0xffff_ffff, 0x8000_0000, 12345][random.below(8)];
                        let wide = module.types.scalar_of(p.ty).is_some_and(|s| s.bits() == 64);
                        if wide { bits << 20 | bits } else { bits }
                    })
                    .collect();
                assert!(same(&module, &mut program, func, &args, &format!("seed {seed}")), "seed {seed}: it runs");
            }
        }
    }
}

/// Each operation on 64-bit integers, on what is hard for it.
#[test]
fn operations_on_two_words_are_those_of_the_evaluator() {
    let ops = [
        "add",
        "subtract",
        "multiply",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "min",
        "max",
        "shift_left",
        "shift_right",
        "rotate_left",
        "rotate_right",
        "divide_trapping",
        "remainder_trapping",
        "less_than",
        "less_than_equal",
        "greater_than",
        "greater_than_equal",
        "equal",
        "not_equal",
    ];
    let unary = [
        "negate",
        "bitwise_not",
        "count_leading_zeros",
        "count_trailing_zeros",
        "bit_count",
        "sign_extend8",
        "sign_extend32",
    ];
    let mut text = String::from("module ir\n");
    for ty in ["i64", "u64", "i32", "u32"] {
        for op in ops {
            let result = if op.contains("equal") || op.contains("than") { "bool" } else { ty };
            text += &format!(
                "fn @{op}_{ty}(%0: {ty}, %1: {ty}) -> ({result}) {{\nb0:\n  %2 = {op} %0, %1\n  return %2\n}}\n"
            );
        }
        for op in unary {
            // Narrow bit counts are signed.
            let result = if op == "bit_count" && ty == "u32" { "i32" } else { ty };
            text += &format!("fn @{op}_{ty}(%0: {ty}) -> ({result}) {{\nb0:\n  %1 = {op} %0\n  return %1\n}}\n");
        }
    }
    let module = planish_ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}"));
    let mut program = Program::new(&module).expect("it starts");
    let hard = [
        0,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 63,
        u64::MAX,
        u64::MAX - 6,
        0x1234_5678_9abc_def0,
    ];
    for (func, function) in module.funcs.iter() {
        let wide = function.params.iter().any(|p| module.types.scalar_of(p.ty).is_some_and(|s| s.bits() == 64));
        let cut = |x: u64| if wide { x } else { x & 0xffff_ffff };
        for x in hard {
            for y in hard {
                let args = [cut(x), cut(y)];
                assert!(same(&module, &mut program, func, &args[..function.params.len()], "operation"));
            }
        }
    }
}
