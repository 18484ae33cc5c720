//! Long chains of what rules look through: no rule may go down them by recursion (the depth limit would stop it), and what
//! is made may not grow faster than the program.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Type, Value};
use planish_ir::function::{Direction, Form, Param};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_opt::rules::Rules;
use planish_opt::{Context, Options};

/// Iterations of each chain.
const ROUNDS: usize = 2000;

/// Builds a function of `params` with `build` and the rules, in `--fast-math`; checks that no rule has been stopped, and
/// that there are at most `nodes` nodes.
fn chain(params: &[Type], nodes: usize, build: impl FnOnce(&mut Builder<'_, '_>, &[Value])) {
    let mut module = Module::new(Language::Ir);
    let param = |(i, &ty): (usize, &Type)| Param {
        name: Name::temporary(format!("x{i}")),
        ty,
        precision: Precision::None,
        direction: Direction::In,
        span: Span::NONE,
    };
    let params = params.iter().enumerate().map(param).collect();
    let func = module.add_func(Name::temporary("f"), params, vec![], Span::NONE);
    let options = Options { fast_math: true, ..Options::default() };
    let rules = Rules::new(&options);
    let policy = Policy { form: Form::Floating, fold: true, share: true, rules: Some(&rules) };
    let mut b = Builder::new(&mut module, func, policy);
    let params: Vec<Value> = (0..b.body().blocks[b.body().entry].inputs.len()).map(|i| b.param(i)).collect();
    build(&mut b, &params);
    let made = b.body().node_count();
    let mut context = Context::new(options);
    rules.report(&module, &mut context);
    assert_eq!(context.stats.get("", "RuleDepthReached"), 0);
    assert!(made <= nodes, "{made} nodes");
}

/// Two values that go through the same ops with the same operands, and what is made of both in the end.
fn twins(ty: Type, op: Op, last: Op) {
    // Two chains, and one more that the rule makes.
    chain(&[ty, ty, ty], 4 * ROUNDS, |b, params| {
        let (mut p, mut q, mut x) = (params[0], params[1], params[2]);
        for _ in 0..ROUNDS {
            x = b.op(if ty == Type::BOOL { Op::LogicalNot } else { Op::BitwiseNot }, &[x]);
            let y = if ty == Type::BOOL { x } else { b.op(Op::Multiply, &[x, x]) };
            (p, q) = (b.op(op, &[p, y]), b.op(op, &[q, y]));
        }
        b.op(last, &[p, q]);
    });
}

#[test]
fn products_with_common_factors() {
    twins(Type::I32, Op::Multiply, Op::Add);
    twins(Type::I32, Op::Multiply, Op::Subtract);
}

#[test]
fn sums_with_common_terms() {
    twins(Type::I32, Op::Add, Op::Subtract);
    twins(Type::I32, Op::Subtract, Op::Subtract);
}

#[test]
fn conditions_with_common_parts() {
    chain(&[Type::BOOL; 2], 5 * ROUNDS, |b, params| {
        let (mut p, mut q) = (params[0], params[1]);
        for i in 0..ROUNDS {
            let i = b.i32(i as i32);
            let x = b.op_typed(Op::ConstructScalarFromScalar, &[params[0]], Type::I32);
            let c = b.op(Op::LessThan, &[x, i]);
            (p, q) = (b.op(Op::LogicalAnd, &[p, c]), b.op(Op::LogicalAnd, &[q, c]));
        }
        b.op(Op::LogicalOr, &[p, q]);
    });
}

#[test]
fn a_hash_compared_with_a_constant() {
    chain(&[Type::I32], 3 * ROUNDS, |b, params| {
        let mut x = params[0];
        for i in 0..ROUNDS {
            let (c, d) = (b.i32(3 * i as i32 + 1), b.i32(7 * i as i32 + 5));
            x = b.op(Op::Add, &[x, c]);
            x = b.op(Op::BitwiseXor, &[x, d]);
        }
        let c = b.i32(1234);
        let equal = b.op(Op::Equal, &[x, c]);
        assert_eq!(b.definition(equal).map(|(_, _, args)| args[0]), Some(params[0]), "all is undone");
    });
}

#[test]
fn powers_of_a_matrix() {
    chain(&[Type::MAT2, Type::VEC2], 200, |b, params| {
        let mut m = params[0];
        for _ in 0..100 {
            m = b.op(Op::MatrixTimesMatrix, &[m, m]);
        }
        b.op(Op::MatrixTimesVector, &[m, params[1]]);
        b.op(Op::VectorTimesMatrix, &[params[1], m]);
    });
}

#[test]
fn columns_of_a_long_sum() {
    chain(&[Type::MAT2], 5 * ROUNDS, |b, params| {
        let mut m = params[0];
        for i in 0..ROUNDS {
            let c = b.f32(0.5 + i as f32);
            m = b.op(Op::MatrixTimesScalar, &[m, c]);
            let c = b.op_typed(Op::ConstructMatrixFromScalar, &[c], Type::MAT2);
            m = b.op(Op::Add, &[m, c]);
        }
        let one = b.i32(1);
        b.op(Op::ExtractMatrixColumn, &[m, one]);
    });
}

#[test]
fn many_insertions() {
    chain(&[Type::F32], 100, |b, params| {
        let array = b.module.types.array(Type::F32, 100);
        let mut a: Value = b.module.consts.zero(&mut b.module.types, array).expect("is a type of numbers").into();
        for i in 0..100 {
            let i = b.i32(i);
            a = b.op(Op::InsertArrayElement, &[a, params[0], i]);
        }
        for i in 0..100 {
            let i = b.i32(i);
            assert_eq!(b.op(Op::ExtractArrayElement, &[a, i]), params[0]);
        }
    });
}

#[test]
fn long_sums_and_products() {
    chain(&[Type::F32, Type::F32], 6 * ROUNDS, |b, params| {
        let (mut sum, mut product) = (params[0], params[0]);
        for i in 0..ROUNDS {
            let c = b.f32(1.0 + (i % 7) as f32);
            sum = b.op(Op::Add, &[sum, c]);
            sum = b.op(Op::Add, &[sum, params[1]]);
            product = b.op(Op::Multiply, &[product, params[1]]);
            product = b.op(Op::Divide, &[product, sum]);
            sum = b.op(Op::Negate, &[sum]);
        }
        b.op(Op::Add, &[sum, product]);
    });
}
