//! The elementary functions of lanes, compared with the exact ones. `PLANISH_SEEDS=0..65536` takes every `f32` (and as many pairs).

use planish_eval::{Evaluator, Limits};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::Func;
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::meaning::{Kernel, kernel};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_opt::approximate_functions::{APPROXIMATED, run};
use planish_testkit::seeds;

const LANES: usize = 8;
const CALLS: usize = 512;
/// Greatest error, in units of the last place, as in `docs/numerics.md`. The exact result is rounded, so that the error beyond half a
/// unit shows as 1.
const MOST: u64 = 1;
/// Share of arguments, in one of so many, at which the result may differ from the exact one.
const RARE: usize = 200;

/// A function of lanes that is one op.
fn module(op: Op, count: usize) -> (Module, Func) {
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
    let args: Vec<_> = (0..count).map(|i| b.param(i)).collect();
    let value = b.op(op, &args);
    b.ret(&[value]);
    b.finish();
    run(&mut module, LANES as u8);
    let body = module.funcs[func].body.as_ref().expect("it has a body");
    assert!(body.nodes().all(|(_, data)| data.op == Op::Call), "{} is not approximated", op.text());
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

/// The number of floats from one to another; NaN is none.
fn distance(x: u32, y: u32) -> u64 {
    if f32::from_bits(x).is_nan() || f32::from_bits(y).is_nan() {
        return if f32::from_bits(x).is_nan() == f32::from_bits(y).is_nan() { 0 } else { u64::MAX };
    }
    // Signs of zeros count.
    let order =
        |bits: u32| i64::from(bits & 0x7fff_ffff) * if bits >> 31 == 0 { 1 } else { -1 } - i64::from(bits >> 31);
    order(x).abs_diff(order(y))
}

#[test]
fn approximated_functions_are_nearly_correctly_rounded() {
    for op in APPROXIMATED {
        let exact = kernel(op, Scalar::F32).expect("floats have it");
        let count = if matches!(exact, Kernel::Binary(_)) { 2 } else { 1 };
        let (module, func) = module(op, count);
        let mut evaluator = Evaluator::with_lanes(&module, Limits::default(), CALLS).expect("needs no memory");
        let (mut compared, mut differ) = (0, 0);
        for seed in seeds(0..2) {
            for chunk in arguments(seed, count).chunks(LANES * CALLS) {
                let column = |arg: usize, lane: usize| -> Vec<u64> {
                    chunk.chunks(LANES).map(|call| u64::from(call[lane][arg])).collect()
                };
                let columns: Vec<Vec<u64>> = (0..count)
                    .flat_map(|arg| (0..LANES).map(move |lane| (arg, lane)))
                    .map(|(a, l)| column(a, l))
                    .collect();
                let found = evaluator.call_active(func, &[true; CALLS], &[], &columns).expect("it ends");
                for (i, args) in chunk.iter().enumerate() {
                    let wanted = match exact {
                        Kernel::Unary(f) => (f.one)(args[0].into()),
                        Kernel::Binary(f) => (f.one)(args[0].into(), args[1].into()),
                        _ => panic!("functions have one or two arguments"),
                    } as u32;
                    let found = found[i % LANES][i / LANES] as u32;
                    let error = distance(wanted, found);
                    assert!(
                        error <= MOST,
                        "{}({:?}) is {:?}, not {:?}",
                        op.text(),
                        &args.map(f32::from_bits)[..count],
                        f32::from_bits(found),
                        f32::from_bits(wanted)
                    );
                    compared += 1;
                    differ += usize::from(error > 0);
                }
            }
        }
        println!("{}: {differ} of {compared} differ", op.text());
        assert!(compared > 100_000 && differ * RARE < compared, "{}: {differ} of {compared} differ", op.text());
    }
}
