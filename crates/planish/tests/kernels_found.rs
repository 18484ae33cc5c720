//! Faults that random compute shaders have found, each alone.

use planish::eval::shade::{Compute, DrawOptions};
use planish::{EmitOptions, ShaderModel, Target, Version, emit};

use crate::common::compile;
use crate::lanes_stages;

const TYPES: &str = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

/// The error of a target for a shader, as code and message.
fn refused_alone(source: &str, target: Target) -> (String, String) {
    let module = compile("a.comp", format!("{TYPES}{source}")).unwrap_or_else(|e| panic!("{e}"));
    let errors = emit(&module, target, &EmitOptions::default()).expect_err("it cannot be written");
    (errors[0].code.0.to_owned(), format!("{}; {}", errors[0].message, errors[0].help.join("; ")))
}

/// As [`refused_alone`], with help.
fn refused(source: &str, target: Target) -> (String, String) {
    let (code, message) = refused_alone(source, target);
    let (message, help) = message.split_once("; ").expect("two parts");
    assert!(!help.is_empty(), "{message}");
    (code, message.to_owned())
}

/// A column of a matrix by rows is as many numbers as there are lanes, but they do not follow each other.
#[test]
fn columns_of_matrices_by_rows_on_lanes_lie_apart() {
    let source = "#version 450\nlayout(local_size_x = 6) in;\n\
        layout(std430, binding = 0, row_major) buffer B { mat3x4 a[6]; dmat2x4 d; uint data[6]; } b;\n\
        void main() {\n  uint i = gl_LocalInvocationIndex;\n  vec4 whole = b.a[i][i % 3u];\n\
        b.a[i][(i + 1u) % 3u] = whole.wzyx + 1.0;\n  b.a[i][2] *= 2.0;\n\
        b.data[i] = floatBitsToUint(b.a[i][0].zx.x) + uint(b.d[i & 1u].z);\n}\n";
    lanes_stages::compare("columns", source, [1, 1, 1]).expect("it can be widened");
}

/// Each row of two halves lies in a struct that fills 16 bytes.
#[test]
fn columns_of_halves_by_rows_are_written_to_wgsl() {
    let source = format!(
        "{TYPES}layout(std140, row_major, binding = 0) buffer B {{ f16mat3x2 m; f16vec2 v; int i; }} b;\n\
         void main() {{ b.v = b.m[b.i & 1]; b.m[2] = b.v.yx; b.m[b.i & 1].y += b.m[0][b.i & 1]; }}\n"
    );
    let module = compile("a.comp", source).unwrap_or_else(|e| panic!("{e}"));
    let output = emit(&module, Target::Wgsl, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    let again = compile("again.wgsl", &output.bytes);
    let again = again.unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&output.bytes)));
    // 2 rows every 16 bytes, a vector, a number.
    let (mut bytes, one) = (vec![0u8; 40], 0x3c00u16.to_le_bytes());
    bytes[2..4].copy_from_slice(&one);
    bytes[36] = 1;
    let [found, expected] = [&again, &module].map(|module| {
        let mut compute = Compute::new(module, &DrawOptions::default()).expect("a compute shader");
        let buffer = compute.buffer("b").expect("it is there");
        assert!(compute.set_buffer(buffer, &bytes));
        compute.dispatch([1; 3]).expect("it ends");
        compute.buffer_bytes(buffer, bytes.len()).expect("numbers")
    });
    assert_eq!(found, expected);
    assert_eq!(expected[32..34], one, "{expected:?}");
}

/// The struct of the value, which lies otherwise in memory, is declared although no variable is of it.
#[test]
fn a_struct_that_is_only_copied_in_memory_is_declared_in_wgsl() {
    let source = format!(
        "{TYPES}struct S {{ f16mat3 m; bool b; }};\nlayout(std140, binding = 0) buffer B {{ S s; S t[2]; }} b;\n\
         void main() {{ b.s = b.s; b.t[1] = b.t[0]; }}\n"
    );
    let module = compile("a.comp", source).unwrap_or_else(|e| panic!("{e}"));
    let output = emit(&module, Target::Wgsl, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    compile("again.wgsl", &output.bytes).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&output.bytes)));
}

/// An element of an array in a constant buffer begins every 16 bytes: other arrays are read word by word, where that can be.
#[test]
fn arrays_of_structs_that_registers_cannot_hold_are_read_by_words_in_hlsl() {
    let source = |place: &str, members: &str| {
        format!(
            "#extension GL_EXT_scalar_block_layout : require\nstruct S {{ {members} }};\n\
             layout(scalar, {place}) uniform U {{ S a[3]; }} u;\nlayout(binding = 1) buffer O {{ float x; int i; }} o;\n\
             void main() {{ o.x = u.a[o.i].last; }}\n"
        )
    };
    for members in ["vec4 m; float last;", "float last;"] {
        let module = compile("a.comp", format!("{TYPES}{}", source("binding = 0", members))).expect("valid");
        let output = emit(&module, Target::Hlsl, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
        let text = String::from_utf8(output).expect("text");
        assert!(text.contains("uint4 words[") && !text.contains("S a[3]"), "{text}");
        let (code, _) = refused_alone(&source("push_constant", members), Target::Hlsl);
        assert_eq!(code, "E0606");
    }
}

/// `x = op()`, where the operation has no operand that `x op= y` could be made of.
#[test]
fn an_operation_without_operands_is_assigned() {
    let source = "#version 450\n#extension GL_KHR_shader_subgroup_basic : require\nlayout(local_size_x = 4) in;\n\
        layout(binding = 0) buffer B { uint x; int i; } b;\n\
        void main() { bool v[2] = bool[](false, false); v[b.i & 1] = subgroupElect(); b.x = uint(v[0]); }\n";
    let module = compile("a.comp", source).unwrap_or_else(|e| panic!("{e}"));
    for target in [Target::Wgsl, Target::Msl, Target::Hlsl, Target::Glsl] {
        let options =
            EmitOptions { shader_model: ShaderModel::parse("6.0").expect("a model"), ..EmitOptions::default() };
        emit(&module, target, &options).unwrap_or_else(|e| panic!("{target:?}: {e:#?}"));
    }
}

/// In uniform memory, arrays and structs begin every 16 bytes.
#[test]
fn uniform_blocks_that_wgsl_cannot_place_are_refused() {
    let main = "layout(binding = 1) buffer O { float x; } o;\nvoid main() { o.x = u.last; }\n";
    let uniform = |layout: &str, members: &str| {
        format!(
            "struct S {{ float m; }};\nlayout({layout}, binding = 0) uniform U {{ {members} float last; }} u;\n{main}"
        )
    };
    for (members, part) in [
        ("float a[4];", "an array with an element every 4 bytes"),
        ("S s;", "the member `last`"),
        ("float first; S s;", "the member `s`"),
        ("vec2 a[3][2];", "an array with an element every 8 bytes"),
    ] {
        let (code, message) = refused(&uniform("std430", members), Target::Wgsl);
        assert!(code == "E0606" && message.contains(part), "{members}: {code}: {message}");
        let (code, message) = refused(&uniform("std430", members), Target::SpirvNaga);
        assert!(code == "E0606" && message.contains("a part of this uniform block"), "{members}: {code}: {message}");
        let module = compile("a.comp", format!("{TYPES}{}", uniform("std140", members))).expect("valid");
        let output = emit(&module, Target::Wgsl, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"));
        compile("again.wgsl", &output.bytes).unwrap_or_else(|e| panic!("{members}: {e}"));
    }
}

#[test]
fn push_constants_that_wgsl_cannot_hold_are_refused() {
    let source = |members: &str| {
        format!(
            "layout(push_constant) uniform P {{ {members} float last; }} p;\nlayout(binding = 1) buffer O {{ float x; }} o;\n\
             void main() {{ o.x = p.last; }}\n"
        )
    };
    let (code, message) = refused(&source("float16_t h;"), Target::Wgsl);
    assert_eq!((&*code, &*message), ("E0602", "WGSL has no 16-bit floats in push constants"));
    for target in [Target::Wgsl, Target::SpirvNaga] {
        let (code, message) = refused(&source("vec4 a[16];"), target);
        assert!(code == "E0606" && message.contains("256 bytes of push constants"), "{code}: {message}");
    }
    let errors = compile(
        "a.wgsl",
        "var<immediate> p: array<vec4f, 17>;\n@compute @workgroup_size(1) fn main() { let x = p[16]; }\n",
    );
    let errors = errors.expect_err("it is too large");
    assert!(errors.contains("E0707") && errors.contains("272 bytes"), "{errors}");
}

/// A type that only a vector of one number has.
#[test]
fn a_vector_of_halves_between_integers_has_an_extension_in_glsl() {
    let source = format!(
        "{TYPES}layout(binding = 0) buffer B {{ uint n; ivec4 v; }} b;\nvoid main() {{ b.v = ivec4(f16vec4(b.n)); }}\n"
    );
    let module = compile("a.comp", source).expect("valid");
    let options = EmitOptions { version: Some(Version::desktop(450)), ..EmitOptions::default() };
    let output = emit(&module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
    compile("again.comp", &output).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&output)));
}

/// Functions of integers of 64 bits: `GL_ARB_gpu_shader_int64` has them, and GLSL that is written here has their names.
#[test]
fn integers_of_64_bits_have_functions() {
    let source = "#version 450\n#extension GL_ARB_gpu_shader_int64 : require\n\
        layout(std430, binding = 0) buffer B { int64_t x, y; int64_t out_[6]; uvec4 flags; } b;\nvoid main() {\n\
        i64vec2 v = i64vec2(b.x, b.y);\n  b.out_[0] = min(b.x, b.y);\n  b.out_[1] = max(v, b.y).x;\n\
        b.out_[2] = abs(b.x) + sign(b.x);\n  b.out_[3] = clamp(b.x, -5l, 5l);\n\
        b.out_[4] = mix(v, v.yx, lessThan(v, v.yx)).y;\n  b.out_[5] = int64_t(min(uint64_t(b.x), uint64_t(b.y)));\n\
        b.flags = uvec4(uvec2(equal(v, v)), uvec2(greaterThanEqual(u64vec2(v), u64vec2(v.yx))));\n}\n";
    let module = compile("a.comp", source).unwrap_or_else(|e| panic!("{e}"));
    let options = EmitOptions { version: Some(Version::desktop(450)), ..EmitOptions::default() };
    let output = emit(&module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
    let again = compile("again.comp", &output);
    let again = again.unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&output)));
    for module in [module, again] {
        let mut compute = Compute::new(&module, &DrawOptions::default()).expect("a compute shader");
        let buffer = compute.buffer("b").expect("it is there");
        let (x, y) = (-(1i64 << 40), 3i64);
        let mut bytes = [x.to_le_bytes(), y.to_le_bytes()].concat();
        bytes.resize(80, 0);
        assert!(compute.set_buffer(buffer, &bytes));
        compute.dispatch([1; 3]).expect("it ends");
        let bytes = compute.buffer_bytes(buffer, 80).expect("numbers");
        let found: Vec<i64> =
            bytes[16..64].chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().expect("eight"))).collect();
        assert_eq!(found, [x, y, -x - 1, -5, y, y]);
        let flags: Vec<u8> = bytes[64..].iter().copied().step_by(4).collect();
        assert_eq!(flags, [1, 1, 1, 0]);
    }
}
