//! A module with several stages: each entry point takes and gives what it reaches, and no more.

use planish::{Compiler, EmitOptions, Target, emit};

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
