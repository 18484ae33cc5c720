//! Shapes in WGSL: fragment shaders that compute `x` from the uniform `u`.

use super::Language::Wgsl;
use super::{Shape, around, deep, long, row};

pub(super) const SHAPES: &[Shape] = &[
    deep(Wgsl, "if", |n| body(&around(n, |i| format!("if u.x > {i}.0 {{ x += u.y;\n"), "", |_| "}".into()))),
    deep(Wgsl, "else", |n| {
        body(&around(n, |i| format!("if u.x > {i}.0 {{ x += u.y; }} else {{\n"), "x = 1.0;", |_| "}".into()))
    }),
    deep(Wgsl, "loop", |n| {
        body(&around(n, |i| format!("loop {{ if x > {i}.0 {{ break; }} x += u.y;\n"), "", |_| "}".into()))
    }),
    deep(Wgsl, "while", |n| body(&around(n, |i| format!("while x < {i}.0 {{ x += 1.0;\n"), "", |_| "}".into()))),
    deep(Wgsl, "for", |n| {
        body(&around(n, |i| format!("for (var i{i} = 0; i{i} < 2; i{i}++) {{ x += u.y;\n"), "", |_| "}".into()))
    }),
    deep(Wgsl, "switch", |n| {
        body(&around(
            n,
            |i| format!("switch i32(u.z) {{ case {}: {{ x += 1.0; }} default: {{\n", i % 9),
            "",
            |_| "}}".into(),
        ))
    }),
    deep(Wgsl, "block", |n| {
        body(&around(n, |i| format!("{{ let y{i} = x + u.y;\n"), "", |i| format!("x += y{i}; }}\n")))
    }),
    deep(Wgsl, "parentheses", |n| value(&around(n, |_| "(".into(), "u.x + 1.0", |_| ")".into()))),
    deep(Wgsl, "negations", |n| value(&around(n, |_| "- ".into(), "u.x", |_| String::new()))),
    deep(Wgsl, "sums to the right", |n| value(&around(n, |i| format!("u.x * {i}.5 + ("), "u.y", |_| ")".into()))),
    deep(Wgsl, "calls in arguments", |n| value(&around(n, |i| ["sin(", "g("][i % 2].into(), "x", |_| ")".into()))),
    deep(Wgsl, "array types", |n| {
        program(&format!("var<private> a: {}f32{};\n", "array<".repeat(n), ",1>".repeat(n)), "x += 1.0;")
    }),
    long(Wgsl, "sums to the left", |n| value(&format!("u.x{}", row(n, |i| format!(" + u.y * {i}.5\n"))))),
    long(Wgsl, "else if", |n| {
        body(&format!("{}{{ x = u.y; }}", row(n, |i| format!("if u.x > {i}.0 {{ x = {i}.5; }} else\n"))))
    }),
    long(Wgsl, "cases", |n| {
        body(&format!("switch i32(u.z) {{\n{}default: {{}} }}", row(n, |i| format!("case {i}: {{ x = {i}.5; }}\n"))))
    }),
    long(Wgsl, "statements", |n| body(&row(n, |i| format!("x = x * 0.5 + sin(x + {i}.0);\n")))),
    long(Wgsl, "declarations", |n| {
        body(&format!("let y0 = u.x;\n{}x = y{n};", row(n, |i| format!("let y{} = y{i} * u.y;\n", i + 1))))
    }),
    long(Wgsl, "functions", |n| {
        let functions = row(n, |i| format!("fn h{}(x: f32) -> f32 {{ return h{i}(x * u.x); }}\n", i + 1));
        program(&format!("fn h0(x: f32) -> f32 {{ return sin(x); }}\n{functions}"), &format!("x = h{n}(x);"))
    }),
    long(Wgsl, "functions used before they are declared", |n| {
        let functions = row(n, |i| format!("fn h{i}(x: f32) -> f32 {{ return h{}(x * u.x); }}\n", i + 1));
        program(&format!("{functions}fn h{n}(x: f32) -> f32 {{ return sin(x); }}\n"), "x = h0(x);")
    }),
    long(Wgsl, "structs", |n| {
        let structs = row(n, |i| format!("struct S{} {{ s: S{i}, a: f32 }}\n", i + 1));
        program(&format!("struct S0 {{ a: f32 }}\n{structs}"), &format!("var s: S{n}; s.a = x; x = s.a;"))
    }),
];

fn program(globals: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<uniform> u: vec4<f32>;\nfn g(x: f32) -> f32 {{ return x * u.z + 1.0; }}\n{globals}\
         @fragment fn main() -> @location(0) vec4<f32> {{\nvar x = u.x;\n{body}\nreturn vec4<f32>(x);\n}}\n"
    )
}

fn body(body: &str) -> String {
    program("", body)
}

fn value(expression: &str) -> String {
    program("", &format!("x = {expression};"))
}
