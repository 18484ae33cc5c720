//! Long functions: nothing recurses with length, for any form.

use std::time::{Duration, Instant};

use planish_back_graph::{Graph, Options, dot, json, listing, svg};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::AddressSpace;

/// A function of about `n` nodes: each reads the one before, with values from afar, splats and constants, from one long
/// line of source.
fn long(n: usize) -> (SourceMap, Module, Func) {
    let mut map = SourceMap::new();
    let file = map.add("long.frag", "é+".repeat(n)).expect("small");
    let mut module = Module::new(Language::Ir);
    let u = module.add_var(Name::new("u", NameSource::Interface), Type::F32, AddressSpace::Uniform);
    let (precision, span) = (Precision::None, Span::NONE);
    let x = Param { name: Name::temporary("x"), ty: Type::VEC3, precision, direction: Direction::In, span };
    let func = module.add_func(Name::temporary("long"), vec![x], vec![ResultType { ty: Type::VEC3, precision }], span);
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let u = b.load(u.into());
    let mut values = vec![b.param(0)];
    for i in 0..n / 4 {
        let start = file.start + 12 * i as u32;
        b.at(Span::new(start, start + 1));
        let last = values[values.len() - 1];
        let far = values[i * 7 % values.len()];
        let number = b.f32(i as f32);
        let scaled = b.op(Op::Multiply, &[u, number]);
        let splat = b.op_typed(Op::ConstructVectorFromScalar, &[scaled], Type::VEC3);
        let sum = b.op(Op::Add, &[last, splat]);
        values.push(b.op(Op::Max, &[sum, far]));
    }
    b.ret(&values[values.len() - 1..]);
    b.finish();
    (map, module, func)
}

/// On a stack of 256 KiB: the time to make the graph, and to write each form.
fn times(n: usize) -> [Duration; 5] {
    let (map, module, func) = long(n);
    let work = move || {
        let mut times = [Duration::ZERO; 5];
        let options = Options { map: Some(&map), ..Options::default() };
        let mut start = Instant::now();
        let mut lap = |i: usize| {
            times[i] = start.elapsed();
            start = Instant::now();
        };
        let graph = Graph::new(&module, func, &options).unwrap_or_else(|e| panic!("{:?}", e.first()));
        lap(0);
        assert!(graph.nodes.len() > n / 4 * 3, "{}", graph.nodes.len());
        for (i, form) in [json::text, listing::text, dot::text, svg::text].into_iter().enumerate() {
            assert!(form(&graph).len() > 20 * n);
            lap(i + 1);
        }
        times
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).expect("it starts").join().expect("no overflow")
}

/// `PLANISH_NODES=1000000 cargo test --release -p planish-back-graph scale -- --nocapture` prints the times.
#[test]
fn long_functions_need_no_stack() {
    let n = std::env::var("PLANISH_NODES").ok().and_then(|n| n.parse().ok()).unwrap_or(4_000);
    println!("{n} nodes: graph, json, listing, dot, svg: {:?}", times(n));
}
