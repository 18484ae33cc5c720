//! The number of threads of the optimizer does not affect its output, remarks and counts.

use std::fs;
use std::path::PathBuf;

use planish::ir::text::print;
use planish::module::Module;
use planish::{Context, Optimizer};
use planish_generate::{Choices, glsl};
use planish_testkit::{files, seeds};

use crate::common::compile;

/// The optimized program as text, and the findings of the passes.
fn optimized(module: &Module, level: &str, threads: usize) -> (String, Context) {
    let mut module = module.clone();
    let mut optimizer = Optimizer::level(level).expect("a level");
    optimizer.options.threads = threads;
    let context = optimizer.run(&mut module, &mut |_, _| {});
    (print(&module), context)
}

fn assert_same(name: &str, module: &Module, level: &str) {
    let (text, context) = optimized(module, level, 0);
    for threads in [1, 4] {
        let (other, found) = optimized(module, level, threads);
        assert_eq!(text, other, "{name}: {threads} threads");
        assert_eq!(context.remarks, found.remarks, "{name}: {threads} threads");
        let counts = |context: &Context| context.stats.iter().collect::<Vec<_>>();
        assert_eq!(counts(&context), counts(&found), "{name}: {threads} threads");
    }
}

fn assert_all_same(paths: &[PathBuf], level: &str) {
    assert!(!paths.is_empty());
    for path in paths {
        let name = path.to_string_lossy();
        let module =
            compile(&name, fs::read(path).expect("it can be read")).unwrap_or_else(|errors| panic!("{errors}"));
        assert_same(&name, &module, level);
    }
}

/// Every program is as if its functions were rewritten one by one.
#[test]
fn workloads_are_the_same_on_any_number_of_threads() {
    assert_all_same(&files("examples/wasm", "wat"), "2");
}

#[test]
fn shaders_are_the_same_on_any_number_of_threads() {
    let some: Vec<PathBuf> = files("examples/shaders", "frag").into_iter().step_by(6).collect();
    assert_all_same(&some, "2");
    assert_all_same(&some[..4], "s");
}

#[test]
fn programs_of_vl_are_the_same_on_any_number_of_threads() {
    let some: Vec<PathBuf> = files("examples/vl", "vl").into_iter().step_by(4).collect();
    assert_all_same(&some, "2");
}

/// Functions with variables and calls, of which some are inlined.
#[test]
fn random_programs_are_the_same_on_any_number_of_threads() {
    for seed in seeds(0..90) {
        let source = glsl(&mut Choices::from_seed(seed)).to_string();
        let module = compile("random.frag", source).unwrap_or_else(|errors| panic!("{errors}"));
        assert_same(&format!("seed {seed}"), &module, ["2", "s"][seed as usize % 2]);
    }
}
