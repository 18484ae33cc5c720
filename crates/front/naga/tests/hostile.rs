//! Deep, long, damaged: a diagnostic, never a crash.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::SourceMap;

use crate::common;

/// On a stack of so many bytes, which is what a test's thread has by default.
const STACK: usize = 2 << 20;

fn errors_of(text: String) -> Vec<Diagnostic> {
    let read = move || {
        let file = SourceMap::new().add("hostile.wgsl", text).expect("small");
        planish_front_naga::read_wgsl(&file).err().unwrap_or_default()
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

#[test]
fn damaged_binaries_are_refused() {
    assert!(planish_front_naga::spirv_words(&[3, 2, 35]).is_err());
    for words in [&[][..], &[0x0723_0203], &[0x0723_0203, 0x10000, 0, 10, 0, 0], &[1, 2, 3, 4, 5, 6]] {
        let result = planish_front_naga::read_spirv(words);
        if let Ok((module, _)) = result {
            common::verified("an empty binary", module);
        }
    }
    let text = "@fragment fn main(@location(0) x: f32) -> @location(0) vec4<f32> {
        var y = 0.0; for (var i = 0; i < 4; i++) { if x > y { y += x; } } return vec4<f32>(y); }";
    let module = naga::front::wgsl::parse_str(text).expect("valid");
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    let info = validator.validate(&module).expect("valid");
    let words =
        naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None).expect("written");
    planish_front_naga::read_spirv(&words).expect("the whole is right");
    // A small generator of reproducible damage.
    let mut state = 12345u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for _ in 0..400 {
        let mut damaged = words.clone();
        match next(3) {
            0 => damaged.truncate(5 + next(words.len() - 5)),
            1 => damaged[5 + next(words.len() - 5)] ^= 1 << next(32),
            _ => damaged[5 + next(words.len() - 5)] = next(64) as u32,
        }
        if let Ok((module, _)) = planish_front_naga::read_spirv(&damaged) {
            common::verified("a damaged binary", module);
        }
    }
}
