//! `#[stage]`: Rust's control flow.

use planish::stage::{Compiled, Function, Params, Rep, Staged, function, specialize, stage, staged};
use planish::vm::{Config, Engine, Strategy};

/// The function on each engine.
fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}"))
    })
}

/// A zero, of the program or of the host.
trait Zero {
    fn zero(self) -> Self;
}

impl Zero for i32 {
    fn zero(self) -> i32 {
        0
    }
}

impl Zero for Rep<i32> {
    fn zero(self) -> Rep<i32> {
        Rep::new(0)
    }
}

/// Writes a function twice: for the program that is made, and for the host, to compare both.
macro_rules! twice {
    ($(fn $name:ident($($arg:ident: $ty:ident),*) -> $result:ident $body:block over $values:expr;)*) => {$(
        mod $name {
            use super::*;

            #[stage]
            fn generated($($arg: Rep<$ty>),*) -> Rep<$result> $body

            #[allow(unused_mut)]
            fn now($($arg: $ty),*) -> $result {
                #[allow(non_snake_case)]
                $body
            }

            #[test]
            fn agrees() {
                let function = function(stringify!($name), |$($arg: Rep<$ty>),*| generated($($arg),*));
                let function = function.unwrap_or_else(|errors| panic!("{errors}"));
                for compiled in on_engines(&function) {
                    for ($($arg,)*) in $values {
                        assert_eq!(compiled.call($($arg),*).expect("it does not trap"), now($($arg),*), "{:?}", ($($arg,)*));
                    }
                }
            }
        }
    )*};
}

fn pairs() -> Vec<(i32, i32)> {
    (-4..12).flat_map(|a| (-3..9).map(move |b| (a, b))).collect()
}

twice! {
    fn maximum(a: i32, b: i32) -> i32 { if a > b { a } else { b } } over pairs();
    fn sign(a: i32, b: i32) -> i32 {
        let c = a - b;
        if c < 0 { a.zero() - 1 } else if c == 0 { c } else { a.zero() + 1 }
    } over pairs();
    fn early(a: i32, b: i32) -> i32 {
        if a == b {
            return a * 100;
        }
        if a > b && b > 2 {
            return a - b;
        }
        a + b
    } over pairs();
    fn steps(a: i32, b: i32) -> i32 {
        let mut n = a * a + 1;
        let mut steps = b.zero();
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
            steps += 1;
        }
        steps
    } over pairs();
    fn first_divisor(a: i32, b: i32) -> i32 {
        let n = a * a + b * b + 2;
        let mut found = n;
        for i in 2..n {
            if n % i != 0 {
                continue;
            }
            found = i;
            break;
        }
        found
    } over pairs();
    fn nested(a: i32, b: i32) -> i32 {
        let mut sum = a.zero();
        'outer: for i in 0..a {
            for j in 0..b {
                if i * j > 20 {
                    break 'outer;
                }
                if j > i {
                    continue 'outer;
                }
                sum += i * 10 + j;
            }
            sum += 1000;
        }
        sum
    } over pairs();
    fn matched(a: i32, b: i32) -> i32 {
        let x = match a {
            0 => b,
            1 | 2 => b * 2,
            3..=5 => {
                if b == 3 {
                    return a;
                }
                b * 3
            }
            n if n < 0 => n,
            other => other * b,
        };
        x + 1
    } over pairs();
    fn matched_pairs(a: i32, b: i32) -> i32 {
        match (a, b) {
            (0, y) => y,
            (x, 0) => x * 10,
            (1, 1) => a + 70,
            (x, y) => x * y,
        }
    } over pairs();
    fn matched_in_order_of_precedence(a: i32, b: i32) -> i32 {
        match (a, b) {
            (1 | 2, 7) => a,
            (3, _) if a == b || b > 4 => b,
            (x, y) => x * 100 + y,
        }
    } over pairs();
    fn returns_from_loops(a: i32, b: i32) -> i32 {
        let mut i = a.zero();
        while i < a {
            for j in 0..b {
                if i * j == 6 {
                    return i * 100 + j;
                }
            }
            i += 1;
        }
        a.zero() - 1
    } over pairs();
    fn known_loops(a: i32, b: i32) -> i32 {
        let mut sum = a.zero();
        for i in [1, 2, 3, 4] {
            if b == i {
                continue;
            }
            if a == i {
                break;
            }
            if i == 3 {
                sum += 100;
            }
            sum += i;
        }
        sum
    } over pairs();
    fn labelled(a: i32, b: i32) -> i32 {
        let c = 'found: {
            if a > b {
                break 'found a;
            }
            if b > 5 {
                break 'found b;
            }
            a * b
        };
        c * 2
    } over pairs();
    fn diverges(a: i32, b: i32) -> i32 {
        if a > b {
            if b > 0 {
                return a;
            } else {
                return b;
            }
        }
        a - b
    } over pairs();
    fn tail_jumps(a: i32, b: i32) -> i32 {
        if a > b { return a } else { b }
    } over pairs();
    fn closures(a: i32, b: i32) -> i32 {
        let f = |x, y| if x > y { x - y } else { y - x };
        f(a, b) + f(b, a * 2)
    } over pairs();
    fn logic(a: i32, b: i32) -> i32 {
        let is_great = a > 7;
        let c = a > 2 && b > 2 || !is_great;
        if c || a == -1 { a } else { b }
    } over pairs();
}

/// Of the host, `loop` is one of the program.
#[stage]
fn greatest_common_divisor(mut a: Rep<u64>, mut b: Rep<u64>) -> Rep<u64> {
    loop {
        if b == 0 {
            break a;
        }
        (a, b) = (b, a % b);
    }
}

#[test]
fn loops_give_values() {
    let function = function("gcd", greatest_common_divisor).expect("it is valid");
    for compiled in on_engines(&function) {
        assert_eq!(compiled.call(48, 36).expect("it does not trap"), 12);
        assert_eq!(compiled.call(0, 5).expect("it does not trap"), 5);
    }
}

#[derive(Clone, Copy, Staged)]
struct Counter {
    count: Rep<i32>,
    total: Rep<i32>,
}

#[stage]
impl Counter {
    fn add(&mut self, x: Rep<i32>) {
        if x < 0 {
            return;
        }
        self.count += 1;
        if self.total < 100 {
            self.total += x;
        }
    }

    fn add_all(&mut self, n: Rep<i32>) {
        for i in -3..n {
            self.add(i * 7);
        }
    }
}

#[test]
fn methods_change_their_object() {
    let function = function("count", |n: Rep<i32>| {
        let mut counter = Counter { count: Rep::new(0), total: Rep::new(0) };
        counter.add_all(n);
        counter
    })
    .unwrap_or_else(|errors| panic!("{errors}"));
    for compiled in on_engines(&function) {
        assert_eq!(compiled.call(5).expect("it does not trap"), (5, 70));
        assert_eq!(compiled.call(50).expect("it does not trap"), (50, 105));
    }
}

/// A power whose exponent is known leaves no trace of the loop; one whose exponent is not is a loop.
#[stage]
fn power(x: Rep<f64>, n: u32) -> Rep<f64> {
    let mut result = Rep::new(1.0);
    let (mut square, mut rest) = (x, n);
    while rest > 0 {
        if rest % 2 == 1 {
            result *= square;
        }
        square *= square;
        rest /= 2;
    }
    result
}

#[test]
fn known_conditions_are_decided_now() {
    let function = function("power", |x: Rep<f64>| power(x, 5)).expect("it is valid");
    assert!(!function.ir().contains("loop") && !function.ir().contains("if"), "{}", function.ir());
    assert_eq!(function.compile().expect("it fits").call(2.0).expect("it does not trap"), 32.0);
}

#[test]
fn closures_are_staged() {
    let function =
        function("clamp", staged!(|x: Rep<f64>| if x < 0.0 { Rep::new(0.0) } else { x })).expect("it is valid");
    assert_eq!(function.compile().expect("it fits").call(-2.0).expect("it does not trap"), 0.0);
}

/// A variable of Rust cannot depend on the program.
#[stage]
fn counts_wrongly(x: Rep<i32>) -> Rep<i32> {
    let mut count = 0;
    if x > 3 {
        count += 1;
    }
    x + count
}

#[test]
fn variables_of_rust_do_not_depend_on_the_program() {
    let errors = function("counts", counts_wrongly).expect_err("it is not valid").to_string();
    assert!(errors.contains("E1405") && errors.contains("`count`"), "{errors}");
    assert!(errors.contains("stage_macro.rs:"), "{errors}");
}

/// An error of the generator leaves the program whole.
#[stage]
fn may_fail(x: Rep<i32>, limit: Option<i32>) -> Option<Rep<i32>> {
    let mut y = x;
    while y > 10 {
        if y % 2 == 0 {
            y -= limit?;
        }
        y -= 1;
    }
    Some(y)
}

#[test]
fn errors_of_the_generator_leave_the_program_whole() {
    let with = |limit| function("may_fail", move |x: Rep<i32>| may_fail(x, limit).unwrap_or(x));
    assert_eq!(
        with(Some(2)).expect("it is valid").compile().expect("it fits").call(20).expect("it ends"),
        10 - 2 + 2 - 1
    );
    assert_eq!(with(None).expect("it is valid").compile().expect("it fits").call(3).expect("it ends"), 3);
}

/// An instruction of a machine with two registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Code {
    Add,
    Double,
    Swap,
    JumpIfLess(usize),
}

/// An interpreter, whose program is known: it becomes the compiled program.
#[stage]
#[specialize]
fn interpret(code: &[Code], at: usize, mut a: Rep<u32>, b: Rep<u32>) -> Rep<u32> {
    let Some(&next) = code.get(at) else {
        return a;
    };
    match next {
        Code::Add => interpret(code, at + 1, a + b, b),
        Code::Double => {
            a *= 2;
            interpret(code, at + 1, a, b)
        }
        Code::Swap => interpret(code, at + 1, b, a),
        Code::JumpIfLess(to) => {
            if a < b {
                interpret(code, to, a, b)
            } else {
                interpret(code, at + 1, a, b)
            }
        }
    }
}

#[test]
fn a_known_program_is_compiled() {
    let code = [Code::Double, Code::JumpIfLess(0), Code::Add, Code::Swap, Code::Add];
    let function = function("run", move |a: Rep<u32>, b: Rep<u32>| interpret(&code, 0, a, b));
    let function = function.unwrap_or_else(|errors| panic!("{errors}"));
    // One for each instruction, the end, and `run`.
    assert_eq!(function.module().funcs.len(), code.len() + 2);
    for compiled in on_engines(&function) {
        for (mut a, b) in [(1, 100), (7, 7), (3, 50)] {
            let given = (a, b);
            while {
                a *= 2;
                a < b
            } {}
            assert_eq!(compiled.call(given.0, given.1).expect("it does not trap"), b + (a + b));
        }
    }
}

/// A struct of staged values is one of the program; what is known is marked.
#[specialize]
fn scaled(#[known] times: u32, counter: Counter) -> Counter {
    let factor = times as i32;
    Counter { count: counter.count * factor, total: counter.total }
}

#[test]
fn marks_tell_what_is_known() {
    let function = function("scaled", |x: Rep<i32>| {
        let counter = Counter { count: x, total: x };
        scaled(2, scaled(3, scaled(2, counter)))
    })
    .expect("it is valid");
    assert_eq!(function.module().funcs.len(), 3);
    assert_eq!(function.compile().expect("it fits").call(5).expect("it does not trap"), (60, 5));
}
