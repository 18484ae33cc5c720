//! Long functions: each stage goes through them without recursion and in a bounded number of sweeps, on a small stack.

use std::fmt::Write as _;

use planish_flatten::{Options, STAGES};
use planish_ir::text::parse_str;
use planish_ir::verify::verify;
use planish_ir::walk;

const NODES: usize = 10_000;

/// Text of node number `i`.
type Line = fn(usize) -> String;

/// A function whose node number `i` is `line(i)`; what it returns is the last one.
fn text(line: Line) -> String {
    let mut text = String::from("module ir\nvar uniform @u: f32\n");
    text.push_str("fn @f(%0 a: f32, %1 b: f32, %c0 e: bool, %c1 f: bool) -> (f32) {\nb0:\n  %u = load @u\n");
    text.push_str("  %2 = sin %0\n  %3 = cos %1\n");
    for i in 4..NODES {
        writeln!(text, "  %{i} = {}", line(i)).expect("a string takes all");
    }
    writeln!(text, "  return %{}\n}}", NODES - 1).expect("a string takes all");
    text
}

const SHAPES: &[(&str, Line)] = &[
    ("sum", |i| format!("add %{}, %{}", i - 1, i % 4)),
    ("difference", |i| format!("subtract %{}, %{}", i % 4, i - 1)),
    ("product", |i| format!("multiply %{}, %{}", i - 1, i % 4)),
    ("quotients", |i| format!("divide %{}, %{}", i - 1, if i % 2 == 0 { "u" } else { "0" })),
    ("scaling and moving", |i| format!("{} %{}, %u", if i % 2 == 0 { "multiply" } else { "add" }, i - 1)),
    ("selects", |i| format!("select %c{}, %{}, %{}", i % 2, i - 1, i - 3)),
    ("steps on one condition", |i| {
        if i % 2 == 0 { format!("sin %{}", i - 1) } else { format!("select %c0, %{}, %{}", i - 1, i - 2) }
    }),
    ("two sides alike", |i| match NODES - i {
        1 => format!("select %c0, %{}, %{}", i - 1, i - 2),
        _ => format!("{} %{}", if i % 4 < 2 { "sin" } else { "sqrt" }, i - 2),
    }),
    ("comparisons and selects", |i| match i % 3 {
        0 => format!("abs %{}", i - 1),
        1 => format!("add %{}, %{}", i - 1, i - 3),
        _ => format!("max %{}, %{}", i - 1, i - 2),
    }),
];

fn run() {
    for (name, line) in SHAPES {
        for fast_math in [false, true] {
            let mut module = parse_str(&text(*line)).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
            let func = module.funcs.keys().next().expect("there is a function");
            let options = Options { fast_math, ..Options::default() };
            for stage in STAGES {
                (stage.run)(&mut module, func, &options).expect("it is flat");
                let changed = (stage.run)(&mut module, func, &options).expect("it is flat");
                assert!(!changed, "{name}: {} has not come to rest", stage.name);
            }
            assert_eq!(verify(&module), [], "{name}");
            let nodes = walk::node_count(module.funcs[func].body.as_ref().expect("it has an inside"));
            assert!(nodes <= 2 * NODES, "{name}: {nodes}");
        }
    }
}

#[test]
fn long_functions_need_no_stack() {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run).expect("a thread starts");
    thread.join().expect("no stage panics");
}
