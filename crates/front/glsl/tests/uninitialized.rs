//! Reads of local variables that no way there has written (W0102), and none where some way has.

use planish_front_glsl::{Options, compile};
use planish_ir::diagnostic::Code;
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

/// The text at each W0102.
fn reads(body: &str) -> Vec<String> {
    let head = "#version 300 es\nprecision highp float;\nuniform float u;\nuniform int n;\nout vec4 c;\n\
        void set(out float x) { x = 1.0; }\nvoid add(inout float x) { x += 1.0; }\n";
    let mut map = SourceMap::new();
    let file = map.add("a", format!("{head}void main() {{ {body} }}")).expect("small");
    let output = compile(&mut map, &file, &mut Options::new(Stage::Fragment));
    assert!(!output.has_errors(), "{body}: {:#?}", output.diagnostics);
    let found = output.diagnostics.iter().filter(|d| d.code == Code::W0102);
    found.map(|d| map.text(d.span).to_owned()).collect()
}

#[test]
fn reads_that_nothing_wrote() {
    for (body, name) in [
        ("float x; c.r = x;", "x"),
        ("float x; x += 1.0;", "x"),
        ("float x; ++x;", "x"),
        ("float x; add(x);", "x"),
        ("vec4 v; c = v.xyzw;", "v"),
        ("float x; if (u > 0.0) { x = 1.0; } else { c.r = x; }", "x"),
        ("float x; if (u > 0.0) { x = 1.0; return; } c.r = x;", "x"),
        ("float x; if (u > 0.0) { x = 1.0; discard; } else if (u < -1.0) { c.r = x; }", "x"),
        ("float x; switch (n) { case 0: x = 1.0; break; case 1: c.r = x; break; default: break; }", "x"),
        ("float x; c.r = u > 0.0 ? (x = 1.0) : x;", "x"),
        ("float x; for (int i = 0; i < 3; ++i) { c.r += x; x = 1.0; }", "x"),
        ("float x; while (x < 3.0) { x = 1.0; }", "x"),
        ("float x; do { c.r = x; x = 1.0; } while (u > 0.0);", "x"),
        ("for (int i = 0; i < 3; ++i) { float x; if (i > 1) { c.r = x; } x = 1.0; }", "x"),
        ("float x; for (int i = 0; i < 3; ++i) { if (i > 0) { c.r = x; } }", "x"),
    ] {
        assert_eq!(reads(body), [name], "{body}");
    }
}

#[test]
fn reads_that_some_way_wrote() {
    for body in [
        "float x; x = 1.0; c.r = x;",
        "float x; set(x); c.r = x;",
        "float x; if (u > 0.0) { x = 1.0; } c.r = x;",
        "float x; bool has = u > 0.0; if (has) { x = 1.0; } if (has) { c.r = x; }",
        "float x; if (u > 0.0) { x = 1.0; } else { return; } c.r = x;",
        "float x; switch (n) { case 0: x = 1.0; case 1: c.r = x; break; default: break; }",
        "float x; switch (n) { case 0: x = 1.0; break; default: return; } c.r = x;",
        "float x; for (int i = 0; i < 3; ++i) { if (i > 0) { c.r = x; } x = 1.0; }",
        "float x; for (int i = 0; i < 3; ++i) { if (i == 0) { x = 1.0; continue; } c.r = x; }",
        "float x; for (int i = 0; i < 3; ++i) { c.r += i > 0 ? x : 0.0; x = 1.0; }",
        "float x; for (int i = 0; i < 3; ++i) { if (i > 0 && x > 0.0) { c.r = 1.0; } x = 1.0; }",
        "float x; for (int i = 0; i < 3; ++i) { for (int j = 0; j < i; ++j) { c.r += x; } x = 1.0; }",
        "float x; for (int i = 0; i < 3; ++i) { if (u > 0.0) { x = 1.0; break; } } c.r = x;",
        "float x; for (int i = 0; i < 3; ++i, c.r += x) { x = 1.0; }",
        "float x; do { x = 1.0; } while (x < u);",
        "float x[3]; c.r = float(x.length());",
        "float x[3]; for (int i = 0; i < 3; ++i) { x[i] = 1.0; } c.r = x[1];",
    ] {
        assert!(reads(body).is_empty(), "{body}: {:?}", reads(body));
    }
}
