//! The GPU draws the requested picture, down to the pixel, and missing inputs are named in errors.

use planish_gl::{
    Api, Draw, DrawError, Filter, Gpu, Scalar, Stage, Texture, Uniform, UniformBlock, Values, Varying, Wrap,
};

/// The GPU, or a loud skip; without one, CI fails.
fn gpu(api: Api) -> Option<Gpu> {
    match Gpu::open(api) {
        Ok(gpu) => Some(gpu),
        Err(why) if std::env::var_os("CI").is_some() => panic!("CI has a software GPU: {why}"),
        Err(why) => {
            eprintln!("SKIPPED, since there is no software GPU: {why}");
            None
        }
    }
}

fn float(name: &str, columns: usize, rows: usize, values: &[f32]) -> Uniform {
    Uniform { name: name.into(), columns, rows, values: Values::Float(values.to_vec()) }
}

fn varying(name: &str, rows: usize) -> Varying {
    Varying {
        name: name.into(),
        location: None,
        scalar: Scalar::Float,
        flat: false,
        columns: 1,
        rows,
        length: None,
        at_origin: vec![0.0; rows],
        along_x: vec![0.0; rows],
        along_y: vec![0.0; rows],
    }
}

#[test]
fn uniforms_of_all_shapes_arrive() {
    let Some(gpu) = gpu(Api::Es) else { return };
    let source = "#version 300 es
        precision highp float;
        struct Light { vec3 color; float power[2]; };
        uniform Light lights[2];
        uniform mat2x3 frame;
        uniform ivec2 offset;
        uniform uint mask;
        uniform bool on;
        layout(std140) uniform Camera { vec4 eye; mat4 view; } camera;
        out vec4 color;
        void main() {
            color = vec4(lights[1].color.y * lights[1].power[1], frame[1].z + float(offset.y), float(mask >> 4), camera.view[3].x);
            if (!on) color = vec4(-1.0);
        }";
    let mut draw = Draw::new(source, [1, 1]);
    draw.uniforms = vec![
        float("lights[0].color", 1, 3, &[0.0; 3]),
        float("lights[0].power", 1, 1, &[0.0; 2]),
        float("lights[1].color", 1, 3, &[1.0, 2.0, 3.0]),
        float("lights[1].power", 1, 1, &[4.0, 5.0]),
        float("frame", 2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        Uniform { name: "offset".into(), columns: 1, rows: 2, values: Values::Int(vec![7, -8]) },
        Uniform { name: "mask".into(), columns: 1, rows: 1, values: Values::Uint(vec![0xF0]) },
        Uniform { name: "on".into(), columns: 1, rows: 1, values: Values::Int(vec![1]) },
    ];
    let camera: Vec<u8> = (0..20).flat_map(|i| (i as f32).to_ne_bytes()).collect();
    draw.blocks = vec![UniformBlock { name: "Camera".into(), bytes: camera }];
    assert_eq!(gpu.draw(&draw).unwrap().pixels, [[10.0, -2.0, 15.0, 16.0]]);
    draw.blocks.clear();
    draw.uniforms.remove(4);
    assert_eq!(gpu.draw(&draw), Err(DrawError::MissingInputs(vec!["frame".into(), "Camera".into()])));
}

#[test]
fn varyings_grow_evenly() {
    let Some(gpu) = gpu(Api::Es) else { return };
    let source = "#extension GL_OES_standard_derivatives : enable
        precision highp float;
        varying vec2 uv;
        varying float depth;
        void main() { gl_FragColor = vec4(uv, depth, dFdx(uv.x)); }";
    let mut draw = Draw::new(source, [4, 4]);
    draw.varyings = vec![
        Varying { along_x: vec![1.0, 0.0], along_y: vec![0.0, 1.0], ..varying("uv", 2) },
        Varying { at_origin: vec![3.0], along_y: vec![8.0], ..varying("depth", 1) },
    ];
    let picture = gpu.draw(&draw).unwrap();
    assert_eq!(picture.pixels[0], [0.125, 0.125, 4.0, 0.25]);
    assert_eq!(picture.pixels[7], [0.875, 0.375, 6.0, 0.25]);
}

#[test]
fn flat_integers_of_any_size_arrive() {
    let Some(gpu) = gpu(Api::Es) else { return };
    let source = "#version 300 es
        precision highp float;
        precision highp int;
        flat in uvec2 id;
        out vec4 color;
        void main() { color = vec4(uvec4(id, id.x ^ 1u, 2u)); }";
    let mut draw = Draw::new(source, [2, 1]);
    draw.varyings =
        vec![Varying { scalar: Scalar::Uint, flat: true, at_origin: vec![6.0, 70000.0], ..varying("id", 2) }];
    assert_eq!(gpu.draw(&draw).unwrap().pixels[1], [6.0, 70000.0, 7.0, 2.0]);
}

#[test]
fn textures_are_sampled_in_floats() {
    let Some(gpu) = gpu(Api::Es) else { return };
    let source = "#version 300 es
        precision highp float;
        uniform highp sampler2D picture;
        out vec4 color;
        void main() { color = texture(picture, vec2(0.3, 0.5)) + texture(picture, vec2(1.25, 0.5)); }";
    let mut draw = Draw::new(source, [1, 1]);
    let texture = Texture {
        name: "picture".into(),
        size: [2, 1],
        texels: vec![[0.0; 4], [1.0, 2.0, 3.0, 4.0]],
        wrap: Wrap::Clamp,
        filter: Filter::Linear,
        mipmaps: false,
    };
    draw.textures = vec![texture];
    let [red, .., alpha] = gpu.draw(&draw).unwrap().pixels[0];
    assert!((red - 1.1).abs() < 1e-6 && (alpha - 4.4).abs() < 1e-5, "{red} {alpha}");
    draw.textures[0].wrap = Wrap::Repeat;
    let [red, ..] = gpu.draw(&draw).unwrap().pixels[0];
    assert!((red - 0.1).abs() < 1e-6, "{red}");
}

#[test]
fn discarded_pixels_keep_the_background() {
    let Some(gpu) = gpu(Api::Desktop) else { return };
    let source = "#version 330\nout vec4 color;\nvoid main() { if (gl_FragCoord.x < 1.0) discard; color = vec4(1.0); }";
    let draw = Draw { background: [0.5, 0.25, 0.0, 1.0], ..Draw::new(source, [2, 1]) };
    assert_eq!(gpu.draw(&draw).unwrap().pixels, [[0.5, 0.25, 0.0, 1.0], [1.0; 4]]);
}

#[test]
fn the_compiler_rejects_invalid_shaders() {
    let (Some(es), Some(desktop)) = (gpu(Api::Es), gpu(Api::Desktop)) else { return };
    let wrong = "#version 300 es\nvoid main() { gl_Position = vec3(1.0); }";
    assert!(es.compile_check(Stage::Vertex, wrong).unwrap_err().contains("vec3"));
    let compute = "#version 310 es\nlayout(local_size_x = 4) in;\nvoid main() { barrier(); }";
    assert_eq!(es.compile_check(Stage::Compute, compute), Ok(()));
    let average =
        "#version 300 es\nprecision highp float;\nfloat average(vec2 a) { return a.x + a.y; }\nvoid main() {}";
    assert_eq!(es.compile_check(Stage::Fragment, average), Ok(()));
    let old = "#version 120\nvoid main() { gl_FragColor = gl_Color; }";
    assert_eq!(desktop.compile_check(Stage::Fragment, old), Ok(()));
    let new = "#version 450\nlayout(location = 0) out dvec2 sum;\nvoid main() { sum = dvec2(1.0LF); }";
    assert!(desktop.compile_check(Stage::Fragment, new).is_err());
}
