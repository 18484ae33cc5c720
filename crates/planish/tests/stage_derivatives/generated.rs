//! Random programs with variables, branches, nested loops, jumps, calls, lists and slices: forward against reverse mode, all engines.

use planish::stage::{
    Function, Group, In, List, Loop, Out, Rep, Var, block, fold, for_, func, function, if_, loop_, recursive, return_,
    select, var, when,
};
use planish_generate::Choices;
use planish_testkit::seeds;

use super::{Real, close, evaluated, made, on_engines};

/// A statement about variables, a list and the slices.
#[derive(Clone, Debug)]
enum Statement {
    Compute(usize, Op, usize, usize),
    If(Test, Vec<Statement>, Vec<Statement>),
    For(u32, Vec<Statement>),
    /// A loop of at most so many iterations, and a test that leaves it, or one around it.
    Loop(u32, Vec<Statement>),
    Leave(usize, Test),
    Continue(usize, Test),
    Block(Vec<Statement>),
    Return(Test, usize),
    Push(usize),
    SumList(usize),
    SetElement(usize, usize),
    Read(usize, usize),
    Write(usize, usize),
    Call(usize, usize, usize),
    Fold(usize, u32),
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Add,
    Multiply,
    Divide,
    Sin,
    Max,
    Root,
    Choose,
    Scale,
}

#[derive(Clone, Copy, Debug)]
enum Test {
    Less(usize, usize),
    Above(usize, f64),
    Turn(u32),
}

const VARS: usize = 3;

fn test(choices: &mut Choices) -> Test {
    match choices.below(4) {
        0 => Test::Less(choices.below(VARS), choices.below(VARS)),
        1 => Test::Turn(1 + choices.below(3) as u32),
        _ => Test::Above(choices.below(VARS), choices.below(9) as f64 / 4.0 - 1.0),
    }
}

fn statements(choices: &mut Choices, depth: usize, loops: usize) -> Vec<Statement> {
    let count = 1 + choices.below(5);
    (0..count)
        .map(|_| {
            let (a, b, c) = (choices.below(VARS), choices.below(VARS), choices.below(VARS));
            match choices.below(if depth == 0 { 12 } else { 18 }) {
                0..=3 => {
                    let all = [Op::Add, Op::Multiply, Op::Divide, Op::Sin, Op::Max, Op::Root, Op::Choose, Op::Scale];
                    Statement::Compute(a, choices.pick(&all), b, c)
                }
                4 => Statement::Push(a),
                5 => Statement::SumList(a),
                6 => Statement::SetElement(a, b),
                7 => Statement::Read(a, b),
                8 => Statement::Write(a, b),
                9 => Statement::Call(a, b, c),
                10 if loops > 0 => {
                    let (which, test) = (choices.below(loops), test(choices));
                    if choices.chance(50) { Statement::Leave(which, test) } else { Statement::Continue(which, test) }
                }
                10 => Statement::Fold(a, choices.below(4) as u32),
                11 if choices.chance(20) => Statement::Return(test(choices), a),
                11 => Statement::Fold(a, choices.below(4) as u32),
                12 | 13 => {
                    let test = test(choices);
                    Statement::If(test, statements(choices, depth - 1, loops), statements(choices, depth - 1, loops))
                }
                14 => Statement::For(choices.below(4) as u32, statements(choices, depth - 1, loops)),
                15 | 16 => Statement::Loop(1 + choices.below(4) as u32, statements(choices, depth - 1, loops + 1)),
                _ => Statement::Block(statements(choices, depth - 1, loops)),
            }
        })
        .collect()
}

/// A loop, and the number of the iteration.
type Turn = (Loop<Rep<u32>, ()>, Rep<u32>);

/// The variables, list and slices of statements.
#[derive(Clone)]
struct Context {
    vars: [Var<Real>; VARS],
    list: List<Real>,
    x: In<[f64]>,
    out: Out<[f64]>,
    /// The loops around, with the number of the iteration.
    loops: Vec<Turn>,
    turns: Var<Rep<u32>>,
    mixed: planish::stage::Callable<(Real, Real), Real>,
    powers: planish::stage::Callable<(Real, Rep<u32>), Real>,
}

impl Context {
    fn get(&self, var: usize) -> Real {
        self.vars[var].get()
    }

    fn test(&self, test: Test) -> Rep<bool> {
        match test {
            Test::Less(a, b) => self.get(a).lt(self.get(b)),
            Test::Above(a, bound) => self.get(a).gt(bound),
            Test::Turn(n) => {
                self.turns.update(|turns| turns + 1);
                (self.turns.get() & n).eq(0)
            }
        }
    }

    fn all(&self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.one(statement));
    }

    fn one(&self, statement: &Statement) {
        let index = |var: usize, len: Rep<u32>| self.get(var).abs().as_::<u32>() % len;
        match statement {
            &Statement::Compute(to, op, a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.vars[to].set(match op {
                    Op::Add => a + b * 0.5,
                    Op::Multiply => (a * b).tanh(),
                    Op::Divide => a / (b * b + 1.0),
                    Op::Sin => a.sin() + b,
                    Op::Max => a.maximum(b * 0.75),
                    Op::Root => (a * a + b * b + 1.0).sqrt() - 1.0,
                    Op::Choose => select(a.lt(b), a * 1.5, b - 0.25),
                    Op::Scale => a * 0.5 - 0.125,
                });
            }
            Statement::If(test, yes, no) => if_(self.test(*test), || self.all(yes), || self.all(no)),
            Statement::For(count, inside) => for_(0u32, *count, |i| {
                self.vars[0].update(|v: Real| v + i.as_::<f64>() * 0.25);
                self.all(inside);
            }),
            Statement::Loop(most, inside) => loop_(0u32, |i: Rep<u32>, turn: Loop<Rep<u32>, ()>| {
                turn.break_if(i.ge(*most), ());
                let mut context = self.clone();
                context.loops.push((turn, i));
                context.all(inside);
                i + 1
            }),
            &Statement::Leave(which, test) => self.loops[which].0.break_if(self.test(test), ()),
            &Statement::Continue(which, test) => {
                let (turn, i) = self.loops[which];
                turn.continue_if(self.test(test), i + 1);
            }
            Statement::Block(inside) => block(|leave: planish::stage::Label<()>| {
                leave.with_if(self.test(Test::Above(1, 0.5)), ());
                self.all(inside);
            }),
            &Statement::Return(test, a) => when(self.test(test), || return_((self.get(a) * 2.0, self.get(0)))),
            &Statement::Push(a) => self.list.push(self.get(a)),
            &Statement::SumList(a) => {
                let sum = self.list.iter().fold(0.0, |sum: Real, x| sum + (x * self.get(a)).sin());
                self.vars[a].set(sum * 0.5);
            }
            &Statement::SetElement(a, b) => when(self.list.len().gt(0), || {
                self.list.update(index(a, self.list.len()), |old: Real| old * self.get(b) * 0.5);
            }),
            &Statement::Read(a, b) => self.vars[a].set(self.get(a) * 0.5 + self.x.at(index(b, self.x.len()))),
            &Statement::Write(a, b) => {
                self.out.update(index(a, self.out.len()), |old: Real| (old * self.get(b)).sin() + self.get(a))
            }
            &Statement::Call(to, a, b) => {
                let mixed = self.mixed.call(self.get(a), self.get(b));
                self.vars[to].set(self.powers.call(mixed, index(b, Rep::new(4))));
            }
            &Statement::Fold(a, count) => {
                let x = self.x;
                self.vars[a].set(fold(0u32, count, self.get(a), |i, y: Real| (y * x.at(i)).sin() + y * 0.5));
            }
        }
    }
}

type Made = Function<(In<[f64]>, Out<[f64]>, Real, Real), (Real, Real)>;

fn program(statements: &[Statement]) -> Made {
    made(function("f", |x: In<[f64]>, out: Out<[f64]>, a: Real, b: Real| {
        let mixed = func("mixed", |a: Real, b: Real| if_(a.gt(b), || a * b.sin(), || a - b * 0.5));
        let powers = recursive("powers", |powers: planish::stage::Callable<(Real, Rep<u32>), Real>, (x, n)| {
            if_(n.eq(0), || Rep::new(0.5), || (x * powers.call(x, n - 1)).sin() + x * 0.25)
        });
        let vars = [var(a), var(b), var(a * b)];
        let context = Context { vars, list: List::new(), x, out, loops: vec![], turns: var(0u32), mixed, powers };
        context.all(statements);
        (context.get(0) + context.get(2), context.get(1))
    }))
}

type Params = Group<(In<[f64]>, Out<[f64]>, Real, Real)>;
type Forward = (Params, Params);
type Reverse = (Params, (Real, Real), Group<(Out<[f64]>, Out<[f64]>, (), ())>);
type Pair = (f64, f64);
/// Of the slice that is written, and its tangents.
type RunForward<'a> = dyn Fn(&mut [f64; 3], &mut [f64; 3]) -> (Pair, Pair) + 'a;
/// Of the slice that is written, and the adjoints of both.
type RunReverse<'a> = dyn Fn(&mut [f64; 3], &mut [f64; 4], &mut [f64; 3]) -> (Pair, ((), (), f64, f64)) + 'a;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn forward_and_reverse_mode_agree_on_random_programs() {
    let (mut smooth, mut all) = (0, 0);
    for seed in seeds(0..160) {
        let statements = statements(&mut Choices::from_seed(seed), 3, 0);
        let what = || format!("seed {seed}: {statements:?}");
        let f = program(&statements);
        let (forward, reverse) = (made(f.forward()), made(f.reverse()));
        let x = [0.7, -0.4, 1.2, 0.3];
        let (dx, before, dout) = ([0.5, 1.0, -0.25, 0.125], [0.1, 0.9, -0.6], [1.0, -0.5, 0.75]);
        let (a, b, da, db) = (0.6, -0.3 + (seed % 7) as f64 * 0.2, 1.0, -0.5);
        let (seeds, of_out) = ((1.0, -2.0), [0.5, 1.0, -1.0]);
        // Forward mode.
        let run_forward = |run: &RunForward<'_>| {
            let (mut out, mut tangents) = (before, dout);
            let result = run(&mut out, &mut tangents);
            (result, out, tangents)
        };
        let ((values, tangents), out, out_tangents) = run_forward(&|out, tangents| {
            evaluated::<Forward, ((Real, Real), (Real, Real))>(
                forward.module(),
                ((&x, out, a, b), (&dx, tangents, da, db)),
            )
            .unwrap_or_else(|stop| panic!("{stop}, {}\n{}", what(), forward.ir()))
        });
        for compiled in on_engines(&forward) {
            let found =
                run_forward(&|out, tangents| compiled.call((&x, out, a, b), (&dx, tangents, da, db)).expect("runs"));
            assert_eq!(found, ((values, tangents), out, out_tangents), "{}", what());
        }
        // Reverse mode.
        let run_reverse = |run: &RunReverse<'_>| {
            let (mut out, mut of_x, mut of_before) = (before, [0.0; 4], of_out);
            let result = run(&mut out, &mut of_x, &mut of_before);
            (result, out, of_x, of_before)
        };
        let first = run_reverse(&|out, of_x, of_before| {
            evaluated::<Reverse, ((Real, Real), ((), (), Real, Real))>(
                reverse.module(),
                ((&x, out, a, b), seeds, (of_x, of_before, (), ())),
            )
            .unwrap_or_else(|stop| panic!("{stop}, {}\n{}", what(), reverse.ir()))
        });
        for compiled in on_engines(&reverse) {
            let found = run_reverse(&|out, of_x, of_before| {
                compiled.call((&x, out, a, b), seeds, (of_x, of_before, (), ())).expect("runs")
            });
            assert_eq!(found, first, "{}", what());
        }
        let ((same, (_, _, of_a, of_b)), same_out, of_x, of_before) = first;
        assert_eq!((same, same_out), (values, out), "{}", what());
        let with = seeds.0 * tangents.0 + seeds.1 * tangents.1 + dot(&of_out, &out_tangents);
        let against = dot(&of_x, &dx) + dot(&of_before, &dout) + of_a * da + of_b * db;
        assert!(close(with, against, 1e-10), "{with} {against}, {}\n{}", what(), f.ir());
        // Central differences, where no branch is near.
        let moved = |by: f64| {
            let x: Vec<f64> = x.iter().zip(dx).map(|(x, d)| x + by * d).collect();
            let mut out = [0, 1, 2].map(|at| before[at] + by * dout[at]);
            let result = evaluated::<(In<[f64]>, Out<[f64]>, Real, Real), (Real, Real)>(
                f.module(),
                (&x, &mut out, a + by * da, b + by * db),
            );
            let (y, z) = result.unwrap_or_else(|stop| panic!("{stop}, {}", what()));
            seeds.0 * y + seeds.1 * z + dot(&of_out, &out)
        };
        let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        all += 1;
        smooth += usize::from(close(with, difference, 1e-5));
        if !close(with, difference, 1e-5) {
            println!("{with}, by differences {difference}: {}", what());
        }
    }
    assert!(smooth * 10 >= all * 9, "{smooth} of {all} agree with differences");
}
