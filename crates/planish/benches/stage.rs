//! Staged functions over slices, against the same loops in Rust, and against `ndarray` and `rayon`, in one run. `cargo bench -p planish --bench stage`.
//!
//! Each row is the time of the staged function, or of the peer, over that of plain Rust (`rustc -O`; for any x86-64, unless `RUSTFLAGS` has `-C target-cpu=native`): the median of pairs of
//! samples that alternate, with the quartiles. The last columns are the time of plain Rust, and the number of elements from which on it pays to make the function for one call. `STAGE_SIZES=1000,100000000`
//! sets the numbers of elements. `STAGE_POLARS=python3` adds rows of Polars, on one thread and on all, by a Python that has it: in processes of their own, on numbers of the same distribution.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ndarray::{ArrayView1, ArrayViewMut1};
use planish::stage::{Compiled, Errors, Function, In, Out, Parallel, Params, Rep, Staged, function, if_, range, stage};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};

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

/// A function with the time that it took to make it, in seconds.
struct Made<F> {
    call: F,
    time: f64,
}

/// Compares two ways to do the same, at a size; `made`: the time that it takes to make the first.
fn compare(name: &str, n: usize, made: f64, work: &mut dyn FnMut(), plain: &mut dyn FnMut()) {
    work();
    plain();
    let pairs = if n > 10_000_000 { 5 } else { PAIRS };
    let mut pairs: Vec<(f64, f64)> = (0..pairs).map(|_| (sample(work), sample(plain))).collect();
    pairs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let ratio = |index: usize| pairs[index].0 / pairs[index].1;
    let (low, middle, high) = (ratio(pairs.len() / 4), ratio(pairs.len() / 2), ratio(pairs.len() * 3 / 4));
    let plain = pairs.iter().map(|pair| pair.1).fold(f64::INFINITY, f64::min) / n as f64;
    let gain = plain * (1.0 - middle);
    let pays = if made > 0.0 && gain > 0.0 { format!("{:.0}", made / gain) } else { "-".into() };
    println!("{name:<34} {n:>9} {middle:>7.2} ({low:.2}–{high:.2}) {:>9.3} ns {pays:>12}", plain * 1e9);
    for row in POLARS.get().into_iter().flatten().filter(|row| row.kernel == name && row.n == n) {
        println!("{:<34} {n:>9} {:>7.2}", format!("{name}: {}", row.peer), row.time / n as f64 / plain);
    }
}

/// A kernel in Polars: its seconds for a number of elements.
struct Row {
    peer: &'static str,
    kernel: String,
    n: usize,
    time: f64,
}

static POLARS: OnceLock<Vec<Row>> = OnceLock::new();

/// The kernels in Polars, by a Python that has it.
fn polars(python: &str, sizes: &[usize]) -> Vec<Row> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/stage_polars.py");
    let mut rows = Vec::new();
    for &n in sizes {
        for (peer, threads) in [("Polars", Some("1")), ("Polars, all threads", None)] {
            let mut command = Command::new(python);
            command.arg(&script).arg(n.to_string()).envs(threads.map(|threads| ("POLARS_MAX_THREADS", threads)));
            let output = command.output().unwrap_or_else(|error| panic!("{python}: {error}"));
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let lines = String::from_utf8(output.stdout).expect("text");
            rows.extend(lines.lines().map(|line| {
                let (time, name) = line.split_once(' ').expect("a time and a name");
                let (kernel, way) = name.split_once(" (").unwrap_or((name, ""));
                let peer = if way.is_empty() { peer } else { "Polars, `map_elements`" };
                Row { peer, kernel: kernel.to_owned(), n, time: time.parse().expect("seconds") }
            }));
        }
    }
    rows
}

/// The result of `make`, with the median of the times.
fn timed<F>(name: &str, make: impl Fn() -> F) -> Made<F> {
    let mut times: Vec<f64> = Vec::new();
    let mut last = None;
    for _ in 0..20 {
        let start = Instant::now();
        last = Some(make());
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let time = times[times.len() / 2];
    println!("{name:<34} made in {:.0} µs", time * 1e6);
    Made { call: last.expect("it was made"), time }
}

fn compiled<A: Params, R: Staged>(
    name: &str,
    make: impl Fn() -> Result<Function<A, R>, Errors>,
) -> Made<Compiled<A, R>> {
    timed(name, || make().expect("it is valid").compile().expect("it compiles"))
}

fn parallel<A: Params, R: Staged>(
    name: &str,
    make: impl Fn() -> Result<Function<A, R>, Errors>,
) -> Made<Parallel<A, R>> {
    let made = timed(name, || make().expect("it is valid").compile_parallel().expect("it compiles"));
    assert_eq!(made.call.refusal(), None);
    made
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

/// Sums in order and in another one, with peers.
fn sums(sizes: &[usize]) {
    let made = || function("dot", |a: In<[f64]>, b: In<[f64]>| a.iter().zip(b.iter()).map(|(x, y)| x * y).sum());
    let free = || {
        let dot = |a: In<[f64]>, b: In<[f64]>| a.iter().zip(b.iter()).map(|(x, y)| x * y).reassociate().sum();
        function("dot", dot)
    };
    let dot = compiled("dot", made);
    let dot_free = compiled("dot, reassociated", free);
    let dot_threads = parallel("dot, reassociated, on threads", free);
    let sum_free = compiled("sum, reassociated", || function("sum", |x: In<[f64]>| x.iter().reassociate().sum()));
    let roots = |x: In<[f64]>| x.iter().filter(|x| x.gt(0.0)).map(|x: Rep<f64>| x.sqrt());
    let roots_in_order = compiled("filter, sqrt, sum", || function("roots", move |x: In<[f64]>| roots(x).sum()));
    let roots_free = compiled("filter, sqrt, sum, reassociated", || {
        function("roots", move |x: In<[f64]>| roots(x).reassociate().sum())
    });
    let moments = compiled("mean and variance", || {
        function("moments", |x: In<[f64]>| {
            let (sum, squares) =
                x.iter().fold((0.0, 0.0), |(sum, squares): (Rep<f64>, Rep<f64>), x| (sum + x, squares + x * x));
            let n = x.len().as_::<f64>();
            (sum / n, squares / n - (sum / n) * (sum / n))
        })
    });
    for &n in sizes {
        let (a, b) = (numbers(n), numbers(n + 1));
        let mut plain = || sink(black_box(&a).iter().zip(&b).map(|(x, y)| x * y).sum::<f64>());
        compare("dot", n, dot.time, &mut || sink(dot.call.call(black_box(&a), &b).expect("no trap")), &mut plain);
        let mut call = || sink(dot_free.call.call(black_box(&a), &b).expect("no trap"));
        compare("dot, reassociated", n, dot_free.time, &mut call, &mut plain);
        let mut call = || sink(dot_threads.call.call(black_box(&a), &b).expect("no trap"));
        compare("dot, reassociated, on threads", n, dot_threads.time, &mut call, &mut plain);
        let (x, y) = (ArrayView1::from(&a[..]), ArrayView1::from(&b[..n]));
        compare("dot: ndarray", n, 0.0, &mut || sink(black_box(&x).dot(&y)), &mut plain);
        let mut by_rayon = || sink(black_box(&a).par_iter().zip(&b[..n]).map(|(x, y)| x * y).sum::<f64>());
        compare("dot: rayon", n, 0.0, &mut by_rayon, &mut plain);

        let mut plain = || sink(black_box(&a).iter().sum::<f64>());
        let mut call = || sink(sum_free.call.call(black_box(&a)).expect("no trap"));
        compare("sum, reassociated", n, sum_free.time, &mut call, &mut plain);
        compare("sum: ndarray", n, 0.0, &mut || sink(black_box(&x).sum()), &mut plain);

        let mut plain = || sink(black_box(&a).iter().filter(|x| **x > 0.0).map(|x| x.sqrt()).sum::<f64>());
        let mut call = || sink(roots_in_order.call.call(black_box(&a)).expect("no trap"));
        compare("filter, sqrt, sum", n, roots_in_order.time, &mut call, &mut plain);
        let mut call = || sink(roots_free.call.call(black_box(&a)).expect("no trap"));
        compare("filter, sqrt, sum, reassociated", n, roots_free.time, &mut call, &mut plain);
        let mut plain = || {
            let (sum, squares) = black_box(&a).iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
            let mean = sum / a.len() as f64;
            black_box((mean, squares / a.len() as f64 - mean * mean));
        };
        let mut call = || sink(moments.call.call(black_box(&a)).expect("no trap"));
        compare("mean and variance", n, moments.time, &mut call, &mut plain);
    }
}

/// Elements made of elements.
fn maps(sizes: &[usize]) {
    let made = || {
        let axpy =
            |a: Rep<f64>, x: In<[f64]>, y: Out<[f64]>| x.iter().zip(y.iter()).map(|(x, y)| a * x + y).write_to(y);
        function("axpy", axpy)
    };
    let axpy = compiled("a·x + y", made);
    let axpy_threads = parallel("a·x + y, on threads", made);
    let window = compiled("mean of 8 neighbours", || {
        function("window", |x: In<[f32]>, y: Out<[f32]>| {
            let mean = |w: [Rep<f32>; 8]| w.into_iter().fold(Rep::new(0.0), |sum, x| sum + x) * 0.125;
            x.iter().windows::<8>().map(mean).write_to(y)
        })
    });
    let clamped = compiled("branch: clamp", || {
        function("clamped", |x: In<[f64]>, y: Out<[f64]>| {
            x.iter().map(|x: Rep<f64>| if_(x.lt(0.0), || 0.0, || if_(x.gt(1.0), || 1.0, || x))).write_to(y)
        })
    });
    for &n in sizes {
        let a = numbers(n);
        let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
        let mut plain = || black_box(&a).iter().zip(&mut z).for_each(|(x, z)| *z += 0.5 * x);
        let mut call = || sink(axpy.call.call(0.5, black_box(&a), &mut y).expect("no trap"));
        compare("a·x + y", n, axpy.time, &mut call, &mut plain);
        let mut call = || sink(axpy_threads.call.call(0.5, black_box(&a), &mut y).expect("no trap"));
        compare("a·x + y, on threads", n, axpy_threads.time, &mut call, &mut plain);
        let mut by_ndarray = || {
            let (x, mut y) = (ArrayView1::from(black_box(&a[..])), ArrayViewMut1::from(&mut y[..]));
            y.scaled_add(0.5, &x);
        };
        compare("a·x + y: ndarray", n, 0.0, &mut by_ndarray, &mut plain);
        let mut by_rayon = || black_box(&a).par_iter().zip(y.par_iter_mut()).for_each(|(x, y)| *y += 0.5 * x);
        compare("a·x + y: rayon", n, 0.0, &mut by_rayon, &mut plain);
        let mut plain = || black_box(&a).iter().zip(&mut z).for_each(|(x, z)| *z = x.clamp(0.0, 1.0));
        let mut call = || sink(clamped.call.call(black_box(&a), &mut y).expect("no trap"));
        compare("branch: clamp", n, clamped.time, &mut call, &mut plain);
        drop((y, z));
        let small: Vec<f32> = a.iter().map(|&x| x as f32).collect();
        let (mut means, mut others) = (vec![0.0f32; n], vec![0.0f32; n]);
        let mut plain = || {
            let windows = black_box(&small).windows(8);
            windows.zip(&mut others).for_each(|(w, y)| *y = w.iter().fold(0.0, |sum, x| sum + x) * 0.125);
        };
        let mut call = || sink(window.call.call(black_box(&small), &mut means).expect("no trap"));
        compare("mean of 8 neighbours", n, window.time, &mut call, &mut plain);
    }
}

/// Elements at indices that are computed.
fn tables(sizes: &[usize]) {
    let histogram = compiled("histogram", || {
        function("histogram", |x: In<[u8]>, bins: Out<[u32]>| {
            x.iter().for_each(|x| bins.update(x, |n| n + 1));
        })
    });
    let look_up = compiled("y[i] = table[x[i]]", || {
        function("look_up", |x: In<[u32]>, table: In<[f64]>, y: Out<[f64]>| {
            x.iter().map(move |x| table.at(x)).write_to(y)
        })
    });
    let groups = compiled("group by, sum", || {
        function("groups", |key: In<[u32]>, x: In<[f64]>| {
            let rows = key.iter().zip(x.iter()).stream();
            rows.fold_by(|(key, _)| key, 0.0, |sum: Rep<f64>, (_, x)| sum + x).iter().map(|(_, sum)| sum).sum()
        })
    });
    let sparse = compiled("sparse matrix–vector", || {
        function("sparse", |ends: In<[u32]>, column: In<[u32]>, a: In<[f64]>, x: In<[f64]>, y: Out<[f64]>| {
            range(0, ends.len() - 1)
                .map(move |row| {
                    let first = ends.at(row);
                    let row = range(first, ends.at(row + 1));
                    row.map(|k| a.at(k) * x.at(column.at(k))).sum()
                })
                .write_to(y)
        })
    });
    for &n in sizes.iter().filter(|&&n| n <= 10_000_000) {
        let a = numbers(n);
        let bytes: Vec<u8> = a.iter().map(|x| (x * 300.0) as i32 as u8).collect();
        let (mut bins, mut others) = (vec![0u32; 256], vec![0u32; 256]);
        let mut plain =
            || black_box(&bytes).iter().for_each(|&x| others[usize::from(x)] = others[usize::from(x)].wrapping_add(1));
        let mut call = || histogram.call.call(black_box(&bytes), &mut bins).expect("no trap");
        compare("histogram", n, histogram.time, &mut call, &mut plain);
        let index = |count: u32| -> Vec<u32> { (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) % count).collect() };
        let (table, x) = (numbers(1000), index(1000));
        let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
        let mut plain = || black_box(&x).iter().zip(&mut z).for_each(|(&x, z)| *z = table[x as usize]);
        let mut call = || sink(look_up.call.call(black_box(&x), &table, &mut y).expect("no trap"));
        compare("y[i] = table[x[i]]", n, look_up.time, &mut call, &mut plain);
        for count in [100, 1_000_000] {
            let keys = index(count);
            let mut plain = || {
                let mut sums: HashMap<u32, f64> = HashMap::new();
                black_box(&keys).iter().zip(&a).for_each(|(&key, x)| *sums.entry(key).or_insert(0.0) += x);
                sink(sums.values().sum::<f64>());
            };
            let mut call = || sink(groups.call.call(black_box(&keys), &a).expect("no trap"));
            compare(&format!("group by {count} keys, sum"), n, groups.time, &mut call, &mut plain);
        }
        // Ten numbers a row.
        let rows = (n / 10).max(1);
        let ends: Vec<u32> = (0..=rows as u32).map(|row| row * (n / rows) as u32).collect();
        let columns = index(rows as u32);
        let vector = numbers(rows);
        let mut plain = || {
            for ((row, y), _) in black_box(&ends).windows(2).zip(&mut z).zip(0..rows) {
                let of_row = row[0] as usize..row[1] as usize;
                *y = columns[of_row.clone()]
                    .iter()
                    .zip(&a[of_row])
                    .map(|(&column, a)| a * vector[column as usize])
                    .sum();
            }
        };
        let mut call = || sink(sparse.call.call(black_box(&ends), &columns, &a, &vector, &mut y).expect("no trap"));
        compare("sparse matrix–vector", n, sparse.time, &mut call, &mut plain);
    }
}

/// A state that each element changes.
fn states(sizes: &[usize]) {
    let steps = compiled("state: a trading rule", || function("trade", trade));
    let texts = compiled("numbers of a text", || function("total", total));
    for &n in sizes.iter().filter(|&&n| n <= 10_000_000) {
        let a = numbers(n);
        let mut plain = || sink(trade_plain(black_box(&a), 0.01));
        let mut call = || sink(steps.call.call(black_box(&a), 0.01).expect("no trap"));
        compare("state: a trading rule", n, steps.time, &mut call, &mut plain);
        let bytes = a.iter().map(|x| (x * 300.0) as i32 as u8);
        let text: Vec<u8> = bytes.map(|b| if b % 7 == 0 { b' ' } else { b'0' + b % 10 }).collect();
        let mut plain = || sink(total_plain(black_box(&text)));
        let mut call = || sink(texts.call.call(black_box(&text)).expect("no trap"));
        compare("numbers of a text", n, texts.time, &mut call, &mut plain);
    }
}

fn main() {
    let sizes = std::env::var("STAGE_SIZES").unwrap_or_else(|_| "1000,100000,10000000".into());
    let sizes: Vec<usize> = sizes.split(',').map(|size| size.parse().expect("a number of elements")).collect();
    println!(
        "{} threads; {:<23} {:>9} {:>7} {:>22} {:>12}",
        rayon::current_num_threads(),
        "kernel",
        "elements",
        "ratio",
        "plain, per element",
        "pays from"
    );
    if let Ok(python) = std::env::var("STAGE_POLARS") {
        POLARS.get_or_init(|| polars(&python, &sizes));
    }
    sums(&sizes);
    maps(&sizes);
    tables(&sizes);
    states(&sizes);
}
