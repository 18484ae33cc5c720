//! Lists of staged Rust: on the evaluator, the virtual machine and machine code they are what plain Rust computes.

use std::collections::HashMap;

use planish::Optimizer;
use planish::ir::entity::Memory;
use planish::ir::module::Module;
use planish::ir::text::print;
use planish::stage::{
    Compiled, Errors, Function, In, List, Out, Params, Rep, Staged, Var, for_, function, if_, range, select, var, when,
};
use planish::vm::{Config, Engine, Strategy};
use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_generate::Choices;
use planish_testkit::seeds;

type Number = Rep<i64>;

fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}\n{}", function.ir()))
    })
}

fn made<A: Params, R: Staged>(function: Result<Function<A, R>, Errors>) -> Function<A, R> {
    function.unwrap_or_else(|errors| panic!("{errors}"))
}

// Random pipelines: each list is made of earlier ones, so that several share one

/// A list made of earlier ones, by their numbers.
#[derive(Clone, Debug)]
enum Made {
    Map(usize, i64),
    Filter(usize, i64),
    /// Of each element as many as its low bits say.
    Repeat(usize),
    Zip(usize, usize),
    Chain(usize, usize),
    RunningSum(usize),
    AddIndex(usize),
    /// Those that are odd, and after them the others.
    Partition(usize),
    Distinct(usize),
    Sums(usize),
    Histogram(usize),
    Sorted(usize),
    Descending(usize),
    Join(usize, usize),
    /// The elements of the first at the indices that the second gives.
    Gather(usize, usize),
    /// The positions that the second has in the first, in order.
    Search(usize, usize),
    /// Group by group, each element with the sum of its group.
    Groups(usize),
    /// The sums of so many neighbours, of a list that is frozen, by a key.
    Windows(usize, u32),
    /// A number divided by each element; stops at 0.
    Divide(usize, i64),
    /// The element at the index that each is; stops beyond the end.
    Elements(usize, usize),
    /// The same, after it has been written to the slice of results.
    Write(usize),
}

fn pipeline(choices: &mut Choices) -> Vec<Made> {
    let count = 1 + choices.below(6);
    (0..count)
        .map(|number| {
            let (a, b) = (choices.below(number + 2), choices.below(number + 2));
            let small = choices.below(50) as i64 - 20;
            match choices.below(33) {
                29 | 30 => Made::Groups(a),
                31 | 32 => Made::Windows(a, choices.below(4) as u32),
                0 => Made::RunningSum(a),
                1 => Made::Repeat(a),
                2 => Made::Chain(a, b),
                3 => Made::Partition(a),
                4 => Made::Distinct(a),
                5 => Made::Sums(a),
                6 => Made::Histogram(a),
                7 => Made::Sorted(a),
                8 => Made::Descending(a),
                9 => Made::Join(a, b),
                10 => Made::Gather(a, b),
                11 => Made::Search(a, b),
                24 => Made::Divide(a, small),
                25 => Made::Elements(a, b),
                26 | 27 => Made::Write(a),
                12 | 13 => Made::AddIndex(a),
                14..=16 => Made::Zip(a, b),
                17..=19 => Made::Filter(a, small),
                _ => Made::Map(a, small),
            }
        })
        .collect()
}

/// Elements of a list that are gone through at most.
const MOST: usize = 200;

fn staged(lists: &[List<Number>], made: &Made, out: Out<[i64]>) -> List<Number> {
    let most = MOST as u32;
    let of = |number: usize| lists[number].iter().take(most);
    match *made {
        Made::Map(a, n) => of(a).map(move |x| x * n + 1).collect(),
        Made::Filter(a, n) => of(a).filter(move |x| x.lt(n)).collect(),
        Made::Repeat(a) => of(a)
            .stream()
            .flat_map(|x| range(0, (x & 3).as_::<u32>()).map(move |i| x + i.as_::<i64>()).stream())
            .collect(),
        Made::Zip(a, b) => of(a).zip(of(b)).map(|(a, b)| a * 3 - b).collect(),
        Made::Chain(a, b) => of(a).stream().chain(of(b).stream()).collect(),
        Made::RunningSum(a) => of(a).stream().scan(0i64, |sum: Number, x| sum + x).collect(),
        Made::AddIndex(a) => of(a).enumerate().map(|(i, x)| x + i.as_::<i64>()).collect(),
        Made::Partition(a) => {
            let (odd, even) = of(a).stream().partition(|x| (x & 1).ne(0));
            odd.iter().stream().chain(even.iter().stream()).collect()
        }
        Made::Distinct(a) => of(a).stream().distinct(),
        Made::Sums(a) => {
            let groups = of(a).stream().fold_by(
                |x| (x & 7, x.lt(0)),
                (0i64, 0u32),
                |(sum, n): (Number, Rep<u32>), x| (sum + x, n + 1),
            );
            groups
                .iter()
                .map(|((key, negative), (sum, n))| sum * 5 + key + n.as_::<i64>() * select(negative, 2i64, 3i64))
                .collect()
        }
        Made::Histogram(a) => {
            of(a).map(|x| (x & 15).as_::<u32>()).histogram(16).iter().map(|n| n.as_::<i64>()).collect()
        }
        Made::Sorted(a) => of(a).collect().sorted(),
        Made::Groups(a) => {
            let groups = of(a).stream().group_by(|x| x & 3).collect();
            let elements = |(key, group): (Number, planish::stage::Seq<'static, Number>)| {
                let sum = group.clone().sum();
                group.map(move |x| x * 5 + sum - key).stream()
            };
            groups.iter().stream().flat_map(elements).collect()
        }
        Made::Windows(a, n) => {
            let sums = of(a).collect().freeze().windows_of(n).map(|window| window.sum()).collect();
            sums.sorted_by_key(|x| x & 15)
        }
        Made::Descending(a) => of(a).collect().sorted_by(|a, b| (a >> 2).gt(b >> 2)),
        Made::Join(a, b) => {
            of(a).stream().join(of(b).stream(), |x| x & 31, |x| x & 31).map(|(a, b)| a * 7 + b).take(most).collect()
        }
        Made::Gather(a, b) => {
            let from = lists[a].clone();
            let len = from.len();
            of(b)
                .filter(move |i| i.ge(0).and(|| i.lt(len.as_::<i64>())))
                .map(move |i| from.at(i.as_::<u32>()))
                .collect()
        }
        Made::Search(a, b) => {
            let sorted = of(a).collect().sorted();
            of(b).map(move |x| sorted.partition_point(|y| y.lt(x)).as_::<i64>()).collect()
        }
        Made::Divide(a, n) => of(a).map(move |x| n / x).collect(),
        Made::Elements(a, b) => {
            let from = lists[a].clone();
            of(b).map(move |x| from.at((x & 63).as_::<u32>())).collect()
        }
        Made::Write(a) => {
            of(a).take(out.len()).write_to(out);
            lists[a].clone()
        }
    }
}

/// The same for the host; `None` where the program stops.
fn plain(lists: &[Vec<i64>], made: &Made, out: &mut [i64]) -> Option<Vec<i64>> {
    let of = |number: usize| lists[number].iter().copied().take(MOST);
    let sorted = |number: usize| {
        let mut list: Vec<i64> = of(number).collect();
        list.sort_unstable();
        list
    };
    Some(match *made {
        Made::Map(a, n) => of(a).map(|x| x.wrapping_mul(n).wrapping_add(1)).collect(),
        Made::Filter(a, n) => of(a).filter(|&x| x < n).collect(),
        Made::Repeat(a) => of(a).flat_map(|x| (0..x & 3).map(move |i| x.wrapping_add(i))).collect(),
        Made::Zip(a, b) => of(a).zip(of(b)).map(|(a, b)| a.wrapping_mul(3).wrapping_sub(b)).collect(),
        Made::Chain(a, b) => of(a).chain(of(b)).collect(),
        Made::RunningSum(a) => {
            let next = |sum: &mut i64, x: i64| {
                *sum = sum.wrapping_add(x);
                Some(*sum)
            };
            of(a).scan(0, next).collect()
        }
        Made::AddIndex(a) => of(a).enumerate().map(|(i, x)| x.wrapping_add(i as i64)).collect(),
        Made::Partition(a) => {
            let (odd, even): (Vec<i64>, Vec<i64>) = of(a).partition(|x| x & 1 != 0);
            odd.into_iter().chain(even).collect()
        }
        Made::Distinct(a) => {
            let mut seen = Vec::new();
            of(a).for_each(|x| {
                if !seen.contains(&x) {
                    seen.push(x)
                }
            });
            seen
        }
        Made::Sums(a) => {
            let (mut numbers, mut groups) = (HashMap::new(), Vec::new());
            for x in of(a) {
                let key = (x & 7, x < 0);
                let number = *numbers.entry(key).or_insert(groups.len());
                if number == groups.len() {
                    groups.push((key, 0i64, 0i64));
                }
                groups[number].1 = groups[number].1.wrapping_add(x);
                groups[number].2 += 1;
            }
            let value = |((key, negative), sum, n): ((i64, bool), i64, i64)| {
                sum.wrapping_mul(5).wrapping_add(key + n * if negative { 2 } else { 3 })
            };
            groups.into_iter().map(value).collect()
        }
        Made::Histogram(a) => {
            let mut counts = vec![0; 16];
            of(a).for_each(|x| counts[(x & 15) as usize] += 1);
            counts
        }
        Made::Sorted(a) => sorted(a),
        Made::Groups(a) => {
            let mut keys: Vec<i64> = Vec::new();
            of(a).map(|x| x & 3).for_each(|key| {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            });
            let group = |key: i64| of(a).filter(move |x| x & 3 == key);
            let sum = |key| group(key).fold(0i64, i64::wrapping_add);
            let elements = |key| group(key).map(move |x| x.wrapping_mul(5).wrapping_add(sum(key)).wrapping_sub(key));
            keys.iter().flat_map(|&key| elements(key).collect::<Vec<_>>()).collect()
        }
        Made::Windows(_, 0) => Vec::new(),
        Made::Windows(a, n) => {
            let list: Vec<i64> = of(a).collect();
            let sum = |window: &[i64]| window.iter().fold(0i64, |sum, &x| sum.wrapping_add(x));
            let mut sums: Vec<i64> = list.windows(n as usize).map(sum).collect();
            sums.sort_by_key(|x| x & 15);
            sums
        }
        Made::Descending(a) => {
            let mut list: Vec<i64> = of(a).collect();
            list.sort_by_key(|x| std::cmp::Reverse(x >> 2));
            list
        }
        Made::Join(a, b) => of(a)
            .flat_map(|x| of(b).filter(move |y| x & 31 == y & 31).map(move |y| x.wrapping_mul(7).wrapping_add(y)))
            .take(MOST)
            .collect(),
        Made::Gather(a, b) => {
            let len = lists[a].len() as i64;
            of(b).filter(|i| (0..len).contains(i)).map(|i| lists[a][i as usize]).collect()
        }
        Made::Search(a, b) => {
            let sorted = sorted(a);
            of(b).map(|x| sorted.partition_point(|&y| y < x) as i64).collect()
        }
        Made::Divide(a, n) => of(a).map(|x| n.checked_div(x)).collect::<Option<_>>()?,
        Made::Elements(a, b) => of(b).map(|x| lists[a].get((x & 63) as usize).copied()).collect::<Option<_>>()?,
        Made::Write(a) => {
            out.iter_mut().zip(of(a)).for_each(|(out, x)| *out = x);
            lists[a].clone()
        }
    })
}

fn digest(seed: i64, list: impl IntoIterator<Item = i64>) -> i64 {
    list.into_iter().fold(seed, |hash, x| hash.wrapping_mul(31).wrapping_add(x))
}

/// The results of a function of slices, on the evaluator, or `None` if it stops; and the slices then.
fn evaluated(module: &Module, inputs: [&[i64]; 3]) -> (Option<Vec<u64>>, [Vec<i64>; 3]) {
    let limits = Limits { steps: 1 << 32, ..Limits::default() };
    let mut evaluator = Evaluator::new(module, limits).expect("it starts");
    let mut args = Vec::new();
    for (index, input) in inputs.into_iter().enumerate() {
        let bytes = evaluator.memory_mut(Memory::from_u32(index as u32)).expect("the slice's");
        *bytes = input.iter().flat_map(|x| x.to_le_bytes()).collect();
        args.push(EvalValue::u32(input.len() as u32));
    }
    let func = module.entry_points[0].func;
    let results = match evaluator.call(func, &args) {
        Ok(results) => Some(results.iter().map(|result| result.bits[0]).collect()),
        Err(Stop::Trap { .. }) => None,
        Err(stop) => panic!("{stop:?}\n{}", print(module)),
    };
    let slices = [0, 1, 2].map(|index| {
        let bytes = evaluator.memory(Memory::from_u32(index)).expect("the slice's");
        bytes.chunks(8).map(|bytes| i64::from_le_bytes(bytes.try_into().expect("eight"))).collect()
    });
    (results, slices)
}

/// The module with its arrays in memory.
fn in_memory(module: &Module) -> Module {
    let mut module = module.clone();
    let mut optimizer = Optimizer::level("0").expect("a level");
    optimizer.options.arrays_in_memory = true;
    optimizer.run(&mut module, &mut |_, _| {});
    assert!(!print(&module).contains("append"), "{}", print(&module));
    module
}

#[test]
fn random_pipelines_are_those_of_plain_rust() {
    let (mut fused, mut stops) = (0, 0);
    for seed in seeds(0..150) {
        let mut choices = Choices::from_seed(seed);
        let pipeline = pipeline(&mut choices);
        // Of which lists something is computed in the end.
        let used: Vec<usize> = (0..pipeline.len() + 2).filter(|_| choices.chance(60)).collect();
        let f = made(function("pipeline", |a: In<[i64]>, b: In<[i64]>, out: Out<[i64]>| {
            let mut lists: Vec<List<Number>> = vec![a.iter().collect(), b.iter().collect()];
            for made in &pipeline {
                let list = staged(&lists, made, out);
                lists.push(list);
            }
            let hash = var(Rep::new(7i64));
            for &number in &used {
                let of_it = lists[number].iter().fold(hash.get(), |hash: Number, x| hash * 31 + x);
                hash.set(of_it);
            }
            (hash.get(), lists.last().expect("two at least").len())
        }));
        let optimized = f.optimized();
        fused += print(f.module()).matches("loop_if").count() - print(&optimized).matches("loop_if").count();
        let lowered = [in_memory(f.module()), in_memory(&optimized)];
        let passes = if seed % 10 == 0 { crate::stage_grids::after_each_pass(f.module()) } else { Vec::new() };
        let compiled = on_engines(&f);
        for size in [0, 1, 2, 3, 7, 8, 9, 50, 300] {
            let a: Vec<i64> = (0..size).map(|i| (i * 37 + seed as i64) % 61 - 20).collect();
            let b: Vec<i64> = (0..size * 2 % 97).map(|i| i * 5 % 17 - 4).collect();
            let before: Vec<i64> = (0..size / 2).collect();
            let (mut lists, mut out, mut stopped) = (vec![a.clone(), b.clone()], before.clone(), false);
            for made in &pipeline {
                let Some(list) = plain(&lists, made, &mut out) else {
                    stopped = true;
                    break;
                };
                lists.push(list);
            }
            stops += usize::from(stopped);
            let expected = (!stopped).then(|| {
                let hash = used.iter().fold(7, |hash, &number| digest(hash, lists[number].iter().copied()));
                (hash, lists.last().expect("two at least").len() as u32)
            });
            let what = || format!("seed {seed}, size {size}: {pipeline:?}, {used:?}");
            for compiled in &compiled {
                let mut seen = before.clone();
                let result = compiled.call(&a, &b, &mut seen);
                assert_eq!(result.ok(), expected, "{compiled:?}: {}", what());
                assert_eq!(seen, out, "{compiled:?}: {}", what());
            }
            if size > 9 {
                continue;
            }
            let expected = (expected.map(|(hash, len)| vec![hash as u64, len.into()]), [a.clone(), b.clone(), out]);
            for module in [f.module(), &optimized].into_iter().chain(&lowered).chain(&passes) {
                assert_eq!(evaluated(module, [&a, &b, &before]), expected, "{}\n{}", what(), print(module));
            }
        }
    }
    assert!(fused > 20 && stops > 20, "{fused} loops less, {stops} stops");
}

// Random programs that change lists, in bounds and out of them

/// A statement about a number and the lists of the blocks around it.
#[derive(Clone, Debug)]
enum Statement {
    Compute(i64, i64),
    /// Adds the number and whether it is odd.
    Push(usize),
    Read(usize, Index),
    Set(usize, Index),
    Update(usize, Index),
    Len(usize),
    /// A sum over the list; with a limit, of as many elements.
    Sum(usize, Option<u32>),
    /// Those of the second that are below the number are added to the first.
    Copy(usize, usize),
    If(i64, Vec<Statement>, Vec<Statement>),
    Times(u32, Vec<Statement>),
    /// A block with a list of its own.
    New(Vec<Statement>),
}

#[derive(Clone, Copy, Debug)]
enum Index {
    Constant(u32),
    /// The number, by the length.
    Wrapped,
    Last,
    Round,
}

fn statements(choices: &mut Choices, depth: u32, lists: usize) -> Vec<Statement> {
    let count = 1 + choices.below(6);
    let index = |choices: &mut Choices| match choices.below(8) {
        0 => Index::Constant(choices.below(4) as u32),
        1 => Index::Round,
        2..=4 => Index::Last,
        _ => Index::Wrapped,
    };
    (0..count)
        .map(|_| {
            let list = choices.below(lists);
            match choices.below(if depth > 0 { 16 } else { 11 }) {
                0 => Statement::Compute(choices.below(9) as i64 - 4, choices.below(50) as i64),
                1..=3 => Statement::Push(list),
                4 => Statement::Read(list, index(choices)),
                5 => Statement::Set(list, index(choices)),
                6 => Statement::Update(list, index(choices)),
                7 => Statement::Len(list),
                8 | 9 => Statement::Sum(list, choices.chance(20).then(|| choices.below(5) as u32)),
                10 => Statement::Copy(list, choices.below(lists)),
                11 | 12 => {
                    let (then, otherwise) =
                        (statements(choices, depth - 1, lists), statements(choices, depth - 1, lists));
                    Statement::If(choices.below(60) as i64 - 20, then, otherwise)
                }
                13 | 14 => Statement::Times(choices.below(6) as u32, statements(choices, depth - 1, lists)),
                _ => Statement::New(statements(choices, depth - 1, lists + 1)),
            }
        })
        .collect()
}

type Pair = (Number, Rep<bool>);

fn write(statements: &[Statement], number: &Var<Number>, lists: &[List<Pair>], round: Rep<u32>) {
    let at = |list: &List<Pair>, index: Index| match index {
        Index::Constant(index) => Rep::new(index),
        Index::Wrapped => number.get().as_::<u32>().rem_or_zero(list.len()),
        Index::Last => list.len() - 1,
        Index::Round => round,
    };
    for statement in statements {
        match statement {
            Statement::Compute(a, b) => number.update(|x| x * *a + *b),
            Statement::Push(list) => lists[*list].push((number.get(), (number.get() & 1).ne(0))),
            Statement::Read(list, index) => {
                let (x, odd) = lists[*list].at(at(&lists[*list], *index));
                number.update(|n| n * 3 + select(odd, x, 7i64));
            }
            Statement::Set(list, index) => lists[*list].set(at(&lists[*list], *index), (number.get(), true)),
            Statement::Update(list, index) => {
                lists[*list].update(at(&lists[*list], *index), |(x, odd)| (x + number.get(), !odd));
            }
            Statement::Len(list) => number.update(|x| x ^ lists[*list].len().as_::<i64>()),
            Statement::Sum(list, most) => {
                let all = lists[*list].iter();
                let some = match most {
                    Some(most) => all.take(*most),
                    None => all,
                };
                let sum = some.fold((0i64, 0u32), |(sum, n): (Number, Rep<u32>), (x, odd)| {
                    (sum * 5 + x, n + select(odd, 1u32, 0u32))
                });
                number.set(sum.0 + sum.1.as_::<i64>());
            }
            Statement::Copy(to, from) => {
                let limit = number.get();
                let to = &lists[*to];
                for_(0u32, lists[*from].len(), |index| {
                    let (x, odd) = lists[*from].at(index);
                    when(x.lt(limit), || to.push((x + 1, odd)));
                });
            }
            Statement::If(limit, then, otherwise) => if_(
                number.get().lt(*limit),
                || write(then, number, lists, round),
                || write(otherwise, number, lists, round),
            ),
            Statement::Times(count, body) => for_(0u32, *count, |round| write(body, number, lists, round)),
            Statement::New(body) => {
                // (A block of the program, which may run several times.)
                when(Rep::new(true), || {
                    let mut inner = lists.to_vec();
                    inner.push(List::new());
                    write(body, number, &inner, round);
                });
            }
        }
    }
}

/// The same for the host; `None` beyond the end of a list.
fn run(statements: &[Statement], number: &mut i64, lists: &mut Vec<Vec<(i64, bool)>>, round: u32) -> Option<()> {
    for statement in statements {
        let at = |list: &[(i64, bool)], index: Index, number: i64| match index {
            Index::Constant(index) => index as usize,
            Index::Wrapped => (number as u32).checked_rem(list.len() as u32).unwrap_or(0) as usize,
            Index::Last => (list.len() as u32).wrapping_sub(1) as usize,
            Index::Round => round as usize,
        };
        let now = *number;
        match statement {
            Statement::Compute(a, b) => *number = now.wrapping_mul(*a).wrapping_add(*b),
            Statement::Push(list) => lists[*list].push((now, now & 1 != 0)),
            Statement::Read(list, index) => {
                let &(x, odd) = lists[*list].get(at(&lists[*list], *index, now))?;
                *number = now.wrapping_mul(3).wrapping_add(if odd { x } else { 7 });
            }
            Statement::Set(list, index) => {
                let at = at(&lists[*list], *index, now);
                *lists[*list].get_mut(at)? = (now, true);
            }
            Statement::Update(list, index) => {
                let at = at(&lists[*list], *index, now);
                let (x, odd) = lists[*list].get_mut(at)?;
                (*x, *odd) = (x.wrapping_add(now), !*odd);
            }
            Statement::Len(list) => *number ^= lists[*list].len() as i64,
            Statement::Sum(list, most) => {
                let most = most.map_or(usize::MAX, |most| most as usize);
                let some = lists[*list].iter().take(most);
                let (sum, n) = some
                    .fold((0i64, 0), |(sum, n), &(x, odd)| (sum.wrapping_mul(5).wrapping_add(x), n + i64::from(odd)));
                *number = sum.wrapping_add(n);
            }
            Statement::Copy(to, from) => {
                let elements: Vec<(i64, bool)> = lists[*from].iter().copied().filter(|&(x, _)| x < now).collect();
                lists[*to].extend(elements.into_iter().map(|(x, odd)| (x.wrapping_add(1), odd)));
            }
            Statement::If(limit, then, otherwise) => {
                run(if now < *limit { then } else { otherwise }, number, lists, round)?;
            }
            Statement::Times(count, body) => {
                (0..*count).try_for_each(|round| run(body, number, lists, round))?;
            }
            Statement::New(body) => {
                lists.push(Vec::new());
                run(body, number, lists, round)?;
                lists.pop();
            }
        }
    }
    Some(())
}

#[test]
fn random_changes_are_those_of_plain_rust() {
    let (mut whole, mut stopped) = (0, 0);
    for seed in seeds(0..200) {
        let program = statements(&mut Choices::from_seed(seed), 3, 2);
        let f = made(function("changes", |a: In<[i64]>, _: In<[i64]>, out: Out<[i64]>| {
            let lists: Vec<List<Pair>> = vec![List::new(), a.iter().map(|x| (x, x.gt(0))).collect()];
            let number = var(Rep::new(3i64));
            write(&program, &number, &lists, Rep::new(0));
            out.set(0, number.get());
            (lists[0].len(), lists[1].len())
        }));
        let optimized = f.optimized();
        let modules = [in_memory(f.module()), in_memory(&optimized)];
        let compiled = on_engines(&f);
        for input in [&[][..], &[5, -7, 12, 40], &[i64::MIN, i64::MAX, 0, 1, 2, 3, 4, 5, 6]] {
            let (mut number, mut lists) = (3, vec![Vec::new(), input.iter().map(|&x| (x, x > 0)).collect()]);
            let ends = run(&program, &mut number, &mut lists, 0).is_some();
            let expected = ends.then(|| (lists[0].len() as u32, lists[1].len() as u32));
            let written = if ends { number } else { -1 };
            for compiled in &compiled {
                let mut out = [-1];
                let result = compiled.call(input, &[], &mut out).ok();
                assert_eq!((result, out), (expected, [written]), "seed {seed}, {input:?}: {program:?}");
            }
            let words = expected.map(|(a, b)| vec![a.into(), b.into()]);
            for module in [f.module(), &optimized].into_iter().chain(&modules) {
                let (result, slices) = evaluated(module, [input, &[], &[-1]]);
                assert_eq!(
                    (result, &slices[2][..]),
                    (words.clone(), &[written][..]),
                    "seed {seed}, {input:?}: {program:?}\n{}",
                    print(module)
                );
            }
            *if ends { &mut whole } else { &mut stopped } += 1;
        }
    }
    assert!(whole > 20 && stopped > 10, "{whole} whole, {stopped} stopped");
}
