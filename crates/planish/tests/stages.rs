//! A module with several stages: each entry point takes and gives what it reaches, and no more.

use planish::module::Stage;
use planish::{Compiler, EmitOptions, Target, Version, emit};

const TWO: &str = "
struct V { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
@group(0) @binding(0) var<uniform> scale: vec4<f32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    var v: V;
    v.uv = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    v.at = vec4<f32>(v.uv * scale.xy, 0.0, 1.0);
    return v;
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(v.uv, 0.5, 1.0) * scale; }
";

#[test]
fn vertex_and_fragment_in_one_file() {
    let mut compiler = Compiler::default();
    let module = compiler.compile("two.wgsl", TWO).module.expect("the file is valid");
    assert_eq!(planish::ir::verify::verify(&module), []);
    // Every writer validates the module first.
    for target in [Target::Wgsl, Target::Spirv, Target::Msl, Target::Hlsl] {
        let artifact = emit(&module, target, &EmitOptions::default());
        assert!(artifact.is_ok(), "{}: {artifact:#?}", target.info().name);
    }
    let wgsl = emit(&module, Target::Wgsl, &EmitOptions::default()).expect("has been checked").bytes;
    let wgsl = String::from_utf8(wgsl).expect("WGSL is text");
    let fragment = wgsl.split("@fragment").nth(1).expect("the fragment stage is there");
    assert!(!fragment.contains("vertex_index"), "{wgsl}");
    assert!(compiler.compile("again.wgsl", &wgsl).module.is_some(), "{wgsl}");
}

/// GLSL has one stage a program: it declares nothing of the others, whose locations could be the same.
#[test]
fn a_stage_in_glsl_declares_nothing_of_the_others() {
    let module = Compiler::default().compile("two.wgsl", TWO).module.expect("the file is valid");
    for (stage, name) in [(None, "two.vert"), (Some(Stage::Vertex), "two.vert"), (Some(Stage::Fragment), "two.frag")] {
        let version = Version::parse("450");
        let options = EmitOptions { stage, version, ..EmitOptions::default() };
        let text = emit(&module, Target::Glsl, &options).expect("GLSL holds it").bytes;
        let text = String::from_utf8(text).expect("GLSL is text");
        let again = Compiler::default().compile(name, &*text);
        assert!(again.module.is_some(), "{:?}\n{text}", again.diagnostics);
        let lines = |word: &str| text.lines().filter(|line| line.starts_with("layout") && line.contains(word)).count();
        let expected = if name == "two.vert" { [0, 1] } else { [1, 1] };
        assert_eq!([lines(" in "), lines(" out ")], expected, "{text}");
    }
}
