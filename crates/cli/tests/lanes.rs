//! Fragment shaders on lanes: `run --engine vm`, `print --lanes`.

use crate::common::{Folder, text};

const SHADER: &str = "#version 310 es
precision highp float;
in vec2 uv;
out vec4 color;
void main() { float x = 0.0; while (x < uv.x) x += 0.125; color = vec4(x, sin(uv.y * 9.0), fwidth(uv.y), 1.0); }
";

#[test]
fn all_engines_draw_the_same_picture() {
    let folder = Folder::new("engines");
    folder.write("s.frag", SHADER);
    let draw = |args: &[&str]| {
        let args: Vec<&str> =
            ["run", "s.frag", "--size", "20x11", "-o", "out.png"].iter().chain(args).copied().collect();
        let output = folder.planish(&args, "");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
        folder.read("out.png")
    };
    let expected = draw(&[]);
    assert_eq!(draw(&["--engine", "eval"]), expected);
    for lanes in ["4", "8", "16"] {
        assert_eq!(draw(&["--engine", "vm", "--lanes", lanes]), expected, "{lanes} lanes");
    }
    assert_eq!(draw(&["--engine", "native"]), expected);
}

#[test]
fn what_cannot_be_drawn_on_lanes_is_an_error() {
    let folder = Folder::new("lanes-errors");
    let source = "#version 310 es
precision highp float;
layout(std430, binding = 0) buffer B { uint n; } b;
out vec4 color;
void main() { color = vec4(float(atomicAdd(b.n, 1u))); }
";
    folder.write("s.frag", source);
    let fails = |args: &[&str], message: &str| {
        let output = folder.planish(args, "");
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(message), "{args:?}: {errors}");
    };
    fails(
        &["run", "s.frag", "--engine", "vm", "-o", "out.png"],
        "memory that fragments share cannot be drawn on lanes",
    );
    fails(&["run", "s.frag", "--engine", "vm", "--lanes", "5", "-o", "out.png"], "4, 8 or 16 are possible");
    folder.write("s.vert", "#version 310 es\nvoid main() { gl_Position = vec4(0.0); }\n");
    fails(&["run", "s.vert", "--engine", "vm"], "--engine vm draws fragment shaders only");
    fails(&["run", "s.vert", "--engine", "native"], "--engine native draws fragment shaders only");
}

#[test]
fn the_widened_program_is_printed() {
    let folder = Folder::new("lanes-print");
    folder.write("s.frag", SHADER);
    let output = folder.planish(&["print", "s.frag", "--lanes", "8"], "");
    let listing = text(&output.stdout);
    assert!(output.status.success() && listing.contains("vec8") && listing.contains("any"), "{listing}");
}
