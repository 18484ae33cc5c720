//! The programs by which multi-stage programming was shown to need fusion, splitting, delayed rewriting and effects per allocation site, in
//! staged Rust: the IR of each after named passes is in `tests/stage` (`BLESS=1` rewrites it), and what it shows is asserted.

mod fusion;
mod mutation;
mod query;
mod stencils;
mod structs;
mod worklist;

use planish::Optimizer;
use planish::ir::module::Module;
use planish::ir::text::print;
use planish::stage::{Compiled, Errors, Function, In, List, Params, Rep, Staged};
use planish::vm::{Config, Engine, Strategy};
use planish_testkit::committed;

type Float = Rep<f64>;

fn made<A: Params, R: Staged>(function: Result<Function<A, R>, Errors>) -> Function<A, R> {
    function.unwrap_or_else(|errors| panic!("{errors}"))
}

fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}\n{}", function.ir()))
    })
}

/// Numbers of a few things in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Counts {
    loops: usize,
    /// Growable arrays.
    arrays: usize,
    appends: usize,
    multiplications: usize,
}

fn counts(text: &str) -> Counts {
    let count = |part: &str| text.matches(part).count();
    Counts {
        loops: count("loop_if"),
        arrays: count(": ["),
        appends: count("append"),
        multiplications: count("= multiply"),
    }
}

/// A program after each of the named passes that changed it, and at the end, compared with the committed text; counts at first and at last.
fn steps<A: Params, R: Staged>(file: &str, about: &str, function: &Function<A, R>) -> (Counts, Counts) {
    steps_of(file, about, function.module(), &Optimizer::level("2").expect("a level"))
}

fn steps_of(file: &str, about: &str, module: &Module, optimizer: &Optimizer) -> (Counts, Counts) {
    let named = ["promote_variables", "fuse_loops", "lower_custom_ops"];
    let first = print(module);
    let mut text = format!("// {}\n\n// As it was made.\n{first}", about.replace('\n', "\n// "));
    let (mut module, mut last) = (module.clone(), first.clone());
    optimizer.run(&mut module, &mut |label, module| {
        let now = print(module);
        let is_named = named.contains(&label.split(':').next().expect("a name"));
        if is_named && now != last {
            text += &format!("\n// After {label}.\n{now}");
            last = now;
        }
    });
    let end = print(&module);
    if end != last {
        text += &format!("\n// At the end.\n{end}");
    }
    committed(&format!("tests/stage/{file}.ir"), &text);
    (counts(&first), counts(&end))
}

fn sum(list: &List<Float>) -> Float {
    list.iter().fold(0.0, |sum: Float, x| sum + x)
}

fn index(i: Rep<u32>) -> Float {
    i.as_::<f64>()
}

/// Numbers of the host that the programs are given.
fn input(len: u32) -> Vec<f64> {
    (0..len).map(|i| f64::from(i * 37 % 61) / 4.0 - 5.0).collect()
}

/// Checks the result of a program of one slice on all engines.
#[track_caller]
fn results<R: Staged<Host = f64>>(function: &Function<(In<[f64]>,), R>, plain: impl Fn(&[f64]) -> f64) {
    for compiled in on_engines(function) {
        for len in [0, 1, 7, 8, 9, 100] {
            let x = input(len);
            let (result, plain) = (compiled.call(&x).expect("it does not trap"), plain(&x));
            assert_eq!(result.to_bits(), plain.to_bits(), "{len}: {result}, not {plain}");
        }
    }
}
