//! Programs with `f64` for targets that have none.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;
use planish_opt::narrow_floats::{is_needed, run};

#[test]
fn doubles_become_floats() {
    let text = "module vl\n\nfn @f(%0 x: f64) -> (f64, f32) {\nb0:\n  %1 = multiply %0, 0.1d\n  %2: f32 = construct_scalar_from_scalar %1\n  return %1, %2\n}\n";
    let file = SourceMap::new().add("a.ir", text).expect("small");
    let mut module = planish_ir::text::parse(&file).expect("valid");
    assert!(is_needed(&module));
    run(&mut module).expect("plain arithmetic");
    assert!(planish_ir::verify::verify(&module).is_empty());
    let printed = planish_ir::text::print(&module);
    assert!(printed.contains("fn @f(%0 x: f32) -> (f32, f32)"), "{printed}");
    assert!(printed.contains("%1 = multiply %0, 0.1\n  return %1, %1"), "{printed}");
    assert!(!is_needed(&module));
}

fn narrowed(text: &str) -> Result<String, Vec<Diagnostic>> {
    let file = SourceMap::new().add("a.ir", text).expect("small");
    let mut module = planish_ir::text::parse(&file).expect("valid");
    assert!(is_needed(&module));
    run(&mut module)?;
    assert_eq!(planish_ir::verify::verify(&module), []);
    assert!(!is_needed(&module));
    Ok(planish_ir::text::print(&module))
}

/// A closure as a struct of a function and what it captured, an array of them, pointers, a private variable with its value.
#[test]
fn doubles_become_floats_in_every_type() {
    let text = "module vl

struct $Env {
  scale: f64
  steps: [2 x f64]
}

struct $Closure {
  code: fn($Env, f64) -> (f64)
  env: $Env
}

var private @table: [2 x f64] = [2 x f64]{0.5d, 0.1d}

fn @scaled(%0 env: $Env, %1 x: f64) -> (f64) {
b0:
  %2 = extract_struct_field[0] %0
  %3 = multiply %2, %1
  return %3
}

fn @f(%0 x: f64) -> (f64) {
b0:
  var @kept: $Closure
  %1 = access_array_element @table, 1
  %2 = load %1
  %3: $Env = construct_struct %2, [2 x f64]{1.0d, 2.0d}
  %4: $Closure = construct_struct @scaled, %3
  store @kept, %4
  %5 = load @kept
  %6 = extract_struct_field[0] %5
  %7 = extract_struct_field[1] %5
  loop %0 {
  cond b1(%8: f64):
    %9 = less_than %8, 9.0d
    loop_if %9
  body b2:
    %10 = call %6, %7, %8
    continue b0, %10
  }
b3:
  return %8
}
";
    let printed = narrowed(text).expect("all of it is the program's own");
    // The old types stay, with nothing of them.
    let (_, used) = printed.split_once("var private").expect("the variable stays");
    assert!(!used.contains("f64"), "{printed}");
    assert!(printed.contains("var private @table: [2 x f32] = [2 x f32]{0.5, 0.1}"), "{printed}");
}

#[test]
fn bytes_that_somebody_looks_at_are_refused() {
    let text = "module vl\n\nvar storage @out: f64\n\nfn @f(%0 x: f64) -> () {\nb0:\n  store @out, %0\n  return\n}\n";
    let errors = narrowed(text).expect_err("the host has an f64 there");
    assert_eq!(errors[0].message, "`out` holds an f64, for a target that has none");
    let text = "module vl\n\nfn @f(%0 x: f64) -> (i64) {\nb0:\n  %1: i64 = bitcast %0\n  return %1\n}\n";
    let errors = narrowed(text).expect_err("an f32 has half of the bits");
    assert_eq!(errors[0].message, "`bitcast` of an f64, for a target that has none");
}
