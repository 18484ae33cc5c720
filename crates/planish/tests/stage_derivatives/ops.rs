//! Every op: against finite differences, forward against reverse mode, and against VL's derivatives.

use std::path::Path;

use planish::ir::builder::{Builder, Policy, Request};
use planish::ir::decoration::Name;
use planish::ir::derivative::{Derivative, DerivativeMode, Derivatives};
use planish::ir::entity::{Func, Type};
use planish::ir::function::{Param, ResultType};
use planish::ir::meaning::Shape;
use planish::ir::module::{Language, Module};
use planish::ir::ops::{Class, Effect, Imm, ImmKind, Lanes, Op};
use planish::ir::source::Span;
use planish::ir::types::Scalar;
use planish::opt::differentiate;
use planish::stage::{Rep, function};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_testkit::vl::run;

use super::{close, made, slope};

/// A module with one op, and its derivatives in both modes.
struct Case {
    module: Module,
    function: Func,
    forward: Func,
    reverse: Func,
}

/// The op on parameters of these types; `None` if they do not fit, or the result is no float.
fn op_on(op: Op, imm: Imm, types: &[Type], ty: Option<Type>, mut module: Module) -> Option<(Module, Func)> {
    let params: Vec<Param> = types.iter().map(|&ty| Param::new(Name::temporary("x"), ty)).collect();
    let func = module.add_func(Name::temporary("f"), params, Vec::new(), Span::NONE);
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let args: Vec<_> = (0..types.len()).map(|index| b.param(index)).collect();
    let request = Request { ty, ..Request::new(op, &args).imm(imm) };
    let results = b.try_make(request).ok()?;
    let &[result] = &results[..] else { return None };
    let ty = b.type_of(result);
    b.ret(&[result]);
    b.finish();
    module.funcs[func].results = vec![ResultType::new(ty)];
    let is_float = |ty| module.types.scalar_of(ty).is_some_and(Scalar::is_float);
    (is_float(ty) && types.iter().any(|&ty| is_float(ty))).then_some((module, func))
}

fn case(op: Op, imm: Imm, types: &[Type], ty: Option<Type>, module: &Module) -> Option<Result<Case, ()>> {
    let (mut module, of) = op_on(op, imm, types, ty, module.clone())?;
    let result = module.funcs[of].results[0].ty;
    let floats: Vec<Type> =
        types.iter().copied().filter(|&ty| module.types.scalar_of(ty).is_some_and(Scalar::is_float)).collect();
    let declare = |module: &mut Module, more: &[Type], results: Vec<Type>| {
        let params = types.iter().chain(more).map(|&ty| Param::new(Name::temporary("x"), ty)).collect();
        module.add_func(Name::temporary("d"), params, results.into_iter().map(ResultType::new).collect(), Span::NONE)
    };
    let forward = declare(&mut module, &floats, vec![result, result]);
    let reverse = declare(&mut module, &[result], std::iter::once(result).chain(floats).collect());
    let request = |func, mode| Derivative { func, of, mode, wrt: vec![], slices: vec![], span: Span::NONE };
    let requests = vec![request(forward, DerivativeMode::Forward), request(reverse, DerivativeMode::Reverse)];
    let derivatives = Derivatives { requests, partials: vec![] };
    Some(match differentiate::run(&mut module, &derivatives) {
        Ok(()) => Ok(Case { module, function: of, forward, reverse }),
        Err(_) => Err(()),
    })
}

impl Case {
    fn call(&self, func: Func, args: &[f64]) -> Vec<f64> {
        let mut rest = args.iter();
        let value = |param: &Param| {
            let count = self.module.types.components(param.ty).expect("numbers");
            let scalar = self.module.types.scalar_of(param.ty).expect("numbers");
            let bits = |x: &f64| match scalar {
                Scalar::F64 => x.to_bits(),
                Scalar::Bool => u64::from(*x > 0.5),
                _ => *x as i64 as u64,
            };
            EvalValue { ty: param.ty, bits: rest.by_ref().take(count).map(bits).collect() }
        };
        let args: Vec<EvalValue> = self.module.funcs[func].params.iter().map(value).collect();
        let mut evaluator = Evaluator::new(&self.module, Limits::default()).expect("it starts");
        let results = evaluator.call(func, &args).unwrap_or_else(|stop| panic!("{stop}"));
        results.iter().flat_map(|value| value.bits.iter().map(|&bits| f64::from_bits(bits))).collect()
    }

    /// Compares both modes with each other and with central differences, at a point.
    fn check(&self, what: &str, point: &[f64], is_float: &[bool]) {
        let text = || format!("{what} at {point:?}\n{}", planish::ir::text::print(&self.module));
        let value = self.call(self.function, point);
        if value.iter().any(|x| !x.is_finite()) {
            return;
        }
        let floats: Vec<usize> = (0..point.len()).filter(|&at| is_float[at]).collect();
        let adjoints: Vec<Vec<f64>> = (0..value.len())
            .map(|row| {
                let seed = (0..value.len()).map(|at| if at == row { 1.0 } else { 0.0 });
                let all: Vec<f64> = point.iter().copied().chain(seed).collect();
                self.call(self.reverse, &all).split_off(value.len())
            })
            .collect();
        for (column, &at) in floats.iter().enumerate() {
            let tangent = (0..floats.len()).map(|other| if other == column { 1.0 } else { 0.0 });
            let all: Vec<f64> = point.iter().copied().chain(tangent).collect();
            let result = self.call(self.forward, &all);
            assert_eq!(result[..value.len()], value, "{}", text());
            let moved = |by: f64| {
                let mut point = point.to_vec();
                point[at] += by;
                self.call(self.function, &point)
            };
            let (above, below) = (moved(1e-6), moved(-1e-6));
            for row in 0..value.len() {
                let (forward, reverse) = (result[value.len() + row], adjoints[row][column]);
                let difference = (above[row] - below[row]) / 2e-6;
                assert!(close(forward, reverse, 1e-12), "row {row}, column {column}: {forward} {reverse}\n{}", text());
                assert!(
                    close(forward, difference, 1e-6),
                    "row {row}, column {column}: {forward}, not {difference}\n{}",
                    text()
                );
            }
        }
    }
}

/// Ops of floats that have no derivative: a function that needs one is refused.
const REFUSED: &[Op] = &[
    Op::SmoothStep,
    Op::Reflect,
    Op::FaceForward,
    Op::Refract,
    Op::Bitcast,
    Op::ExtractArrayElement,
    Op::InsertArrayElement,
    // Flattening makes them, and nothing is differentiated after it.
    Op::HorizontalMin,
    Op::HorizontalMax,
];

#[test]
fn every_op_of_floats() {
    let mut module = Module::new(Language::Ir);
    let scalar = module.types.scalar(Scalar::F64);
    let (i32, bool) = (module.types.scalar(Scalar::I32), module.types.scalar(Scalar::Bool));
    let candidates = [
        scalar,
        module.types.vector(Scalar::F64, 3),
        module.types.matrix(Scalar::F64, 3, 3),
        module.types.matrix(Scalar::F64, 2, 3),
        i32,
        bool,
    ];
    let immediate = |op: Op| match op.info().imm {
        ImmKind::Lanes => Lanes::new(&[2, 0, 2]).into(),
        _ => Imm::index(1),
    };
    let (mut count, mut refused) = (0, Vec::new());
    let known = |op: &Op| {
        let info = op.info();
        info.effect == Effect::Pure
            && matches!(info.class, Class::Unary | Class::Binary | Class::BuiltIn | Class::Extract | Class::Construct)
    };
    for op in Op::all().filter(known) {
        let imm = if op.info().imm == ImmKind::None
            || op.info().imm == ImmKind::Guard
            || op.info().imm == ImmKind::Conversion
        {
            Imm::NONE
        } else {
            immediate(op)
        };
        for arity in 1..=3u32 {
            for choice in 0..candidates.len().pow(arity) {
                let types: Vec<Type> =
                    (0..arity).map(|at| candidates[choice / candidates.len().pow(at) % candidates.len()]).collect();
                let wanted: Vec<Option<Type>> = match op.info().class {
                    Class::Construct => candidates[..4].iter().map(|&ty| Some(ty)).collect(),
                    _ => vec![None],
                };
                for ty in wanted {
                    let Some(found) = case(op, imm, &types, ty, &module) else { continue };
                    let Ok(case) = found else {
                        refused.push(op);
                        continue;
                    };
                    count += 1;
                    let is_float: Vec<bool> = types
                        .iter()
                        .flat_map(|&ty| {
                            let is_float = module.types.scalar_of(ty).is_some_and(Scalar::is_float);
                            vec![is_float; module.types.components(ty).expect("numbers")]
                        })
                        .collect();
                    for (seed, start) in [(0.37, 0.31), (0.61, 0.83)] {
                        let number = |at: usize| {
                            if is_float[at] {
                                0.5 + 0.45 * (start * 17.0 + seed * (at * at + at) as f64).sin()
                            } else {
                                1.0
                            }
                        };
                        let mut point: Vec<f64> = (0..is_float.len()).map(number).collect();
                        if op == Op::Acosh {
                            point[0] += 1.0;
                        }
                        case.check(op.info().text, &point, &is_float);
                    }
                }
            }
        }
    }
    refused.dedup();
    assert!(count > 100, "{count}");
    for op in refused {
        assert!(REFUSED.contains(&op), "{} has no derivative", op.info().text);
    }
}

/// The same formulas as in VL: the same bits, at corners, too.
#[test]
fn as_in_vl() {
    type Unary = fn(Rep<f64>) -> Rep<f64>;
    let cases: [(&str, Unary); 17] = [
        ("(lambda (x) (* x x))", |x| x * x),
        ("(lambda (x) (/ 3 x))", |x| 3.0 / x),
        ("(lambda (x) (/ x (- x 2)))", |x| x / (x - 2.0)),
        ("sqrt", |x| x.sqrt()),
        ("exp", |x| x.exp()),
        ("log", |x| x.ln()),
        ("sin", |x| x.sin()),
        ("cos", |x| x.cos()),
        ("tan", |x| x.tan()),
        ("asin", |x| x.asin()),
        ("acos", |x| x.acos()),
        ("atan", |x| x.atan()),
        ("abs", |x| x.abs()),
        ("(lambda (x) (atan x (* 2 x)))", |x| x.atan2(2.0 * x)),
        ("(lambda (x) (max x (* x x)))", |x| x.maximum(x * x)),
        ("(lambda (x) (min x (* x x)))", |x| x.minimum(x * x)),
        ("(lambda (x) (* x (floor (* 3 x))))", |x| x * (3.0 * x).floor()),
    ];
    for (vl, staged) in cases {
        let f = made(function("f", staged));
        for x in [0.3, 0.75, 1.0, 2.5, -0.5, 0.0, -0.0] {
            let found = slope(&f, x);
            let text = format!("((derivative {vl}) {x:?})");
            let (expected, _) = run(Path::new("case.vl"), &text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
            let expected = planish::vl::parse_real(&expected).unwrap_or_else(|| panic!("{expected}"));
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{vl} at {x:?}: {found:?}, in VL {expected:?}");
        }
    }
}
