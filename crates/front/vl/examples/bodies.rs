//! Growth of the translation time of a gradient with the program: `cargo run --release -p planish-front-vl --example
//! bodies`.
//!
//! The gradient of the potential of 2 to 10 bodies, in reverse and in forward mode: bodies, milliseconds (best of
//! three), nodes of IR. With a mode and a number of bodies it translates that one once, for profilers.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use planish_front_vl::translate;
use planish_ir::source::SourceMap;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, bodies] = &arguments[..] {
        let mut map = SourceMap::new();
        let text = program(mode, bodies.parse().expect("a number of bodies"));
        let file = map.add("bodies.vl", &*text).expect("small");
        translate(&file, &mut map, None).expect("a valid program");
        return;
    }
    for mode in ["gradient-r", "gradient-f"] {
        println!("{mode}");
        for bodies in 2..=10 {
            let text = program(mode, bodies);
            let mut best = Duration::MAX;
            let mut nodes = 0;
            for _ in 0..3 {
                let mut map = SourceMap::new();
                let file = map.add("bodies.vl", &*text).expect("small");
                let start = Instant::now();
                let (program, _) = translate(&file, &mut map, None).expect("a valid program");
                best = best.min(start.elapsed());
                let bodies = program.module.funcs.values().filter_map(|f| f.body.as_ref());
                nodes = bodies.map(|body| body.node_count()).sum();
            }
            println!("{bodies:3} {:9.2} ms {nodes:8} nodes", best.as_secs_f64() * 1e3);
        }
    }
}

/// The gradient of the potential of `bodies` bodies, at unknown positions.
fn program(mode: &str, bodies: usize) -> String {
    let (mut masses, mut places) = (String::new(), String::new());
    for i in 0..bodies {
        let x = i as f64;
        write!(masses, " {}", 1.0 / (x + 1.0)).expect("a string takes all");
        write!(places, " ({} {} {})", x * 1.1, x * x * 0.1, x * -0.2).expect("a string takes all");
    }
    format!(
        "(define (unknown x) (cond ((pair? x) (cons (unknown (car x)) (unknown (cdr x)))) ((null? x) x) (else (real x))))
         (define (pairs p m places masses)
           (if (null? places)
               0
               (- (pairs p m (cdr places) (cdr masses)) (/ (* m (car masses)) (distance p (car places))))))
         (define (potential places)
           (let loop ((places places) (masses '({masses})))
             (if (null? places)
                 0
                 (+ (pairs (car places) (car masses) (cdr places) (cdr masses)) (loop (cdr places) (cdr masses))))))
         (({mode} potential) (unknown '({places})))"
    )
}
