//! Slices that are parts of one buffer, in every way that Rust's borrows allow: two that are read overlap in any way, and those that are written lie beside
//! them without a gap.

use planish::stage::{Function, In, Out, Rep, Var, for_, function, if_, var};
use planish::vm::{Config, Engine, Strategy, Val};
use planish_generate::Choices;
use planish_testkit::seeds;

use crate::stage_slices::targets::Wasm;

type Number = Rep<i64>;

/// A statement about a number, and four slices: the first two are read, the others written and read.
#[derive(Clone, Debug)]
enum Statement {
    Compute(i64, i64),
    Read(usize, Index),
    Write(usize, Index),
    Times(u32, Vec<Statement>),
    If(i64, Vec<Statement>, Vec<Statement>),
}

#[derive(Clone, Copy, Debug)]
enum Index {
    Constant(u32),
    /// The number of the iteration plus one.
    Round(u32),
    /// The number, by the length.
    Wrapped,
}

fn index(choices: &mut Choices) -> Index {
    match choices.below(3) {
        0 => Index::Constant(choices.below(4) as u32),
        1 => Index::Round(choices.below(3) as u32),
        _ => Index::Wrapped,
    }
}

fn statements(choices: &mut Choices, depth: u32) -> Vec<Statement> {
    (0..2 + choices.below(5))
        .map(|_| match choices.below(if depth > 0 { 9 } else { 7 }) {
            0 => Statement::Compute(choices.below(9) as i64 - 4, choices.below(50) as i64),
            1..=3 => Statement::Read(choices.below(4), index(choices)),
            4..=6 => Statement::Write(choices.below(2) + 2, index(choices)),
            7 => Statement::Times(choices.below(5) as u32, statements(choices, depth - 1)),
            _ => {
                let (then, otherwise) = (statements(choices, depth - 1), statements(choices, depth - 1));
                Statement::If(choices.below(60) as i64 - 20, then, otherwise)
            }
        })
        .collect()
}

type Slices = (In<[i64]>, In<[i64]>, Out<[i64]>, Out<[i64]>);

fn write(program: &[Statement], number: &Var<Number>, slices: Slices, round: Rep<u32>) {
    let len = |slice: usize| [slices.0.len(), slices.1.len(), slices.2.len(), slices.3.len()][slice];
    // (Every access is in bounds: what stops is tested elsewhere.)
    let at = |index: Index, slice: usize| {
        let index = match index {
            Index::Constant(index) => Rep::new(index),
            Index::Round(more) => round + more,
            Index::Wrapped => number.get().as_::<u32>(),
        };
        index.rem_or_zero(len(slice))
    };
    for statement in program {
        match statement {
            Statement::Compute(a, b) => number.update(|x| x * *a + *b),
            Statement::Read(slice, index) => {
                let at = at(*index, *slice);
                let value = match slice {
                    0 => slices.0.at(at),
                    1 => slices.1.at(at),
                    2 => slices.2.at(at),
                    _ => slices.3.at(at),
                };
                number.update(|x| x * 3 + value);
            }
            Statement::Write(slice, index) => {
                let at = at(*index, *slice);
                if *slice == 2 { slices.2.set(at, number.get()) } else { slices.3.set(at, number.get()) }
            }
            Statement::Times(count, body) => for_(0u32, *count, |round| write(body, number, slices, round)),
            Statement::If(limit, then, otherwise) => if_(
                number.get().lt(*limit),
                || write(then, number, slices, round),
                || write(otherwise, number, slices, round),
            ),
        }
    }
}

/// The same for the host, on ranges of one buffer.
fn run(program: &[Statement], number: &mut i64, buffer: &mut [i64], ranges: &[std::ops::Range<usize>; 4], round: u32) {
    for statement in program {
        let at = |index: Index, slice: usize, number: i64| {
            let index = match index {
                Index::Constant(index) => index,
                Index::Round(more) => round + more,
                Index::Wrapped => number as u32,
            };
            ranges[slice].start + (index % ranges[slice].len() as u32) as usize
        };
        let now = *number;
        match statement {
            Statement::Compute(a, b) => *number = now.wrapping_mul(*a).wrapping_add(*b),
            Statement::Read(slice, index) => {
                *number = now.wrapping_mul(3).wrapping_add(buffer[at(*index, *slice, now)]);
            }
            Statement::Write(slice, index) => buffer[at(*index, *slice, now)] = now,
            Statement::Times(count, body) => (0..*count).for_each(|round| run(body, number, buffer, ranges, round)),
            Statement::If(limit, then, otherwise) => {
                run(if now < *limit { then } else { otherwise }, number, buffer, ranges, round);
            }
        }
    }
}

/// Ranges of a buffer for the four slices, none of them empty.
fn ranges(choices: &mut Choices, len: usize) -> [std::ops::Range<usize>; 4] {
    // Three parts that are read lie before, between and behind the two that are written.
    let mut cuts: Vec<usize> = Vec::new();
    while cuts.len() < 4 {
        let cut = 1 + choices.below(len - 1);
        if !cuts.contains(&cut) {
            cuts.push(cut);
        }
    }
    cuts.sort_unstable();
    let parts = [0..cuts[0], cuts[1]..cuts[2], cuts[3]..len];
    let first = choices.below(3);
    let others = [first, first, choices.below(3)];
    let mut read = |number: usize| {
        let part = &parts[number];
        let start = part.start + choices.below(part.len());
        start..start + 1 + choices.below(part.end - start)
    };
    let a = read(first);
    let b = read(others[a.start % 3]);
    let (first, second) = (cuts[0]..cuts[1], cuts[2]..cuts[3]);
    if choices.chance(50) { [a, b, first, second] } else { [a, b, second, first] }
}

/// Calls a function on ranges of one buffer.
fn on_parts<R>(
    buffer: &mut [i64],
    [a, b, first, second]: &[std::ops::Range<usize>; 4],
    call: impl FnOnce(&[i64], &[i64], &mut [i64], &mut [i64]) -> R,
) -> R {
    let (low, high) = if first.start < second.start { (first, second) } else { (second, first) };
    let (before, rest) = buffer.split_at_mut(low.start);
    let (low_part, rest) = rest.split_at_mut(low.len());
    let (between, rest) = rest.split_at_mut(high.start - low.end);
    let (high_part, behind) = rest.split_at_mut(high.len());
    let (between_start, behind_start) = (low.end, high.end);
    let read = |range: &std::ops::Range<usize>| match range.start {
        start if start >= behind_start => &behind[start - behind_start..range.end - behind_start],
        start if start >= between_start => &between[start - between_start..range.end - between_start],
        _ => &before[range.clone()],
    };
    let (a, b) = (read(a), read(b));
    if first.start < second.start { call(a, b, low_part, high_part) } else { call(a, b, high_part, low_part) }
}

type Program = Function<(In<[i64]>, In<[i64]>, Out<[i64]>, Out<[i64]>), Number>;

#[test]
fn parts_of_one_buffer() {
    const LEN: usize = 24;
    let mut overlaps = 0;
    for seed in seeds(0..120) {
        let mut choices = Choices::from_seed(seed);
        let program = statements(&mut choices, 2);
        let f: Program = function("parts", |a: In<[i64]>, b: In<[i64]>, first: Out<[i64]>, second: Out<[i64]>| {
            let number = var(Rep::new(3i64));
            write(&program, &number, (a, b, first, second), Rep::new(0));
            number.get()
        })
        .unwrap_or_else(|errors| panic!("{errors}"));
        let compiled = [Strategy::Vm, Strategy::Native].map(|strategy| {
            let engine = Engine::new(Config::default().strategy(strategy));
            f.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}\n{}", f.ir()))
        });
        let mut wasm = (seed % 12 == 0).then(|| Wasm::all(&f, &[Val::I64(0)]));
        for _ in 0..8 {
            let ranges = ranges(&mut choices, LEN);
            overlaps += u32::from(ranges[0].start < ranges[1].end && ranges[1].start < ranges[0].end);
            let buffer: Vec<i64> = (0..LEN as i64).map(|i| i * 5 % 17 - 4).collect();
            let (mut expected, mut number) = (buffer.clone(), 3);
            run(&program, &mut number, &mut expected, &ranges, 0);
            for compiled in &compiled {
                let mut seen = buffer.clone();
                let result = on_parts(&mut seen, &ranges, |a, b, first, second| compiled.call(a, b, first, second));
                assert_eq!(result.expect("it does not trap"), number, "seed {seed}, {ranges:?}: {program:?}");
                assert_eq!(seen, expected, "seed {seed}, {ranges:?}: {program:?}");
            }
            for wasm in wasm.iter_mut().flatten() {
                let bytes: Vec<u8> = buffer.iter().flat_map(|x| x.to_le_bytes()).collect();
                wasm.memory.data_mut(&mut wasm.store)[..bytes.len()].copy_from_slice(&bytes);
                let args = ranges.iter().flat_map(|range| [range.start * 8, range.len()]);
                let args: Vec<Val> = args.map(|x| Val::I32(x as i32)).collect();
                assert_eq!(
                    wasm.call(&args).expect("it does not trap"),
                    [number],
                    "seed {seed}, {ranges:?}: {program:?}"
                );
                let bytes = &wasm.memory.data(&wasm.store)[..bytes.len()];
                let seen: Vec<i64> =
                    bytes.chunks(8).map(|b| i64::from_le_bytes(b.try_into().expect("eight"))).collect();
                assert_eq!(seen, expected, "seed {seed}, {ranges:?}: {program:?}");
            }
        }
    }
    assert!(overlaps > 50, "{overlaps} calls with slices that overlap");
}
