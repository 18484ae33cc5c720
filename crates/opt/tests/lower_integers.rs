//! Integers of 8 and 16 bits as wrapped integers of 32 bits: the same results.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::entity::Type;
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_opt::{Context, legalize, lower_small};
use planish_target::legal::{Operation, Support, TargetInfo};
use planish_testkit::op_cases;

use crate::lower_halves::{call, parsed};

const INTEGERS: [Scalar; 4] = [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16];

fn lowered_but(module: &Module, has: &dyn Fn(Scalar) -> bool) -> Module {
    let mut lowered = module.clone();
    lower_small::run(&mut lowered, "the target", has, &mut Context::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&lowered), []);
    assert!(!lower_small::is_needed(&lowered, has));
    lowered
}

fn lowered(module: &Module) -> Module {
    lowered_but(module, lower_small::NONE)
}

#[test]
fn every_op_on_small_integers_gives_the_same_as_words_that_are_wrapped() {
    let mut module = Module::new(Language::Ir);
    let mut cases = op_cases::small_cases_of(&mut module, &Scalar::SMALL, &|op| op.info().class != Class::Simd);
    cases.retain(|case| !op_cases::sees_nan_of_half(&module, case));
    assert!(cases.len() > 1000, "only {}", cases.len());
    let lowered = lowered(&module);
    let mut evaluator = Evaluator::new(&lowered, Limits::default()).expect("no memory is needed");
    op_cases::compare_lowered(&module, &cases, &mut |case, words| call(&mut evaluator, &lowered, case, words));
}

/// A device with these integers, but without what it has of words only: the same results by the expansions of the legalizer.
#[test]
fn expansions_of_ops_on_small_integers_give_the_same() {
    let support = |operation: &Operation| match operation.op {
        _ if !operation.scalar().is_some_and(Scalar::is_small_integer) => Support::Yes,
        Op::Add | Op::Subtract | Op::Multiply | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => Support::Yes,
        Op::Divide | Op::ShiftLeft | Op::ShiftRight => Support::Guard,
        Op::Equal | Op::NotEqual | Op::LessThan | Op::GreaterThan | Op::LessThanEqual | Op::GreaterThanEqual => {
            Support::Yes
        }
        Op::Select | Op::Bitcast | Op::ConstructScalarFromScalar => Support::Yes,
        op if matches!(op.info().class, Class::Construct) => Support::Guard,
        op if matches!(op.info().class, Class::Extract) => Support::Yes,
        _ => Support::Expand,
    };
    let target = TargetInfo { name: "a device", support: &support, is_shading_language: true };
    assert!(INTEGERS.into_iter().all(|scalar| target.has_numbers(scalar)));
    let mut module = Module::new(Language::Ir);
    let cases = op_cases::small_cases_of(&mut module, &INTEGERS, &|op| op.info().class != Class::Simd);
    let mut legal = module.clone();
    legalize::run(&mut legal, &target, &mut Context::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&legal), []);
    let mut evaluator = Evaluator::new(&legal, Limits::default()).expect("no memory is needed");
    op_cases::compare_with_one_nan(&module, &cases, &mut |case, words| call(&mut evaluator, &legal, case, words));
}

/// All 65,536 words as halves and back, but for the bits of a NaN, of which there is one in 32 bits.
#[test]
fn the_bits_of_halves_are_words() {
    let module = parsed(
        "module ir

fn @back(%0 x: u16) -> (u16, i16) {
b0:
  %1: f16 = bitcast %0
  %2: u16 = bitcast %1
  %3: i16 = bitcast %2
  %4: f16 = bitcast %3
  %5: i16 = bitcast %4
  return %2, %5
}
",
    );
    let lowered = lowered(&module);
    let func = lowered.funcs.keys().next().expect("there is one");
    let mut evaluator = Evaluator::new(&lowered, Limits::default()).expect("no memory is needed");
    for word in (0..=0xffffu64).filter(|word| word & 0x7fff <= 0x7c00) {
        let results = evaluator.call(func, &[EvalValue { ty: Type::U32, bits: vec![word] }]).expect("it returns");
        let want = [word, u64::from(word as u16 as i16 as i32 as u32)];
        assert_eq!([results[0].bits[0], results[1].bits[0]], want);
    }
}

#[test]
fn what_stays_in_range_is_not_wrapped() {
    let module = parsed(
        "module ir

fn @f(%0 x: i8vec2, %1 y: i8vec2, %2 z: u16) -> (i8, u16) {
b0:
  var @kept: [2 x i8vec2]
  %3 = min %0, %1
  %4 = bitwise_xor %3, %0
  %5 = access_array_element @kept, 1
  store %5, %4
  %6 = load %5
  %7 = extract_vector_component[1] %6
  %8 = bitwise_not %7
  %9 = remainder %8, %7
  %10 = divide %2, %2
  return %9, %10
}
",
    );
    let printed = planish_ir::text::print(&lowered(&module));
    assert!(!printed.contains("i8") && !printed.contains("extend") && !printed.contains("and"), "{printed}");
    assert!(printed.contains("var @kept: [2 x ivec2]"), "{printed}");
}

#[test]
fn what_leaves_the_range_is_wrapped_once() {
    let module = parsed(
        "module ir

fn @f(%0 x: i16vec3, %1 y: u8, %2 n: i32) -> (i16vec3, u8, i32) {
b0:
  %3 = multiply_add %0, %0, %0
  %4 = add %1, 200uy
  %5 = shift_right %4, %2
  %6: i8 = construct_scalar_from_scalar %5
  %7: i32 = construct_scalar_from_scalar %6
  return %3, %5, %7
}
",
    );
    let printed = planish_ir::text::print(&lowered(&module));
    assert_eq!(printed.matches("sign_extend16").count(), 1, "{printed}");
    assert_eq!(printed.matches("sign_extend8").count(), 1, "{printed}");
    // One for the sum, one for the amount of the shift.
    assert_eq!(printed.matches("bitwise_and").count(), 2, "{printed}");
}

#[test]
fn a_target_with_16_bits_keeps_them() {
    let module = parsed(
        "module ir

fn @f(%0 x: i8, %1 y: i16) -> (i16) {
b0:
  %2 = add %0, %0
  %3: i16 = construct_scalar_from_scalar %2
  %4 = add %3, %1
  return %4
}
",
    );
    let printed = planish_ir::text::print(&lowered_but(&module, &|scalar| scalar.bits() == 16));
    assert!(!printed.contains(": i8") && printed.contains("%1 y: i16) -> (i16)"), "{printed}");
    assert_eq!(printed.matches("sign_extend8").count(), 1, "{printed}");
    assert!(!printed.contains("sign_extend16"), "{printed}");
}

#[test]
fn an_input_is_wrapped_and_an_output_is_not() {
    let module = parsed(
        "module glsl 450

var input interface @x: i16vec2 location(0) flat
var output interface @y: i16vec2 location(0)

fn internal @main() {
b0:
  %0 = load @x
  store @y, %0
  return
}
entry fragment @main \"main\"
",
    );
    let printed = planish_ir::text::print(&lowered(&module));
    assert_eq!(printed.matches("sign_extend16").count(), 1, "{printed}");
    assert!(printed.contains("var output interface @y: ivec2 location(0)"), "{printed}");
}

#[test]
fn bytes_that_the_host_sees_are_refused() {
    let mut module = parsed(
        "module glsl 450

struct $B block {
  x: u8
}
var storage interface @b: $B std430 set(0) binding(0)

fn internal @main() {
b0:
  %0 = access_struct_field[0] @b
  store %0, 5uy
  return
}
entry compute @main \"main\" local_size(1, 1, 1)
",
    );
    let errors = lower_small::run(&mut module, "GLSL ES 3.10", lower_small::NONE, &mut Context::default())
        .expect_err("the host has bytes there");
    assert_eq!(errors[0].message, "GLSL ES 3.10 has no 8-bit integers, which `b` holds");
    assert!(!errors[0].span.is_none());
}
