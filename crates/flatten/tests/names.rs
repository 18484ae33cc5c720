//! The parts of an optimized flat function, and the table of its value numbers.

use planish_flatten::names::{parts, value_numbers};
use planish_flatten::{Options, flatten};
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::walk;

/// The last function of a module, through the stages up to and with `optimize`.
fn optimized(text: &str, fast_math: bool) -> (Module, planish_ir::entity::Func, Options) {
    let mut module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let func = module.funcs.keys().last().expect("there is a function");
    let options = Options { fast_math, ..Options::default() };
    flatten(&mut module, func, &options, Some("optimize"), &mut |_, _| {}).expect("it is flat");
    (module, func, options)
}

/// `OP: PART` for each node that is one.
fn named(text: &str, fast_math: bool) -> Vec<String> {
    let (module, func, options) = optimized(text, fast_math);
    let body = module.funcs[func].body.as_ref().expect("it has an inside");
    let parts = parts(&module, body, options.barriers);
    let nodes = walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter().copied());
    nodes.filter_map(|n| Some(format!("{}: {}", body.node(n).op.text(), parts[body.result(n)?]?))).collect()
}

const PARTS: &str = "module ir
var uniform @time: f32
fn @f(%0 x: f32, %1 v: vec3) -> (f32, vec3) {
b0:
  %3 = load @time
  %4 = multiply %3, %3
  %5 = sin %4
  %6 = cos %4
  %7 = add %0, %5
  %8 = multiply %7, %7
  %9 = divide %8, %3
  %10 = divide %0, %3
  %11: vec3 = construct_vector_from_scalar %6
  %12 = multiply %1, %11
  %13 = add %9, %10
  return %13, %12
}
";

#[test]
fn roots_of_the_preshader_and_what_is_shared_have_names() {
    let strict = ["multiply: _preshader_cse_0", "sin: _preshader_0", "cos: _preshader_1", "add: _cse_0"];
    assert_eq!(named(PARTS, false), strict);
    let fast = named(PARTS, true);
    assert!(fast.contains(&"divide: _preshader_2".to_owned()), "one reciprocal: {fast:?}");
}

#[test]
fn barriers_are_no_part_of_the_preshader() {
    let text = "module ir
var uniform @u: vec2
var handle @t: combined<2d f32>
fn @f(%0 x: vec4) -> (vec4) {
b0:
  %1 = load @u
  %2 = load @t
  %3 = sqrt %1
  %4 = texture_sample_lod[lod] %2, %3, 0.0
  %5 = multiply %4, %4
  %6 = add %5, %x
  return %6
}
"
    .replace("%x", "%0");
    assert_eq!(named(&text, false), ["sqrt: _preshader_0", "texture_sample_lod: _cse_0"]);
}

#[test]
fn the_table_counts_what_each_node_is_needed_for() {
    let text = "module ir
fn @burn(%0 mask: f32, %1 edge: f32) -> (f32, f32) {
b0:
  %2 = subtract 1.0, %0
  %3 = multiply %2, %2
  %4 = subtract %1, %0
  %5 = add %4, 1.0
  return %3, %5
}
";
    let (module, func, options) = optimized(text, true);
    let expected = "value numbers of @burn
     3  _cse_0               %2 = subtract 1.0, %0
     1                       %3 = multiply %2, %2
     1                       %4 = add %1, %2
constants minus values
     3  %2 = subtract 1.0, %0
";
    assert_eq!(value_numbers(&module, func, &options), expected);
}
