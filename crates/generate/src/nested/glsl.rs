//! Shapes in GLSL: fragment shaders that compute `x` from the uniforms `u` and `n`.

use super::Language::Glsl;
use super::{Shape, around, deep, long, row};

pub(super) const SHAPES: &[Shape] = &[
    deep(Glsl, "if", |n| body(&around(n, |i| format!("if (u > {i}.0) {{ x += u;\n"), "", |_| "}".into()))),
    deep(Glsl, "else", |n| {
        body(&around(n, |i| format!("if (u > {i}.0) {{ x += {i}.0; }} else {{\n"), "x = u;", |_| "}".into()))
    }),
    deep(Glsl, "if without braces", |n| {
        body(&around(n, |i| format!("if (u > {i}.0) x += u; else\n"), "x = 1.0;", |_| String::new()))
    }),
    deep(Glsl, "for", |n| {
        body(&around(n, |i| format!("for (int i{i} = 0; i{i} < 2; i{i}++) {{ x += u;\n"), "", |_| "}".into()))
    }),
    deep(Glsl, "for that sums", |n| {
        let open = |i| format!("float a{i} = 0.0; for (int i{i} = 0; i{i} < n; i{i}++) {{\n");
        body(&around(n, open, "x += 1.0;", |i| format!("a{i} += x; x += a{i}; }}\n")))
    }),
    deep(Glsl, "while", |n| body(&around(n, |i| format!("while (x < {i}.0) {{ x += 1.0;\n"), "", |_| "}".into()))),
    deep(Glsl, "do while", |n| {
        body(&around(n, |_| "do { x += u;\n".into(), "", |i| format!("}} while (x < -{i}.0);\n")))
    }),
    deep(Glsl, "do once", |n| {
        body(&around(n, |i| format!("do {{ if (x > {i}.0) break;\n"), "", |_| "x += 1.0; } while (false);\n".into()))
    }),
    deep(Glsl, "switch", |n| {
        let open = |i| format!("switch (n) {{ case {}: x += u; break; default: x -= {i}.0;\n", i % 7);
        body(&around(n, open, "", |_| "}".into()))
    }),
    deep(Glsl, "block", |n| {
        body(&around(n, |i| format!("{{ float y{i} = x + u;\n"), "", |i| format!("x += y{i}; }}\n")))
    }),
    deep(Glsl, "parentheses", |n| value(&around(n, |_| "(".into(), "u + 1.0", |_| ")".into()))),
    deep(Glsl, "negations", |n| value(&around(n, |_| "- ".into(), "u", |_| String::new()))),
    deep(Glsl, "sums to the right", |n| value(&around(n, |i| format!("u * {i}.5 + ("), "u", |_| ")".into()))),
    deep(Glsl, "ternaries to the right", |n| {
        value(&around(n, |i| format!("u > {i}.0 ? {i}.5 :\n"), "u", |_| String::new()))
    }),
    deep(Glsl, "ternaries in the middle", |n| {
        value(&around(n, |i| format!("u > {i}.0 ?\n"), "u", |i| format!(" : {i}.5")))
    }),
    deep(Glsl, "conditions", |n| {
        let open = |i| format!("u > {i}.0 {} (", ["&&", "||", "^^"][i % 3]);
        value(&format!("float({})", around(n, open, "n == 0", |_| ")".into())))
    }),
    deep(Glsl, "assignments", |n| body(&format!("float y = u; x = {}u;", "y = ".repeat(n)))),
    deep(Glsl, "calls in arguments", |n| value(&around(n, |i| ["sin(", "g("][i % 2].into(), "u", |_| ")".into()))),
    deep(Glsl, "constructors", |n| value(&around(n, |_| "vec2(".into(), "u", |i| format!(", {i}.0).x")))),
    deep(Glsl, "indices", |n| {
        body(&format!("int a[4]; a[0] = n; x = float({});", around(n, |_| "a[".into(), "0", |_| "]".into())))
    }),
    deep(Glsl, "arrays of arrays", |n| body(&format!("float a{} ; x += u;", "[1]".repeat(n)))),
    deep(Glsl, "structs in structs", |n| {
        let structs = row(n, |i| match i {
            0 => "struct S0 { float a; };\n".to_owned(),
            _ => format!("struct S{i} {{ S{} s; }};\n", i - 1),
        });
        program(&structs, &format!("S{} s; s{1}.a = u; x = s{1}.a;", n - 1, ".s".repeat(n - 1)))
    }),
    deep(Glsl, "preprocessor conditions", |n| {
        body(&around(n, |_| "#if 1\nx += u;\n".into(), "", |_| "#endif\n".into()))
    }),
    deep(Glsl, "macros in macros", |n| {
        let macros = row(n, |i| match i {
            0 => "#define A0 u\n".to_owned(),
            _ => format!("#define A{i} A{} + 1.0\n", i - 1),
        });
        program(&macros, &format!("x = A{};", n - 1))
    }),
    long(Glsl, "sums to the left", |n| value(&format!("u{}", row(n, |i| format!(" + u * {i}.5\n"))))),
    long(Glsl, "conditions to the left", |n| {
        value(&format!("float(n == 0{})", row(n, |i| format!(" {} u > {i}.0\n", ["&&", "||"][i / 3 % 2]))))
    }),
    long(Glsl, "commas", |n| value(&format!("({}u)", row(n, |i| format!("x += {i}.0,\n"))))),
    long(Glsl, "swizzles", |n| value(&format!("vec2(u){}.x", ".yx".repeat(n)))),
    long(Glsl, "else if", |n| body(&format!("{} x = u;", row(n, |i| format!("if (n == {i}) x = {i}.5; else\n"))))),
    long(Glsl, "cases", |n| {
        body(&format!("switch (n) {{\n{}}}", row(n, |i| format!("case {i}: x = {i}.5 * u; break;\n"))))
    }),
    long(Glsl, "cases that fall through", |n| {
        body(&format!("switch (n) {{\n{}}}", row(n, |i| format!("case {i}: x += u * {i}.5;\n"))))
    }),
    long(Glsl, "statements", |n| body(&row(n, |i| format!("x = x * 0.5 + sin(x + {i}.0);\n")))),
    long(Glsl, "declarations", |n| {
        body(&format!("float y0 = u;\n{}x = y{n};", row(n, |i| format!("float y{} = y{i} * u;\n", i + 1))))
    }),
    long(Glsl, "ifs in a row", |n| body(&row(n, |i| format!("if (u > {i}.0) {{ x += sin(x); }}\n")))),
    long(Glsl, "loops in a row", |n| body(&row(n, |i| format!("for (int i = 0; i < n; i++) {{ x += {i}.0 * u; }}\n")))),
    long(Glsl, "returns", |n| {
        body(&row(n, |i| format!("if (x > {i}.0) {{ color = vec4({i}.0); return; }} x += sin(x);\n")))
    }),
    long(Glsl, "breaks", |n| {
        let breaks = row(n, |i| format!("if (x > {i}.0) break; x += sin(x);\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{breaks}}}"))
    }),
    long(Glsl, "continues", |n| {
        let continues = row(n, |i| format!("if (x > {i}.0) continue; x += sin(x);\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{continues}}}"))
    }),
    long(Glsl, "stores to an array", |n| {
        body(&format!(
            "float a[8]; for (int i = 0; i < 8; i++) a[i] = u;\n{}x = a[0];",
            row(n, |i| { format!("a[n + {}] += a[{}];\n", i % 5, i % 8) })
        ))
    }),
    long(Glsl, "functions", |n| {
        program(&row(n, |i| format!("float f{i}(float x) {{ return sin(x) + {i}.0; }}\n")), "x = f0(u);")
    }),
    long(Glsl, "calls in a chain", |n| program(&chain(n, |i| format!("f{i}(x * u + 1.0)")), &format!("x = f{n}(u);"))),
    long(Glsl, "calls in a chain, twice", |n| {
        program(&chain(n, |i| format!("f{i}(x * u) + f{i}(x - u)")), &format!("x = f{n}(u);"))
    }),
    long(Glsl, "calls of one function", |n| {
        let function = "float f(float x) { if (x > u) return sin(x); return cos(x); }\n";
        program(function, &row(n, |i| format!("x = f(x + {i}.0);\n")))
    }),
    long(Glsl, "globals", |n| {
        program(&row(n, |i| format!("float g{i} = {i}.0;\n")), &row(n, |i| format!("g{i} += u; x += g{i};\n")))
    }),
    long(Glsl, "uniforms", |n| {
        program(&row(n, |i| format!("uniform vec4 w{i};\n")), &row(n, |i| format!("x += w{i}.x;\n")))
    }),
];

/// Functions `f1` to `fn`, each of which computes `next` of the previous one.
fn chain(n: usize, next: impl Fn(usize) -> String) -> String {
    let functions =
        row(n, |i| format!("float f{}(float x) {{ if (x > {i}.0) return x; return {}; }}\n", i + 1, next(i)));
    format!("float f0(float x) {{ return sin(x) + u; }}\n{functions}")
}

fn program(globals: &str, body: &str) -> String {
    format!(
        "#version 310 es\nprecision highp float;\nuniform float u;\nuniform int n;\nout vec4 color;\n\
         float g(float x) {{ return x * u + 1.0; }}\n{globals}void main() {{\nfloat x = u;\n{body}\ncolor = vec4(x);\n}}\n"
    )
}

fn body(body: &str) -> String {
    program("", body)
}

fn value(expression: &str) -> String {
    program("", &format!("x = {expression};"))
}
