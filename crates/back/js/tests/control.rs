//! Control flow: random programs have the results of the evaluator, in a module and in asm.js, as written and after
//! `-O2`; and the output has the loops and branches that a person would write.

use planish_back_js::{Options, info, write_asm, write_module};
use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::Func;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::text::parse_str;
use planish_ir::types::Scalar;
use planish_opt::{Context, lower_to_scalars, pipeline};
use planish_testkit::node::{self, Call, Outcome, Program};

use planish_generate::Choices;
use planish_testkit::random_programs::generate_of;

fn evaluate(module: &Module, func: Func, args: &[u64]) -> Outcome {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
    let params = &module.funcs[func].params;
    let args: Vec<EvalValue> =
        params.iter().zip(args).map(|(p, &bits)| EvalValue { ty: p.ty, bits: vec![bits] }).collect();
    match evaluator.call(func, &args) {
        Ok(results) => Ok(results.into_iter().flat_map(|r| r.bits).collect()),
        Err(Stop::Trap { kind, .. }) => Err(kind.name().to_owned()),
        Err(other) => panic!("{other}"),
    }
}

/// A module whose functions are all exported, by their numbers.
fn exported(mut module: Module) -> Module {
    let funcs: Vec<Func> = module.funcs.keys().filter(|&f| module.funcs[f].body.is_some()).collect();
    for (number, func) in funcs.into_iter().enumerate() {
        let names = vec![format!("f{number}").into()];
        module.entry_points.push(EntryPoint { names, func, stage: None, properties: StageProperties::default() });
    }
    module
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    let mut context = Context::default();
    for pass in pipeline(level).expect("a level") {
        (pass.run)(&mut module, &mut context);
    }
    if lower_to_scalars::is_needed(&module, &info()) {
        lower_to_scalars::run(&mut module, &info(), &mut Context::default()).expect("numbers are numbers");
    }
    module
}

fn random_programs_agree(test: &str, other: Scalar, asm: bool) {
    let (mut programs, mut calls, mut want) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=200 {
        let module = exported(generate_of(other, seed, 12 + seed as u32 % 60));
        let mut random = Choices::from_seed(seed);
        let mut asked: Vec<(usize, Vec<u64>, Outcome)> = Vec::new();
        for (number, entry) in module.entry_points.iter().enumerate() {
            for _ in 0..4 {
                let bits = |p: &planish_ir::function::Param, random: &mut Choices<'_>| {
                    let bits = [0, 1, 2, 3, 9, 0xffff_ffff, 0x8000_0000, 12345][random.below(8)];
                    let long = module.types.scalar_of(p.ty).is_some_and(|s| s.bits() == 64);
                    if long { bits << 20 | bits } else { bits }
                };
                let params = &module.funcs[entry.func].params;
                let args: Vec<u64> = params.iter().map(|p| bits(p, &mut random)).collect();
                let expected = evaluate(&module, entry.func, &args);
                asked.push((number, args, expected));
            }
        }
        for level in ["0", "2"] {
            let module = optimized(&module, level);
            let write = if asm { write_asm } else { write_module };
            let output = write(&module, &Options::default()).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}"));
            programs.push(Program { text: output.text, asm, pages: 0, fresh: false });
            for (number, args, expected) in &asked {
                let entry = &module.entry_points[*number];
                calls.push(Call::new(programs.len() - 1, &module, entry.func, &entry.names[0], args.clone()));
                want.push(expected.clone());
            }
        }
    }
    let Some(outcomes) = node::run(test, &programs, &calls) else { return };
    for ((call, want), got) in calls.iter().zip(&want).zip(&outcomes) {
        let seed = call.program / 2 + 1;
        let text = &programs[call.program].text;
        assert_eq!(got, want, "seed {seed}: {}{:x?}\n{text}", call.function, call.args);
    }
    let traps = want.iter().filter(|w| w.is_err()).count();
    assert!(traps < want.len() / 2, "{traps} of {} calls trap", want.len());
}

#[test]
fn random_programs_give_what_the_evaluator_gives_in_a_module() {
    random_programs_agree("random", Scalar::I64, false);
}

#[test]
fn random_programs_give_what_the_evaluator_gives_in_asm_js() {
    random_programs_agree("random-asm", Scalar::U32, true);
}

fn parsed(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:#?}");
    module
}

#[test]
fn a_loop_is_what_a_person_would_write() {
    let text = "module ir
fn @escapes(%0 cx: f64, %1 cy: f64, %2 limit: i32) -> (i32) {
b0:
  loop 0.0d, 0.0d, 0 {
  cond b1(%3: f64, %4: f64, %5: i32):
    %6 = less_than %5, %2
    loop_if %6 merge(%5)
  body b2:
    %7 = multiply %3, %3
    %8 = multiply %4, %4
    %9 = add %7, %8
    %10 = greater_than %9, 4.0d
    if %10 {
    then b3:
      break b0, %5
    else b4:
      merge
    }
  b5:
    %11 = subtract %7, %8
    %12 = add %11, %0
    %13 = multiply %3, %4
    %14 = multiply %13, 2.0d
    %15 = add %14, %1
    %16 = add %5, 1
    continue b0, %12, %15, %16
  }
b6(%17: i32):
  return %17
}
export @escapes \"escapes\"
";
    let module = parsed(text);
    let output = write_module(&module, &Options::default()).expect("it is of numbers");
    assert_eq!(
        output.text,
        "export function escapes(cx, cy, limit) {
  let v;
  let v1 = 0;
  let v2 = 0;
  let v3 = 0;
  while (1) {
    if (v3 >= limit) {
      v = v3;
      break;
    }
    const v4 = v1 * v1;
    const v5 = v2 * v2;
    if (v4 + v5 > 4) {
      v = v3;
      break;
    }
    v2 = v1 * v2 * 2 + cy;
    v1 = v4 - v5 + cx;
    v3 = v3 + 1 | 0;
  }
  return v;
}
"
    );
    let calls: Vec<Call> = [(0.0, 0.0), (1.0, 1.0), (-0.75, 0.1)]
        .iter()
        .flat_map(|&(x, y): &(f64, f64)| {
            let func = module.entry_points[0].func;
            [0, 1].map(|p| Call::new(p, &module, func, "escapes", vec![x.to_bits(), y.to_bits(), 100]))
        })
        .collect();
    let asm = write_asm(&module, &Options::default()).expect("it is of numbers");
    let program = |text: String, asm| Program { text, asm, pages: 0, fresh: false };
    let programs = [program(output.text, false), program(asm.text, true)];
    let Some(outcomes) = node::run("escapes", &programs, &calls) else { return };
    let func = module.entry_points[0].func;
    for (call, got) in calls.iter().zip(outcomes) {
        assert_eq!(got, evaluate(&module, func, &call.args));
    }
}

/// A value that leaves the inner loop shares the outer one's variable; the next iteration must read it before that is
/// set.
#[test]
fn a_value_is_read_before_the_variable_that_it_shares_is_set() {
    let text = "module ir
fn @count(%0 limit: i32) -> (i32) {
b0:
  loop 0, -1 {
  cond b1(%1: i32, %2: i32):
    %3 = less_than %1, %0
    loop_if %3 merge(%2)
  body b2:
    loop 0 {
    cond b3(%4: i32):
      %5 = less_than %4, 2
      loop_if %5 merge(%1)
    body b4:
      %6 = add %4, 1
      continue b2, %6
    }
  b5(%7: i32):
    %8 = add %1, 1
    continue b0, %8, %7
  }
b6(%9: i32):
  return %9
}
export @count \"count\"
";
    let module = parsed(text);
    let func = module.entry_points[0].func;
    let mut programs = Vec::new();
    let mut calls = Vec::new();
    for asm in [false, true] {
        let output =
            if asm { write_asm } else { write_module }(&module, &Options::default()).expect("it is of numbers");
        let sets = output.text.matches("v1 = v").count();
        assert_eq!(sets, 1, "the value that leaves the inner loop needs no variable of its own:\n{}", output.text);
        programs.push(Program { text: output.text, asm, pages: 0, fresh: false });
        calls.push(Call::new(programs.len() - 1, &module, func, "count", vec![5]));
    }
    let Some(outcomes) = node::run("shares", &programs, &calls) else { return };
    for got in outcomes {
        assert_eq!(got, evaluate(&module, func, &[5]), "{}", programs[0].text);
    }
}
