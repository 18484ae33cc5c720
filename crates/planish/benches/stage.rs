//! Staged functions over slices, against the same loops in Rust, in one run. `cargo bench -p planish --bench stage`.
//!
//! Each row is the time of the staged function over that of plain Rust (`rustc -O`, for any x86-64): the median of pairs of samples that
//! alternate, with the quartiles. The last column is the time from the closure to a function that can be called.

use std::hint::black_box;
use std::time::{Duration, Instant};

use planish::stage::{Compiled, Errors, Function, In, Out, Params, Rep, Staged, function, if_, stage};

const SIZES: [usize; 3] = [1_000, 100_000, 10_000_000];
/// Duration of a sample.
const SAMPLE: Duration = Duration::from_millis(10);
const PAIRS: usize = 21;

/// Takes a result, so that it is computed.
fn sink<R>(result: R) {
    black_box(result);
}

/// Time of one call.
fn sample(work: &mut dyn FnMut()) -> f64 {
    let (start, mut calls) = (Instant::now(), 0u32);
    while start.elapsed() < SAMPLE {
        work();
        calls += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

/// Compares two ways to do the same, at a size.
fn compare(name: &str, n: usize, staged: &mut dyn FnMut(), plain: &mut dyn FnMut()) {
    staged();
    plain();
    let mut pairs: Vec<(f64, f64)> = (0..PAIRS).map(|_| (sample(staged), sample(plain))).collect();
    pairs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let ratio = |index: usize| pairs[index].0 / pairs[index].1;
    let plain = pairs.iter().map(|pair| pair.1).fold(f64::INFINITY, f64::min) / n as f64 * 1e9;
    let (low, middle, high) = (ratio(PAIRS / 4), ratio(PAIRS / 2), ratio(PAIRS * 3 / 4));
    println!("{name:<22} {n:>9} {middle:>7.2} ({low:.2}–{high:.2}) {plain:>9.3} ns");
}

/// A compiled function, with the time that it took.
fn compiled<A: Params, R: Staged>(name: &str, make: impl Fn() -> Result<Function<A, R>, Errors>) -> Compiled<A, R> {
    let mut times: Vec<f64> = Vec::new();
    let mut last = None;
    for _ in 0..20 {
        let start = Instant::now();
        last = Some(make().expect("it is valid").compile().expect("it compiles"));
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    println!("{name:<22} made in {:.0} µs", times[times.len() / 2]);
    last.expect("it was made")
}

fn numbers(n: usize) -> Vec<f64> {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 0.5
        })
        .collect()
}

/// A position that is bought above a moving mean and sold below it, with a charge for each trade.
#[stage]
fn trade(prices: In<[f64]>, charge: Rep<f64>) -> Rep<f64> {
    let mut mean = Rep::new(0.0);
    let mut held = Rep::new(0.0);
    let mut money = Rep::new(0.0);
    for i in 0..prices.len() {
        let price = prices.at(i);
        mean = mean * 0.99 + price * 0.01;
        if price > mean * 1.01 && held < 1.0 {
            held += 1.0;
            money -= price + charge;
        } else if price < mean * 0.99 && held > 0.0 {
            held -= 1.0;
            money += price - charge;
        }
    }
    money + held * mean
}

fn trade_plain(prices: &[f64], charge: f64) -> f64 {
    let (mut mean, mut held, mut money) = (0.0, 0.0, 0.0);
    for &price in prices {
        mean = mean * 0.99 + price * 0.01;
        if price > mean * 1.01 && held < 1.0 {
            held += 1.0;
            money -= price + charge;
        } else if price < mean * 0.99 && held > 0.0 {
            held -= 1.0;
            money += price - charge;
        }
    }
    money + held * mean
}

/// The sum of all numbers in a text.
#[stage]
fn total(text: In<[u8]>) -> Rep<u64> {
    let mut sum = Rep::new(0u64);
    let mut number = Rep::new(0u64);
    for i in 0..text.len() {
        let byte = text.at(i);
        let digit = byte - 48u32;
        if digit < 10 {
            number = number * 10 + digit.as_::<u64>();
        } else {
            sum += number;
            number = Rep::new(0);
        }
    }
    sum + number
}

fn total_plain(text: &[u8]) -> u64 {
    let (mut sum, mut number) = (0u64, 0u64);
    for &byte in text {
        let digit = byte.wrapping_sub(48);
        if digit < 10 {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else {
            sum = sum.wrapping_add(number);
            number = 0;
        }
    }
    sum.wrapping_add(number)
}

fn main() {
    let dot = compiled("dot", || {
        function("dot", |a: In<[f64]>, b: In<[f64]>| a.iter().zip(b.iter()).map(|(x, y)| x * y).sum())
    });
    let axpy = compiled("a·x + y", || {
        function("axpy", |a: Rep<f64>, x: In<[f64]>, y: Out<[f64]>| {
            x.iter().zip(y.iter()).map(|(x, y)| a * x + y).write_to(y)
        })
    });
    let roots = compiled("filter, sqrt, sum", || {
        function("roots", |x: In<[f64]>| x.iter().filter(|x| x.gt(0.0)).map(|x: Rep<f64>| x.sqrt()).sum())
    });
    let moments = compiled("mean and variance", || {
        function("moments", |x: In<[f64]>| {
            let (sum, squares) =
                x.iter().fold((0.0, 0.0), |(sum, squares): (Rep<f64>, Rep<f64>), x| (sum + x, squares + x * x));
            let n = x.len().as_::<f64>();
            (sum / n, squares / n - (sum / n) * (sum / n))
        })
    });
    let histogram = compiled("histogram", || {
        function("histogram", |x: In<[u8]>, bins: Out<[u32]>| {
            x.iter().for_each(|x| bins.update(x, |n| n + 1));
        })
    });
    let window = compiled("mean of 8 neighbours", || {
        function("window", |x: In<[f32]>, y: Out<[f32]>| {
            let mean = |w: [Rep<f32>; 8]| w.into_iter().fold(Rep::new(0.0), |sum, x| sum + x) * 0.125;
            x.iter().windows::<8>().map(mean).write_to(y)
        })
    });
    let steps = compiled("state: a trading rule", || function("trade", trade));
    let texts = compiled("numbers of a text", || function("total", total));
    let clamped = compiled("branch: clamp", || {
        function("clamped", |x: In<[f64]>, y: Out<[f64]>| {
            x.iter().map(|x: Rep<f64>| if_(x.lt(0.0), || 0.0, || if_(x.gt(1.0), || 1.0, || x))).write_to(y)
        })
    });
    println!("{:<22} {:>9} {:>7} {:>22}", "kernel", "elements", "ratio", "plain, per element");
    for n in SIZES {
        let (a, b) = (numbers(n), numbers(n + 1));
        let mut y = vec![0.0; n];
        let mut z = vec![0.0; n];
        compare("dot", n, &mut || sink(black_box(dot.call(black_box(&a), &b).expect("no trap"))), &mut || {
            sink(black_box(black_box(&a).iter().zip(&b).map(|(x, y)| x * y).sum::<f64>()))
        });
        compare(
            "a·x + y",
            n,
            &mut || sink(black_box(axpy.call(0.5, black_box(&a), &mut y).expect("no trap"))),
            &mut || black_box(&a).iter().zip(&mut z).for_each(|(x, z)| *z += 0.5 * x),
        );
        compare(
            "filter, sqrt, sum",
            n,
            &mut || sink(black_box(roots.call(black_box(&a)).expect("no trap"))),
            &mut || sink(black_box(black_box(&a).iter().filter(|x| **x > 0.0).map(|x| x.sqrt()).sum::<f64>())),
        );
        compare(
            "mean and variance",
            n,
            &mut || sink(black_box(moments.call(black_box(&a)).expect("no trap"))),
            &mut || {
                let (sum, squares) = black_box(&a).iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
                let mean = sum / a.len() as f64;
                black_box((mean, squares / a.len() as f64 - mean * mean));
            },
        );
        let bytes: Vec<u8> = a.iter().map(|x| (x * 300.0) as i32 as u8).collect();
        let (mut bins, mut others) = (vec![0u32; 256], vec![0u32; 256]);
        compare("histogram", n, &mut || histogram.call(black_box(&bytes), &mut bins).expect("no trap"), &mut || {
            black_box(&bytes).iter().for_each(|&x| others[usize::from(x)] = others[usize::from(x)].wrapping_add(1))
        });
        let small: Vec<f32> = a.iter().map(|&x| x as f32).collect();
        let (mut means, mut others) = (vec![0.0f32; n], vec![0.0f32; n]);
        compare(
            "mean of 8 neighbours",
            n,
            &mut || sink(black_box(window.call(black_box(&small), &mut means).expect("no trap"))),
            &mut || {
                let windows = black_box(&small).windows(8);
                windows.zip(&mut others).for_each(|(w, y)| *y = w.iter().fold(0.0, |sum, x| sum + x) * 0.125);
            },
        );
        compare(
            "state: a trading rule",
            n,
            &mut || sink(black_box(steps.call(black_box(&a), 0.01).expect("no trap"))),
            &mut || sink(black_box(trade_plain(black_box(&a), 0.01))),
        );
        let text: Vec<u8> = bytes.iter().map(|b| if b % 7 == 0 { b' ' } else { b'0' + b % 10 }).collect();
        compare(
            "numbers of a text",
            n,
            &mut || sink(black_box(texts.call(black_box(&text)).expect("no trap"))),
            &mut || sink(black_box(total_plain(black_box(&text)))),
        );
        compare(
            "branch: clamp",
            n,
            &mut || sink(black_box(clamped.call(black_box(&a), &mut y).expect("no trap"))),
            &mut || {
                black_box(&a).iter().zip(&mut z).for_each(|(x, z)| *z = x.clamp(0.0, 1.0));
            },
        );
    }
}
