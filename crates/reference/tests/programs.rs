//! Whole programs: those of `tests/ir` with the results that they say, and random ones, on which the evaluator gives what the
//! reference gives, also after the optimizer.

use std::collections::BTreeSet;

use planish_eval::{EvalValue, Evaluator};
use planish_generate::Choices;
use planish_ir::entity::Func;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::types::Scalar;
use planish_reference::{Limits, Reference, Stop, Value, is_supported};
use planish_testkit::random_programs::generate_of;
use planish_testkit::run_lines::{RunLine, for_each_line, for_each_line_in};

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
    // Ops that end the invocation or wait for others have a test below.
    is_supported(*op)
        // The host gives these their meaning.
        && info.class != Class::Custom
        && !matches!(op, Op::Demote | Op::ControlBarrier)
        && (matches!(info.class, Class::Access | Class::Stage | Class::Token | Class::Machine)
            || !matches!(info.effect, Effect::Pure | Effect::MayTrap))
}

#[test]
fn run_lines_give_their_results_and_cover_every_op_with_an_effect() {
    let mut ran = BTreeSet::new();
    let mut check = |module: &Module, line: &RunLine<'_>| {
        let mut reference = Reference::new(module, Limits::default()).expect("instantiates");
        let outcome = call(&mut reference, module, line.func, &line.args);
        assert_eq!(outcome, line.results.clone().map_err(str::to_owned), "{}", line.text);
        ran.extend(reference.ran());
    };
    let count = for_each_line(&mut check)
        + for_each_line_in("tests/ir/shading", &mut check)
        + for_each_line_in("tests/ir/arrays", &mut check)
        + for_each_line_in("tests/ir/small", &mut check);
    assert!(count > 100, "only {count} run lines");
    let missing: Vec<Op> = Op::all().filter(needs_a_program).filter(|op| !ran.contains(op)).collect();
    assert!(missing.is_empty(), "no program of tests/ir shows what {missing:?} do");
}

#[test]
fn a_fragment_that_is_discarded_gives_nothing_and_a_barrier_has_nobody_to_wait_for() {
    for (end, expected) in
        [("discard", Err(Stop::Discarded)), ("demote", Err(Stop::Discarded)), ("control_barrier", Ok(()))]
    {
        let last = if end == "discard" { "" } else { "\n  return" };
        let text = format!("module glsl 450\nfn @main() {{\nb0:\n  {end}{last}\n}}\n");
        let module = planish_ir::text::parse_str(&text).expect("valid");
        let func = module.funcs_named("main").next().expect("it is there");
        let found = Reference::new(&module, Limits::default()).expect("needs nothing").call(func, &[]);
        assert_eq!(found.map(|_| ()), expected, "{end}");
    }
}

#[test]
fn deep_nests_use_no_stack_of_the_host() {
    let depth = 100_000;
    let opens: String = (1..=depth).map(|i| format!("  if true {{\n  then b{i}:\n")).collect();
    let close = |i| format!("  merge\n  else b{}:\n  merge\n  }}\nb{}:\n", depth + i, 2 * depth + i);
    let closes: String = (1..=depth).map(close).collect();
    let text = format!("module ir\nfn @deep() -> (i32) {{\nb0:\n{opens}{closes}  return 1\n}}\n");
    let module = planish_ir::text::parse_str(&text).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    let func = module.funcs_named("deep").next().expect("it is there");
    let found = Reference::new(&module, Limits::default()).expect("needs nothing").call(func, &[]);
    assert_eq!(found, Ok(vec![Value::I32(1)]));
}

/// The evaluator's outcome of a call.
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

/// The module, with every function exported: the optimizer may assume that nobody else calls the others.
fn exported(mut module: Module) -> Module {
    for func in module.funcs.keys().collect::<Vec<_>>() {
        let (names, properties) = (vec![func.to_string().into()], StageProperties::default());
        module.entry_points.push(EntryPoint { names, func, stage: None, properties });
    }
    module
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    let passes = planish_opt::pipeline(level).expect("there is such a level");
    planish_opt::run_passes(&mut module, &passes, &mut planish_opt::Context::default(), &mut |_, _| {});
    module
}

#[test]
fn the_evaluator_runs_random_programs_as_the_reference_does() {
    let mut random = Choices::from_seed(1);
    for seed in 0..200 {
        let module = exported(generate_of([Scalar::I64, Scalar::U32, Scalar::U64][seed as usize % 3], seed, 40));
        let optimized = optimized(&module, "2");
        for (func, after) in
            module.entry_points.iter().map(|e| e.func).zip(optimized.entry_points.iter().map(|e| e.func))
        {
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
                for (level, module, func) in [("0", &module, func), ("2", &optimized, after)] {
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
