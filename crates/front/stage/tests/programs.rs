//! Programs, run by the evaluator.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_front_stage::*;
use planish_ir::function::Param;
use planish_ir::meaning::Shape;
use planish_ir::text::print;
use planish_ir::types::{Scalar, Types};

/// Calls the function with scalars, by their bits.
fn run<A: Staged, R: Staged>(built: &Built<A, R>, args: A::Host) -> Result<R::Host, String> {
    let func = built.module.entry_points[0].func;
    let mut bits = Vec::new();
    A::host_bits(args, &mut bits);
    let mut rest = bits.into_iter();
    let value = |param: &Param| {
        let count = built.module.types.components(param.ty).expect("values have components");
        EvalValue { ty: param.ty, bits: rest.by_ref().take(count).collect() }
    };
    let args: Vec<EvalValue> = built.module.funcs[func].params.iter().map(value).collect();
    let mut evaluator = Evaluator::new(&built.module, Limits::default()).map_err(|error| error.to_string())?;
    let results = evaluator.call(func, &args).map_err(|stop| format!("{stop}"))?;
    let bits: Vec<u64> = results.iter().flat_map(|value| value.bits.clone()).collect();
    Ok(R::from_host_bits(&mut bits.into_iter()))
}

fn expect<A: Staged, R: Staged>(built: Result<Built<A, R>, Errors>, args: A::Host) -> R::Host {
    let built = built.unwrap_or_else(|errors| panic!("{errors}"));
    run(&built, args).unwrap_or_else(|stop| panic!("{stop}\n{}", print(&built.module)))
}

#[test]
fn operators_take_constants_on_both_sides() {
    assert_eq!(expect(build("f", |x: Rep<f64>, y: Rep<f64>| 2.0 * x - y / 4.0 + 1.0), (3.0, 2.0)), 6.5);
    assert_eq!(expect(build("f", |x: Rep<i32>| (10 - x) % 4 + (-x) * 3), (3,)), -6);
    assert_eq!(expect(build("f", |x: Rep<u64>| (1 << x | 1) ^ !x & 0xff), (4,)), 0x11 ^ 0xfb);
    assert_eq!(
        expect(build("f", |x: Rep<bool>, y: Rep<bool>| (x & !y | false, x ^ true)), (true, false)),
        (true, false)
    );
}

#[test]
fn assignments_change_the_variable_of_the_generator() {
    let built = build("f", |x: Rep<u32>| {
        let mut y = x;
        y += 3;
        y *= x;
        y <<= 1;
        y
    });
    assert_eq!(expect(built, (4,)), 56);
}

#[test]
fn static_code_leaves_no_trace() {
    let weights = [3.0, 0.0, 0.5, 1.0];
    let built = build("dot", |x: [Rep<f64>; 4]| {
        let terms = weights.iter().zip(x).filter(|(w, _)| **w != 0.0);
        terms.map(|(&w, x)| if w == 1.0 { x } else { w * x }).sum::<Rep<f64>>()
    })
    .expect("it is valid");
    let text = print(&built.module);
    assert_eq!((text.matches("multiply").count(), text.matches("add").count()), (2, 2), "{text}");
    assert_eq!(run(&built, ([1.0, 2.0, 3.0, 4.0],)), Ok(8.5));
}

#[test]
fn loops_pass_their_state() {
    let collatz = || {
        build("collatz", |n: Rep<u64>| {
            while_((n, 0u32), |(n, _)| n.ne(1), |(n, steps)| (if_((n & 1).eq(0), || n / 2, || n * 3 + 1), steps + 1)).1
        })
    };
    assert_eq!(expect(collatz(), (27,)), 111);
    assert_eq!(expect(collatz(), (1,)), 0);
    let powers = build("f", |n: Rep<u32>| fold(0u32, n, (1u64, 0u64), |_, (power, sum)| (power * 2, sum + power)));
    assert_eq!(expect(powers, (10,)), (1024, 1023));
}

#[test]
fn loops_are_left_from_inside() {
    let square_root = || {
        build("f", |n: Rep<u32>| {
            loop_(0u32, |root, l| {
                l.break_if((root * root).eq(n), (root, true));
                l.break_if((root * root).gt(n), (root - 1, false));
                l.continue_if(root.lt(2), root + 1);
                root + 1
            })
        })
    };
    assert_eq!(expect(square_root(), (49,)), (7, true));
    assert_eq!(expect(square_root(), (50,)), (7, false));
    assert_eq!(expect(square_root(), (0,)), (0, true));
    // Both loops are left from the inner one.
    let pair = build("f", |n: Rep<u32>| {
        block(|found| {
            for_(1u32, n, |a| for_(a, n, |b| found.with_if((a * a + b * b).eq(n), (a, b))));
            (0, 0)
        })
    });
    assert_eq!(expect(pair, (29,)), (2, 5));
}

#[test]
fn functions_return_early() {
    let sign = || {
        build("sign", |x: Rep<f64>| {
            when(x.is_nan(), || return_(f64::NAN));
            when(x.gt(0.0), || return_(1.0));
            if_(x.lt(0.0), || return_(-1.0), || x)
        })
    };
    assert!(expect(sign(), (f64::NAN,)).is_nan());
    assert_eq!([-3.0, 0.0, 7.0].map(|x| expect(sign(), (x,))), [-1.0, 0.0, 1.0]);
}

#[test]
fn switches_take_the_first_case() {
    let f = || {
        build("f", |x: Rep<i32>| {
            switch(x).case(1, || 10).cases([1, 2, 3, 2], || 20).cases([], || 30).otherwise(|| x * 2)
        })
    };
    assert_eq!([1, 2, 3, 4].map(|x| expect(f(), (x,))), [10, 20, 20, 8]);
}

#[test]
fn variables_hold_groups() {
    let fibonacci = build("f", |n: Rep<u32>| {
        let pair = var((0u64, 1u64));
        for_(0u32, n, |_| pair.update(|(a, b)| (b, a + b)));
        let mut count = var(0u32);
        count += n;
        (pair.get().0, count.get())
    });
    assert_eq!(expect(fibonacci, (50,)), (12_586_269_025, 50));
}

#[test]
fn functions_call_themselves() {
    let ackermann = build("f", |m: Rep<u32>, n: Rep<u32>| {
        let ackermann = recursive("ackermann", |ackermann: Callable<(Rep<u32>, Rep<u32>), Rep<u32>>, (m, n)| {
            when(m.eq(0), || return_(n + 1));
            when(n.eq(0), || return_(ackermann.call(m - 1, 1)));
            ackermann.call(m - 1, ackermann.call(m, n - 1))
        });
        ackermann.call(m, n)
    });
    assert_eq!(expect(ackermann, (2, 3)), 9);
}

/// A bytecode on four registers.
#[derive(Clone, Copy, Debug)]
enum Code {
    Set(usize, i64),
    Add(usize, usize),
    Multiply(usize, usize),
    /// Takes one off a register, and jumps if it is still positive.
    Loop(usize, usize),
    SkipIfLess(usize, usize),
}

type Registers<T> = [T; 4];

/// The interpreter on plain values.
fn interpret(code: &[Code], mut r: Registers<i64>) -> i64 {
    let mut at = 0;
    while let Some(&instruction) = code.get(at) {
        at += 1;
        match instruction {
            Code::Set(a, x) => r[a] = x,
            Code::Add(a, b) => r[a] = r[a].wrapping_add(r[b]),
            Code::Multiply(a, b) => r[a] = r[a].wrapping_mul(r[b]),
            Code::Loop(a, target) => {
                r[a] = r[a].wrapping_sub(1);
                at = if r[a] > 0 { target } else { at };
            }
            Code::SkipIfLess(a, b) => at += usize::from(r[a] < r[b]),
        }
    }
    r[0]
}

/// The same interpreter on staged values: the program is known now, so it becomes a compiler. Nothing is left of the dispatch.
fn compile(code: &'static [Code], at: usize, r: Registers<Rep<i64>>) -> Rep<i64> {
    let (mut at, mut r) = (at, r);
    let go_on = |at: usize, r: Registers<Rep<i64>>| specialized("at", at, r, |at, r| compile(code, at, r));
    while let Some(&instruction) = code.get(at) {
        at += 1;
        match instruction {
            Code::Set(a, x) => r[a] = Rep::new(x),
            Code::Add(a, b) => r[a] += r[b],
            Code::Multiply(a, b) => r[a] *= r[b],
            Code::Loop(a, target) => {
                r[a] -= 1;
                return if_(r[a].gt(0), || go_on(target, r), || go_on(at, r));
            }
            Code::SkipIfLess(a, b) => return if_(r[a].lt(r[b]), || go_on(at + 1, r), || go_on(at, r)),
        }
    }
    r[0]
}

#[test]
fn an_interpreter_of_a_known_program_is_a_compiler() {
    static FACTORIAL: &[Code] = &[Code::Set(0, 1), Code::Multiply(0, 1), Code::Loop(1, 1)];
    let built = build("f", |n: Rep<i64>| compile(FACTORIAL, 0, [n, n, n, n])).expect("it is valid");
    assert_eq!((interpret(FACTORIAL, [10; 4]), run(&built, (10,))), (3_628_800, Ok(3_628_800)));
    let text = print(&built.module);
    assert!(!text.contains("switch") && built.module.funcs.len() == 3, "{text}");
}

#[test]
fn compiled_programs_do_what_the_interpreter_does() {
    let mut state = 1u64;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for _ in 0..200 {
        let len = 1 + random(12);
        // The last register counts the rounds of loops, and nothing else writes it.
        let code: Vec<Code> = (0..len)
            .map(|at| {
                let (a, b) = (random(3) as usize, random(4) as usize);
                match random(6) {
                    0 => Code::Set(a, random(20) as i64 - 10),
                    1 | 2 => Code::Add(a, b),
                    3 => Code::Multiply(a, b),
                    4 => Code::Loop(3, random(at + 1) as usize),
                    _ => Code::SkipIfLess(a, b),
                }
            })
            .collect();
        let code: &'static [Code] = code.leak();
        let built = build("f", |r: Registers<Rep<i64>>| compile(code, 0, r)).expect("it is valid");
        for _ in 0..3 {
            let r = std::array::from_fn(|_| random(9) as i64 - 2);
            assert_eq!(run(&built, (r,)), Ok(interpret(code, r)), "{code:?} {r:?}\n{}", print(&built.module));
        }
    }
}

#[test]
fn specialized_functions_tie_the_knot() {
    // The automaton of /.*aab/ over the bytes of a word.
    fn state(matched: usize, word: Rep<u64>) -> Rep<bool> {
        const PATTERN: [u64; 3] = [b'a' as u64, b'a' as u64, b'b' as u64];
        specialized("state", matched, (word,), |matched, (word,)| {
            if matched == 3 {
                return true.stage();
            }
            let byte = word & 0xff;
            if_(
                byte.eq(0),
                || false,
                || {
                    if_(
                        byte.eq(PATTERN[matched]),
                        || state(matched + 1, word >> 8),
                        || {
                            // After "aa" another `a` keeps both.
                            if_(byte.eq(u64::from(b'a')), || state(matched.min(2), word >> 8), || state(0, word >> 8))
                        },
                    )
                },
            )
        })
    }
    let matches = |text: &str| {
        let mut word = [0; 8];
        word[..text.len()].copy_from_slice(text.as_bytes());
        let built = build("f", |word: Rep<u64>| state(0, word)).expect("it is valid");
        assert_eq!(built.module.funcs.len(), 5, "{}", print(&built.module));
        run(&built, (u64::from_le_bytes(word),)).expect("it does not trap")
    };
    assert!(
        matches("aab") && matches("xaaab") && matches("abaab") && !matches("abab") && !matches("aa") && !matches("")
    );
}

#[test]
fn vectors_cross_as_scalars() {
    type Vec3 = Vector<f32, 3>;
    let f = build("f", |v: Rep<Vec3>, s: Rep<f32>, m: Rep<Matrix<f32, 2, 3>>| {
        let w = m * Rep::from_components([s, s + 1.0]);
        (v * 2.0 + w, v.swizzle([2, 1, 0]).dot(Vector([1.0, 0.0, 0.0])), m.transpose())
    });
    let m = Matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (vector, z, transposed) = expect(f, (Vector([1.0, 2.0, 3.0]), 1.0, m));
    assert_eq!(vector, Vector([1.0 + 8.0 + 2.0, 2.0 + 10.0 + 4.0, 3.0 + 12.0 + 6.0]));
    assert_eq!((z, transposed), (3.0, Matrix([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])));
}

#[test]
fn numbers_convert_as_in_rust() {
    let floats = [0.0, -0.0, 1.9, -1.9, 3e9, -3e9, 1e20, f64::NAN, f64::INFINITY];
    for x in floats {
        let f =
            build("f", |x: Rep<f64>| (x.as_::<i32>(), x.as_::<u32>(), x.as_::<i64>(), x.as_::<u64>(), x.as_::<f32>()));
        let (a, b, c, d, e) = expect(f, (x,));
        assert_eq!((a, b, c, d, e.to_bits()), (x as i32, x as u32, x as i64, x as u64, (x as f32).to_bits()), "{x}");
    }
    for x in [0, 1, -1, i64::MIN, i64::MAX, 0x1_2345_6789] {
        let f = build("f", |x: Rep<i64>| {
            (x.as_::<i32>(), x.as_::<u32>(), x.as_::<f32>(), x.as_::<f64>(), x.bitcast::<f64>())
        });
        let (a, b, c, d, e) = expect(f, (x,));
        assert_eq!((a, b, c, d, e.to_bits()), (x as i32, x as u32, x as f32, x as f64, x as u64), "{x}");
    }
}

#[test]
fn minima_are_those_of_rust() {
    for x in [1.0, -2.0, f64::NAN, f64::INFINITY] {
        for y in [1.5, f64::NEG_INFINITY, f64::NAN] {
            let (least, most) = expect(build("f", |x: Rep<f64>, y: Rep<f64>| (x.min(y), x.max(y))), (x, y));
            assert_eq!((least.to_bits(), most.to_bits()), (x.min(y).to_bits(), x.max(y).to_bits()), "{x} {y}");
        }
    }
}

#[test]
fn powers_are_products() {
    for n in [-3, -1, 0, 1, 2, 7, 10] {
        let built = build("f", |x: Rep<f64>| x.powi(n)).expect("it is valid");
        assert_eq!(run(&built, (2.0,)), Ok(2f64.powi(n)), "{n}");
        let count = print(&built.module).matches("multiply").count();
        assert!(count <= 4, "{n}: {count}");
    }
}

#[test]
fn traps_have_the_place_of_the_rust() {
    let built = build("f", |x: Rep<i32>, y: Rep<i32>| x / y).expect("it is valid");
    let line = line!() - 1;
    let mut evaluator = Evaluator::new(&built.module, Limits::default()).expect("it can run");
    let args = [1, 0].map(|bits| EvalValue::scalar(&mut Types::new(), Scalar::I32, bits));
    let stop = evaluator.call(built.module.entry_points[0].func, &args).expect_err("it divides by zero");
    let planish_eval::Stop::Trap { span, .. } = stop else { panic!("{stop}") };
    let at = built.map.line_column(span.start).expect("it has a place");
    assert_eq!((at.line, built.map.file_at(span.start).map(|file| &*file.name)), (line, Some(file!())));
}
