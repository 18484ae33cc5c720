//! Grids of staged Rust: on the evaluator, after each pass, on the virtual machine, as machine code and as WebAssembly they are what plain
//! Rust computes.

use planish::Optimizer;
use planish::ir::entity::Memory;
use planish::ir::module::Module;
use planish::ir::text::print;
use planish::stage::{
    Boundary, Compiled, Enum, Errors, Function, Grid, In, Out, Params, Rep, Staged, function, matmul, range, select,
};
use planish::vm::{Config, Engine, Strategy, Val};
use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_generate::Choices;
use planish_testkit::seeds;

use crate::stage_slices::targets::Wasm;

type Number = Rep<i64>;

fn made<A: Params, R: Staged>(function: Result<Function<A, R>, Errors>) -> Function<A, R> {
    function.unwrap_or_else(|errors| panic!("{errors}"))
}

fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}\n{}", function.ir()))
    })
}

/// Rows of a matrix.
fn rows<T: Clone>(data: &[T], columns: usize) -> Vec<Vec<T>> {
    data.chunks(columns.max(1)).map(<[T]>::to_vec).collect()
}

#[test]
fn matrices() {
    let f = made(function(
        "f",
        |n: Rep<u32>, m: Rep<u32>, a: In<[f64]>, b: In<[f64]>, product: Out<[f64]>, sums: Out<[f64]>| {
            let (a, b) = (a.iter().grid([n, m]), b.iter().grid([m, n]));
            matmul(a.clone(), b.clone()).write_to(product);
            let of_rows = a.clone().sum_axis(1);
            let of_columns = a.clone().sum_axis(0);
            let both = a.zip(b.transpose()).map(|(a, b)| a - b).sum();
            of_rows.stream().chain(of_columns.stream()).write_to(sums);
            both
        },
    ));
    for compiled in on_engines(&f) {
        for (n, m) in [(0, 0), (1, 1), (2, 3), (7, 4), (8, 9)] {
            let a: Vec<f64> = (0..n * m).map(|i| (i as f64).sin()).collect();
            let b: Vec<f64> = (0..n * m).map(|i| (i as f64 * 0.7).cos()).collect();
            let (mut product, mut sums) = (vec![0.0; n * n], vec![0.0; n + m]);
            let both = compiled.call(n as u32, m as u32, &a, &b, &mut product, &mut sums).expect("it does not trap");
            let at = |i: usize, j: usize| (0..m).fold(-0.0, |sum, k| sum + a[i * m + k] * b[k * n + j]);
            let expected: Vec<f64> = (0..n * n).map(|ij| at(ij / n, ij % n)).collect();
            assert_eq!(product, expected);
            let of_rows = (0..n).map(|i| (0..m).fold(-0.0, |sum, j| sum + a[i * m + j]));
            let of_columns = (0..m).map(|j| (0..n).fold(-0.0, |sum, i| sum + a[i * m + j]));
            assert_eq!(sums, of_rows.chain(of_columns).collect::<Vec<f64>>());
            let plain = (0..n * m).fold(-0.0, |sum, at| sum + (a[at] - b[at % m * n + at / m]));
            assert_eq!(both.to_bits(), plain.to_bits());
        }
    }
    // A wrong shape stops, before anything is written.
    let compiled = f.compile().expect("it compiles");
    let stopped = compiled.call(2, 2, &[1.0; 4], &[1.0; 5], &mut [0.0; 4], &mut [0.0; 4]).unwrap_err().to_string();
    assert!(stopped.contains("out of bounds") && stopped.contains("stage_grids.rs"), "{stopped}");
}

#[test]
fn three_dimensions() {
    let f = made(function("f", |x: In<[i64]>, shape: [Rep<u32>; 3], out: Out<[i64]>| {
        let grid = x.iter().grid(shape);
        let folded = grid.clone().permute([2, 0, 1]).fold_axis(1, 1i64, |state: Number, x| state * 3 + x);
        let layers = grid.layers(2).map(|layer| layer.row(0).stream().max(i64::MIN));
        folded.stream().chain(layers.stream()).write_to(out)
    }));
    for compiled in on_engines(&f) {
        for [a, b, c] in [[2, 3, 4], [1, 1, 1], [3, 2, 5], [2, 1, 0]] {
            let x: Vec<i64> = (0..a * b * c).map(|i| i64::from(i * 7 % 11)).collect();
            let at = |i: u32, j: u32, k: u32| x[((i * b + j) * c + k) as usize];
            let mut expected = Vec::new();
            for k in 0..c {
                for j in 0..b {
                    expected.push((0..a).fold(1, |state, i| state * 3 + at(i, j, k)));
                }
            }
            expected.extend((0..c).map(|k| (0..b).map(|j| at(0, j, k)).max().expect("one at least")));
            let mut out = vec![0; expected.len()];
            let count = compiled.call(&x, [a, b, c], &mut out).expect("it does not trap");
            assert_eq!((count as usize, out), (expected.len(), expected));
        }
    }
}

#[test]
fn boundaries() {
    for (number, boundary) in [Boundary::Clamp, Boundary::Wrap, Boundary::Constant(100i64)].into_iter().enumerate() {
        let f = made(function("f", |x: In<[i64]>, n: Rep<u32>, m: Rep<u32>, out: Out<[i64]>| {
            let near = |near: planish::stage::Neighbours<'_, Number, 2>| {
                near.at([-2, 0]) + near.at([0, -1]) * 10 + near.at([0, 0]) * 100 + near.at([1, 1]) * 1000
            };
            x.iter().grid([n, m]).stencil(boundary.map(Rep::new), [2, 1], near).map(|x| x + 1).write_to(out)
        }));
        for compiled in on_engines(&f) {
            for (n, m) in [(1, 1), (1, 5), (2, 2), (3, 4), (5, 3), (6, 9), (0, 3)] {
                let x: Vec<i64> = (0..n * m).map(|i| i % 7 + 1).collect();
                let at = |i: i64, j: i64| match number {
                    0 => x[(i.clamp(0, n - 1) * m + j.clamp(0, m - 1)) as usize],
                    1 => x[(i.rem_euclid(n) * m + j.rem_euclid(m)) as usize],
                    _ if (0..n).contains(&i) && (0..m).contains(&j) => x[(i * m + j) as usize],
                    _ => 100,
                };
                let expected: Vec<i64> = (0..n * m)
                    .map(|at_| (at_ / m, at_ % m))
                    .map(|(i, j)| at(i - 2, j) + at(i, j - 1) * 10 + at(i, j) * 100 + at(i + 1, j + 1) * 1000 + 1)
                    .collect();
                let mut out = vec![0; x.len()];
                compiled.call(&x, n as u32, m as u32, &mut out).expect("it does not trap");
                assert_eq!(out, expected, "{boundary:?} {n} {m}");
            }
        }
    }
}

/// The inner loops of what has no border, and of the inner part of a stencil, run several iterations at once.
#[test]
fn inner_loops_are_vectorized() {
    let blur = made(function("blur", |x: In<[f32]>, n: Rep<u32>, m: Rep<u32>, out: Out<[f32]>| {
        let near =
            |near: planish::stage::Neighbours<'_, Rep<f32>, 2>| near.at([0, -1]) + near.at([0, 1]) + near.at([1, 0]);
        x.iter().grid([n, m]).stencil(Boundary::Clamp, [1, 1], near).write_to(out)
    }));
    let scale = made(function("scale", |x: In<[f32]>, n: Rep<u32>, m: Rep<u32>, out: Out<[f32]>| {
        x.iter().grid([n, m]).map(|x| x * 2.0).write_to(out)
    }));
    for f in [&blur, &scale] {
        let mut optimizer = Optimizer::level("2").expect("a level");
        optimizer.options.vectorize = true;
        let context = optimizer.run(&mut f.module().clone(), &mut |_, _| {});
        let remarks: Vec<_> = context.remarks.iter().map(|remark| (remark.name, &*remark.message)).collect();
        assert!(remarks.iter().any(|(name, _)| *name == "Vectorized"), "{remarks:?}\n{}", print(&f.optimized()));
    }
    for compiled in on_engines(&blur) {
        let (n, m) = (5usize, 37usize);
        let x: Vec<f32> = (0..n * m).map(|i| (i * 13 % 17) as f32 * 0.25).collect();
        let mut out = vec![0.0; n * m];
        compiled.call(&x, n as u32, m as u32, &mut out).expect("it does not trap");
        for (i, j) in (0..n * m).map(|at| (at / m, at % m)) {
            let at = |i: usize, j: usize| x[i.min(n - 1) * m + j.min(m - 1)];
            assert_eq!(out[i * m + j], at(i, j.saturating_sub(1)) + at(i, j + 1) + at(i + 1, j), "{i} {j}");
        }
    }
}

// Methods of sequences and lists

#[test]
fn keys_groups_and_searches() {
    let f = made(function("f", |x: In<[i64]>, wanted: Rep<i64>, out: Out<[i64]>| {
        let sorted = x.iter().collect().sorted_by_key(|x| x & 7);
        let groups = x.iter().stream().group_by(|x| x & 3).collect();
        let sums = groups.iter().map(|(key, group)| key * 1000 + group.sum());
        let least = x.iter().stream().min_by_key(-1i64, |x| x & 15);
        let greatest = x.iter().stream().max_by_key(-1i64, |x| x & 15);
        let found = x.iter().stream().find(-5i64, move |x| x.gt(wanted));
        let place = x.iter().collect().sorted().iter().binary_search(wanted);
        let place = place.match_(|place| match place {
            Ok(index) => index.as_::<i64>(),
            Err(index) => -1 - index.as_::<i64>(),
        });
        let windows = x.iter().windows_of(3).map(|window| window.sum()).sum();
        let some = range(0, 6).map(move |i| {
            [(0, least), (1, greatest), (2, found), (3, place), (4, windows)]
                .into_iter()
                .fold(Rep::new(7i64), |rest, (number, value)| select(i.eq(number), value, rest))
        });
        sorted.iter().stream().chain(sums.stream()).chain(some.stream()).write_to(out)
    }));
    for compiled in on_engines(&f) {
        for size in [0, 1, 2, 3, 7, 40] {
            let x: Vec<i64> = (0..size).map(|i| i * 37 % 61 - 20).collect();
            for wanted in [-100, -20, 5, 17, 100] {
                let mut expected = x.clone();
                expected.sort_by_key(|x| x & 7);
                let mut keys = Vec::new();
                x.iter().map(|x| x & 3).for_each(|key| {
                    if !keys.contains(&key) {
                        keys.push(key)
                    }
                });
                expected.extend(keys.iter().map(|k| k * 1000 + x.iter().filter(|x| *x & 3 == *k).sum::<i64>()));
                expected.push(x.iter().copied().min_by_key(|x| x & 15).unwrap_or(-1));
                expected.push(x.iter().copied().max_by_key(|x| x & 15).unwrap_or(-1));
                expected.push(x.iter().copied().find(|x| *x > wanted).unwrap_or(-5));
                let mut sorted = x.clone();
                sorted.sort_unstable();
                expected.push(sorted.binary_search(&wanted).map_or_else(|at| -1 - at as i64, |at| at as i64));
                expected.push(x.windows(3).map(|window| window.iter().sum::<i64>()).sum());
                expected.push(7);
                let mut out = vec![0; expected.len()];
                compiled.call(&x, wanted, &mut out).expect("it does not trap");
                assert_eq!(out, expected, "{x:?} {wanted}");
            }
        }
    }
    let none = made(function("none", |x: In<[f64]>, y: Rep<f64>| -> Enum<Result<Rep<u32>, Rep<u32>>> {
        x.iter().binary_search(y)
    }));
    for compiled in on_engines(&none) {
        let x = [-1.0, -0.0, 0.0, f64::NAN];
        for y in [-2.0, -0.0, 0.0, 0.5, f64::NAN] {
            assert_eq!(compiled.call(&x, y).expect("it does not trap"), {
                let index = |at: usize| at as u32;
                x.binary_search_by(|x| x.total_cmp(&y)).map(index).map_err(index)
            });
        }
    }
}

#[test]
fn a_reduction_of_each_group_is_one_loop_over_the_elements() {
    let f = made(function("f", |key: In<[u32]>, x: In<[f64]>, out: Out<[f64]>| {
        let groups = key.iter().zip(x.iter()).stream().group_by(|(key, _)| key);
        groups.fold(0.0, |sum: Rep<f64>, (_, x)| sum + x).values.iter().write_to(out)
    }));
    let text = print(&f.optimized());
    assert_eq!(text.matches("memory_load[memory0").count(), 1, "{text}");
    assert_eq!(text.matches("memory_load[memory1").count(), 1, "{text}");
}

// Random pipelines of grids

#[derive(Clone, Debug)]
enum Step {
    Transpose,
    Flip(usize),
    Slice,
    Every([u32; 2]),
    Multiply(i64),
    AddIndex,
    /// With itself, flipped along an axis.
    ZipFlipped(usize),
    Stencil(Boundary<i64>, [i32; 2]),
    Windows,
    Collect,
    /// Each row becomes its running sum.
    RowSums,
}

fn steps(choices: &mut Choices) -> Vec<Step> {
    (0..choices.below(5))
        .map(|_| match choices.below(12) {
            0 => Step::Transpose,
            1 => Step::Flip(choices.below(2)),
            2 => Step::Slice,
            3 => Step::Every([choices.below(3) as u32 + 1, choices.below(2) as u32 + 1]),
            4 => Step::Multiply(choices.below(9) as i64 - 4),
            5 => Step::AddIndex,
            6 => Step::ZipFlipped(choices.below(2)),
            7 | 8 => {
                let boundary = match choices.below(3) {
                    0 => Boundary::Clamp,
                    1 => Boundary::Wrap,
                    _ => Boundary::Constant(i64::MIN),
                };
                Step::Stencil(boundary, [0, 1].map(|_| choices.below(5) as i32 - 2))
            }
            9 => Step::Windows,
            10 => Step::Collect,
            _ => Step::RowSums,
        })
        .collect()
}

fn staged<'g>(grid: Grid<'g, Number, 2>, steps: &[Step]) -> Grid<'g, Number, 2> {
    steps.iter().fold(grid, |grid, step| match *step {
        Step::Transpose => grid.transpose(),
        Step::Flip(axis) => grid.flip(axis),
        Step::Slice => {
            let shape = grid.shape();
            grid.slice(shape.map(|n| n / 3), shape.map(|n| n - n / 3 - n / 4))
        }
        Step::Every(steps) => grid.step_by(steps),
        Step::Multiply(n) => grid.map(move |x| x * n),
        Step::AddIndex => grid.enumerate().map(|([i, j], x)| x + i.as_::<i64>() * 10 - j.as_::<i64>()),
        Step::ZipFlipped(axis) => grid.clone().zip(grid.flip(axis)).map(|(a, b)| a * 3 - b),
        Step::Stencil(boundary, offset) => {
            let radius = offset.map(i32::unsigned_abs);
            grid.stencil(boundary.map(Rep::new), radius, move |near| near.at([0, 0]) * 5 + near.at(offset))
        }
        Step::Windows => grid.windows::<2, 3>().map(|[[a, b, c], [d, e, f]]| a - b + c * 2 + d - e * 3 + f),
        Step::Collect => grid.collect(),
        Step::RowSums => {
            let shape = grid.shape();
            Grid::new(shape, move |[i, j]| grid.row(i).take(j + 1).sum())
        }
    })
}

type Plain = ([usize; 2], Vec<i64>);

fn from_fn(shape: [usize; 2], at: impl Fn(usize, usize) -> i64) -> Plain {
    let [n, m] = shape;
    (shape, (0..n * m).map(|index| at(index / m, index % m)).collect())
}

fn plain(grid: Plain, steps: &[Step]) -> Plain {
    steps.iter().fold(grid, |(shape, data), step| {
        let [n, m] = shape;
        let at = |i: usize, j: usize| data[i * m + j];
        match *step {
            Step::Transpose => from_fn([m, n], |i, j| at(j, i)),
            Step::Flip(0) => from_fn(shape, |i, j| at(n - 1 - i, j)),
            Step::Flip(_) => from_fn(shape, |i, j| at(i, m - 1 - j)),
            Step::Slice => from_fn(shape.map(|n| n - n / 3 - n / 4), |i, j| at(i + n / 3, j + m / 3)),
            Step::Every([a, b]) => {
                let (a, b) = (a as usize, b as usize);
                from_fn([n.div_ceil(a), m.div_ceil(b)], |i, j| at(i * a, j * b))
            }
            Step::Multiply(by) => from_fn(shape, |i, j| at(i, j).wrapping_mul(by)),
            Step::AddIndex => from_fn(shape, |i, j| at(i, j).wrapping_add(i as i64 * 10 - j as i64)),
            Step::ZipFlipped(axis) => from_fn(shape, |i, j| {
                let other = if axis == 0 { at(n - 1 - i, j) } else { at(i, m - 1 - j) };
                at(i, j).wrapping_mul(3).wrapping_sub(other)
            }),
            Step::Stencil(boundary, [y, x]) => from_fn(shape, |i, j| {
                let (i2, j2) = (i as i64 + i64::from(y), j as i64 + i64::from(x));
                let (rows, columns) = (n as i64, m as i64);
                let near = match boundary {
                    Boundary::Clamp => at(i2.clamp(0, rows - 1) as usize, j2.clamp(0, columns - 1) as usize),
                    Boundary::Wrap => at(i2.rem_euclid(rows) as usize, j2.rem_euclid(columns) as usize),
                    Boundary::Constant(_) if (0..rows).contains(&i2) && (0..columns).contains(&j2) => {
                        at(i2 as usize, j2 as usize)
                    }
                    Boundary::Constant(value) => value,
                };
                at(i, j).wrapping_mul(5).wrapping_add(near)
            }),
            Step::Windows => from_fn([n.saturating_sub(1), m.saturating_sub(2)], |i, j| {
                let [a, b, c, d, e, f] =
                    [at(i, j), at(i, j + 1), at(i, j + 2), at(i + 1, j), at(i + 1, j + 1), at(i + 1, j + 2)];
                let first = a.wrapping_sub(b).wrapping_add(c.wrapping_mul(2));
                first.wrapping_add(d).wrapping_sub(e.wrapping_mul(3)).wrapping_add(f)
            }),
            Step::Collect => (shape, data),
            Step::RowSums => from_fn(shape, |i, j| (0..=j).fold(0i64, |sum, j| sum.wrapping_add(at(i, j)))),
        }
    })
}

fn digest(list: impl IntoIterator<Item = i64>) -> i64 {
    list.into_iter().fold(7, |hash: i64, x| hash.wrapping_mul(31).wrapping_add(x))
}

/// Result and output of a program on the evaluator.
fn evaluated(module: &Module, x: &[i64], [n, m]: [usize; 2], out: usize) -> (Vec<u64>, Vec<i64>) {
    let mut evaluator = Evaluator::new(module, Limits { steps: 1 << 32, ..Limits::default() }).expect("it starts");
    let mut put = |index: u32, data: &[i64]| {
        *evaluator.memory_mut(Memory::from_u32(index)).expect("the slice's") =
            data.iter().flat_map(|x| x.to_le_bytes()).collect();
    };
    put(0, x);
    put(1, &vec![0; out]);
    let args = [x.len(), n, m, out].map(|x| EvalValue::u32(x as u32));
    let results = match evaluator.call(module.entry_points[0].func, &args) {
        Ok(results) => results.iter().map(|result| result.bits[0]).collect(),
        Err(Stop::Trap { kind, .. }) => panic!("{kind:?}\n{}", print(module)),
        Err(stop) => panic!("{stop:?}"),
    };
    let bytes = evaluator.memory(Memory::from_u32(1)).expect("the slice's");
    (results, bytes.chunks(8).map(|bytes| i64::from_le_bytes(bytes.try_into().expect("eight"))).collect())
}

/// A program after each pass that changes it.
pub(crate) fn after_each_pass(module: &Module) -> Vec<Module> {
    let (mut last, mut all) = (print(module), Vec::new());
    Optimizer::level("2").expect("a level").run(&mut module.clone(), &mut |_, module| {
        let now = print(module);
        if now != last {
            last = now;
            all.push(module.clone());
        }
    });
    all
}

#[test]
fn random_pipelines_are_those_of_plain_rust() {
    for seed in seeds(0..40) {
        let steps = steps(&mut Choices::from_seed(seed));
        let f = made(function("grids", |x: In<[i64]>, n: Rep<u32>, m: Rep<u32>, out: Out<[i64]>| {
            let grid = staged(x.iter().grid([n, m]), &steps);
            let hash = grid.clone().fold(7i64, |hash: Number, x| hash * 31 + x);
            (hash, grid.write_to(out))
        }));
        let (first, passes) = (f.module().clone(), after_each_pass(f.module()));
        let compiled = on_engines(&f);
        let mut wasm = (seed % 8 == 0).then(|| Wasm::all(&f, &[Val::I64(0), Val::I32(0)]));
        for [n, m] in [[0, 0], [0, 5], [1, 1], [3, 4], [7, 8], [9, 1], [8, 9], [20, 50]] {
            let x: Vec<i64> = (0..(n * m) as i64).map(|i| (i * 37 + seed as i64) % 61 - 20).collect();
            let (_, expected) = plain(([n, m], x.clone()), &steps);
            let (hash, count) = (digest(expected.iter().copied()), expected.len());
            let what = || format!("seed {seed}, {n} by {m}: {steps:?}");
            for compiled in &compiled {
                let mut out = vec![0; count];
                let result = compiled.call(&x, n as u32, m as u32, &mut out);
                assert_eq!(result.expect("it does not trap"), (hash, count as u32), "{compiled:?}: {}", what());
                assert_eq!(out, expected, "{}", what());
            }
            for module in passes.iter().chain([&first]).filter(|_| n * m < 20) {
                let result = evaluated(module, &x, [n, m], count);
                assert_eq!(
                    result,
                    (vec![hash as u64, count as u64], expected.clone()),
                    "{}\n{}",
                    what(),
                    print(module)
                );
            }
            for wasm in wasm.iter_mut().flatten() {
                let at = x.len() * 8 + 64;
                let memory = wasm.memory.data_mut(&mut wasm.store);
                memory[..x.len() * 8].copy_from_slice(&x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
                let args = [0, x.len(), n, m, at, count].map(|x| Val::I32(x as i32));
                assert_eq!(wasm.call(&args).expect("it does not trap"), [hash, count as i64], "{}", what());
                let bytes = &wasm.memory.data(&wasm.store)[at..at + count * 8];
                let out: Vec<i64> = bytes.chunks(8).map(|b| i64::from_le_bytes(b.try_into().expect("eight"))).collect();
                assert_eq!(out, expected, "{}", what());
            }
        }
    }
}

/// Floats keep their bits in grids: NaN, zeros of both signs, infinities; the order of sums is that of plain Rust.
#[test]
fn floats_of_grids() {
    let f = made(function("f", |x: In<[f64]>, n: Rep<u32>, m: Rep<u32>, out: Out<[f64]>| {
        let grid = x.iter().grid([n, m]);
        let total = grid.clone().sum();
        grid.stencil(Boundary::Constant(Rep::new(-0.0)), [0, 1], |near| near.at([0, -1]) + near.at([0, 1]))
            .transpose()
            .write_to(out);
        total
    }));
    let special = [f64::NAN, -0.0, 0.0, f64::INFINITY, -1e308, 5e-324, 1.5];
    for compiled in on_engines(&f) {
        for (n, m) in [(1, 1), (2, 7), (9, 8)] {
            let x: Vec<f64> = (0..n * m).map(|i| special[i * 3 % special.len()]).collect();
            let mut out = vec![0.0; n * m];
            let total = compiled.call(&x, n as u32, m as u32, &mut out).expect("it does not trap");
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(same(total, x.iter().fold(-0.0, |sum, x| sum + x)));
            let all = rows(&x, m);
            for (i, j) in (0..n * m).map(|at| (at / m, at % m)) {
                let near = |j: Option<usize>| j.and_then(|j| all[i].get(j)).copied().unwrap_or(-0.0);
                assert!(same(out[j * n + i], near(j.checked_sub(1)) + near(Some(j + 1))), "{i} {j}");
            }
        }
    }
}
