//! Long programs compile on a small stack; deep ones within the limit of the parser too.

use planish_front_glsl::{Options, compile};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

/// Compiles on a stack of 1 MiB; gives the codes of the errors.
fn errors(name: &'static str, text: String) -> Vec<&'static str> {
    let run = move || {
        let mut map = SourceMap::new();
        let file = map.add(name, text).unwrap();
        let output = compile(&mut map, &file, &mut Options::new(Stage::Fragment));
        let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code.0).collect();
        assert_eq!(output.module.is_some(), errors.is_empty());
        errors
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap()
}

fn compiles(name: &'static str, text: String) {
    assert_eq!(errors(name, text), [""; 0], "{name}");
}

/// 120 levels compile; twice as many compile or are too deep (where a level of the source is two of the tree).
fn deep(name: &'static str, body: impl Fn(&dyn Fn(&str, &str, &str) -> String) -> String) {
    for levels in [120, 240] {
        let nest =
            |open: &str, close: &str, inner: &str| format!("{}{inner}{}", open.repeat(levels), close.repeat(levels));
        let errors = errors(name, shader(&body(&nest)));
        assert!(errors.is_empty() || (levels > 120 && errors == ["E0204"]), "{name}: {errors:?}");
    }
}

fn shader(body: &str) -> String {
    format!(
        "#version 300 es\nprecision highp float;\nin float x;\nout vec4 color;\nfloat f(float a) {{ return a; }}\nvoid main() {{\nfloat y = x;\n{body}\ncolor = vec4(y);\n}}\n"
    )
}

#[test]
fn many_statements() {
    compiles("assignments", shader(&"y = y * 2.0 + x;\n".repeat(50_000)));
    compiles("ifs", shader(&"if (y > 0.5) y = x;\n".repeat(50_000)));
    compiles("loops", shader(&"for (int i = 0; i < 3; i++) y += x;\n".repeat(20_000)));
    compiles(
        "functions",
        (0..20_000)
            .fold("precision highp float;\n".to_owned(), |s, i| s + &format!("float f{i}(float a) {{ return a; }}\n"))
            + "void main() { }",
    );
}

#[test]
fn long_chains() {
    compiles("sum", shader(&format!("y = x{};", " + x".repeat(100_000))));
    compiles("logic", shader(&format!("bool b = y > 0.0{}; if (b) y = 1.0;", " && x > y".repeat(50_000))));
    compiles("commas", shader(&format!("y = x{};", ", y = x".repeat(50_000))));
    compiles("else if", shader(&format!("if (y < 0.0) y = 1.0;{}", " else if (y < 1.0) y = 2.0;".repeat(50_000))));
    let arms: String = (0..20_000).map(|i| format!("case {i}: y = x; break;\n")).collect();
    compiles("cases", shader(&format!("switch (int(y)) {{ {arms} }}")));
}

#[test]
fn deep_nesting() {
    deep("parentheses", |nest| format!("y = {};", nest("(", ")", "x")));
    deep("calls", |nest| format!("y = {};", nest("f(", ")", "x")));
    deep("built-in calls", |nest| format!("y = {};", nest("sin(", ")", "x")));
    deep("constructors", |nest| format!("y = {};", nest("float(", ")", "x")));
    deep("right operands", |nest| format!("y = {};", nest("x + (", ")", "x")));
    deep("ternaries", |nest| format!("y = {};", nest("x > y ? x : (", ")", "x")));
    deep("signs", |nest| format!("y = {};", nest("-(", ")", "x")));
    deep("indices", |nest| format!("int a[4]; a[0] = 1; y = float({});", nest("a[", "]", "0")));
    deep("assignments", |nest| format!("y = {};", nest("y += (", ")", "x")));
    deep("blocks", |nest| nest("{", "}", "y = x;"));
    deep("branches", |nest| nest("if (x > y) {", "}", "y = x;"));
    deep("loops", |nest| nest("for (int i = 0; i < 2; i++) {", "}", "y = x;"));
    deep("do loops", |nest| nest("do {", "} while (x > y);", "y = x;"));
    deep("switches", |nest| nest("switch (int(x)) { case 0:", "}", "y = x;"));
}
