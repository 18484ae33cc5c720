//! The programs of `tests/ir`: every `// run:` line gives on the reference machine what it gives in the evaluator.

use planish_testkit::run_lines::{lines, programs};

use crate::common;
use crate::common::interpreter::Interpreter;

#[test]
fn every_run_line_gives_what_the_evaluator_gives() {
    let mut count = 0;
    for (name, text, module) in programs() {
        if name == "floating" {
            continue; // Only placed functions are compiled; the schedule comes before.
        }
        let code = common::compile_all(&module);
        for line in lines(&module, &text) {
            let (func, args) = (line.func, line.args.concat());
            let expected = common::evaluate(&module, func, &args);
            let got = Interpreter::new(&module, &code).call(func, &args);
            assert_eq!(got, expected, "{name}: {}({args:x?})", module.funcs[func].name.text);
            count += 1;
        }
    }
    assert!(count > 100, "only {count} run lines");
}
