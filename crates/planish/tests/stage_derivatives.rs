//! Derivatives of staged functions: against finite differences, against VL's, forward against reverse mode, and on all engines.

mod generated;
mod ops;

use planish::ir::module::Module;
use planish::ir::text::print;
use planish::stage::{
    Callable, Compiled, Differentiable, Effect, Errors, Fixed, Function, Group, In, List, Loop, Out, Params, Rep,
    Slice, Staged, Vector, block, fold, for_, func, function, host, if_, loop_, range, recursive, return_, select,
    switch, var, when, while_,
};
use planish::vm::{Config, Engine, Strategy};
use planish_eval::{EvalValue, Evaluator, Limits, Stop};

type Real = Rep<f64>;

fn made<A, R>(function: Result<Function<A, R>, Errors>) -> Function<A, R> {
    function.unwrap_or_else(|errors| panic!("{errors}"))
}

fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}\n{}", function.ir()))
    })
}

/// The results on the evaluator, the slices that are written included; and the nodes that it ran.
fn evaluated<A: Params, R: Staged>(module: &Module, host: A::Host<'_>) -> Result<R::Host, Stop> {
    let (mut bits, mut slices) = (Vec::new(), Vec::new());
    A::pass(host, &mut bits, &mut |slice| slices.push(slice));
    let limits = Limits { steps: 1 << 32, ..Limits::default() };
    let mut evaluator = Evaluator::new(module, limits).expect("it starts");
    let memories: Vec<_> = module.memories.keys().collect();
    for (slice, &memory) in slices.iter().zip(&memories) {
        let bytes: &[u8] = match slice {
            Slice::In(bytes) => bytes,
            Slice::Out(bytes) => bytes,
        };
        *evaluator.memory_mut(memory).expect("the slice's") = bytes.to_vec();
    }
    let func = module.entry_points[0].func;
    let mut rest = bits.into_iter();
    let value = |param: &planish::ir::function::Param| {
        let count = planish::ir::meaning::Shape::components(&module.types, param.ty).expect("values have components");
        EvalValue { ty: param.ty, bits: rest.by_ref().take(count).collect() }
    };
    let args: Vec<EvalValue> = module.funcs[func].params.iter().map(value).collect();
    let results = evaluator.call(func, &args)?;
    for (slice, memory) in slices.into_iter().zip(memories) {
        if let Slice::Out(bytes) = slice {
            bytes.copy_from_slice(evaluator.memory(memory).expect("the slice's"));
        }
    }
    Ok(R::from_host_bits(&mut results.iter().flat_map(|value| value.bits.clone())))
}

/// The derivative of a function of one float, on all engines, by both modes.
fn slope(f: &Function<(Real,), Real>, x: f64) -> f64 {
    let (forward, reverse) = (made(f.derivative()), made(f.gradient()));
    let slope =
        evaluated::<(Real,), Real>(forward.module(), (x,)).unwrap_or_else(|stop| panic!("{stop}\n{}", forward.ir()));
    for module in [reverse.module(), &reverse.optimized()] {
        let (_, (adjoint,)) = evaluated::<(Group<(Real,)>, Group<((),)>), (Real, (Real,))>(module, ((x,), ((),)))
            .unwrap_or_else(|stop| panic!("{stop}\n{}", print(module)));
        assert!(close(slope, adjoint, 1e-12), "forward {slope}, reverse {adjoint}\n{}", f.ir());
    }
    for compiled in on_engines(&forward) {
        assert_eq!(compiled.call(x).expect("it does not stop").to_bits(), slope.to_bits(), "{}", forward.ir());
    }
    let engines = on_engines(&reverse).map(|compiled| compiled.call((x,), ((),)).expect("it does not stop").1.0);
    assert!(engines.iter().all(|&found| close(found, slope, 1e-12)), "{engines:?}, {slope}\n{}", reverse.ir());
    assert_eq!(engines[0].to_bits(), engines[1].to_bits());
    slope
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn control_flow() {
    let f = made(function("f", |x: Real| if_(x.lt(1.0), || x * x, || x * 3.0)));
    assert_eq!((slope(&f, 0.5), slope(&f, 2.0)), (1.0, 3.0));
    // A loop whose index is counted, and one with a state that the derivative needs.
    let f = made(function("f", |x: Real| fold(0u32, 5u32, x, |i, y: Real| y * y * 0.5 + x * i.as_::<f64>())));
    assert!(slope(&f, 0.5) != 0.0);
    let f = made(function("f", |x: Real| {
        while_((x, 0u32), |(y, _): (Real, Rep<u32>)| y.lt(100.0), |(y, n)| (y * y + 1.0, n + 1)).0
    }));
    // 2, 5, 26, 677.
    assert_eq!(slope(&f, 2.0), 4.0 * 10.0 * 52.0);
    // Left from inside, in several ways.
    let f = made(function("f", |x: Real| {
        loop_((x, 0u32), |(y, n): (Real, Rep<u32>), l| {
            l.break_if(y.gt(50.0), y * 2.0);
            l.break_if(n.gt(3), y * y);
            l.continue_if((n & 1).eq(1), (y + x, n + 1));
            (y * x, n + 1)
        })
    }));
    // 2, 4, 6, 12, 14: squared.
    assert_eq!(slope(&f, 2.0), 2.0 * 14.0 * (((2.0 + 2.0) + 1.0) * 2.0 + 6.0 + 1.0));
    assert_eq!(slope(&f, 9.0), 2.0 * 2.0 * 9.0);
    // Nested loops, left to the outer one.
    let f = made(function("f", |x: Real| {
        let y = var(x);
        loop_(0u32, |i, outer: Loop<Rep<u32>, ()>| {
            outer.break_if(i.ge(4), ());
            loop_(0u32, |j, inner: Loop<Rep<u32>, ()>| {
                inner.break_if(j.ge(i), ());
                y.update(|y: Real| y * x + 1.0);
                outer.continue_if(y.get().gt(30.0), i + 1);
                outer.break_if(y.get().gt(300.0), ());
                j + 1
            });
            i + 1
        });
        y.get()
    }));
    let plain = |x: f64| {
        let mut y = x;
        'outer: for i in 0..4 {
            for _ in 0..i {
                y = y * x + 1.0;
                if y > 30.0 {
                    continue 'outer;
                }
            }
        }
        y
    };
    for x in [0.5, 1.5, 2.5, 9.0] {
        let difference = (plain(x + 1e-6) - plain(x - 1e-6)) / 2e-6;
        assert!(close(slope(&f, x), difference, 1e-7), "{} {difference}", slope(&f, x));
    }
    let f = made(function("f", |x: Real| {
        when(x.lt(0.0), || return_::<Real>(-x * x));
        block(|leave| {
            leave.with_if(x.gt(10.0), x * 7.0);
            leave.with_if(x.gt(5.0), x * x);
            switch(x.as_::<u32>()).case(1, || x * 2.0).cases([2, 3], || x * 3.0).otherwise(|| x)
        })
    }));
    let slopes = [-3.0, 0.5, 1.5, 3.5, 4.5, 6.0, 11.0].map(|x| slope(&f, x));
    assert_eq!(slopes, [6.0, 1.0, 2.0, 3.0, 1.0, 12.0, 7.0]);
}

#[test]
fn calls_and_recursion() {
    let f = made(function("f", |x: Real| {
        let square = func("square", |x: Real| x * x);
        let twice = func("twice", |x: Real, n: Rep<u32>| (square.call(square.call(x)), n));
        twice.call(x, 3u32).0
    }));
    assert_eq!(slope(&f, 3.0), 4.0 * 27.0);
    let f = made(function("f", |x: Real| {
        let power = recursive("power", |power: Callable<(Real, Rep<u32>), Real>, (x, n)| {
            if_(n.eq(0), || Rep::new(1.0), || x * power.call(x, n - 1))
        });
        power.call(x, 5u32)
    }));
    assert_eq!(slope(&f, 2.0), 80.0);
    // Derivatives inside of the program: Newton's method, by both modes.
    let root = made(function("root", |start: Real| {
        let f = func("f", |x: Real| x * x - 2.0);
        fold(0u32, 6u32, start, |_, x: Real| {
            let (value, (slope,)) = f.gradient().call(x);
            x - (value / slope + f.call(x) / f.derivative().call(x)) / 2.0
        })
    }));
    assert!(close(root.compile().expect("compiles").call(1.0).expect("runs"), 2f64.sqrt(), 1e-15));
    // Second and third derivatives.
    let f = made(function("f", |x: Real| {
        let f = func("f", |x: Real| x.sin() * x);
        f.derivative().derivative().derivative().call(x)
    }));
    let expected = |x: f64| -3.0 * x.sin() - x * x.cos();
    let found = f.compile().expect("compiles").call(0.7).expect("runs");
    assert!(close(found, expected(0.7), 1e-14), "{found}");
}

#[test]
fn second_derivatives_in_all_combinations() {
    let f = made(function("f", |x: Real| {
        let list = List::new();
        for_(0u32, 4u32, |i| list.push((x * i.as_::<f64>()).sin()));
        list.iter().fold(x, |y: Real, z| y * z + x)
    }));
    let slope_of = made(f.derivative());
    let near = |x: f64| evaluated::<(Real,), Real>(slope_of.module(), (x,)).expect("runs");
    let expected = (near(0.8 + 1e-6) - near(0.8 - 1e-6)) / 2e-6;
    let forward = slope(&slope_of, 0.8);
    assert!(close(forward, expected, 1e-7), "{forward} {expected}");
    let gradient = made(f.gradient());
    let over = made(gradient.forward());
    let compiled = over.compile().expect("compiles");
    let (_, (_, (second,))) = compiled.call(((0.8,), ((),)), ((1.0,), ((),))).expect("runs");
    assert!(close(second, expected, 1e-7), "{second} {expected}");
    let over = made(gradient.reverse());
    let compiled = over.compile().expect("compiles");
    let (_, ((second,), ((),))) = compiled.call(((0.8,), ((),)), (0.0, (1.0,)), (((),), ((),))).expect("runs");
    assert!(close(second, expected, 1e-7), "{second} {expected}");
}

#[test]
fn slices_and_lists() {
    // A least-squares fit; the gradient by the weights only.
    let loss = made(function("loss", |x: Fixed<In<[[f64; 2]]>>, y: Fixed<In<[f64]>>, w: In<[f64]>| {
        x.iter().zip(y.iter()).map(move |(x, y)| x[0] * w.at(0) + x[1] * w.at(1) - y).map(|e| e * e).sum()
    }));
    let gradient = made(loss.gradient());
    let (x, y, w) = ([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]], [1.0, 2.0, 3.0], [0.5, -0.5]);
    let (mut expected, mut value) = ([0.0; 2], 0.0);
    for (x, y) in x.iter().zip(y) {
        let error = x[0] * w[0] + x[1] * w[1] - y;
        value += error * error;
        expected = [expected[0] + 2.0 * error * x[0], expected[1] + 2.0 * error * x[1]];
    }
    for compiled in on_engines(&gradient) {
        let mut found = [0.0; 2];
        let (loss, _) = compiled.call((&x, &y, &w), ((), (), &mut found)).expect("runs");
        assert!(
            close(loss, value, 1e-15) && (0..2).all(|at| close(found[at], expected[at], 1e-14)),
            "{found:?} {expected:?}"
        );
        // Added, and of the same length.
        compiled.call((&x, &y, &w), ((), (), &mut found)).expect("runs");
        assert!(close(found[0], 2.0 * expected[0], 1e-14));
        assert!(compiled.call((&x, &y, &w), ((), (), &mut found[..1])).is_err());
    }
    // Written and read again.
    let f = made(function("f", |x: In<[f64]>, out: Out<[f64]>| {
        for_(0u32, x.len(), |i| {
            out.update(i, |old: Real| old * x.at(i));
            out.set(0u32, out.at(0u32) + out.at(i) * out.at(i));
        });
    }));
    let reverse = made(f.reverse());
    let (x, before) = ([0.5, 2.0, 3.0], [1.0, -1.0, 0.5]);
    let run = |x: &[f64; 3], before: &[f64; 3]| {
        let mut out = *before;
        for i in 0..3 {
            out[i] *= x[i];
            out[0] += out[i] * out[i];
        }
        out
    };
    let seed = [1.0, 10.0, 100.0];
    let weighted =
        |x: &[f64; 3], before: &[f64; 3]| -> f64 { run(x, before).iter().zip(seed).map(|(y, s)| y * s).sum() };
    for compiled in on_engines(&reverse) {
        let (mut out, mut of_x, mut of_out) = (before, [0.0; 3], seed);
        compiled.call((&x, &mut out), (), (&mut of_x, &mut of_out)).expect("runs");
        assert_eq!(out, run(&x, &before));
        for at in 0..3 {
            let moved = |by: f64| {
                let mut x = x;
                x[at] += by;
                weighted(&x, &before)
            };
            assert!(close(of_x[at], (moved(1e-6) - moved(-1e-6)) / 2e-6, 1e-7), "{of_x:?}");
            let moved = |by: f64| {
                let mut before = before;
                before[at] += by;
                weighted(&x, &before)
            };
            assert!(close(of_out[at], (moved(1e-6) - moved(-1e-6)) / 2e-6, 1e-7), "{of_out:?}");
        }
    }
    // Sorted: the order is fixed by the values, and the derivative follows it.
    let f = made(function("f", |x: In<[f64]>| {
        let sorted = x.iter().collect().sorted();
        sorted.iter().enumerate().map(|(i, x)| x * x * i.as_::<f64>()).sum()
    }));
    let gradient = made(f.gradient());
    let x = [3.0, -1.0, 2.0, 0.5];
    let mut found = [0.0; 4];
    gradient.compile().expect("compiles").call((&x,), (&mut found,)).expect("runs");
    assert_eq!(found, [18.0, 0.0, 8.0, 1.0]);
}

#[test]
fn other_types() {
    #[derive(Clone, Copy, Staged)]
    struct Complex {
        re: Real,
        im: Real,
    }
    impl Differentiable for Complex {
        type Tangent = Complex;
    }
    let square = made(function("square", |z: Complex, n: Rep<u32>| {
        let scale = n.as_::<f64>();
        Complex { re: (z.re * z.re - z.im * z.im) * scale, im: z.re * z.im * 2.0 }
    }));
    let forward = made(square.forward()).compile().expect("compiles");
    let (value, tangent) = forward.call(((1.0, 2.0), 3), ((1.0, 0.0), ())).expect("runs");
    assert_eq!((value, tangent), ((-9.0, 4.0), (6.0, 4.0)));
    let reverse = made(square.reverse()).compile().expect("compiles");
    assert_eq!(reverse.call(((1.0, 2.0), 3), (1.0, 0.5), ((), ())).expect("runs").1, ((8.0, -11.0), ()));
    // Single precision, vectors and conversions.
    let f = made(function("f", |x: Rep<f32>, v: Rep<Vector<f64, 3>>| {
        (v * x.as_::<f64>()).length() + v.component(1) * v.swizzle([2, 0]).dot(v.swizzle([0, 1]))
    }));
    let (_, (by_x, by_v)) =
        made(f.gradient()).compile().expect("compiles").call((2.0, Vector([2.0, 3.0, 6.0])), ((), ())).expect("runs");
    assert_eq!(by_x, 7.0);
    // 2|v| + v1·(v2·v0 + v0·v1)
    let expected = [4.0 / 7.0 + 3.0 * (6.0 + 3.0), 6.0 / 7.0 + (12.0 + 6.0) + 3.0 * 2.0, 12.0 / 7.0 + 3.0 * 2.0];
    assert!(by_v.0.iter().zip(expected).all(|(&found, expected)| close(found, expected, 1e-15)), "{by_v:?}");
}

#[test]
fn functions_of_the_host() {
    let cube = |x: f64| x * x * x;
    let f = made(function("f", move |x: Real| {
        let cube = host("cube", Effect::Pure, cube).with_partials(|x: Real| (3.0 * x * x,));
        let f = func("f", move |x: Real| cube.call(x) * 2.0);
        f.derivative().derivative().call(x) + f.gradient().call(x).1.0
    }));
    assert_eq!(f.compile().expect("compiles").call(2.0).expect("runs"), 24.0 + 24.0);
    let errors = made(function("f", move |x: Real| host("cube", Effect::Pure, cube).call(x))).gradient().unwrap_err();
    let text = errors.to_string();
    assert!(text.contains("stage_derivatives.rs") && text.contains("error[E1408]: `cube` has no derivative"), "{text}");
    // By what it does not change, it needs none.
    let f = made(function("f", move |x: Real| host("cube", Effect::Pure, cube).call(2.0) * x));
    assert_eq!(made(f.derivative()).compile().expect("compiles").call(1.0).expect("runs"), 8.0);
}

#[test]
fn what_has_no_derivative() {
    let f = made(function("f", |x: Real| (x.bitcast::<i64>() + 1).bitcast::<f64>()));
    for errors in [f.derivative().unwrap_err(), f.gradient().unwrap_err()] {
        let text = errors.to_string();
        assert!(
            text.contains("stage_derivatives.rs") && text.contains("E1408") && text.contains("`bitcast`"),
            "{text}"
        );
    }
    // A derivative that needs itself.
    let errors = function("f", |x: Real| {
        let f = recursive("f", |f: Callable<(Real,), Real>, (x,)| f.derivative().call(x) + x);
        f.derivative().call(x)
    })
    .unwrap_err();
    assert!(errors.to_string().contains("E1408"), "{errors}");
}

/// Steps of a sum over `n` numbers, of the function and of its gradient.
#[test]
fn a_gradient_costs_a_constant_times_the_function() {
    let f = made(function("f", |x: In<[f64]>| {
        let products =
            x.iter().fold(1.0, |product: Real, x| if_(x.gt(0.0), || (product * x).sin() + 1.0, || product * 0.5));
        products + x.iter().map(|x| x * x).sum()
    }));
    let gradient = made(f.gradient());
    let fuel = |n: usize| {
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let steps = |module: &Module, run: &dyn Fn(&Module, u64) -> bool| {
            let (mut low, mut high) = (0u64, 1 << 24);
            while low + 1 < high {
                let middle = u64::midpoint(low, high);
                if run(module, middle) { high = middle } else { low = middle }
            }
            high
        };
        let function = steps(&f.optimized(), &|module, most| within::<(In<[f64]>,)>(module, (&x,), most));
        let gradient = steps(&gradient.optimized(), &|module, most| {
            let mut found = vec![0.0; n];
            within::<(Group<(In<[f64]>,)>, Group<(Out<[f64]>,)>)>(module, ((&x,), (&mut found,)), most)
        });
        gradient as f64 / function as f64
    };
    let ratios = [10, 100, 1000].map(fuel);
    println!("{ratios:?}");
    assert!(ratios.iter().all(|&ratio| ratio < 8.0), "{ratios:?}");
    assert!(ratios[2] < ratios[1] * 1.1, "{ratios:?}");
}

/// Whether a call ends within some steps of the evaluator.
fn within<A: Params>(module: &Module, host: A::Host<'_>, steps: u64) -> bool {
    let (mut bits, mut slices) = (Vec::new(), Vec::new());
    A::pass(host, &mut bits, &mut |slice| slices.push(slice));
    let mut evaluator = Evaluator::new(module, Limits { steps, ..Limits::default() }).expect("it starts");
    for (slice, memory) in slices.iter().zip(module.memories.keys()) {
        let bytes: &[u8] = match slice {
            Slice::In(bytes) => bytes,
            Slice::Out(bytes) => bytes,
        };
        *evaluator.memory_mut(memory).expect("the slice's") = bytes.to_vec();
    }
    let func = module.entry_points[0].func;
    let args: Vec<EvalValue> = module.funcs[func]
        .params
        .iter()
        .zip(bits)
        .map(|(param, bits)| EvalValue { ty: param.ty, bits: [bits].into_iter().collect() })
        .collect();
    evaluator.call(func, &args).is_ok()
}

#[test]
fn programs_for_other_targets() {
    use planish::{EmitOptions, Target};
    let f = made(function("f", |x: In<[f64]>, n: Rep<u32>| {
        let list = x.iter().take(n).map(|x| x * x).collect();
        let y = list.iter().fold(1.0, |y: Real, x| select(x.gt(1.0), y * x, y + x));
        range(0u32, n).map(move |i| y * i.as_::<f64>()).sum()
    }));
    let gradient = made(f.gradient());
    for target in [Target::Wasm, Target::Js, Target::Dts] {
        gradient.emit(target, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    }
}
