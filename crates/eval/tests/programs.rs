//! The programs of `tests/ir`: each `// run: @name(args) = results` is called and compared bit for bit.

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::module::Module;
use planish_testkit::run_lines::{RunLine, for_each_line, for_each_line_in};

#[test]
fn every_run_line_gives_its_results() {
    let count = for_each_line(&mut run);
    assert!(count > 100, "only {count} run lines");
    assert!(for_each_line_in("tests/ir/shading", &mut run) > 10, "programs with variables");
    assert!(for_each_line_in("tests/ir/arrays", &mut run) > 5, "programs with arrays that grow");
    assert!(for_each_line_in("tests/ir/small", &mut run) > 5, "programs with numbers of 8 and 16 bits");
}

fn run(module: &Module, line: &RunLine<'_>) {
    let function = &module.funcs[line.func];
    let args: Vec<EvalValue> =
        line.args.iter().zip(&function.params).map(|(bits, p)| EvalValue { ty: p.ty, bits: bits.clone() }).collect();
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
    let results = evaluator.call(line.func, &args);
    match (&line.results, results) {
        (Err(kind), Err(Stop::Trap { kind: got, .. })) => assert_eq!(got.name(), *kind, "{}", line.text),
        (Ok(want), Ok(got)) => {
            let got: Vec<Vec<u64>> = got.into_iter().map(|value| value.bits).collect();
            assert_eq!(&got, want, "{}", line.text);
        }
        (_, got) => panic!("{}: {got:?}", line.text),
    }
}
