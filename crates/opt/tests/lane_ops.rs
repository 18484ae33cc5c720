//! Every componentwise op and conversion on lanes, lowered to 128-bit values, gives the bits that it gives on lanes.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::module::{EntryPoint, Language, Module, StageProperties};
use planish_ir::ops::{Class, Effect, Imm, Meaning, Op, infer};
use planish_ir::source::Span;
use planish_ir::text::print;
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_opt::lower_to_scalars;
use planish_opt::widen::LANES;
use planish_testkit::straight_line::{Random, special};

use crate::widen::{packed, unpacked};

/// An op on operands of these scalars, to results of those.
#[derive(Debug)]
struct Case {
    op: Op,
    args: Vec<Scalar>,
    results: Vec<Scalar>,
}

/// All but 16-bit floats, which the lowering makes floats of 32 bits of before.
fn scalars() -> impl Iterator<Item = Scalar> {
    Scalar::ALL.into_iter().filter(|scalar| !Scalar::SMALL.contains(scalar))
}

/// Every op that takes lanes and gives lanes.
fn cases() -> Vec<Case> {
    let mut types = Module::new(Language::Ir).types;
    let mut cases = Vec::new();
    let mut add = |op: Op, args: Vec<Scalar>| {
        let operands: Vec<Type> = args.iter().map(|&scalar| types.vector(scalar, 8)).collect();
        let Ok(results) = infer(&mut types, op, Imm::NONE, &operands, None) else { return };
        if !results.is_empty() && results.iter().all(|&ty| types.vector_size(ty) == Some(8)) {
            let results = results.iter().filter_map(|&ty| types.scalar_of(ty)).collect();
            cases.push(Case { op, args, results });
        }
    };
    let is_arithmetic = |op: &Op| {
        matches!(op.info().class, Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn)
            && matches!(op.info().effect, Effect::Pure | Effect::MayTrap)
            // Of a vector as a whole.
            && !matches!(op.info().meaning, Meaning::Algebra | Meaning::Pack)
    };
    for op in Op::all().filter(is_arithmetic) {
        for scalar in scalars() {
            (1..=3).for_each(|count| add(op, vec![scalar; count]));
            add(op, vec![Scalar::Bool, scalar, scalar]);
            if op == Op::Ldexp {
                add(op, vec![scalar, Scalar::I32]);
            }
        }
    }
    for from in scalars() {
        for to in scalars() {
            cases.push(Case { op: Op::ConstructVectorFromMultiple, args: vec![from], results: vec![to] });
            if from.bits() == to.bits() && from.bits() > 1 {
                cases.push(Case { op: Op::Bitcast, args: vec![from], results: vec![to] });
            }
        }
    }
    cases.retain(|case| case.op != Op::Select || case.args[0] == Scalar::Bool);
    cases
}

fn module(case: &Case, n: u8) -> (Module, Func) {
    let mut module = Module::new(Language::Ir);
    let lanes = |module: &mut Module, scalar: Scalar| module.types.vector(scalar, n);
    let mut params = Vec::new();
    for &scalar in &case.args {
        let ty = lanes(&mut module, scalar);
        let name = Name::temporary("x");
        params.push(Param { name, ty, precision: Precision::None, direction: Direction::In, span: Span::NONE });
    }
    let types: Vec<Type> = case.results.iter().map(|&scalar| lanes(&mut module, scalar)).collect();
    let results = types.iter().map(|&ty| ResultType { ty, precision: Precision::None }).collect();
    let func = module.add_func(Name::temporary("f"), params, results, Span::NONE);
    let mut b = Builder::new(&mut module, func, Policy::VERBATIM);
    let args: Vec<_> = (0..case.args.len()).map(|i| b.param(i)).collect();
    let values = b.make_all(Request::new(case.op, &args).ty(types[0]));
    b.ret(&values);
    b.finish();
    let names = vec!["f".into()];
    module.entry_points = vec![EntryPoint { names, func, stage: None, properties: StageProperties::default() }];
    assert_eq!(verify(&module), [], "{}", print(&module));
    (module, func)
}

/// The bits of the results in every lane; `None` if it traps.
fn run(module: &Module, func: Func, columns: Vec<Vec<u64>>) -> Option<Vec<Vec<u64>>> {
    let values = module.funcs[func].params.iter().zip(columns).map(|(p, bits)| EvalValue { ty: p.ty, bits });
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("needs no memory");
    let results = evaluator.call(func, &values.collect::<Vec<_>>()).ok()?;
    Some(results.into_iter().map(|value| value.bits).collect())
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

#[test]
fn ops_on_lanes_are_the_same_on_128_bits() {
    let cases = cases();
    assert!(cases.len() > 300, "only {} cases", cases.len());
    let mut random = Random::new(7);
    for case in &cases {
        for n in LANES {
            let (module, func) = module(case, n);
            let mut lowered = module.clone();
            lower_to_scalars::run_on_lanes(
                &mut lowered,
                &planish_target::legal::TargetInfo::EVERYTHING,
                &mut planish_opt::Context::default(),
                n,
            )
            .unwrap_or_else(|errors| panic!("{case:?}: {errors:#?}"));
            assert_eq!(verify(&lowered), [], "{case:?}: {}", print(&lowered));
            for _ in 0..16 {
                let column = |random: &mut Random, scalar: Scalar| -> Vec<u64> {
                    (0..n).map(|_| special(random, scalar)).collect()
                };
                let columns: Vec<Vec<u64>> = case.args.iter().map(|&scalar| column(&mut random, scalar)).collect();
                let words = case.args.iter().zip(&columns).flat_map(|(&scalar, column)| packed(scalar, column));
                let found = run(&lowered, func, words.collect());
                let Some(expected) = run(&module, func, columns.clone()) else {
                    assert!(found.is_none(), "{case:?} traps on {columns:x?}");
                    continue;
                };
                let mut found = found.unwrap_or_else(|| panic!("{case:?} does not trap on {columns:x?}")).into_iter();
                for (&scalar, expected) in case.results.iter().zip(&expected) {
                    let parts = usize::from(n) * if scalar.bits() == 64 { 2 } else { 1 } / 4;
                    let words: Vec<u64> = found.by_ref().take(parts).flatten().collect();
                    let found = unpacked(scalar, &words);
                    let same = |(&x, &y): (&u64, &u64)| x == y || is_nan(scalar, x) && is_nan(scalar, y);
                    assert!(
                        expected.len() == found.len() && expected.iter().zip(&found).all(same),
                        "{case:?}, {n} lanes, on {columns:x?}: {found:x?}, not {expected:x?}\n{}",
                        print(&lowered)
                    );
                }
            }
        }
    }
}
