//! Time of `-O2` by pass for programs that nest. `cargo run --release -p planish-opt --example nests -- [SIZE] [SHAPE] [--passes]`

use std::time::Instant;

use planish_ir::text::parse_str;
use planish_opt::{Context, Options, pipeline, run_passes};
use planish_testkit::nests::SHAPES;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let size = args.first().and_then(|a| a.parse().ok()).unwrap_or(1000);
    let wanted = args.get(1).filter(|a| !a.starts_with("--")).cloned().unwrap_or_default();
    let by_pass = args.iter().any(|a| a == "--passes");
    for (name, shape) in SHAPES.iter().filter(|s| s.0.contains(&wanted)) {
        let text = shape(size);
        let start = Instant::now();
        let mut module = parse_str(&text).unwrap_or_else(|e| panic!("{name}: {:?}", &e[..1]));
        let parsed = start.elapsed();
        let start = Instant::now();
        let errors = planish_ir::verify::verify(&module);
        assert!(errors.is_empty(), "{name}: {:?}", &errors[..1]);
        let verified = start.elapsed();
        let mut context = Context::new(Options::default());
        let mut at = Instant::now();
        let start = Instant::now();
        let mut passes = Vec::new();
        run_passes(&mut module, &pipeline("2").expect("it is a level"), &mut context, &mut |pass, _| {
            passes.push((pass, at.elapsed().as_secs_f64()));
            at = Instant::now();
        });
        let total = start.elapsed();
        let start = Instant::now();
        assert_eq!(planish_ir::verify::verify(&module), []);
        let again = start.elapsed();
        let count = |name| context.stats.iter().filter(|s| s.1 == name).map(|s| s.2).sum::<u64>();
        println!(
            "{size:>7} {name:<50} parse {parsed:>8.2?} verify {verified:>8.2?} O2 {total:>9.2?} verify {again:>8.2?} loops {}",
            count("LoopsInterpreted")
        );
        if by_pass {
            passes.iter().filter(|p| p.1 > 0.01).for_each(|(pass, time)| println!("    {pass:<30} {time:.3}"));
        }
    }
}
