//! Programs that nest, to any depth: the work that the passes do is in proportion to the program, as counted by the passes. Seconds
//! are in `docs/performance.md`.

use planish_ir::builder::Policy;
use planish_ir::function::Form;
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::verify::verify;
use planish_opt::restage::{Flattening, Identity, flatten, restage};
use planish_opt::{Context, Limits, Options, PASSES, Pass, pipeline, run_passes};
use planish_testkit::nests::SHAPES;
use planish_testkit::share;

/// The counters of work, summed over all passes.
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
    for &(name, shape) in share(SHAPES) {
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

/// Loops that do not repeat are removed, whether that is found in the tree or on the way.
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

/// Loops that would be too large when they are flat are refused after a few rounds, and those that fit are not.
#[test]
fn what_becomes_too_large_is_refused_early() {
    let program = |from: &str| {
        format!(
            "module ir\nfn @f(%x: f32) -> (f32) {{\nb0:\n  var @s: f32 = 0.0\n  var @i: i32 = 0\n  var @j: i32 = 0\n  loop {{\n  cond b1:\n    \
             %0 = load @i\n    %1 = less_than %0, 200\n    loop_if %1\n  body b2:\n    %2 = load @i\n    store @j, {from}\n    loop {{\n    cond b3:\n      \
             %3 = load @j\n      %4 = less_than %3, 200\n      loop_if %4\n    body b4:\n      %5 = load @s\n      %6 = add %5, %x\n      \
             %7 = sin %6\n      store @s, %7\n      %8 = load @j\n      %9 = add %8, 1\n      store @j, %9\n      continue b2\n    }}\n  b5:\n    \
             %10 = load @i\n    %11 = add %10, 1\n    store @i, %11\n    continue b0\n  }}\nb6:\n  %12 = load @s\n  return %12\n}}\nexport @f \"f\"\n"
        )
    };
    let refused = |from: &str, flat_nodes: u32| {
        let mut module = read("a loop in a loop", &program(from));
        let func = module.entry_points[0].func;
        let limits = Limits { flat_nodes, ..Limits::default() };
        let mut context = Context::new(Options { limits, ..Options::default() });
        let how = Flattening { sets: &[], leaves: Vec::new() };
        let problems = flatten(&mut module, func, &how, &mut context).err().unwrap_or_default();
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
    };
    // Two nodes a round: 80,000, and where the inner loop begins with the counter of the outer one, 40,200. Each takes some six
    // steps, of which there may be four for each node that is allowed.
    assert_eq!(refused("0", 160_000), [] as [&str; 0]);
    assert_eq!(refused("%2", 80_000), [] as [&str; 0]);
    assert_eq!(refused("0", 20_000), ["the flat function would have more than 20000 nodes"]);
    assert_eq!(refused("%2", 10_000), ["the flat function would have more than 10000 nodes"]);
}
