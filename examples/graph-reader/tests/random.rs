//! Random programs with every construct of GLSL: flattened, written as graphs, read again, and run with random inputs and uniforms.
//! The reader gives the outputs that the evaluator gives for the program as it was written.

mod common;

use common::{Random, locate, read};
use graph_reader::{Machine, NoHost};
use planish::Compiler;
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::flatten::{Options, STAGES};
use planish_generate::{Choices, glsl};

#[test]
fn random_programs_survive_flattening_and_the_format() {
    let mut kept = 0;
    for seed in 0..150 {
        let source = glsl(&mut Choices::from_seed(seed)).to_string();
        let mut compiler = Compiler::default();
        let module = compiler.compile("random.frag", &source).module.unwrap_or_else(|| panic!("{seed}:\n{source}"));
        let func = module.entry_points[0].func;
        let mut flat = module.clone();
        for stage in STAGES {
            (stage.run)(&mut flat, func, &Options::default()).unwrap_or_else(|e| panic!("{seed}: {e:#?}\n{source}"));
        }
        let program = read(&flat, func).unwrap_or_else(|e| panic!("{seed}: {e}\n{}", planish::ir::text::print(&flat)));
        let mut random = Random(seed);
        for _ in 0..6 {
            // What the program leaves in its variables is not to be seen by the next run.
            let mut evaluator = Evaluator::new(&module, Limits::default()).expect("it can be run");
            let mut machine = Machine::new(&program);
            let mut values: Vec<(planish::ir::entity::Var, Vec<u64>)> = vec![];
            let mut give = |name: &str, words: &[u32]| {
                let (var, at) = locate(&module, name).unwrap_or_else(|| panic!("{seed}: there is no {name}"));
                if !values.iter().any(|v| v.0 == var) {
                    let zero = EvalValue::zero(&module.types, module.vars[var].ty).expect("it has a size");
                    values.push((var, zero.bits));
                }
                let all = &mut values.iter_mut().find(|v| v.0 == var).expect("just put there").1;
                all[at..at + words.len()].iter_mut().zip(words).for_each(|(to, &from)| *to = from.into());
            };
            for (i, uniform) in program.uniforms.iter().enumerate() {
                let words = random.value(&uniform.ty, true);
                give(&uniform.name, &words);
                machine.set_uniform(i, &words);
            }
            for (i, input) in program.inputs.iter().enumerate() {
                let words = random.value(&input.ty, true);
                give(&input.name, &words);
                machine.set_input(i, &words);
            }
            for (var, bits) in values {
                evaluator.set(var, &EvalValue { ty: module.vars[var].ty, bits });
            }
            evaluator.call(func, &[]).unwrap_or_else(|e| panic!("{seed}: {e:?}\n{source}"));
            machine.preshader(&mut NoHost).expect("it runs");
            if !machine.pixel(&mut NoHost).expect("it runs") {
                continue;
            }
            kept += 1;
            for (i, output) in program.outputs.iter().enumerate() {
                let (var, _) = locate(&module, &output.name).expect("an output");
                let expected = evaluator.get(var, 0);
                // Which NaN it is, the language does not say.
                let plain = |w: u32| if f32::from_bits(w).is_nan() { 0x7fc0_0000 } else { w };
                let found: Vec<u32> = machine.output(i).iter().copied().map(plain).collect();
                let expected: Vec<u32> = expected.iter().map(|&w| plain(w as u32)).collect();
                assert_eq!(found, expected, "{seed}, {}:\n{source}", output.name);
            }
        }
    }
    assert!(kept > 600, "only {kept} of 900 pixels were not discarded");
}
