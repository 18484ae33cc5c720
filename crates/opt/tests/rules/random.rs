//! Random expressions, built with the rules and evaluated without them: a list of steps, each an op on inputs, constants
//! and earlier steps. Every step's value must be the same, exactly or (with `--fast-math`, on ordinary numbers) nearly.
//! A failing program is reduced and printed with its seed. `RULES_SEEDS=100000` checks more than the usual number.

use planish_ir::builder::{Builder, Policy, Request, Rewriter};
use planish_ir::decoration::{Decorations, Name, Precision};
use planish_ir::entity::{Type, Value};
use planish_ir::function::{Direction, Form, Param, ResultType};
use planish_ir::meaning::{Operand, evaluate};
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Imm, ImmKind, Lanes, Op, infer};
use planish_ir::source::Span;
use planish_ir::types::{Member, Scalar, StructType, TypeKind};
use planish_ir::verify::verify;
use planish_opt::restage::{Identity, restage};
use planish_opt::rules::{Rules, missed};
use planish_opt::{Context, Options};
use planish_testkit::straight_line::{Random, Values, input, near, number, ordinary, same, scalars, show, special};

use super::cases::{is_order, live_cost};

/// Ops and types that make expressions in which many rules meet.
struct Family {
    name: &'static str,
    fast_math: bool,
    language: Language,
    ops: &'static [Op],
    types: fn(&mut Module) -> Vec<Type>,
}

const FAMILIES: &[Family] = &[
    family("integers", false, Language::Ir, INTEGER_OPS, integer_types),
    family("small integers", false, Language::Ir, INTEGER_OPS, small_integer_types),
    family("bytes", false, Language::Ir, INTEGER_OPS, byte_types),
    family("floats", false, Language::Ir, FLOAT_OPS, float_types),
    family("halves", false, Language::Ir, FLOAT_OPS, half_types),
    family("conversions of halves", false, Language::Ir, CONVERT_OPS, half_conversion_types),
    family("strict floats", false, Language::Wasm, FLOAT_OPS, float_types),
    family("strict conversions", false, Language::Wasm, CONVERT_OPS, scalar_types),
    family("booleans", false, Language::Ir, BOOLEAN_OPS, boolean_types),
    family("vectors", false, Language::Ir, VECTOR_OPS, vector_types),
    family("matrices", false, Language::Ir, MATRIX_OPS, matrix_types),
    family("aggregates", false, Language::Ir, AGGREGATE_OPS, aggregate_types),
    family("conversions", false, Language::Ir, CONVERT_OPS, scalar_types),
    family("real numbers", true, Language::Ir, REAL_OPS, real_types),
    family("real functions", true, Language::Ir, FUNCTION_OPS, real_types),
    family("real matrices", true, Language::Ir, REAL_MATRIX_OPS, real_matrix_types),
];

const fn family(
    name: &'static str,
    fast_math: bool,
    language: Language,
    ops: &'static [Op],
    types: fn(&mut Module) -> Vec<Type>,
) -> Family {
    Family { name, fast_math, language, ops, types }
}

#[rustfmt::skip]
const INTEGER_OPS: &[Op] = &[
    Op::Add, Op::Add, Op::Subtract, Op::Subtract, Op::Multiply, Op::Divide, Op::Remainder, Op::Negate, Op::Min, Op::Max,
    Op::Clamp, Op::Abs, Op::Sign, Op::BitwiseNot, Op::BitwiseAnd, Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseOr,
    Op::BitwiseXor, Op::ShiftLeft, Op::ShiftRight, Op::RotateLeft, Op::RotateRight, Op::BitCount, Op::BitReverse,
    Op::CountLeadingZeros, Op::CountTrailingZeros, Op::SignExtend8, Op::SignExtend16, Op::SignExtend32, Op::Equal,
    Op::NotEqual, Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual, Op::LogicalNot, Op::LogicalAnd,
    Op::LogicalOr, Op::Select, Op::BitfieldExtract, Op::BitfieldInsert,
];

#[rustfmt::skip]
const FLOAT_OPS: &[Op] = &[
    Op::Add, Op::Add, Op::Subtract, Op::Subtract, Op::Multiply, Op::Divide, Op::Negate, Op::Min, Op::Max, Op::Minimum,
    Op::Maximum, Op::Clamp, Op::Saturate, Op::Abs, Op::Sign, Op::Floor, Op::Ceil, Op::Trunc, Op::Round, Op::Fract, Op::Mod,
    Op::Mix, Op::Step, Op::SmoothStep, Op::Sqrt, Op::InverseSqrt, Op::Exp, Op::Log2, Op::Cos, Op::Sin, Op::Pow, Op::Fma,
    Op::CopySign, Op::Ldexp, Op::IsNan, Op::IsInf, Op::Equal, Op::NotEqual, Op::LessThan, Op::LessThanEqual,
    Op::GreaterThan, Op::LogicalNot, Op::LogicalAnd, Op::LogicalOr, Op::Select, Op::Length, Op::Distance, Op::Dot,
    Op::Normalize,
];

#[rustfmt::skip]
const BOOLEAN_OPS: &[Op] = &[
    Op::LogicalNot, Op::LogicalNot, Op::LogicalAnd, Op::LogicalAnd, Op::LogicalOr, Op::LogicalOr, Op::LogicalXor, Op::Equal,
    Op::NotEqual, Op::Select, Op::Select, Op::Any, Op::All, Op::LessThan, Op::LessThanEqual, Op::GreaterThan,
    Op::GreaterThanEqual, Op::ConstructScalarFromScalar, Op::ConstructVectorFromScalar, Op::ConstructVectorFromMultiple,
    Op::Add, Op::Multiply,
];

#[rustfmt::skip]
const VECTOR_OPS: &[Op] = &[
    Op::ExtractVectorComponent, Op::ExtractVectorComponent, Op::ExtractVectorComponentMulti,
    Op::ExtractVectorComponentMulti, Op::ExtractVectorComponentDynamic, Op::InsertVectorComponent,
    Op::InsertVectorComponentDynamic, Op::ConstructVectorFromScalar, Op::ConstructVectorFromMultiple,
    Op::ConstructVectorFromMultiple, Op::ConstructVectorFromMultiple, Op::Add, Op::Multiply, Op::Negate, Op::Min, Op::Dot,
    Op::Cross, Op::Length, Op::LessThan, Op::Select, Op::Any,
];

#[rustfmt::skip]
const MATRIX_OPS: &[Op] = &[
    Op::Transpose, Op::Transpose, Op::MatrixTimesVector, Op::VectorTimesMatrix, Op::MatrixTimesMatrix,
    Op::MatrixTimesScalar, Op::MatrixComponentMultiply, Op::OuterProduct, Op::Determinant, Op::Inverse, Op::Add,
    Op::Subtract, Op::Negate, Op::Divide, Op::ExtractMatrixColumn, Op::InsertMatrixColumn, Op::ConstructMatrixFromMultiple,
    Op::ConstructMatrixFromMatrix, Op::ConstructMatrixFromScalar, Op::ExtractVectorComponent, Op::Multiply,
];

#[rustfmt::skip]
const AGGREGATE_OPS: &[Op] = &[
    Op::ConstructStruct, Op::ConstructStruct, Op::ConstructArray, Op::ConstructArray, Op::ExtractStructField,
    Op::ExtractStructField, Op::InsertStructField, Op::InsertStructField, Op::ExtractArrayElement,
    Op::ExtractArrayElement, Op::InsertArrayElement, Op::InsertArrayElement, Op::Select, Op::Add, Op::AggregateEqual,
];

#[rustfmt::skip]
const CONVERT_OPS: &[Op] = &[
    Op::ConstructScalarFromScalar, Op::ConstructScalarFromScalar, Op::ConstructScalarFromScalar,
    Op::ConstructScalarFromScalar, Op::ConstructScalarFromScalar, Op::Bitcast, Op::Bitcast, Op::Add, Op::Negate, Op::Trunc,
    Op::BitwiseAnd, Op::NotEqual, Op::Equal, Op::LessThan, Op::GreaterThanEqual, Op::Select, Op::PackUnorm4x8,
    Op::UnpackUnorm4x8, Op::PackUnorm2x16, Op::UnpackUnorm2x16, Op::Multiply, Op::ShiftRight, Op::SignExtend32,
];

#[rustfmt::skip]
const REAL_OPS: &[Op] = &[
    Op::Add, Op::Add, Op::Add, Op::Subtract, Op::Subtract, Op::Multiply, Op::Multiply, Op::Divide, Op::Divide, Op::Negate,
    Op::Min, Op::Max, Op::Mix, Op::Lerp, Op::MultiplyAdd, Op::Fma, Op::Abs, Op::ConstructVectorFromScalar,
    Op::ExtractVectorComponent, Op::Select, Op::ConstructScalarFromScalar,
];

#[rustfmt::skip]
const FUNCTION_OPS: &[Op] = &[
    Op::Multiply, Op::Multiply, Op::Add, Op::Divide, Op::Negate, Op::Sqrt, Op::Sqrt, Op::InverseSqrt, Op::Exp, Op::Log,
    Op::Exp2, Op::Log2, Op::Pow, Op::Pow, Op::Sin, Op::Cos, Op::Tan, Op::Asin, Op::Atan, Op::Radians, Op::Degrees, Op::Dot,
    Op::Length, Op::Normalize, Op::Distance, Op::Cross, Op::ConstructVectorFromScalar, Op::ExtractVectorComponent,
];

#[rustfmt::skip]
const REAL_MATRIX_OPS: &[Op] = &[
    Op::MatrixTimesVector, Op::MatrixTimesVector, Op::VectorTimesMatrix, Op::VectorTimesMatrix, Op::MatrixTimesMatrix,
    Op::MatrixTimesMatrix, Op::MatrixTimesScalar, Op::MatrixTimesScalar, Op::Inverse, Op::Transpose, Op::Determinant,
    Op::Multiply, Op::Add,
];

fn integer_types(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    let (i64, u64) = (types.scalar(Scalar::I64), types.scalar(Scalar::U64));
    vec![Type::I32, Type::U32, i64, u64, Type::IVEC2, Type::UVEC3]
}

fn float_types(module: &mut Module) -> Vec<Type> {
    let f64 = module.types.scalar(Scalar::F64);
    vec![Type::F32, Type::F32, Type::VEC2, f64]
}

fn boolean_types(_: &mut Module) -> Vec<Type> {
    vec![Type::BOOL, Type::BOOL, Type::BVEC2, Type::BVEC3, Type::I32, Type::F32]
}

fn vector_types(_: &mut Module) -> Vec<Type> {
    vec![Type::F32, Type::F32, Type::VEC2, Type::VEC3, Type::VEC4, Type::I32]
}

fn matrix_types(_: &mut Module) -> Vec<Type> {
    vec![Type::F32, Type::VEC2, Type::VEC3, Type::MAT2, Type::MAT2X3, Type::MAT3X2]
}

fn aggregate_types(module: &mut Module) -> Vec<Type> {
    let member = |name: &str, ty| Member {
        name: name.into(),
        ty,
        precision: Precision::None,
        decorations: Decorations::default(),
    };
    let members = vec![member("a", Type::F32), member("b", Type::I32), member("c", Type::F32)];
    let data = StructType { name: "S".into(), members, is_block: false };
    let structure = module.types.intern(TypeKind::Struct(data.into()));
    let array = module.types.array(Type::F32, 3);
    vec![Type::F32, Type::I32, structure, structure, array, array]
}

fn scalar_types(module: &mut Module) -> Vec<Type> {
    Scalar::ALL.iter().map(|&s| module.types.scalar(s)).collect()
}

fn half_types(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    vec![types.scalar(Scalar::F16), types.scalar(Scalar::F16), types.vector(Scalar::F16, 3)]
}

fn small_integer_types(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    let [short, unsigned] = [Scalar::I16, Scalar::U16].map(|scalar| types.scalar(scalar));
    vec![short, short, unsigned, types.vector(Scalar::I16, 3), Type::BOOL, Type::I32]
}

fn byte_types(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    let [byte, unsigned] = [Scalar::I8, Scalar::U8].map(|scalar| types.scalar(scalar));
    vec![byte, unsigned, unsigned, Type::BOOL, Type::I32]
}

fn half_conversion_types(module: &mut Module) -> Vec<Type> {
    let half = module.types.scalar(Scalar::F16);
    vec![half, half, Type::F32, module.types.scalar(Scalar::F64), Type::I32, Type::U32]
}

fn real_types(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    vec![types.scalar(Scalar::F64), types.scalar(Scalar::F64), types.vector(Scalar::F64, 3)]
}

fn real_matrix_types(module: &mut Module) -> Vec<Type> {
    let types = &mut module.types;
    vec![types.scalar(Scalar::F64), types.vector(Scalar::F64, 2), types.matrix(Scalar::F64, 2, 2)]
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arg {
    Input(usize),
    Step(usize),
    Constant(Value),
}

#[derive(Clone, Debug)]
struct Step {
    op: Op,
    imm: Imm,
    args: Vec<Arg>,
    ty: Type,
}

/// An expression. The module holds types and constants.
#[derive(Clone)]
struct Recipe {
    module: Module,
    inputs: Vec<Type>,
    steps: Vec<Step>,
    fast_math: bool,
}

impl Recipe {
    fn type_of(&self, arg: Arg) -> Type {
        match arg {
            Arg::Input(i) => self.inputs[i],
            Arg::Step(i) => self.steps[i].ty,
            Arg::Constant(c) => self.module.consts[c.as_const().expect("is a constant")].ty,
        }
    }

    /// Whether the bits of a NaN in it are those of an input or a constant, so that an op may look at them.
    fn is_clean(&self, arg: Arg) -> bool {
        let Arg::Step(i) = arg else { return true };
        if self.is_strict() {
            return true;
        }
        let step = &self.steps[i];
        let moves = matches!(step.op, Op::Bitcast | Op::Negate | Op::Abs | Op::Select);
        self.module.types.scalar_of(step.ty).is_some_and(|s| !s.is_float())
            || moves && step.args.iter().all(|&a| self.is_clean(a))
    }

    /// The values of all steps; what comes after a step without meaning is not computed.
    fn values(&self, inputs: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let mut values: Vec<Vec<u64>> = Vec::new();
        for step in &self.steps {
            let args: Vec<(Type, Vec<u64>)> = step
                .args
                .iter()
                .map(|&arg| match arg {
                    Arg::Input(i) => (self.inputs[i], inputs[i].clone()),
                    Arg::Step(i) => (self.steps[i].ty, values[i].clone()),
                    Arg::Constant(c) => {
                        let mut bits = Vec::new();
                        let c = c.as_const().expect("is a constant");
                        assert!(self.module.consts.flatten(c, &mut bits));
                        (self.module.consts[c].ty, bits)
                    }
                })
                .collect();
            let operands: Vec<Operand<'_>> = args.iter().map(|(ty, bits)| Operand { ty: *ty, bits }).collect();
            let mut out = Vec::new();
            evaluate(&self.module.types, step.op, step.imm, &operands, step.ty, &mut out)
                .unwrap_or_else(|fault| panic!("{:?}: {fault:?}", step.op));
            values.push(out);
        }
        values
    }

    /// The function that returns all steps, built with the rules; what they count, and the values of the steps.
    fn build(&self) -> (Module, Vec<Value>, Context) {
        let options = self.options();
        let rules = Rules::new(&options);
        let (module, values) = self.build_with(Some(&rules));
        let mut context = Context::new(options);
        rules.report(&module, &mut context);
        (module, values, context)
    }

    /// The function that returns all steps, and the values of the steps.
    fn build_with(&self, rules: Option<&Rules>) -> (Module, Vec<Value>) {
        let mut module = self.module.clone();
        let param = |(i, &ty): (usize, &Type)| Param {
            name: Name::temporary(format!("x{i}")),
            ty,
            precision: Precision::None,
            direction: Direction::In,
            span: Span::NONE,
        };
        let params = self.inputs.iter().enumerate().map(param).collect();
        let results = self.steps.iter().map(|s| ResultType { ty: s.ty, precision: Precision::None }).collect();
        let func = module.add_func(Name::temporary("f"), params, results, Span::NONE);
        let rules = rules.map(|r| r as &dyn Rewriter);
        let policy = Policy { form: Form::Floating, fold: true, share: true, rules };
        let mut builder = Builder::new(&mut module, func, policy);
        let mut values: Vec<Value> = Vec::new();
        for step in &self.steps {
            let args: Vec<Value> = step
                .args
                .iter()
                .map(|&arg| match arg {
                    Arg::Input(i) => builder.param(i),
                    Arg::Step(i) => values[i],
                    Arg::Constant(c) => c,
                })
                .collect();
            values.push(builder.make(Request::new(step.op, &args).imm(step.imm).ty(step.ty)));
        }
        builder.ret(&values);
        builder.finish();
        (module, values)
    }

    /// Whether every bit counts, those of a NaN too.
    fn is_strict(&self) -> bool {
        self.module.language == Language::Wasm
    }

    fn options(&self) -> Options {
        Options { fast_math: self.fast_math, ..Options::default() }
    }

    /// As people read it.
    fn show(&self) -> String {
        let arg = |&arg: &Arg| match arg {
            Arg::Input(i) => format!("x{i}"),
            Arg::Step(i) => format!("s{i}"),
            Arg::Constant(c) => {
                let mut bits = Vec::new();
                let c = c.as_const().expect("is a constant");
                self.module.consts.flatten(c, &mut bits);
                let ty = self.module.consts[c].ty;
                format!("{{{}}}", show(&scalars(&self.module.types, ty).unwrap_or_default(), &bits))
            }
        };
        let mut text = String::new();
        for (i, ty) in self.inputs.iter().enumerate() {
            text.push_str(&format!("  x{i}: {:?}\n", self.module.types[*ty]));
        }
        for (i, step) in self.steps.iter().enumerate() {
            let args: Vec<String> = step.args.iter().map(arg).collect();
            let (op, imm, ty) = (step.op.text(), step.imm, &self.module.types[step.ty]);
            text.push_str(&format!("  s{i}: {ty:?} = {op} {imm:?} {}\n", args.join(", ")));
        }
        text
    }
}

/// Makes expressions.
struct Maker<'a> {
    random: &'a mut Random,
    recipe: Recipe,
    family: &'static Family,
    types: Vec<Type>,
}

impl Maker<'_> {
    fn constant(&mut self, ty: Type) -> Option<Arg> {
        let scalars = scalars(&self.recipe.module.types, ty)?;
        let (random, fast) = (&mut *self.random, self.family.fast_math);
        let bits = |random: &mut Random, s: Scalar| match s {
            Scalar::F64 if fast => random.pick(&[0.0f64, 1.0, -1.0, 2.0, 0.5, 3.0, -0.5, -2.0, 4.0]).to_bits(),
            _ => special(random, s),
        };
        let uniform = random.chance(70);
        let first = bits(random, scalars[0]);
        let identity = fast && scalars.len() == 4 && random.chance(40);
        let all: Vec<u64> = scalars
            .iter()
            .enumerate()
            .map(|(i, &s)| match () {
                _ if identity => if i % 3 == 0 { 1.0f64 } else { 0.0 }.to_bits(),
                _ if uniform && s == scalars[0] => first,
                _ => bits(random, s),
            })
            .collect();
        let module = &mut self.recipe.module;
        module.consts.unflatten(&mut module.types, ty, &mut all.into_iter()).map(|c| Arg::Constant(c.into()))
    }

    /// An operand of a type, or of any.
    fn arg(&mut self, ty: Option<Type>) -> Option<Arg> {
        if let Some(ty) = ty
            && self.random.chance(30)
        {
            return self.constant(ty);
        }
        let recipe = &self.recipe;
        let inputs = (0..recipe.inputs.len()).map(Arg::Input);
        let all: Vec<Arg> = inputs
            .chain((0..recipe.steps.len()).map(Arg::Step))
            .filter(|&a| ty.is_none_or(|ty| recipe.type_of(a) == ty))
            .collect();
        // Prefer recent steps, so that a node meets its operands.
        let recent = all.len().saturating_sub(if self.random.chance(50) { 3 } else { all.len() });
        match (all.is_empty(), ty) {
            (false, _) => Some(self.random.pick(&all[recent..])),
            (true, Some(ty)) => self.constant(ty),
            (true, None) => None,
        }
    }

    fn imm(&mut self, op: Op) -> Imm {
        match op.info().imm {
            ImmKind::Index => Imm::index(self.random.below(4) as u32),
            ImmKind::Conversion | ImmKind::Guard | ImmKind::Order => Imm(self.random.below(2) as u64),
            ImmKind::Lanes => {
                let lanes: Vec<u8> = (0..2 + self.random.below(3)).map(|_| self.random.below(4) as u8).collect();
                Lanes::new(&lanes).into()
            }
            _ => Imm::NONE,
        }
    }

    /// A step, if the first operands that come to mind fit.
    fn step(&mut self) -> Option<Step> {
        let op = self.random.pick(self.family.ops);
        let imm = self.imm(op);
        let wanted = self.random.pick(&self.types.clone());
        let mut args = Vec::new();
        match op {
            Op::ConstructStruct | Op::ConstructArray => {
                for i in 0..self.recipe.module.types.part_count(wanted)? {
                    let part = self.recipe.module.types.part(wanted, i)?;
                    args.push(self.arg(Some(part))?);
                }
            }
            Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple => {
                let scalar = self.recipe.module.types.scalar_of(wanted)?;
                for _ in 0..1 + self.random.below(4) {
                    let size = 1 + self.random.below(3) as u8;
                    let part = self.recipe.module.types.vector(scalar, size);
                    args.push(self.arg(Some(part))?);
                }
            }
            _ => {
                let first = self.arg(None)?;
                let ty = self.recipe.type_of(first);
                args.push(first);
                for _ in 0..self.random.below(4) {
                    let other = if self.random.chance(75) { ty } else { self.random.pick(&self.types.clone()) };
                    args.push(self.arg(Some(other))?);
                }
                if op == Op::Select || self.random.chance(10) {
                    args.rotate_left(1);
                }
            }
        }
        let looks_at_nan = matches!(op, Op::Bitcast | Op::CopySign);
        if looks_at_nan && !args.iter().all(|&a| self.recipe.is_clean(a)) {
            return None;
        }
        let types: Vec<Type> = args.iter().map(|&a| self.recipe.type_of(a)).collect();
        let results = infer(&mut self.recipe.module.types, op, imm, &types, Some(wanted)).ok()?;
        let [ty] = results[..] else { return None };
        Some(Step { op, imm, args, ty })
    }
}

fn make(seed: u64, family: &'static Family) -> Recipe {
    let mut random = Random::new(seed);
    let mut module = Module::new(family.language);
    let types = (family.types)(&mut module);
    let inputs: Vec<Type> = types.clone();
    let recipe = Recipe { module, inputs, steps: Vec::new(), fast_math: family.fast_math };
    let mut maker = Maker { random: &mut random, recipe, family, types };
    for _ in 0..1000 {
        if maker.recipe.steps.len() == 14 {
            break;
        }
        if let Some(step) = maker.step() {
            maker.recipe.steps.push(step);
        }
    }
    maker.recipe
}

/// The first step that is computed wrongly, and how.
fn wrong(recipe: &Recipe, seed: u64, samples: usize) -> Option<(usize, String)> {
    let (module, values, _) = recipe.build();
    let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("has been built");
    let mut random = Random::new(seed ^ 0x5eed);
    for _ in 0..samples {
        let mut number = |s| if recipe.fast_math { ordinary(&mut random, s) } else { special(&mut random, s) };
        let inputs: Vec<Vec<u64>> = recipe
            .inputs
            .iter()
            .map(|&ty| input(&recipe.module.types, ty, &mut number).expect("inputs are numbers"))
            .collect();
        let expected = recipe.values(&inputs);
        let judged =
            if recipe.fast_math { well_conditioned(recipe, &inputs, &expected) } else { vec![true; expected.len()] };
        let got = Values::new(&module, body, &inputs);
        for (i, step) in recipe.steps.iter().enumerate().filter(|(i, _)| judged[*i]) {
            let kinds = scalars(&recipe.module.types, step.ty).expect("steps are numbers");
            let value = got.get(values[i]);
            let right = value.as_ref().is_some_and(|v| match recipe.fast_math {
                true => close(&kinds, &expected[i], v),
                false => same(&kinds, &expected[i], v, !recipe.is_strict()),
            });
            if !right {
                let value = value.map_or("nothing".into(), |v| show(&kinds, &v));
                let text = |(ty, bits): (&Type, &Vec<u64>)| {
                    show(&scalars(&recipe.module.types, *ty).unwrap_or_default(), bits)
                };
                let inputs: Vec<String> = recipe.inputs.iter().zip(&inputs).map(text).collect();
                let expected = show(&kinds, &expected[i]);
                return Some((i, format!("on {inputs:?}\n  s{i} is {value}\n  and was {expected}")));
            }
        }
    }
    None
}

/// The bounds of numbers that are neither noise nor near an overflow.
const MODERATE: std::ops::Range<f64> = 1e-6..1e4;

/// Whether floats are as near as regrouping lets them be, all numbers on the way being moderate.
fn close(kinds: &[Scalar], x: &[u64], y: &[u64]) -> bool {
    near(kinds, x, y, 1e-7)
}

/// Which steps have a value that regrouping may not change much: it and all that it is made of are finite, moderate, and do
/// not change much when the inputs change a little.
fn well_conditioned(recipe: &Recipe, inputs: &[Vec<u64>], expected: &[Vec<u64>]) -> Vec<bool> {
    let mut moved = Random::new(7);
    let nearby: Vec<Vec<u64>> = inputs
        .iter()
        .zip(&recipe.inputs)
        .map(|(bits, &ty)| {
            let kinds = scalars(&recipe.module.types, ty).expect("inputs are numbers");
            let nudge = |(&bits, kind): (&u64, Scalar)| match kind {
                Scalar::F64 => {
                    (f64::from_bits(bits) * (1.0 + 1e-9 * (moved.below(2001) as f64 - 1000.0) / 1000.0)).to_bits()
                }
                _ => bits,
            };
            bits.iter().zip(kinds).map(nudge).collect()
        })
        .collect();
    let nearby = recipe.values(&nearby);
    let mut good: Vec<bool> = Vec::new();
    for (i, step) in recipe.steps.iter().enumerate() {
        let kinds = scalars(&recipe.module.types, step.ty).expect("steps are numbers");
        let made_of_good = step.args.iter().all(|&a| !matches!(a, Arg::Step(j) if !good[j]));
        let moderate = kinds.iter().zip(expected[i].iter().zip(&nearby[i])).all(|(&s, (&x, &y))| {
            let (x, y) = (number(s, x), number(s, y));
            !s.is_float() || MODERATE.contains(&x.abs()) && (x - y).abs() < 1e-5 * x.abs()
        });
        good.push(made_of_good && moderate);
    }
    good
}

/// A smaller recipe that is still wrong.
fn shrink(mut recipe: Recipe, seed: u64) -> Recipe {
    let mut progress = true;
    while progress {
        progress = false;
        let Some((last, _)) = wrong(&recipe, seed, 400) else { return recipe };
        recipe.steps.truncate(last + 1);
        let mut smaller: Vec<Recipe> = Vec::new();
        for (i, step) in recipe.steps.iter().enumerate() {
            // A step as one of its operands, or as an input.
            if i != last {
                let inputs = (0..recipe.inputs.len()).map(Arg::Input);
                let other = step.args.iter().copied().chain(inputs).find(|&a| recipe.type_of(a) == step.ty);
                if let Some(other) = other {
                    smaller.push(without(&recipe, i, other));
                }
            }
        }
        if let Some(found) = smaller.into_iter().find(|r| wrong(r, seed, 400).is_some()) {
            recipe = found;
            progress = true;
        }
    }
    recipe
}

/// The recipe with a step replaced by another operand.
fn without(recipe: &Recipe, step: usize, other: Arg) -> Recipe {
    let mut recipe = recipe.clone();
    recipe.steps.remove(step);
    for later in &mut recipe.steps[step..] {
        for arg in &mut later.args {
            match *arg {
                Arg::Step(i) if i == step => *arg = other,
                Arg::Step(i) if i > step => *arg = Arg::Step(i - 1),
                _ => {}
            }
        }
    }
    recipe
}

fn seeds() -> u64 {
    std::env::var("RULES_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(150)
}

fn judge(name: &str) {
    let family = FAMILIES.iter().find(|f| f.name == name).expect("there is such a family");
    let mut fired = 0;
    for seed in 0..seeds() {
        let recipe = make(seed, family);
        if wrong(&recipe, seed, 12).is_some() {
            let small = shrink(recipe, seed);
            let (_, how) = wrong(&small, seed, 400).or_else(|| wrong(&small, seed, 12)).expect("still fails");
            panic!("{name}, seed {seed}:\n{}  {how}", small.show());
        }
        let (mut module, _, context) = recipe.build();
        fired += context.stats.iter().map(|(_, _, n)| n).sum::<u64>();
        assert_eq!(verify(&module), [], "{name}, seed {seed}\n{}", recipe.show());
        let depth = context.stats.get("", "RuleDepthReached");
        assert_eq!(depth, 0, "{name}, seed {seed}: rules without end\n{}", recipe.show());
        let left = missed(&mut module, &recipe.options());
        assert!(left.is_empty(), "{name}, seed {seed}: {left:?}\n{}", recipe.show());
        settles(&mut module, &recipe, seed, name);
    }
    assert!(fired > seeds() / 2, "only {fired} rules fired");
}

/// A second time, only the order of operands may change, and a third time nothing is new.
fn settles(module: &mut Module, recipe: &Recipe, seed: u64, name: &str) {
    let func = module.funcs.keys().next().expect("has been built");
    let mut fired = Vec::new();
    for _ in 0..2 {
        let rules = Rules::new(&recipe.options());
        let policy = Policy { form: Form::Floating, fold: true, share: true, rules: Some(&rules) };
        restage(module, func, policy, &mut Identity);
        let mut context = Context::new(recipe.options());
        rules.report(module, &mut context);
        fired = context.stats.iter().map(|(_, rule, _)| rule).filter(|rule| !is_order(rule)).collect();
    }
    assert!(fired.is_empty(), "{name}, seed {seed}: {fired:?} fire once more\n{}", recipe.show());
}

/// The nodes that the last steps need cost less with the rules than without. A rule that takes one node apart to make two others
/// loses where that node is needed too: that must be rare.
#[test]
fn the_rules_pay() {
    for family in FAMILIES {
        let (mut before, mut after, mut costlier) = (0, 0, 0);
        for seed in 0..seeds() {
            let recipe = make(seed, family);
            let rules = Rules::new(&recipe.options());
            let cost = |rules: Option<&Rules>| {
                let (module, values) = recipe.build_with(rules);
                let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("has been built");
                u64::from(live_cost(body, values[values.len().saturating_sub(2)..].to_vec()))
            };
            let (plain, better) = (cost(None), cost(Some(&rules)));
            before += plain;
            after += better;
            costlier += u64::from(better > plain);
        }
        let name = family.name;
        assert!(after < before, "{name}: {before} became {after}");
        assert!(costlier * 25 <= seeds(), "{name}: {costlier} of {} became costlier", seeds());
    }
}

macro_rules! judges {
    ($($test:ident $name:literal)*) => { $(#[test] fn $test() { judge($name); })* };
}

judges! {
    integers "integers"
    floats "floats"
    strict_floats "strict floats"
    strict_conversions "strict conversions"
    booleans "booleans"
    vectors "vectors"
    matrices "matrices"
    aggregates "aggregates"
    conversions "conversions"
    real_numbers "real numbers"
    real_functions "real functions"
    real_matrices "real matrices"
}
