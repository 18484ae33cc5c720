//! Every expansion of legalization gives the bits of the op that it stands for: of each op at each combination of types, for
//! targets that have much, little, and next to nothing.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::entity::Type;
use planish_ir::meaning::Shape as _;
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Class, Op};
use planish_ir::text::{parse_str, print};
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_opt::{Context, legalize, pipeline, run_passes, schedule};
use planish_target::legal::{Operation, Shape, Support, TargetInfo};
use planish_testkit::{op_cases, share};

use Support::{Expand, Guard, Yes};

/// Ops that nothing expands to others, on scalars.
fn is_basic(op: Op) -> bool {
    use Op::*;
    let number = matches!(op, Add | Subtract | Multiply | Negate | Equal | NotEqual | LessThan | LessThanEqual);
    let functions = matches!(op, Floor | Ceil | Sqrt | Abs | Exp | Log | Exp2 | Log2 | Pow | Sin | Cos | Tan);
    let more = matches!(op, Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Fma | Ldexp);
    let bits =
        matches!(op, BitwiseAnd | BitwiseOr | BitwiseXor | Bitcast | LogicalNot | GreaterThan | GreaterThanEqual);
    number || functions || more || bits
}

/// The ops of a minimal target: no ops of 64-bit integers on bits but the logic, no tests, no geometry.
fn poor(operation: &Operation) -> Support {
    use Op::*;
    let class = operation.op.info().class;
    match operation.op {
        Divide if operation.is_matrix() => Expand,
        Divide if operation.is_float() => Yes,
        Divide | ShiftLeft | ShiftRight => Guard,
        // Nothing takes the bits of doubles apart.
        Frexp if operation.is_wide() => Yes,
        Select if operation.second.shape == Shape::Scalar => Yes,
        Select if operation.first.shape != Shape::Scalar => Yes,
        LogicalAnd | LogicalOr if operation.first.shape == Shape::Scalar => Yes,
        op if is_basic(op) && !operation.is_matrix() => Yes,
        Inverse | Determinant => Support::Call,
        ConstructVectorFromScalar | ConstructVectorFromMultiple | ConstructMatrixFromMultiple => Guard,
        ConstructScalarFromScalar => match (operation.scalar(), operation.result.scalar) {
            (Some(Scalar::Bool), _) | (_, Some(Scalar::Bool)) => Expand,
            (Some(from), Some(to)) if from.is_integer() && to.is_integer() && from.is_signed() != to.is_signed() => {
                Expand
            }
            _ => Guard,
        },
        ConstructStruct | ConstructArray => Yes,
        ConstructMatrixFromScalar | ConstructMatrixFromMatrix => Expand,
        _ if matches!(class, Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn) => Expand,
        _ => Yes,
    }
}

/// A target that also takes numbers for floats, and has the functions on bits of 32-bit integers.
fn words(operation: &Operation) -> Support {
    use Op::*;
    match operation.op {
        FindLsb | FindMsb | BitCount | BitReverse if !operation.is_wide() => Yes,
        BitfieldExtract | BitfieldInsert if !operation.is_wide() => Guard,
        Min | Max | Trunc | RoundEven | Any | All => Yes,
        Mod | Clamp | SmoothStep => Guard,
        Remainder => Guard,
        _ => poor(operation),
    }
}

/// A target with the counts of zeros and no conversions to guard.
fn counts(operation: &Operation) -> Support {
    match operation.op {
        Op::CountLeadingZeros | Op::CountTrailingZeros | Op::BitCount => Yes,
        Op::ConstructScalarFromScalar => Yes,
        Op::Inverse | Op::Determinant | Op::Normalize => Expand,
        Op::Modf | Op::Refract | Op::Transpose => Support::Call,
        _ => poor(operation),
    }
}

/// The words of results, where every NaN is the canonical one: any is as good as any other (`docs/numerics.md`).
fn with_one_nan(module: &Module, case: &op_cases::Case, outcome: op_cases::Outcome) -> op_cases::Outcome {
    let mut scalars = Vec::new();
    for &ty in &case.results {
        module.types.for_each_run(ty, &mut |scalar, n| scalars.extend((0..n).map(|_| scalar)));
    }
    outcome.map(|words| {
        let canonical = |(word, scalar): (u64, &Scalar)| match scalar {
            Scalar::F32 if f32::from_bits(word as u32).is_nan() => f32::NAN.to_bits().into(),
            Scalar::F64 if f64::from_bits(word).is_nan() => f64::NAN.to_bits(),
            _ => word,
        };
        words.into_iter().zip(&scalars).map(canonical).collect()
    })
}

fn check(name: &str, support: fn(&Operation) -> Support, is_shading_language: bool) {
    let mut module = Module::new(Language::Ir);
    let all = op_cases::cases_of(&mut module, &|op| !matches!(op.info().class, Class::Simd) && !op.may_trap());
    let target = TargetInfo { name, support: &support, is_shading_language };
    let mut legal = module.clone();
    if let Err(errors) = legalize::run(&mut legal, &target, &mut Context::default()) {
        // A select of 128 bits has no parts.
        let unknown = [
            "pack_",
            "unpack_",
            "rgb_to_yuv",
            "yuv_to_rgb",
            "`select`",
            "`multiply` of 64-bit",
            "`multiply_add` of 64-bit",
        ];
        let rest: Vec<&String> =
            errors.iter().map(|e| &e.message).filter(|m| !unknown.iter().any(|u| m.contains(u))).collect();
        assert!(rest.is_empty(), "{name}: {rest:#?}");
    }
    assert_eq!(verify(&legal), [], "{name}");
    // Legal ops are left alone.
    let again = {
        let mut again = legal.clone();
        let _ = legalize::run(&mut again, &target, &mut Context::default());
        print(&again)
    };
    assert!(print(&legal) == again, "{name}: it is not legal after one run");
    let mut evaluator = Evaluator::new(&legal, Limits::default()).expect("no memory is needed");
    let is_rewritten = |case: &op_cases::Case| {
        let body = module.funcs[case.func].body.as_ref().expect("a case has a body");
        !body.nodes().all(|(node, _)| target.has(&module, body, node))
    };
    let all: Vec<op_cases::Case> = share(all.into_iter().filter(is_rewritten)).collect();
    for question in op_cases::questions(&module, &all, 8) {
        let case = &all[question.case];
        let got = match evaluator.call(case.func, &question.args) {
            Ok(results) => Ok(results.into_iter().flat_map(|r| r.bits).collect::<Vec<u64>>()),
            Err(stop) => panic!("{}: {stop}", case.op.name()),
        };
        let got = with_one_nan(&module, case, got);
        let want = with_one_nan(&module, case, question.want.clone());
        let operands: Vec<_> = case.operands.iter().map(|&ty| module.types[ty].clone()).collect();
        assert_eq!(got, want, "{name}: {} of {operands:?} on {:x?}", case.op.name(), question.args);
    }
    let mut plain = Evaluator::new(&module, Limits::default()).expect("no memory is needed");
    op_cases::compare_edges(&module, &all, 5_000, &mut |case, words| {
        let types = case.operands.iter().copied().chain([Type::BOOL]);
        let args: Vec<EvalValue> = types.zip(words).map(|(ty, &word)| EvalValue { ty, bits: vec![word] }).collect();
        let results = evaluator.call(case.func, &args).unwrap_or_else(|stop| panic!("{name}: {stop}"));
        let words: Vec<u64> = results.into_iter().flat_map(|r| r.bits).collect();
        // Results have the bits of the evaluator; of a NaN only that it is one.
        let want = plain.call(case.func, &args).unwrap_or_else(|stop| panic!("{name}: {stop}"));
        let want: Vec<u64> = want.into_iter().flat_map(|r| r.bits).collect();
        let same = with_one_nan(&module, case, Ok(want.clone())) == with_one_nan(&module, case, Ok(words.clone()));
        Ok(if same { want } else { words })
    });
}

#[test]
fn expansions_for_a_target_with_little_keep_every_bit() {
    check("poor", poor, false);
}

#[test]
fn expansions_for_a_target_with_words_keep_every_bit() {
    check("words", words, true);
}

#[test]
fn expansions_for_a_target_with_counts_keep_every_bit() {
    check("counts", counts, false);
}

/// The ops that are expanded by other functions are close.
#[test]
fn hyperbolic_functions_are_close() {
    let hyperbolic =
        |op: Op| matches!(op, Op::Sinh | Op::Cosh | Op::Tanh | Op::Asinh | Op::Acosh | Op::Atanh) && op.is_pure();
    let mut module = Module::new(Language::Ir);
    let all = op_cases::cases_of(&mut module, &hyperbolic);
    let support = |operation: &Operation| if hyperbolic(operation.op) { Expand } else { Yes };
    let target = TargetInfo { name: "old", support: &support, is_shading_language: false };
    let mut legal = module.clone();
    legalize::run(&mut legal, &target, &mut Context::default()).expect("they have expansions");
    let [mut one, mut other] = [&module, &legal].map(|m| Evaluator::new(m, Limits::default()).expect("no memory"));
    for case in all.iter().filter(|case| case.operands == [Type::F32]) {
        for i in 1..200 {
            let x = i as f32 / 80.0 - if case.op == Op::Acosh { -1.0 } else { 1.25 };
            let args = [EvalValue { ty: Type::F32, bits: vec![x.to_bits().into()] }, EvalValue::bool(true)];
            let [want, got] = [&mut one, &mut other].map(|e| {
                let results = e.call(case.func, &args).unwrap_or_else(|stop| panic!("{stop}"));
                f32::from_bits(results[0].bits[0] as u32)
            });
            let is_close =
                want.is_nan() && got.is_nan() || want == got || (want - got).abs() < 2e-5 * want.abs().max(1.0);
            assert!(is_close, "{} of {x}: {got}, not {want}", case.op.name());
        }
    }
}

#[test]
fn what_a_target_lacks_is_named_at_its_place() {
    let text =
        "module glsl 450\nfn @f(%0: f64, %1: vec4) -> (f64) {\nb0:\n  %2 = sin %0\n  %3 = sin %1\n  return %2\n}\n";
    let mut module = parse_str(text).expect("it is a module");
    let support = |operation: &Operation| if operation.op == Op::Sin && operation.is_wide() { Expand } else { Yes };
    let target = TargetInfo { name: "Example", support: &support, is_shading_language: false };
    assert!(legalize::is_needed(&module, &target));
    let errors = legalize::run(&mut module, &target, &mut Context::default()).expect_err("there is no sine of doubles");
    assert_eq!(errors.iter().map(|e| e.message.as_str()).collect::<Vec<_>>(), ["Example has no `sin` of doubles"]);
}

/// A function is called once for each type, and is there only if it is called.
#[test]
fn large_expansions_are_functions() {
    let text = "module glsl 450\nfn @f(%0: mat3x3, %1: mat2x2) -> (mat3x3, mat3x3, mat2x2) {\nb0:\n  %2 = inverse %0\n  %3 = inverse %2\n  %4 = inverse %1\n  return %2, %3, %4\n}\n";
    let mut module = parse_str(text).expect("it is a module");
    let support = |operation: &Operation| if operation.op == Op::Inverse { Support::Call } else { Yes };
    let target = TargetInfo { name: "Example", support: &support, is_shading_language: false };
    let changed = legalize::run(&mut module, &target, &mut Context::default()).expect("they have expansions");
    assert_eq!((changed.len(), module.funcs.len()), (3, 3));
    assert_eq!(verify(&module), []);
    let funcs = module.funcs.len();
    assert!(legalize::run(&mut module, &target, &mut Context::default()).expect("it is legal").is_empty());
    assert_eq!(module.funcs.len(), funcs);
}

/// Two divisions and a shift, guarded.
fn guarded() -> Module {
    let text = "module glsl 450\nfn @f(%0: i32, %1: i32, %2: u32) -> (i32, i32, u32) {\nb0:\n  %3 = divide %0, %1\n  %4 = remainder %0, %1\n  %5 = shift_left %2, %1\n  return %3, %4, %5\n}\n";
    let mut module = parse_str(text).expect("it is a module");
    let support = |operation: &Operation| match operation.op {
        Op::Divide | Op::Remainder | Op::ShiftLeft => Guard,
        _ => Yes,
    };
    let target = TargetInfo { name: "Example", support: &support, is_shading_language: false };
    legalize::run(&mut module, &target, &mut Context::default()).expect("they have guards");
    assert_eq!(verify(&module), []);
    module
}

#[test]
fn guarded_ops_are_marked_in_the_text_form() {
    let text = print(&guarded());
    assert_eq!(text.matches("divide[guarded]").count(), 1, "{text}");
    assert_eq!(text.matches("remainder[guarded]").count(), 1, "{text}");
    assert_eq!(text.matches("shift_left[guarded]").count(), 1, "{text}");
    assert_eq!(print(&parse_str(&text).expect("what is printed can be read")), text);
}

/// Guards are shared, and the marks stay; the rules of the optimizer take them away.
#[test]
fn schedule_keeps_marks_and_rules_take_them_away() {
    let mut module = guarded();
    let selects = |module: &Module| print(module).matches("select").count();
    assert_eq!(selects(&module), 6);
    let funcs: Vec<_> = module.funcs.keys().collect();
    schedule::run_on(&mut module, &funcs, &mut Context::default());
    assert_eq!((selects(&module), print(&module).matches("[guarded]").count()), (3, 3), "{}", print(&module));
    let passes = pipeline("2").expect("there is a level 2");
    run_passes(&mut module, &passes, &mut Context::default(), &mut |_, _| {});
    assert_eq!(print(&module).matches("[guarded]").count(), 0, "{}", print(&module));
}
