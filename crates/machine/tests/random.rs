//! Random programs: the checker agrees with their code, and it gives what the evaluator gives.

use planish_generate::Choices;
use planish_ir::arena::Id;
use planish_ir::entity::Func;
use planish_machine::check::check_module;
use planish_machine::isa::{Isa, TableJumps};
use planish_machine::reference::Reference;
use planish_testkit::random_programs::generate;

use crate::common;
use crate::common::interpreter::Interpreter;
use crate::common::quirky::Quirky;

#[test]
fn random_programs_give_what_the_evaluator_gives() {
    let mut different = 0;
    for seed in 1..=400 {
        let module = generate(seed, 12 + seed as u32 % 60);
        let errors = planish_ir::verify::verify(&module);
        assert!(errors.is_empty(), "seed {seed}: {errors:?}");
        if let Err(problems) = check_module(&Reference, &module) {
            panic!("seed {seed}:\n{}\n{problems}", planish_ir::text::print(&module));
        }
        let code = common::compile_all(&module);
        let mut interpreter = Interpreter::new(&module, &code);
        let mut random = Choices::from_seed(seed);
        let mut outcomes = vec![];
        for func in (0..module.funcs.len()).map(Func::new) {
            for _ in 0..4 {
                let params = &module.funcs[func].params;
                let args: Vec<u64> = params
                    .iter()
                    .map(|p| {
                        let bits = [0, 1, 2, 3, 9, 0xffff_ffff, 0x8000_0000, 12345][random.below(8)];
                        if module.types.scalar_of(p.ty).is_some_and(|s| s.bits() == 64) {
                            bits << 20 | bits
                        } else {
                            bits
                        }
                    })
                    .collect();
                let expected = common::evaluate(&module, func, &args);
                let got = interpreter.call(func, &args);
                assert_eq!(got, expected, "seed {seed}: {func}{args:x?}\n{}", planish_ir::text::print(&module));
                outcomes.push(expected);
            }
        }
        outcomes.dedup();
        different += usize::from(outcomes.len() > 6);
    }
    assert!(different > 250, "the programs should depend on their arguments: {different}");
}

fn check_all<I: Isa>(isa: &I, what: &str) {
    for seed in 1..=80 {
        let module = generate(seed, 12 + seed as u32 % 60);
        if let Err(problems) = check_module(isa, &module) {
            panic!("{what}, seed {seed}:\n{}\n{problems}", planish_ir::text::print(&module));
        }
    }
}

/// Machines that can do less: each way to branch, each way to choose among many, words of 32 bits, frames with a prelude.
#[test]
fn the_code_for_other_machines_is_right() {
    use TableJumps::{None, Relative, Table};
    let (immediates, writes_early) = (true, false);
    check_all(
        &Quirky::<64, 2> { on_nonzero: true, on_zero: false, compares: false, tables: None, immediates, writes_early },
        "only jumps if not zero",
    );
    check_all(
        &Quirky::<32, 2> {
            on_nonzero: false,
            on_zero: true,
            compares: false,
            tables: Relative,
            immediates,
            writes_early,
        },
        "only jumps if zero, relative jumps, narrow words",
    );
    check_all(
        &Quirky::<32, 0> {
            on_nonzero: true,
            on_zero: false,
            compares: true,
            tables: Table,
            immediates: false,
            writes_early: true,
        },
        "tables without a default, half of the comparisons, no immediates, results before operands",
    );
    check_all(
        &Quirky::<64, 1> {
            on_nonzero: true,
            on_zero: true,
            compares: true,
            tables: Relative,
            immediates,
            writes_early,
        },
        "a word of prelude",
    );
}
