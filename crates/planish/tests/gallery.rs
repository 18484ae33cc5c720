//! One shader in every language, as a page that people compare: `docs/targets/gallery.md`.

use std::fmt::Write as _;

use planish::module::Module;
use planish::{Compiler, EmitOptions, Flattener, Optimizer, Target, emit};
use planish_testkit::committed;

const SHADER: &str = "\
#version 300 es
precision highp float;

uniform float time;
uniform vec3 tint;
uniform sampler2D noise;
in vec2 uv;
out vec4 color;

struct Ring {
    vec2 center;
    float width;
};

// The light of a ring that widens with time.
float light_of(Ring ring, vec2 at) {
    float away = abs(distance(at, ring.center) - fract(time));
    return 1.0 - smoothstep(0.0, ring.width, away);
}

void main() {
    float light = 0.0;
    for (int i = 0; i < 3; i++) {
        float angle = float(i) * 2.0944;
        Ring ring = Ring(0.4 * vec2(cos(angle), sin(angle)), 0.05);
        light += light_of(ring, uv);
    }
    float grain = texture(noise, uv).r;
    color = vec4(tint * light * mix(0.9, 1.0, grain), 1.0);
}
";

/// A function of the shader above, in WGSL: Rust out takes functions.
const FUNCTION: &str = "\
struct Ring { center: vec2f, width: f32 }

fn light_of(ring: Ring, at: vec2f, time: f32) -> f32 {
    let away = abs(distance(at, ring.center) - fract(time));
    return 1.0 - smoothstep(0.0, ring.width, away);
}
";

fn module(name: &str, source: &str, level: &str) -> Module {
    let compilation = Compiler::default().compile(name, source);
    let mut module = compilation.module.unwrap_or_else(|| panic!("{:#?}", compilation.diagnostics));
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn written(module: &Module, target: Target) -> String {
    let options = EmitOptions { prefix: "rings".into(), optimize: true, ..EmitOptions::default() };
    let artifact = emit(module, target, &options).unwrap_or_else(|errors| panic!("{target:?}: {errors:#?}"));
    String::from_utf8(artifact.bytes).expect("text")
}

#[test]
fn one_shader_in_every_language() {
    let mut page = format!(
        "# One shader, every language\n\n\
         Written by `BLESS=1 cargo test -p planish --test it gallery`: the output of `planish compile -O2`, as it is.\n\n\
         ## The source, GLSL ES 3.00\n\n```glsl\n{SHADER}```\n"
    );
    let mut add = |title: &str, language: &str, text: &str| {
        write!(page, "\n## {title}\n\n```{language}\n{}\n```\n", text.trim_end()).expect("a string");
    };
    let optimized = module("rings.frag", SHADER, "2");
    for (title, language, target) in [
        ("GLSL", "glsl", Target::Glsl),
        ("WGSL", "wgsl", Target::Wgsl),
        ("MSL", "cpp", Target::Msl),
        ("HLSL", "hlsl", Target::Hlsl),
        ("C", "c", Target::C),
    ] {
        add(title, language, &written(&optimized, target));
    }
    let function = module("ring.wgsl", FUNCTION, "2");
    add("Rust, of the function in WGSL", "rust", &written(&function, Target::Rust));
    let mut flat = module("rings.frag", SHADER, "0");
    let flattener = Flattener { entry_points: true, ..Flattener::default() };
    flattener.run(&mut flat, &mut |_, _| {}).unwrap_or_else(|errors| panic!("{errors:#?}"));
    add("MaterialX, flat (`--flatten`)", "xml", &written(&flat, Target::Mtlx));
    committed("docs/targets/gallery.md", &page);
}
