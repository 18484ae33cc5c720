//! Functions that may trap: flattened, written as graphs, read again, and run. The reader traps where the evaluator does, in
//! the same way, and else gives the same value.

use graph_reader::{Error, Machine, NoHost, Program, Scalar};
use planish::eval::{EvalValue, Evaluator, Limits, Stop};
use planish::flatten::{Options, STAGES};
use planish::ir::entity::Func;
use planish::ir::text::parse_str;
use planish::module::Module;
use planish_generate::Choices;

use crate::common;

/// A function, flattened, as the reader has it.
fn program(module: &Module, func: Func, fast_math: bool) -> Program {
    let mut flat = module.clone();
    for stage in STAGES {
        let options = Options { fast_math, ..Options::default() };
        (stage.run)(&mut flat, func, &options).unwrap_or_else(|e| panic!("{}: {e:#?}", stage.name));
    }
    common::read(&flat, func).unwrap_or_else(|e| panic!("{e}\n{}", planish::ir::text::print(&flat)))
}

/// Runs a function in both hands; gives how often it came to an end, and how often it trapped in each way.
fn outcomes(text: &str) -> Vec<(String, usize)> {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let func = module.funcs.keys().last().expect("a function");
    let mut outcomes: Vec<(String, usize)> = Vec::new();
    for fast_math in [false, true] {
        let program = program(&module, func, fast_math);
        let mut machine = Machine::new(&program);
        let mut evaluator = Evaluator::new(&module, Limits::default()).expect("it can be run");
        let mut random = Choices::from_seed(17);
        for _ in 0..2000 {
            let mut arguments = Vec::new();
            for param in &module.funcs[func].params {
                let scalar = module.types.scalar_of(param.ty).expect("a scalar").name();
                let scalar = if scalar == "f32" { Scalar::F32 } else { Scalar::I32 };
                let word = common::word(&mut random, scalar, false);
                if let Some(row) = program.inputs.iter().position(|i| *i.name == *param.name.text) {
                    machine.set_input(row, &[word]);
                }
                arguments.push(EvalValue { ty: param.ty, bits: vec![word.into()] });
            }
            machine.preshader(&mut NoHost).expect("it runs");
            let found = match machine.pixel(&mut NoHost) {
                Ok(_) => Ok(machine.output(0)[0]),
                Err(Error::Trap(kind)) => Err(kind),
                Err(other) => panic!("{other}"),
            };
            let expected = match evaluator.call(func, &arguments) {
                Ok(results) => Ok(results[0].bits[0] as u32),
                Err(Stop::Trap { kind, .. }) => Err(kind.name().to_string()),
                Err(other) => panic!("{other}"),
            };
            assert_eq!(found, expected, "{text}\nof {arguments:?}, fast-math: {fast_math}");
            let name = expected.err().unwrap_or_else(|| "ends".into());
            match outcomes.iter_mut().find(|o| o.0 == name) {
                Some(outcome) => outcome.1 += 1,
                None => outcomes.push((name, 1)),
            }
        }
    }
    outcomes
}

/// Each of these must have happened.
#[track_caller]
fn check(text: &str, ways: &[&str]) {
    let outcomes = outcomes(text);
    for way in ways {
        assert!(outcomes.iter().any(|o| o.0 == *way), "{way}: {outcomes:?}\n{text}");
    }
    assert_eq!(outcomes.len(), ways.len(), "{outcomes:?}");
}

#[test]
fn divisions_trap_where_control_comes() {
    let guarded = "module ir\nfn @f(%0 a: i32, %1 b: i32) -> (i32) {\nb0:\n  %2 = greater_than %0, 2\n  if %2 {\n  then b1:\n    \
                   %3 = divide_trapping %0, %1\n    merge %3\n  else b2:\n    merge 5\n  }\nb3(%4: i32):\n  %5 = \
                   remainder_trapping %4, %0\n  return %5\n}\n";
    check(guarded, &["ends", "division_by_zero"]);
    for (ty, ways) in
        [("i32", &["ends", "division_by_zero", "integer_overflow"][..]), ("u32", &["ends", "division_by_zero"])]
    {
        let plain = format!(
            "module ir\nfn @f(%0 a: {ty}, %1 b: {ty}) -> ({ty}) {{\nb0:\n  %2 = divide_trapping %0, %1\n  %3 = \
             remainder_trapping %2, %1\n  %4 = add %2, %3\n  return %4\n}}\n"
        );
        check(&plain, ways);
    }
}

#[test]
fn conversions_trap_where_the_number_does_not_fit() {
    for ty in ["i32", "u32"] {
        let text = format!(
            "module ir\nfn @f(%0 a: f32) -> ({ty}) {{\nb0:\n  %1: {ty} = truncate_trapping %0\n  return %1\n}}\n"
        );
        check(&text, &["ends", "invalid_conversion", "integer_overflow"]);
    }
}

/// The first trap of the program counts, in whatever order the graph computes.
#[test]
fn the_first_trap_counts() {
    let text = "module ir\nfn @f(%0 a: i32, %1 b: i32, %2 c: i32) -> (i32) {\nb0:\n  %3 = greater_than %0, 3\n  if %3 {\n  then b1:\n    \
                trap user\n  else b2:\n    merge\n  }\nb3:\n  %4 = divide_trapping %1, %2\n  %5 = less_than %4, 4\n  if %5 {\n  then \
                b4:\n    merge\n  else b5:\n    trap unreachable\n  }\nb6:\n  return %4\n}\n";
    check(text, &["ends", "user", "division_by_zero", "unreachable"]);
}
