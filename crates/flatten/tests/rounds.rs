//! Number of rounds that a loop is unrolled for: as many as the ranges of its counter allow, the limit included.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_flatten::{Options, flatten};
use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::text::parse_str;

fn module(text: &str) -> Module {
    parse_str(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

/// Flattens the last function, or says why not.
fn flat(before: &Module, options: &Options) -> Result<Module, String> {
    let mut module = before.clone();
    let func = module.funcs.keys().last().expect("a function");
    match flatten(&mut module, func, options, None, &mut |_, _| {}) {
        Ok(()) => Ok(module),
        Err(errors) => Err(errors.iter().map(|e| format!("{}: {}", e.code, e.message)).collect()),
    }
}

fn call(module: &Module, argument: i32) -> Vec<Vec<u64>> {
    let func = module.funcs.keys().last().expect("a function");
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it is valid");
    let argument = EvalValue { ty: Type::I32, bits: vec![u64::from(argument as u32)] };
    evaluator.call(func, &[argument]).expect("it ends").into_iter().map(|value| value.bits).collect()
}

/// `for (T i = START; i TEST BOUND; i STEP) { n += i; if (n == q) i MOVE; }` as a function of `q`: gives `i` and `n`.
fn counting([ty, start, test, bound, step, moved]: [&str; 6]) -> String {
    let arm = |body: &str| format!("  if %9 {{\n  then b5:\n{body}  else b6:\n    merge %3\n  }}\n");
    let arm = arm(&format!("    %10 = {moved}\n    merge %10\n"));
    format!(
        "module ir\n\nfn @f(%0 q: i32) -> ({ty}, i32) {{\nb0:\n  loop {start}, 0 {{\n  cond b1(%3: {ty}, %4: i32):\n    \
         %5 = {test} %3, {bound}\n    loop_if %5\n  body b2:\n    %6 = add %4, 1\n    %9 = equal %6, %0\n{arm}  \
         b7(%11: {ty}):\n    %12 = {step}\n    continue b0, %12, %6\n  }}\nb8:\n  return %3, %4\n}}\n"
    )
}

#[test]
fn a_counter_that_the_body_moves_towards_the_bound_is_bounded() {
    for parts in [
        ["i32", "0", "less_than", "8", "add %11, 1", "add %3, 3"],
        ["i32", "0", "less_than_equal", "8", "add %11, 2", "add %3, 1"],
        ["i32", "9", "greater_than", "-3", "subtract %11, 1", "subtract %3, 5"],
        ["i32", "9", "greater_than_equal", "2", "add %11, -1", "min %3, 4"],
        ["u32", "0u", "less_than", "8u", "add %11, 1u", "max %3, 5u"],
        ["f32", "0.0", "less_than", "1.0", "add %11, 0.125", "add %3, 0.1"],
        ["f32", "1.0", "greater_than", "0.0", "subtract %11, 0.1", "subtract %3, 0.3"],
    ] {
        let text = counting(parts);
        let before = module(&text);
        let after = flat(&before, &Options::default()).unwrap_or_else(|error| panic!("{text}\n{error}"));
        for q in -1..14 {
            assert_eq!(call(&after, q), call(&before, q), "{q} of {text}");
        }
    }
}

#[test]
fn a_counter_that_may_stay_or_go_back_is_not_bounded() {
    for parts in [
        ["i32", "0", "less_than", "8", "add %11, 1", "subtract %3, 1"],
        ["i32", "0", "less_than", "8", "add %11, 1", "multiply %3, %3"],
        ["i32", "0", "not_equal", "8", "add %11, 1", "add %3, 3"],
        ["u32", "8u", "greater_than", "0u", "subtract %11, 1u", "subtract %3, 3u"],
        ["f32", "0.0", "less_than", "1.0", "add %11, 0.0", "add %3, 0.1"],
    ] {
        let text = counting(parts);
        let told = flat(&module(&text), &Options::default()).err().unwrap_or_else(|| panic!("bounded: {text}"));
        assert!(told.starts_with("E1101: "), "{text}\n{told}");
    }
}

#[test]
fn the_limit_of_rounds_is_included() {
    let looping = |rounds: u32| {
        format!(
            "module ir\n\nfn @f(%0 q: i32) -> (i32) {{\nb0:\n  loop 0, 0 {{\n  cond b1(%1: i32, %2: i32):\n    \
             %3 = less_than %1, {rounds}\n    loop_if %3\n  body b2:\n    %4 = add %2, %0\n    %5 = add %1, 1\n    \
             continue b0, %5, %4\n  }}\nb3:\n  return %2\n}}\n"
        )
    };
    let mut options = Options::default();
    for limit in [1, 7, options.limits.flat_iterations] {
        options.limits.flat_iterations = limit;
        let before = module(&looping(limit));
        let after = flat(&before, &options).unwrap_or_else(|error| panic!("{limit}: {error}"));
        assert_eq!(call(&after, 3), call(&before, 3));
        let told = flat(&module(&looping(limit + 1)), &options).err();
        assert_eq!(told, Some(format!("E1101: this loop has more than {limit} iterations, or does not end")));
    }
}

/// `for (f64 i = 1; ; i += 1) { if (i > q || i == LAST) break; n += i; }`.
fn left_from_within(last: &str) -> String {
    format!(
        "module ir\n\nfn @f(%0 q: f64) -> (f64) {{\nb0:\n  loop 1.0d, 0.0d {{\n  cond b1(%1: f64, %2: f64):\n    \
         loop_if true merge(%2)\n  body b2:\n    %3 = greater_than %1, %0\n    %4 = equal %1, {last}\n    %5 = logical_or %3, %4\n    \
         if %5 {{\n    then b3:\n      break b0, %2\n    else b4:\n      merge\n    }}\n  b5:\n    %6 = add %2, %1\n    \
         %7 = add %1, 1.0d\n    continue b0, %7, %6\n  }}\nb6(%8: f64):\n  return %8\n}}\n"
    )
}

#[test]
fn a_loop_that_only_the_host_can_end_is_refused_early() {
    // Neither a limit that it would reach later, nor a constant bound, is mistaken for it.
    let mut options = Options::default();
    options.limits.flat_iterations = 1 << 20;
    let told = flat(&module(&left_from_within("-1.0d")), &options).expect_err("nothing bounds it");
    assert_eq!(told, "E1101: it is not known at compile time that this loop ends");
    options.limits.flat_nodes = 1 << 20;
    let before = module(&left_from_within("700.0d"));
    let after = flat(&before, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(after.funcs.len(), before.funcs.len());
}
