//! Rows of fragments counted from the other end of the picture.

use std::fs;

use planish::diagnostic::Code;
use planish::eval::shade::{DrawOptions, draw};
use planish::module::Module;
use planish::{EmitOptions, FrameHeight, Target, emit, flip_frag_coord};

use crate::common::{Picture, compile, picture};

const SIZE: [u32; 2] = [24, 16];

fn flipped(module: &Module, height: &str) -> Module {
    let (mut module, height) = (module.clone(), height.parse::<FrameHeight>().expect("a height"));
    flip_frag_coord(&mut module, &height).expect("the height can be read");
    assert_eq!(planish::ir::verify::verify(&module), []);
    module
}

fn mirrored(picture: &Picture) -> Picture {
    picture.chunks(SIZE[0] as usize).rev().flatten().copied().collect()
}

/// Fails with the first pixel that differs.
fn assert_same(found: &Picture, wanted: &Picture, name: &str) {
    let differs = found.iter().zip(wanted).position(|(a, b)| a != b);
    if let Some(at) = differs {
        let floats = |pixel: [u32; 4]| pixel.map(f32::from_bits);
        let [x, y] = [at % SIZE[0] as usize, at / SIZE[0] as usize];
        panic!("{name} at {x}, {y}: {:?}, not {:?}", floats(found[at]), floats(wanted[at]));
    }
}

/// Shaders whose picture depends on the place by `gl_FragCoord` alone.
#[test]
fn the_gallery_is_drawn_upside_down() {
    let (mut same, mut seen) = (0, 0);
    let folder =
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/shaders")).expect("the gallery is there");
    for file in folder.map(|entry| entry.expect("the gallery can be read").path()) {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        if !name.ends_with(".frag") {
            continue;
        }
        let source = fs::read_to_string(&file).expect("the shader can be read");
        let others = ["\nin ", "\nvarying ", "gl_PointCoord", "gl_FrontFacing"];
        if !source.contains("gl_FragCoord") || others.iter().any(|other| source.contains(other)) {
            continue;
        }
        let module = compile(&name, &source).expect("the shader is valid");
        let Ok(upright) = picture(&module, SIZE) else { continue };
        let flipped = picture(&flipped(&module, "16"), SIZE).expect("it is drawn as the other");
        seen += 1;
        assert_same(&mirrored(&flipped), &upright, &name);
        same += usize::from(flipped != upright);
    }
    assert!(seen > 20 && same > seen / 2, "{same} of {seen} shaders are not their own mirror image");
}

const PLACES: &str = "#version 300 es
precision highp float;
uniform vec2 resolution;
uniform Frame { vec3 size; } frame;
uniform Rows { float rows; };
out vec4 color;
float pick(vec4 place, int i) { return place[i]; }
void main() {
    int i = int(gl_FragCoord.x) & 3;
    color = vec4(gl_FragCoord.y, gl_FragCoord[i], pick(gl_FragCoord, i), dFdy(gl_FragCoord.y * gl_FragCoord.y));
    color.z += fwidth(gl_FragCoord.y) + gl_FragCoord.yx.x + resolution.x + frame.size.z + rows;
}
";

#[test]
fn every_way_to_read_a_row_is_flipped() {
    let module = compile("places.frag", PLACES).expect("the shader is valid");
    let upright = picture(&module, SIZE).expect("it is drawn");
    assert!(mirrored(&upright) != upright);
    assert_same(&mirrored(&picture(&flipped(&module, "16"), SIZE).expect("it is drawn")), &upright, "places");
    // Twice is the same.
    let twice = flipped(&flipped(&module, "16"), "16.0");
    assert_same(&picture(&twice, SIZE).expect("it is drawn"), &upright, "twice");
}

#[test]
fn heights_are_read_from_uniforms() {
    let module = compile("places.frag", PLACES).expect("the shader is valid");
    for (height, name, value) in [
        ("resolution.y", "resolution", vec![0.0, 16.0]),
        ("frame.size.y", "frame.size", vec![0.0, 16.0, 0.0]),
        ("rows", "rows", vec![16.0]),
        ("frame_height", "frame_height", vec![16.0]),
    ] {
        let drawn = |module: &Module, uniforms| {
            let options = DrawOptions { size: SIZE, uniforms, ..DrawOptions::default() };
            draw(module, &options).unwrap_or_else(|error| panic!("{height}: {error}")).float
        };
        let set = vec![(name.to_owned(), value)];
        // One that is added is not in the shader itself.
        let of_shader = if height == name && height != "rows" { vec![] } else { set.clone() };
        let upright = drawn(&module, of_shader);
        let other: Vec<_> = drawn(&flipped(&module, height), set).chunks(24).rev().flatten().copied().collect();
        assert!(other == upright, "{height}");
    }
}

#[test]
fn what_is_no_height_is_an_error() {
    let module = compile("places.frag", PLACES).expect("the shader is valid");
    let failure = |height: &str| {
        let errors = flip_frag_coord(&mut module.clone(), &height.parse().expect("a name")).expect_err("no height");
        let [error] = &errors[..] else { panic!("{errors:#?}") };
        assert_eq!(error.code, Code::E1002);
        format!("{} ({})", error.message, error.help.join("; "))
    };
    is_told(&failure("resolution"), "`resolution` is no float");
    is_told(&failure("resolution.z"), "`resolution.z` is not in the uniform");
    is_told(&failure("resolutoin.y"), "did you mean `resolution`?");
    is_told(&failure("color"), "`color` is something else in the shader");
    for text in ["", "-3", "nan", "a b", "a..b", "1x"] {
        assert!(text.parse::<FrameHeight>().is_err(), "{text}");
    }
}

fn is_told(message: &str, part: &str) {
    assert!(message.contains(part), "{message}");
}

#[test]
fn a_uniform_is_added_only_if_it_is_read() {
    let texts = |source: &str, target| {
        let module = flipped(&compile("a.frag", source).expect("the shader is valid"), "frame_height");
        String::from_utf8(emit(&module, target, &EmitOptions::default()).expect("it is written").bytes).expect("text")
    };
    let reads = "precision highp float; void main() { gl_FragColor = gl_FragCoord; }";
    let text = texts(reads, Target::Wgsl);
    assert!(text.contains("frame_height: f32"), "{text}");
    for target in [Target::Glsl, Target::Msl, Target::Hlsl] {
        assert!(texts(reads, target).contains("frame_height"));
    }
    let changes =
        "#version 300 es\nprecision highp float; in vec2 uv; out vec4 c; void main() { c = vec4(dFdy(uv), dFdx(uv)); }";
    let text = texts(changes, Target::Wgsl);
    assert!(!text.contains("frame_height") && text.contains("-dpdy("), "{text}");
}
