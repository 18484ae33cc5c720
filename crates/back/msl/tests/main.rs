//! MSL out: texts of a few shaders, layouts, numbers of what the host binds, versions and names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planish_back_msl::{Argument, Options, Output, ShadingOptions, Table, Version, arguments, info, write};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_opt::{Context, legalize, pipeline, run_passes};

/// A shader in GLSL, optimized.
fn module(stage: Stage, text: &str) -> Module {
    let mut map = SourceMap::new();
    let file = map.add("shader.glsl", text).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(stage));
    let mut module = output.module.unwrap_or_else(|| panic!("{:#?}\n{text}", output.diagnostics));
    let passes = pipeline("1").expect("a level");
    run_passes(&mut module, &passes, &mut Context::default(), &mut |_, _| {});
    module
}

fn written(mut module: Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    legalize::run(&mut module, &info(), &mut Context::default())?;
    write(&module, options)
}

fn text(stage: Stage, source: &str) -> String {
    let output = written(module(stage, source), &Options::default());
    output.unwrap_or_else(|errors| panic!("{errors:#?}\n{source}")).text
}

fn errors(stage: Stage, source: &str, version: Version) -> Vec<String> {
    let options = Options { version, ..Options::default() };
    match written(module(stage, source), &options) {
        Ok(_) => vec![],
        Err(errors) => errors.into_iter().map(|e| e.message).collect(),
    }
}

fn cases() -> Vec<(Stage, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    ["lit.vert", "lit.frag", "sums.comp"]
        .map(|name| {
            let stage = match name.rsplit('.').next() {
                Some("vert") => Stage::Vertex,
                Some("comp") => Stage::Compute,
                _ => Stage::Fragment,
            };
            (stage, folder.join(name))
        })
        .to_vec()
}

/// Each case is the text beside it; `BLESS=1` rewrites that.
#[test]
fn shaders_look_as_people_write_them() {
    for (stage, path) in cases() {
        let source = std::fs::read_to_string(&path).expect("a case");
        let got = text(stage, &source);
        let beside = path.with_extension(format!("{}.metal", path.extension().expect("one").to_string_lossy()));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&beside, &got).expect("writable");
        }
        let want = std::fs::read_to_string(&beside).unwrap_or_default();
        assert_eq!(got, want, "{}", path.display());
    }
}

/// Minified text has the same attributes in the same order, and is shorter.
#[test]
fn minified_text_is_shorter_and_binds_the_same() {
    for (stage, path) in cases() {
        let module = module(stage, &std::fs::read_to_string(&path).expect("a case"));
        let shading = ShadingOptions { minify: true, ..ShadingOptions::default() };
        let short = written(module.clone(), &Options { shading, ..Options::default() }).expect("it is written");
        let long = written(module, &Options::default()).expect("it is written");
        assert_eq!(short.arguments, long.arguments);
        assert!(short.text.len() < long.text.len(), "{}\n{}", short.text, long.text);
        let attributes = |text: &str| -> Vec<String> {
            text.split("[[").skip(1).filter_map(|s| s.split("]]").next()).map(|s| s.replace(' ', "")).collect()
        };
        assert_eq!(attributes(&short.text), attributes(&long.text));
    }
}

/// Offsets of the source, in the types of Metal.
#[test]
fn memory_of_the_host_keeps_its_layout() {
    let block = |members: &str, use_: &str| {
        let source = format!(
            "#version 450\nlayout(location = 0) out vec4 o;\nlayout(binding = 0) uniform B {{ {members} }} b;\n\
             void main() {{ o = vec4({use_}); }}"
        );
        text(Stage::Fragment, &source)
    };
    let has = |text: &str, parts: &[&str]| {
        let missing: Vec<&&str> = parts.iter().filter(|p| !text.contains(**p)).collect();
        assert!(missing.is_empty(), "no {missing:?} in\n{text}");
    };
    // A float in the fourth place of a vector; a pad before a vector.
    has(&block("vec3 a; float f; vec3 c;", "b.a.x + b.f + b.c.y"), &["packed_float3 a;", "float f;", "float3 c;"]);
    has(&block("float f; vec3 c;", "b.f + b.c.x"), &["float f;", "float3 c;"]);
    has(
        &block("float f; layout(offset = 48) vec4 c;", "b.f + b.c.x"),
        &["float f;\n    char pad_1[44];\n    float4 c;"],
    );
    // Strides of 16 bytes.
    has(
        &block("float f[3]; mat2 m; vec3 v[2];", "b.f[1] + b.m[0].x + b.v[1].x"),
        &["array<float4, 3> f;", "array<float4, 2> m;", "array<float3, 2> v;"],
    );
    // Booleans are words, rows are columns of an array.
    has(&block("bool on; layout(row_major) mat3 m;", "b.on ? b.m[1].x : 0.0"), &["uint on;", "array<float3, 3> m;"]);
}

#[test]
fn resources_are_numbered_by_kind_or_as_chosen() {
    let source = "#version 450\nlayout(set = 2, binding = 5) uniform sampler2D a;\nuniform sampler2D b;\nuniform float scale;\n\
        layout(binding = 1) uniform Block { float x; } block;\nlayout(location = 0) out vec4 o;\n\
        void main() { o = (texture(a, vec2(0)) + texture(b, vec2(1))) * scale * block.x; }";
    let source = source.replace("uniform float scale;", "layout(push_constant) uniform Push { float scale; };");
    let module = module(Stage::Fragment, &source);
    let indices: BTreeMap<String, u32> = [("b".to_owned(), 0), ("block".to_owned(), 7)].into();
    let options = Options { indices, ..Options::default() };
    let output = written(module.clone(), &options).expect("it is written");
    for part in
        ["a [[texture(1)]]", "a_sampler [[sampler(0)]]", "b [[texture(0)]]", "block [[buffer(7)]]", "[[buffer(0)]]"]
    {
        assert!(output.text.contains(part), "no {part} in\n{}", output.text);
    }
    let a = Argument { name: "a".into(), binding: Some((2, 5)), table: Table::Texture, index: 1, buffer: None };
    assert!(output.arguments.contains(&a), "{:?}", output.arguments);
    assert_eq!(arguments(&module, &options).expect("it is planned"), output.arguments);
}

#[test]
fn a_version_that_lacks_a_construct_says_so() {
    let lacks = |stage, source: &str, version, part: &str| {
        let errors = errors(stage, source, version);
        assert!(errors.iter().any(|e| e.contains(part)), "{errors:?}\n{source}");
    };
    let primitive = "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_PrimitiveID); }";
    lacks(Stage::Fragment, primitive, Version::V2_1, "MSL 2.1 has no `gl_PrimitiveID`");
    assert!(errors(Stage::Fragment, primitive, Version::V2_2).is_empty());
    let buffer = "#version 450\nlayout(location = 0) out vec4 o;\nuniform samplerBuffer b;\n\
        void main() { o = texelFetch(b, 3); }";
    lacks(Stage::Fragment, buffer, Version::V2_0, "`texture_buffer` is of MSL 2.1");
    assert!(errors(Stage::Fragment, buffer, Version::V2_1).is_empty());
    let fence = "#version 450\nlayout(local_size_x = 1) in;\nbuffer B { int x; int y; } b;\n\
        void main() { b.x = 1; memoryBarrier(); b.y = 2; }";
    lacks(Stage::Compute, fence, Version::V3_1, "MSL 3.2 has");
    assert!(errors(Stage::Compute, fence, Version::V3_2).is_empty());
}

#[test]
fn a_count_of_bits_is_signed() {
    let source = "#version 450\nlayout(location = 0) flat in uvec2 x;\nlayout(location = 0) out vec4 color;\n\
        void main() { color = bitCount(x.x) - 5 < 0 ? vec4(bitCount(x), 0.0, 1.0) : vec4(1.0); }";
    let text = text(Stage::Fragment, source);
    assert!(text.contains("int(popcount(") && text.contains("int2(popcount("), "{text}");
}

#[test]
fn words_of_metal_are_no_names() {
    let source = "#version 450\nlayout(location = 0) out vec4 kernel;\nlayout(location = 0) in float constant;\n\
        float half_of(float device) { return device * 0.5; }\n\
        void main() { float texture2d = half_of(constant); kernel = vec4(texture2d * texture2d + sin(texture2d)); }";
    let text = text(Stage::Fragment, source);
    for word in ["kernel ", "constant ", "float device)", " texture2d"] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
    assert!(text.contains("fragment float4 fragment_main("), "{text}");
}

/// Signed sums wrap, counters of loops do not need to; divisors and indices are in range.
#[test]
fn arithmetic_is_total() {
    let source = "#version 450\nlayout(location = 0) out vec4 o;\nlayout(location = 0) flat in ivec2 v;\n\
        layout(binding = 0) uniform B { float a[4]; int n; } b;\n\
        void main() { int s = v.x + v.y; for (int i = 0; i < b.n; i++) s ^= i * v.x / v.y;\n\
        o = vec4(b.a[v.x], s, 0, 0); }";
    let text = text(Stage::Fragment, source);
    assert!(text.contains("int(uint(in.v.x) + uint(in.v.y))"), "{text}");
    assert!(text.contains("i++"), "{text}");
    assert!(text.contains("[min(uint(in.v.x), 3u)]"), "{text}");
}

#[test]
fn atomics_on_images_are_methods_of_metal_3_1() {
    let source = "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0, r32ui) uniform uimage2D a;\n\
        layout(binding = 1, r32i) uniform iimage2DArray b;\nlayout(binding = 2) buffer B { uint x; int y; } o;\n\
        void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy);\n\
        imageAtomicAdd(a, p, 3u);\no.x = imageAtomicMax(a, p, 5u) + imageAtomicCompSwap(a, p + 1, 1u, 7u);\n\
        o.y = imageAtomicExchange(b, ivec3(p, 2), -4); }";
    let lacking = errors(Stage::Compute, source, Version::V3_0);
    let part = "MSL 3.0 has no `image_atomic_add`; MSL 3.1 has (`--msl-version=3.1`)";
    assert!(lacking.iter().any(|e| e == part), "{lacking:?}");
    let options = Options { version: Version::V3_1, ..Options::default() };
    let text = written(module(Stage::Compute, source), &options).expect("3.1 has them").text;
    for part in [
        "texture2d<uint, access::read_write> a",
        "texture2d_array<int, access::read_write> b",
        "a.atomic_fetch_add(uint2(p), uint4(3u));",
        "a.atomic_fetch_max(uint2(p), uint4(5u)).x",
        "&before, uint4(7u)) && before.x == 1u",
        "b.atomic_exchange(uint2(",
        ", int4(-4)).x",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    // There are none of floats.
    let floats = "#version 450\nlayout(local_size_x = 8) in;\n\
        layout(binding = 0, r32f) uniform image2D a;\nvoid main() { imageAtomicExchange(a, ivec2(0), 1.0); }";
    let lacking = errors(Stage::Compute, floats, Version::V3_2);
    assert!(lacking.iter().any(|e| e.contains("has no `image_atomic_exchange` of")), "{lacking:?}");
}

#[test]
fn clip_distances_are_an_array_of_the_result() {
    let source = "#version 450\nlayout(location = 0) in vec4 at;\nlayout(location = 0) out float shade;\n\
        out float gl_ClipDistance[2];\nvoid main() { gl_Position = at; shade = at.x;\n\
        for (int i = 0; i < 2; i++) gl_ClipDistance[i] = at[i] - 0.5; if (at.z > 0.5) gl_ClipDistance[1] = 1.0; }";
    let text = text(Stage::Vertex, source);
    for part in ["float clip_distance [[clip_distance]] [2];", "clip_distance[0], clip_distance[1], position}"] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let fragment = "#version 450\nlayout(location = 0) out vec4 o;\nin float gl_ClipDistance[1];\n\
        void main() { o = vec4(gl_ClipDistance[0]); }";
    let lacking = errors(Stage::Fragment, fragment, Version::V3_2);
    assert!(lacking.iter().any(|e| e.contains("no `gl_ClipDistance` in the fragment stage")), "{lacking:?}");
}

const WIDE: &str = "#version 450\n#extension GL_ARB_gpu_shader_int64 : require\nlayout(local_size_x = 8) in;\n\
    layout(binding = 0, std140) uniform U { i64vec3 a; uint64_t b[2]; } u;\n\
    layout(binding = 1, std430) buffer B { int64_t x; u64vec2 y; float f[]; } o;\n\
    void main() { int64_t n = u.a.x * int64_t(gl_LocalInvocationIndex) - 5L;\n\
    o.x = n / (u.a.y | 3L) + (u.a.z << 3); o.y = u64vec2(n, u.b[1]) + 0xffffffffffffffffUL; }";

#[test]
fn integers_of_64_bits_are_of_metal_2_3() {
    let lacking = errors(Stage::Compute, WIDE, Version::V2_2);
    let part = "MSL 2.2 has no 64-bit integers; MSL 2.3 has (`--msl-version=2.3`)";
    assert!(lacking.iter().any(|e| e == part), "{lacking:?}");
    let text = text(Stage::Compute, WIDE);
    for part in
        ["long3 a;", "array<ulong2, 2> b;", "long x;", "ulong2 y;", "5l", "18446744073709551615ul", "long(ulong("]
    {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let doubles = "#version 450\nlayout(location = 0) out vec4 o;\nlayout(location = 0) in vec4 v;\n\
        void main() { double x = double(v.x); o = vec4(float(x * x + 1.0lf)); }";
    assert!(errors(Stage::Fragment, doubles, Version::V3_2)[0].contains("double"));
}

#[test]
fn small_integers_keep_their_types() {
    let source = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n\
        layout(local_size_x = 8) in;\n\
        layout(binding = 0, std430) buffer B { int8_t a; uint16_t b; u8vec3 c; int16_t d[3]; } o;\n\
        layout(binding = 1, std140) uniform U { int16_t x[2]; i8vec2 y; } u;\n\
        void main() { o.a = o.a + int8_t(3); o.b = o.b * uint16_t(7); o.c ^= u8vec3(1, 2, 255);\n\
        o.d[1] = -(u.x[1] << int16_t(2)); o.d[2] = int16_t(u.y.x) + o.d[0]; }";
    let text = text(Stage::Compute, source);
    for part in [
        "char a;",
        "ushort b;",
        "uchar3 c;",
        "array<short, 3> d;",
        "char2 y;",
        "char pad_1[14];",
        "o.b = ushort(uint(o.b) * ",
        "uchar3(1, 2, 255)",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

const GROUPS: &str = "#version 450\nlayout(set = 0, binding = 3) uniform Camera { vec4 eye; } camera;\n\
    layout(set = 0, binding = 0) uniform sampler2D map;\nlayout(set = 2, binding = 1) readonly buffer L { vec4 lights[]; };\n\
    layout(set = 2, binding = 4, r32f) writeonly uniform image2D target;\n\
    layout(push_constant) uniform Push { float scale; } push;\nlayout(location = 0) in vec2 uv;\n\
    layout(location = 0) out vec4 color;\nvec4 lit(vec2 at) { return texture(map, at) * camera.eye + lights[int(at.x)]; }\n\
    void main() { color = lit(uv) * lit(uv + 0.5) * push.scale; imageStore(target, ivec2(0), color); }";

/// The resources of a group are members of one struct, with their bindings as numbers unless others are chosen.
#[test]
fn argument_buffers_hold_the_resources_of_a_group() {
    let module = module(Stage::Fragment, GROUPS);
    let indices: BTreeMap<String, u32> = [("group_2".to_owned(), 5), ("L".to_owned(), 9)].into();
    let options = Options { argument_buffers: true, indices, ..Options::default() };
    let output = written(module.clone(), &options).expect("it is written");
    for part in [
        "struct Group0 {\n    constant Camera* camera [[id(3)]];\n    texture2d<float> map [[id(0)]];\n    sampler map_sampler [[id(",
        "struct Group2 {\n    const device L_1* L [[id(9)]];\n    texture2d<float, access::write> target [[id(4)]];\n};",
        "constant Group0& group_0 [[buffer(0)]]",
        "constant Group2& group_2 [[buffer(5)]]",
        "constant Push& push [[buffer(1)]]",
        "constant BufferSizes& buffer_sizes [[buffer(2)]]",
        "    constant Camera &camera = *group_0.camera;\n",
        "    texture2d<float> map = group_0.map;\n",
        "    const device L_1 &L = *group_2.L;\n",
        "float4 lit(constant Camera& camera, ",
    ] {
        assert!(output.text.contains(part), "no {part} in\n{}", output.text);
    }
    assert_eq!(arguments(&module, &options).expect("it is planned"), output.arguments);
    let find = |name: &str| output.arguments.iter().find(|a| a.name == name).expect("it is an argument").clone();
    let map = Argument { name: "map".into(), binding: Some((0, 0)), table: Table::Id, index: 0, buffer: Some(0) };
    assert_eq!(find("map"), map);
    assert_eq!((find("L").index, find("L").buffer), (9, Some(5)));
    let group = Argument { name: "group_2".into(), binding: None, table: Table::Buffer, index: 5, buffer: None };
    assert_eq!(find("group_2"), group);
    // Several references in one declaration have a sign each.
    let shading = ShadingOptions { minify: true, ..ShadingOptions::default() };
    let short = written(module, &Options { shading, ..options }).expect("it is written");
    assert_eq!(short.arguments, output.arguments);
    assert!(short.text.contains("[[id(3)]]") && short.text.contains("&camera=*"), "{}", short.text);
}
