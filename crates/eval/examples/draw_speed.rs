//! Time to draw a picture: `cargo run --release -p planish-eval --example draw_speed`.
//!
//! Draws 512 × 512 pixels of a shader whose loop executes 1,050 ops per pixel (a quarter of them on vectors of three,
//! some sines), and prints the time, and ops per second.
use std::time::Instant;

use planish_eval::shade::{DrawOptions, draw};
use planish_ir::text::parse_str;

const SHADER: &str = "module glsl 310 es
var input builtin @gl_FragCoord: vec4 builtin(gl_FragCoord)
var output interface @color: vec4
var uniform interface @time: f32
fn @noise(%p: vec3) -> (f32) {
b0:
  %d = dot %p, vec3{12.9, 78.2, 37.7}
  %s = sin %d
  %m = multiply %s, 43758.5
  %f = fract %m
  return %f
}
fn @main() {
b0:
  var @p: vec3
  var @sum: f32
  var @i: i32
  %coord = load @gl_FragCoord
  %xy = extract_vector_component_multi[xyx] %coord
  %scaled = divide %xy, vec3{512.0, 512.0, 512.0}
  store @p, %scaled
  loop {
  cond b1:
    %i = load @i
    %more = less_than %i, 42
    loop_if %more
  body b2:
    %p = load @p
    %n = call @noise, %p
    %nn: vec3 = construct_vector_from_scalar %n
    %q = multiply %p, vec3{1.7, 1.7, 1.7}
    %t = load @time
    %tt: vec3 = construct_vector_from_scalar %t
    %r = add %q, %tt
    %a = abs %r
    %g = mix %a, %nn, vec3{0.1, 0.1, 0.1}
    store @p, %g
    %x = extract_vector_component[0] %g
    %big = greater_than %x, 2.0
    if %big {
    then b3:
      %fr = fract %g
      store @p, %fr
      merge
    else b4:
      merge
    }
  b5:
    %s0 = load @sum
    %s1 = add %s0, %n
    store @sum, %s1
    continue b0
  next b6:
    %k = prefix_increment @i
    continue b0
  }
b7:
  %v = load @p
  %s = load @sum
  %w = divide %s, 42.0
  %out: vec4 = construct_vector_from_multiple %v, %w
  store @color, %out
  return
}
entry fragment @main \"main\"
";

fn main() {
    let module = parse_str(SHADER).expect("the shader is well-formed");
    for threads in [1, 0] {
        let options = DrawOptions { size: [512, 512], time: 0.25, threads, ..DrawOptions::default() };
        let start = Instant::now();
        let image = draw(&module, &options).expect("the shader runs");
        let seconds = start.elapsed().as_secs_f64();
        let sum: f32 = image.float.iter().map(|p| p[3]).sum();
        let ops = 512.0 * 512.0 * 42.0 * 25.0;
        println!("threads {threads}: {seconds:.2} s, {:.0} million ops a second (check {sum})", ops / seconds / 1e6);
    }
}
