//! Deep and long: a diagnostic, never a crash.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::SourceMap;

/// On a stack of so many bytes, which is what a test's thread has by default.
const STACK: usize = 2 << 20;

fn errors_of(text: String) -> Vec<Diagnostic> {
    let read = move || {
        let file = SourceMap::new().add("hostile.wgsl", text).expect("small");
        planish_front_naga::read_wgsl(&file, &mut SourceMap::new(), &mut planish_front_naga::Options::default())
            .err()
            .unwrap_or_default()
    };
    std::thread::Builder::new().stack_size(STACK).spawn(read).expect("a thread").join().expect("no panic")
}

fn function(expression: &str) -> String {
    format!("fn f(x: f32) -> f32 {{ return {expression}; }}")
}

#[test]
fn deep_programs_are_refused() {
    let deep = 5_000;
    let cases = [
        function(&format!("{}x{}", "(".repeat(deep), ")".repeat(deep))),
        function(&format!("{}x", "- ".repeat(deep))),
        function(&format!("x{}", " + x".repeat(deep))),
        function(&format!("{}x{}", "abs(".repeat(deep), ")".repeat(deep))),
        format!("fn f() {{ {} {} }}", "{".repeat(deep), "}".repeat(deep)),
        format!("fn f(x: bool) {{ {} {} }}", "if x {".repeat(deep), "}".repeat(deep)),
        format!("var<private> x: {}f32{};", "array<".repeat(deep), ", 1>".repeat(deep)),
    ];
    for case in cases {
        let errors = errors_of(case.clone());
        assert!(!errors.is_empty(), "{}", &case[..60]);
        assert!(errors.iter().all(|e| matches!(e.code, Code::E0701 | Code::E0707)), "{errors:?}");
    }
}

#[test]
fn the_deepest_that_is_allowed_fits_the_stack() {
    let cases = [
        function(&format!("{}x{}", "(".repeat(60), ")".repeat(60))),
        function(&format!("x{}", " + x".repeat(1_900))),
        function(&format!("{}x", "- ".repeat(1_900))),
        format!("fn f(x: bool) {{ {} {} }}", "if x {".repeat(120), "}".repeat(120)),
    ];
    for case in cases {
        let errors = errors_of(case.clone());
        assert!(errors.is_empty(), "{}: {errors:?}", &case[..60]);
    }
}

#[test]
fn long_programs_are_read() {
    let body = "    if x > 0.5 { y += x; } else { y -= 1.0; }\n".repeat(5_000);
    let errors = errors_of(format!("fn f(x: f32) -> f32 {{\n    var y = 0.0;\n{body}    return y;\n}}"));
    assert!(errors.is_empty(), "{errors:?}");
}
