//! Growth of the time of the stages with the length of a flat function, for several shapes of functions.
//!
//! `cargo run --release -p planish-flatten --example flatten_growth [NODES…]`

use std::fmt::Write as _;
use std::time::Instant;

use planish_flatten::{Options, STAGES};
use planish_ir::module::Module;
use planish_ir::text::parse_str;

/// Node number `i` of a shape, of which `%i-1`, `%i-2` … stand before; there are four inputs and two uniforms.
type Line = fn(usize) -> String;

const SHAPES: &[(&str, Line)] = &[
    ("mixed", |i| match i % 6 {
        0 => format!("add %{}, %{}", i - 1, i - 5),
        1 => format!("multiply %{}, %{}", i - 1, i % 4),
        2 => format!("sin %{}", i - 1),
        3 => format!("subtract %{}, {}.5", i - 1, i % 7),
        4 => format!("select %c{}, %{}, %{}", i % 2, i - 1, i - 3),
        _ => format!("divide %{}, %u", i - 2),
    }),
    ("one sum", |i| format!("add %{}, %{}", i - 1, i % 4)),
    ("one product", |i| format!("multiply %{}, %{}", i - 1, i % 4)),
    ("steps of scaling and moving", |i| {
        if i % 2 == 0 { format!("multiply %{}, %u", i - 1) } else { format!("add %{}, 0.25", i - 1) }
    }),
    ("selects on two conditions", |i| match i % 3 {
        0 => format!("add %{}, %{}", i - 1, i % 4),
        1 => format!("multiply %{}, %{}", i - 1, i % 3),
        _ => format!("select %c{}, %{}, %{}", i % 2, i - 1, i - 3),
    }),
];

fn module(line: Line, nodes: usize) -> Module {
    let mut text = String::from(
        "module ir\nvar uniform @u: f32\nfn @f(%0 a: f32, %1 b: f32, %2 c: f32, %3 d: f32, %c0 e: bool, %c1 f: bool) -> (f32) {\nb0:\n  %u = load @u\n",
    );
    for i in 4..8 {
        writeln!(text, "  %{i} = sin %{}", i - 4).expect("a string takes all");
    }
    for i in 8..nodes + 8 {
        writeln!(text, "  %{i} = {}", line(i)).expect("a string takes all");
    }
    writeln!(text, "  return %{}\n}}", nodes + 7).expect("a string takes all");
    parse_str(&text).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|n| n.parse().expect("a number of nodes")).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000] } else { sizes };
    for fast_math in [false, true] {
        println!("fast-math: {fast_math}; milliseconds");
        for (name, line) in SHAPES {
            for &nodes in &sizes {
                let mut module = module(*line, nodes);
                let func = module.funcs.keys().next().expect("there is a function");
                let options = Options { fast_math, ..Options::default() };
                print!("{name:<28} {nodes:>8}");
                for stage in STAGES.iter().filter(|s| s.name != "lower") {
                    let start = Instant::now();
                    (stage.run)(&mut module, func, &options).expect("it is flat");
                    let time = start.elapsed().as_secs_f64() * 1e3;
                    let body = module.funcs[func].body.as_ref().expect("it has an inside");
                    print!("  {} {time:.1} ({})", stage.name, planish_ir::walk::node_count(body));
                }
                println!();
            }
        }
    }
}
