//! Programs that nest, to any depth: the work that the passes do is in proportion to the program, as counted by the passes. Seconds
//! are in `docs/performance.md`.

#[path = "nests/shapes.rs"]
mod shapes;

use planish_ir::builder::Policy;
use planish_ir::function::Form;
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::verify::verify;
use planish_opt::restage::{Identity, restage};
use planish_opt::{Context, Options, PASSES, Pass, pipeline, run_passes};

use shapes::SHAPES;

/// What counts as work, of all passes.
const WORK: &[&str] = &["BlocksInterpreted", "NodesMade", "ValuesCarried"];

fn read(name: &str, text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{name}: {:?}", &errors[..1]));
    assert_eq!(verify(&module), [], "{name}");
    module
}

/// The work that `-O2` does.
fn work(name: &str, shape: fn(usize) -> String, size: usize) -> u64 {
    let mut module = read(name, &shape(size));
    let mut context = Context::new(Options::default());
    run_passes(&mut module, &pipeline("2").expect("it is a level"), &mut context, &mut |_, _| {});
    assert_eq!(verify(&module), [], "{name}");
    // A pass may find nothing left to do in the small program, so they are not compared one by one.
    PASSES.iter().flat_map(|pass| WORK.iter().map(|what| context.stats.get(pass.name, what))).sum()
}

/// n·log n at most: from `n` to `10 n` work grows tenfold, with something for the logarithm, and for the budgets that small
/// programs have whatever their size. Where it is in proportion to the square it grows a hundredfold.
#[test]
fn work_is_in_proportion_to_the_program() {
    const MOST: u64 = 25;
    let mut failures = Vec::new();
    for &(name, shape) in SHAPES {
        let (small, large) = (work(name, shape, 150), work(name, shape, 1500));
        if large > MOST * small {
            failures.push(format!("{name}: {small} at 150, {large} at 1,500"));
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

/// A pass of a user's that leaves a function floating: the next one, and whoever looks after it, sees it placed.
#[test]
fn what_a_users_pass_leaves_floating_is_placed() {
    fn float(module: &mut Module, _: &mut Context) {
        let policy = Policy { form: Form::Floating, ..Policy::PLAIN };
        let funcs: Vec<_> = module.funcs.keys().collect();
        funcs.into_iter().for_each(|func| restage(module, func, policy, &mut Identity));
    }
    let own = Pass { name: "float", about: "lets everything float", run: float };
    let is_placed = |module: &Module| {
        let mut bodies = module.funcs.values().filter_map(|function| function.body.as_ref());
        bodies.all(|body| body.form == Form::Placed)
    };
    for &(name, shape) in SHAPES {
        for others in ["0", "1", "2"] {
            let mut module = read(name, &shape(5));
            let others = pipeline(others).expect("it is a level");
            // Before each of the others, and last.
            let passes: Vec<&Pass> = others.iter().flat_map(|&pass| [&own, pass]).chain([&own]).collect();
            run_passes(&mut module, &passes, &mut Context::new(Options::default()), &mut |pass, module| {
                assert!(is_placed(module), "{name}: after {pass}");
                assert_eq!(verify(module), [], "{name}: after {pass}");
            });
        }
    }
}
