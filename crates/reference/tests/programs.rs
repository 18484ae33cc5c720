//! Whole programs: those of `tests/ir` with the results that they say, and random ones, on which the evaluator gives what the
//! reference gives, also after the optimizer.

#[path = "../../../tests/random_programs.rs"]
mod random_programs;
#[path = "../../../tests/run_lines.rs"]
mod run_lines;

use std::collections::BTreeSet;

use planish_eval::{EvalValue, Evaluator};
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::types::Scalar;
use planish_reference::{Limits, Reference, Stop, Value, is_supported};

use random_programs::{Random, generate_of};
use run_lines::{RunLine, for_each_line};

/// The words of the results, or why there are none.
type Outcome = Result<Vec<Vec<u64>>, String>;

fn words(value: &Value) -> Vec<u64> {
    let mut words = Vec::new();
    value.words(&mut words);
    words
}

fn call(reference: &mut Reference<'_>, module: &Module, func: Func, args: &[Vec<u64>]) -> Outcome {
    let params = &module.funcs[func].params;
    let value = |(words, ty): (&Vec<u64>, _)| Value::from_words(&module.types, ty, &mut words.iter());
    let args: Option<Vec<Value>> = args.iter().zip(params.iter().map(|param| param.ty)).map(value).collect();
    match reference.call(func, &args.expect("values have words")) {
        Ok(results) => Ok(results.iter().map(words).collect()),
        Err(Stop::Trap(kind)) => Err(kind.name().to_owned()),
        Err(stop) => Err(stop.to_string()),
    }
}

/// Ops that are no functions of their operands, so that programs must show what they do.
fn needs_a_program(op: &Op) -> bool {
    let info = op.info();
    is_supported(*op)
        && (matches!(info.class, Class::Access | Class::Stage | Class::Token | Class::Machine)
            || !matches!(info.effect, Effect::Pure | Effect::MayTrap))
}

#[test]
fn run_lines_give_their_results_and_cover_every_op_with_an_effect() {
    let mut ran = BTreeSet::new();
    let count = for_each_line(&mut |module: &Module, line: &RunLine<'_>| {
        let mut reference = Reference::new(module, Limits::default()).expect("instantiates");
        let outcome = call(&mut reference, module, line.func, &line.args);
        assert_eq!(outcome, line.results.clone().map_err(str::to_owned), "{}", line.text);
        ran.extend(reference.ran());
    });
    assert!(count > 100, "only {count} run lines");
    let missing: Vec<Op> = Op::all().filter(needs_a_program).filter(|op| !ran.contains(op)).collect();
    assert!(missing.is_empty(), "no program of tests/ir shows what {missing:?} do");
}

/// What the evaluator makes of a call.
fn evaluated(module: &Module, func: Func, args: &[Vec<u64>]) -> Outcome {
    let params = &module.funcs[func].params;
    let args: Vec<EvalValue> =
        args.iter().zip(params).map(|(bits, p)| EvalValue { ty: p.ty, bits: bits.clone() }).collect();
    let mut evaluator = Evaluator::new(module, planish_eval::Limits::default()).expect("instantiates");
    match evaluator.call(func, &args) {
        Ok(results) => Ok(results.into_iter().map(|result| result.bits).collect()),
        Err(planish_eval::Stop::Trap { kind, .. }) => Err(kind.name().to_owned()),
        Err(stop) => Err(stop.to_string()),
    }
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    let passes = planish_opt::pipeline(level).expect("there is such a level");
    planish_opt::run_passes(&mut module, &passes, &mut planish_opt::Context::default(), &mut |_, _| {});
    module
}

#[test]
fn the_evaluator_runs_random_programs_as_the_reference_does() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for seed in 0..300 {
        let module = generate_of([Scalar::I64, Scalar::U32, Scalar::F32, Scalar::F64][seed as usize % 4], seed, 40);
        let optimized = optimized(&module, "2");
        for func in module.funcs.keys() {
            let width = |ty| module.types.scalar_of(ty).map_or(64, Scalar::bits);
            for round in 0..4 {
                let bits = |ty| {
                    let small = random.below(7) as u64;
                    let any = (random.below(1 << 30) as u64) << 34 ^ random.below(1 << 40) as u64;
                    (if round % 2 == 0 { small } else { any }) & (u64::MAX >> (64 - width(ty)))
                };
                let params = module.funcs[func].params.iter().map(|param| param.ty);
                let args: Vec<Vec<u64>> = params.map(bits).map(|word| vec![word]).collect();
                let mut reference = Reference::new(&module, Limits::default()).expect("needs no memory");
                let expected = call(&mut reference, &module, func, &args);
                for (level, module) in [("0", &module), ("2", &optimized)] {
                    let found = evaluated(module, func, &args);
                    assert_eq!(found, expected, "seed {seed}, {func} of {args:x?}: the evaluator at -O{level}");
                    let mut reference = Reference::new(module, Limits::default()).expect("needs no memory");
                    let found = call(&mut reference, module, func, &args);
                    assert_eq!(found, expected, "seed {seed}, {func} of {args:x?}: the reference at -O{level}");
                }
            }
        }
    }
}
