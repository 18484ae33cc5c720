//! Loops of staged programs are fused: how many loops and growable arrays are left, with the same results.

use planish::Optimizer;
use planish::ir::text::print;
use planish::stage::{Function, In, List, Out, Params, Rep, Staged, Stream, function, list, range};

type Float = Rep<f64>;

/// Loops and growable arrays of a program before and after it is optimized, and the remarks on loops that stay by themselves.
fn counts<A: Params, R: Staged>(f: &Function<A, R>) -> ([usize; 2], [usize; 2], Vec<String>) {
    let count = |text: &str| [text.matches("loop_if").count(), text.matches(": [").count()];
    let before = count(&print(f.module()));
    let mut module = f.module().clone();
    let context = Optimizer::level("2").expect("a level").run(&mut module, &mut |_, _| {});
    let refused = context.remarks.iter().filter(|remark| remark.name == "NotFused");
    let reason = |message: &str| message.split_once(": ").expect("it has a reason").1.to_owned();
    (before, count(&print(&module)), refused.map(|remark| reason(&remark.message)).collect())
}

/// Checks a program of a slice: its loops and arrays before and after, the reasons why loops stay, and its result.
#[track_caller]
fn check<R: Staged<Host = f64>>(
    program: impl Fn(In<[f64]>) -> R,
    expected: ([usize; 2], [usize; 2]),
    reasons: &[&str],
    plain: impl Fn(&[f64]) -> f64,
) {
    let f = function("f", |x: In<[f64]>| program(x)).unwrap_or_else(|errors| panic!("{errors}"));
    let (before, after, refused) = counts(&f);
    assert_eq!((before, after), expected, "loops and arrays\n{}", print(&f.optimized()));
    assert_eq!(refused, reasons);
    let compiled = f.compile().unwrap_or_else(|errors| panic!("{errors}"));
    for size in [0, 1, 2, 7, 8, 9, 100] {
        let x: Vec<f64> = (0..size).map(|i| f64::from(i * 37 % 61 - 20) / 4.0).collect();
        let (result, plain) = (compiled.call(&x).expect("it does not trap"), plain(&x));
        assert_eq!(result.to_bits(), plain.to_bits(), "{result}, not {plain}");
    }
}

fn sum(list: &List<Float>) -> Float {
    list.iter().fold(0.0, |sum: Float, x| sum + x)
}

fn in_order(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |sum, x| sum + x)
}

#[test]
fn what_is_collected_is_consumed_where_it_is_made() {
    let map = |x: In<[f64]>| sum(&x.iter().map(|x| x * 2.0).collect());
    check(map, ([2, 1], [1, 0]), &[], |x| in_order(x.iter().map(|x| x * 2.0)));
    let filter = |x: In<[f64]>| sum(&x.iter().filter(|x| x.gt(0.0)).collect());
    check(filter, ([2, 1], [1, 0]), &[], |x| in_order(x.iter().copied().filter(|x| *x > 0.0)));
    let nested = |x: In<[f64]>| {
        sum(&x.iter().stream().flat_map(|x| range(0, 3).map(move |i| x + i.as_::<f64>()).stream()).collect())
    };
    check(nested, ([3, 1], [1, 0]), &[], |x| in_order(x.iter().flat_map(|x| (0..3).map(move |i| x + f64::from(i)))));
    let three = |x: In<[f64]>| {
        let a = x.iter().map(|x| x + 1.0).collect();
        let b = a.iter().filter(|x| x.lt(5.0)).collect();
        sum(&b.iter().map(|x| x * x).collect())
    };
    check(three, ([4, 3], [1, 0]), &[], |x| in_order(x.iter().map(|x| x + 1.0).filter(|x| *x < 5.0).map(|x| x * x)));
}

#[test]
fn several_loops_over_one_list_are_one() {
    let two = |x: In<[f64]>| {
        let list = x.iter().filter(|x| x.gt(0.0)).collect();
        let squares = list.iter().fold(0.0, |sum: Float, x| sum + x * x);
        sum(&list) * 3.0 + squares + list.len().as_::<f64>()
    };
    check(two, ([3, 1], [1, 0]), &[], |x| {
        let positive = || x.iter().copied().filter(|x| *x > 0.0);
        in_order(positive()) * 3.0 + in_order(positive().map(|x| x * x)) + positive().count() as f64
    });
    // Of lists that are added to in the same place, and so equally long.
    let zipped = |x: In<[f64]>| {
        let pairs = x.iter().map(|x| (x, x * x)).collect();
        let (a, b) = (pairs.clone(), pairs);
        a.iter().zip(b.iter()).fold(0.0, |sum: Float, ((x, _), (_, y))| sum + x * y)
    };
    check(zipped, ([2, 2], [1, 0]), &[], |x| in_order(x.iter().map(|x| x * (x * x))));
    // Loops over one range, of which neither can run several iterations at once.
    let sums = |x: In<[f64]>| {
        let a = x.iter().fold(0.0, |sum: Float, x| sum + x);
        let b = x.iter().fold(1.0, |sum: Float, x| sum * 0.5 + x);
        a - b
    };
    check(sums, ([2, 0], [1, 0]), &[], |x| in_order(x.iter().copied()) - x.iter().fold(1.0, |sum, x| sum * 0.5 + x));
}

#[test]
fn the_index_is_that_of_the_elements_that_are_left() {
    let odd = |x: In<[f64]>| {
        let left = x.iter().filter(|x| x.gt(0.0)).collect();
        left.iter().enumerate().fold(0.0, |sum: Float, (i, x)| sum + x * i.as_::<f64>())
    };
    check(odd, ([2, 1], [1, 0]), &[], |x| {
        in_order(x.iter().filter(|x| **x > 0.0).enumerate().map(|(i, x)| x * i as f64))
    });
}

#[test]
fn lists_that_are_made_in_several_places() {
    let concatenated = |x: In<[f64]>| {
        let (a, b) = (x.iter().stream(), x.iter().map(|x| x * 2.0).stream());
        sum(&Stream::chain(a, b).collect())
    };
    check(concatenated, ([3, 1], [2, 0]), &[], |x| in_order(x.iter().copied().chain(x.iter().map(|x| x * 2.0))));
    // A few elements: no loop at all.
    let literal = |x: In<[f64]>| {
        let list = List::new();
        let n = x.len().as_::<f64>();
        [n, n * 2.0, n + 1.0].into_iter().for_each(|element| list.push(element));
        sum(&list)
    };
    check(literal, ([1, 1], [0, 0]), &[], |x| {
        let n = x.len() as f64;
        in_order([n, n * 2.0, n + 1.0])
    });
    let branches = |x: In<[f64]>| {
        let list = List::new();
        x.iter().for_each(|x| planish::stage::if_(x.gt(0.0), || list.push(x), || list.push(x * x)));
        sum(&list)
    };
    check(branches, ([2, 1], [1, 0]), &[], |x| in_order(x.iter().map(|&x| if x > 0.0 { x } else { x * x })));
}

#[test]
fn rows_are_fused_in_the_loop_over_them() {
    let rows = |x: In<[f64]>| {
        let n = x.len();
        range(0, n)
            .stream()
            .map(move |i| {
                let row = list(i, move |j| x.at(j) + i.as_::<f64>());
                sum(&row)
            })
            .fold(0.0, |sum: Float, x| sum + x)
    };
    check(rows, ([3, 1], [2, 0]), &[], |x| {
        in_order((0..x.len()).map(|i| in_order(x[..i].iter().map(|x| x + i as f64))))
    });
}

#[test]
fn what_stays_says_why() {
    let variance = |x: In<[f64]>| {
        let list = x.iter().filter(|x| x.gt(0.0)).collect();
        let mean = sum(&list) / list.len().as_::<f64>();
        list.iter().fold(0.0, |sum: Float, x| sum + (x - mean) * (x - mean))
    };
    check(variance, ([3, 1], [2, 1]), &["it needs a result of the one before, or the length of its array"], |x| {
        let list: Vec<f64> = x.iter().copied().filter(|x| *x > 0.0).collect();
        let mean = in_order(list.iter().copied()) / list.len() as f64;
        in_order(list.iter().map(|x| (x - mean) * (x - mean)))
    });
    let neighbours = |x: In<[f64]>| {
        let list = x.iter().map(|x| x * 3.0).collect();
        list.iter().windows::<2>().fold(0.0, |sum: Float, [a, b]| sum + a * b)
    };
    let f = function("f", neighbours).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(counts(&f).1, [2, 1], "neighbours are other elements");
    let changed = |x: In<[f64]>| {
        let list = x.iter().filter(|x| x.gt(0.0)).collect();
        list.push(1.0);
        list.set(0, 7.0);
        sum(&list)
    };
    check(changed, ([2, 1], [2, 1]), &["elements of its array change"], |x| {
        let mut list: Vec<f64> = x.iter().copied().filter(|x| *x > 0.0).collect();
        list.push(1.0);
        list[0] = 7.0;
        in_order(list)
    });
    // Nothing is written if the slice is too short: that is known when all elements are.
    let written =
        function("f", |x: In<[f64]>, y: Out<[f64]>| x.iter().filter(|x| x.gt(0.0)).collect().iter().write_to(y));
    let written = written.unwrap_or_else(|errors| panic!("{errors}"));
    let order = "it and code before it use the same memory, or may trap, so that their order matters";
    assert_eq!(counts(&written), ([2, 1], [2, 1], vec![order.to_owned()]));
    let mut y = [5.0, 6.0];
    assert!(written.compile().expect("it is valid").call(&[1.0, 2.0, 3.0], &mut y).is_err());
    assert_eq!(y, [5.0, 6.0]);
}
