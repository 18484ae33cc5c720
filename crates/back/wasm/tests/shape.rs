//! Shape of the code: instructions, their order, and the number of local variables.

use planish_ir::text::parse_str;
use wasmparser::{Operator, Parser, Payload};

use crate::common;

/// The instructions of the first function, a line each, and the number of variables that it declares.
fn code(text: &str) -> (Vec<String>, u32) {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let bytes = common::binary(&module).unwrap_or_else(|e| panic!("{e:#?}"));
    for payload in Parser::new(0).parse_all(&bytes) {
        let Payload::CodeSectionEntry(body) = payload.expect("valid") else { continue };
        let locals = body.get_locals_reader().expect("valid").into_iter().map(|l| l.expect("valid").0).sum();
        let operators = body.get_operators_reader().expect("valid").into_iter().map(|o| o.expect("valid"));
        let name = |operator: Operator<'_>| match operator {
            Operator::LocalGet { local_index } => format!("get {local_index}"),
            Operator::LocalSet { local_index } => format!("set {local_index}"),
            Operator::LocalTee { local_index } => format!("tee {local_index}"),
            Operator::BrIf { relative_depth } => format!("br_if {relative_depth}"),
            Operator::Br { relative_depth } => format!("br {relative_depth}"),
            Operator::I32Const { value } => format!("const {value}"),
            other => format!("{other:?}").split([' ', '{', '(']).next().unwrap_or_default().to_owned(),
        };
        return (operators.map(name).collect(), locals);
    }
    panic!("there is a function");
}

fn check(text: &str, expected: &str, locals: u32) {
    let (code, declared) = code(text);
    assert_eq!(code.join(", "), expected);
    assert_eq!(declared, locals);
}

#[test]
fn a_load_stays_before_a_store() {
    check(
        "module wasm
memory memory0 min 1
fn @f(%0: i32, %1: i32) -> (i32) {
b0:
  %2: i32 = memory_load[memory0 s32] %0
  memory_store[memory0 u32] %1, 5
  %3 = add %2, 1
  return %3
}
",
        "get 0, I32Load, set 0, get 1, const 5, I32Store, get 0, const 1, I32Add, End",
        0,
    );
}

#[test]
fn loads_change_places_where_nobody_can_tell() {
    check(
        "module wasm
memory memory0 min 1
fn @f(%0: i32, %1: i32) -> (i32) {
b0:
  %2: i32 = memory_load[memory0 s32] %0
  %3: i32 = memory_load[memory0 s32] %1
  %4 = subtract %3, %2
  return %4
}
",
        "get 1, I32Load, get 0, I32Load, I32Sub, End",
        0,
    );
}

#[test]
fn traps_of_two_kinds_keep_their_order() {
    check(
        "module wasm
memory memory0 min 1
fn @f(%0: i32, %1: i32) -> (i32) {
b0:
  %2: i32 = memory_load[memory0 s32] %0
  %3 = divide_trapping %0, %1
  %4 = subtract %3, %2
  return %4
}
",
        "get 0, I32Load, set 2, get 0, get 1, I32DivS, get 2, I32Sub, End",
        1,
    );
}

#[test]
fn a_loop_counts_in_one_variable() {
    check(
        "module wasm
fn @f(%0: i32) -> (i32) {
b0:
  loop 0 {
  cond b1(%1: i32):
    %2 = less_than %1, %0
    loop_if %2
  body b2:
    %3 = add %1, 3
    continue b0, %3
  }
b3:
  return %1
}
",
        "const 0, set 1, Loop, get 1, get 0, I32LtS, If, get 1, const 3, I32Add, set 1, br 1, End, End, get 1, End",
        1,
    );
}

#[test]
fn an_arm_that_only_leaves_is_a_conditional_jump() {
    check(
        "module wasm
fn @f(%0: i32, %1: i32) -> (i32) {
b0:
  labelled {
  body b1:
    %2 = not_equal %0, 0
    if %2 {
    then b2:
      break b0, %1
    else b3:
      merge
    }
  b4:
    merge 7
  }
b5(%3: i32):
  return %3
}
",
        "Block, get 0, br_if 0, const 7, set 1, End, get 1, End",
        0,
    );
}

#[test]
fn a_jump_takes_a_constant_along() {
    check(
        "module wasm
fn @f(%0: i32, %1: i32) -> (i32) {
b0:
  labelled {
  body b1:
    %2 = less_than %0, 0
    if %2 {
    then b2:
      merge
    else b3:
      break b0, -1
    }
  b4:
    %3 = multiply %0, %1
    merge %3
  }
b5(%4: i32):
  return %4
}
",
        "Block, const -1, get 0, const 0, I32GeS, br_if 0, Drop, get 0, get 1, I32Mul, End, End",
        0,
    );
}

#[test]
fn what_one_arm_changes_keeps_its_variable() {
    check(
        "module wasm
fn @f(%0: i32, %1: bool) -> (i32) {
b0:
  %2 = multiply %0, %0
  %3 = add %2, %0
  if %1 {
  then b1:
    %4 = add %3, %2
    merge %4
  else b2:
    merge %3
  }
b3(%5: i32):
  %6 = multiply %5, %5
  return %6
}
",
        "get 0, get 0, I32Mul, tee 2, get 0, I32Add, set 0, get 1, If, get 0, get 2, I32Add, set 0, End, get 0, get 0, I32Mul, \
         End",
        1,
    );
}

#[test]
fn blocks_that_end_together_are_one() {
    check(
        "module wasm
fn @f(%0: i32) -> () {
b0:
  labelled {
  body b1:
    labelled {
    body b2:
      %1 = less_than %0, 5
      if %1 {
      then b3:
        break b0
      else b4:
        merge
      }
    b5:
      %2 = less_than %0, 9
      if %2 {
      then b6:
        break b1
      else b7:
        merge
      }
    b8:
      trap unreachable
    }
  b9:
    merge
  }
b10:
  return
}
",
        "Block, get 0, const 5, I32LtS, br_if 0, get 0, const 9, I32LtS, br_if 0, Unreachable, End, End",
        0,
    );
}

#[test]
fn a_loop_ends_where_it_is_left() {
    check(
        "module wasm
fn @f(%0: i32) -> () {
b0:
  loop 0 {
  cond b1(%1: i32):
    loop_if true
  body b2:
    %2 = add %1, 1
    %3 = less_than %2, %0
    if %3 {
    then b3:
      continue b0, %2
    else b4:
      break b0
    }
  b5:
    trap unreachable
  }
b6:
  return
}
",
        "const 0, set 1, Loop, get 1, const 1, I32Add, tee 1, get 0, I32LtS, br_if 0, End, End",
        1,
    );
}

/// A read of an initial value without uses is not computed: each level would double the time.
#[test]
fn unused_reads_of_initial_values_take_no_time() {
    let levels = 50;
    let mut text = String::from("module wasm\nvar private @g0: i32 = 1\n");
    for i in 1..=levels {
        text += &format!("var private @g{i}: i32 computed @f{i}\n");
    }
    for i in 1..=levels {
        let before = i - 1;
        text +=
            &format!("fn @f{i}() -> (i32) {{\nb0:\n  %0 = load @g{before}\n  %1 = load @g{before}\n  return %1\n}}\n");
    }
    text += &format!("fn @r() -> (i32) {{\nb0:\n  %0 = load @g{levels}\n  return %0\n}}\nexport @r \"r\"\n");
    check(&text, "GlobalGet, End", 0);
}
