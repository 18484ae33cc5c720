//! Every op on values, at every combination of types that the table takes: the evaluator's columns give the bits of
//! `planish_ir::meaning`, for one lane, for all lanes, and under a mask.

use std::collections::BTreeSet;

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::meaning::{Fault, Operand, Shape, evaluate};
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Class, Effect, Imm, ImmKind, Lanes, OPS, Op, OpInfo, infer};
use planish_ir::source::Span;
use planish_ir::types::{Member, Scalar, StructType, TypeKind};

const LANES: usize = 12;

struct Case {
    op: Op,
    imm: Imm,
    operands: Vec<Type>,
    explicit: Option<Type>,
    results: Vec<Type>,
    func: Func,
}

fn candidates(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    let mut all = Vec::new();
    for scalar in Scalar::ALL {
        all.extend((1..=4).map(|n| types.vector(scalar, n)));
    }
    for scalar in [Scalar::F32, Scalar::F64] {
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

/// Lists of operand types that may fit an op.
fn operand_lists(op: Op, all: &[Type]) -> Vec<Vec<Type>> {
    let mut lists = Vec::new();
    let class = op.info().class;
    for &a in all {
        lists.push(vec![a]);
        lists.extend(all.iter().map(|&b| vec![a, b]));
        if class == Class::Construct {
            continue;
        }
        for b in [a, Type::F32, Type::I32] {
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
        ImmKind::Shape => shapes.iter().map(|&s| s.into()).collect(),
        ImmKind::Lane => shapes.iter().flat_map(|&s| [0, s.lanes() - 1].map(|lane| Imm::lane(s, lane as u8))).collect(),
        _ => vec![Imm::NONE],
    }
}

fn cases(module: &mut Module) -> Vec<Case> {
    let all = candidates(module);
    let mut cases = Vec::new();
    for row in OPS {
        let on_values = matches!(row.effect, Effect::Pure | Effect::MayTrap)
            && !matches!(row.class, Class::Access | Class::Texture | Class::Stage | Class::Token | Class::Machine);
        if !on_values {
            continue;
        }
        for imm in immediates(row) {
            let mut seen = BTreeSet::new();
            for operands in operand_lists(row.op, &all) {
                let wanted: Vec<Option<Type>> =
                    if row.rule.needs_type() { all.iter().map(|&t| Some(t)).collect() } else { vec![None] };
                for explicit in wanted {
                    if !seen.insert((operands.clone(), explicit)) {
                        continue;
                    }
                    if let Ok(results) = infer(&mut module.types, row.op, imm, &operands, explicit) {
                        let results = results.to_vec();
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
    let param = |&ty: &Type| Param { name: Name::temporary("p"), ty, precision, direction: Direction::In, span };
    let params: Vec<Param> = operands.iter().chain(&[Type::BOOL]).map(param).collect();
    let result_types = results.iter().map(|&ty| ResultType { ty, precision }).collect();
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

/// Numbers that repeat in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A scalar: often an edge, else anything.
    fn bits(&mut self, scalar: Scalar) -> u64 {
        let pick = self.next();
        let small = (pick >> 8) % 9;
        let raw = match scalar {
            Scalar::Bool => pick >> 20 & 1,
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
                _ => self.next(),
            },
            _ => match pick % 3 {
                0 => [0, 1, u64::MAX, 1 << 31, 1 << 63, 0x7fff_ffff, 31, 32, 64][small as usize],
                1 => small,
                _ => self.next(),
            },
        };
        match scalar.bits() {
            1 => raw & 1,
            32 => raw & 0xffff_ffff,
            _ => raw,
        }
    }

    /// Half of a 128-bit value: lanes of any width.
    fn wide_word(&mut self) -> u64 {
        match self.next() % 4 {
            0 => self.next() & 0x1f1f_1f1f_1f1f_1f1f,
            1 => self.bits(Scalar::F32) | self.bits(Scalar::F32) << 32,
            2 => self.bits(Scalar::F64),
            _ => self.next(),
        }
    }

    fn value(&mut self, module: &Module, ty: Type) -> EvalValue {
        let mut bits = Vec::new();
        let numbers = module.types.for_each_run(ty, &mut |scalar, n| bits.extend((0..n).map(|_| self.bits(scalar))));
        if module.types[ty] == TypeKind::V128 {
            // Lanes of all kinds: of bytes that are few, of floats, and of any bits.
            return EvalValue { ty, bits: (0..2).map(|_| self.wide_word()).collect() };
        }
        if !numbers {
            bits.push(self.next() % 3);
        }
        EvalValue { ty, bits }
    }
}

#[test]
fn columns_give_the_bits_of_the_meaning() {
    let mut module = Module::new(Language::Ir);
    let cases = cases(&mut module);
    assert!(cases.len() > 1500, "only {}", cases.len());
    let mut wide = Evaluator::with_lanes(&module, Limits::default(), LANES).expect("no memory is needed");
    let mut one = Evaluator::new(&module, Limits::default()).expect("no memory is needed");
    let mut random = Random(0x1234_5678_9abc_def1);
    for (number, case) in cases.iter().enumerate() {
        let mut lanes: Vec<Vec<EvalValue>> = Vec::new();
        let mut expected = Vec::new();
        for lane in 0..LANES {
            let args: Vec<EvalValue> = case.operands.iter().map(|&ty| random.value(&module, ty)).collect();
            let operands: Vec<Operand<'_>> = args.iter().map(|a| Operand { ty: a.ty, bits: &a.bits }).collect();
            let mut out = Vec::new();
            let meaning = evaluate(&module.types, case.op, case.imm, &operands, case.results[0], &mut out);
            let traps = match meaning {
                Ok(()) => false,
                Err(Fault::Trap(_)) => true,
                Err(Fault::NoMeaning) => panic!("{} has no meaning on {:?}", case.op.name(), case.operands),
            };
            if number % 7 == 0 || traps {
                // The same in a lane of its own, and that it traps where it should.
                let mut alone = args.clone();
                alone.push(EvalValue::bool(true));
                match one.call(case.func, &alone) {
                    Ok(results) => {
                        assert!(!traps);
                        let bits: Vec<u64> = results.into_iter().flat_map(|r| r.bits).collect();
                        assert_eq!(bits, out, "{} on {args:x?}", case.op.name());
                    }
                    Err(Stop::Trap { kind, .. }) => assert_eq!(meaning, Err(Fault::Trap(kind))),
                    Err(stop) => panic!("{}: {stop}", case.op.name()),
                }
            }
            // Under a full mask for even cases, a partial one for odd ones; never where it traps.
            let runs = !traps && (number % 2 == 0 || lane % 3 != 1);
            if !runs {
                out = vec![0; case.results.iter().map(|&r| module.types.components(r).unwrap()).sum()];
            }
            let mut args = args;
            args.push(EvalValue::bool(runs));
            lanes.push(args);
            expected.push(out);
        }
        let results = wide.call_lanes(case.func, &lanes).unwrap_or_else(|s| panic!("{}: {s}", case.op.name()));
        for (lane, results) in results.into_iter().enumerate() {
            let bits: Vec<u64> = results.into_iter().flat_map(|r| r.bits).collect();
            assert_eq!(
                bits,
                expected[lane],
                "{} to {:?} in lane {lane} on {:x?}",
                case.op.name(),
                case.explicit,
                lanes[lane]
            );
        }
    }
}
