//! Functions that were compiled ahead of time do what those do that are compiled now.

use planish::stage::Vector;
use stage_ahead as ahead;

#[path = "../src/kernels.rs"]
mod kernels;

const SIZES: [usize; 6] = [0, 1, 63, 64, 65, 1000];

#[test]
fn they_are_the_same() {
    let (dot, blur) = (kernels::dot().expect("valid").compile(), kernels::blur().expect("valid").compile());
    let (turn, summary) = (kernels::turn().expect("valid").compile(), kernels::summary().expect("valid").compile());
    let (dot, blur) = (dot.expect("it compiles"), blur.expect("it compiles"));
    let (turn, summary) = (turn.expect("it compiles"), summary.expect("it compiles"));
    for size in SIZES {
        let a: Vec<f64> = (0..size).map(|i| (i as f64).sin()).collect();
        let b: Vec<f64> = (0..size + 2).map(|i| 1.0 / (i as f64 + 0.5)).collect();
        assert_eq!(ahead::dot(&a, &b).to_bits(), dot.call(&a, &b).expect("it ends").to_bits());

        let x: Vec<f32> = b.iter().map(|x| *x as f32).collect();
        let (mut y, mut z) = (vec![7.0; size + 1], vec![7.0; size + 1]);
        assert_eq!(ahead::blur(&x, &mut y), size as u32);
        assert_eq!((blur.call(&x, &mut z).expect("it ends"), z), (size as u32, y));

        let mut points: Vec<[f32; 2]> = x.iter().map(|x| [*x, 1.0 - x]).collect();
        let mut others = points.clone();
        assert_eq!(ahead::turn(&mut points, [0.6, 0.8]), [1.2, 1.6]);
        assert_eq!(turn.call(&mut others, Vector([0.6, 0.8])).expect("it ends"), Vector([1.2, 1.6]));
        assert_eq!(points, others);

        let bytes: Vec<u8> = (0..=size).map(|i| (i * 7) as u8).collect();
        assert_eq!(ahead::summary(&bytes, 100), summary.call(&bytes, 100).expect("it ends"));
    }
}

/// A trap ends the process, with the place in the Rust that made the program.
#[test]
fn a_trap_says_where_it_is() {
    if std::env::var_os("STAGE_AHEAD_TRAP").is_some() {
        ahead::summary(&[], 1);
        unreachable!("it traps");
    }
    let own = std::env::current_exe().expect("this test");
    let mut child = std::process::Command::new(own);
    let output =
        child.args(["--exact", "a_trap_says_where_it_is", "--nocapture"]).env("STAGE_AHEAD_TRAP", "1").output();
    let output = output.expect("it runs");
    let message = String::from_utf8_lossy(&output.stderr);
    let source = include_str!("../src/kernels.rs");
    let line = source.lines().position(|line| line.contains("check(bytes")).expect("a check") + 1;
    let expected = format!("planish: trap: user in `summary` at {line}:");
    assert!(!output.status.success() && message.contains(&expected), "{message}, not {expected}");
}
