//! Programs that nest, to any depth: the work that the passes do is in proportion to the program, as counted by the passes. Seconds
//! are in `docs/performance.md`.

#[path = "nests/shapes.rs"]
mod shapes;

use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::verify::verify;
use planish_opt::{Context, Options, PASSES, Pass, pipeline, run_passes};

use shapes::SHAPES;

/// What counts as work, of all passes.
const WORK: &[&str] = &["BlocksInterpreted", "NodesMade", "ValuesCarried"];

fn read(name: &str, text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{name}: {:?}", &errors[..1]));
    assert_eq!(verify(&module), [], "{name}");
    module
}

/// The work that `-O2` does, by pass.
fn work(name: &str, shape: fn(usize) -> String, size: usize) -> Vec<(&'static str, u64)> {
    let mut module = read(name, &shape(size));
    let mut context = Context::new(Options::default());
    run_passes(&mut module, &pipeline("2").expect("it is a level"), &mut context, &mut |_, _| {});
    assert_eq!(verify(&module), [], "{name}");
    let of = |pass: &'static Pass| WORK.iter().map(|what| context.stats.get(pass.name, what)).sum();
    PASSES.iter().map(|pass| (pass.name, of(pass))).collect()
}

/// n·log n at most: from `n` to `10 n` work grows tenfold, with something for the logarithm, and for the budgets that small
/// programs have whatever their size. Where it is in proportion to the square it grows a hundredfold.
#[test]
fn work_is_in_proportion_to_the_program() {
    const MOST: u64 = 25;
    let mut failures = Vec::new();
    for &(name, shape) in SHAPES {
        let (small, large) = (work(name, shape, 150), work(name, shape, 1500));
        for ((pass, small), (_, large)) in small.into_iter().zip(large) {
            if large > MOST * small.max(1000) {
                failures.push(format!("{name}: {pass} does {small} at 150, {large} at 1,500"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// As a nest of loops may cost seven times its size, and no more, however deep it is.
#[test]
fn a_loop_is_interpreted_a_bounded_number_of_times() {
    for name in ["do loops on one condition", "do loops that are found not to repeat", "counted loops"] {
        let shape = SHAPES.iter().find(|s| s.0 == name).expect("it is one of them").1;
        let mut module = read(name, &shape(1000));
        let mut context = Context::new(Options::default());
        let pass = PASSES.iter().find(|p| p.name == "promote_variables").expect("it is one of them");
        run_passes(&mut module, &[pass], &mut context, &mut |_, _| {});
        let loops = context.stats.get("promote_variables", "LoopsInterpreted");
        assert!(loops <= 8 * 1000, "{name}: {loops}");
    }
}

/// What does not repeat is gone, found out before or on the way.
#[test]
fn loops_that_do_not_repeat_are_no_loops_afterwards() {
    let names =
        ["do loops that never repeat", "do loops that are found not to repeat", "loops that break at their end"];
    for name in names {
        let shape = SHAPES.iter().find(|s| s.0 == name).expect("it is one of them").1;
        for depth in [1, 5, 50] {
            let mut module = read(name, &shape(depth));
            let passes = pipeline("2").expect("it is a level");
            run_passes(&mut module, &passes, &mut Context::new(Options::default()), &mut |_, _| {});
            let text = planish_ir::text::print(&module);
            assert!(!text.contains("loop"), "{name}, {depth} deep: {text}");
        }
    }
}
