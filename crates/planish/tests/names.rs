//! Values keep the names of the variables that they replace: in optimized programs and in flat ones.

use planish::{Compiler, EmitOptions, Flattener, Optimizer, Target, emit};

const SOURCE: &str = "#version 300 es
precision highp float;
uniform float u;
uniform int n;
uniform vec3 tint;
out vec4 color;
void main() {
    float fog = exp(-u * 0.1);
    vec3 shade = tint;
    if (u > 2.0) shade *= fog;
    float sum = 0.0;
    for (int k = 0; k < 3 + int(u); k++) { float term = sin(sum + float(k)); sum += term * term; }
    float later = sqrt(sum);
    float copy = later;
    { float fog = cos(later); sum += fog * fog; }
    color = vec4(mix(vec3(0.5), shade, fog) * copy + shade * fog, sum);
}
";

fn glsl(source: &str, prepare: impl Fn(&mut planish::module::Module)) -> String {
    let mut module = Compiler::default().compile("names.frag", source).module.expect("it is valid");
    prepare(&mut module);
    let options = EmitOptions::default();
    let text = String::from_utf8(emit(&module, Target::Glsl, &options).expect("GLSL holds it").bytes).expect("is text");
    assert!(Compiler::default().compile("again.frag", &text).module.is_some(), "{text}");
    text
}

#[test]
fn promoted_variables_keep_their_names() {
    for level in ["2", "s"] {
        let text = glsl(SOURCE, |module| {
            Optimizer::level(level).expect("it is a level").run(module, &mut |_, _| {});
        });
        for declared in [
            "float fog = exp(",
            "vec3 shade",
            "float sum = 0.0",
            "int k = 0",
            "float term = sin(",
            "float fog_1 = cos(",
        ] {
            assert!(text.contains(declared), "-O{level}: no `{declared}` in\n{text}");
        }
        // Of two names the one that was assigned last.
        assert!(text.contains("float copy = sqrt(") && !text.contains("later"), "-O{level}:\n{text}");
    }
}

#[test]
fn flat_code_keeps_names() {
    let source = "#version 300 es\nprecision highp float;\nin vec2 at;\nout vec4 color;\nvoid main() {\n    vec2 p = at;\n    for (int i = 0; \
        i < 3; i++) {\n        p = abs(p) / dot(p, p) - 0.7;\n        if (length(p) > 2.0) { color = vec4(float(i)); return; }\n    }\n    \
        color = vec4(p, 0.0, 1.0);\n}\n";
    let text = glsl(source, |module| {
        let flattener = Flattener { entry_points: true, ..Flattener::default() };
        flattener.run(module, &mut |_, _| {}).expect("its loop has a bound");
    });
    for declared in ["vec2 p = ", "vec2 p_1 = "] {
        assert!(text.contains(declared), "no `{declared}` in\n{text}");
    }
}

/// For a debugger, values of SPIR-V have names too; others need not carry them.
#[test]
fn spirv_for_a_debugger_names_values() {
    let mut compiler = Compiler::default();
    let mut module = compiler.compile("names.frag", SOURCE).module.expect("it is valid");
    Optimizer::level("2").expect("it is a level").run(&mut module, &mut |_, _| {});
    let names = |options: &EmitOptions| {
        let bytes = emit(&module, Target::Spirv, options).expect("SPIR-V holds it").bytes;
        ["fog", "shade", "sum", "term", "copy"].map(|name| {
            let text: Vec<u8> = name.bytes().chain([0]).collect();
            bytes.windows(text.len()).any(|part| part == text)
        })
    };
    let debug = EmitOptions { debug_info: Some(compiler.map.clone()), ..EmitOptions::default() };
    assert_eq!(names(&debug), [true; 5]);
    assert_eq!(names(&EmitOptions::default()), [false; 5]);
}

/// Loop-carried values of VL's named `let` keep their names, in which characters that other languages do not allow are
/// `_`.
#[test]
fn what_loops_of_vl_carry_keeps_its_name() {
    let source = "(define (slow-sum so-far a-b a_b)
  (let go-on ((so-far (real so-far)) (a-b a-b) (a_b a_b))
    (if (<= a-b 0) (+ so-far a_b) (go-on (+ so-far (* a-b a_b)) (- a-b 1) (sin a_b)))))
(define (run x y) (+ (slow-sum 0 x y) (slow-sum 1 y x)))
(export run (real real))
";
    let mut module = Compiler::default().compile("names.vl", source).module.expect("it is valid");
    Optimizer::level("2").expect("it is a level").run(&mut module, &mut |_, _| {});
    for (target, told) in [
        (Target::Js, ["function go_on_R_R_R(so_far, a_b, a_b1)", "let so_far1 = so_far", "let a_b3 = a_b1"]),
        (
            Target::Wgsl,
            ["fn go_on_R_R_R(so_far: f32, a_b: f32, a_b_1: f32)", "var so_far_1 = so_far;", "a_b_3 = a_b_1;"],
        ),
        (
            Target::Msl,
            [
                "float go_on_R_R_R(float so_far, float a_b, float a_b_1)",
                "so_far += a_b * a_b_1;",
                "a_b_1 = sin(a_b_1);",
            ],
        ),
    ] {
        let text = emit(&module, target, &EmitOptions::default()).expect("each target holds it").bytes;
        let text = String::from_utf8(text).expect("is text");
        for told in told {
            assert!(text.contains(told), "no `{told}` in\n{text}");
        }
        assert!(!text.contains("u002d"), "{text}");
    }
}

/// No name of the user makes a back end search for ever: families of built-in functions take every number.
#[test]
fn names_of_families_of_built_in_functions_are_avoided() {
    let names =
        ["unpack_mix", "unpack_snorm", "simd_sum", "quad_sum", "atomic_add", "as_type", "M_PI", "M_", "pack_half_to_x"];
    let function = |name: &&str| format!("float {name}(float x) {{ return x * u + fract(x); }}\n");
    let functions: String = names.iter().map(function).collect();
    let calls: String = names.iter().map(|name| format!("    x += {name}(x);\n")).collect();
    let source = format!(
        "#version 300 es\nprecision highp float;\nuniform float u;\nout vec4 color;\n{functions}void main() {{\n    float x = u;\n{calls}    \
         color = vec4(x);\n}}\n"
    );
    let module = Compiler::default().compile("names.frag", source.as_str()).module.expect("it is valid");
    for target in [Target::Glsl, Target::Wgsl, Target::Msl, Target::Hlsl, Target::C, Target::Rust] {
        for minify in [false, true] {
            let options = EmitOptions { minify, prefix: "p".into(), ..EmitOptions::default() };
            let text = String::from_utf8(emit(&module, target, &options).expect("it holds it").bytes).expect("is text");
            assert!(minify || text.contains("unpack_mix"), "{text}");
        }
    }
    let msl = emit(&module, Target::Msl, &EmitOptions::default()).expect("it holds it").bytes;
    let msl = String::from_utf8(msl).expect("is text");
    for name in ["float t_simd_sum_1(", "float t_M_PI_1(", "float unpack_mix("] {
        assert!(msl.contains(name), "no `{name}` in\n{msl}");
    }
}

/// Metal's functions take the variables that they use: two of one name could otherwise be meant by one call.
#[test]
fn overloads_in_metal_take_the_same_variables() {
    let source = "#version 300 es\nprecision highp float;\nin float depth;\nuniform float scale;\nout vec4 color;\nfloat far = 1.0;\n\
        float at(float x) { far += 1.0; return x * scale; }\nfloat at() { return at(depth) + far * scale; }\n\
        float only(float x) { return x + scale; }\nfloat only(vec2 x) { return x.x + scale; }\n\
        void main() { color = vec4(at(), at(2.0), only(depth), only(vec2(depth))); }\n";
    let module = Compiler::default().compile("names.frag", source).module.expect("it is valid");
    let text = |target| {
        let written = emit(&module, target, &EmitOptions::default()).expect("it holds it").bytes;
        String::from_utf8(written).expect("is text")
    };
    let msl = text(Target::Msl);
    let definitions =
        |text: &str, name: &str| text.lines().filter(|line| line.starts_with(&format!("float {name}("))).count();
    assert_eq!([definitions(&msl, "at"), definitions(&msl, "at_1"), definitions(&msl, "only")], [1, 1, 2], "{msl}");
    let hlsl = text(Target::Hlsl);
    assert_eq!([definitions(&hlsl, "at"), definitions(&hlsl, "only")], [2, 2], "{hlsl}");
}

/// The result of an entry point is no struct of the program, though it has the same members.
#[test]
fn a_struct_of_the_program_keeps_its_clip_distances_as_a_value() {
    let source = "enable clip_distances;\nstruct VertexOutput {\n  @location(0) shade: f32,\n  @builtin(position) position: vec4f,\n\
        @builtin(clip_distances) clip_distance: array<f32, 2>,\n}\n\
        @vertex fn main(@location(0) at: vec4f) -> VertexOutput {\n  var out: VertexOutput;\n  out.shade = at.x;\n\
        out.position = at;\n  out.clip_distance[0] = at.y;\n  return out;\n}\n";
    let module = Compiler::default().compile("vertex.wgsl", source).module.expect("it is valid");
    let written = emit(&module, Target::Msl, &EmitOptions::default()).expect("MSL holds it").bytes;
    let text = String::from_utf8(written).expect("is text");
    for part in ["    array<float, 2> clip_distance;\n};", "    float clip_distance [[clip_distance]] [2];\n};"] {
        assert_eq!(text.matches(part).count(), 1, "{part}\n{text}");
    }
}
