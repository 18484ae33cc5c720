//! Random flat functions through the stages that put nodes together: without fast-math the evaluator gives the same bits
//! on inputs of every kind, with it nearly the same numbers on ordinary ones, and no stage makes more nodes.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_flatten::uses::node_count;
use planish_flatten::{Options, stage};
use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Local, Type, Value, ValueKind};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::meaning::{Operand, evaluate};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::text::print;
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_testkit::straight_line::Random;

/// Functions of each kind.
const SEEDS: u64 = if cfg!(debug_assertions) { 1_000 } else { 20_000 };
/// Inputs of each function.
const INPUTS: usize = 8;
/// Tolerance of `f64` under fast-math, relative to the larger of the result and 1: its own rounding is 1e-16, and a few
/// dozen operations on numbers up to [`LARGEST`] lose at most half of the digits.
const TOLERANCE: f64 = 1e-7;
/// Largest intermediate number that is compared; beyond it, cancellation may leave no significant digits.
const LARGEST: f64 = 100.0;

/// Builds a function of random nodes that often have the shapes the stages look for.
struct Generator<'b, 'm, 'r> {
    random: Random,
    scalar: Scalar,
    /// Whether small changes of operands change results little.
    smooth: bool,
    b: &'b mut Builder<'m, 'r>,
    /// Values by size; index 0 is not used.
    values: [Vec<Value>; 5],
}

impl Generator<'_, '_, '_> {
    fn ty(&mut self, size: usize) -> Type {
        match size {
            1 => self.b.module.types.scalar(self.scalar),
            n => self.b.module.types.vector(self.scalar, n as u8),
        }
    }

    fn constant(&mut self, size: usize) -> Value {
        let ty = self.ty(size);
        let all = self.random.chance(40);
        let mut numbers = [1.0, -0.5, 0.25, 2.0, 0.3, -1.0, 0.0, 0.7, 1.5].map(|x: f64| match self.scalar {
            Scalar::F32 => u64::from((x as f32).to_bits()),
            Scalar::I32 => u64::from((x * 20.0) as i32 as u32),
            _ => x.to_bits(),
        });
        let start = self.random.below(numbers.len());
        numbers.rotate_left(start);
        if all {
            numbers = [numbers[0]; 9];
        }
        let module = &mut *self.b.module;
        module.consts.unflatten(&mut module.types, ty, &mut numbers.into_iter()).expect("numbers").into()
    }

    /// A value, mostly a new one, so that many are used once.
    fn any(&mut self, size: usize) -> Value {
        if self.values[size].is_empty() || self.random.chance(12) {
            return self.constant(size);
        }
        let from = &self.values[size];
        let back =
            if self.random.chance(70) { self.random.below(from.len().min(4)) } else { self.random.below(from.len()) };
        from[from.len() - 1 - back]
    }

    fn push(&mut self, size: usize, value: Value) {
        self.values[size].push(value);
    }

    fn component(&mut self, vector: Value, index: usize) -> Value {
        self.b.swizzle(vector, &[index as u8])
    }

    fn spread(&mut self, value: Value, size: usize) -> Value {
        let ty = self.ty(size);
        if size == 1 { value } else { self.b.op_typed(Op::ConstructVectorFromScalar, &[value], ty) }
    }

    /// An operand: a value of its own, or a scalar spread.
    fn operand(&mut self, size: usize) -> Value {
        if size > 1 && self.random.chance(25) {
            let scalar = self.any(1);
            return self.spread(scalar, size);
        }
        self.any(size)
    }

    fn step(&mut self) {
        let size = self.random.pick(&[1, 1, 1, 2, 3, 4]);
        match self.random.below(12) {
            0 | 1 => self.sum(),
            2 | 3 => self.lanes(),
            4 => self.interpolation(size),
            5 => {
                let (value, from) = (self.random.below(3) + 2, self.random.below(4));
                let vector = self.any(value);
                let part = self.component(vector, from % value);
                self.push(1, part);
            }
            6 => {
                let parts: Vec<Value> = (0..size.max(2)).map(|_| self.any(1)).collect();
                let ty = self.ty(parts.len());
                let vector = self.b.op_typed(Op::ConstructVectorFromMultiple, &parts, ty);
                self.push(parts.len(), vector);
            }
            7 => {
                let from = self.random.below(3) + 2;
                let vector = self.any(from);
                let lanes: Vec<u8> = (0..size.max(2)).map(|_| self.random.below(from) as u8).collect();
                let swizzle = self.b.swizzle(vector, &lanes);
                self.push(lanes.len(), swizzle);
            }
            _ => {
                let value = self.node(size);
                self.push(size, value);
            }
        }
    }

    fn node(&mut self, size: usize) -> Value {
        let any: &[Op] = &[
            Op::Add,
            Op::Add,
            Op::Add,
            Op::Subtract,
            Op::Subtract,
            Op::Multiply,
            Op::Multiply,
            Op::Multiply,
            Op::Negate,
            Op::Sin,
            Op::Abs,
            Op::Max,
            Op::Mix,
            Op::MultiplyAdd,
            Op::Lerp,
            Op::HorizontalAdd,
            Op::Floor,
            Op::Divide,
            Op::Sqrt,
            Op::Select,
        ];
        let integer: &[Op] = &[Op::Add, Op::Subtract, Op::Multiply, Op::MultiplyAdd, Op::Negate, Op::Abs, Op::Max];
        let op = self.random.pick(match self.scalar {
            Scalar::I32 => integer,
            _ if self.smooth => &any[..16],
            _ => any,
        });
        let x = self.operand(size);
        match op {
            Op::Negate | Op::Sin | Op::Abs | Op::Floor | Op::Sqrt => self.b.op(op, &[x]),
            Op::HorizontalAdd => {
                let sum = self.b.op(op, &[x]);
                self.spread(sum, size)
            }
            Op::Mix | Op::MultiplyAdd | Op::Lerp => {
                let (y, z) = (self.operand(size), self.operand(size));
                self.b.op(op, &[x, y, z])
            }
            Op::Select => {
                let (y, z) = (self.operand(size), self.operand(size));
                let less = self.b.op(Op::LessThan, &[x, y]);
                self.b.op(Op::Select, &[less, z, x])
            }
            _ => {
                let y = self.operand(size);
                self.b.op(op, &[x, y])
            }
        }
    }

    /// A chain of additions and subtractions, often of components and products.
    fn sum(&mut self) {
        let vector_size = self.random.below(3) + 2;
        let vectors = [self.any(vector_size), self.any(vector_size)];
        let mut sum = self.any(1);
        for i in 0..self.random.below(8) + 1 {
            let term = match self.random.below(6) {
                0 | 1 => self.component(vectors[0], i % vector_size),
                2 => {
                    let (x, weight) = (self.component(vectors[i % 2], i / 2 % vector_size), self.constant(1));
                    self.b.op(Op::Multiply, &[x, weight])
                }
                3 => {
                    let x = self.component(vectors[0], i % vector_size);
                    let y = self.component(vectors[1], i % vector_size);
                    self.b.op(Op::Multiply, &[x, y])
                }
                4 => {
                    let (x, y) = (self.any(1), self.any(1));
                    self.b.op(Op::Multiply, &[x, y])
                }
                _ => self.any(1),
            };
            let op = if self.random.chance(75) { Op::Add } else { Op::Subtract };
            let args = if self.random.chance(50) { [sum, term] } else { [term, sum] };
            sum = self.b.op(op, &args);
            if self.random.chance(10) {
                self.push(1, sum);
            }
        }
        self.push(1, sum);
    }

    /// A vector, the lanes of which are computed alike.
    fn lanes(&mut self) {
        let size = self.random.below(3) + 2;
        let base = self.any(size);
        let mut lanes: Vec<Value> =
            (0..size).map(|i| if self.random.chance(80) { self.component(base, i) } else { self.any(1) }).collect();
        for _ in 0..self.random.below(4) {
            let unary: &[Op] = &[Op::Abs, Op::Negate, Op::Sin];
            let unary = if self.scalar == Scalar::I32 { &unary[..2] } else { unary };
            let binary: &[Op] = &[Op::Add, Op::Multiply, Op::Subtract, Op::Max];
            let shared = self.any(1);
            let how = self.random.below(4);
            let op = self.random.pick(if how == 0 { unary } else { binary });
            for lane in &mut lanes {
                if self.random.chance(4) {
                    continue;
                }
                let other = match how {
                    1 => shared,
                    2 => self.constant(1),
                    _ => self.any(1),
                };
                let args = [*lane, other];
                let swapped = [other, *lane];
                let swap = op.info().commutative && self.random.chance(30);
                *lane = self.b.op(
                    op,
                    if how == 0 {
                        &args[..1]
                    } else if swap {
                        &swapped
                    } else {
                        &args
                    },
                );
            }
        }
        if self.random.chance(15) {
            let stays = lanes[self.random.below(size)];
            self.push(1, stays);
        }
        if self.random.chance(30) {
            let sum = lanes[1..].iter().fold(lanes[0], |sum, &lane| self.b.op(Op::Add, &[sum, lane]));
            self.push(1, sum);
            return;
        }
        let ty = self.ty(size);
        let vector = self.b.op_typed(Op::ConstructVectorFromMultiple, &lanes, ty);
        self.push(size, vector);
    }

    fn interpolation(&mut self, size: usize) {
        let (x, y, a) = (self.any(size), self.any(size), self.operand(size));
        let value = if self.random.chance(50) {
            let difference = self.b.op(Op::Subtract, &[y, x]);
            let product = self.b.op(Op::Multiply, &[a, difference]);
            let op = if self.random.chance(70) { Op::Add } else { Op::Subtract };
            self.b.op(op, &[x, product])
        } else {
            let one = {
                let ty = self.ty(size);
                let module = &mut *self.b.module;
                let bits = match self.scalar {
                    Scalar::F32 => 1f32.to_bits().into(),
                    Scalar::I32 => 1,
                    _ => 1f64.to_bits(),
                };
                module.consts.splat(&mut module.types, ty, bits).expect("numbers").into()
            };
            let rest = self.b.op(Op::Subtract, &[one, a]);
            let first = self.b.op(Op::Multiply, &[x, rest]);
            let second = self.b.op(Op::Multiply, &[a, y]);
            self.b.op(Op::Add, &[first, second])
        };
        self.push(size, value);
    }
}

/// A function of a scalar and vectors of each size, and a uniform vector, that gives a few of its values.
fn function(seed: u64, scalar: Scalar, smooth: bool) -> (Module, Func, Vec<Type>) {
    let steps = Random::new(!seed).below(25) + 2;
    long_function(seed, scalar, smooth, steps)
}

fn long_function(seed: u64, scalar: Scalar, smooth: bool, steps: usize) -> (Module, Func, Vec<Type>) {
    let mut module = Module::new(Language::Ir);
    let one = module.types.scalar(scalar);
    let [two, three, four] = [2, 3, 4].map(|n| module.types.vector(scalar, n));
    let types = vec![one, two, three, four, one, three];
    let param = |&ty: &Type| Param {
        name: Name::temporary("x"),
        ty,
        precision: Precision::None,
        direction: Direction::In,
        span: Span::NONE,
    };
    let results: Vec<ResultType> = types[..4].iter().map(|&ty| ResultType { ty, precision: Precision::None }).collect();
    let params = types.iter().map(param).collect();
    let func = module.add_func(Name::temporary("f"), params, results, Span::NONE);
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let mut values: [Vec<Value>; 5] = Default::default();
    for (i, size) in [1, 2, 3, 4, 1, 3].into_iter().enumerate() {
        values[size].push(b.param(i));
    }
    let random = Random::new(seed);
    let mut generator = Generator { random, scalar, smooth, b: &mut b, values };
    for _ in 0..steps {
        generator.step();
    }
    let returned: Vec<Value> = (1..5).map(|size| *generator.values[size].last().expect("a parameter")).collect();
    b.ret(&returned);
    b.finish();
    (module, func, types)
}

fn special(random: &mut Random, scalar: Scalar) -> u64 {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        3.25,
        -7.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e30,
        -1e30,
        1e-40,
        0.1,
        16_777_217.0,
    ];
    let x = random.pick(&numbers);
    match scalar {
        Scalar::F32 if random.chance(40) => f32::from_bits(random.word() as u32 & 0x3fff_ffff).to_bits().into(),
        Scalar::F32 => (x as f32).to_bits().into(),
        Scalar::I32 => u64::from(random.word() as u32 >> random.below(32)),
        _ => x.to_bits(),
    }
}

fn ordinary(random: &mut Random) -> u64 {
    let x = (random.word() >> 11) as f64 / (1u64 << 53) as f64;
    (x * 4.0 - 2.0).to_bits()
}

fn run(module: &Module, func: Func, inputs: &[Vec<EvalValue>]) -> Vec<Vec<u64>> {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it can be evaluated");
    let one = |args: &Vec<EvalValue>| {
        let results = evaluator.call(func, args).expect("nothing traps");
        results.into_iter().flat_map(|r| r.bits).collect()
    };
    inputs.iter().map(one).collect()
}

fn inputs(seed: u64, module: &Module, types: &[Type], number: impl Fn(&mut Random) -> u64) -> Vec<Vec<EvalValue>> {
    let mut random = Random::new(seed ^ 0x5eed);
    let value = |random: &mut Random, ty: Type| {
        let size = module.types.vector_size(ty).expect("scalars and vectors");
        EvalValue { ty, bits: (0..size).map(|_| number(random)).collect() }
    };
    (0..INPUTS).map(|_| types.iter().map(|&ty| value(&mut random, ty)).collect()).collect()
}

/// The largest number on the way to the results.
fn largest(module: &Module, func: Func, args: &[EvalValue]) -> f64 {
    let body = module.funcs[func].body.as_ref().expect("an inside");
    let mut values: SideTable<Local, Vec<u64>> = SideTable::new();
    for (&input, arg) in body.blocks[body.entry].inputs.iter().zip(args) {
        values[input] = arg.bits.clone();
    }
    let mut largest: f64 = 0.0;
    for &node in &body.blocks[body.entry].nodes {
        let data = body.node(node);
        let bits: Vec<Vec<u64>> = body
            .args(node)
            .iter()
            .map(|&arg| match arg.kind() {
                ValueKind::Local(local) => values[local].clone(),
                ValueKind::Const(c) => {
                    let mut bits = Vec::new();
                    assert!(module.consts.flatten(c, &mut bits));
                    bits
                }
                _ => unreachable!("there are no pointers"),
            })
            .collect();
        let types = body.args(node).iter().map(|&arg| module.type_of(body, arg));
        let operands: Vec<Operand> = types.zip(&bits).map(|(ty, bits)| Operand { ty, bits }).collect();
        let result = body.result(node).expect("a value");
        let mut out = Vec::new();
        evaluate(&module.types, data.op, data.imm, &operands, body.local_type(result), &mut out).expect("pure");
        if module.types.scalar_of(body.local_type(result)) == Some(Scalar::F64) {
            largest = out.iter().fold(largest, |largest, &b| largest.max(f64::from_bits(b).abs()));
        }
        values[result] = out;
    }
    largest
}

/// Runs the stages one after the other; the number of nodes never rises.
fn through(module: &Module, func: Func, options: &Options, stages: &[&str]) -> Module {
    let mut module = module.clone();
    for name in stages {
        let before = (node_count(&module, module.funcs[func].body.as_ref().expect("an inside")), print(&module));
        (stage(name).expect("a stage").run)(&mut module, func, options).expect("the function is flat");
        assert_eq!(verify(&module), [], "{name}\n{}", print(&module));
        let after = node_count(&module, module.funcs[func].body.as_ref().expect("an inside"));
        assert!(after <= before.0, "{name}: {} nodes, then {after}\n{}\n{}", before.0, before.1, print(&module));
        let once = print(&module);
        (stage(name).expect("a stage").run)(&mut module, func, options).expect("the function is flat");
        assert_eq!(once, print(&module), "{name}: twice\n{}", before.1);
    }
    module
}

const STAGES: &[&str] = &["fuse", "pack"];

/// Counts the functions with more nodes of each op than before: the stages have an effect.
fn count_made(ops: &[Op], before: &Module, after: &Module, counts: &mut [usize]) {
    let number = |module: &Module, op: Op| {
        let bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
        bodies.flat_map(|body| body.nodes()).filter(|(_, data)| data.op == op).count()
    };
    for (count, &op) in counts.iter_mut().zip(ops) {
        *count += usize::from(number(after, op) > number(before, op));
    }
}

#[test]
fn strictly_every_bit_stays() {
    let ops = [Op::MultiplyAdd, Op::Lerp, Op::Mix];
    let mut made = [0; 3];
    let is_nan = |bits: u64| f32::from_bits(bits as u32).is_nan();
    for seed in 0..SEEDS {
        let scalar = if seed % 8 == 7 { Scalar::I32 } else { Scalar::F32 };
        let (module, func, types) = function(seed, scalar, false);
        let inputs = inputs(seed, &module, &types, |random| special(random, scalar));
        let expected = run(&module, func, &inputs);
        let flat = through(&module, func, &Options::default(), STAGES);
        count_made(&ops, &module, &flat, &mut made);
        for (expected, found) in expected.iter().zip(run(&flat, func, &inputs)) {
            let same =
                expected.iter().zip(&found).all(|(&x, &y)| x == y || scalar == Scalar::F32 && is_nan(x) && is_nan(y));
            assert!(same, "seed {seed}: {expected:x?}, then {found:x?}\n{}\n{}", print(&module), print(&flat));
        }
    }
    assert!(made.iter().all(|&n| n as u64 > SEEDS / 50), "{ops:?} are made in {made:?} functions");
}

#[test]
fn with_fast_math_the_numbers_stay_near() {
    let options = Options { fast_math: true, ..Options::default() };
    let ops = [Op::MultiplyAdd, Op::Lerp, Op::Dot, Op::HorizontalAdd];
    let (mut compared, mut made) = (0, [0; 4]);
    for seed in 0..SEEDS {
        let (module, func, types) = function(seed, Scalar::F64, true);
        let inputs = inputs(seed, &module, &types, ordinary);
        let expected = run(&module, func, &inputs);
        let flat = through(&module, func, &options, STAGES);
        count_made(&ops, &module, &flat, &mut made);
        for ((expected, found), args) in expected.iter().zip(run(&flat, func, &inputs)).zip(&inputs) {
            if largest(&module, func, args) > LARGEST {
                continue;
            }
            for (&x, &y) in expected.iter().zip(&found) {
                let (x, y) = (f64::from_bits(x), f64::from_bits(y));
                compared += 1;
                let near = (x - y).abs() <= TOLERANCE * x.abs().max(1.0);
                assert!(near, "seed {seed}: {x}, then {y}\n{}\n{}", print(&module), print(&flat));
            }
        }
    }
    assert!(compared > SEEDS * 10, "{compared} numbers are too few");
    assert!(made.iter().all(|&n| n as u64 > SEEDS / 50), "{ops:?} are made in {made:?} functions");
}

/// A long function goes through on a small stack: nothing recurses with its length. (How long it takes is a benchmark's:
/// `cargo run --release -p planish --example growth -- --flatten`.)
#[test]
fn long_functions_need_no_stack() {
    for fast_math in [false, true] {
        let work = move || {
            let options = Options { fast_math, ..Options::default() };
            let (mut module, func, _) = long_function(1, Scalar::F32, false, 6_000);
            for name in STAGES {
                (stage(name).expect("a stage").run)(&mut module, func, &options).expect("the function is flat");
            }
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(work).expect("it starts").join().expect("no overflow");
    }
}
