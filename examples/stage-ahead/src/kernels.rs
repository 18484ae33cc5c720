//! Staged functions. The build script compiles them, and so do the tests when they run.

use planish::stage::{Errors, Function, In, Out, Rep, Vector, check, function};

type Floats = In<[f64]>;
type Samples = (In<[f32]>, Out<[f32]>);
type Points = Out<[[f32; 2]]>;
type Pair = Rep<Vector<f32, 2>>;
type Summary = (Rep<u32>, Rep<u64>, Rep<bool>);
/// A function from `A` to `R`.
type Made<A, R> = Result<Function<A, R>, Errors>;

/// The sum of products.
pub(crate) fn dot() -> Made<(Floats, Floats), Rep<f64>> {
    function("dot", |a: Floats, b: Floats| a.iter().zip(b.iter()).map(|(x, y)| x * y).sum())
}

/// The mean of three neighbours of each sample; the number of means.
pub(crate) fn blur() -> Made<Samples, Rep<u32>> {
    function("blur", |x: In<[f32]>, y: Out<[f32]>| {
        x.iter().windows::<3>().map(|[a, b, c]: [Rep<f32>; 3]| (a + b + c) / 3.0).write_to(y)
    })
}

/// Moves points by a vector, in place.
pub(crate) fn turn() -> Made<(Points, Pair), Pair> {
    function("turn", |points: Points, by: Pair| {
        let turned = |[x, y]: [Rep<f32>; 2]| {
            [x * by.component(0) - y * by.component(1), x * by.component(1) + y * by.component(0)]
        };
        points.iter().map(turned).write_to(points);
        by * 2.0
    })
}

/// The bytes that are larger than a limit: how many, their sum, and whether the last is one of them.
pub(crate) fn summary() -> Made<(In<[u8]>, Rep<u32>), Summary> {
    function("summary", |bytes: In<[u8]>, limit: Rep<u32>| {
        check(bytes.len().gt(0));
        let large = bytes.iter().filter(move |byte: Rep<u32>| byte.gt(limit));
        let (count, sum) = large.fold((0u32, 0u64), |(count, sum): (Rep<u32>, Rep<u64>), byte: Rep<u32>| {
            (count + 1, sum + byte.as_::<u64>())
        });
        (count, sum, bytes.at(bytes.len() - 1).gt(limit))
    })
}
