//! Every op on values, at every combination of types that the table takes: a function for each, and numbers to call it
//! with.
use std::collections::BTreeSet;

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_generate::Choices;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Param, ResultType, TrapKind};
use planish_ir::meaning::{Shape, convert, float_bits, float_value};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Imm, ImmKind, Lanes, OPS, Op, OpInfo, infer};
use planish_ir::source::Span;
use planish_ir::types::{Member, Scalar, StructType, TypeKind};

/// An op with types.
pub struct Case {
    pub op: Op,
    pub imm: Imm,
    pub operands: Vec<Type>,
    /// The result's type, if the op does not determine it.
    pub explicit: Option<Type>,
    pub results: Vec<Type>,
    /// A function of the operands and a flag; the op runs where the flag is set, else the results are zero.
    pub func: Func,
}

fn candidates(module: &mut Module, small: &[Scalar]) -> Vec<Type> {
    let types = &mut module.types;
    let mut all = Vec::new();
    let scalars = || Scalar::ALL.into_iter().filter(|scalar| !Scalar::SMALL.contains(scalar) || small.contains(scalar));
    for scalar in scalars() {
        // Two sizes of many types say as much as four.
        let sizes = if scalar.is_small_integer() { 1..=2 } else { 1..=4 };
        all.extend(sizes.map(|n| types.vector(scalar, n)));
    }
    for scalar in scalars().filter(|scalar| scalar.is_float()) {
        all.extend([(2, 2), (2, 3), (3, 2), (3, 3), (4, 4)].map(|(c, r)| types.matrix(scalar, c, r)));
    }
    let array = types.array(Type::VEC2, 3);
    let member =
        |name: &str, ty| Member { name: name.into(), ty, precision: Precision::None, decorations: Default::default() };
    let members = vec![member("a", Type::F32), member("b", array), member("c", Type::BOOL)];
    let s = types.intern(TypeKind::Struct(StructType { name: "S".into(), members, is_block: false }.into()));
    let wide = types.intern(TypeKind::V128);
    all.extend([wide, array, s]);
    all
}

/// Lists of operand types that may fit an op; `small` are the scalar types of less than 32 bits.
fn operand_lists(op: Op, all: &[Type], small: &[Type]) -> Vec<Vec<Type>> {
    let mut lists = Vec::new();
    let class = op.info().class;
    for &a in all {
        lists.push(vec![a]);
        lists.extend(all.iter().map(|&b| vec![a, b]));
        if class == Class::Construct {
            continue;
        }
        for &b in [a, Type::F32, Type::I32].iter().chain(small) {
            lists.push(vec![a, a, b]);
            lists.push(vec![a, b, Type::I32]);
        }
        lists.push(vec![a, Type::VEC2, Type::U32]);
        for condition in [Type::BOOL, Type::BVEC2, Type::BVEC3, Type::BVEC4] {
            lists.push(vec![condition, a, a]);
        }
        lists.push(vec![a, a, Type::I32, Type::I32]);
    }
    lists.push(vec![Type::VEC3, Type::YUV_CSC]);
    lists.push(vec![Type::F32; 4]);
    lists.push(vec![Type::VEC2; 3]);
    lists.push(vec![Type::F32, all[all.len() - 2], Type::BOOL]);
    lists
}

/// The immediates to try an op with: every shape of lanes that it knows, with its first and its last lane.
fn immediates(row: &OpInfo) -> Vec<Imm> {
    let shapes = row.op.lane_shapes();
    match row.imm {
        ImmKind::Index => vec![Imm::index(1)],
        ImmKind::Lanes => vec![Lanes::new(&[1, 0]).into()],
        ImmKind::Conversion => vec![Imm::NONE, Imm::OPEN],
        ImmKind::Order => vec![Imm::NONE, Imm::REASSOCIABLE],
        ImmKind::Shape => shapes.iter().map(|&s| s.into()).collect(),
        ImmKind::Lane => shapes.iter().flat_map(|&s| [0, s.lanes() - 1].map(|lane| Imm::lane(s, lane as u8))).collect(),
        _ => vec![Imm::NONE],
    }
}

/// All of them, in a module.
pub fn cases(module: &mut Module) -> Vec<Case> {
    cases_of(module, &|_| true)
}

/// All of them, and those on scalars of 8 and 16 bits, which most machines have not.
pub fn cases_with_small(module: &mut Module) -> Vec<Case> {
    all_cases_of(module, &|_| true, &Scalar::SMALL)
}

/// Those of some ops on some of the scalars of 8 and 16 bits: an operand or a result holds some.
pub fn small_cases_of(module: &mut Module, small: &[Scalar], of: &dyn Fn(Op) -> bool) -> Vec<Case> {
    let mut cases = all_cases_of(module, of, small);
    cases.retain(|case| {
        let mut types = case.operands.iter().chain(&case.results);
        types.any(|&ty| module.types.scalar_of(ty).is_some_and(|scalar| small.contains(&scalar)))
    });
    cases
}

/// Whether a case tells the bits of one 16-bit NaN from those of another: lowered to 32 bits, there is one only.
pub fn sees_nan_of_half(module: &Module, case: &Case) -> bool {
    case.op == Op::Bitcast && module.types.scalar_of(case.operands[0]) == Some(Scalar::F16)
}

/// Whether an op works on memory, textures, or anything else but values.
pub fn cannot_run(op: Op) -> bool {
    let row = op.info();
    !matches!(row.effect, Effect::Pure | Effect::MayTrap)
        || matches!(
            row.class,
            Class::Access
                | Class::Texture
                | Class::Stage
                | Class::Subgroup
                | Class::Token
                | Class::Machine
                | Class::Custom
        )
}

/// Those of some ops.
pub fn cases_of(module: &mut Module, of: &dyn Fn(Op) -> bool) -> Vec<Case> {
    all_cases_of(module, of, &[])
}

fn all_cases_of(module: &mut Module, of: &dyn Fn(Op) -> bool, small: &[Scalar]) -> Vec<Case> {
    let all = candidates(module, small);
    let small: Vec<Type> = small.iter().map(|&scalar| module.types.scalar(scalar)).collect();
    let mut cases = Vec::new();
    for row in OPS {
        if cannot_run(row.op) || !of(row.op) {
            continue;
        }
        for imm in immediates(row) {
            let mut seen = BTreeSet::new();
            for operands in operand_lists(row.op, &all, &small) {
                let wanted: Vec<Option<Type>> =
                    if row.rule.needs_type() { all.iter().map(|&t| Some(t)).collect() } else { vec![None] };
                for explicit in wanted {
                    if !seen.insert((operands.clone(), explicit)) {
                        continue;
                    }
                    if let Ok(results) = infer(&mut module.types, row.op, imm, &operands, explicit) {
                        let results = results.to_vec();
                        // Only floats that become integers leave anything open.
                        let scalar = |&ty: &Type| module.types.scalar_of(ty);
                        let rounds = operands.iter().filter_map(scalar).any(Scalar::is_float)
                            && results.iter().filter_map(scalar).any(Scalar::is_integer);
                        if row.imm == ImmKind::Conversion && imm == Imm::OPEN && !rounds {
                            continue;
                        }
                        if imm == Imm::REASSOCIABLE
                            && row.imm == ImmKind::Order
                            && !operands.iter().filter_map(scalar).any(Scalar::is_float)
                        {
                            continue;
                        }
                        let func = make(module, row.op, imm, &operands, explicit, &results);
                        cases.push(Case { op: row.op, imm, operands: operands.clone(), explicit, results, func });
                    }
                }
            }
        }
        assert!(cases.iter().any(|c| c.op == row.op), "no types found for {}", row.name);
    }
    cases
}

/// A function of the operands and a flag; the op runs where the flag is set, else the results are zero.
fn make(module: &mut Module, op: Op, imm: Imm, operands: &[Type], ty: Option<Type>, results: &[Type]) -> Func {
    let (precision, span) = (Precision::None, Span::NONE);
    let param = |&ty: &Type| Param::new(Name::temporary("p"), ty);
    let params: Vec<Param> = operands.iter().chain(&[Type::BOOL]).map(param).collect();
    let result_types = results.iter().map(|&ty| ResultType::new(ty)).collect();
    let func = module.add_func(Name::temporary(op.text()), params, result_types, span);
    let zeros: Vec<_> = results
        .iter()
        .map(|&ty| module.consts.zero(&mut module.types, ty).expect("values have zeros").into())
        .collect();
    let mut b = Builder::new(module, func, Policy::VERBATIM);
    let flag = b.param(operands.len());
    let args: Vec<_> = (0..operands.len()).map(|i| b.param(i)).collect();
    let arms = b.if_(flag);
    let merged: Vec<_> = results.iter().map(|&ty| b.add_input(arms.merge, ty, precision)).collect();
    b.switch_to(arms.then);
    let mut request = Request::new(op, &args).imm(imm);
    request.ty = ty;
    let made = b.make_all(request);
    b.merge(&made);
    b.switch_to(arms.otherwise);
    b.merge(&zeros);
    b.switch_to(arms.merge);
    b.ret(&merged);
    b.finish();
    func
}

/// A scalar: often an edge, else anything.
fn bits(random: &mut Choices<'_>, scalar: Scalar) -> u64 {
    let pick = random.word();
    let small = (pick >> 8) % 9;
    let raw = match scalar {
        Scalar::Bool => pick >> 20 & 1,
        // The least subnormal, the greatest one, the greatest number, what ties and what overflows.
        Scalar::F16 => match pick % 3 {
            0 => [0, 0x8000, 0x3c00, 0xbe00, 0x7c00, 0xfc00, 0x7e00, 1, 0x7bff][small as usize],
            1 => float_bits(scalar, f64::from((pick >> 16) as i32 % 4000) / 256.0),
            _ => pick >> 32,
        },
        Scalar::F32 => {
            let edges = [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-45, f32::MAX];
            match pick % 3 {
                0 => edges[small as usize].to_bits().into(),
                1 => (((pick >> 16) as i32 % 4000) as f32 / 256.0).to_bits().into(),
                _ => pick >> 32,
            }
        }
        Scalar::F64 => match pick % 3 {
            0 => [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, 5e-324, -2.5, 1e300, 0.5][small as usize].to_bits(),
            1 => (((pick >> 16) as i32 % 4000) as f64 / 256.0).to_bits(),
            _ => random.word(),
        },
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => match pick % 3 {
            0 => {
                let edges = edges(scalar);
                edges[(pick >> 8) as usize % edges.len()]
            }
            _ => random.word(),
        },
        _ => match pick % 3 {
            0 => [0, 1, u64::MAX, 1 << 31, 1 << 63, 0x7fff_ffff, 31, 32, 64][small as usize],
            1 => small,
            _ => random.word(),
        },
    };
    raw & u64::MAX >> (64 - scalar.bits())
}

/// Half of a 128-bit value: lanes of any width.
fn wide_word(random: &mut Choices<'_>) -> u64 {
    match random.word() % 4 {
        0 => random.word() & 0x1f1f_1f1f_1f1f_1f1f,
        1 => bits(random, Scalar::F32) | bits(random, Scalar::F32) << 32,
        2 => bits(random, Scalar::F64),
        _ => random.word(),
    }
}

/// A value of a type.
pub fn value(random: &mut Choices<'_>, module: &Module, ty: Type) -> EvalValue {
    let mut words = Vec::new();
    let numbers = module.types.for_each_run(ty, &mut |scalar, n| words.extend((0..n).map(|_| bits(random, scalar))));
    if module.types[ty] == TypeKind::V128 {
        // Lanes of all kinds: of bytes that are few, of floats, and of any bits.
        return EvalValue { ty, bits: (0..2).map(|_| wide_word(random)).collect() };
    }
    if !numbers {
        words.push(random.word() % 3);
    }
    EvalValue { ty, bits: words }
}

/// Outcome of a call: the words of the results, or the trap.
pub type Outcome = Result<Vec<u64>, TrapKind>;

/// A case, the words of the arguments, and the evaluator's results.
pub struct Question {
    pub case: usize,
    pub args: Vec<EvalValue>,
    pub want: Outcome,
}

impl Question {
    /// The arguments as words.
    pub fn words(&self) -> Vec<u64> {
        self.args.iter().flat_map(|arg| arg.bits.iter().copied()).collect()
    }
}

/// Every case `times` times, for engines that answer all at once.
pub fn questions(module: &Module, cases: &[Case], times: usize) -> Vec<Question> {
    let mut all = Vec::new();
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("no memory is needed");
    let mut random = Choices::from_seed(1);
    for (number, case) in cases.iter().enumerate() {
        for _ in 0..times {
            let mut args: Vec<EvalValue> = case.operands.iter().map(|&ty| value(&mut random, module, ty)).collect();
            args.push(EvalValue::bool(true));
            let want = evaluated(&mut evaluator, case, &args);
            all.push(Question { case: number, args, want });
        }
    }
    all
}

/// The words at which ops on a scalar have their corners.
fn edges(scalar: Scalar) -> Vec<u64> {
    let floats = [0.0, -0.0, 0.5, -1.0, 1.5, 2.5, f64::INFINITY, f64::NEG_INFINITY, 2147483648.0, -2147483649.0, 1e300];
    let numbers = floats.iter();
    match scalar {
        Scalar::Bool => vec![0, 1],
        // The least subnormal, the greatest one, the greatest number, NaNs that are not the canonical one.
        Scalar::F16 => [1, 0x03ff, 0x8001, 0x7bff, 0xfc01, 0x7e12]
            .into_iter()
            .chain(numbers.map(|&x| float_bits(scalar, x)))
            .collect(),
        Scalar::F32 => [1, 0x007f_ffff, 0x8000_0001, 0x7f7f_ffff, 0xff80_0001, 0x7fc0_1234]
            .into_iter()
            .chain(numbers.map(|&x| (x as f32).to_bits().into()))
            .collect(),
        Scalar::F64 => [1, 0x000f_ffff_ffff_ffff, 0x8000_0000_0000_0001, 0x7fef_ffff_ffff_ffff, 0xfff0_0000_0000_0001]
            .into_iter()
            .chain(numbers.map(|x| x.to_bits()))
            .collect(),
        _ => {
            let low = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, u64::MAX, u64::MAX - 1];
            let top = 1 << (scalar.bits() - 1);
            let mask = u64::MAX >> (64 - scalar.bits());
            low.into_iter().chain([top, top - 1, top + 1, 0x5555_5555_5555_5555]).map(|x| x & mask).collect()
        }
    }
}

/// Takes a case with the words of its arguments, and these as values.
type OnWords<'f> = dyn FnMut(&Case, &[u64], &[EvalValue]) + 'f;

/// Calls `f` with the operands and the flag of every pair of edges, for the cases of one or two scalars.
fn edge_words(module: &Module, cases: &[Case], f: &mut OnWords<'_>) {
    for case in cases {
        let scalars: Vec<Scalar> = case
            .operands
            .iter()
            .filter_map(|&ty| module.types.scalar_of(ty).filter(|_| module.types.components(ty) == Some(1)))
            .collect();
        if scalars.len() != case.operands.len() || !(1..=2).contains(&scalars.len()) {
            continue;
        }
        for first in edges(scalars[0]) {
            for second in scalars.get(1).map_or(vec![0], |&s| edges(s)) {
                let words = if scalars.len() == 1 { vec![first, 1] } else { vec![first, second, 1] };
                let types = case.operands.iter().copied().chain([Type::BOOL]);
                let args: Vec<EvalValue> =
                    types.zip(&words).map(|(ty, &word)| EvalValue { ty, bits: vec![word] }).collect();
                f(case, &words, &args);
            }
        }
    }
}

/// As [`compare`], on every pair of edges, for the cases of one or two scalars: more than `at_least` comparisons.
pub fn compare_edges(module: &Module, cases: &[Case], at_least: usize, run: &mut dyn FnMut(&Case, &[u64]) -> Outcome) {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("no memory is needed");
    let mut compared = 0;
    edge_words(module, cases, &mut |case, words, args| {
        let want = evaluated(&mut evaluator, case, args);
        assert_eq!(run(case, words), want, "{} to {:?} on {args:x?}", case.op.name(), case.explicit);
        compared += 1;
    });
    assert!(compared > at_least, "only {compared} pairs of edges");
}

/// As [`compare`] and [`compare_edges`], of cases on scalars of 8 and 16 bits on an engine that runs them lowered to 32 bits: it gets and gives
/// the words of these. Every NaN counts as any other.
pub fn compare_lowered(module: &Module, cases: &[Case], run: &mut dyn FnMut(&Case, &[u64]) -> Outcome) {
    let mut through_words = |case: &Case, words: &[u64]| {
        let types: Vec<Type> = case.operands.iter().copied().chain([Type::BOOL]).collect();
        let words = converted(module, &types, words, &|scalar| (scalar, scalar.widened()));
        run(case, &words).map(|words| converted(module, &case.results, &words, &|scalar| (scalar.widened(), scalar)))
    };
    compare_with_one_nan(module, cases, &mut through_words);
}

/// As [`compare`] and [`compare_edges`]; every NaN counts as any other.
pub fn compare_with_one_nan(module: &Module, cases: &[Case], run: &mut dyn FnMut(&Case, &[u64]) -> Outcome) {
    for question in questions(module, cases, 8) {
        let case = &cases[question.case];
        let got = run(case, &question.words()).map(|words| with_one_nan(module, case, words));
        let want = question.want.map(|words| with_one_nan(module, case, words));
        assert_eq!(got, want, "{} to {:?} on {:x?}", case.op.name(), case.explicit, question.args);
    }
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("no memory is needed");
    edge_words(module, cases, &mut |case, words, args| {
        let want = evaluated(&mut evaluator, case, args).map(|words| with_one_nan(module, case, words));
        let got = run(case, words).map(|words| with_one_nan(module, case, words));
        assert_eq!(got, want, "{} to {:?} on {args:x?}", case.op.name(), case.explicit);
    });
}

/// The words of values of the types before lowering, each converted from the first scalar to the second; the sign of a NaN stays. An integer has
/// to fit.
fn converted(module: &Module, types: &[Type], words: &[u64], of: &dyn Fn(Scalar) -> (Scalar, Scalar)) -> Vec<u64> {
    let mut rest = words.iter();
    let mut out = Vec::new();
    for &ty in types {
        let is_whole = module.types.for_each_run(ty, &mut |scalar, n| {
            let (from, to) = of(scalar);
            for &word in rest.by_ref().take(n) {
                let sign = word >> (from.bits() - 1) & 1;
                let other = convert(word, from, to);
                let is_nan = from.is_float() && float_value(from, word).is_nan();
                assert!(from.is_float() || convert(other, to, from) == word, "{word:x} is no {}", scalar.name());
                out.push(if is_nan && from != to { float_bits(to, f64::NAN) | sign << (to.bits() - 1) } else { other });
            }
        });
        if !is_whole {
            out.extend(rest.by_ref().take(module.types.components(ty).unwrap_or(1)));
        }
    }
    out
}

/// The words of a case's results, with one NaN for all.
fn with_one_nan(module: &Module, case: &Case, mut words: Vec<u64>) -> Vec<u64> {
    let mut at = 0;
    for &ty in &case.results {
        module.types.for_each_run(ty, &mut |scalar, n| {
            for word in &mut words[at..at + n] {
                if scalar.is_float() && float_value(scalar, *word).is_nan() {
                    *word = float_bits(scalar, f64::NAN);
                }
            }
            at += n;
        });
    }
    words
}

/// The evaluator's outcome of a case.
fn evaluated(evaluator: &mut Evaluator<'_>, case: &Case, args: &[EvalValue]) -> Outcome {
    match evaluator.call(case.func, args) {
        Ok(results) => Ok(results.into_iter().flat_map(|r| r.bits).collect()),
        Err(Stop::Trap { kind, .. }) => Err(kind),
        Err(stop) => panic!("{}: {stop}", case.op.name()),
    }
}

/// Runs every case `times` times on the evaluator and on an engine, which gets the words of the arguments and gives those of
/// the results; both must be the same, traps too.
pub fn compare(module: &Module, cases: &[Case], times: usize, run: &mut dyn FnMut(&Case, &[u64]) -> Outcome) {
    for question in questions(module, cases, times) {
        let case = &cases[question.case];
        let got = run(case, &question.words());
        assert_eq!(got, question.want, "{} to {:?} on {:x?}", case.op.name(), case.explicit, question.args);
    }
}
