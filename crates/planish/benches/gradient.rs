//! Gradients of staged functions by reverse mode, over the time of the function and over a gradient by hand in Rust, in one run.
//! `cargo bench -p planish --bench gradient`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use planish::stage::{Errors, Fixed, In, Rep, fold, function};

/// Duration of a sample.
const SAMPLE: Duration = Duration::from_millis(20);
const ROUNDS: usize = 15;
const INPUTS: usize = 8;

/// Takes a result, so that it is computed.
fn sink<R>(result: R) {
    black_box(result);
}

/// Times of one call of each of three ways: the medians.
fn times(ways: [&mut dyn FnMut(); 3]) -> [f64; 3] {
    let mut all = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (way, times) in [0, 1, 2].into_iter().zip(&mut all) {
            let (start, mut calls) = (Instant::now(), 0u32);
            while start.elapsed() < SAMPLE {
                ways[way]();
                calls += 1;
            }
            times.push(start.elapsed().as_secs_f64() / f64::from(calls));
        }
    }
    all.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    })
}

fn row(name: &str, [function, gradient, by_hand]: [f64; 3]) {
    println!(
        "{name:<24} function {:>9.1} µs, gradient {:>9.1} µs: {:.2} times; by hand {:>9.1} µs: {:.2}",
        function * 1e6,
        gradient * 1e6,
        gradient / function,
        by_hand * 1e6,
        gradient / by_hand
    );
}

/// Logistic regression: the loss over rows, by the weights.
fn regression(rows: usize) -> Result<(), Errors> {
    let loss = function("loss", |x: Fixed<In<[[f64; INPUTS]]>>, y: Fixed<In<[f64]>>, w: In<[f64]>| {
        x.iter()
            .zip(y.iter())
            .map(move |(x, y)| {
                let score = (0..INPUTS).fold(Rep::new(0.0), |sum, i| sum + x[i] * w.at(i as u32));
                ((-score).exp() + 1.0).ln() + score * (1.0 - y)
            })
            .sum()
    })?;
    let (loss, gradient) = (loss.compile()?, loss.gradient()?.compile()?);
    let x: Vec<[f64; INPUTS]> =
        (0..rows).map(|row| std::array::from_fn(|i| ((row * 31 + i * 17) % 101) as f64 / 50.0 - 1.0)).collect();
    let y: Vec<f64> = x.iter().map(|x| f64::from(u8::from(x[0] + x[1] > x[2]))).collect();
    let w: [f64; INPUTS] = std::array::from_fn(|i| i as f64 / 10.0 - 0.3);
    let by_hand = |slope: &mut [f64; INPUTS]| {
        let mut loss = 0.0;
        for (x, &y) in x.iter().zip(&y) {
            let score = (0..INPUTS).fold(0.0, |sum, i| sum + x[i] * w[i]);
            let other = (-score).exp();
            loss += (other + 1.0).ln() + score * (1.0 - y);
            let error = 1.0 - y - other / (other + 1.0);
            (0..INPUTS).for_each(|i| slope[i] += x[i] * error);
        }
        loss
    };
    let (mut found, mut expected) = ([0.0; INPUTS], [0.0; INPUTS]);
    gradient.call((&x, &y, &w), ((), (), &mut found)).expect("it does not stop");
    by_hand(&mut expected);
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9 * b.abs().max(1.0)), "{found:?} {expected:?}");
    row(
        &format!("regression, {rows} rows"),
        times([
            &mut || sink(black_box(loss.call(black_box(&x), &y, &w))),
            &mut || sink(black_box(gradient.call((black_box(&x), &y, &w), ((), (), &mut found)))),
            &mut || sink(black_box(by_hand(black_box(&mut expected)))),
        ]),
    );
    Ok(())
}

/// The potential of bodies in space, by their positions: the forces.
fn potential(bodies: usize) -> Result<(), Errors> {
    let energy = function("energy", |at: In<[[f64; 3]]>| {
        let n = at.len();
        fold(0u32, n, 0.0, |i, sum: Rep<f64>| {
            let a = at.at(i);
            fold(i + 1, n, sum, move |j, sum: Rep<f64>| {
                let b = at.at(j);
                let d = [0, 1, 2].map(|k| a[k] - b[k]);
                sum - 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01).sqrt()
            })
        })
    })?;
    let (energy, gradient) = (energy.compile()?, energy.gradient()?.compile()?);
    let at: Vec<[f64; 3]> = (0..bodies).map(|i| [0.7, 1.3, 2.9].map(|k| (i as f64 * k).sin() * 3.0)).collect();
    let by_hand = |forces: &mut [[f64; 3]]| {
        let mut sum = 0.0;
        for i in 0..at.len() {
            for j in i + 1..at.len() {
                let d: [f64; 3] = std::array::from_fn(|k| at[i][k] - at[j][k]);
                let inverse = 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01).sqrt();
                sum -= inverse;
                let cube = inverse * inverse * inverse;
                for k in 0..3 {
                    forces[i][k] += d[k] * cube;
                    forces[j][k] -= d[k] * cube;
                }
            }
        }
        sum
    };
    let (mut found, mut expected) = (vec![[0.0; 3]; bodies], vec![[0.0; 3]; bodies]);
    gradient.call((&at,), (&mut found,)).expect("it does not stop");
    by_hand(&mut expected);
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b.abs().max(1.0);
    assert!(found.as_flattened().iter().zip(expected.as_flattened()).all(is_close));
    row(
        &format!("potential, {bodies} bodies"),
        times([
            &mut || sink(black_box(energy.call(black_box(&at)))),
            &mut || sink(black_box(gradient.call((black_box(&at),), (&mut found,)))),
            &mut || sink(black_box(by_hand(black_box(&mut expected)))),
        ]),
    );
    Ok(())
}

fn main() {
    let made = regression(10_000).and_then(|()| potential(300));
    made.unwrap_or_else(|errors| panic!("{errors}"));
}
