//! Random flat functions, before and after each stage: without fast-math the same bits (any NaN for a NaN), on numbers among
//! which are NaN, infinities, -0.0 and the extremes of integers; with fast-math nearly the same, on ordinary numbers. Going
//! through a stage twice changes nothing more. What fails is made smaller and printed. `FLATTEN_SEEDS=100000` judges more
//! than the usual number.

pub(crate) mod recipe;

use planish_flatten::{Options, stage};
use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Local, Node, Type, Value, ValueKind};
use planish_ir::function::{Body, Exit};
use planish_ir::meaning::{Operand, evaluate as compute};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print};
use planish_ir::types::Scalar;
use planish_ir::uniform::uniform_values;
use planish_ir::verify::verify;
use planish_testkit::straight_line::{Random, number, ordinary, same, scalars, show, special};

use recipe::Recipe;

/// Tolerance of results with fast-math, relative to the largest intermediate number.
const TOLERANCE: f64 = 1e-8;

/// Numbers above this leave nothing to compare.
const LARGEST: f64 = 1e5;

fn seeds() -> u64 {
    std::env::var("FLATTEN_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// The bits of what a flat function returns, and the largest float on the way; `load` says what a variable holds.
fn run(module: &Module, func: Func, inputs: &[Vec<u64>], uniforms: &[Vec<u64>]) -> (Vec<Vec<u64>>, f64) {
    let body = body(module, func);
    let mut values: SideTable<Local, Vec<u64>> = SideTable::new();
    let mut largest = 1.0f64;
    for (&local, input) in body.blocks[body.entry].inputs.iter().zip(inputs) {
        values[local] = input.clone();
    }
    let value = |v: Value, values: &SideTable<Local, Vec<u64>>| match v.kind() {
        ValueKind::Local(local) => values[local].clone(),
        ValueKind::Const(c) => {
            let mut bits = Vec::new();
            assert!(module.consts.flatten(c, &mut bits));
            bits
        }
        _ => Vec::new(),
    };
    for &node in &body.blocks[body.entry].nodes {
        let result = body.result(node).expect("nodes have results here");
        let ty = body.local_type(result);
        let data = body.node(node);
        let out = if data.op == Op::Load {
            let var = body.args(node)[0].as_var().expect("a load is of a whole variable");
            let number = module.globals.iter().position(|&v| v == var).expect("it is a global variable");
            uniforms[number].clone()
        } else {
            let args: Vec<(Type, Vec<u64>)> =
                body.args(node).iter().map(|&a| (module.type_of(body, a), value(a, &values))).collect();
            let operands: Vec<Operand<'_>> = args.iter().map(|(ty, bits)| Operand { ty: *ty, bits }).collect();
            let mut out = Vec::new();
            compute(&module.types, data.op, data.imm, &operands, ty, &mut out)
                .unwrap_or_else(|fault| panic!("{:?}: {fault:?}", data.op));
            out
        };
        // A quotient with a tiny divisor may be rounding noise.
        let tiny = |a: &Value| {
            let scalar = module.types.scalar_of(module.type_of(body, *a));
            scalar.is_some_and(|s| s.is_float() && value(*a, &values).iter().any(|&bits| number(s, bits).abs() < 1e-3))
        };
        if data.op == Op::Divide && tiny(&body.args(node)[1]) {
            largest = f64::INFINITY;
        }
        for (scalar, &bits) in scalars(&module.types, ty).unwrap_or_default().into_iter().zip(&out) {
            let size = if scalar.is_float() { number(scalar, bits).abs() } else { 0.0 };
            largest = largest.max(if size.is_nan() { f64::INFINITY } else { size });
        }
        values[result] = out;
    }
    let Exit::Return(results) = &body.blocks[body.entry].exit else { panic!("it returns") };
    (results.iter().map(|&r| value(r, &values)).collect(), largest)
}

fn body(module: &Module, func: Func) -> &Body {
    module.funcs[func].body.as_ref().expect("it has an inside")
}

/// Nodes that a target has to compute: all but vectors of one scalar, which are written as that scalar; and of what is taken
/// apart its parts.
fn nodes(module: &Module, func: Func) -> usize {
    cost(module, func, &|_| true)
}

/// As [`nodes`], of those that are not uniform.
fn varying_nodes(module: &Module, func: Func) -> usize {
    let body = body(module, func);
    let uniform = uniform_values(module, body, &|_| false);
    cost(module, func, &|node| body.results(node).any(|r| !uniform[r]))
}

fn cost(module: &Module, func: Func, counts: &dyn Fn(Node) -> bool) -> usize {
    let body = body(module, func);
    let of = |op: Op| match op {
        Op::ConstructVectorFromScalar | Op::Load => 0,
        Op::MultiplyAdd => 2,
        // Of four components: four of them, three comparisons, three choices.
        Op::ExtractVectorComponentDynamic | Op::InsertVectorComponentDynamic => 10,
        _ => 1,
    };
    let nodes = body.blocks[body.entry].nodes.iter();
    nodes.filter(|&&n| counts(n)).map(|&n| of(body.node(n).op)).sum()
}

/// Measure of a function.
type Measure = fn(&Module, Func) -> usize;

/// Test case: stages in order, and the measure that the last one must not increase.
#[derive(Clone, Copy)]
struct Case<'a> {
    stages: &'a [&'a str],
    measure: Measure,
    fast_math: bool,
}

/// Goes through the stages; what is measured before and after the last one, or what is wrong.
fn go_through(module: &mut Module, case: Case<'_>) -> Result<(usize, usize), String> {
    let func = module.funcs.keys().last().expect("there is a function");
    let options = Options { fast_math: case.fast_math, ..Options::default() };
    let mut measured = (0, 0);
    for name in case.stages {
        let run = stage(name).unwrap_or_else(|| panic!("there is no stage {name}")).run;
        measured.0 = (case.measure)(module, func);
        run(module, func, &options).expect("it is flat");
        measured.1 = (case.measure)(module, func);
        let errors = verify(module);
        if !errors.is_empty() {
            return Err(format!("{name}: {errors:#?}\n{}", print(module)));
        }
        let once = print(module);
        run(module, func, &options).expect("it is flat");
        let twice = print(module);
        if once != twice {
            return Err(format!("{name} again:\n{once}{twice}"));
        }
    }
    if measured.1 > measured.0 {
        return Err(format!("{} nodes for {}:\n{}", measured.1, measured.0, print(module)));
    }
    Ok(measured)
}

/// Checks the result of the stages; an error describes the difference.
fn judge(text: &str, case: Case<'_>, seed: u64) -> Result<(usize, usize), String> {
    let before = parse_str(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    assert_eq!(verify(&before), [], "{text}");
    let func = before.funcs.keys().last().expect("there is a function");
    let fast_math = case.fast_math;
    let mut after = before.clone();
    let measured = go_through(&mut after, case)?;
    let mut random = Random::new(seed);
    for _ in 0..12 {
        let mut input = |ty: Type| -> Vec<u64> {
            let of = |random: &mut Random, s: Scalar| if fast_math { ordinary(random, s) } else { special(random, s) };
            scalars(&before.types, ty).expect("numbers").into_iter().map(|s| of(&mut random, s)).collect()
        };
        let inputs: Vec<Vec<u64>> = before.funcs[func].params.iter().map(|p| input(p.ty)).collect();
        let uniforms: Vec<Vec<u64>> = before.globals.iter().map(|&v| input(before.vars[v].ty)).collect();
        let (wanted, largest) = run(&before, func, &inputs, &uniforms);
        let (got, _) = run(&after, func, &inputs, &uniforms);
        for (i, result) in before.funcs[func].results.iter().enumerate() {
            let scalars = scalars(&before.types, result.ty).expect("numbers");
            let is_near = |(&s, (&x, &y)): (&Scalar, (&u64, &u64))| {
                if !s.is_float() {
                    return x == y;
                }
                (number(s, x) - number(s, y)).abs() <= TOLERANCE * largest * largest
            };
            let fine = match fast_math {
                true if largest > LARGEST => true,
                true => scalars.iter().zip(wanted[i].iter().zip(&got[i])).all(is_near),
                false => same(&scalars, &wanted[i], &got[i], true),
            };
            if !fine {
                let (wanted, got) = (show(&scalars, &wanted[i]), show(&scalars, &got[i]));
                return Err(format!("result {i} is {got}, not {wanted}\n{inputs:x?} {uniforms:x?}\n{}", print(&after)));
            }
        }
    }
    Ok(measured)
}

/// Judges random functions; the sums of what is measured before and after.
fn judge_all(case: Case<'_>) -> (usize, usize) {
    let mut total = (0, 0);
    for seed in 0..seeds() {
        let mut random = Random::new(seed);
        let steps = 2 + (seed as usize * 60 / seeds() as usize);
        let mut recipe = Recipe::random(&mut random, steps, case.fast_math);
        match judge(&recipe.text(), case, seed) {
            Ok((before, after)) => total = (total.0 + before, total.1 + after),
            Err(_) => {
                recipe.reduce(&mut |text| judge(text, case, seed).is_err());
                let text = recipe.text();
                let error = judge(&text, case, seed).expect_err("it was reduced to what fails");
                panic!("seed {seed}, {:?}, fast-math {}\n{text}\n{error}", case.stages, case.fast_math);
            }
        }
    }
    println!("{:?}, fast-math {}: {} nodes, then {}", case.stages, case.fast_math, total.0, total.1);
    total
}

const FOLD: &[&str] = &["fold"];
const OPTIMIZE: &[&str] = &["fold", "optimize"];

#[test]
fn folding_keeps_every_bit() {
    let (before, after) = judge_all(Case { stages: FOLD, measure: nodes, fast_math: false });
    assert!(after < before);
}

#[test]
fn folding_leaves_to_the_draw_what_is_uniform() {
    judge_all(Case { stages: FOLD, measure: varying_nodes, fast_math: false });
    judge_all(Case { stages: FOLD, measure: varying_nodes, fast_math: true });
}

#[test]
fn folding_with_fast_math_keeps_real_numbers() {
    let (before, after) = judge_all(Case { stages: FOLD, measure: nodes, fast_math: true });
    assert!(after < before);
}

#[test]
fn optimizing_keeps_every_bit() {
    let (before, after) = judge_all(Case { stages: OPTIMIZE, measure: varying_nodes, fast_math: false });
    assert!(after <= before);
}

#[test]
fn optimizing_with_fast_math_keeps_real_numbers() {
    let (before, after) = judge_all(Case { stages: OPTIMIZE, measure: varying_nodes, fast_math: true });
    assert!(after < before);
}
