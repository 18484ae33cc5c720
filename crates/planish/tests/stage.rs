//! Staged Rust on all engines.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use planish::stage::{
    Compiled, Effect, Element, Function, Matrix, Params, Rep, Stage, Staged, Vector, fold, func, function, host, if_,
    select, trap, when,
};
use planish::vm::{Config, Engine, Strategy};
use planish::{EmitOptions, Target};
use planish_generate::Choices;
use planish_testkit::seeds;

/// The function on each engine.
fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}"))
    })
}

/// A point with a weight of any type.
#[derive(Clone, Copy, Staged)]
struct Point<T: Element> {
    x: Rep<f64>,
    y: Rep<f64>,
    weight: Rep<T>,
}

#[derive(Clone, Staged)]
struct Segment(Point<u32>, Point<u32>);

impl<T: Element> Point<T> {
    fn minus(self, other: Self) -> (Rep<f64>, Rep<f64>) {
        (self.x - other.x, self.y - other.y)
    }
}

#[test]
fn structs_are_their_fields() {
    let length = function("length", |segment: Segment| {
        let (x, y) = segment.0.minus(segment.1);
        let heavier = if_(segment.0.weight.gt(segment.1.weight), || segment.0, || segment.1);
        (x.hypot(y), heavier)
    })
    .expect("it is valid");
    for compiled in on_engines(&length) {
        let segment = ((0.0, 0.0, 1), (3.0, 4.0, 2));
        assert_eq!(compiled.call(segment).expect("it does not trap"), (5.0, (3.0, 4.0, 2)));
    }
}

#[test]
fn threads_share_a_function() {
    let triangle = function("triangle", |n: Rep<u32>| fold(0u32, n + 1, 0u32, |i, sum| sum + i)).expect("it is valid");
    let compiled = triangle.compile().expect("it fits");
    thread::scope(|scope| {
        for n in 0..4u32 {
            let compiled = &compiled;
            scope.spawn(move || {
                for n in n * 100..n * 100 + 100 {
                    assert_eq!(compiled.call(n).expect("it does not trap"), n * (n + 1) / 2);
                }
            });
        }
    });
}

#[test]
fn traps_name_the_rust() {
    let line = line!() + 3;
    let checked = function("checked", |x: Rep<i32>| {
        let inner = func("inner", |x: Rep<i32>| {
            when(x.lt(0), trap);
            10 / x
        });
        inner.call(x)
    })
    .expect("it is valid");
    for compiled in on_engines(&checked) {
        assert_eq!(compiled.call(3).expect("it does not trap"), 3);
        let places = [-1, 0].map(|x| compiled.call(x).expect_err("it traps").to_string());
        for (place, line) in places.iter().zip([line, line + 1]) {
            assert!(place.starts_with(&format!("{}:{line}:", file!())), "{place}");
        }
        // A trap leaves the function as it was.
        assert_eq!(compiled.call(5).expect("it does not trap"), 2);
    }
}

#[test]
fn other_targets_take_it() {
    let f = function("weighted", |x: Rep<f64>, n: Rep<i32>| fold(0, n, x, |i, x| x * 0.5 + i.as_::<f64>()))
        .expect("it is valid");
    for target in [Target::Js, Target::Wat, Target::Ir] {
        let artifact = f.emit(target, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
        let text = String::from_utf8(artifact.bytes).expect("a text");
        assert!(text.contains("weighted"), "{text}");
    }
}

/// An expression over three variables, for plain and for staged values.
#[derive(Clone, Debug)]
enum Tree {
    Constant(i32),
    Variable(usize),
    Binary(u8, Box<[Tree; 2]>),
    /// Two compared, two to choose from; whether both are computed.
    Choice(bool, Box<[Tree; 4]>),
    /// The number of rounds, the initial value, and the body, whose variables are the counter, the state and the last variable.
    Rounds(u8, Box<[Tree; 2]>),
}

fn tree(choices: &mut Choices<'_>, depth: u32) -> Tree {
    let kind = if depth == 0 { choices.below(2) } else { choices.below(8) };
    let mut next = || Box::new(tree(choices, depth - 1));
    match kind {
        0 => Tree::Constant([0, 1, -1, 7, i32::MIN, i32::MAX, 1000, -13][choices.below(8)]),
        1 => Tree::Variable(choices.below(3)),
        2..=5 => {
            let parts = Box::new([*next(), *next()]);
            Tree::Binary(choices.below(9) as u8, parts)
        }
        6 => {
            let parts = Box::new([*next(), *next(), *next(), *next()]);
            Tree::Choice(choices.below(2) == 1, parts)
        }
        _ => {
            let parts = Box::new([*next(), *next()]);
            Tree::Rounds(choices.below(4) as u8, parts)
        }
    }
}

impl Tree {
    fn plain(&self, v: [i32; 3]) -> i32 {
        match self {
            Tree::Constant(x) => *x,
            Tree::Variable(index) => v[*index],
            Tree::Binary(op, parts) => {
                let [x, y] = [parts[0].plain(v), parts[1].plain(v)];
                match op {
                    0 => x.wrapping_add(y),
                    1 => x.wrapping_sub(y),
                    2 => x.wrapping_mul(y),
                    3 => x & y,
                    4 => x | y,
                    5 => x ^ y,
                    6 => x.wrapping_shl(y as u32),
                    7 => x.wrapping_shr(y as u32),
                    _ => x.rotate_left(y as u32 & 31),
                }
            }
            Tree::Choice(_, parts) => {
                let [x, y] = [parts[0].plain(v), parts[1].plain(v)];
                if x < y { parts[2].plain(v) } else { parts[3].plain(v) }
            }
            Tree::Rounds(n, parts) => {
                (0..i32::from(*n)).fold(parts[0].plain(v), |state, i| parts[1].plain([i, state, v[2]]))
            }
        }
    }

    fn staged(&self, v: [Rep<i32>; 3]) -> Rep<i32> {
        match self {
            Tree::Constant(x) => Rep::new(*x),
            Tree::Variable(index) => v[*index],
            Tree::Binary(op, parts) => {
                let [x, y] = [parts[0].staged(v), parts[1].staged(v)];
                match op {
                    0 => x + y,
                    1 => x - y,
                    2 => x * y,
                    3 => x & y,
                    4 => x | y,
                    5 => x ^ y,
                    6 => x << y,
                    7 => x >> y,
                    _ => x.rotate_left(y),
                }
            }
            Tree::Choice(both, parts) => {
                let less = parts[0].staged(v).lt(parts[1].staged(v));
                match both {
                    true => select(less, parts[2].staged(v), parts[3].staged(v)),
                    false => if_(less, || parts[2].staged(v), || parts[3].staged(v)),
                }
            }
            Tree::Rounds(n, parts) => {
                fold(0, i32::from(*n), parts[0].staged(v), |i, state| parts[1].staged([i, state, v[2]]))
            }
        }
    }
}

#[test]
fn random_programs_compute_what_plain_rust_does() {
    for seed in seeds(0..60) {
        let tree = tree(&mut Choices::from_seed(seed), 4);
        let staged =
            function("f", |v: [Rep<i32>; 3]| tree.staged(v)).unwrap_or_else(|errors| panic!("{seed}: {errors}"));
        let engines = on_engines(&staged);
        for v in [[0, 1, 2], [-5, 1 << 20, i32::MAX], [i32::MIN, -1, 31]] {
            for compiled in &engines {
                let found = compiled.call(v).unwrap_or_else(|stop| panic!("{seed}: {stop}"));
                assert_eq!(found, tree.plain(v), "seed {seed}, {v:?}: {tree:?}\n{}", staged.ir());
            }
        }
    }
}

#[test]
fn constants_become_staged_values() {
    let f = function("f", |x: Rep<bool>| {
        let pair: (Rep<u32>, Rep<f32>) = (1, 2.0).stage();
        if_(x, || pair, || (3, 4.0))
    })
    .expect("it is valid");
    for compiled in on_engines(&f) {
        assert_eq!([true, false].map(|x| compiled.call(x).expect("it does not trap")), [(1, 2.0), (3, 4.0)]);
    }
}

#[test]
fn a_polynomial_is_its_sum() {
    let poly = [1.0, 0.0, -0.5, 2.0];
    let horner = |x: Rep<f64>| poly.iter().rev().fold(Rep::new(0.0), |sum, &c| sum * x + c);
    let compiled = function("horner", horner).expect("it is valid").compile().expect("it fits");
    assert_eq!(compiled.call(2.0).expect("it does not trap"), 15.0);
}

#[test]
fn programs_call_the_host() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    static LOG: Mutex<Vec<(i32, f32)>> = Mutex::new(Vec::new());
    let f = function("f", |x: Rep<f64>, n: Rep<i32>| {
        let power = host("power", Effect::Pure, |x: f64, y: f64| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            x.powf(y)
        });
        let log = host("log", Effect::Ordered, |i: i32, x: f32| {
            LOG.lock().expect("no panic").push((i, x));
            i % 2 == 0
        });
        // The same call twice, and one whose arguments are known.
        let powers = power.call(x, 0.5) + power.call(x, 0.5) + power.call(2.0, 10.0);
        let even = fold(0, n, 0, |i, even| even + log.call(i, x.as_::<f32>()).as_::<i32>());
        (powers, even)
    })
    .expect("it is valid");
    let engines = on_engines(&f);
    for compiled in engines {
        CALLS.store(0, Ordering::Relaxed);
        LOG.lock().expect("no panic").clear();
        assert_eq!(compiled.call(4.0, 3).expect("it does not trap"), (2.0 + 2.0 + 1024.0, 2));
        assert_eq!(CALLS.load(Ordering::Relaxed), 1, "equal calls are one, and constants are computed before");
        assert_eq!(*LOG.lock().expect("no panic"), [(0, 4.0), (1, 4.0), (2, 4.0)]);
    }
}

#[test]
fn vectors_cross_as_scalars() {
    type Vec3 = Vector<f32, 3>;
    let f = function("f", |v: Rep<Vec3>, m: Rep<Matrix<f32, 2, 3>>| (v * 2.0 + m.column(1), m)).expect("it is valid");
    let m = Matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    for compiled in on_engines(&f) {
        let results = compiled.call(Vector([1.0, 2.0, 3.0]), m).expect("it does not trap");
        assert_eq!(results, (Vector([6.0, 9.0, 12.0]), m));
    }
}
