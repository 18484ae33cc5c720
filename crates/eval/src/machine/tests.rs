//! Internal properties: growth of buffers, and reset of invocations.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Var};
use planish_ir::module::Module;
use planish_ir::text::parse_str;

use super::Machine;
use crate::program::Program;
use crate::stop::Limits;

fn machine(module: &Module) -> Machine<'_> {
    let program = Arc::new(Program::new(module).expect("can be decoded"));
    Machine::new(program, Limits::default(), 1).expect("instantiates")
}

fn func(module: &Module, name: &str) -> Func {
    module.funcs.iter().find(|(_, f)| &*f.name.text == name).expect("is there").0
}

#[test]
fn a_million_tail_calls_grow_nothing() {
    let module = parse_str(
        "module wasm
table table0 funcref min 1
elem elem0 funcref in table0 at 0 [@odd]
fn @count_down(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = equal %0, 0
  if %2 {
  then b1:
    return %1
  else b2:
    %3 = subtract %0, 1
    %4 = add %1, 1
    %5 = tail_call @count_down, %3, %4
    return %5
  }
b3:
  trap unreachable
}
fn @parity(%0: i32, %1: i32) -> (i32) {
b0:
  loop {
  cond b1:
    loop_if true
  body b2:
    %2 = equal %0, 0
    if %2 {
    then b4:
      return 0
    else b5:
      %3 = subtract %0, 1
      %4 = tail_call_indirect[table0 fn(i32, i32, i32, i32) -> (i32)] 0, %3, %0, %0, %0
      return %4
    }
  b6:
    continue b0
  }
b3:
  trap unreachable
}
fn @odd(%0: i32, %1: i32, %2: i32, %3: i32) -> (i32) {
b0:
  %4 = equal %0, 0
  if %4 {
  then b1:
    return 1
  else b2:
    %5 = subtract %0, 1
    %6 = tail_call @parity, %5, %0
    return %6
  }
b3:
  trap unreachable
}
",
    )
    .expect("is valid");
    let mut machine = machine(&module);
    for name in ["count_down", "parity"] {
        let function = func(&module, name);
        let run = |machine: &mut Machine<'_>, times: u64| {
            machine.invoke(function, &[vec![times], vec![0]], 1).expect("ends");
            let frames = (machine.frames.capacity(), machine.constructs.capacity(), machine.vars.capacity());
            (frames, machine.regs.len(), machine.lane_words.len(), machine.objects.len())
        };
        let few = run(&mut machine, 20);
        assert_eq!(run(&mut machine, 1_000_000), few, "{name}");
    }
}

#[test]
fn an_invocation_begins_with_its_own_variables_only() {
    let module = parse_str(
        "module wasm
var private @own: i32 = 3
var private @kept: i32 = 4 export \"kept\"
var private @computed: i32 computed @five
fn @five() -> (i32) {
b0:
  return 5
}
fn @change() {
b0:
  store @own, 30
  store @kept, 40
  return
}
",
    )
    .expect("is valid");
    let mut machine = machine(&module);
    let words = |machine: &Machine<'_>| [0, 1, 2].map(|v| machine.lane_column(Var::new(v), 0).map(|column| column[0]));
    assert_eq!(words(&machine), [Some(3), Some(4), Some(5)]);
    machine.invoke(func(&module, "change"), &[], 1).expect("ends");
    assert_eq!(words(&machine), [Some(30), Some(40), Some(5)]);
    machine.reset_invocation();
    assert_eq!(words(&machine), [Some(3), Some(40), Some(5)]);
}
