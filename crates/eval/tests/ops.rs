//! Every op on values, at every combination of types that the table takes: the evaluator's columns give the bits of
//! `planish_ir::meaning`, for one lane, for all lanes, and under a mask.

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_generate::Choices;
use planish_ir::meaning::{Fault, Operand, Shape, evaluate};
use planish_ir::module::{Language, Module};
use planish_testkit::op_cases::{cases_with_small, value};

const LANES: usize = 12;

#[test]
fn columns_give_the_bits_of_the_meaning() {
    let mut module = Module::new(Language::Ir);
    let cases = cases_with_small(&mut module);
    assert!(cases.len() > 1500, "only {}", cases.len());
    let mut wide = Evaluator::with_lanes(&module, Limits::default(), LANES).expect("no memory is needed");
    let mut one = Evaluator::new(&module, Limits::default()).expect("no memory is needed");
    let mut random = Choices::from_seed(1);
    for (number, case) in cases.iter().enumerate() {
        let mut lanes: Vec<Vec<EvalValue>> = Vec::new();
        let mut expected = Vec::new();
        for lane in 0..LANES {
            let args: Vec<EvalValue> = case.operands.iter().map(|&ty| value(&mut random, &module, ty)).collect();
            let operands: Vec<Operand<'_>> = args.iter().map(|a| Operand { ty: a.ty, bits: &a.bits }).collect();
            let mut out = Vec::new();
            let meaning = evaluate(&module.types, case.op, case.imm, &operands, case.results[0], &mut out);
            let traps = match meaning {
                Ok(()) => false,
                Err(Fault::Trap(_)) => true,
                Err(Fault::NoMeaning) => panic!("{} has no meaning on {:?}", case.op.name(), case.operands),
            };
            if number % 7 == 0 || traps {
                // The same in a lane of its own, and that it traps where it should.
                let mut alone = args.clone();
                alone.push(EvalValue::bool(true));
                match one.call(case.func, &alone) {
                    Ok(results) => {
                        assert!(!traps);
                        let bits: Vec<u64> = results.into_iter().flat_map(|r| r.bits).collect();
                        assert_eq!(bits, out, "{} on {args:x?}", case.op.name());
                    }
                    Err(Stop::Trap { kind, .. }) => assert_eq!(meaning, Err(Fault::Trap(kind))),
                    Err(stop) => panic!("{}: {stop}", case.op.name()),
                }
            }
            // Under a full mask for even cases, a partial one for odd ones; never where it traps.
            let runs = !traps && (number % 2 == 0 || lane % 3 != 1);
            if !runs {
                out = vec![0; case.results.iter().map(|&r| module.types.components(r).unwrap()).sum()];
            }
            let mut args = args;
            args.push(EvalValue::bool(runs));
            lanes.push(args);
            expected.push(out);
        }
        let results = wide.call_lanes(case.func, &lanes).unwrap_or_else(|s| panic!("{}: {s}", case.op.name()));
        for (lane, results) in results.into_iter().enumerate() {
            let bits: Vec<u64> = results.into_iter().flat_map(|r| r.bits).collect();
            assert_eq!(
                bits,
                expected[lane],
                "{} to {:?} in lane {lane} on {:x?}",
                case.op.name(),
                case.explicit,
                lanes[lane]
            );
        }
    }
}
