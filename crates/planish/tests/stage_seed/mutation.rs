//! Memory that changes: one allocation site for each access. The rejected twin of each program is in `tests/stage/wrong.rs` (Rust's types refuse
//! it), or here, if it is an error of the program.

use planish::ir::text::parse_str;
use planish::ir::verify::verify;
use planish::stage::{List, Rep, Seq, for_, function, if_, list, select, var, when, while_};

use super::{made, on_engines, steps};

type Number = Rep<i64>;

fn zeros(len: u32) -> List<Number> {
    list(len, |_| Rep::new(0i64))
}

/// Rejected: `if_` gives one of two lists, and a write to it would not say which (`tests/stage/wrong.rs`). In the IR, it is E0904.
#[test]
fn mutation_1() {
    let f = made(function("mutation1b", |x: Rep<i32>| {
        let (first, second) = (zeros(100), zeros(100));
        first.set(50, 1i64);
        second.set(50, 2i64);
        // A copy of one of both.
        let a = Seq::new(100u32, move |i| if_(x.gt(7), || first.at(i), || second.at(i))).collect();
        a.set(40, 40i64);
        (a.at(40), a.at(50))
    }));
    steps("31_mutation1b", "A write to a copy of one of two arrays. (To one of them itself it is no program.)", &f);
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(8).expect("it does not trap"), (40, 1));
        assert_eq!(compiled.call(7).expect("it does not trap"), (40, 2));
    }
    let text = "module ir\n\nfn @f(%0 c: bool) -> (f32) {\nb0:\n  var @a: f32\n  var @b: f32\n  %1 = select %0, @a, @b\n  \
                store %1, 4.0\n  %2 = load @a\n  return %2\n}\n";
    let errors = verify(&parse_str(text).expect("it reads"));
    let diagnostics: Vec<_> = errors.iter().map(|error| error.to_diagnostic()).collect();
    // Each of the two pointers, with the choice and the place where its variable is declared.
    assert!(
        diagnostics.iter().all(|error| error.code.0 == "E0904" && error.message.contains("ambiguous")),
        "{errors:?}"
    );
    let at = |span: planish::source::Span| text[..span.start as usize].lines().count();
    let places: Vec<_> = diagnostics.iter().map(|error| (at(error.span), at(error.labels[0].span))).collect();
    assert_eq!(places, [(7, 5), (7, 6)], "{diagnostics:?}");
}

#[test]
fn mutation_2() {
    let f = made(function("mutation2", |x: Rep<i32>| {
        let (first, second) = (zeros(100), zeros(100));
        let a = |i: u32| if_(x.gt(7), || first.at(i), || second.at(i));
        let before = a(10);
        first.set(10, 10i64);
        second.set(10, 20i64);
        let after = a(10);
        after - before
    }));
    steps("32_mutation2", "Reads of one of two arrays, before and after writes to both.", &f);
    for compiled in on_engines(&f) {
        assert_eq!([8, 7].map(|x| compiled.call(x).expect("it does not trap")), [10, 20]);
    }
}

/// Rejected: a variable that holds a list (`tests/stage/wrong.rs`).
#[test]
fn mutation_3() {
    let f = made(function("mutation3b", || {
        let (a, b) = (zeros(100), zeros(100));
        let sum = var(0i64);
        for_(0u32, b.len(), |i| {
            let first = a.at(i);
            b.set(i, 8i64);
            let second = a.at(i);
            sum.update(|sum| sum + first * 3 + second);
            // The whole of `b`, as it is now.
            for_(0u32, b.len(), |j| a.set(j, b.at(j)));
        });
        (sum.get(), a.at(99))
    }));
    steps(
        "33_mutation3b",
        "Two reads around a write to another array are one; then the array becomes a copy of it.",
        &f,
    );
    // In the loop over `i`, one read of `a` is both `first` and `second`.
    let text = planish::ir::text::print(&f.optimized());
    assert_eq!(text.matches("= load").count(), 3, "of `a`, of `b` for the copy, of `a` at the end\n{text}");
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call().expect("it does not trap"), (0, 8));
    }
}

/// Rejected: a list of lists, also behind a copy (`tests/stage/wrong.rs`, `mutation4` and `mutation4b`).
#[test]
fn mutation_4() {
    let f = made(function("mutation4c", || {
        let a = zeros(100);
        a.set(50, 5i64);
        // Ten copies, one after the other: the elements are in memory of the outer one.
        let b = list(1000u32, |i| a.at(i % 100));
        a.set(50, 7i64);
        b.update(350, |x| x + 1);
        (b.at(550), b.at(350), a.at(50))
    }));
    steps("34_mutation4c", "An array of copies of an array: writes to either do not change the other.", &f);
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call().expect("it does not trap"), (5, 6, 7));
    }
}

/// Rejected: an element that is a list (`tests/stage/wrong.rs`). A list that is frozen and then changed is an error of the program.
#[test]
fn mutation_5() {
    let f = made(function("mutation5b", || {
        let c = zeros(20);
        let frozen = c.clone().freeze();
        let b = list(200u32, move |i| frozen.get(i % 20));
        b.set(4, 1i64);
        (b.at(4), b.at(24))
    }));
    steps("35_mutation5b", "Elements of an array that does not change any more in one that does.", &f);
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call().expect("it does not trap"), (1, 0));
    }
    let first = line!();
    let errors = function("mutation5", || {
        let c = zeros(20);
        let frozen = c.clone().freeze();
        c.set(5, 50i64);
        c.push(1i64);
        frozen.get(5)
    })
    .expect_err("the list is frozen");
    let expected = [first + 4, first + 5];
    let message = errors.to_string();
    assert_eq!(message.matches("error[E1407]: this list is changed, but has been frozen").count(), 2, "{message}");
    for line in expected.into_iter().chain([first + 3]) {
        assert!(message.contains(&format!("mutation.rs:{line}:")), "{line}\n{message}");
    }
    let errors = function("again", || {
        let c = zeros(20);
        for_(0u32, 3u32, |i| {
            c.push(i.as_::<i64>());
            let _ = c.clone().freeze();
        });
    })
    .expect_err("the next iteration changes it");
    assert!(errors.to_string().contains("frozen in a block inside of the one that made it"), "{errors}");
}

#[test]
fn mutation_6() {
    let f = made(function("mutation6", |x: Rep<i32>| {
        let a = zeros(100);
        let view = a.clone();
        // An immutable array of arrays, of which one is the array that changes.
        let b = Seq::new(10u32, move |_| view.iter());
        let u = Seq::new(10u32, |_| Seq::new(100u32, |_| Rep::new(0i64)));
        let c = |i: u32, j: u32| if_(x.gt(7), || b.get(i).get(j), || u.get(i).get(j));
        let before = c(5, 50);
        a.set(50, 50i64);
        let after = c(5, 50);
        after - before
    }));
    steps("36_mutation6", "Reads through an immutable array of an array that changes, before and after a write.", &f);
    for compiled in on_engines(&f) {
        assert_eq!([8, 7].map(|x| compiled.call(x).expect("it does not trap")), [50, 0]);
    }
}

#[test]
fn mutation_7() {
    let f = made(function("mutation7", |x: Rep<f64>| {
        let c = var(0.0);
        while_((), |()| c.get().lt(x), |()| c.set(c.get() + 1.0));
        when(c.get().lt(x), || c.set(8.0));
        c.get()
    }));
    steps("37_mutation7", "A local variable: after the loop its condition is known to be false, but for NaN.", &f);
    for compiled in on_engines(&f) {
        for (x, expected) in [(2.5, 3.0), (-1.0, 0.0), (f64::NAN, 0.0)] {
            assert_eq!(compiled.call(x).expect("it does not trap"), expected);
        }
    }
}

/// An element that is chosen by the program, in all four combinations of two lists.
#[test]
fn reads_are_not_moved_over_writes_to_the_same_list() {
    let f = made(function("alias", |i: Rep<u32>, j: Rep<u32>| {
        let a = list(4u32, |i| i.as_::<i64>());
        let before = a.at(i);
        a.set(j, 100i64);
        let after = a.at(i);
        select(before.eq(after), -1i64, after * 1000 + before)
    }));
    for compiled in on_engines(&f) {
        for i in 0..4 {
            for j in 0..4 {
                let expected = if i == j { 100_000 + i64::from(i) } else { -1 };
                assert_eq!(compiled.call(i, j).expect("it does not trap"), expected);
            }
        }
    }
}
