//! The macro as a crate uses it.

use planish::{Settings, Source, Target, compile_with};
use planish_macros::include_shader;

/// A constant, too.
const SKY: &str = include_shader!("tests/shaders/sky.frag", minify = true);

/// The shader as the library compiles it.
fn compiled(target: Target, settings: &[(&str, &str)]) -> Vec<u8> {
    let bytes = include_bytes!("shaders/sky.frag");
    let mut all = Settings::default();
    for (name, value) in [("level", "2")].iter().chain(settings) {
        all.set(name, value).expect("there is the setting");
    }
    compile_with(Source { name: "sky.frag", bytes }, target, &all, None).expect("it is right").0.bytes
}

#[test]
fn code_is_that_of_the_library() {
    assert_eq!(SKY.as_bytes(), compiled(Target::Wgsl, &[("minify", "true")]));
    let spirv: &[u8] = include_shader!("tests/shaders/sky.frag", target = "spirv", define = "STARS=3", level = "s");
    assert_eq!(spirv, compiled(Target::Spirv, &[("define", "STARS=3"), ("level", "s")]));
    let glsl = include_shader!("tests/shaders/sky.frag", target = "glsl", glsl_version = 330, level = 0,);
    assert_eq!(glsl.as_bytes(), compiled(Target::Glsl, &[("glsl-version", "330"), ("level", "0")]));
    let noise = include_shader!("tests/shaders/sky.frag", define = "LIBRARY", include_path = "tests/lib");
    assert!(noise.contains("43758.5"), "{noise}");
}
