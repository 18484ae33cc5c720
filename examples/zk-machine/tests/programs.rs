//! The programs of `tests/ir` that need only integers, and random ones, give here what they give in the evaluator.

use std::collections::BTreeSet;

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::arena::Id;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Func, Type};
use planish_ir::function::TrapKind;
use planish_ir::meaning::Shape;
use planish_ir::module::{Language, Module};
use planish_ir::types::Scalar;
use planish_machine::check::check;
use planish_testkit::op_cases;
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

/// The result of the evaluator, in words.
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
    for (name, text, mut module) in programs() {
        if matches!(name.as_str(), "floating" | "wasm_instance") {
            continue; // Not placed; computed variables.
        }
        // Functions of floats stay as they are, and are left out.
        let _ = zk_machine::legalize(&mut module);
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
        let mut module = generate(seed, 12 + seed as u32 % 60);
        zk_machine::legalize(&mut module).expect("it has integers only");
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

/// Operands at which operations on words and double words go wrong.
const HARD: [u64; 15] = [
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

/// A function for each op at each type of integers; the types of the results follow from the operands.
fn operations(unary: &[&str], binary: &[&str], comparisons: &[&str]) -> Module {
    let mut text = String::from("module ir\n");
    for ty in ["i64", "u64", "i32", "u32"] {
        for op in binary.iter().chain(comparisons) {
            let result = if comparisons.contains(op) { "bool" } else { ty };
            text += &format!(
                "fn @{op}_{ty}(%0: {ty}, %1: {ty}) -> ({result}) {{\nb0:\n  %2 = {op} %0, %1\n  return %2\n}}\n"
            );
        }
        for op in unary {
            // Narrow numbers of bits are signed.
            let is_number = ["bit_count", "find_lsb", "find_msb"].contains(op);
            let result = if is_number && ty == "u32" { "i32" } else { ty };
            text += &format!("fn @{op}_{ty}(%0: {ty}) -> ({result}) {{\nb0:\n  %1 = {op} %0\n  return %1\n}}\n");
        }
    }
    planish_ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Runs every function on all hard operands; `original` says what it gives.
fn compare(original: &Module, legal: &Module) {
    let mut program = Program::new(legal).expect("it starts");
    for (func, function) in original.funcs.iter() {
        let is_wide = |ty: Type| original.types.scalar_of(ty).is_some_and(|s| s.bits() == 64);
        let cut = |(param, x): (&planish_ir::function::Param, u64)| if is_wide(param.ty) { x } else { x & 0xffff_ffff };
        for x in HARD {
            for y in HARD {
                let third = [y, 5];
                for &z in &third[..function.params.len().clamp(2, 3) - 1] {
                    let args: Vec<u64> = function.params.iter().zip([x, y, z, x]).map(cut).collect();
                    assert!(same(original, &mut program, func, &args, "operation"), "{} runs", function.name.text);
                }
            }
        }
    }
}

#[test]
fn operations_on_two_words_are_those_of_the_evaluator() {
    let binary = [
        "add",
        "subtract",
        "multiply",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "shift_left",
        "shift_right",
        "divide_trapping",
        "remainder_trapping",
    ];
    let comparisons = ["less_than", "less_than_equal", "greater_than", "greater_than_equal", "equal", "not_equal"];
    let unary = ["negate", "bitwise_not", "count_leading_zeros", "count_trailing_zeros"];
    let module = operations(&unary, &binary, &comparisons);
    compare(&module, &module);
}

/// Operations that the instruction set lacks, on scalars and on vectors.
#[test]
fn operations_that_the_machine_lacks_are_made_of_those_that_it_has() {
    let unary = [
        "abs",
        "sign",
        "bit_count",
        "bit_reverse",
        "find_lsb",
        "find_msb",
        "sign_extend8",
        "sign_extend16",
        "sign_extend32",
    ];
    let binary = ["min", "max", "rotate_left", "rotate_right", "divide", "remainder"];
    let scalars = operations(&unary, &binary, &[]);
    let more = "module ir
fn @clamp(%0: i64, %1: i64, %2: i64) -> (i64) {
b0:
  %3 = clamp %0, %1, %2
  return %3
}
fn @extract(%0: i32, %1: i32, %2: i32) -> (i32) {
b0:
  %3 = bitfield_extract %0, %1, %2
  return %3
}
fn @insert(%0: u64, %1: u64, %2: i32, %3: i32) -> (u64) {
b0:
  %4 = bitfield_insert %0, %1, %2, %3
  return %4
}
fn @carry(%0: u32, %1: u32) -> (u32, u32) {
b0:
  %2, %3 = add_carry %0, %1
  return %2, %3
}
fn @product(%0: i32, %1: i32) -> (i32, i32) {
b0:
  %2, %3 = multiply_extended %0, %1
  return %2, %3
}
fn @vector(%0: i32, %1: i32) -> (i32, bool) {
b0:
  %2: ivec2 = construct_vector_from_multiple %0, %1
  %3: ivec2 = construct_vector_from_scalar %1
  %4 = min %2, %3
  %5 = extract_vector_component_dynamic %4, %0
  %6 = aggregate_equal %2, %4
  return %5, %6
}
";
    let more = planish_ir::text::parse_str(more).unwrap_or_else(|e| panic!("{e:#?}"));
    for module in [scalars, more] {
        let lacking = Program::new(&module).expect("it starts");
        let lacks = |func: Func| !lacking.has(func);
        assert!(module.funcs.keys().all(lacks), "the machine lacks these operations");
        let mut legal = module.clone();
        zk_machine::legalize(&mut legal).expect("they can be made of others");
        compare(&module, &legal);
    }
}

/// The ops of the whole table, at each combination of types without floats, vectors included.
#[test]
fn every_op_without_floats_gives_the_evaluators_bits() {
    let mut module = Module::new(Language::Ir);
    let cases = op_cases::cases(&mut module);
    let mut legal = module.clone();
    let errors = zk_machine::legalize(&mut legal).expect_err("there are ops on floats");
    assert!(errors.iter().all(|e| e.code == Code::E0604 && e.message.starts_with("the zk machine has no ")));
    let mut program = Program::new(&legal).expect("it starts");
    let scalars = |types: &mut dyn Iterator<Item = Type>| {
        let mut all = vec![];
        types.for_each(|ty| {
            module.types.for_each_run(ty, &mut |scalar, n| all.extend((0..n).map(|_| scalar)));
        });
        all
    };
    let is_of_integers = |case: &op_cases::Case| {
        let types = || case.operands.iter().chain(&case.results);
        let is_number = |ty: &Type| module.types.for_each_run(*ty, &mut |_, _| {});
        types().all(is_number) && !scalars(&mut types().copied()).iter().any(|s| s.is_float())
    };
    let cases: Vec<op_cases::Case> = cases.into_iter().filter(is_of_integers).collect();
    let ops: BTreeSet<&str> = cases.iter().map(|case| case.op.name()).collect();
    assert!(ops.len() > 50, "only {ops:?}");
    for case in &cases {
        assert!(program.has(case.func), "{}: {:?}", case.op.name(), program.why_not(case.func));
    }
    op_cases::compare(&module, &cases, 4, &mut |case, args| {
        let function = &module.funcs[case.func];
        let words = |scalars: &[Scalar], bits: &[u64]| -> Vec<u32> {
            let parts = scalars.iter().zip(bits).flat_map(|(s, &b)| [(true, b), (s.bits() == 64, b >> 32)]);
            parts.filter(|part| part.0).map(|part| part.1 as u32).collect()
        };
        let given = words(&scalars(&mut function.params.iter().map(|p| p.ty)), args);
        let results = scalars(&mut function.results.iter().map(|r| r.ty));
        let count = words(&results, &vec![0; results.len()]).len();
        let got = match program.call(case.func, &given, count) {
            Ok(words) => words,
            Err(Stop::Trap(kind)) => return Err(kind),
            Err(Stop::Missing(func)) => panic!("{func} is missing"),
        };
        let mut got = got.into_iter().map(u64::from);
        let mut next = || got.next().expect("as many words as results have");
        Ok(results.iter().map(|s| next() | if s.bits() == 64 { next() << 32 } else { 0 }).collect())
    });
}
