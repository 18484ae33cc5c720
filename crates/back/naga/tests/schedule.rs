//! The IR's schedule in the text: a value of an arm is computed in that arm, and one of before a loop before it. The
//! writers get a schedule and make none.

use planish_back_naga::{Options, Target, write_wgsl};

use crate::legal::lower;

/// A branch that the optimizer kept, because both arms are dear.
const ARMS: &str = "module glsl 450
var input interface @v: vec2 location(0)
var output interface @x: f32 location(0)

fn @main() {
b0:
  %0 = load @v
  %1 = extract_vector_component[0] %0
  %2 = extract_vector_component[1] %0
  %3 = greater_than %1, 0.5
  if %3 {
  then b1:
    %4 = pow %1, %2
    %5 = sin %4
    %6 = exp %5
    merge %6
  else b2:
    %7 = sqrt %2
    %8 = cos %7
    %9 = log %8
    merge %9
  }
b3(%10: f32):
  store @x, %10
  return
}
entry fragment @main \"main\"";

/// `exp(sin(v.x))` taken out of a loop.
const BEFORE_LOOP: &str = "module glsl 450
var input interface @v: vec2 location(0)
var input interface @n: i32 flat location(1)
var output interface @x: f32 location(0)

fn @main() {
b0:
  %0 = load @n
  %1 = load @v
  %2 = extract_vector_component[0] %1
  %3 = sin %2
  %4 = exp %3
  loop 0.0, 0 {
  cond b1(%5: f32, %6: i32):
    %7 = less_than %6, %0
    loop_if %7
  body b2:
    %8 = multiply %4, %5
    %9 = add %8, 1.0
    %10 = add %6, 1
    continue b0, %9, %10
  }
b3:
  store @x, %5
  return
}
entry fragment @main \"main\"";

fn text(source: &str) -> String {
    let module = planish_ir::text::parse_str(source).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(planish_ir::verify::verify(&module).len(), 0);
    write_wgsl(&lower(&module, &Options::new(Target::Wgsl)).unwrap_or_else(|e| panic!("{e:#?}"))).unwrap()
}

#[test]
fn arms_are_computed_in_their_arms() {
    let text = text(ARMS);
    let (test, otherwise) = (text.find("if (").expect("a branch"), text.find("else").expect("two arms"));
    for (function, from, to) in [
        ("pow(", test, otherwise),
        ("exp(", test, otherwise),
        ("sqrt(", otherwise, text.len()),
        ("log(", otherwise, text.len()),
    ] {
        let found: Vec<usize> = text.match_indices(function).map(|(at, _)| at).collect();
        assert!(matches!(found[..], [at] if (from..to).contains(&at)), "{function} at {found:?}\n{text}");
    }
}

#[test]
fn hoisted_values_are_computed_before_the_loop() {
    let text = text(BEFORE_LOOP);
    let start = text.find("loop {").expect("a loop");
    assert!(text.find("exp(").expect("a function") < start, "{text}");
    assert_eq!(text.matches("exp(").count(), 1, "{text}");
}
