//! Functions of staged Rust on several threads compute the same bits as on one.

use planish::stage::{Errors, Function, In, Out, Parallel, Params, Rep, Staged, function, list, stage};
use planish::vm::{Config, Engine, Strategy};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Lengths: none, one chunk, a little more, and several chunks with a rest.
const SIZES: [usize; 7] = [0, 1, 9, 1 << 15, (1 << 15) + 1, (1 << 16) - 1, 200_003];

fn pools() -> Vec<ThreadPool> {
    [1, 2, 4].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("there are threads")).into()
}

/// A function on each engine.
type OnEngines<A, R> = [Parallel<A, R>; 2];
/// One that reads a slice and writes another.
type OfSlices = OnEngines<(In<[f64]>, Out<[f64]>), Rep<f64>>;

fn parallel<A: Params, R: Staged>(made: Result<Function<A, R>, Errors>) -> OnEngines<A, R> {
    let made = made.unwrap_or_else(|errors| panic!("{errors}"));
    [Strategy::Native, Strategy::Vm].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        made.compile_parallel_on(&engine).unwrap_or_else(|errors| panic!("{errors}"))
    })
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n as i64).map(|i| ((i * 7919) % 1000 - 400) as f64 * 1.1f64.powi((i % 60) as i32)).collect()
}

#[test]
fn elements_and_exact_sums_are_those_of_one_thread() {
    let made = || {
        function("both", |a: Rep<f64>, x: In<[f64]>, y: Out<[f64]>| {
            let count = x.iter().zip(y.iter()).enumerate().fold(7u32, |count: Rep<u32>, (i, (x, old))| {
                y.set(i, a * x + old);
                count + x.gt(0.0).as_::<u32>() * i
            });
            count + x.len()
        })
    };
    let alone = made().expect("it is valid").compile().expect("it compiles");
    for f in parallel(made()) {
        assert_eq!(f.refusal(), None);
        for n in SIZES {
            let x = numbers(n);
            let mut expected = vec![0.5; n];
            let count = alone.call(3.0, &x, &mut expected).expect("no trap");
            for pool in pools() {
                // (What is behind stays as it was.)
                let mut y = vec![0.5; n + 3];
                assert_eq!(pool.install(|| f.call(3.0, &x, &mut y[..n])).expect("no trap"), count);
                assert!(y[..n].iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{n}");
                assert_eq!(y[n..], [0.5; 3]);
            }
        }
    }
}

#[test]
fn the_bits_of_sums_do_not_depend_on_the_threads() {
    let made = || function("sum", |x: In<[f64]>| x.iter().reassociate().sum());
    for f in parallel(made()) {
        assert_eq!(f.refusal(), None);
        for n in SIZES {
            let x = numbers(n);
            let sums: Vec<u64> =
                pools().iter().map(|pool| pool.install(|| f.call(&x)).expect("no trap").to_bits()).collect();
            assert_eq!(sums, [sums[0]; 3], "{n}");
            let in_order: f64 = x.iter().sum();
            let size: f64 = x.iter().map(|x| x.abs()).sum();
            assert!((f64::from_bits(sums[0]) - in_order).abs() <= 1e-12 * size, "{n}");
        }
    }
}

/// `y[i + 2] = table[x[i]]`, and the least index.
#[stage]
fn looked_up(x: In<[u32]>, table: In<[u16]>, y: Out<[u16]>) -> Rep<u32> {
    let mut least = Rep::new(u32::MAX);
    for i in 0..x.len() {
        let at = x.at(i);
        y.set(i + 2, table.at(at));
        least = least.min(at);
    }
    least
}

#[test]
fn traps_are_those_of_the_first_iteration_that_has_one() {
    for f in parallel(function("looked_up", looked_up)) {
        assert_eq!(f.refusal(), None);
        let table: Vec<u16> = (0..1000).map(|i| i * 3).collect();
        let n = 150_000;
        let x: Vec<u32> = (0..n as u32).map(|i| i * 17 % 999 + 1).collect();
        for pool in pools() {
            let mut y = vec![9; n + 2];
            assert_eq!(pool.install(|| f.call(&x, &table, &mut y)).expect("no trap"), 1);
            assert!(y[..2] == [9, 9] && y[2..].iter().zip(&x).all(|(&y, &x)| y == table[x as usize]));
            // An index beyond the end, in one chunk or in two.
            for bad in [0, 40_000, n - 1] {
                let mut wrong = x.clone();
                (wrong[bad], wrong[n - 1]) = (1000, 1000);
                let mut y = vec![9; n + 2];
                let stopped = pool.install(|| f.call(&wrong, &table, &mut y)).expect_err("it traps");
                assert!(stopped.to_string().contains("stage_parallel.rs"), "{stopped}");
                let before = y[2..2 + bad].iter().zip(&x);
                assert!(before.clone().all(|(&y, &x)| y == table[x as usize]), "{bad}");
                assert_eq!(y[2 + bad], 9);
            }
            // A slice that is too short is written as far as it goes, by one thread.
            let mut short = vec![9; n / 2];
            let stopped = pool.install(|| f.call(&x, &table, &mut short)).expect_err("it traps");
            assert!(stopped.to_string().contains("out of bounds"), "{stopped}");
            assert!(short[2..].iter().zip(&x).all(|(&y, &x)| y == table[x as usize]));
            assert!(pool.install(|| f.call(&x, &table, &mut [])).is_err());
        }
    }
}

#[test]
fn what_cannot_be_shared_runs_on_one_thread() {
    let refused = |f: OfSlices, reason: &str| {
        for f in f {
            assert!(f.refusal().is_some_and(|why| why.contains(reason)), "{:?}", f.refusal());
            let x = numbers(100_000);
            let mut y = vec![0.0; x.len()];
            f.call(&x, &mut y).expect("no trap");
        }
    };
    let sum = |x: In<[f64]>, _: Out<[f64]>| x.iter().sum();
    refused(parallel(function("sum", sum)), "an iteration needs a result of the one before");
    let first = |x: In<[f64]>, y: Out<[f64]>| {
        y.set(0, 1.0);
        x.iter().reassociate().sum() + y.at(0)
    };
    refused(parallel(function("first", first)), "something before the loop has an effect");
    let none = |_: In<[f64]>, y: Out<[f64]>| y.len().as_::<f64>();
    refused(parallel(function("none", none)), "it has no loop");
    let listed =
        |x: In<[f64]>, _: Out<[f64]>| list(x.len(), |i| i).iter().rev().fold(0.0, |a: Rep<f64>, i| a * 0.5 + x.at(i));
    let [f, _] = parallel(function("listed", listed));
    assert!(f.refusal().is_some());
}

/// After the loop: a second one, which needs the result of the first and reads what it wrote.
#[test]
fn what_follows_the_loop_runs_once() {
    let made = || {
        function("normalized", |x: In<[f64]>, y: Out<[f64]>, z: Out<[f64]>| {
            x.iter().map(|x| x * 2.0).write_to(y);
            let norm = y.iter().fold(0.0, |norm: Rep<f64>, y| norm * 0.5 + y);
            z.set(0, norm);
            norm
        })
    };
    let alone = made().expect("it is valid").compile().expect("it compiles");
    for f in parallel(made()) {
        for n in [10, 100_000] {
            let x = numbers(n);
            let (mut y, mut z) = ([vec![0.0; n], vec![0.0; n]], [[0.0], [0.0]]);
            let [one, several] = &mut y;
            let expected = alone.call(&x, one, &mut z[0]).expect("no trap");
            assert_eq!(f.call(&x, several, &mut z[1]).expect("no trap").to_bits(), expected.to_bits());
            assert_eq!((&y[0], z[0]), (&y[1], z[1]));
        }
    }
}
