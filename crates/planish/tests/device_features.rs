//! Features of devices alone, through the whole compiler: interlocks, helper invocations, indices that differ among invocations, arrays of
//! textures without a length, captured outputs, values of vertices, and built-in variables of extensions.

use planish::module::{Module, Stage};
use planish::{EmitOptions, Optimizer, SpirvVersion, Target, emit};

use crate::common::compile;
use crate::halves::desktop;
use crate::spirv::objection;

/// A feature: file, extensions, declarations, statements, what GLSL has of it, and the capabilities of SPIR-V by number.
type Feature = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str], &'static [u32]);

#[rustfmt::skip]
const FEATURES: &[Feature] = &[
    ("x.frag", "GL_ARB_fragment_shader_interlock", "layout(sample_interlock_unordered) in; layout(binding = 0, r32ui) uniform uimage2D i;",
        "beginInvocationInterlockARB(); imageStore(i, ivec2(x), imageLoad(i, ivec2(x)) + 1u); endInvocationInterlockARB();",
        &["layout(sample_interlock_unordered) in;", "beginInvocationInterlockARB();", "endInvocationInterlockARB();"], &[5363]),
    ("x.frag", "GL_ARB_fragment_shader_interlock", "layout(binding = 0) buffer B { uint n; };",
        "beginInvocationInterlockARB(); n = n * 3u; endInvocationInterlockARB();", &["layout(pixel_interlock_ordered) in;"], &[5378]),
    ("x.frag", "GL_EXT_demote_to_helper_invocation", "", "if (x < 0.5) demote; x = helperInvocationEXT() ? dFdx(x) : 2.0;",
        &["demote;", "helperInvocationEXT()"], &[5379]),
    ("x.frag", "GL_EXT_nonuniform_qualifier", "layout(binding = 0) uniform sampler2D t[8];", "x = texture(t[nonuniformEXT(int(x))], vec2(x)).x;",
        &["t[nonuniformEXT(int(x))]"], &[5301, 5307]),
    ("x.frag", "GL_EXT_nonuniform_qualifier", "layout(binding = 0) uniform texture2D t[]; layout(set = 1, binding = 0) uniform sampler s;",
        "int i = int(x); x = texture(nonuniformEXT(sampler2D(t[i], s)), vec2(x)).x;", &["texture2D t[];", "t[nonuniformEXT(int(x))]"], &[5302, 5307]),
    ("x.frag", "GL_EXT_nonuniform_qualifier", "layout(binding = 0) uniform sampler2D t[]; layout(set = 1, binding = 0) buffer B { float v[]; } b[];",
        "nonuniformEXT int i = int(x); x = texture(t[i], vec2(x)).x + b[i + 1].v[2] + texture(t[3], vec2(x)).x;",
        &["sampler2D t[];", "} b[];", "nonuniformEXT(i + 1)", "t[3]"], &[5301, 5302, 5307, 5308]),
    ("x.frag", "GL_EXT_nonuniform_qualifier", "layout(binding = 0) uniform sampler2D t[4]; float f(nonuniformEXT int i) { return texture(t[i], vec2(0)).x; }",
        "x = f(int(x));", &["t[nonuniformEXT(int(x))]"], &[5301, 5307]),
    ("x.frag", "GL_EXT_nonuniform_qualifier", "layout(binding = 0) uniform sampler2D t[4]; layout(binding = 4) uniform sampler2D u[4];",
        "int i = int(x); x = texture(t[nonuniformEXT(i)], vec2(x)).x + texture(u[nonuniformEXT(i)], vec2(x)).y;",
        &["t[nonuniformEXT(t_1)]", "u[nonuniformEXT(t_1)]"], &[5301, 5307]),
    ("x.frag", "GL_ARB_shader_stencil_export", "", "gl_FragStencilRefARB = int(x);", &["gl_FragStencilRefARB = int(x);"], &[5013]),
    ("x.frag", "GL_EXT_fragment_shader_barycentric", "layout(location = 3) pervertexEXT in vec2 v[];",
        "x = dot(gl_BaryCoordEXT, vec3(v[0].x, v[1].x, v[2].y)) + gl_BaryCoordNoPerspEXT.z;", &["pervertexEXT in vec2 v[3];", "gl_BaryCoordEXT"], &[5284]),
    ("x.frag", "GL_NV_conservative_raster_underestimation", "", "x = gl_FragFullyCoveredNV ? 1.0 : 0.0;", &["gl_FragFullyCoveredNV"], &[5265]),
    ("x.frag", "GL_EXT_fragment_shading_rate", "", "x = float(gl_ShadingRateEXT);", &["gl_ShadingRateEXT"], &[4422]),
    ("x.frag", "GL_EXT_fragment_invocation_density", "", "x = float(gl_FragSizeEXT.y + gl_FragInvocationCountEXT);", &["gl_FragSizeEXT"], &[5291]),
    ("x.vert", "GL_EXT_fragment_shading_rate", "", "gl_PrimitiveShadingRateEXT = int(x);", &["gl_PrimitiveShadingRateEXT = int(x);"], &[4422]),
    ("x.vert", "GL_EXT_device_group", "", "x = float(gl_DeviceIndex);", &["gl_DeviceIndex"], &[4437]),
    ("x.vert", "GL_ARB_shader_viewport_layer_array", "", "gl_Layer = int(x); gl_ViewportIndex = 3;", &["gl_Layer = int(x);", "gl_ViewportIndex = 3;"], &[5254]),
    ("x.vert", "GL_ARB_enhanced_layouts", "layout(xfb_buffer = 1, xfb_stride = 32) out; layout(location = 3, xfb_buffer = 1, xfb_offset = 4) out vec3 v;",
        "v = vec3(x);", &["layout(xfb_buffer = 1, xfb_stride = 32) out;", "xfb_buffer = 1, xfb_offset = 4"], &[53]),
    ("x.vert", "GL_ARB_enhanced_layouts", "layout(xfb_buffer = 2, xfb_offset = 8) out Block { layout(location = 3) vec3 a; layout(location = 4) float b; } o;",
        "o.a = vec3(x); o.b = x;", &["layout(xfb_buffer = 2, xfb_stride = 24) out;", "xfb_offset = 8) vec3 a;", "xfb_offset = 20) float b;"], &[53]),
];

fn source(feature: &Feature) -> String {
    let &(file, extension, declarations, statements, ..) = feature;
    let variables = "layout(location = 0) in float x0;\nlayout(location = 0) out vec4 c;";
    let position = if file == "x.vert" { "gl_Position = c;" } else { "" };
    format!(
        "#version 450\n#extension {extension} : require\n{variables}\n{declarations}\nvoid main() {{\nfloat x = x0;\n{statements}\nc = vec4(x);\n{position}\n}}\n"
    )
}

fn optimized(mut module: Module, level: &str) -> Module {
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

/// The capabilities of a binary.
fn capabilities(bytes: &[u8]) -> Vec<u32> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let (mut at, mut found) = (5, vec![]);
    while at < words.len() && words[at] & 0xffff == 17 {
        found.push(words[at + 1]);
        at += (words[at] >> 16) as usize;
    }
    found
}

#[test]
fn features_of_devices_come_out_as_glsl_and_spirv() {
    for feature in FEATURES {
        let &(file, extension, _, statements, wanted, numbers) = feature;
        let read = compile(file, source(feature)).unwrap_or_else(|e| panic!("{statements}: {e}"));
        for level in ["0", "2"] {
            let module = optimized(read.clone(), level);
            let printed = planish::ir::text::print(&module);
            let again = compile("x.ir", &printed).unwrap_or_else(|e| panic!("{printed}\n{e}"));
            assert_eq!(planish::ir::text::print(&again), printed, "{statements}");
            let options = EmitOptions { vulkan: true, ..desktop(450) };
            let glsl = emit(&module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{statements}: {e:#?}"));
            let glsl = String::from_utf8(glsl.bytes).expect("text");
            assert!(glsl.contains(extension) || file == "x.vert" && glsl.contains("xfb_offset"), "{glsl}");
            let plain = |text: &str| text.replace("x0", "x").replace("float x = x;", "");
            for part in wanted.iter().filter(|_| level == "2") {
                assert!(plain(&glsl).contains(part), "{part}:\n{glsl}");
            }
            compile(file, &glsl).unwrap_or_else(|e| panic!("{glsl}\n{e}"));
            for spirv in [SpirvVersion::V1_3, SpirvVersion::V1_6] {
                let options = EmitOptions { spirv_version: spirv, ..EmitOptions::default() };
                let bytes =
                    emit(&module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{statements}: {e:#?}")).bytes;
                let have = capabilities(&bytes);
                assert!(numbers.iter().all(|number| have.contains(number)), "{statements}: {have:?}");
                let environment = if spirv == SpirvVersion::V1_3 { "vulkan1.1" } else { "spv1.6" };
                assert_eq!(objection(&bytes, environment), None, "{statements}");
                let back = compile("x.spv", &bytes).unwrap_or_else(|e| panic!("{statements}: {e}"));
                let bytes =
                    emit(&back, Target::Spirv, &options).unwrap_or_else(|e| panic!("{statements}: {e:#?}")).bytes;
                let still = capabilities(&bytes);
                assert!(numbers.iter().all(|number| still.contains(number)), "{statements}: {still:?}");
            }
        }
    }
}

/// Text of a feature in another shading language; `Err`: a part of the message.
#[test]
fn other_languages_have_the_feature_or_say_that_they_have_not() {
    type Expected = Result<&'static str, &'static str>;
    let stencil = "gl_FragStencilRefARB = int(x);";
    let cases: [(&str, Target, Expected); 7] = [
        (stencil, Target::Msl, Ok("[[stencil]]")),
        (stencil, Target::Hlsl, Ok("SV_StencilRef")),
        (stencil, Target::Wgsl, Err("gl_FragStencilRefARB")),
        ("beginInvocationInterlockARB(); n", Target::Wgsl, Err("begin_interlock")),
        ("nonuniformEXT int i", Target::Hlsl, Err("without a length")),
        ("nonuniformEXT int i", Target::Wgsl, Err("without a length")),
        ("x = texture(t[nonuniformEXT(int(x))]", Target::Wgsl, Ok("textureSample")),
    ];
    for (statements, target, expected) in cases {
        let feature = FEATURES.iter().find(|f| f.3.starts_with(statements)).expect("a feature");
        let module = compile(feature.0, source(feature)).expect("valid");
        match (emit(&module, target, &EmitOptions::default()), expected) {
            (Ok(output), Ok(part)) => {
                let text = String::from_utf8(output.bytes).expect("text");
                assert!(text.contains(part), "{part}:\n{text}");
            }
            (Err(errors), Err(part)) => assert!(errors.iter().any(|e| e.message.contains(part)), "{errors:#?}"),
            (output, _) => panic!("{statements} as {target:?}: {:#?}", output.map(|_| ())),
        }
    }
}

#[test]
fn addresses_of_buffers_go_from_spirv_to_spirv_and_glsl() {
    let bytes = include_bytes!("../../front/spirv/tests/binaries/addresses.comp.spv");
    let read = compile("addresses.comp.spv", &bytes[..]).expect("valid");
    for level in planish::LEVELS {
        let module = optimized(read.clone(), level);
        assert_eq!(module.entry_points[0].stage, Some(Stage::Compute));
        for version in [SpirvVersion::V1_3, SpirvVersion::V1_6] {
            let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
            let bytes = emit(&module, Target::Spirv, &options).expect("valid").bytes;
            assert!(capabilities(&bytes).contains(&5347), "{level}");
            let environment = if version == SpirvVersion::V1_3 { "vulkan1.1" } else { "vulkan1.3" };
            assert_eq!(objection(&bytes, environment), None, "{level}");
            compile("again.spv", &bytes).expect("read again");
        }
        let options = EmitOptions { vulkan: true, ..desktop(450) };
        let glsl = String::from_utf8(emit(&module, Target::Glsl, &options).expect("valid").bytes).expect("text");
        assert!(glsl.contains("layout(buffer_reference, std430, buffer_reference_align = 16) buffer"), "{glsl}");
    }
}

#[test]
fn atomic_sums_of_floats_bring_what_they_need() {
    let text = "module glsl 450\n\nstruct $B block {\n  n: f32\n}\nvar storage interface @b: $B set(0) binding(0) std430\n\n\
        fn @main() {\nb0:\n  %0 = access_struct_field[0] @b\n  %1 = atomic_add %0, 1.0\n  return\n}\n\
        entry compute @main \"main\" local_size(1, 1, 1)\n";
    let module = compile("x.ir", text).unwrap_or_else(|e| panic!("{e}"));
    let glsl = emit(&module, Target::Glsl, &EmitOptions { vulkan: true, ..desktop(450) }).expect("valid").bytes;
    assert!(String::from_utf8_lossy(&glsl).contains("#extension GL_EXT_shader_atomic_float : enable"));
    let spirv = emit(&module, Target::Spirv, &EmitOptions::default()).expect("valid").bytes;
    assert!(capabilities(&spirv).contains(&6033));
    assert_eq!(objection(&spirv, "vulkan1.1"), None);
    assert!(emit(&module, Target::Wgsl, &EmitOptions::default()).is_err());
}

#[test]
fn captured_built_in_outputs_are_members_of_one_block() {
    let shader = |buffer: u32| {
        format!(
            "#version 450\nlayout(xfb_buffer = 1, xfb_offset = 4) out vec4 gl_Position;\n\
             layout(xfb_buffer = {buffer}, xfb_offset = 20) out float gl_PointSize;\n\
             void main() {{ gl_Position = vec4(1); gl_PointSize = 2.0; }}\n"
        )
    };
    let options = desktop(450);
    let written = |buffer| emit(&compile("x.vert", shader(buffer)).expect("valid"), Target::Glsl, &options);
    let glsl = String::from_utf8(written(1).expect("one buffer").bytes).expect("text");
    for part in [
        "layout(xfb_buffer = 1) out gl_PerVertex {",
        "xfb_offset = 4) vec4 gl_Position;",
        "xfb_offset = 20) float gl_PointSize;",
    ] {
        assert!(glsl.contains(part), "{part}:\n{glsl}");
    }
    assert!(written(2).is_err(), "the block has one buffer");
}

#[test]
fn wrong_uses_of_these_features_are_errors() {
    let shader = |extension: &str, declarations: &str, body: &str| {
        format!(
            "#version 450\n#extension {extension} : require\nlayout(location = 0) out vec4 c;\n{declarations}\nvoid main() {{ {body} }}\n"
        )
    };
    let interlock = "GL_ARB_fragment_shader_interlock";
    let layouts = "GL_ARB_enhanced_layouts";
    let cases = [
        ("x.frag", shader(interlock, "", "if (gl_FragCoord.x > 1.0) beginInvocationInterlockARB(); c = vec4(1);"), "E0311"),
        ("x.frag", shader(interlock, "void f() { beginInvocationInterlockARB(); }", "f(); c = vec4(1);"), "E0311"),
        ("x.frag", shader(interlock, "layout(pixel_interlock_ordered) in; layout(sample_interlock_ordered) in;", "c = vec4(1);"), "E0404"),
        ("x.vert", shader(interlock, "layout(pixel_interlock_ordered) in;", "c = vec4(1);"), "E0404"),
        ("x.frag", shader("GL_EXT_fragment_shader_barycentric", "layout(location = 1) pervertexEXT in vec2 v;", "c = vec4(v.x);"), "E0401"),
        ("x.frag", "#version 450\nlayout(binding = 0) uniform sampler2D t[]; layout(location = 0) out vec4 c; void main() { c = texture(t[int(gl_FragCoord.x)], vec2(0)); }".into(), "E0411"),
        ("x.frag", shader(interlock, "layout(binding = 0) uniform sampler2D t[4];", "c = texture(t[nonuniformEXT(int(gl_FragCoord.x))], vec2(0));"), "E0301"),
        ("x.vert", shader(layouts, "layout(location = 1, xfb_buffer = 0, xfb_offset = 6) out vec2 v;", "v = vec2(1); c = vec4(1);"), "E0404"),
        ("x.vert", shader(layouts, "layout(location = 1, xfb_offset = 0) out vec4 v; layout(location = 2, xfb_offset = 12) out vec4 w;", "v = w = vec4(1); c = v;"), "E0404"),
        ("x.vert", shader(layouts, "layout(xfb_buffer = 0, xfb_stride = 12) out; layout(location = 1, xfb_offset = 0) out vec4 v;", "v = c = vec4(1);"), "E0404"),
        ("x.vert", shader(layouts, "layout(location = 1, xfb_buffer = 4, xfb_offset = 0) out vec4 v;", "v = c = vec4(1);"), "E0404"),
        ("x.frag", shader(layouts, "layout(location = 1, xfb_buffer = 0, xfb_offset = 0) out vec4 v;", "v = c = vec4(1);"), "E0404"),
    ];
    for (file, source, code) in cases {
        let error = compile(file, &source).err().unwrap_or_else(|| panic!("accepted:\n{source}"));
        assert!(error.to_string().contains(code), "{source}\n{error}");
    }
}

#[test]
fn values_of_vertices_are_those_that_the_vertex_shader_gives() {
    let vertex =
        "#version 320 es\nlayout(location = 0) out vec2 v;\nvoid main() { v = vec2(1); gl_Position = vec4(0); }\n";
    let fragment = "#version 320 es\n#extension GL_EXT_fragment_shader_barycentric : require\nprecision highp float;\n\
        layout(location = 0) pervertexEXT in vec2 v[];\nlayout(location = 0) out vec4 c;\n\
        void main() { c = vec4(v[0] + v[1] + v[2], gl_BaryCoordEXT.xy); }\n";
    let [vertex, fragment] =
        [("x.vert", vertex), ("x.frag", fragment)].map(|(file, text)| compile(file, text).expect("valid"));
    planish::link(&[&vertex, &fragment]).expect("they fit");
}
