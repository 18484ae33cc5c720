//! Registers, semantics and constructs of the shader models.

use planish_back_hlsl::{Bound, Options, Register, ShaderModel, registers};
use planish_ir::diagnostic::Code;
use planish_ir::module::Stage;

use crate::{compile, hlsl, try_write};

const RESOURCES: &str = "#version 450\n\
    layout(set = 2, binding = 7) uniform Camera { vec4 eye; } camera;\n\
    layout(set = 0, binding = 3) uniform sampler2D albedo;\n\
    layout(set = 1, binding = 1) uniform sampler2DShadow shadow;\n\
    layout(location = 0) in vec2 uv;\n\
    layout(location = 0) out vec4 color;\n\
    void main() { color = texture(albedo, uv) * camera.eye * texture(shadow, vec3(uv, 0.5)); }";

#[test]
fn registers_are_bindings_and_groups() {
    let output = hlsl(Stage::Fragment, RESOURCES, ShaderModel::V6_0);
    let find = |name: &str| output.registers.iter().find(|r| r.name == name).map(|r| r.register);
    assert_eq!(find("camera"), Some(Register { class: 'b', number: 7, space: Some(2) }));
    assert_eq!(find("albedo"), Some(Register { class: 't', number: 3, space: Some(0) }));
    assert_eq!(find("shadow").map(|r| r.space), Some(Some(1)));
    for part in [
        "ConstantBuffer<Camera> camera : register(b7, space2);",
        "Texture2D<float4> albedo : register(t3, space0);",
        "SamplerComparisonState shadow_sampler : register(s",
        "albedo.Sample(albedo_sampler, uv)",
        "shadow.SampleCmp(shadow_sampler, ",
    ] {
        assert!(output.text.contains(part), "{part}\n{}", output.text);
    }
}

/// The host may ask for the registers alone; they are those of the text.
#[test]
fn registers_are_known_without_the_text() {
    let dispatch = "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 1, binding = 4) buffer B { uint x[]; } b;\n\
        layout(set = 1, binding = 5, rgba8) uniform image2D target;\n\
        void main() { b.x[gl_GlobalInvocationID.x] = gl_NumWorkGroups.x; imageStore(target, ivec2(0), vec4(1.0)); }";
    for (stage, source) in [(Stage::Fragment, RESOURCES), (Stage::Compute, dispatch)] {
        for version in [ShaderModel::V5_0, ShaderModel::V6_0] {
            let options = Options { version, ..Options::default() };
            let output = hlsl(stage, source, version);
            assert_eq!(registers(&compile(stage, source), &options).expect("is planned"), output.registers);
            for Bound { name, register, .. } in &output.registers {
                assert!(output.text.contains(&register.to_string()), "{name}: {register}\n{}", output.text);
            }
        }
    }
    let all = hlsl(Stage::Compute, dispatch, ShaderModel::V6_0).registers;
    let bound = |name: &str, binding, class, number, space| Bound {
        name: name.into(),
        binding,
        register: Register { class, number, space: Some(space) },
    };
    let expected = [
        bound("b", Some((1, 4)), 'u', 4, 1),
        bound("target", Some((1, 5)), 'u', 5, 1),
        bound("num_work_groups", None, 'b', 0, 0),
    ];
    assert_eq!(all, expected);
}

#[test]
fn the_first_version_has_no_spaces() {
    let output = hlsl(Stage::Fragment, RESOURCES, ShaderModel::V5_0);
    for part in [
        "cbuffer camera_buffer : register(b0) { Camera camera; };",
        "albedo : register(t0);",
        "shadow : register(t1);",
        "albedo_sampler : register(s0);",
        "shadow_sampler : register(s1);",
    ] {
        assert!(output.text.contains(part), "{part}\n{}", output.text);
    }
    assert!(!output.text.contains("space"), "{}", output.text);
}

#[test]
fn what_is_called_before_it_is_defined_has_a_prototype() {
    let source = include_str!("../../../front/glsl/tests/accept/initializers_behind_main.frag");
    let text = hlsl(Stage::Fragment, source, ShaderModel::V6_0).text;
    assert!(text.find("void initialize();").is_some_and(|at| at < text.find("main(").unwrap_or(0)), "{text}");
}

#[test]
fn versions_have_names() {
    assert_eq!(ShaderModel::parse("5.1"), Some(ShaderModel::V5_1));
    assert_eq!(ShaderModel::parse("60"), Some(ShaderModel::V6_0));
    assert_eq!(ShaderModel::parse("4.0"), None);
    assert_eq!(ShaderModel::parse("6.7"), None);
    assert!(ShaderModel::ALL.is_sorted());
}

#[test]
fn stages_match_by_semantics() {
    let vertex = hlsl(
        Stage::Vertex,
        "#version 450\nlayout(location = 2) in vec3 at;\nlayout(location = 1) flat out int id;\n\
         layout(location = 0) out vec2 uv;\n\
         void main() { gl_Position = vec4(at, 1.0); uv = at.xy; id = gl_VertexIndex; }",
        ShaderModel::V6_0,
    );
    for part in [
        "float2 uv : TEXCOORD0;\n    nointerpolation int id : TEXCOORD1;\n    float4 position : SV_Position;",
        "float3 at : TEXCOORD2",
        ": SV_VertexID",
    ] {
        assert!(vertex.text.contains(part), "{part}\n{}", vertex.text);
    }
}

#[test]
fn the_position_of_a_fragment_has_the_inverse_w() {
    let shader = |value: &str| {
        let text = format!("#version 450\nlayout(location = 0) out vec4 color;\nvoid main() {{ color = {value}; }}");
        hlsl(Stage::Fragment, &text, ShaderModel::V6_0).text
    };
    assert!(shader("vec4(gl_FragCoord.w)").contains("1.0 / "), "{}", shader("vec4(gl_FragCoord.w)"));
    assert!(!shader("vec4(gl_FragCoord.xy, 0.0, 1.0)").contains("/ "));
}

#[test]
fn what_a_version_lacks_is_an_error_with_a_place() {
    let text = "#version 450\n#extension GL_ARB_gpu_shader_int64 : enable\nlayout(location = 0) out vec4 color;\n\
                layout(location = 0) flat in ivec2 n;\n\
                void main() { int64_t wide = int64_t(n.x); color = vec4(float(wide * wide)); }";
    let module = compile(Stage::Fragment, text);
    let errors = try_write(&module, &Options { version: ShaderModel::V5_1, ..Options::default() }).expect_err("5.1");
    assert!(errors.iter().any(|e| e.code == Code::E0602 && !e.span.is_none()), "{errors:#?}");
    assert!(try_write(&module, &Options::default()).expect("6.0").text.contains("int64_t"));
}

#[test]
fn words_of_the_language_are_no_names() {
    let text = hlsl(
        Stage::Fragment,
        "#version 450\nlayout(location = 0) out vec4 color;\nlayout(location = 0) in float lerp;\n\
         float float3(float cbuffer) { float register = cbuffer * 2.0; return sin(register) * register; }\n\
         void main() { color = vec4(mix(float3(lerp), 1.0, lerp)); }",
        ShaderModel::V6_0,
    )
    .text;
    for word in ["float float3(", "float cbuffer", "float register", "float lerp"] {
        assert!(!text.contains(&format!("{word} ")) && !text.contains(&format!("{word})")), "{word}\n{text}");
    }
}
