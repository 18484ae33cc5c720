//! Constructs that a target cannot hold: the error's code, and its place in the source.

use planish_back_naga::{Options, Target};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

use crate::legal::lower;

/// The errors of lowering, with the text they point at.
fn errors(stage: Stage, text: &str, target: Target) -> Vec<(Diagnostic, String)> {
    let mut map = SourceMap::new();
    let file = map.add("a shader", text).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(stage));
    assert!(!output.has_errors(), "{text}: {:#?}", output.diagnostics);
    let module = output.module.expect("a module");
    let errors = lower(&module, &Options::new(target)).err().unwrap_or_default();
    errors.into_iter().map(|e| (e.clone(), map.text(e.span).to_string())).collect()
}

fn check(stage: Stage, text: &str, target: Target, code: Code, place: &str) {
    let found = errors(stage, text, target);
    let [(error, at)] = &found[..] else { panic!("not one error for {text}: {found:#?}") };
    assert_eq!(error.code, code, "{text}: {error:#?}");
    assert!(at.contains(place), "{text}: points at `{at}`, not at `{place}`");
    assert!(errors(stage, text, target) == found, "the same errors each time");
}

const HEAD: &str = "#version 320 es\nprecision highp float;\nprecision highp sampler2DShadow;\n";

#[test]
fn point_coordinates() {
    let text = format!("{HEAD}out vec4 c;\nvoid main() {{ c = vec4(gl_PointCoord, 0.0, 1.0); }}");
    check(Stage::Fragment, &text, Target::Wgsl, Code::E0603, "gl_PointCoord");
    assert!(errors(Stage::Fragment, &text, Target::Spirv).is_empty(), "SPIR-V has it");
}

#[test]
fn shadow_samplers() {
    let text = format!(
        "{HEAD}uniform sampler2DShadow s;\nin vec3 p;\nout vec4 c;\nvoid main() {{ c = vec4(texture(s, p, 1.0)); }}"
    );
    check(Stage::Fragment, &text, Target::Wgsl, Code::E0605, "texture(s, p, 1.0)");
}

#[test]
fn atomic_operations_on_texels() {
    let text = |main: &str| {
        format!(
            "#version 450\nlayout(local_size_x = 1) in;\nlayout(r32ui, binding = 0) uniform uimage2D i;\n\
            layout(std430, binding = 1) buffer B {{ uint n; }} b;\nvoid main() {{ {main} }}"
        )
    };
    let old = text("b.n = imageAtomicAdd(i, ivec2(0), 1u);");
    check(Stage::Compute, &old, Target::Spirv, Code::E0604, "imageAtomicAdd");
    let exchange = text("imageAtomicExchange(i, ivec2(0), 1u);");
    check(Stage::Compute, &exchange, Target::Spirv, Code::E0604, "imageAtomicExchange");
    let alone = text("imageAtomicAdd(i, ivec2(0), 1u);");
    check(Stage::Compute, &alone, Target::Wgsl, Code::E0604, "imageAtomicAdd");
    assert!(errors(Stage::Compute, &alone, Target::Spirv).is_empty());
}

#[test]
fn constants_that_would_be_one_override() {
    let text = "#version 450\nlayout(local_size_x = 8, local_size_x_id = 0) in;\n\
        layout(constant_id = 0) const uint N = 4u;\nlayout(std430, binding = 0) buffer B { uint n; } b;\n\
        void main() { b.n = N; }";
    check(Stage::Compute, text, Target::Wgsl, Code::E0606, "main");
    assert!(errors(Stage::Compute, text, Target::Spirv).is_empty(), "SPIR-V has both");
}

#[test]
fn doubles() {
    let text = "#version 450\nuniform double d;\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(float(d)); }";
    check(Stage::Fragment, text, Target::Wgsl, Code::E0602, "d");
    assert!(errors(Stage::Fragment, text, Target::Spirv).is_empty(), "SPIR-V has doubles");
}

#[test]
fn the_point_size_is_dropped_with_a_warning() {
    let text = "#version 300 es\nvoid main() { gl_Position = vec4(0.0); gl_PointSize = 2.0; }";
    let mut map = SourceMap::new();
    let file = map.add("a shader", text).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(Stage::Vertex));
    let module = output.module.expect("a module");
    let warned = |target| lower(&module, &Options::new(target)).expect("lowered").warnings;
    assert_eq!(warned(Target::Wgsl).iter().map(|w| w.code).collect::<Vec<_>>(), [Code::W0151]);
    assert!(warned(Target::Spirv).is_empty());
}
