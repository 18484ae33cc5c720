//! Storage buffers that nobody writes: their members are uniforms of the graph, each with its place in the buffer.

use crate::common::{compare_pixels, read};
use planish::Compiler;
use planish::flatten::{Options, STAGES};
use planish::module::Module;

const SHADER: &str = "#version 310 es
precision highp float;
struct Light { vec3 colour; float reach; };
layout(std430, binding = 3) readonly buffer Scene { float gain; Light lights[4]; uint more[5]; } scene;
in vec2 uv;
out vec4 color;
void main() {
    vec3 sum = scene.lights[2].colour * scene.gain;
    for (int i = 0; i < 4; i++)
        if (length(uv) < scene.lights[i].reach) sum += scene.lights[i].colour;
    color = vec4(sum, float(scene.more[int(uv.x)]));
}
";

fn flat(source: &str) -> (Module, Module) {
    let module = Compiler::default().compile("a.frag", source).module.expect("it is valid");
    let (mut flat, func) = (module.clone(), module.entry_points[0].func);
    for stage in STAGES {
        (stage.run)(&mut flat, func, &Options::default()).unwrap_or_else(|e| panic!("{}: {e:#?}", stage.name));
    }
    (module, flat)
}

#[test]
fn buffers_that_nobody_writes_are_uniforms() {
    let (module, flat) = flat(SHADER);
    let func = module.entry_points[0].func;
    let program = read(&flat, func).unwrap_or_else(|e| panic!("{e}"));
    for (name, offset) in [("scene.gain", 0), ("scene.lights[2].colour", 48), ("scene.lights[3].reach", 76)] {
        let uniform = program.uniforms.iter().find(|u| u.name == name).unwrap_or_else(|| panic!("there is no {name}"));
        let row = &uniform.row;
        assert_eq!((row["kind"].as_str(), row["binding"].as_u64()), (Some("storage"), Some(3)), "{row}");
        assert_eq!(row["offset"].as_u64(), Some(offset), "{row}");
    }
    // An array that is indexed when the program runs is one uniform.
    assert!(program.uniforms.iter().any(|u| u.name == "scene.more"), "{:?}", program.uniforms);
    assert_eq!(compare_pixels("storage", &module, &program, func, 400), 400);
}

#[test]
fn buffers_that_somebody_may_write_are_refused() {
    let (module, flat) = flat(&SHADER.replace("readonly ", ""));
    let error = read(&flat, module.entry_points[0].func).expect_err("others may write it");
    assert!(error.contains("E1107"), "{error}");
}
