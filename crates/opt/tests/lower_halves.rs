//! Floats of 16 bits as rounded floats of 32 bits: the same results.

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::Type;
use planish_ir::meaning::{Operand, evaluate};
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Class, Op};
use planish_ir::source::SourceMap;
use planish_ir::types::Scalar;
use planish_opt::lower_halves::run;
use planish_opt::{Context, legalize, lower_small};
use planish_target::legal::{Operation, Support, TargetInfo};
use planish_testkit::op_cases;

fn lowered(module: &Module) -> Module {
    let mut lowered = module.clone();
    run(&mut lowered, "the target", &mut Context::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&lowered), []);
    assert!(!lower_small::is_needed(&lowered, lower_small::NONE));
    lowered
}

/// The outcome of a case on words.
pub(crate) fn call(
    evaluator: &mut Evaluator<'_>,
    module: &Module,
    case: &op_cases::Case,
    words: &[u64],
) -> op_cases::Outcome {
    let mut rest = words.iter().copied();
    let args: Vec<EvalValue> = module.funcs[case.func]
        .params
        .iter()
        .map(|param| {
            let n = planish_ir::meaning::Shape::components(&module.types, param.ty).expect("a value");
            EvalValue { ty: param.ty, bits: rest.by_ref().take(n).collect() }
        })
        .collect();
    match evaluator.call(case.func, &args) {
        Ok(results) => Ok(results.into_iter().flat_map(|result| result.bits).collect()),
        Err(Stop::Trap { kind, .. }) => Err(kind),
        Err(stop) => panic!("{}: {stop}", case.op.name()),
    }
}

#[test]
fn every_op_on_halves_gives_the_same_as_singles_that_are_rounded() {
    let mut module = Module::new(Language::Ir);
    let cases = op_cases::small_cases_of(&mut module, &[Scalar::F16], &|op| op.info().class != Class::Simd);
    assert!(cases.len() > 300, "only {}", cases.len());
    let lowered = lowered(&module);
    let mut evaluator = Evaluator::new(&lowered, Limits::default()).expect("no memory is needed");
    op_cases::compare_lowered(&module, &cases, &mut |case, words| call(&mut evaluator, &lowered, case, words));
}

/// A device with halves, but without what is made of other ops: the same results by the expansions of the legalizer.
#[test]
fn expansions_of_ops_on_halves_give_the_same() {
    let support = |operation: &Operation| match operation.op {
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Sqrt | Op::Floor | Op::Ceil => Support::Yes,
        _ if operation.scalar() != Some(Scalar::F16) => Support::Yes,
        Op::Equal | Op::NotEqual | Op::LessThan | Op::GreaterThan | Op::Select | Op::Negate | Op::Abs => Support::Yes,
        Op::ConstructScalarFromScalar | Op::Fma | Op::Bitcast | Op::Transpose | Op::LessThanEqual => Support::Yes,
        op if matches!(op.info().class, Class::Construct) => Support::Guard,
        op if matches!(op.info().class, Class::Extract) => Support::Yes,
        Op::GreaterThanEqual => Support::Yes,
        _ => Support::Expand,
    };
    let target = TargetInfo { name: "a device", support: &support, is_shading_language: true };
    assert!(target.has_numbers(Scalar::F16));
    let mut module = Module::new(Language::Ir);
    let cases =
        op_cases::small_cases_of(&mut module, &[Scalar::F16], &|op| op.info().class != Class::Simd && !op.may_trap());
    let mut legal = module.clone();
    legalize::run(&mut legal, &target, &mut Context::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&legal), []);
    let mut evaluator = Evaluator::new(&legal, Limits::default()).expect("no memory is needed");
    // A sign that an op takes of a NaN is that of the canonical one.
    let is_plain = |case: &&op_cases::Case| case.op != Op::CopySign;
    let plain: Vec<op_cases::Case> = cases.into_iter().filter(|case| is_plain(&case)).collect();
    op_cases::compare_with_one_nan(&module, &plain, &mut |case, words| call(&mut evaluator, &legal, case, words));
}

/// Of all 65,536 numbers.
#[test]
fn every_half_gives_the_same() {
    let mut module = Module::new(Language::Ir);
    let half = module.types.scalar(Scalar::F16);
    let is_unary = |case: &op_cases::Case| case.operands == [half] && case.op.info().class == Class::Unary;
    let mut cases = op_cases::small_cases_of(&mut module, &[Scalar::F16], &|op| {
        let is_slow = op.is_transcendental() && !matches!(op, Op::Exp | Op::Log | Op::Sin);
        !is_slow && op.info().class != Class::Simd
    });
    cases.retain(|case| is_unary(case) || case.op == Op::ConstructScalarFromScalar && case.operands == [half]);
    let lowered = lowered(&module);
    let mut evaluator = Evaluator::with_lanes(&lowered, Limits::default(), 64).expect("no memory is needed");
    assert!(cases.len() > 15, "only {}", cases.len());
    for case in &cases {
        for first in (0..=0xffffu64).step_by(64) {
            let halves: Vec<u64> = (first..first + 64).collect();
            let single = |half: u64| planish_ir::meaning::convert(half, Scalar::F16, Scalar::F32);
            let args: Vec<Vec<EvalValue>> = halves
                .iter()
                .map(|&half| vec![EvalValue { ty: Type::F32, bits: vec![single(half)] }, EvalValue::bool(true)])
                .collect();
            let got = evaluator.call_lanes(case.func, &args).unwrap_or_else(|stop| panic!("{stop}"));
            for (half_bits, got) in halves.into_iter().zip(got) {
                // Bits of a NaN that is not the canonical one are lost in a conversion.
                if half_bits & 0x7fff > 0x7c00 {
                    continue;
                }
                let mut want = Vec::new();
                let operand = Operand { ty: half, bits: &[half_bits] };
                evaluate(&module.types, case.op, case.imm, &[operand], case.results[0], &mut want)
                    .expect("it has a meaning");
                let got = got[0].bits[0];
                let result = module.types.scalar_of(case.results[0]).expect("a scalar");
                let want = if result == Scalar::F16 { single(want[0]) } else { want[0] };
                assert_eq!(got, want, "{} to {:?} of {half_bits:#x}", case.op.name(), case.explicit);
            }
        }
    }
}

pub(crate) fn parsed(text: &str) -> Module {
    let file = SourceMap::new().add("a.ir", text).expect("small");
    let module = planish_ir::text::parse(&file).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&module), []);
    module
}

#[test]
fn what_chooses_or_moves_is_not_rounded() {
    let module = parsed(
        "module ir

fn @f(%0 x: f16vec2, %1 y: f16vec2) -> (f16) {
b0:
  var @kept: [2 x f16vec2]
  %2 = min %0, %1
  %3 = access_array_element @kept, 1
  store %3, %2
  %4 = load %3
  %5 = extract_vector_component[1] %4
  %6 = negate %5
  return %6
}
",
    );
    let printed = planish_ir::text::print(&lowered(&module));
    assert!(!printed.contains("f16") && !printed.contains("half"), "{printed}");
    assert!(printed.contains("var @kept: [2 x vec2]"), "{printed}");
}

#[test]
fn what_is_computed_is_rounded_once_for_two_components() {
    let module = parsed(
        "module ir

fn @f(%0 x: f16vec3, %1 y: f32) -> (f16vec3, f32) {
b0:
  %2 = multiply %0, %0
  %3: f16 = construct_scalar_from_scalar %1
  %4: f32 = construct_scalar_from_scalar %3
  return %2, %4
}
",
    );
    let printed = planish_ir::text::print(&lowered(&module));
    // Two for the vector, one for the conversion; the other conversion is none.
    assert_eq!(printed.matches("unpack_half2x16").count(), 3, "{printed}");
    assert!(!printed.contains("construct_scalar_from_scalar"), "{printed}");
}

#[test]
fn an_input_is_rounded_and_an_output_is_not() {
    let module = parsed(
        "module glsl 450

var input interface @x: f16vec2 location(0)
var output interface @y: f16vec2 location(0)

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
    assert_eq!(printed.matches("unpack_half2x16").count(), 1, "{printed}");
    assert!(printed.contains("var output interface @y: vec2 location(0)"), "{printed}");
}

#[test]
fn bytes_that_the_host_sees_are_refused() {
    let mut module = parsed(
        "module glsl 450

struct $B block {
  x: f16
}
var storage interface @b: $B std430 set(0) binding(0)

fn internal @main() {
b0:
  %0 = access_struct_field[0] @b
  store %0, 1.5h
  return
}
entry compute @main \"main\" local_size(1, 1, 1)
",
    );
    let errors = run(&mut module, "GLSL ES 3.10", &mut Context::default()).expect_err("the host has halves there");
    assert_eq!(errors[0].message, "GLSL ES 3.10 has no 16-bit floats, which `b` holds");
    assert!(!errors[0].span.is_none());
}
