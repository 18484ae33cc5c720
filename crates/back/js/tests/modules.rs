//! Modules without stages (`planish_generate::modules`): their exported functions, called one after the other on one
//! instance, have the results of the evaluator; as ES modules and as asm.js, as written and after `-O2`.

use planish_back_js::{Options, info, write_asm, write_module};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::modules::{self, Number};
use planish_generate::{Choices, for_each_seed};
use planish_ir::module::Module;
use planish_opt::{Context, lower_to_scalars, pipeline};
use planish_testkit::node::{self, Call, Program};

#[derive(Default)]
struct Asked {
    programs: Vec<Program>,
    calls: Vec<Call>,
    /// The expected result of each call, and its type.
    want: Vec<(Number, u64)>,
}

/// All NaNs are one.
fn plain(number: Number, bits: u64) -> u64 {
    match number {
        Number::F32 if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        Number::F64 if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

fn ask(asked: &mut Asked, module: &Module, program: &modules::Module) {
    let mut lowered = module.clone();
    if lower_to_scalars::is_needed(module, &info()) {
        lower_to_scalars::run(&mut lowered, &info(), &mut Context::default())
            .unwrap_or_else(|e| panic!("{e:#?}\n{}", program.text));
    }
    let limits = Limits { steps: 3_000_000, ..Limits::default() };
    let options = Options::default();
    for asm in [false, true] {
        let output = if asm { write_asm(&lowered, &options) } else { write_module(&lowered, &options) };
        let output = output.unwrap_or_else(|e| panic!("{e:#?}\n{}", program.text));
        let pages = lowered.memories.values().map(|m| m.min_pages).sum();
        asked.programs.push(Program { text: output.text, asm, pages, fresh: false });
        let mut evaluator = Evaluator::new(module, limits).unwrap_or_else(|e| panic!("{e}"));
        for call in &program.calls {
            let export = &program.exports[call.export];
            let func = module.funcs_named(&export.name).next().expect("it is there");
            let types = module.funcs[func].params.iter().map(|p| p.ty);
            let args: Vec<EvalValue> =
                types.zip(&call.args).map(|(ty, &word)| EvalValue { ty, bits: vec![word] }).collect();
            let results = evaluator.call(func, &args).unwrap_or_else(|e| panic!("{e}\n{}", program.text));
            asked.want.push((export.result, plain(export.result, results[0].bits[0])));
            asked.calls.push(Call::new(asked.programs.len() - 1, module, func, &export.name, call.args.clone()));
        }
    }
}

fn check(test: &str, seeds: impl IntoIterator<Item = u64>, make: fn(&mut Choices<'_>) -> modules::Module) {
    let mut asked = Asked::default();
    for_each_seed(seeds, 1400, |bytes| {
        let program = make(&mut Choices::from_bytes(bytes));
        let mut module =
            planish_ir::text::parse_str(&program.text).unwrap_or_else(|e| panic!("{e:#?}\n{}", program.text));
        ask(&mut asked, &module, &program);
        for pass in pipeline("2").expect("a level") {
            (pass.run)(&mut module, &mut Context::default());
        }
        ask(&mut asked, &module, &program);
    });
    let Some(outcomes) = node::run(test, &asked.programs, &asked.calls) else { return };
    for ((call, &(number, want)), got) in asked.calls.iter().zip(&asked.want).zip(outcomes) {
        let got = got.map(|words| plain(number, words[0]));
        let program = &asked.programs[call.program];
        assert_eq!(got, Ok(want), "{} {:x?}\n{}", call.function, call.args, program.text);
    }
}

#[test]
fn plain_exports_give_what_the_evaluator_gives() {
    check("modules", 0..40, modules::plain);
}

#[test]
fn pointers_that_alias_give_what_the_evaluator_gives() {
    check("aliasing", 0..40, modules::aliasing);
}

#[test]
fn narrow_numbers_give_what_the_evaluator_gives() {
    check("narrow", planish_testkit::seeds(0..40), modules::narrow);
}
