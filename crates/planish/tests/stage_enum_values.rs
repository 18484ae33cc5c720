//! Values of enums of generated programs, and enums of the host beside them.

use planish::stage::{
    Enum, Rep, Stage, Staged, Tagged, fold, func, function, if_, specialize, stage, staged, trap, var, when, while_,
};

use crate::stage_enums::{called, on_engines};

/// A step of a walk, with fields of type parameters: its host type is the same enum.
#[derive(Clone, Staged)]
#[staged(host = Step<S::Host, W::Host>)]
enum Step<S, W> {
    Stop,
    To { place: S, weights: W },
}

#[derive(Clone, Copy, Staged)]
struct Walker {
    last: Enum<Option<Rep<i32>>>,
    count: Rep<u32>,
}

#[test]
fn enums_are_groups_of_values() {
    type Steps = Step<(Rep<i32>, Rep<i32>), [Rep<f32>; 2]>;
    let f = function("f", |step: Enum<Steps>| {
        let halve = func("halve", |step: Enum<Steps>| {
            step.match_(|step| match step {
                Step::Stop => Step::Stop,
                Step::To { place: (x, y), weights: [a, b] } => {
                    Step::To { place: (x / 2, y / 2), weights: [b, a * 0.5] }
                }
            })
        });
        let step: Enum<Steps> = halve.call(step);
        (step, step.is(|step| matches!(step, Step::Stop)), step.variant())
    })
    .unwrap_or_else(|errors| panic!("{errors}"));
    let values = |step: Step<(i32, i32), [f32; 2]>| match step {
        Step::Stop => None,
        Step::To { place, weights } => Some((place, weights)),
    };
    for compiled in on_engines(&f) {
        let (step, stops, variant) = compiled.call(Step::Stop).expect("it ends");
        assert_eq!((values(step), stops, variant), (None, true, 0));
        let (step, stops, variant) = compiled.call(Step::To { place: (5, -9), weights: [1.0, 3.0] }).expect("it ends");
        assert_eq!((values(step), stops, variant), (Some(((2, -4), [3.0, 0.5])), false, 1));
    }
}

#[test]
fn enums_are_state() {
    // As a variable, a field, the state of a loop, and in an array.
    let f = function("f", |n: Rep<i32>| {
        let greatest = var::<Enum<Option<Rep<i32>>>>(None);
        let walker = Walker { last: None.stage(), count: Rep::new(0) };
        let walker = fold(0, n, walker, |i, walker: Walker| {
            let x = i * 7 % 5;
            when(greatest.get().match_(|greatest| greatest.map_or(Rep::new(true), |g| x.gt(g))), || {
                greatest.set(Some(x))
            });
            let same = walker.last.map(|last: Rep<i32>| last.eq(x)).unwrap_or(false);
            Walker { last: if_(same, || None, || Some(x)), count: walker.count + 1 }
        });
        let pair: [Enum<Result<Rep<i32>, Rep<bool>>>; 2] =
            [if_(n.gt(3), || Ok(n), || Err(n.eq(3))), Enum::new(Err(Rep::new(false)))];
        (greatest.get(), walker, pair)
    })
    .unwrap_or_else(|errors| panic!("{errors}"));
    let engines = on_engines(&f);
    assert_eq!(called(&f, &engines, 0), (None, (None, 0), [Err(false), Err(false)]));
    assert_eq!(called(&f, &engines, 3), (Some(4), (Some(4), 3), [Err(true), Err(false)]));
    assert_eq!(called(&f, &engines, 6), (Some(4), (Some(0), 6), [Ok(6), Err(false)]));
}

#[derive(Clone, Copy, PartialEq, Debug, Staged)]
enum Light {
    Red,
    Yellow,
    Green,
}

#[derive(Clone, Staged)]
enum Event {
    Tick,
    Key(Rep<u32>),
}

/// A machine of states, with jumps in its arms.
#[stage]
fn lights(start: Enum<Light>, rounds: Rep<u32>, jammed: Rep<u32>) -> (Enum<Light>, Rep<u32>) {
    let mut light: Enum<Light> = start;
    let mut seconds = Rep::new(0);
    for round in 0..rounds {
        if round == jammed {
            return (light, seconds);
        }
        light = match light {
            Light::Red => {
                if seconds > 100 {
                    break;
                }
                seconds += 30;
                Light::Green
            }
            Light::Green if round == 5 => continue,
            Light::Green => {
                seconds += 20;
                Light::Yellow
            }
            Light::Yellow => {
                seconds += 3;
                Light::Red
            }
        };
    }
    (light, seconds)
}

#[test]
fn jumps_leave_arms() {
    let f =
        function("lights", |(light, rounds, jammed): (Enum<Light>, Rep<u32>, Rep<u32>)| lights(light, rounds, jammed))
            .unwrap_or_else(|errors| panic!("{errors}"));
    let engines = on_engines(&f);
    assert_eq!(called(&f, &engines, (Light::Red, 3, 9)), (Light::Red, 53));
    assert_eq!(called(&f, &engines, (Light::Green, 3, 2)), (Light::Red, 23));
    assert_eq!(called(&f, &engines, (Light::Yellow, 6, 9)), (Light::Green, 3 + 30 + 20 + 3 + 30));
    assert_eq!(called(&f, &engines, (Light::Red, 90, 91)), (Light::Red, 2 * 53));
}

#[test]
fn enums_without_a_host_type_go_from_function_to_function() {
    let make = function("make", |x: Rep<u32>| if_(x.eq(0), || Event::Tick, || Event::Key(x))).expect("it is valid");
    let read = function(
        "read",
        staged!(|event: Enum<Event>| match event {
            Event::Tick => 100,
            Event::Key(x) => x + 1,
        }),
    )
    .expect("it is valid");
    let (make, read) = (make.compile().expect("it fits"), read.compile().expect("it fits"));
    let made: Vec<Tagged<Event>> = [0, 5].map(|x| make.call(x).expect("it ends")).into();
    assert_eq!(made.iter().map(Tagged::variant).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(made.into_iter().map(|event| read.call(event).expect("it ends")).collect::<Vec<u32>>(), [100, 6]);
}

/// Ten variants, of which an arm serves nine.
#[derive(Clone, Copy, Staged)]
enum Digit {
    D0,
    D1(Rep<i32>),
    D2,
    D3,
    D4(Rep<f64>),
    D5,
    D6,
    D7,
    D8,
    D9,
}

#[stage]
fn is_one(digit: Enum<Digit>, x: Rep<i32>) -> Rep<i32> {
    match digit {
        Digit::D1(one) => one,
        Digit::D4(_) | Digit::D0 => x,
        _ => x * 17,
    }
}

#[test]
fn an_arm_for_several_variants_is_one_block() {
    let f = function("f", is_one).expect("it is valid");
    assert_eq!(f.ir().matches("multiply").count(), 1, "{}", f.ir());
    assert_eq!(f.ir().matches("case").count(), 3, "{}", f.ir());
    assert!(f.ir().contains("case 0u, 4u"), "{}", f.ir());
}

/// An instruction of the host's, which is not a `Copy` type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Code {
    Add(String),
    All(Vec<Code>),
    Unless(Option<u32>),
}

#[stage]
impl Code {
    fn run(&self, x: Rep<i32>) -> Rep<i32> {
        match self {
            Code::Add(text) => x + text.len() as i32,
            Code::All(parts) => {
                let mut sum = x;
                for part in parts {
                    sum = part.run(sum);
                }
                sum
            }
            Code::Unless(Some(limit)) => {
                if x > *limit as i32 {
                    return x;
                }
                Rep::new(0)
            }
            Code::Unless(None) => x,
        }
    }

    /// Payloads are moved out, and variables into arms.
    fn consumed(self, log: Vec<String>) -> Vec<String> {
        let mut log = log;
        let code = self;
        match code {
            Code::Add(text) => {
                log.push(text);
                log
            }
            Code::All(parts) => parts.into_iter().fold(log, |log, part| part.consumed(log)),
            Code::Unless(_) => log,
        }
    }

    fn first(&mut self) -> Option<&mut String> {
        match self {
            Code::Add(text) => Some(text),
            Code::All(parts) => {
                let mut stack: Vec<&mut Code> = parts.iter_mut().collect();
                let mut found: Option<&mut String> = None;
                while let Some(part) = stack.pop() {
                    if found.is_none() {
                        found = part.first();
                    }
                }
                found
            }
            Code::Unless(_) => None,
        }
    }

    fn depth(codes: &[Code]) -> usize {
        let mut stack: Vec<(&Code, usize)> = codes.iter().map(|code| (code, 1)).collect();
        let mut deepest = 0;
        while let Some((code, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            let Code::All(parts) = code else {
                continue;
            };
            if let Some(part) = parts.first() {
                stack.push((part, depth + 1));
            }
            match stack.last() {
                Some(_) => stack.reserve(1),
                None => stack.shrink_to_fit(),
            }
        }
        deepest
    }
}

#[test]
fn enums_of_the_host_are_matched_now() {
    let add = |text: &str| Code::Add(text.into());
    let mut code = Code::All(vec![Code::Unless(None), add("abc"), Code::All(vec![Code::Unless(Some(10)), add("de")])]);
    let f = function("run", |x: Rep<i32>| code.run(x)).expect("it is valid");
    let engines = on_engines(&f);
    assert_eq!([7, 8].map(|x| called(&f, &engines, x)), [2, 13]);
    assert!(!f.ir().contains("switch"), "{}", f.ir());
    assert_eq!(Code::depth(std::slice::from_ref(&code)), 2);
    code.first().expect("there is one").push('!');
    assert_eq!(code.consumed(vec!["log".into()]), ["log", "abc", "de!"]);
}

/// A condition of the program in a `match` that is decided now is an error of Rust's; one in a nested `if` is not.
#[specialize]
#[stage]
fn mixed(code: Option<u32>, event: Enum<Event>) -> Rep<u32> {
    match (code, 0) {
        (Some(limit), _) => match event {
            Event::Key(x) if limit > 3 && x > limit => x,
            Event::Key(x) if limit > 100 => x * 1000,
            _ => Rep::new(limit),
        },
        _ => Rep::new(7),
    }
}

#[test]
fn guards_may_be_known() {
    for (code, key, expected) in [(None, 4, 7), (Some(3), 4, 3), (Some(4), 5, 5), (Some(4), 4, 4), (Some(200), 4, 4000)]
    {
        let f = function("f", move |x: Rep<u32>| mixed(code, Enum::new(Event::Key(x)))).expect("it is valid");
        assert_eq!(f.compile().expect("it fits").call(key).expect("it ends"), expected);
    }
}

#[stage]
fn counts_wrongly(event: Enum<Event>) -> Rep<u32> {
    let mut count = 0;
    match event {
        Event::Tick => count += 1,
        Event::Key(_) => {}
    }
    Rep::new(count)
}

#[test]
fn errors_name_their_places() {
    let errors = function("f", counts_wrongly).expect_err("a variable of Rust changes").to_string();
    assert!(
        errors.contains("E1405") && errors.contains("`count`") && errors.contains("stage_enum_values.rs:"),
        "{errors}"
    );
    let errors = function("f", |x: Rep<u32>| {
        let mut kept = None;
        when(x.gt(0), || kept = Some(Enum::new(Event::Key(x + 1))));
        kept.expect("the closure has run").match_(|event| match event {
            Event::Tick => Rep::new(0),
            Event::Key(x) => x,
        })
    })
    .expect_err("it is used outside of its block");
    assert!(errors.to_string().contains("E1401"), "{errors}");
    let line = line!() + 3;
    let f = function("f", |event: Enum<Event>| {
        event.match_(|event| match event {
            Event::Tick => trap().stage(),
            Event::Key(x) => x,
        })
    })
    .expect("it is valid");
    let give = function("give", || Event::Tick).expect("it is valid").compile().expect("it fits");
    let stopped = f.compile().expect("it fits").call(give.call().expect("it ends")).expect_err("it traps");
    assert!(stopped.to_string().contains(&format!("stage_enum_values.rs:{line}:")), "{stopped}");
}

/// An error of the generator leaves the program whole.
#[stage]
fn may_fail(event: Enum<Event>, limit: Option<u32>) -> Option<Rep<u32>> {
    let mut sum = Rep::new(1);
    match event {
        Event::Key(x) if x > 5 => sum += limit?,
        Event::Key(x) => sum += x,
        Event::Tick => {}
    }
    Some(sum)
}

#[test]
fn errors_of_the_generator_leave_the_program_whole() {
    let with = |limit, event: fn(Rep<u32>) -> Enum<Event>| {
        let f = function("f", move |x: Rep<u32>| {
            let failed = if_(x.gt(5), || may_fail(event(x), limit).unwrap_or(Rep::new(0)), || x);
            failed + 1
        });
        f.unwrap_or_else(|errors| panic!("{errors}")).compile().expect("it fits")
    };
    assert_eq!(with(Some(10), |x| Event::Key(x).stage()).call(6).expect("it ends"), 1 + 10 + 1);
    // Code that an error has left stops where the program comes to it, and nowhere else.
    let failed = with(None, |x| Event::Key(x).stage());
    assert_eq!(failed.call(5).expect("it ends"), 6);
    assert!(failed.call(6).is_err());
}

/// Early results.
#[stage]
fn root(x: Rep<f64>, allowed: bool) -> Enum<Option<Rep<f64>>> {
    if !allowed || x < 0.0 {
        return None;
    }
    Some(x.sqrt())
}

#[stage]
fn roots(x: Rep<f64>) -> Enum<Result<Rep<f64>, Rep<i32>>> {
    let Some(first) = root(x, true) else {
        return Err(Rep::new(-1));
    };
    match root(first - 1.0, true) {
        Some(second) if second != 0.0 => Ok(second),
        Some(_) => Err(Rep::new(0)),
        None => Err(Rep::new(-2)),
    }
}

#[test]
fn options_and_results_are_enums() {
    let f = function("f", roots).unwrap_or_else(|errors| panic!("{errors}"));
    let engines = on_engines(&f);
    let found = [-4.0, 0.25, 1.0, 25.0].map(|x| called(&f, &engines, x));
    assert_eq!(found, [Err(-1), Err(-2), Err(0), Ok(2.0)]);
    let f = function("f", |x: Rep<f64>| root(x, false).is_none()).expect("it is valid");
    assert!(f.compile().expect("it fits").call(1.0).expect("it ends"));
    let f = function("f", |x: Enum<Option<Rep<i32>>>| {
        while_(
            (x, 0),
            |(x, _)| x.is_some(),
            |(x, n)| {
                let left: Enum<Option<Rep<i32>>> = x.match_(|x| match x {
                    Some(x) => if_(x.gt(0), || Some(x - 3), || None),
                    None => None.stage(),
                });
                (left, n + 1)
            },
        )
    })
    .unwrap_or_else(|errors| panic!("{errors}"));
    let engines = on_engines(&f);
    assert_eq!([None, Some(0), Some(7)].map(|x| called(&f, &engines, x)), [(None, 0), (None, 1), (None, 4)]);
}

#[test]
fn an_option_that_is_taken_apart_leaves_no_trace() {
    let f = function("f", |x: Rep<f64>| root(x, true).unwrap_or(3.0)).expect("it is valid");
    let text = planish::ir::text::print(&f.optimized());
    assert!(!text.contains("switch") && !text.contains("if ") && text.matches("select").count() == 1, "{text}");
}
