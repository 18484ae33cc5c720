//! Loops that consume each other.

use planish::stage::{In, List, Rep, Seq, Stream, function, list, range};

use super::{Counts, Float, index, made, on_engines, results, steps, sum};

/// Mean and variance of what two arrays give, which a first loop makes.
#[test]
fn fusion_0() {
    let f = made(function("fusion0", || {
        let constant = list(100u32, |_| Rep::new(1.0));
        let linear = list(100u32, |i| index(i) * 2.0);
        let affine = list(100u32, |i| constant.at(i) + linear.at(i));
        let mean = |x: &List<Float>| sum(x) / x.len().as_::<f64>();
        let squares = affine.iter().fold(0.0, |sum: Float, x| sum + x * x) / affine.len().as_::<f64>();
        let m = mean(&affine);
        (m, squares - m * m)
    }));
    let about = "Arrays of which one is made of two others, mean and variance: all is one loop, and no array is left.";
    let (before, after) = steps("01_fusion0", about, &f);
    assert_eq!((before.loops, before.arrays), (5, 3));
    assert_eq!((after.loops, after.arrays, after.appends), (1, 0, 0));
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call().expect("it does not trap"), (100.0, 3333.0));
    }
}

#[test]
fn fusion_1() {
    let f = made(function("fusion1", |x: In<[f64]>| {
        let range = x.iter().collect();
        let odds = range.iter().map(|x| x + 3.0).collect();
        sum(&odds.iter().map(|x| x * 5.0).collect())
    }));
    let (before, after) = steps("02_fusion1", "A map of a map, and a sum.", &f);
    assert_eq!((before.loops, before.arrays), (4, 3));
    assert_eq!(after, Counts { loops: 1, arrays: 0, appends: 0, multiplications: 1 });
    results(&f, |x| x.iter().fold(0.0, |sum, x| sum + (x + 3.0) * 5.0));
}

#[test]
fn fusion_2() {
    let f = made(function("fusion2", |x: In<[f64]>| {
        let range = x.iter().collect();
        let _dead = range.iter().map(|x| x + 1.0).collect();
        let _dead_too = range.iter().filter(|x| x.gt(10.0)).collect();
        let odds = range.iter().filter(|x| x.gt(0.0)).collect();
        sum(&odds)
    }));
    let about = "A filter and a sum, beside a map and a filter that nothing uses.";
    let (before, after) = steps("03_fusion2", about, &f);
    assert_eq!((before.loops, before.arrays), (5, 4));
    assert_eq!((after.loops, after.arrays), (1, 0));
    results(&f, |x| x.iter().filter(|x| **x > 0.0).fold(0.0, |sum, x| sum + x));
}

/// The index of what a filter leaves is the number of those before, not that of the loop.
#[test]
fn fusion_2_with_the_index() {
    let f = made(function("fusion2b", |x: In<[f64]>| {
        let odds = x.iter().filter(|x| x.gt(0.0)).collect();
        odds.iter().enumerate().fold(0.0, |sum: Float, (i, x)| sum + x * index(i))
    }));
    let about = "The sum over i of odds(i) * i, where a filter makes odds: i counts what the filter left.";
    let (_, after) = steps("04_fusion2_index", about, &f);
    assert_eq!((after.loops, after.arrays), (1, 0));
    results(&f, |x| x.iter().filter(|x| **x > 0.0).enumerate().fold(0.0, |sum, (i, x)| sum + x * i as f64));
}

#[test]
fn fusion_3() {
    let f = made(function("fusion3", |x: In<[f64]>| {
        let range = x.iter();
        let flat = range_of(10).flat_map(move |_| range.clone().stream()).collect();
        sum(&flat)
    }));
    let about = "Ten times the same array, flattened, and a sum: one nest of two loops.";
    let (before, after) = steps("05_fusion3", about, &f);
    assert_eq!((before.loops, before.arrays), (3, 1));
    assert_eq!((after.loops, after.arrays), (2, 0));
    results(&f, |x| (0..10).flat_map(|_| x).fold(0.0, |sum, x| sum + x));
}

fn range_of<'g>(n: u32) -> Stream<'g, Rep<u32>> {
    range(0, n).stream()
}

#[test]
fn fusion_4() {
    let f = made(function("fusion4", |x: In<[f64]>| {
        let range = x.iter();
        let flat = range_of(10).flat_map(move |_| range.clone().stream()).collect();
        let filtered = flat.iter().filter(|x| x.gt(0.5)).collect();
        (sum(&filtered) + filtered.len().as_::<f64>(),)
    }));
    let about = "Ten times the same array, flattened and filtered: sum and length.";
    let (before, after) = steps("06_fusion4", about, &f);
    assert_eq!((before.loops, before.arrays), (4, 2));
    assert_eq!((after.loops, after.arrays), (2, 0));
    for compiled in on_engines(&f) {
        let x = super::input(100);
        let kept = || (0..10).flat_map(|_| &x).filter(|x| **x > 0.5);
        let expected = kept().fold(0.0, |sum, x| sum + x) + kept().count() as f64;
        assert_eq!(compiled.call(&x).expect("it does not trap"), (expected,));
    }
}

/// `as` and `bs` could be fused, and so could `cs` and `ds`, but not both: `bs` needs `cs`, and `ds` needs `as`.
#[test]
fn fusion_21() {
    let f = made(function("fusion21", |x: Rep<f64>| {
        let cs = list(100u32, move |i| x * index(i));
        let a = list(50u32, move |i| x + index(i));
        let b = list(50u32, |_| cs.at(7));
        let d = list(100u32, |_| a.at(3));
        let sums = [&a, &b, &cs, &d].map(sum);
        sums[0] + sums[1] * 2.0 + sums[2] * 4.0 + sums[3] * 8.0
    }));
    let about = "Two pairs of loops of the same length, where fusing both pairs would make each need the other.";
    let (before, after) = steps("07_fusion21", about, &f);
    assert_eq!(before.loops, 8);
    assert!(after.loops <= 4 && after.loops >= 2, "{after:?}");
    for compiled in on_engines(&f) {
        let x = 0.5;
        let c: Vec<f64> = (0..100).map(|i| x * f64::from(i)).collect();
        let a: Vec<f64> = (0..50).map(|i| x + f64::from(i)).collect();
        let sum = |list: &[f64]| list.iter().fold(0.0, |sum, x| sum + x);
        let expected = sum(&a) + sum(&[c[7]; 50]) * 2.0 + sum(&c) * 4.0 + sum(&[a[3]; 100]) * 8.0;
        assert_eq!(compiled.call(x).expect("it does not trap"), expected);
    }
}

/// Arrays of arrays are sequences of sequences.
fn nested<'g>(n: u32, len: impl Fn(Rep<u32>) -> Rep<u32> + 'g, x: Float) -> Seq<'g, Seq<'g, Float>> {
    range(0, n).map(move |i| range(0, len(i)).map(move |j| x * index(j)))
}

/// The sums of the elements of two arrays of arrays, and of a third one.
fn sums_of_rows(x: Float, len: fn(Rep<u32>) -> Rep<u32>) -> (Float, Float) {
    let (a, b) = (nested(100, len, x), nested(100, len, x + 1.0));
    let cs = list(100u32, move |i| nested(100, len, x * 2.0).get(i).sum());
    let ds = list(100u32, move |i| {
        let both = a.get(i).zip(b.get(i)).map(|(a, b)| a + b).sum();
        both + cs.at(i)
    });
    (sum(&ds), ds.at(5))
}

#[test]
fn fusion_22() {
    let f = made(function("fusion22", |x: Rep<f64>| sums_of_rows(x, |_| Rep::new(50))));
    let about =
        "Nested arrays of the same lengths: all loops over rows become one, and so do those over columns in it.";
    let (before, after) = steps("08_fusion22", about, &f);
    assert_eq!(before.loops, 5);
    assert_eq!((after.loops, after.arrays), (2, 1));
    check_rows(&f, |_| 50);
}

#[test]
fn fusion_23() {
    let f = made(function("fusion23", |x: Rep<f64>| sums_of_rows(x, |i| i)));
    let about = "Nested arrays of which each row has its own length: as before, in the nest itself.";
    let (before, after) = steps("09_fusion23", about, &f);
    assert_eq!(before.loops, 5);
    assert_eq!((after.loops, after.arrays), (2, 1));
    check_rows(&f, |i| i);
}

#[track_caller]
fn check_rows(f: &planish::stage::Function<(Rep<f64>,), (Float, Float)>, len: fn(u32) -> u32) {
    let x = 0.25;
    let row = |i: u32| {
        let sum = |part: &dyn Fn(f64) -> f64| (0..len(i)).fold(-0.0, |sum, j| sum + part(f64::from(j)));
        sum(&|j| x * j + (x + 1.0) * j) + sum(&|j| x * 2.0 * j)
    };
    for compiled in on_engines(f) {
        let expected = ((0..100).fold(0.0, |sum, i| sum + row(i)), row(5));
        assert_eq!(compiled.call(x).expect("it does not trap"), expected);
    }
}

/// A difference of equal numbers makes an array dead that has been fused with one that is used.
#[test]
fn fusion_24() {
    let f = made(function("fusion24", |x: Rep<i64>| {
        let a = list(200u32, move |i| x + i.as_::<i64>());
        let b = list(200u32, move |i| x * i.as_::<i64>());
        let first = a.at(0);
        let cs = range(0, 100).map(move |i| range(0, i).map(move |_| first));
        let ds = range(0, 100).map(move |i| cs.get(i).map(move |c| c - first));
        let add = |sum: Rep<i64>, x: Rep<i64>| sum + x;
        let of_d = ds.stream().flat_map(|row| row.stream()).fold(0i64, add);
        (b.iter().fold(0i64, add), of_d)
    }));
    let about =
        "An array of which all that is used cancels out: it goes away, though its loop has been fused with another.";
    let (before, after) = steps("10_fusion24", about, &f);
    assert_eq!((before.loops, before.arrays), (5, 2));
    assert!(after.arrays <= 1, "{after:?}");
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(3).expect("it does not trap"), (3 * 199 * 100, 0));
    }
}

#[test]
fn concatenation() {
    let f = made(function("concat", |x: In<[f64]>| {
        let (a, b) = (x.iter().stream(), x.iter().map(|x| x * 2.0).stream());
        let all = a.chain(b).collect();
        sum(&all.iter().filter(|x| x.gt(0.0)).collect())
    }));
    let about = "Two arrays one after the other: what consumes them is written into the loops of both.";
    let (before, after) = steps("11_concat", about, &f);
    assert_eq!((before.loops, before.arrays), (4, 2));
    assert_eq!((after.loops, after.arrays), (2, 0));
    results(&f, |x| {
        let all = x.iter().copied().chain(x.iter().map(|x| x * 2.0));
        all.filter(|x| *x > 0.0).fold(0.0, |sum, x| sum + x)
    });
}
