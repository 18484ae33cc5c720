//! Programs that are wrong: the error names both places.

use planish_front_stage::*;

/// Codes and lines of errors.
fn told<A, R>(built: Result<Built<A, R>, Errors>) -> Vec<(&'static str, u32, Vec<u32>)> {
    let errors = built.expect_err("it is wrong");
    let line = |span: planish_ir::source::Span| errors.map.line_column(span.start).map_or(0, |at| at.line);
    let told = errors.diagnostics.iter().map(|error| {
        assert!(!error.help.is_empty(), "{errors}");
        (error.code.0, line(error.span), error.labels.iter().map(|label| line(label.span)).collect())
    });
    told.collect()
}

#[test]
fn values_stay_in_their_block() {
    let first = line!();
    let built = build("f", |x: Rep<f64>| {
        let mut leaked = None;
        when(x.gt(0.0), || {
            leaked = Some(x * 2.0);
        });
        leaked.expect("the closure has run") + 1.0
    });
    assert_eq!(told(built), [("E1401", first + 6, vec![first + 4])]);
}

#[test]
fn values_stay_in_their_function() {
    let first = line!();
    let built = build("f", |x: Rep<f64>| {
        let scaled = func("scaled", |y: Rep<f64>| x * y);
        scaled.call(3.0)
    });
    assert_eq!(told(built), [("E1401", first + 2, vec![first + 1])]);
}

#[test]
fn values_stay_in_their_program() {
    let mut leaked = None;
    let first = line!();
    build("f", |x: Rep<f64>| {
        leaked = Some(x);
        x
    })
    .expect("it is valid");
    let again = build("g", |y: Rep<f64>| y + leaked.expect("the closure has run"));
    assert_eq!(told(again), [("E1401", first + 6, vec![first + 1])]);
}

#[test]
fn variables_stay_in_their_block() {
    let first = line!();
    let built = build("f", |x: Rep<u32>| {
        let mut leaked = None;
        when(x.gt(0), || leaked = Some(var(x)));
        leaked.expect("the closure has run").get()
    });
    assert_eq!(told(built), [("E1401", first + 4, vec![first + 3])]);
}

#[test]
fn jumps_stay_in_their_block() {
    let first = line!();
    let built = build("f", |x: Rep<u32>| {
        let mut leaked = None;
        block(|leave| {
            leaked = Some(leave);
            x
        });
        let never: Rep<u32> = leaked.expect("the closure has run").with(x).stage();
        never
    });
    assert_eq!(told(built), [("E1403", first + 7, vec![first + 3])]);
}

#[test]
fn errors_are_where_the_user_calls() {
    let first = line!();
    let built = build("f", |x: Rep<u32>| {
        let mut leaked = None;
        block(|leave| {
            leaked = Some((leave, x + 1));
            x
        });
        let (leave, y) = leaked.expect("the closure has run");
        leave.with_if(true, x);
        check(y.gt(0));
        when(x.gt(0), trap);
        x
    });
    assert_eq!(told(built), [("E1403", first + 8, vec![first + 3]), ("E1401", first + 9, vec![first + 4])]);
}

#[test]
fn returns_have_the_type_of_the_function() {
    let first = line!();
    let built = build("f", |x: Rep<u32>| {
        when(x.gt(0), || return_(1.0));
        x
    });
    assert_eq!(told(built), [("E1404", first + 2, vec![])]);
}

#[test]
fn endless_specialization_ends() {
    fn count(n: u32, x: Rep<u32>) -> Rep<u32> {
        specialized("count", n, (x,), |n, (x,)| if_(x.eq(0), || x, || count(n + 1, x - 1)))
    }
    let told = told(build("f", |x: Rep<u32>| count(0, x)));
    assert_eq!((told.len(), told[0].0), (1, "E1402"));
    assert_eq!(told[0].2.len(), 4);
}

#[test]
fn errors_are_one_text() {
    let errors = build("f", |x: Rep<u32>| {
        when(x.gt(0), || return_(1.0));
        x
    })
    .expect_err("it is wrong");
    let text = errors.to_string();
    assert!(text.contains("tests/errors.rs:") && text.contains("error[E1404]") && text.contains("help: "), "{text}");
}
