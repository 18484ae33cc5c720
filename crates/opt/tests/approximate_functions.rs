//! The elementary functions of lanes, compared with the exact ones. `cargo xtask elementary` takes every `f32`.

use planish_eval::{Evaluator, Limits};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Value};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::meaning::{Kernel, kernel};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_opt::approximate_functions::{APPROXIMATED, MOST_ERRORS, error, run};
use planish_testkit::seeds;

const LANES: usize = 8;
const CALLS: usize = 512;
/// The same of powers between 2^-16 and 2^16.
const MOST_OF_ORDINARY_POWERS: f64 = 3.5;

/// A function of lanes that is one op; `known` is the second operand, if it is no parameter.
fn module(op: Op, count: usize, known: Option<f32>) -> (Module, Func) {
    let mut module = Module::new(Language::Ir);
    let ty = module.types.vector(Scalar::F32, LANES as u8);
    let param = Param {
        name: Name::temporary("x"),
        ty,
        precision: Precision::None,
        direction: Direction::In,
        span: Span::NONE,
    };
    let result = ResultType { ty, precision: Precision::None };
    let func = module.add_func(Name::temporary("f"), vec![param; count], vec![result], Span::NONE);
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let mut args: Vec<_> = (0..count).map(|i| b.param(i)).collect();
    let lanes =
        known.map(|number| b.module.consts.splat(&mut b.module.types, ty, number.to_bits().into()).expect("lanes"));
    args.extend(lanes.map(Value::from));
    let value = b.op(op, &args);
    b.ret(&[value]);
    b.finish();
    run(&mut module, LANES as u8);
    let body = module.funcs[func].body.as_ref().expect("it has a body");
    assert!(body.nodes().all(|(_, data)| data.op != op), "{} is not approximated", op.text());
    assert_eq!(verify(&module), []);
    (module, func)
}

/// Arguments: every 65,536th float from the seed on; of two, the second in another order.
fn arguments(seed: u64, count: usize) -> Vec<[u32; 2]> {
    let first = (0..65_536u64).map(|i| (i << 16 | seed.wrapping_mul(40_503) & 0xffff) as u32);
    let second = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed) >> 23) as u32;
    let mut all: Vec<[u32; 2]> = first.zip(0..).map(|(x, i)| [x, second(i)]).collect();
    if count == 2 {
        // Pairs whose power, or angle, is an ordinary number.
        for (i, pair) in all.iter_mut().enumerate().filter(|(i, _)| i % 2 == 0) {
            let of = |bits: u32, scale: f32| (f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0) * scale;
            *pair =
                [of(pair[1], 8.0).to_bits(), (of((i as u32).wrapping_mul(2_654_435_761) >> 9, 32.0) - 16.0).to_bits()];
        }
        let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-45, -1e-45, 3.0, f32::MAX];
        let bits = special.map(f32::to_bits);
        all.extend(bits.iter().flat_map(|&x| bits.iter().map(move |&y| [x, y])));
    }
    while !all.len().is_multiple_of(LANES * CALLS) {
        all.push([0x3f80_0000; 2]);
    }
    all
}

#[test]
fn approximated_functions_are_within_their_errors() {
    for &(op, most) in MOST_ERRORS {
        check(op, most, None);
    }
}

#[test]
fn powers_with_known_exponents_are_within_their_errors() {
    let exponents = [
        0.5,
        1.0,
        1.5,
        2.0,
        2.2,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
        8.0,
        0.0,
        -0.0,
        -1.0,
        24.0,
        1.0 / 2.2,
        f32::INFINITY,
        f32::NAN,
    ];
    for exponent in exponents {
        check(Op::Pow, 16.0, Some(exponent));
    }
}

/// Sine and cosine of one angle, and angles of which bounds are known, have functions of their own.
#[test]
fn sines_and_cosines_of_one_angle_are_within_their_errors() {
    for (limit, reaches_far) in [(Some(190.0f32), false), (Some(25_000.0), false), (None, true)] {
        let (module, func) = sine_and_cosine(limit);
        let far = module.funcs.values().any(|func| func.name.text.contains("far"));
        assert_eq!(far, reaches_far, "{limit:?}");
        let mut evaluator = Evaluator::with_lanes(&module, Limits::default(), CALLS).expect("needs no memory");
        let (mut greatest, mut compared) = ([0.0f64; 2], 0);
        for chunk in arguments(7, 1).chunks(LANES * CALLS) {
            let columns: Vec<Vec<u64>> =
                (0..LANES).map(|lane| chunk.chunks(LANES).map(|call| u64::from(call[lane][0])).collect()).collect();
            let found = evaluator.call_active(func, &[true; CALLS], &[], &columns).expect("it ends");
            for (i, &[bits, _]) in chunk.iter().enumerate() {
                let x = f32::from_bits(bits);
                let x = limit.map_or(x, |limit| if x.is_nan() { x } else { x.clamp(-limit, limit) });
                for (part, op) in [Op::Sin, Op::Cos].into_iter().enumerate() {
                    let found = f32::from_bits(found[part * LANES + i % LANES][i / LANES] as u32);
                    let Some(Kernel::Unary(exact)) = kernel(op, Scalar::F64) else { panic!("it has one argument") };
                    let wanted = f64::from_bits((exact.one)(f64::from(x).to_bits()));
                    let error = error(found, wanted);
                    assert!(error <= 2.4, "{}({x:?}) is {found:?}, not {wanted:?}: {error} units", op.text());
                    greatest[part] = greatest[part].max(error);
                    compared += 1;
                }
            }
        }
        println!("{limit:?}: {compared} compared, errors at most {greatest:.3?}");
        assert!(compared > 100_000 && greatest.iter().all(|&error| error > 0.5), "{greatest:?} after {compared}");
    }
}

/// A function of lanes with the sine and cosine of its parameter, whose magnitude may have a limit.
fn sine_and_cosine(limit: Option<f32>) -> (Module, Func) {
    let mut module = Module::new(Language::Ir);
    let ty = module.types.vector(Scalar::F32, LANES as u8);
    let param = Param::new(Name::temporary("x"), ty);
    let func = module.add_func(Name::temporary("f"), vec![param], vec![ResultType::new(ty); 2], Span::NONE);
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let mut x = b.param(0);
    if let Some(limit) = limit {
        let bounds = [-limit, limit].map(|bound| {
            let lanes = b.module.consts.splat(&mut b.module.types, ty, bound.to_bits().into()).expect("lanes");
            Value::from(lanes)
        });
        x = b.op(Op::Clamp, &[x, bounds[0], bounds[1]]);
    }
    let both = [Op::Sin, Op::Cos].map(|op| b.op(op, &[x]));
    b.ret(&both);
    b.finish();
    run(&mut module, LANES as u8);
    assert_eq!(verify(&module), []);
    let body = module.funcs[func].body.as_ref().expect("it has a body");
    assert_eq!(body.nodes().filter(|(_, data)| data.op == Op::Call).count(), 1, "one function computes both");
    (module, func)
}

/// Compares an op with its exact function; `known` is the second operand, if it is always the same.
fn check(op: Op, most: f64, known: Option<f32>) {
    assert!(APPROXIMATED.contains(&op));
    let exact = kernel(op, Scalar::F64).expect("floats have it");
    let count = if matches!(exact, Kernel::Binary(_)) && known.is_none() { 2 } else { 1 };
    let (module, func) = module(op, count, known);
    let mut evaluator = Evaluator::with_lanes(&module, Limits::default(), CALLS).expect("needs no memory");
    let (mut compared, mut greatest) = (0, 0.0f64);
    for seed in seeds(0..2) {
        for chunk in arguments(seed, count).chunks(LANES * CALLS) {
            let column = |arg: usize, lane: usize| -> Vec<u64> {
                chunk.chunks(LANES).map(|call| u64::from(call[lane][arg])).collect()
            };
            let columns: Vec<Vec<u64>> =
                (0..count).flat_map(|arg| (0..LANES).map(move |lane| (arg, lane))).map(|(a, l)| column(a, l)).collect();
            let found = evaluator.call_active(func, &[true; CALLS], &[], &columns).expect("it ends");
            for (i, args) in chunk.iter().enumerate() {
                let mut args = args.map(f32::from_bits);
                args[1] = known.unwrap_or(args[1]);
                let wide = args.map(|x| f64::from(x).to_bits());
                let wanted = f64::from_bits(match exact {
                    Kernel::Unary(f) => (f.one)(wide[0]),
                    Kernel::Binary(f) => (f.one)(wide[0], wide[1]),
                    _ => panic!("functions have one or two arguments"),
                });
                let found = f32::from_bits(found[i % LANES][i / LANES] as u32);
                let error = error(found, wanted);
                let most = match op {
                    Op::Pow if wanted.log2().abs() < 16.0 => MOST_OF_ORDINARY_POWERS,
                    _ => most,
                };
                assert!(error <= most, "{}({args:?}) is {found:?}, not {wanted:?}: {error} units", op.text());
                compared += 1;
                greatest = greatest.max(error);
            }
        }
    }
    println!("{} {known:?}: {compared} compared, error at most {greatest:.3}", op.text());
    assert!(compared > 100_000 && (known.is_some() || greatest > 0.5), "{}: {greatest} after {compared}", op.text());
}
