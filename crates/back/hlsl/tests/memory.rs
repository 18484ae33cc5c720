//! Constant buffers keep the offsets of the source; buffers are addressed by bytes.

use planish_back_hlsl::ShaderModel;
use planish_ir::module::Stage;

use crate::hlsl;

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
