//! Effects of the options of flattening on folding and optimizing.

use planish_flatten::{Leaf, Options, Visible, stage};
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print};

/// The lines of the last function of a module after some stages.
fn after(stages: &[&str], text: &str, options: &Options) -> Vec<String> {
    let mut module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let func = module.funcs.keys().last().expect("there is a function");
    for name in stages {
        (stage(name).expect("there is such a stage").run)(&mut module, func, options).expect("it is flat");
    }
    let text = print(&module);
    let (_, body) = text.rsplit_once("b0:\n").expect("there is a block");
    body.lines().map(|line| line.trim().to_owned()).filter(|line| line != "}").collect()
}

const LERP: &str = "module ir
fn @f(%0 a: f32, %1 b: f32, %2 t: f32) -> (f32, f32) {
b0:
  %3 = lerp %0, %1, %2
  %4 = mix %0, %1, %2
  return %3, %4
}
";

#[test]
fn interpolations_are_taken_apart_where_the_target_has_none() {
    let options = Options { expand_lerp: true, ..Options::default() };
    let strict = [
        "%3 = subtract %1, %0",
        "%4 = multiply %2, %3",
        "%5 = add %0, %4",
        "%6 = subtract 1.0, %2",
        "%7 = multiply %0, %6",
        "%8 = multiply %1, %2",
        "%9 = add %7, %8",
        "return %5, %9",
    ];
    assert_eq!(after(&["fold"], LERP, &options), strict);
    let fast = Options { fast_math: true, ..options };
    let once = ["%3 = subtract %1, %0", "%4 = multiply %2, %3", "%5 = add %0, %4", "return %5, %5"];
    assert_eq!(after(&["fold"], LERP, &fast), once);
    let whole = ["%3 = lerp %0, %1, %2", "%4 = mix %0, %1, %2", "return %3, %4"];
    assert_eq!(after(&["fold"], LERP, &Options::default()), whole);
}

#[test]
fn the_back_end_says_what_a_preshader_cannot_hold() {
    let text = "module ir
var uniform @u: f32
fn @f(%0 x: f32) -> (f32) {
b0:
  %1 = sin %0
  %2 = load @u
  %3 = cos %2
  %4 = sqrt %3
  %5 = add %1, %4
  return %5
}
";
    let first = |barriers: fn(Op) -> bool| after(&["optimize"], text, &Options { barriers, ..Options::default() });
    let all = first(|_| false);
    assert_eq!(all[1..4], ["%2 = cos %1", "%3 = sqrt %2", "%4 = sin %0"], "all that is uniform stands first");
    let without = first(|op| op == Op::Cos);
    assert_eq!(without[1..4], ["%2 = sin %0", "%3 = cos %1", "%4 = sqrt %3"], "what a barrier gives is not uniform");
}

#[test]
fn steps_are_not_distributed_where_they_would_stay_two() {
    let text = "module ir
fn @f(%0 x: f32) -> (f32) {
b0:
  %1 = add %0, 0.5
  %2 = multiply %1, 3.0
  return %2
}
";
    let lines =
        |visible| after(&["fold", "optimize"], text, &Options { fast_math: true, visible, ..Options::default() });
    assert_eq!(lines(Visible::TEXT), ["%1 = add %0, 0.5", "%2 = multiply %1, 3.0", "return %2"]);
    assert_eq!(lines(Visible::ALL), ["%1 = multiply %0, 3.0", "%2 = add %1, 1.5", "return %2"]);
}

#[test]
fn a_leaf_is_pure_or_a_barrier() {
    let text = "module ir
var uniform @u: f32
fn @noise(%0 x: f32) -> (f32) {
b0:
  %1 = sin %0
  return %1
}
fn @f(%0 x: f32) -> (f32) {
b0:
  %1 = call @noise, %0
  %2 = load @u
  %3 = call @noise, %2
  %4 = load @u
  %5 = call @noise, %4
  %6 = call @noise, 7.0
  %7 = add %1, %3
  %8 = add %7, %5
  return %8
}
";
    let stages = ["lower", "fold", "optimize"];
    let lines = |leaf: &str| {
        let leaves = vec![Leaf::parse(leaf).expect("is a leaf")];
        after(&stages, text, &Options { leaves, ..Options::default() })
    };
    let pure = [
        "%1 = load @u",
        "%2 = call @noise, %1",
        "%3 = call @noise, %0",
        "%4 = add %2, %3",
        "%5 = add %2, %4",
        "return %5",
    ];
    assert_eq!(lines("noise"), pure);
    let barrier = [
        "%1 = load @u",
        "%2 = call @noise, %0",
        "%3 = call @noise, %1",
        "%4 = add %2, %3",
        "%5 = add %3, %4",
        "return %5",
    ];
    assert_eq!(lines("noise:barrier"), barrier);
    assert_eq!(Leaf::parse("noise:other"), None);
}
