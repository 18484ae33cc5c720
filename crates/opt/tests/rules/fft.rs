//! A fast Fourier transform, staged: the recursive program runs in this test and leaves the arithmetic of one size behind.
//! Its factors are the roots of unity; the rules simplify products with 1, 0 and -1.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Type, Value};
use planish_ir::function::{Direction, Form, Param, ResultType};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use planish_opt::Options;
use planish_opt::eliminate_dead_code;
use planish_opt::rules::Rules;
use planish_testkit::straight_line::Values;

type Complex = (Value, Value);

/// The transform of a list whose length is a power of two.
fn fft(b: &mut Builder<'_, '_>, list: &[Complex]) -> Vec<Complex> {
    if list.len() == 1 {
        return list.to_vec();
    }
    let even: Vec<Complex> = list.iter().copied().step_by(2).collect();
    let odd: Vec<Complex> = list.iter().copied().skip(1).step_by(2).collect();
    let (even, odd) = (fft(b, &even), fft(b, &odd));
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (k, (&e, &o)) in even.iter().zip(&odd).enumerate() {
        let angle = -2.0 * PI * k as f64 / list.len() as f64;
        let turned = times(b, o, angle);
        low.push((b.op(Op::Add, &[e.0, turned.0]), b.op(Op::Add, &[e.1, turned.1])));
        high.push((b.op(Op::Subtract, &[e.0, turned.0]), b.op(Op::Subtract, &[e.1, turned.1])));
    }
    low.append(&mut high);
    low
}

/// A complex number times the root of unity at an angle. `cos(pi / 2)` is 6e-17, which no rule may take for zero: the
/// constants are rounded here.
fn times(b: &mut Builder<'_, '_>, x: Complex, angle: f64) -> Complex {
    let f64 = b.module.types.scalar(Scalar::F64);
    let mut constant = |x: f64| {
        let rounded = (x * 1e12).round() / 1e12;
        Value::from(b.module.consts.bits(f64, rounded.to_bits()))
    };
    let (cosine, sine) = (constant(angle.cos()), constant(angle.sin()));
    let products = [(x.0, cosine), (x.1, sine), (x.0, sine), (x.1, cosine)];
    let [a, d, c, e] = products.map(|(x, y)| b.op(Op::Multiply, &[x, y]));
    (b.op(Op::Subtract, &[a, d]), b.op(Op::Add, &[c, e]))
}

/// The module with the transform of `n` complex numbers, built under a policy.
fn staged(n: usize, rules: Option<&Rules>) -> Module {
    let mut module = Module::new(Language::Ir);
    let f64: Type = module.types.scalar(Scalar::F64);
    let param = |i| Param {
        name: Name::temporary(format!("x{i}")),
        ty: f64,
        precision: Precision::None,
        direction: Direction::In,
        span: Span::NONE,
    };
    let params = (0..2 * n).map(param).collect();
    let results = vec![ResultType { ty: f64, precision: Precision::None }; 2 * n];
    let func = module.add_func(Name::temporary("fft"), params, results, Span::NONE);
    let rules = rules.map(|r| r as &dyn planish_ir::builder::Rewriter);
    let share = rules.is_some();
    let mut b = Builder::new(&mut module, func, Policy { form: Form::Floating, fold: true, share, rules });
    let list: Vec<Complex> = (0..n).map(|i| (b.param(2 * i), b.param(2 * i + 1))).collect();
    let results: Vec<Value> = fft(&mut b, &list).into_iter().flat_map(|(re, im)| [re, im]).collect();
    b.ret(&results);
    b.finish();
    module
}

/// Number of nodes of each op that the results need.
fn counts(module: &mut Module) -> BTreeMap<&'static str, usize> {
    eliminate_dead_code::run(module, &mut planish_opt::Context::default());
    let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("has been built");
    let mut pending: Vec<Value> = Vec::new();
    body.blocks[body.entry].exit.for_each_operand(|v| pending.push(v));
    let (mut counts, mut seen) = (BTreeMap::new(), std::collections::HashSet::new());
    while let Some(value) = pending.pop() {
        let Some(node) = body.node_of(value).filter(|&n| seen.insert(n)) else { continue };
        *counts.entry(body.node(node).op.text()).or_default() += 1;
        pending.extend_from_slice(body.args(node));
    }
    counts
}

fn fast_math() -> Rules {
    Rules::new(&Options { fast_math: true, ..Options::default() })
}

#[test]
fn four_points_need_sixteen_sums_and_no_product() {
    let mut plain = counts(&mut staged(4, None));
    assert_eq!(plain.values().sum::<usize>(), 40, "{plain:?}");
    plain = counts(&mut staged(4, Some(&fast_math())));
    assert_eq!(plain, BTreeMap::from([("add", 8), ("subtract", 8)]));
}

/// Of 8 points only the odd multiples of an eighth turn cost products: two numbers, each times one constant.
#[test]
fn eight_points_need_few_products() {
    let counts = counts(&mut staged(8, Some(&fast_math())));
    let products = counts.get("multiply").copied().unwrap_or(0);
    let sums = counts["add"] + counts["subtract"];
    assert!(products <= 8 && sums <= 56, "{counts:?}");
}

/// It is the transform: compared with the sum that defines it.
#[test]
fn the_staged_transform_is_right() {
    for n in [4, 8] {
        let module = staged(n, Some(&fast_math()));
        let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("has been built");
        let input: Vec<f64> = (0..2 * n).map(|i| (i * i % 7) as f64 - 2.5).collect();
        let bits: Vec<Vec<u64>> = input.iter().map(|x| vec![x.to_bits()]).collect();
        let values = Values::new(&module, body, &bits);
        let mut results = Vec::new();
        body.blocks[body.entry].exit.for_each_operand(|v| results.push(v));
        for k in 0..n {
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..n {
                let angle = -2.0 * PI * (j * k) as f64 / n as f64;
                re += input[2 * j] * angle.cos() - input[2 * j + 1] * angle.sin();
                im += input[2 * j] * angle.sin() + input[2 * j + 1] * angle.cos();
            }
            for (value, expected) in [(results[2 * k], re), (results[2 * k + 1], im)] {
                let got = f64::from_bits(values.get(value).expect("is a number")[0]);
                assert!((got - expected).abs() < 1e-9, "{n} points: {got}, not {expected}");
            }
        }
    }
}
