//! Slices, sequences and streams of staged Rust: on the evaluator, the virtual machine and machine code they are what plain Rust computes.

mod linked;
mod pipelines;
mod rust;
mod shader;
pub(crate) mod targets;

use planish::ir::entity::Memory;
use planish::stage::{
    Compiled, Function, In, Out, Params, Rep, Seq, Staged, Stream, Var, for_, function, if_, range, stage, var,
};
use planish::vm::{Config, Engine, Strategy, TrapKind};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_testkit::seeds;

/// The function on each engine, with guard pages and without.
fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 3] {
    [(Strategy::Vm, true), (Strategy::Native, true), (Strategy::Native, false)].map(|(strategy, guards)| {
        let mut config = Config::default();
        let engine = Engine::new(config.strategy(strategy).signals_based_traps(guards));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}"))
    })
}

fn made<A: Params, R: Staged>(function: Result<Function<A, R>, planish::stage::Errors>) -> Function<A, R> {
    function.unwrap_or_else(|errors| panic!("{errors}"))
}

fn close(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

#[test]
fn sums_are_in_order() {
    let dot = made(function("dot", |a: In<[f64]>, b: In<[f64]>| a.iter().zip(b.iter()).map(|(x, y)| x * y).sum()));
    for compiled in on_engines(&dot) {
        for n in [0, 1, 2, 3, 100] {
            let a: Vec<f64> = (0..n).map(|i| 1.0 / f64::from(i + 1)).collect();
            let b: Vec<f64> = (0..n + 3).map(|i| f64::from(i).sin()).collect();
            let expected: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!(close(compiled.call(&a, &b).expect("it does not trap"), expected));
            assert!(close(compiled.call(&b, &a).expect("it does not trap"), expected));
            assert!(close(compiled.call(&a, &a).expect("it does not trap"), a.iter().map(|x| x * x).sum()));
        }
    }
    // One loop, and nothing else.
    let text = planish::ir::text::print(&dot.optimized());
    assert_eq!(text.matches("loop_if").count(), 1, "{text}");
    assert_eq!(text.matches("memory_load").count(), 2, "{text}");
}

#[test]
fn results_are_written_in_place() {
    let axpy = made(function("axpy", |a: Rep<f32>, x: In<[f32]>, y: Out<[f32]>| {
        x.iter().zip(y.iter()).map(|(x, y)| a * x + y).write_to(y)
    }));
    for compiled in on_engines(&axpy) {
        for n in [0, 1, 7, 1000] {
            let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
            let mut y = vec![2.0; n];
            assert_eq!(compiled.call(3.0, &x, &mut y).expect("it does not trap"), n as u32);
            assert!(x.iter().zip(&y).all(|(x, y)| *y == 3.0 * x + 2.0));
        }
    }
}

#[test]
fn all_numbers_are_elements() {
    macro_rules! numbers {
        ($($host:ident $values:expr;)*) => {$({
            let f = made(function(stringify!($host), |from: In<[$host]>, to: Out<[$host]>, wide: Out<[[$host; 2]]>| {
                from.iter().write_to(to);
                from.iter().chunks::<2>().map(|[a, b]| [b, a]).write_to(wide)
            }));
            let values: [$host; 5] = $values;
            for compiled in on_engines(&f) {
                let (mut to, mut wide) = ([Default::default(); 6], [[Default::default(); 2]; 3]);
                assert_eq!(compiled.call(&values, &mut to, &mut wide).expect("it does not trap"), 2);
                assert_eq!(to[..5], values);
                assert_eq!((to[5], wide), (Default::default(), [[values[1], values[0]], [values[3], values[2]], Default::default()]));
            }
        })*};
    }
    numbers! {
        i8 [0, 1, -1, 127, -128];
        u8 [0, 1, 255, 127, 128];
        i16 [0, 1, -1, 32_767, -32_768];
        u16 [0, 1, 65_535, 32_767, 32_768];
        i32 [0, 1, -1, i32::MAX, i32::MIN];
        u32 [0, 1, u32::MAX, 1 << 31, 77];
        i64 [0, 1, -1, i64::MAX, i64::MIN];
        u64 [0, 1, u64::MAX, 1 << 63, 77];
        f32 [0.0, -1.5, f32::INFINITY, f32::MIN_POSITIVE, f32::MAX];
        f64 [0.0, -1.5, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX];
    }
    // Small numbers become large ones with their sign.
    let f = made(function("sums", |a: In<[i8]>, b: In<[u8]>| (a.iter().sum(), b.iter().sum())));
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(&[-128, -1, 3], &[255, 255]).expect("it does not trap"), (-126, 510));
    }
}

#[test]
fn out_of_bounds_is_an_error_with_its_place() {
    let line = line!() + 1;
    let f = made(function("at", |x: In<[u64]>, y: Out<[u64]>, i: Rep<u32>| x.at(i) + y.at(i)));
    let short = made(function("short", |x: In<[u64]>, y: Out<[u64]>| x.iter().write_to(y)));
    let pushed = made(function("pushed", |x: In<[u64]>, y: Out<[u64]>| x.iter().filter(|x| x.gt(0)).write_to(y)));
    let set = made(function("set", |y: Out<[u64]>, i: Rep<u32>| {
        y.set(i, 7);
    }));
    let update = made(function("update", |y: Out<[u64]>, i: Rep<u32>| {
        y.update(i, |y| y + 1);
    }));
    let check = |result: Result<(), planish::stage::Stopped>, line: Option<u32>| {
        let stopped = result.expect_err("it is out of bounds");
        assert_eq!(stopped.error.as_trap().expect("a trap").kind, TrapKind::OutOfBoundsMemory);
        let place = stopped.place.expect("it has a place");
        assert!(place.contains("stage_slices.rs"), "{place}");
        assert!(line.is_none_or(|line| place.contains(&format!(":{line}:"))), "{place}, not {line:?}");
    };
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(&[1, 2, 3], &mut [10, 20, 30], 2).expect("within bounds"), 33);
        for index in [3, 4, 1 << 29, (1 << 29) + 1, 1 << 31, u32::MAX] {
            check(compiled.call(&[1, 2, 3], &mut [10, 20, 30], index).map(drop), Some(line));
        }
        check(compiled.call(&[1, 2, 3], &mut [], 0).map(drop), Some(line));
        check(compiled.call(&[], &mut [], 0).map(drop), Some(line));
    }
    for compiled in on_engines(&short) {
        let mut y = [9; 2];
        check(compiled.call(&[1, 2, 3], &mut y).map(drop), Some(line + 1));
        assert_eq!(y, [9; 2], "nothing is written");
    }
    for compiled in on_engines(&pushed) {
        let mut y = [9; 2];
        assert_eq!(compiled.call(&[0, 2, 0, 3], &mut y).expect("it fits"), 2);
        check(compiled.call(&[1, 0, 5, 3], &mut y).map(drop), Some(line + 2));
        assert_eq!(y, [1, 5]);
    }
    for compiled in on_engines(&set).into_iter().chain(on_engines(&update)) {
        let mut y = [6; 2];
        compiled.call(&mut y, 1).expect("within bounds");
        assert_eq!(y, [6, 7]);
        check(compiled.call(&mut y, 2), None);
    }
}

#[test]
fn a_histogram_is_a_loop() {
    #[stage]
    fn histogram(data: In<[u8]>, bins: Out<[u32]>) {
        for i in 0..data.len() {
            bins.update(data.at(i) >> 4, |n| n + 1);
        }
    }
    let f = made(function("histogram", histogram));
    for compiled in on_engines(&f) {
        let (data, mut bins): (Vec<u8>, _) = ((0..=255).chain(16..20).collect(), [0; 16]);
        compiled.call(&data, &mut bins).expect("it does not trap");
        assert_eq!((bins[0], bins[1], bins[2]), (16, 20, 16));
    }
}

#[test]
fn a_stencil_reads_its_neighbours() {
    let f = made(function("blur", |x: In<[f32]>, y: Out<[f32]>| {
        x.iter().windows::<3>().map(|[a, b, c]| (a + b * 2.0 + c) * 0.25).write_to(y)
    }));
    for compiled in on_engines(&f) {
        for n in 0..6usize {
            let x: Vec<f32> = (0..n).map(|i| (i * i) as f32).collect();
            let mut y = vec![0.0; n];
            let written = compiled.call(&x, &mut y).expect("it does not trap") as usize;
            let expected: Vec<f32> = x.windows(3).map(|w| (w[0] + w[1] * 2.0 + w[2]) * 0.25).collect();
            assert_eq!(y[..written], expected);
        }
    }
}

#[test]
fn extremes_and_searches() {
    let f = made(function("all", |x: In<[f64]>| {
        let stream = || x.iter().stream();
        (
            stream().min(f64::INFINITY),
            stream().max(f64::NEG_INFINITY),
            stream().any(|x| x.lt(0.0)),
            stream().all(|x| x.lt(9.0)),
            stream().position(|x| x.gt(2.0)),
            stream().filter(|x| x.gt(2.0)).first(-1.0),
            stream().filter(|x| x.gt(2.0)).count(),
        )
    }));
    for compiled in on_engines(&f) {
        let of = |x: &[f64]| compiled.call(x).expect("it does not trap");
        assert_eq!(of(&[]), (f64::INFINITY, f64::NEG_INFINITY, false, true, 0, -1.0, 0));
        assert_eq!(of(&[1.0, 3.0, -2.0, 8.5]), (-2.0, 8.5, true, true, 1, 3.0, 2));
        assert_eq!(of(&[f64::NAN, 9.0, 2.0]), (2.0, 9.0, false, false, 1, 9.0, 1));
    }
}

#[test]
fn values_of_a_slice_stay_in_their_program() {
    let errors = function("outer", |x: In<[f64]>| {
        let inner = function("inner", |y: In<[f64]>| x.len() + y.len());
        let errors = inner.expect_err("it takes a value of another program").to_string();
        assert!(errors.contains("E1401") && errors.contains("stage_slices.rs"), "{errors}");
        x.iter().sum()
    });
    made(errors);
}

// Random pipelines

/// Of 64 bits.
mod wide {
    use super::*;

    type Int = i64;

    pipelines::pipelines!();
}

/// Of 32 bits.
pub(crate) mod narrow {
    use super::*;

    type Int = i32;

    pipelines::pipelines!();
}

use wide::{Number, firsts, pipeline, pipeline_case, steps};

fn evaluated(module: &planish::ir::module::Module, name: &str, inputs: [&[i64]; 2]) -> (i64, u32) {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it starts");
    let mut args = Vec::new();
    for (index, input) in inputs.into_iter().enumerate() {
        let bytes = evaluator.memory_mut(Memory::from_u32(index as u32)).expect("the slice's");
        *bytes = input.iter().flat_map(|x| x.to_le_bytes()).collect();
        args.push(EvalValue::u32(input.len() as u32));
    }
    let func = module.entry_points.iter().find(|e| e.names.iter().any(|n| **n == *name)).expect("exported").func;
    let results = evaluator.call(func, &args).expect("it does not trap");
    let word = |index: usize| results[index].bits[0];
    (word(0) as i64, word(1) as u32)
}

#[test]
fn random_pipelines_are_those_of_plain_rust() {
    for seed in seeds(0..120) {
        let mut choices = Choices::from_seed(seed);
        let (first, then) = (firsts(&mut choices), steps(&mut choices, 2));
        let f = pipeline(&first, &then);
        let optimized = f.optimized();
        let compiled = on_engines(&f);
        for size in [0, 1, 2, 3, 4, 5, 8, 40] {
            let ([a, b], expected) = pipeline_case(seed, size, &first, &then);
            let what = || format!("seed {seed}, size {size}: {first:?} {then:?}");
            assert_eq!(evaluated(f.module(), "pipeline", [&a, &b]), expected, "{}", what());
            assert_eq!(evaluated(&optimized, "pipeline", [&a, &b]), expected, "optimized: {}", what());
            for compiled in &compiled {
                assert_eq!(compiled.call(&a, &b).expect("it does not trap"), expected, "{compiled:?}: {}", what());
            }
        }
    }
}

// Random programs that read and write slices of three widths, in bounds and out of them

/// A statement about a number and three slices.
#[derive(Clone, Debug)]
enum Statement {
    Compute(i64, i64),
    ReadBytes(Index),
    ReadShorts(Index),
    ReadLongs(Index),
    WriteShorts(Index),
    WriteLongs(Index),
    AddToLongs(Index),
    If(i64, Vec<Statement>, Vec<Statement>),
    Times(u32, Vec<Statement>),
    /// As [`Statement::Times`], made now.
    Unrolled(u32, Vec<Statement>),
}

/// An index.
#[derive(Clone, Copy, Debug)]
enum Index {
    Constant(u32),
    /// The number, by the length.
    Wrapped,
    /// The number as it is: it may be beyond the end.
    Number,
    /// The number of the round.
    Round,
}

fn index(choices: &mut Choices) -> Index {
    match choices.below(8) {
        0 => Index::Number,
        1..=3 => Index::Constant(choices.below(6) as u32),
        4 | 5 => Index::Round,
        _ => Index::Wrapped,
    }
}

fn statements(choices: &mut Choices, depth: u32) -> Vec<Statement> {
    let count = 1 + choices.below(5);
    (0..count)
        .map(|_| match choices.below(if depth > 0 { 10 } else { 7 }) {
            0 => Statement::Compute(choices.below(9) as i64 - 4, choices.below(50) as i64),
            1 => Statement::ReadBytes(index(choices)),
            2 => Statement::ReadShorts(index(choices)),
            3 => Statement::ReadLongs(index(choices)),
            4 => Statement::WriteShorts(index(choices)),
            5 => Statement::WriteLongs(index(choices)),
            6 => Statement::AddToLongs(index(choices)),
            7 => {
                let (then, otherwise) = (statements(choices, depth - 1), statements(choices, depth - 1));
                Statement::If(choices.below(60) as i64 - 20, then, otherwise)
            }
            8 => Statement::Times(choices.below(5) as u32, statements(choices, depth - 1)),
            _ => Statement::Unrolled(choices.below(3) as u32, statements(choices, depth - 1)),
        })
        .collect()
}

/// The slices of a program.
#[derive(Clone, Copy)]
struct Slices {
    bytes: In<[u8]>,
    shorts: Out<[i16]>,
    longs: Out<[i64]>,
}

impl Slices {
    fn write(self, statements: &[Statement], number: &Var<Number>, round: Rep<u32>) {
        let at = |index: Index, len: Rep<u32>| match index {
            Index::Constant(index) => Rep::new(index),
            Index::Wrapped => number.get().as_::<u32>().rem_or_zero(len),
            Index::Number => number.get().as_::<u32>(),
            Index::Round => round,
        };
        let Slices { bytes, shorts, longs } = self;
        for statement in statements {
            match statement {
                Statement::Compute(a, b) => number.update(|x| x * *a + *b),
                Statement::ReadBytes(i) => number.update(|x| x + bytes.at(at(*i, bytes.len())).as_::<i64>()),
                Statement::ReadShorts(i) => number.update(|x| x ^ shorts.at(at(*i, shorts.len())).as_::<i64>()),
                Statement::ReadLongs(i) => number.set(longs.at(at(*i, longs.len()))),
                Statement::WriteShorts(i) => shorts.set(at(*i, shorts.len()), number.get().as_::<i32>()),
                Statement::WriteLongs(i) => longs.set(at(*i, longs.len()), number.get()),
                Statement::AddToLongs(i) => longs.update(at(*i, longs.len()), |x| x + number.get()),
                Statement::If(limit, then, otherwise) => if_(
                    number.get().lt(*limit),
                    || self.write(then, number, round),
                    || self.write(otherwise, number, round),
                ),
                Statement::Times(count, body) => for_(0u32, *count, |round| self.write(body, number, round)),
                Statement::Unrolled(count, body) => {
                    (0..*count).for_each(|round| self.write(body, number, Rep::new(round)));
                }
            }
        }
    }
}

/// The same for the host; `None` beyond the end of a slice.
#[derive(Clone, PartialEq, Debug)]
struct Plain {
    bytes: Vec<u8>,
    shorts: Vec<i16>,
    longs: Vec<i64>,
    number: i64,
}

impl Plain {
    fn new(sizes: [i32; 3], number: i64) -> Self {
        Plain {
            bytes: (0..sizes[0]).map(|i| (i * 91 + 5) as u8).collect(),
            shorts: (0..sizes[1]).map(|i| (i * 7919 - 300) as i16).collect(),
            longs: (0..sizes[2]).map(|i| i64::from(i) * 0x1234_5678_9abc - 5).collect(),
            number,
        }
    }

    fn run(&mut self, statements: &[Statement], round: u32) -> Option<()> {
        for statement in statements {
            let at = |index: Index, len: usize, number: i64| match index {
                Index::Constant(index) => index as usize,
                Index::Wrapped => (number as u32).checked_rem(len as u32).unwrap_or(0) as usize,
                Index::Number => number as u32 as usize,
                Index::Round => round as usize,
            };
            let number = self.number;
            match statement {
                Statement::Compute(a, b) => self.number = number.wrapping_mul(*a).wrapping_add(*b),
                Statement::ReadBytes(i) => {
                    let byte = *self.bytes.get(at(*i, self.bytes.len(), number))?;
                    self.number = number.wrapping_add(byte.into());
                }
                Statement::ReadShorts(i) => {
                    self.number ^= i64::from(*self.shorts.get(at(*i, self.shorts.len(), number))?);
                }
                Statement::ReadLongs(i) => self.number = *self.longs.get(at(*i, self.longs.len(), number))?,
                Statement::WriteShorts(i) => {
                    let len = self.shorts.len();
                    *self.shorts.get_mut(at(*i, len, number))? = number as i16;
                }
                Statement::WriteLongs(i) => {
                    let len = self.longs.len();
                    *self.longs.get_mut(at(*i, len, number))? = number;
                }
                Statement::AddToLongs(i) => {
                    let len = self.longs.len();
                    let long = self.longs.get_mut(at(*i, len, number))?;
                    *long = long.wrapping_add(number);
                }
                Statement::If(limit, then, otherwise) => {
                    self.run(if number < *limit { then } else { otherwise }, round)?;
                }
                Statement::Times(count, body) | Statement::Unrolled(count, body) => {
                    (0..*count).try_for_each(|round| self.run(body, round))?;
                }
            }
        }
        Some(())
    }
}

type Writes = Function<(In<[u8]>, Out<[i16]>, Out<[i64]>, Number), Number>;

/// A function that runs a program.
fn writes(program: &[Statement]) -> Writes {
    made(function("writes", |bytes: In<[u8]>, shorts: Out<[i16]>, longs: Out<[i64]>, number: Number| {
        let number = var(number);
        Slices { bytes, shorts, longs }.write(program, &number, Rep::new(0));
        number.get()
    }))
}

/// Sizes of the slices, and the number at first.
const WRITE_CASES: [([i32; 3], i64); 4] = [([6, 6, 6], 3), ([40, 5, 9], -1000), ([7, 70, 1], 77), ([0, 3, 4], 1)];

#[test]
fn random_writes_are_those_of_plain_rust() {
    let (mut whole, mut stopped) = (0, 0);
    for seed in seeds(0..120) {
        let program = statements(&mut Choices::from_seed(seed), 3);
        let f = writes(&program);
        let compiled = on_engines(&f);
        for (sizes, number) in WRITE_CASES {
            let before = Plain::new(sizes, number);
            let mut after = before.clone();
            let ends = after.run(&program, 0).is_some();
            for compiled in &compiled {
                let Plain { bytes, mut shorts, mut longs, .. } = before.clone();
                let result = compiled.call(&bytes, &mut shorts, &mut longs, number);
                assert_eq!(result.is_ok(), ends, "seed {seed}, {sizes:?}: {program:?}");
                let number = result.unwrap_or(after.number);
                // The host sees what was written before a stop, too.
                assert_eq!(Plain { bytes, shorts, longs, number }, after, "seed {seed}, {sizes:?}: {program:?}");
            }
            *if ends { &mut whole } else { &mut stopped } += 1;
        }
    }
    assert!(whole > 20 && stopped > 20, "{whole} whole, {stopped} stopped");
}
