//! Stencils: what an iteration computed is used by the next one where the program keeps it.

use planish::stage::{In, Out, Rep, fold, for_, function, range};

use super::{Float, index, made, on_engines, steps};

fn compute(i: Rep<u32>) -> Float {
    index(i) * 2.0 + 3.0
}

/// The results of a function of each index and the next, each computed once: the last one is carried to the next iteration.
fn sliding<'g>(
    first: Rep<u32>,
    end: Rep<u32>,
    window: impl Fn(Rep<u32>) -> Float + 'g,
    mut body: impl FnMut(Rep<u32>, Float, Float),
) {
    let _: Float = fold(first, end, window(first), |i, now| {
        let next = window(i + 1);
        body(i, now, next);
        next
    });
}

#[test]
fn stencil_0() {
    let f =
        made(function("stencil0", |out: Out<[f64]>| range(0, 20).map(|i| compute(i) + compute(i + 1)).write_to(out)));
    let about = "Each element of two neighbours, both computed for each.";
    let (_, after) = steps("41_stencil0", about, &f);
    assert_eq!((after.loops, after.multiplications), (1, 2));
    check_20(&f);
}

#[test]
fn stencil_1() {
    let f = made(function("stencil1", |out: Out<[f64]>| {
        sliding(Rep::new(0), Rep::new(20), compute, |i, now, next| out.set(i, now + next));
        Rep::new(20u32)
    }));
    let about = "The same, with the neighbour that was computed before: one multiplication in the loop.";
    let (_, after) = steps("42_stencil1", about, &f);
    assert_eq!((after.loops, after.multiplications), (1, 1));
    check_20(&f);
}

#[track_caller]
fn check_20(f: &planish::stage::Function<(Out<[f64]>,), Rep<u32>>) {
    for compiled in on_engines(f) {
        let mut out = [0.0; 20];
        assert_eq!(compiled.call(&mut out).expect("it does not trap"), 20);
        assert!((0..20).all(|i| out[i] == 4.0 * i as f64 + 8.0), "{out:?}");
    }
}

type Stencil = planish::stage::Function<(In<[f64]>, Out<[f64]>), ()>;

/// `a(i) - w(i) + w(i - 1)`, with `w(i) = a(i) * a(i + 1)`.
fn plain_once(a: &[f64], first: usize) -> Vec<f64> {
    let mut out = vec![0.0; a.len()];
    for i in first..a.len().saturating_sub(first) {
        out[i] = a[i] - a[i] * a[i + 1] + a[i - 1] * a[i];
    }
    out
}

#[test]
fn stencil_2a() {
    let f = made(function("stencil2a", |a: In<[f64]>, out: Out<[f64]>| {
        let w = |i: Rep<u32>| a.at(i) * a.at(i + 1);
        for_(1u32, a.len() - 1, |i| out.set(i, a.at(i) - w(i) + w(i - 1)));
    }));
    let about = "A stencil of products of neighbours, in one loop; each product is computed twice.";
    let (_, after) = steps("43_stencil2a", about, &f);
    assert_eq!(after.multiplications, 2 + addresses(&f));
    check(&f, |a| plain_once(a, 1));
}

#[test]
fn stencil_2b() {
    let f = made(function("stencil2b", |a: In<[f64]>, out: Out<[f64]>| {
        let w = move |i: Rep<u32>| (a.at(i), a.at(i) * a.at(i + 1));
        let _: (Float, Float) = fold(1u32, a.len() - 1, w(Rep::new(0)), |i, (_, before)| {
            let now = w(i);
            out.set(i, now.0 - now.1 + before);
            now
        });
    }));
    let about = "The same stencil with the product of the iteration before: each is computed once.";
    let (_, after) = steps("44_stencil2b", about, &f);
    // (One before the loop, one in it.)
    assert_eq!(after.multiplications, 2 + addresses(&f));
    check(&f, |a| plain_once(a, 1));
}

/// Two rounds at once.
fn plain_twice(a: &[f64]) -> Vec<f64> {
    let once: Vec<f64> = plain_once(a, 1);
    plain_once(&once, 2)
}

#[test]
fn stencil_3a() {
    let f = made(function("stencil3a", |a: In<[f64]>, out: Out<[f64]>| {
        let w1 = |i: Rep<u32>| a.at(i) * a.at(i + 1);
        let once = |i: Rep<u32>| a.at(i) - w1(i) + w1(i - 1);
        let w2 = |i: Rep<u32>| once(i) * once(i + 1);
        for_(2u32, a.len() - 2, |i| out.set(i, once(i) - w2(i) + w2(i - 1)));
    }));
    let about = "Two rounds of the stencil in one loop: four products of elements and two of results for each element.";
    let (_, after) = steps("45_stencil3a", about, &f);
    assert_eq!(after.multiplications, 6 + addresses(&f));
    check(&f, plain_twice);
}

#[test]
fn stencil_3b() {
    let f = made(function("stencil3b", |a: In<[f64]>, out: Out<[f64]>| {
        let w1 = |i: Rep<u32>| a.at(i) * a.at(i + 1);
        let once = |i: Rep<u32>| a.at(i) - w1(i) + w1(i - 1);
        // The product of elements, the result, and the product of results before.
        let (first, second) = (once(Rep::new(1)), once(Rep::new(2)));
        let _: (Float, Float, Float) =
            fold(2u32, a.len() - 2, (w1(Rep::new(2)), second, first * second), |i, (product, now, before)| {
                let next_product = w1(i + 1);
                let next = a.at(i + 1) - next_product + product;
                let both = now * next;
                out.set(i, now - both + before);
                (next_product, next, both)
            });
    }));
    let about =
        "The same with what the iteration before computed: one product of elements and one of results in the loop.";
    let (_, after) = steps("46_stencil3b", about, &f);
    let in_loop = in_loop(&f);
    assert_eq!(in_loop, 2, "{after:?}");
    check(&f, plain_twice);
}

/// Multiplications that compute addresses.
fn addresses(f: &Stencil) -> usize {
    let text = planish::ir::text::print(&f.optimized());
    text.lines().filter(|line| line.contains("= multiply") && (line.ends_with(" 8u") || line.ends_with(" 8"))).count()
}

/// Multiplications of floats in the loop.
fn in_loop(f: &Stencil) -> usize {
    let text = planish::ir::text::print(&f.optimized());
    let (_, body) = text.split_once("loop_if").expect("a loop");
    body.lines().filter(|line| line.contains("= multiply")).count()
        - body
            .lines()
            .filter(|line| line.contains("= multiply") && (line.ends_with(" 8u") || line.ends_with(" 8")))
            .count()
}

#[track_caller]
fn check(f: &Stencil, plain: impl Fn(&[f64]) -> Vec<f64>) {
    for compiled in on_engines(f) {
        for len in [5, 6, 7, 8, 9, 100] {
            let a: Vec<f64> = (0..len).map(|i| f64::from(i * 7 % 5) / 4.0).collect();
            let mut out = vec![0.0; a.len()];
            compiled.call(&a, &mut out).expect("it does not trap");
            let expected = plain(&a);
            assert_eq!(out, expected, "{len}");
        }
    }
}
