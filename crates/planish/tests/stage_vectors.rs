//! Loops of staged Rust on vectors: reductions whose order is free have the order that the documentation names on machine code, and that of the program
//! elsewhere; an index beyond an end stops the program where it did.

use planish::Optimizer;
use planish::ir::text::print;
use planish::stage::{Errors, Function, In, Out, Rep, Stream, function, reassociate, stage};
use planish::vm::{Config, Engine, Strategy};

fn engine(strategy: Strategy) -> Engine {
    Engine::new(Config::default().strategy(strategy))
}

/// Numbers whose sum depends on the order.
fn numbers(n: usize) -> Vec<f64> {
    (0..n as i32).map(|i| f64::from((i * 7919) % 1000 - 400) * 1.1f64.powi(i % 60)).collect()
}

/// A reduction on eight lanes: those are combined in pairs of neighbours, then with the first value; the rest follows in order.
fn on_lanes(x: &[f64], identity: f64, start: f64, op: impl Fn(f64, f64) -> f64) -> f64 {
    let whole = x.len() / 8 * 8;
    if whole == 0 {
        return x.iter().copied().fold(start, op);
    }
    let mut lanes = [identity; 8];
    for batch in x[..whole].chunks(8) {
        lanes.iter_mut().zip(batch).for_each(|(lane, &x)| *lane = op(*lane, x));
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let all = op(op(op(a, b), op(c, d)), op(op(e, f), op(g, h)));
    x[whole..].iter().copied().fold(op(start, all), op)
}

const SIZES: [usize; 8] = [0, 1, 7, 8, 9, 16, 100, 1003];

fn same_bits(what: &str, n: usize, a: f64, b: f64) {
    assert_eq!(a.to_bits(), b.to_bits(), "{what} of {n}: {a} {b}");
}

/// A function of floats.
type OfFloats = Function<(In<[f64]>,), Rep<f64>>;

fn made(name: &str, f: Result<OfFloats, Errors>) -> OfFloats {
    f.unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

#[stage]
fn loop_of_rust(x: In<[f64]>) -> Rep<f64> {
    let mut sum = Rep::new(1.0);
    for i in 0..x.len() {
        let x = x.at(i);
        if x > 0.0 {
            reassociate(|| sum += x);
        }
    }
    sum
}

#[test]
fn sums_have_the_order_of_lanes() {
    let positive = |x: &f64| *x > 0.0;
    let sum = made("sum", function("sum", |x: In<[f64]>| x.iter().reassociate().sum()));
    let product =
        made("product", function("product", |x: In<[f64]>| x.iter().map(|x| x * 1e-3 + 1.0).reassociate().product()));
    let filtered =
        made("filtered", function("filtered", |x: In<[f64]>| x.iter().filter(|x| x.gt(0.0)).reassociate().sum()));
    let by_loop = made("by_loop", function("by_loop", loop_of_rust));
    let add = |a: f64, b: f64| a + b;
    for n in SIZES {
        let x = numbers(n);
        let factors: Vec<f64> = x.iter().map(|x| x * 1e-3 + 1.0).collect();
        // (What a condition leaves out does not change its lane: nor does -0.)
        let kept: Vec<f64> = x.iter().map(|x| if positive(x) { *x } else { -0.0 }).collect();
        let cases: [(&str, &Function<_, _>, f64, f64); 4] = [
            ("sum", &sum, on_lanes(&x, -0.0, -0.0, add), x.iter().fold(-0.0, |a, b| a + b)),
            ("product", &product, on_lanes(&factors, 1.0, 1.0, |a, b| a * b), factors.iter().product()),
            (
                "filtered",
                &filtered,
                on_lanes(&kept, -0.0, -0.0, add),
                x.iter().copied().filter(positive).fold(-0.0, add),
            ),
            ("by loop", &by_loop, on_lanes(&kept, -0.0, 1.0, add), x.iter().copied().filter(positive).fold(1.0, add)),
        ];
        for (name, function, lanes, in_order) in cases {
            let native = function.compile_on(&engine(Strategy::Native)).expect("it compiles");
            same_bits(name, n, native.call(&x).expect("no trap"), lanes);
            let vm = function.compile_on(&engine(Strategy::Vm)).expect("it compiles");
            same_bits(name, n, vm.call(&x).expect("no trap"), in_order);
        }
    }
}

#[test]
fn minima_need_no_leave_where_the_bits_are_the_same() {
    let least =
        made("least", function("least", |x: In<[f64]>| x.iter().fold(1e9, |least: Rep<f64>, x| least.minimum(x))));
    let compiled = least.compile_on(&engine(Strategy::Native)).expect("it compiles");
    for n in SIZES {
        for nan in [None, Some(n / 2)] {
            let mut x = numbers(n);
            x.iter_mut().for_each(|x| *x = if *x < 0.0 { -0.0 } else { x.abs() });
            if let Some(at) = nan.filter(|&at| at < n) {
                x[at] = f64::NAN;
            }
            let least = |a: f64, b: f64| match a.partial_cmp(&b) {
                None => f64::NAN,
                _ if a == b => {
                    if a.is_sign_negative() {
                        a
                    } else {
                        b
                    }
                }
                _ => a.min(b),
            };
            same_bits("least", n, compiled.call(&x).expect("no trap"), x.iter().copied().fold(1e9, least));
        }
    }
    assert_eq!(remarks(&least, false), [("Vectorized", "8 iterations run at once".to_string())]);
}

fn remarks<A: planish::stage::Params, R: planish::stage::Staged>(
    f: &Function<A, R>,
    fast_math: bool,
) -> Vec<(&'static str, String)> {
    let mut optimizer = Optimizer::level("2").expect("a level");
    (optimizer.options.vectorize, optimizer.options.fast_math) = (true, fast_math);
    let context = optimizer.run(&mut f.module().clone(), &mut |_, _| {});
    let of_loops = context.remarks.iter().filter(|remark| remark.name.ends_with("Vectorized"));
    of_loops.map(|remark| (remark.name, remark.message.clone())).collect()
}

#[test]
fn only_what_is_granted_is_reassociated() {
    // The state is marked, the elements are not: those are a sum in order.
    let inner = |x: In<[f64]>| x.iter().windows::<3>().map(|w| w[0] + w[1] + w[2]).reassociate().sum();
    let text = made("inner", function("inner", inner)).ir();
    assert_eq!((text.matches("= add[reassociable]").count(), text.matches(": f64 = add ").count()), (1, 0), "{text}");
    // Functions of the program are their own.
    let called = function("called", |x: In<[f64]>| {
        reassociate(|| {
            let add = planish::stage::func("add", |(a, b): (Rep<f64>, Rep<f64>)| a + b);
            x.iter().fold(0.0, |sum: Rep<f64>, x| add.call((sum, x)) + 0.5)
        })
    });
    let text = made("called", called).ir();
    assert_eq!(text.matches("add[reassociable]").count(), 1, "{text}");
    // Without leave, a sum is in order, but for `--fast-math`.
    let sum = made("sum", function("sum", |x: In<[f64]>| x.iter().sum()));
    assert_eq!(remarks(&sum, false)[0].0, "NotVectorized");
    assert_eq!(remarks(&sum, true)[0].0, "Vectorized");
    // A term that is subtracted from a sum is one that is added; a sum that is subtracted is none.
    let minus = |turned: bool| {
        let next = move |s: Rep<f64>, x: Rep<f64>| if turned { x - s } else { s - x };
        made("minus", function("minus", move |x: In<[f64]>| x.iter().reassociate().fold(0.0, next)))
    };
    assert_eq!(remarks(&minus(false), false)[0].0, "Vectorized");
    assert_eq!(remarks(&minus(true), false)[0].0, "NotVectorized");
}

#[test]
fn the_mark_is_text() {
    let stream = |x: In<[f32]>| Stream::new(move |sink| x.iter().for_each(&mut *sink)).reassociate().sum();
    let text = function("text", stream).expect("it is valid").ir();
    assert!(text.contains("add[reassociable]"), "{text}");
    let again = planish::Compiler::default().compile("again.ir", &text).module.expect("it can be read");
    assert_eq!(print(&again), text);
    // Integers have no order to give up.
    let of_integers =
        "module ir\nfn @f(%a: i32) -> (i32) {\nb0:\n  %b = add[reassociable] %a, %a\n  return %b\n}\nexport @f \"f\"\n";
    let module = planish::Compiler::default().compile("f.ir", of_integers).module.expect("it can be read");
    assert!(print(&module).contains("= add %"), "{}", print(&module));
}

/// `y[i] = table[index[i]] * 2`.
#[stage]
fn looked_up(index: In<[u32]>, table: In<[f64]>, y: Out<[f64]>) -> Rep<u32> {
    let mut odd = Rep::new(0);
    for i in 0..index.len() {
        let at = index.at(i);
        y.set(i, table.at(at) * 2.0);
        if at % 2 == 1 {
            odd += at;
        }
    }
    odd
}

#[test]
fn an_index_beyond_the_end_stops_where_it_did() {
    let f = function("looked_up", looked_up).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(remarks(&f, false), [("Vectorized", "8 iterations run at once".to_string())]);
    let table: Vec<f64> = (0..50).map(f64::from).collect();
    for strategy in [Strategy::Native, Strategy::Vm] {
        let compiled = f.compile_on(&engine(strategy)).expect("it compiles");
        for n in SIZES {
            let index: Vec<u32> = (0..n as u32).map(|i| i * 7 % 50).collect();
            let expected: Vec<f64> = index.iter().map(|&i| f64::from(i) * 2.0).collect();
            let odd: u32 = index.iter().filter(|&i| i % 2 == 1).sum();
            let mut y = vec![-1.0; n];
            assert_eq!(compiled.call(&index, &table, &mut y).expect("no trap"), odd);
            assert_eq!(y, expected);
            for bad in [0, 1, 7, 8, 12, 15, 16, 99].into_iter().filter(|&bad| bad < n) {
                let stops_at = |index: &[u32], len: usize, column: &str| {
                    let mut y = vec![-1.0; len];
                    let stopped = compiled.call(index, &table, &mut y).expect_err("it traps");
                    assert!(stopped.to_string().contains(column), "{stopped}");
                    assert_eq!(y[..bad], expected[..bad]);
                    assert!(y[bad..].iter().all(|&y| y == -1.0), "{n} {bad}: {y:?}");
                };
                let mut wrong = index.clone();
                wrong[bad] = 50;
                stops_at(&wrong, n, "stage_vectors.rs");
                stops_at(&index, bad, "stage_vectors.rs");
            }
        }
    }
}
