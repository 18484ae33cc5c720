//! Constant buffers keep the offsets of the source; buffers are addressed by bytes.

use planish_back_hlsl::{Options, ShaderModel};
use planish_ir::diagnostic::Code;
use planish_ir::module::Stage;

use crate::{compile, hlsl, try_write};

fn fragment(declarations: &str, value: &str) -> String {
    let text = format!(
        "#version 450\n{declarations}\nlayout(location = 0) out vec4 color;\nvoid main() {{ color = vec4({value}); }}"
    );
    hlsl(Stage::Fragment, &text, ShaderModel::V6_0).text
}

#[test]
fn members_keep_their_offsets() {
    // offsets of std140: 0, 4, 16, 32, 64 (an array of 2, to 96), 96, 112
    let text = fragment(
        "layout(std140, binding = 2) uniform Block { float a; float b; vec3 c; mat2 d; float e[2]; float f; bool g; } block;",
        "block.a + block.b + block.c.x + block.d[1].y + block.e[1] + block.f + float(block.g)",
    );
    for part in [
        "    float a;\n    float b;\n    float3 c;\n",
        "    row_major float2x2 d;\n",
        "    float e[2];\n",
        "    uint3 pad;\n    float f;\n    uint g;\n",
        "ConstantBuffer<Block> block : register(b2, space0);",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn structs_in_arrays_fill_their_stride() {
    let text = fragment(
        "struct Light { vec3 at; mat3 m; float x; };\nlayout(std140) uniform Block { Light lights[3]; float last; } block;",
        "block.lights[1].x + block.last",
    );
    // A struct ends with its last member, and the next begins with a register.
    assert!(text.contains("    float3 at;\n    row_major float3x3 m;\n"), "{text}");
    assert!(text.contains("    Light lights[3];\n"), "{text}");
}

#[test]
fn rows_and_columns() {
    let text = fragment(
        "layout(std140) uniform Block { layout(row_major) mat4x3 rows; mat4x3 columns; } block;",
        "(block.rows * vec4(1.0)).x + (block.columns * vec4(2.0)).x",
    );
    assert!(text.contains("column_major float4x3 rows;"), "{text}");
    assert!(text.contains("row_major float4x3 columns;"), "{text}");
    assert!(text.contains("mul(float4(1.0, 1.0, 1.0, 1.0), block.rows)"), "{text}");
}

#[test]
fn what_no_struct_describes_is_read_by_words() {
    let text = fragment(
        "#extension GL_EXT_scalar_block_layout : enable\nlayout(scalar) uniform Block { vec3 a; vec3 b; float c[5]; } block;",
        "block.b.z + block.c[1]",
    );
    assert!(text.contains("uint4 words[3];"), "{text}");
    assert!(text.contains("asfloat(block.words[1].y)"), "{text}");
    assert!(text.contains("asfloat(block.words[1].w)"), "{text}");
}

#[test]
fn storage_is_addressed_by_bytes() {
    let text = hlsl(
        Stage::Compute,
        "#version 450\nlayout(local_size_x = 8) in;\n\
         struct Item { vec3 at; float size; };\n\
         layout(std430, binding = 1) buffer Items { uint count; Item items[]; } data;\n\
         void main() {\n\
             uint i = gl_GlobalInvocationID.x;\n\
             data.items[i].at = data.items[i].at * 2.0;\n\
             data.items[i].size = float(data.items.length());\n\
             atomicAdd(data.count, 1u);\n\
         }",
        ShaderModel::V6_0,
    );
    for part in [
        "[numthreads(8, 1, 1)]",
        "RWByteAddressBuffer data : register(u1, space0);",
        " * 16u + 16u)) * 2.0));",
        "data.Store3(",
        " * 16u + 28u, asuint(",
        "data.InterlockedAdd(0u, 1u);",
        "(buffer_size(data) - 16u) / 16u",
    ] {
        assert!(text.text.contains(part), "{part}\n{}", text.text);
    }
}

/// A case ends in a `break`: without it, the stores of all further blocks would follow.
#[test]
fn a_computed_block_is_one_case() {
    let text = hlsl(
        Stage::Compute,
        "#version 450\nlayout(local_size_x = 8) in;\n\
         layout(std430, binding = 1) buffer Items { uint count; } data[3];\n\
         void main() { data[gl_GlobalInvocationID.x].count = 5u; }",
        ShaderModel::V6_0,
    )
    .text;
    for part in [
        "data_0.Store(0u, 5u);\n            break;\n        case 1u:",
        "data_1.Store(0u, 5u);\n            break;\n        default:",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// Numbers of 64 bits are two words of buffers; those of a constant buffer are words of it, too.
#[test]
fn numbers_of_64_bits_are_two_words() {
    let text = "#version 450\n#extension GL_ARB_gpu_shader_int64 : require\nlayout(local_size_x = 8) in;\n\
        layout(binding = 0, std140) uniform U { float pad; i64vec2 n; double d[2]; } u;\n\
        layout(binding = 1, std430) buffer B { int64_t x; u64vec3 y; dmat2 m; double z[]; } o;\n\
        shared int64_t part[8];\n\
        void main() { uint i = gl_LocalInvocationIndex; part[i] = u.n.y; barrier(); o.x = part[7u - i] + 1L; o.y.yz = u64vec2(o.y.x);\n\
        o.m[1] = o.m[0] * u.d[1]; o.z[i] = o.z[i + 1u] * 2.0LF; }";
    let text = hlsl(Stage::Compute, text, ShaderModel::V6_0).text;
    for part in [
        "groupshared int64_t part[8];",
        "long_of_words(u.words[1].zw)",
        "double_of_words(u.words[3].xy)",
        "o.Store2(0u, words_of_long(",
        "ulong_of_words(o.Load2(32u))",
        "o.Store2(40u, words_of_ulong(",
        "o.Store2(48u, words_of_ulong(",
        "double2(double_of_words(o.Load2(64u)), double_of_words(o.Load2(72u)))",
        "o.Store2(80u, words_of_double(",
        "o.Store2(i_was * 8u + 96u, words_of_double(",
        "uint2 words_of_double(double x) {",
        "return asdouble(words.x, words.y);",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

/// From shader model 6.2 on, where compilers are told so, they are numbers of their own.
#[test]
fn halves_are_loaded_and_stored_as_they_are() {
    let text = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n\
        #extension GL_EXT_shader_16bit_storage : require\nlayout(local_size_x = 8) in;\n\
        layout(binding = 1, std430) buffer B { float16_t x; f16vec3 y; float16_t z[]; } o;\n\
        void main() { uint i = gl_LocalInvocationIndex; o.x = o.y.z + 1.0hf; o.y.xy = f16vec2(o.z[i]); }";
    let model = ShaderModel::parse("6.2").expect("a model");
    let text = hlsl(Stage::Compute, text, model).text;
    for part in ["o.Store<float16_t>(0u, ", "o.Load<float16_t>(12u)", "o.Store<float16_t>(10u, ", "i_was * 2u + 14u"] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn what_no_word_of_a_constant_buffer_holds_is_an_error() {
    let head = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n\
        #extension GL_EXT_shader_16bit_storage : require\nlayout(location = 0) out vec4 color;\n";
    let model = ShaderModel::parse("6.2").expect("a model");
    for (declaration, value, part) in [
        ("layout(binding = 0) uniform U { float16_t x; } u;", "float(u.x)", "16-bit numbers in constant buffers"),
        ("layout(push_constant) uniform P { double x; } p;", "float(p.x)", "64-bit numbers in push constants"),
    ] {
        let module =
            compile(Stage::Fragment, &format!("{head}{declaration}\nvoid main() {{ color = vec4({value}); }}"));
        let options = Options { version: model, ..Options::default() };
        let errors = try_write(&module, &options).expect_err("it is not written");
        assert!(errors[0].code == Code::E0606 && errors[0].message.contains(part), "{errors:#?}");
        assert!(!errors[0].span.is_none());
    }
}

#[test]
fn integers_of_16_bits_are_their_own_from_shader_model_6_2_on() {
    let text = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\nlayout(local_size_x = 8) in;\n\
        layout(binding = 1, std430) buffer B { int16_t x; u16vec3 y; int16_t z[]; } o;\nshared int16_t part[8];\n\
        void main() { uint i = gl_LocalInvocationIndex; part[i] = o.z[i] * 3s + int16_t(o.y.x); barrier();\n\
        o.x = part[7u - i] << 2s; o.y.yz = o.y.xy ^ u16vec2(1us, 65535us); o.z[i] = float16BitsToInt16(float16_t(1.5)); }";
    let model = ShaderModel::parse("6.2").expect("a model");
    let text = hlsl(Stage::Compute, text, model).text;
    for part in [
        "groupshared int16_t part[8];",
        "o.Load<int16_t>(",
        " * int16_t(3)",
        "int16_t(o.Load<uint16_t>(8u))",
        "o.Store<int16_t>(0u, ",
        "o.Store<uint16_t>(10u, ",
        "uint16_t2(uint16_t(1), uint16_t(65535))",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
