//! Speed of reading modules: `cargo run --release -p planish-front-wasm --example read_speed -- FILE.wasm…`
//!
//! For each file: its sections alone, with all functions checked, whole on one thread, whole on all. The best of five.

use std::time::{Duration, Instant};

use planish_front_wasm::{Options, Parsed, translate};
use planish_ir::source::{SourceFile, SourceMap};

const RUNS: u32 = 5;

fn best(mut work: impl FnMut()) -> Duration {
    (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .expect("there are rounds")
}

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let file = SourceMap::new().add_binary(path.as_str(), bytes.len()).expect("small");
        println!("{path}: {:.1} MB", bytes.len() as f64 / 1e6);
        report(&file, &bytes);
    }
}

fn report(file: &SourceFile, bytes: &[u8]) {
    let options = Options::default();
    let one = Options { threads: 1, ..options };
    let lazy = Options { check_lazily: true, ..options };
    let show = |what: &str, time: Duration| {
        let speed = bytes.len() as f64 / 1e6 / time.as_secs_f64();
        println!("  {what:28} {:8.1} ms {speed:8.1} MB/s", time.as_secs_f64() * 1e3);
    };
    show("sections", best(|| drop(Parsed::new(file, bytes, &lazy).expect("valid"))));
    show("sections, checked, 1 thread", best(|| drop(Parsed::new(file, bytes, &one).expect("valid"))));
    show("translated, 1 thread", best(|| drop(translate(file, bytes, &one).expect("valid"))));
    show("translated, all threads", best(|| drop(translate(file, bytes, &options).expect("valid"))));
    let (module, _) = translate(file, bytes, &options).expect("valid");
    let bodies = || module.funcs.values().filter_map(|f| f.body.as_ref());
    let nodes: usize = bodies().map(|b| b.node_count()).sum();
    let blocks: usize = bodies().map(|b| b.blocks.len()).sum();
    let inputs: usize = bodies().flat_map(|b| b.blocks.values()).map(|b| b.inputs.len()).sum();
    let arguments: usize = bodies().flat_map(|b| b.blocks.values()).map(|b| operands(&b.exit)).sum();
    println!("  {nodes} nodes, {blocks} blocks, {inputs} inputs, {arguments} operands of exits");
}

fn operands(exit: &planish_ir::function::Exit) -> usize {
    let mut count = 0;
    exit.for_each_operand(|_| count += 1);
    count
}
