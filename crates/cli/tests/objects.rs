//! `planish compile` to object files.

use std::process::Output;

use crate::common::{Folder, text};

const VL: &str = "(define (twice x) (* 2 x))\n(export twice (real))\n";

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_header_is_written_beside_an_object() {
    let folder = Folder::new("object");
    folder.write("a.vl", VL);
    succeeds(&folder.planish(&["compile", "a.vl", "-o", "wave.o"], ""));
    assert!(folder.contents()["wave.o"].len() > 200);
    assert!(folder.read("wave.h").contains("double wave_twice(double x);"), "{}", folder.read("wave.h"));
    // By another name, and with another prefix.
    succeeds(&folder.planish(&["compile", "a.vl", "-o", "b.obj", "-o", "include.h", "--prefix", "p"], ""));
    assert!(folder.read("include.h").contains("double p_twice(double x);"));
    assert!(!folder.contents().contains_key("b.h"));
    // Beside the input.
    succeeds(&folder.planish(&["compile", "a.vl", "--emit=object,js", "--prefix="], ""));
    assert!(folder.read("a.h").contains("double twice(double x);"));
    assert!(folder.contents().contains_key("a.o"));
}

#[test]
fn an_object_goes_to_standard_output_alone() {
    let folder = Folder::new("object-stream");
    let output = folder.planish(&["compile", "-", "--from=vl", "--emit=object", "--target=aarch64-apple-darwin"], VL);
    succeeds(&output);
    assert_eq!(output.stdout[..4], 0xfeed_facfu32.to_le_bytes(), "it is a Mach-O file");
    assert!(folder.contents().is_empty());
    let output = folder.planish(&["compile", "-", "--from=vl", "--emit=header"], VL);
    succeeds(&output);
    assert!(text(&output.stdout).contains("double program_twice(double x);"), "{}", text(&output.stdout));
}

#[test]
fn options_of_objects_are_checked_before_anything_is_read() {
    let folder = Folder::new("object-usage");
    let refused = |args: &[&str], message: &str| {
        let output = folder.planish(args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(message), "{args:?}: {}", text(&output.stderr));
    };
    refused(&["compile", "a.vl", "-o", "a.js", "--target", "x86_64-unknown-linux-gnu"], "--target is of object files");
    refused(&["compile", "a.vl", "-o", "a.js", "--prefix", "p"], "--prefix is of object files");
    refused(&["compile", "a.vl", "-o", "a.js", "--lanes", "4"], "--lanes is of object files");
    refused(&["compile", "a.vl", "-o", "a.js", "--approximate"], "--approximate is of object files");
    refused(&["compile", "a.vl", "-o", "a.o", "--lanes", "5"], "4, 8 or 16");
    refused(&["compile", "a.vl", "-o", "a.o", "--target", "pdp11"], "no object files for `pdp11`");
    refused(&["compile", "a.vl", "-o", "a.o", "--target", "wasm32-wasip1"], "names are as in");
    refused(&["compile", "a.vl", "-o", "a.o", "-o", "a.o"], "a.o");
    folder.write("a.h", "mine");
    refused(&["compile", "a.h", "--from=vl", "-o", "a.o"], "a.h");
    assert_eq!(folder.read("a.h"), "mine");
}

#[test]
fn shaders_are_functions_of_one_invocation_or_of_batches() {
    let folder = Folder::new("object-shaders");
    let shader = |statements: &str| {
        format!("#version 300 es\nprecision highp float; in vec2 uv; out vec4 c; void main() {{ {statements} }}\n")
    };
    folder.write("plain.frag", shader("c = vec4(uv, 0, 1);"));
    folder.write("holes.frag", shader("if (uv.x > 0.5) discard; c = vec4(uv, 0, 1);"));
    succeeds(&folder.planish(&["compile", "plain.frag", "-o", "plain.o"], ""));
    assert!(folder.read("plain.h").contains("planish_f32x2 uv;"), "{}", folder.read("plain.h"));
    succeeds(&folder.planish(&["compile", "plain.frag", "-o", "wide.o", "--lanes", "16", "--approximate"], ""));
    assert!(folder.read("wide.h").contains("float uv[2][16];"), "{}", folder.read("wide.h"));
    succeeds(&folder.planish(&["compile", "holes.frag", "-o", "holes.o"], ""));
    let header = folder.read("holes.h");
    assert!(header.contains("float uv[2][8];") && header.contains("uint32_t discarded;"), "{header}");
}
