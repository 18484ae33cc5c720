//! The number of threads of the optimizer does not affect its output, remarks and counts.

use std::fs;
use std::path::PathBuf;

use planish::ir::text::print;
use planish::{Context, Optimizer};
use planish_testkit::files;

use crate::common::compile;

/// The optimized program as text, and the findings of the passes.
fn optimized(path: &PathBuf, level: &str, threads: usize) -> (String, Context) {
    let name = path.to_string_lossy();
    let mut module =
        compile(&name, fs::read(path).expect("it can be read")).unwrap_or_else(|errors| panic!("{errors}"));
    let mut optimizer = Optimizer::level(level).expect("a level");
    optimizer.options.threads = threads;
    let context = optimizer.run(&mut module, &mut |_, _| {});
    (print(&module), context)
}

fn assert_same(paths: &[PathBuf], level: &str) {
    assert!(!paths.is_empty());
    for path in paths {
        let (text, context) = optimized(path, level, 0);
        for threads in [1, 4] {
            let (other, found) = optimized(path, level, threads);
            assert_eq!(text, other, "{}: {threads} threads", path.display());
            assert_eq!(context.remarks, found.remarks, "{}: {threads} threads", path.display());
            let counts = |context: &Context| context.stats.iter().collect::<Vec<_>>();
            assert_eq!(counts(&context), counts(&found), "{}: {threads} threads", path.display());
        }
    }
}

/// Every program is as if its functions were rewritten one by one.
#[test]
fn workloads_are_the_same_on_any_number_of_threads() {
    assert_same(&files("examples/wasm", "wat"), "2");
}

#[test]
fn shaders_are_the_same_on_any_number_of_threads() {
    let some: Vec<PathBuf> = files("examples/shaders", "frag").into_iter().step_by(6).collect();
    assert_same(&some, "2");
    assert_same(&some[..4], "s");
}

#[test]
fn programs_of_vl_are_the_same_on_any_number_of_threads() {
    let some: Vec<PathBuf> = files("examples/vl", "vl").into_iter().step_by(4).collect();
    assert_same(&some, "2");
}
