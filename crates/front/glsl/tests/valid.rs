//! Shaders that an error of ours could refuse: each is valid, and its neighbours in `tests/invalid/semantics` are not.

use planish_front_glsl::{Options, compile};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

#[track_caller]
fn accepts(stage: Stage, text: &str) {
    let mut map = SourceMap::new();
    let file = map.add("valid", text).expect("small enough");
    let output = compile(&mut map, &file, &mut Options::new(stage));
    let errors: Vec<String> =
        output.diagnostics.iter().filter(|d| d.is_error()).map(|d| format!("{} {}", d.code, d.message)).collect();
    assert!(errors.is_empty(), "{errors:#?} in:\n{text}");
}

#[test]
fn arrays_get_their_length_later() {
    accepts(
        Stage::Vertex,
        "#version 120\nuniform int number;\nfloat steps[];\nvoid second() { steps[1] = 2.0; }\nfloat steps[4];\n\
         void main() { second(); gl_Position = vec4(steps[number], float(steps.length()), 0.0, 1.0); }",
    );
    accepts(
        Stage::Vertex,
        "#version 130\nuniform int number;\nout float gl_ClipDistance[3];\n\
         void main() { gl_ClipDistance[number] = 1.0; gl_Position = vec4(0.0); }",
    );
    accepts(
        Stage::Geometry,
        "#version 150\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\n\
         in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];\n\
         void main() { gl_Position = gl_in[0].gl_Position * gl_in[0].gl_ClipDistance[1]; EmitVertex(); }",
    );
}

#[test]
fn components_share_a_location() {
    accepts(
        Stage::Vertex,
        "#version 440\nlayout(location = 0) out vec3 way;\nlayout(location = 0, component = 3) out float far;\n\
         layout(location = 1, component = 2) out double deep;\nlayout(location = 1) out vec2 near;\n\
         layout(location = 2) out dvec3 wide;\nlayout(location = 4) out dvec2 last;\n\
         void main() { way = vec3(0.0); far = 0.0; deep = 0.0lf; near = vec2(0.0); wide = dvec3(0.0); \
         last = dvec2(0.0); gl_Position = vec4(0.0); }",
    );
    // As vertex inputs, vectors of three doubles take one location.
    accepts(
        Stage::Vertex,
        "#version 410\nlayout(location = 0) in dvec3 a;\nlayout(location = 1) in dvec4 b;\n\
         void main() { gl_Position = vec4(a, 1.0) + vec4(b); }",
    );
}

#[test]
fn early_versions_have_doubles_by_an_extension() {
    accepts(
        Stage::Fragment,
        "#version 150\n#extension GL_ARB_gpu_shader_fp64 : require\nuniform double deep;\nout vec4 color;\n\
         void main() { color = vec4(float(sqrt(deep + 0.5lf))); }",
    );
}

#[test]
fn integers_of_64_bits_have_functions() {
    for extension in ["GL_ARB_gpu_shader_int64", "GL_EXT_shader_explicit_arithmetic_types_int64"] {
        accepts(
            Stage::Fragment,
            &format!(
                "#version 450\n#extension {extension} : require\nuniform i64vec2 a, b;\nuniform uint64_t c;\n\
                 layout(location = 0) out vec4 color;\n\
                 void main() {{\n\
                 i64vec2 least = clamp(min(abs(a), b), sign(b), max(a, 3L));\n\
                 bvec2 less = lessThan(least, a);\n\
                 least = mix(least, a, less);\n\
                 ivec2 parts = unpackInt2x32(least.x);\n\
                 double d = int64BitsToDouble(packInt2x32(parts));\n\
                 color = vec4(any(equal(least, a)) ? 1.0 : 0.0, float(d), float(max(c, 2UL)), 1.0);\n}}"
            ),
        );
    }
}

#[test]
fn offsets_in_blocks_leave_gaps() {
    accepts(
        Stage::Vertex,
        "#version 440\nlayout(std140) uniform Light {\n    layout(offset = 8) vec2 near;\n    vec4 next;\n\
         layout(offset = 48, align = 64) float far;\n    layout(offset = 96) mat3 turn;\n};\n\
         void main() { gl_Position = vec4(near, far, 1.0) + next + vec4(turn[0], 0.0); }",
    );
}

#[test]
fn a_layout_is_said_twice() {
    accepts(
        Stage::Compute,
        "#version 450\nlayout(local_size_x = 4, local_size_x = 8) in;\nlayout(local_size_x = 8) in;\nvoid main() {}",
    );
    accepts(
        Stage::Vertex,
        "#version 440\nlayout(xfb_buffer = 1) out Light { layout(xfb_offset = 0) vec4 near; vec4 far; };\n\
         void main() { near = far = vec4(0.0); gl_Position = near; }",
    );
}

#[test]
fn blocks_of_two_storages_have_one_name() {
    accepts(
        Stage::Geometry,
        "#version 330\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\n\
         in Light { vec4 tint; } from[];\nout Light { vec4 tint; } to;\n\
         void main() { to.tint = from[0].tint; EmitVertex(); }",
    );
}

#[test]
fn a_declared_output_that_is_not_used_is_no_second_color() {
    accepts(Stage::Fragment, "#version 130\nout vec4 own;\nvoid main() { gl_FragColor = vec4(1.0); }");
}

#[test]
fn extensions_bring_what_later_versions_have() {
    accepts(
        Stage::Fragment,
        "#version 330\n#extension GL_ARB_shading_language_420pack : require\nuniform mat3x2 turn;\nout vec4 color;\n\
         void main() { float x = turn[0].x; color = x.xxxx * float(turn.length() + color.length()); }",
    );
    accepts(
        Stage::Fragment,
        "#version 330\nuniform float steps[] = float[](1.0, 2.0, 3.0);\nout vec4 color;\n\
         void main() { color = vec4(steps[2], float(steps.length()), 0.0, 1.0); }",
    );
    accepts(
        Stage::Fragment,
        "#version 420\nlayout(binding = 0, offset = 4) uniform atomic_uint counts[3];\nuniform int number;\n\
         out vec4 color;\nvoid main() { color = vec4(float(atomicCounterIncrement(counts[number]))); }",
    );
    accepts(
        Stage::Fragment,
        "#version 450\n#extension GL_EXT_shader_image_load_formatted : require\nlayout(binding = 0) uniform image2D picture;\n\
         layout(location = 0) out vec4 color;\nvoid main() { color = imageLoad(picture, ivec2(0)); }",
    );
}
