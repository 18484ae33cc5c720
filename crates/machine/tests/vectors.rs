//! Vectors, matrices, arrays and variables fall apart into words, and give the evaluator's bits.

use planish_generate::Choices;
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::types::Scalar;
use planish_machine::check::check_module;
use planish_machine::reference::Reference;

use crate::common;
use crate::common::interpreter::Interpreter;

/// Calls every function with numbers of all kinds, `times` times.
fn compare(text: &str, times: usize) {
    let module = planish_ir::text::parse_str(text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:?}");
    check_module(&Reference, &module).unwrap_or_else(|problems| panic!("{problems}"));
    let code = common::compile_all(&module);
    let mut random = Choices::from_seed(7);
    for (func, function) in module.funcs.iter() {
        if function.params.iter().any(|p| module.types.pointee(p.ty).is_some()) {
            continue;
        }
        for _ in 0..times {
            let mut args = vec![];
            for param in &function.params {
                module.types.for_each_run(param.ty, &mut |scalar, n| {
                    args.extend((0..n).map(|_| number(&mut random, scalar)));
                });
            }
            let got = Interpreter::new(&module, &code).call(func, &args);
            assert_eq!(got, common::evaluate(&module, func, &args), "{}{args:x?}", function.name.text);
        }
    }
}

fn number(random: &mut Choices<'_>, scalar: Scalar) -> u64 {
    let x = [0.0, -0.0, 1.0, -1.5, 3.25, 1e-3, -7e5, 0.1, f64::INFINITY, f64::NAN, 2.0, 0.7][random.below(12)];
    match scalar {
        Scalar::Bool => random.below(2) as u64,
        Scalar::F32 => (x as f32).to_bits().into(),
        Scalar::F64 => x.to_bits(),
        _ => [0, 1, 2, 3, 5, 0xffff_fffe, 0x8000_0000][random.below(7)],
    }
}

#[test]
fn geometry_is_the_documented_sequence() {
    let mut text = String::from("module ir\n");
    for n in 2..=4 {
        for (scalar, prefix) in [("f32", ""), ("f64", "d")] {
            let vec = format!("{prefix}vec{n}");
            let mat = format!("{prefix}mat{n}x{n}");
            let mut function = |name: &str, params: &[&str], result: &str| {
                let list: Vec<String> = params.iter().enumerate().map(|(i, p)| format!("%{i}: {p}")).collect();
                let args: Vec<String> = (0..params.len()).map(|i| format!("%{i}")).collect();
                text += &format!(
                    "fn @{name}_{vec}({}) -> ({result}) {{\nb0:\n  %9 = {name} {}\n  return %9\n}}\n",
                    list.join(", "),
                    args.join(", ")
                );
            };
            for name in ["length", "horizontal_add", "horizontal_min", "horizontal_max"] {
                function(name, &[&vec], scalar);
            }
            for name in ["dot", "distance"] {
                function(name, &[&vec, &vec], scalar);
            }
            for name in ["normalize", "negate", "floor", "sqrt"] {
                function(name, &[&vec], &vec);
            }
            for name in ["reflect", "add", "multiply", "divide", "min", "mod", "step"] {
                function(name, &[&vec, &vec], &vec);
            }
            for name in ["face_forward", "mix", "clamp"] {
                function(name, &[&vec, &vec, &vec], &vec);
            }
            function("refract", &[&vec, &vec, scalar], &vec);
            function("outer_product", &[&vec, &vec], &mat);
            function("transpose", &[&mat], &mat);
            function("inverse", &[&mat], &mat);
            function("determinant", &[&mat], scalar);
            function("matrix_times_vector", &[&mat, &vec], &vec);
            function("vector_times_matrix", &[&vec, &mat], &vec);
            function("matrix_times_matrix", &[&mat, &mat], &mat);
            function("matrix_times_scalar", &[&mat, scalar], &mat);
            function("matrix_component_multiply", &[&mat, &mat], &mat);
            function("aggregate_equal", &[&mat, &mat], "bool");
            function("less_than", &[&vec, &vec], &format!("bvec{n}"));
            if n == 3 {
                function("cross", &[&vec, &vec], &vec);
            }
        }
    }
    text += "fn @any(%0: bvec3) -> (bool, bool) {\nb0:\n  %1 = any %0\n  %2 = all %0\n  return %1, %2\n}\n";
    text += "fn @modf(%0: vec3) -> (vec3, vec3) {\nb0:\n  %1, %2 = modf %0\n  return %1, %2\n}\n";
    text += "fn @choose(%0: bvec2, %1: bool, %2: vec2, %3: vec2) -> (vec2, vec2) {\nb0:\n  %4 = select %0, %2, %3\n  %5 = select %1, %2, %3\n  return %4, %5\n}\n";
    compare(&text, 40);
}

#[test]
fn composites_and_variables_are_words() {
    let text = r#"module ir
struct $Pair {
  a: vec2
  b: [3 x i32]
}
var private @global: [4 x vec2]

fn @swizzle(%0: vec4, %1: i32) -> (vec3, f32, vec4) {
b0:
  %2 = extract_vector_component_multi[wxy] %0
  %3 = extract_vector_component_dynamic %0, %1
  %4 = insert_vector_component_dynamic %0, %3, %1
  return %2, %3, %4
}

fn @parts(%0: vec2, %1: i32, %2: i32) -> (i32, vec2, i32) {
b0:
  %3: [3 x i32] = construct_array %1, %2, 7
  %4: $Pair = construct_struct %0, %3
  %5 = extract_struct_field[1] %4
  %6 = extract_array_element %5, %2
  %7 = insert_array_element %5, %6, %1
  %8 = insert_struct_field[1] %4, %7
  %9 = extract_struct_field[0] %8
  %10 = extract_struct_field[1] %8
  %11 = extract_array_element %10, 2
  return %6, %9, %11
}

fn @halve(inout %0 x: *function vec2, out %1 y: *function i32, %2 z: i32) -> (i32) {
b0:
  %3 = load %0
  %4 = multiply %3, vec2{0.5, 0.5}
  store %0, %4
  %5 = access_vector_component[1] %0
  store %5, 3.0
  %6 = less_than %2, 3
  if %6 {
  then b1:
    store %1, 9
    return 1
  else b2:
    merge
  }
b3:
  store %1, %2
  return 2
}

fn @pass(%0: vec2, %1: i32) -> (i32, [3 x vec2], i32) {
b0:
  var @places: [3 x vec2]
  var @number: i32
  %2 = access_array_element @places, %1
  store %2, %0
  %3 = call @halve, %2, @number, %1
  %4 = call @halve, %2, @number, %3
  %5 = load @places
  %6 = load @number
  %7 = add %3, %4
  return %7, %5, %6
}

fn @variables(%0: i32, %1: i32, %2: vec2) -> (i32, vec2, $Pair) {
b0:
  var @pair: $Pair
  var @numbers: [5 x i32] = [5 x i32]{1, 2, 3, 4, 5}
  %3 = access_array_element @numbers, %0
  store %3, %1
  %4 = access_array_element @numbers, %1
  %5 = load %4
  %6 = access_struct_field[1] @pair
  %7 = access_array_element %6, %0
  store %7, %5
  %8 = access_struct_field[0] @pair
  %9 = access_vector_component_multi[yx] %8
  store %9, %2
  %10 = access_array_element @global, %0
  store %10, %2
  %11 = access_array_element @global, %1
  %12 = load %11
  %13 = load @pair
  %14 = prefix_increment @numbers.0
  return %5, %12, %13
}
"#;
    // (An increment needs a pointer to a number.)
    let text = text.replace(
        "  %14 = prefix_increment @numbers.0\n",
        "  %14 = access_array_element @numbers, %1\n  %15 = postfix_increment %14\n",
    );
    compare(&text, 200);
}

#[test]
fn conversions_and_constructors_give_the_same_bits() {
    let mut text = String::from("module ir\n");
    let scalars = ["bool", "i32", "u32", "i64", "u64", "f32", "f64"];
    for from in scalars {
        for to in scalars {
            text += &format!(
                "fn @{from}_to_{to}(%0: {from}) -> ({to}) {{\nb0:\n  %1: {to} = construct_scalar_from_scalar %0\n  return %1\n}}\n"
            );
        }
    }
    text += "fn @splat(%0: i32) -> (vec3) {\nb0:\n  %1: vec3 = construct_vector_from_scalar %0\n  return %1\n}\n";
    text += "fn @gather(%0: vec2, %1: ivec3) -> (vec4) {\nb0:\n  %2: vec4 = construct_vector_from_multiple %0, %1\n  return %2\n}\n";
    text +=
        "fn @diagonal(%0: f32) -> (mat3x2) {\nb0:\n  %1: mat3x2 = construct_matrix_from_scalar %0\n  return %1\n}\n";
    text +=
        "fn @resize(%0: mat2x3) -> (mat4x4) {\nb0:\n  %1: mat4x4 = construct_matrix_from_matrix %0\n  return %1\n}\n";
    compare(&text, 30);
}

#[test]
fn modules_without_functions_are_nothing() {
    let module = Module::default();
    assert!(check_module(&Reference, &module).is_ok());
}
