//! Functions of the host.

use std::cell::RefCell;

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::text::parse_str;

fn module(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:?}");
    module
}

fn func(module: &Module, name: &str) -> Func {
    module.funcs.iter().find(|(_, f)| &*f.name.text == name).expect("is there").0
}

const PROGRAM: &str = "module ir
memory memory0 min 1
table table0 funcref min 3
elem elem0 funcref in table0 at 0 [@twice, @own, @twice]
fn @log(%0: i32, %1: i32) -> (i32, i32)
fn @twice(%0: i32) -> (i32)
fn @own(%0: i32) -> (i32) {
b0:
  %1 = add %0, 100
  return %1
}
fn @both(%0: i32) -> (i32) {
b0:
  %1, %2 = call @log, %0, 7
  %3 = subtract %1, %2
  %4 = call @twice, %3
  %5 = add %4, 1
  return %5
}
fn @choose(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = call_indirect[table0 fn(i32) -> (i32)] %0, %1
  %3 = multiply %2, 10
  return %3
}
import @log \"env\" \"log\"
import @twice \"env\" \"twice\"
";

fn twice(args: &[EvalValue]) -> Result<Vec<EvalValue>, Stop> {
    Ok(vec![EvalValue::i32(args[0].as_i32(0).expect("an i32") * 2)])
}

#[test]
fn the_host_is_called_and_answers() {
    let module = module(PROGRAM);
    let said = RefCell::new(vec![]);
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("is small");
    let both = func(&module, "both");
    let missing = evaluator.call(both, &[EvalValue::i32(5)]);
    assert_eq!(missing, Err(Stop::Missing { name: "log".into() }));

    assert!(evaluator.provide("env", "twice", |call| twice(call.args)));
    let log = |mut call: planish_eval::HostCall<'_>| {
        said.borrow_mut().push(call.args.iter().map(|a| a.as_i32(0).expect("an i32")).collect::<Vec<_>>());
        let memory = call.memory(module.memories.keys().next().expect("there is one"));
        memory[3] += 1;
        Ok(vec![EvalValue::i32(20), EvalValue::i32(memory[3].into())])
    };
    assert!(evaluator.provide("env", "log", log));
    assert!(!evaluator.provide("env", "lgo", |_| Ok(vec![])));
    let called = |evaluator: &mut Evaluator<'_>| evaluator.call(both, &[EvalValue::i32(5)]).map(|r| r[0].as_i32(0));
    // (20 - 1) * 2 + 1, and then with what the host left in the memory.
    assert_eq!(called(&mut evaluator), Ok(Some(39)));
    assert_eq!(called(&mut evaluator), Ok(Some(37)));
    assert_eq!(*said.borrow(), [[5, 7], [5, 7]]);
    // An import can be called like any function.
    let answer = evaluator.call(func(&module, "twice"), &[EvalValue::i32(-4)]);
    assert_eq!(answer, Ok(vec![EvalValue::i32(-8)]));
}

/// Lanes that call different functions, some of them the host's, through a table.
#[test]
fn every_lane_gets_its_own_answer() {
    let module = module(PROGRAM);
    let mut evaluator = Evaluator::with_lanes(&module, Limits::default(), 8).expect("is small");
    evaluator.provide("env", "twice", |call| twice(call.args));
    let lanes: Vec<_> = (0..6).map(|i| vec![EvalValue::i32(i % 3), EvalValue::i32(i + 1)]).collect();
    let results = evaluator.call_lanes(func(&module, "choose"), &lanes).expect("runs");
    let results: Vec<_> = results.iter().map(|r| r[0].as_i32(0).expect("an i32")).collect();
    assert_eq!(results, [20, 1020, 60, 80, 1050, 120]);
}

#[test]
fn what_the_host_gives_must_fit() {
    let module = module(PROGRAM);
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("is small");
    let twice = func(&module, "twice");
    for wrong in [vec![], vec![EvalValue::f32(1.0)], vec![EvalValue::i32(1), EvalValue::i32(2)]] {
        evaluator.provide("env", "twice", move |_| Ok(wrong.clone()));
        assert!(matches!(evaluator.call(twice, &[EvalValue::i32(1)]), Err(Stop::Unsupported { .. })));
    }
    evaluator.provide("env", "twice", |_| Err(Stop::Host { why: "exit 3".into() }));
    assert_eq!(evaluator.call(twice, &[EvalValue::i32(1)]), Err(Stop::Host { why: "exit 3".into() }));
}
