//! Comments of declarations in the output.

use planish::{Compiler, EmitOptions, Target, emit, keep_comments};

const SHADER: &str = "#version 300 es
precision highp float;

// Not of a declaration.

/* A lamp. */
struct Lamp {
    vec3 color; // linear
    // in candela
    float power;
};
uniform Lamps {
    Lamp lamps[2]; // both of them
};
// Seconds \\ since the start \\\\
//   of the program.
uniform float time;
uniform sampler2D albedo; // sRGB
// The picture.
out vec4 color;

/**
 * Light of a lamp.
 *
 * @param n its number
 */
vec3 light(int n) {
    // Of a statement.
    return lamps[n].color * lamps[n].power;
}

// Draws.
void main() { color = vec4(light(int(time)) + light(int(time + 1.0)), 1.0) * texture(albedo, vec2(0.5)); }
";

fn written(name: &str, source: &str, target: Target, minify: bool) -> String {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(name, source);
    let mut module = compilation.module.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
    keep_comments(&mut module, &compiler.map);
    let options = EmitOptions { minify, prefix: "p".into(), ..EmitOptions::default() };
    let artifact = emit(&module, target, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    String::from_utf8(artifact.bytes).expect("text")
}

/// The comments in a text, each with the beginning of the line that follows.
fn comments(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let comment =
        |line: &str| line.strip_prefix("//").filter(|rest| !rest.starts_with('/')).map(|s| s.trim().to_owned());
    lines.iter().filter_map(|line| comment(line)).collect()
}

#[test]
fn declarations_keep_their_comments_in_every_language_of_shaders() {
    let of_lamp = ["A lamp.", "linear", "in candela", "both of them"];
    let of_light = ["Light of a lamp.", "", "@param n its number", "Draws."];
    let time = ["Seconds \\ since the start", "of the program."];
    let expect = |target: Target, parts: &[&[&str]]| {
        let text = written("a.frag", SHADER, target, false);
        let expected: Vec<&str> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        assert_eq!(comments(&text), expected, "{text}");
        assert!(!text.lines().any(|line| line.ends_with('\\')), "{text}");
        let minified = written("a.frag", SHADER, target, true);
        assert!(!minified.contains("//"), "{minified}");
    };
    expect(Target::Glsl, &[&of_lamp, &time, &["sRGB", "The picture."], &of_light]);
    expect(Target::Wgsl, &[&time, &of_lamp, &["sRGB"], &of_light]);
}

/// A comment stands right above its declaration.
#[test]
fn comments_stand_at_their_declarations() {
    let text = written("a.frag", SHADER, Target::Wgsl, false);
    for (comment, line) in [
        ("// A lamp.", "struct Lamp {"),
        ("    //   of the program.", "    @size(16) time: f32,"),
        ("// Draws.", "@fragment"),
    ] {
        assert!(text.contains(&format!("{comment}\n{line}")), "{text}");
    }
    for target in [Target::Msl, Target::Hlsl] {
        let text = written("a.frag", SHADER, target, false);
        assert!(text.contains("// A lamp.\nstruct Lamp {\n    // linear\n"), "{text}");
        assert!(text.contains("    //   of the program.\n    float time"), "{text}");
        assert!(text.contains("// Light of a lamp.\n//\n// @param n its number\n"), "{text}");
        assert!(!text.contains("Of a statement") && !text.contains("Not of a declaration"), "{text}");
    }
}

#[test]
fn programs_have_comments_too() {
    let source = ";; Not of it.\n\n; The square\n; of a number.\n(define (square x) (* x x))\n(export square (real))";
    for target in [Target::C, Target::Rust] {
        let text = written("a.vl", source, target, false);
        assert!(text.contains("// The square\n// of a number.\n"), "{text}");
        assert!(!text.contains("Not of it"), "{text}");
    }
    // Read again, comments are no part of the program.
    let wgsl = "// One.\n@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); } // no\n";
    let text = written("a.wgsl", wgsl, Target::Wgsl, false);
    assert_eq!(comments(&text), ["One."]);
    assert_eq!(written("a.wgsl", &text, Target::Wgsl, false), text);
}
