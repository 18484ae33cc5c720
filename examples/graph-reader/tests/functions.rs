//! Functions of `functions.frag`, with branches, loops, helpers, structs and arrays: flattened, written as graphs, read again, and
//! run. The reader gives the bits that the evaluator gives for the function as it was written.

use crate::common::compare;
use planish::Compiler;
use planish::flatten::{Options, STAGES};

#[test]
fn functions_survive_flattening_and_the_format() {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile("functions.frag", include_str!("functions.frag"));
    let module = compilation.module.unwrap_or_else(|| panic!("{:#?}", compilation.diagnostics));
    let mut count = 0;
    for func in module.funcs.keys() {
        let name = &module.funcs[func].name.text;
        if !name.starts_with("f_") {
            continue;
        }
        let mut flat = module.clone();
        for stage in STAGES {
            (stage.run)(&mut flat, func, &Options::default())
                .unwrap_or_else(|e| panic!("{name}, {}: {e:#?}", stage.name));
        }
        compare(&module, &flat, func, 300, false);
        compare(&module, &flat, func, 300, true);
        count += 1;
    }
    assert!(count >= 20, "only {count} functions");
}
