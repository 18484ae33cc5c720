//! Control flow under divergent masks: many lanes in lockstep give what each gives alone.

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::Func;
use planish_ir::function::TrapKind;
use planish_ir::module::Module;
use planish_ir::text::parse_str;

fn module(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:?}");
    module
}

fn func(module: &Module, name: &str) -> Func {
    module.funcs.iter().find(|(_, f)| &*f.name.text == name).map(|(f, _)| f).expect("the function")
}

/// Calls `f(x, y)` for many pairs, alone and together.
fn compare(text: &str) -> Vec<Vec<EvalValue>> {
    let module = module(text);
    let f = func(&module, "f");
    let lanes: Vec<Vec<EvalValue>> =
        (0..64).map(|i| vec![EvalValue::i32(i % 11 - 2), EvalValue::i32(i * 7 % 13)]).collect();
    let alone: Vec<Vec<EvalValue>> = lanes
        .iter()
        .map(|args| {
            let mut evaluator = Evaluator::new(&module, Limits::default()).expect("instantiates");
            evaluator.call(f, args).unwrap_or_else(|s| panic!("{s}"))
        })
        .collect();
    for n in [64, 100] {
        let mut evaluator = Evaluator::with_lanes(&module, Limits::default(), n).expect("instantiates");
        let together = evaluator.call_lanes(f, &lanes).unwrap_or_else(|s| panic!("{s}"));
        assert_eq!(together, alone);
    }
    let different: std::collections::BTreeSet<Vec<u64>> = alone.iter().map(|r| r[0].bits.clone()).collect();
    assert!(different.len() > 5, "the lanes should differ: {different:?}");
    alone
}

#[test]
fn breaks_and_continues_over_levels() {
    compare(
        "module ir
fn @f(%0 x: i32, %1 y: i32) -> (i32) {
b0:
  var @sum: i32
  var @seen: i32
  loop 0 {
  cond b1(%2: i32):
    %3 = less_than %2, 9
    loop_if %3
  body b2:
    loop 0, %2 {
    cond b3(%4: i32, %5: i32):
      %6 = add %4, %5
      %7 = less_than %4, 7
      loop_if %7 merge(%6)
    body b4:
      %8 = load @sum
      %9 = multiply %8, 3
      %10 = add %9, %6
      store @sum, %10
      %11 = equal %6, %0
      if %11 {
      then b5:
        %12 = add %2, 2
        continue b0, %12
      else b6:
        merge
      }
    b7:
      %13 = multiply %4, %2
      %14 = equal %13, %1
      if %14 {
      then b8:
        break b0
      else b9:
        merge
      }
    b10:
      %15 = bitwise_and %10, 3
      %16 = equal %15, 3
      if %16 {
      then b11:
        break b2, 77
      else b12:
        merge
      }
    b13:
      %17 = add %4, 1
      %18 = bitwise_xor %5, 1
      continue b2, %17, %18
    }
  b14(%19: i32):
    %20 = load @seen
    %21 = add %20, %19
    store @seen, %21
    %22 = add %2, 1
    continue b0, %22
  }
b15:
  %23 = load @sum
  %24 = load @seen
  %25 = multiply %24, 1000
  %26 = add %23, %25
  %27 = add %26, %2
  return %27
}
",
    );
}

#[test]
fn values_of_a_loops_condition_are_each_lanes_own_after_it() {
    let results = compare(
        "module ir
fn @f(%0 x: i32, %1 y: i32) -> (i32, i32) {
b0:
  loop 0 {
  cond b1(%2: i32):
    %3 = multiply %2, 10
    %4 = add %3, %0
    %5 = less_than %2, %1
    loop_if %5
  body b2:
    %6 = add %2, 1
    continue b0, %6
  }
b3:
  return %4, %2
}
",
    );
    for (i, result) in results.iter().enumerate() {
        let (x, y) = (i as i32 % 11 - 2, i as i32 * 7 % 13);
        assert_eq!((result[0].as_i32(0), result[1].as_i32(0)), (Some(10 * y + x), Some(y)));
    }
}

#[test]
fn returns_from_inside_and_do_loops() {
    compare(
        "module ir
fn @g(%0 n: i32, %1 stop: i32) -> (i32, i32) {
b0:
  do_loop 0, 1 {
  body b1(%2: i32, %3: i32):
    %4 = multiply %3, 3
    %5 = equal %2, %1
    if %5 {
    then b2:
      return %4, -1
    else b3:
      merge
    }
  b4:
    %6 = add %2, 1
    continue b0, %6, %4
  cond b5(%7: i32, %8: i32):
    %9 = less_than %7, %0
    loop_if %9 body(%7, %8) merge(%8)
  }
b6(%10: i32):
  return %10, %0
}
fn @f(%0 x: i32, %1 y: i32) -> (i32) {
b0:
  %2 = less_than %0, 3
  if %2 {
  then b1:
    %3, %4 = call @g, %1, %0
    merge %3, %4
  else b2:
    %5, %6 = call @g, %0, %1
    merge %6, %5
  }
b3(%7: i32, %8: i32):
  %9 = multiply %8, 31
  %10 = add %7, %9
  return %10
}
",
    );
}

#[test]
fn recursion_under_masks() {
    let results = compare(
        "module ir
fn @fib(%0 n: i32) -> (i32) {
b0:
  %1 = less_than %0, 2
  if %1 {
  then b1:
    return %0
  else b2:
    %2 = subtract %0, 1
    %3 = call @fib, %2
    %4 = subtract %0, 2
    %5 = call @fib, %4
    %6 = add %3, %5
    merge %6
  }
b3(%7: i32):
  return %7
}
fn @f(%0 x: i32, %1 y: i32) -> (i32) {
b0:
  %2 = call @fib, %1
  return %2
}
",
    );
    assert_eq!(results[1][0].as_i32(0), Some(13));
}

#[test]
fn switches_fall_through() {
    compare(
        "module ir
fn @f(%0 x: i32, %1 y: i32) -> (i32) {
b0:
  var @v: i32
  switch %0 {
  case 1 b1:
    store @v, 10
    passthrough
  case 2, 3 b2:
    %2 = load @v
    %3 = add %2, %1
    store @v, %3
    %4 = less_than %1, 6
    if %4 {
    then b3:
      break b0, 1
    else b4:
      merge
    }
  b5:
    passthrough
  case default b6:
    %5 = load @v
    %6 = add %5, 1000
    store @v, %6
    break b0, 2
  case 7 b7:
    return 123456
  }
b8(%7: i32):
  %8 = load @v
  %9 = multiply %8, 10
  %10 = add %9, %7
  return %10
}
",
    );
}

#[test]
fn pointers_swizzles_and_dynamic_parts() {
    compare(
        "module ir
fn @bump(%0 p: *function i32, %1 by: i32) -> (i32) {
b0:
  %2 = load %0
  %3 = add %2, %1
  store %0, %3
  %4 = postfix_increment %0
  return %4
}
fn @f(%0 x: i32, %1 y: i32) -> (i32) {
b0:
  var @a: [5 x ivec3]
  var @k: i32
  %2 = access_array_element @a, %0
  %3: ivec3 = construct_vector_from_multiple %0, %1, 9
  store %2, %3
  %4 = access_vector_component_multi[zx] %2
  %5: ivec2 = construct_vector_from_scalar %1
  store %4, %5
  %6 = access_vector_component_dynamic %2, %1
  %7 = call @bump, %6, 4
  %8 = access_vector_component_dynamic %4, %0
  %9 = load %8
  %10 = access_array_element @a, 4
  %11 = load %10
  %12 = extract_vector_component[1] %11
  %13 = multiply %12, 100
  %14 = add %13, %9
  %15 = multiply %7, 10000
  %16 = add %14, %15
  return %16
}
",
    );
}

#[test]
fn steps_memory_and_depth_are_limited() {
    let module = module(
        "module ir
fn @forever() -> () {
b0:
  loop {
  cond b1:
    loop_if true
  body b2:
    continue b0
  }
b3:
  return
}
fn @deep(%0 n: i32) -> (i32) {
b0:
  var @big: [10000 x i32]
  %1 = add %0, 1
  %2 = call @deep, %1
  return %2
}
",
    );
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let mut evaluator = Evaluator::new(&module, limits).expect("instantiates");
    assert_eq!(evaluator.call(func(&module, "forever"), &[]), Err(Stop::StepLimit));
    let limits = Limits { words: 1_000_000, ..Limits::default() };
    let mut evaluator = Evaluator::new(&module, limits).expect("instantiates");
    // Calls that need too much memory are too many calls.
    let deep = evaluator.call(func(&module, "deep"), &[EvalValue::i32(0)]);
    assert!(matches!(deep, Err(Stop::Trap { kind: TrapKind::StackOverflow, .. })), "{deep:?}");
    // A single frame over the limit is not a matter of recursion.
    let limits = Limits { words: 1_000, ..Limits::default() };
    let mut evaluator = Evaluator::new(&module, limits).expect("instantiates");
    assert_eq!(evaluator.call(func(&module, "deep"), &[EvalValue::i32(0)]), Err(Stop::MemoryLimit));
}

#[test]
fn a_long_program_and_a_deep_one_need_no_stack() {
    let mut text = String::from("module ir\nfn @f(%0 x: i32) -> (i32) {\nb0:\n");
    for i in 0..20_000 {
        text += &format!("  %{} = add %{i}, 1\n  next_block\nb{}:\n", i + 1, i + 1);
    }
    text += "  return %20000\n}\n";
    let module = module(&text);
    let f = func(&module, "f");
    let result = std::thread::Builder::new()
        .stack_size(1 << 19)
        .spawn(move || {
            let mut evaluator = Evaluator::new(&module, Limits::default()).expect("instantiates");
            evaluator.call(f, &[EvalValue::i32(5)]).map(|r| r[0].as_i32(0))
        })
        .expect("a thread")
        .join()
        .expect("no overflow");
    assert_eq!(result, Ok(Some(20_005)));
}

/// Lanes that make tail calls at different times, to different functions, and some not at all.
#[test]
fn tail_calls_under_divergence() {
    let module = module(
        "module ir
table table0 funcref min 3
elem elem0 funcref in table0 at 0 [@by_one, @by_two, @by_one]
fn @walk(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = less_than %0, 1
  if %2 {
  then b1:
    return %1
  else b2:
    %3 = remainder %0, 3
    %4 = add %1, 1
    %5 = tail_call_indirect[table0 fn(i32, i32) -> (i32)] %3, %0, %4
    return %5
  }
b3:
  trap unreachable
}
fn @by_one(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = subtract %0, 1
  %3 = tail_call @walk, %2, %1
  return %3
}
fn @by_two(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = subtract %0, 2
  %3 = multiply %1, 3
  %4 = tail_call @walk, %2, %3
  return %4
}
fn @start(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = equal %1, 0
  if %2 {
  then b1:
    return -1
  else b2:
    %3 = tail_call @walk, %0, %1
    return %3
  }
b3:
  trap unreachable
}
",
    );
    let walk = func(&module, "start");
    let lanes: Vec<Vec<EvalValue>> = (0..70).map(|i| vec![EvalValue::i32(i), EvalValue::i32(i % 5)]).collect();
    let mut many = Evaluator::with_lanes(&module, Limits::default(), lanes.len()).expect("instantiates");
    let together = many.call_lanes(walk, &lanes).expect("runs");
    let mut one = Evaluator::new(&module, Limits::default()).expect("instantiates");
    let expected = |mut x: i32, mut y: i32| {
        if y == 0 {
            return -1;
        }
        while x >= 1 {
            y = y.wrapping_add(1);
            match x % 3 {
                1 => (x, y) = (x - 2, y.wrapping_mul(3)),
                _ => x -= 1,
            }
        }
        y
    };
    for (args, results) in lanes.iter().zip(together) {
        let alone = one.call(walk, args).expect("runs");
        assert_eq!(alone, results);
        let (x, y) = (args[0].as_i32(0).expect("an i32"), args[1].as_i32(0).expect("an i32"));
        assert_eq!(alone[0].as_i32(0), Some(expected(x, y)));
    }
}
