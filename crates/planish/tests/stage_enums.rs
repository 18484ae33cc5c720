//! Enums of generated programs.

use planish::stage::{Compiled, Enum, Function, Params, Rep, Staged, function};
use planish::vm::{Config, Engine, Strategy};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::function::Param;
use planish_ir::meaning::Shape as _;
use planish_testkit::seeds;

/// The function on each engine.
pub(crate) fn on_engines<A: Params, R: Staged>(function: &Function<A, R>) -> [Compiled<A, R>; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| {
        let engine = Engine::new(Config::default().strategy(strategy));
        function.compile_on(&engine).unwrap_or_else(|errors| panic!("{errors}"))
    })
}

/// The result by the evaluator.
fn evaluated<A: Staged, R: Staged>(function: &Function<(A,), R>, arg: A::Host) -> R::Host {
    let module = function.module();
    let func = module.entry_points[0].func;
    let mut bits = Vec::new();
    A::host_bits(arg, &mut bits);
    let mut rest = bits.into_iter();
    let value = |param: &Param| {
        let count = module.types.components(param.ty).expect("values have components");
        EvalValue { ty: param.ty, bits: rest.by_ref().take(count).collect() }
    };
    let args: Vec<EvalValue> = module.funcs[func].params.iter().map(value).collect();
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("the evaluator takes it");
    let results = evaluator.call(func, &args).unwrap_or_else(|stop| panic!("{stop}"));
    R::from_host_bits(&mut results.iter().flat_map(|value| value.bits.clone()))
}

/// Calls a function on all engines, which give the same.
pub(crate) fn called<A: Staged<Host: Clone>, R: Staged<Host: PartialEq + std::fmt::Debug>>(
    function: &Function<(A,), R>,
    engines: &[Compiled<(A,), R>],
    arg: A::Host,
) -> R::Host {
    let result = evaluated(function, arg.clone());
    for compiled in engines {
        let found = compiled.call(arg.clone()).unwrap_or_else(|stop| panic!("{stop}\n{}", function.ir()));
        assert_eq!(found, result, "{}", function.ir());
    }
    result
}

/// Writes items twice: for the program that is made, and for the host.
macro_rules! both {
    ($($items:tt)*) => {
        mod made {
            #![allow(dead_code)]
            use planish::stage::{Enum, Rep, Staged, stage};

            type Int = Rep<i32>;
            type Bool = Rep<bool>;

            fn int(x: i32) -> Int {
                Rep::new(x)
            }

            fn add(x: Int, y: Int) -> Int {
                x + y
            }

            fn mul(x: Int, y: Int) -> Int {
                x * y
            }

            fn bool(x: Int, y: Int) -> Bool {
                x.lt(y)
            }

            made!($($items)*);
        }

        mod plain {
            #![allow(dead_code)]
            type Int = i32;
            type Bool = bool;
            /// The host has the enum itself.
            type Enum<T> = T;

            fn int(x: i32) -> Int {
                x
            }

            fn add(x: Int, y: Int) -> Int {
                x.wrapping_add(y)
            }

            fn mul(x: Int, y: Int) -> Int {
                x.wrapping_mul(y)
            }

            fn bool(x: Int, y: Int) -> Bool {
                x < y
            }

            plain!($($items)*);
        }
    };
}

macro_rules! made {
    ($(enum $name:ident $variants:tt)* ; $($functions:tt)*) => {
        $(#[derive(Clone, Copy, Staged)]
        #[staged(host = super::plain::$name)]
        pub(crate) enum $name $variants)*
        #[stage]
        mod functions {
            use super::*;
            $($functions)*
        }
        pub(crate) use functions::*;

        impl Shape {
            fn into_shape(self) -> Enum<Shape> {
                Enum::new(self)
            }
        }
    };
}

macro_rules! plain {
    ($(enum $name:ident $variants:tt)* ; $($functions:tt)*) => {
        $(#[derive(Clone, Copy, PartialEq, Debug)]
        pub(crate) enum $name $variants)*
        #[allow(unused_mut, clippy::all)]
        mod functions {
            use super::*;
            $($functions)*
        }
        pub(crate) use functions::*;

        impl Shape {
            fn into_shape(self) -> Shape {
                self
            }
        }
    };
}

both! {
    enum Color { Red, Green, Blue }
    enum Shape { Circle { r: Int }, Rect(Int, Int), Flagged(Bool, Int), Tinted { color: Enum<Color>, by: (Int, Int) }, Nothing };

    pub(crate) fn area(shape: Enum<Shape>) -> Int {
        match shape {
            Shape::Circle { r } => mul(mul(r, r), int(3)),
            Shape::Rect(w, h) => mul(w, h),
            Shape::Flagged(flag, x) => if flag { x } else { mul(x, int(-1)) },
            Shape::Tinted { by: (a, b), .. } => add(a, mul(b, int(-1))),
            Shape::Nothing => int(0),
        }
    }

    pub(crate) fn guarded(shape: Enum<Shape>, limit: Int) -> Int {
        match shape {
            Shape::Circle { r } | Shape::Rect(r, _) if r > limit => r - limit,
            Shape::Rect(w, h) if w == h => w * 100,
            Shape::Rect(w, _) if w < 0 => -w,
            Shape::Rect(..) => limit,
            Shape::Circle { .. } | Shape::Nothing => limit * 2,
            _ => int(-1),
        }
    }

    pub(crate) fn nested(shape: Enum<Shape>) -> Int {
        match shape {
            Shape::Circle { r: 0 } => int(1),
            Shape::Circle { r: 1..=3 } | Shape::Rect(0, 0) => int(2),
            Shape::Circle { r } => r,
            Shape::Rect(0, h) => h,
            Shape::Rect(w, 5 | 6) => w * 10,
            Shape::Rect(w, h) if w > h => w,
            Shape::Rect(..) => int(3),
            Shape::Flagged(true, x) => x,
            Shape::Flagged(false, 0) => int(4),
            Shape::Flagged(_, x) => x + 1,
            Shape::Tinted { color: Color::Red, by } => by.0,
            Shape::Tinted { color: Color::Green | Color::Blue, by: (7, y) } => y,
            Shape::Tinted { color: Color::Blue, .. } => int(5),
            Shape::Tinted { by: (x, y), .. } => x * y,
            Shape::Nothing => int(6),
        }
    }

    pub(crate) fn pairs(a: Enum<Shape>, b: Enum<Shape>) -> Int {
        match (a, b) {
            (Shape::Circle { r }, Shape::Circle { r: s }) if r == s => int(1000),
            (Shape::Circle { r }, Shape::Circle { r: s }) => r * s,
            (Shape::Circle { r }, _) | (_, Shape::Circle { r }) => r,
            (Shape::Nothing, Shape::Nothing) => int(-7),
            (Shape::Rect(1, x), other) => x + area(other),
            _ => int(8),
        }
    }

    pub(crate) fn lets(shape: Enum<Shape>, limit: Int) -> Int {
        let mut sum = int(0);
        if let Shape::Rect(w, h) = shape {
            sum += w;
            if w > h && limit > 3 {
                return sum;
            }
        } else if let Shape::Nothing = shape {
            sum += 50;
        } else {
            sum -= 1;
        }
        if let Shape::Circle { r } = shape && r > limit {
            sum += 7;
        }
        let (Shape::Circle { r: mut x } | Shape::Flagged(_, mut x)) = shape else {
            return sum * 2;
        };
        x += 1;
        if matches!(shape, Shape::Flagged(..)) || matches!(shape, Shape::Circle { r } if r == 2) {
            sum += 1000;
        }
        sum + x
    }

    pub(crate) fn walk(start: Enum<Shape>) -> Int {
        let mut shape: Enum<Shape> = start;
        let mut steps = int(0);
        while let Shape::Rect(w, h) = shape {
            steps += 1;
            if steps > 40 {
                break;
            }
            if w > 10 {
                shape = Shape::Circle { r: w };
                continue;
            }
            shape = match h {
                0 => Shape::Nothing,
                _ if w > h => Shape::Rect(w + 1, h - 1),
                _ => Shape::Flagged(w == h, h + 2),
            };
        }
        match shape {
            Shape::Circle { r } => steps * 100 + r,
            _ => steps,
        }
    }

    /// The number that a tree computes.
    pub(crate) fn number(tree: &super::super::Number, env: &[Int], shapes: &[Enum<Shape>]) -> Int {
        use super::super::Number;
        match tree {
            Number::Constant(x) => int(*x),
            Number::Variable(index) => env[index % env.len()],
            Number::Binary(op, parts) => {
                let (x, y) = (number(&parts[0], env, shapes), number(&parts[1], env, shapes));
                match op % 3 {
                    0 => add(x, y),
                    1 => mul(x, y),
                    _ => x ^ y,
                }
            }
            Number::If(parts) => {
                if number(&parts[0], env, shapes) < number(&parts[1], env, shapes) {
                    number(&parts[2], env, shapes)
                } else {
                    number(&parts[3], env, shapes)
                }
            }
            Number::Match(of, parts) => {
                let of: Enum<Shape> = shape(of, env, shapes);
                let limit = number(&parts[0], env, shapes);
                let with = |x: Int, part: usize| number(&parts[part], &[env, &[x]].concat(), shapes);
                match of {
                    Shape::Circle { r } if r > limit => with(r, 1),
                    Shape::Circle { r: 0..=5 } | Shape::Rect(3, 2) => limit,
                    Shape::Circle { r } | Shape::Rect(r, _) if r == limit || r < 3 => with(r, 2),
                    Shape::Rect(w, h) => with(add(w, mul(h, int(3))), 3),
                    Shape::Flagged(true, x) if x != 1 => with(x, 4),
                    Shape::Tinted { color: Color::Green, by: (x, _) } => x,
                    _ => number(&parts[5], env, shapes),
                }
            }
            Number::IfLet(of, parts) => {
                let mut sum = number(&parts[0], env, shapes);
                let of = shape(of, env, shapes);
                if let Shape::Circle { r } | Shape::Flagged(_, r) = of {
                    sum = add(sum, r);
                    if r > number(&parts[1], env, shapes) {
                        return sum;
                    }
                } else if matches!(of, Shape::Rect(w, h) if w < h) {
                    sum = mul(sum, int(3));
                }
                let Shape::Rect(w, _) = of else {
                    return sum;
                };
                add(sum, w)
            }
            Number::While(of, parts) => {
                let mut of: Enum<Shape> = shape(of, env, shapes);
                let (mut rounds, mut sum) = (int(0), number(&parts[0], env, shapes));
                while let Shape::Rect(w, h) | Shape::Tinted { by: (w, h), .. } = of {
                    rounds = add(rounds, int(1));
                    if rounds > 3 {
                        break;
                    }
                    sum = add(sum, number(&parts[1], &[env, &[w, h]].concat(), &[shapes, &[of]].concat()));
                    if sum == 0 {
                        continue;
                    }
                    of = if w < h { Shape::Rect(h, w) } else { Shape::Circle { r: sum } };
                }
                add(sum, area(of))
            }
        }
    }

    /// The shape that a tree computes.
    pub(crate) fn shape(tree: &super::super::Form, env: &[Int], shapes: &[Enum<Shape>]) -> Enum<Shape> {
        use super::super::Form;
        match tree {
            Form::Given(index) => shapes[index % shapes.len()],
            Form::Make(variant, parts) => {
                let (x, y) = (number(&parts[0], env, shapes), number(&parts[1], env, shapes));
                match variant % 5 {
                    0 => Shape::Circle { r: x }.into_shape(),
                    1 => Shape::Rect(x, y).into_shape(),
                    2 => Shape::Flagged(bool(x, y), x).into_shape(),
                    3 => {
                        let color: Enum<Color> = if x < y { Color::Blue } else { Color::Green };
                        Shape::Tinted { color, by: (y, x) }.into_shape()
                    }
                    _ => Shape::Nothing.into_shape(),
                }
            }
            Form::If(of, parts) => {
                if number(&of[0], env, shapes) < number(&of[1], env, shapes) {
                    shape(&parts[0], env, shapes)
                } else {
                    shape(&parts[1], env, shapes)
                }
            }
            Form::Match(of, parts) => match shape(of, env, shapes) {
                Shape::Circle { r } | Shape::Rect(_, r) => shape(&parts[0], &[env, &[r]].concat(), shapes),
                Shape::Tinted { color, .. } => match color {
                    Color::Red | Color::Blue => shape(&parts[1], env, shapes),
                    Color::Green => shapes[0],
                },
                other => shape(&parts[1], env, &[shapes, &[other.into_shape()]].concat()),
            },
        }
    }

}

const NUMBERS: [i32; 10] = [-3, 0, 1, 2, 3, 5, 6, 7, 9, 40];

fn shapes() -> Vec<plain::Shape> {
    use plain::{Color, Shape};
    let mut all = vec![Shape::Nothing];
    for a in NUMBERS {
        all.extend([Shape::Circle { r: a }, Shape::Flagged(true, a), Shape::Flagged(false, a)]);
        for b in NUMBERS {
            all.push(Shape::Rect(a, b));
            all.extend([Color::Red, Color::Green, Color::Blue].map(|color| Shape::Tinted { color, by: (a, b) }));
        }
    }
    all
}

fn agrees<R: Staged<Host = i32>>(
    name: &str,
    function: &Function<(Enum<made::Shape>,), R>,
    plain: impl Fn(plain::Shape) -> i32,
) {
    let engines = on_engines(function);
    for shape in shapes() {
        assert_eq!(called(function, &engines, shape), plain(shape), "{name} of {shape:?}\n{}", function.ir());
    }
}

#[test]
fn matches_are_those_of_rust() {
    let made =
        |name, f: fn(Enum<made::Shape>) -> Rep<i32>| function(name, f).unwrap_or_else(|errors| panic!("{errors}"));
    agrees("area", &made("area", made::area), plain::area);
    agrees("nested", &made("nested", made::nested), plain::nested);
    agrees("walk", &made("walk", made::walk), plain::walk);
    for limit in [0, 2, 4] {
        agrees("guarded", &made("guarded", |shape| made::guarded(shape, Rep::new(0))), |shape| {
            plain::guarded(shape, 0)
        });
        let f = function("guarded", |shape: Enum<made::Shape>| made::guarded(shape, Rep::new(limit)));
        agrees("guarded", &f.expect("it is valid"), |shape| plain::guarded(shape, limit));
        let f = function("lets", |shape: Enum<made::Shape>| made::lets(shape, Rep::new(limit)));
        agrees("lets", &f.expect("it is valid"), |shape| plain::lets(shape, limit));
    }
    for other in [plain::Shape::Nothing, plain::Shape::Circle { r: 2 }, plain::Shape::Rect(3, 4)] {
        let f = function("pairs", |a: Enum<made::Shape>, b: Enum<made::Shape>| made::pairs(a, b)).expect("it is valid");
        for compiled in on_engines(&f) {
            for shape in shapes() {
                assert_eq!(
                    compiled.call(shape, other).expect("it ends"),
                    plain::pairs(shape, other),
                    "{shape:?}, {other:?}"
                );
                assert_eq!(
                    compiled.call(other, shape).expect("it ends"),
                    plain::pairs(other, shape),
                    "{other:?}, {shape:?}"
                );
            }
        }
    }
}

/// An expression for a number, over numbers and shapes.
#[derive(Debug)]
enum Number {
    Constant(i32),
    Variable(usize),
    Binary(usize, Box<[Number; 2]>),
    If(Box<[Number; 4]>),
    Match(Box<Form>, Box<[Number; 6]>),
    IfLet(Box<Form>, Box<[Number; 2]>),
    While(Box<Form>, Box<[Number; 2]>),
}

/// An expression for a shape.
#[derive(Debug)]
enum Form {
    Given(usize),
    Make(usize, Box<[Number; 2]>),
    If(Box<[Number; 2]>, Box<[Form; 2]>),
    Match(Box<Form>, Box<[Form; 2]>),
}

/// Recursion: at most `depth` deep.
fn number(choices: &mut Choices<'_>, depth: u32) -> Number {
    if depth == 0 {
        return match choices.below(2) {
            0 => Number::Constant(NUMBERS[choices.below(NUMBERS.len())]),
            _ => Number::Variable(choices.below(6)),
        };
    }
    let depth = depth - 1;
    match choices.below(8) {
        0 => Number::Variable(choices.below(6)),
        1 => Number::Binary(choices.below(3), Box::new([(); 2].map(|()| number(choices, depth)))),
        2 => Number::If(Box::new([(); 4].map(|()| number(choices, depth)))),
        3..6 => Number::Match(Box::new(form(choices, depth)), Box::new([(); 6].map(|()| number(choices, depth)))),
        6 => Number::IfLet(Box::new(form(choices, depth)), Box::new([(); 2].map(|()| number(choices, depth)))),
        _ => Number::While(Box::new(form(choices, depth)), Box::new([(); 2].map(|()| number(choices, depth)))),
    }
}

/// Recursion: at most `depth` deep.
fn form(choices: &mut Choices<'_>, depth: u32) -> Form {
    let parts = |choices: &mut Choices<'_>, depth| Box::new([(); 2].map(|()| number(choices, depth)));
    match choices.below(if depth == 0 { 1 } else { 6 }) {
        0 | 1 => Form::Given(choices.below(3)),
        2 | 3 => Form::Make(choices.below(5), parts(choices, depth - 1)),
        4 => Form::If(parts(choices, depth - 1), Box::new([(); 2].map(|()| form(choices, depth - 1)))),
        _ => Form::Match(Box::new(form(choices, depth - 1)), Box::new([(); 2].map(|()| form(choices, depth - 1)))),
    }
}

#[test]
fn random_programs_compute_what_plain_rust_does() {
    use plain::{Color, Shape};
    let given = [
        Shape::Circle { r: 4 },
        Shape::Rect(3, 2),
        Shape::Rect(-1, 7),
        Shape::Flagged(true, 5),
        Shape::Tinted { color: Color::Green, by: (2, 9) },
        Shape::Tinted { color: Color::Red, by: (6, 6) },
        Shape::Nothing,
    ];
    for seed in seeds(0..80) {
        let tree = number(&mut Choices::from_seed(seed), 3);
        let f = function("f", |(shape, x): (Enum<made::Shape>, Rep<i32>)| made::number(&tree, &[x, x + 1], &[shape]))
            .unwrap_or_else(|errors| panic!("{seed}: {errors}"));
        let engines = on_engines(&f);
        for shape in given {
            for x in [-2, 0, 3] {
                let found = called(&f, &engines, (shape, x));
                let expected = plain::number(&tree, &[x, x + 1], &[shape]);
                assert_eq!(found, expected, "seed {seed}, {shape:?}, {x}: {tree:?}\n{}", f.ir());
            }
        }
    }
}
