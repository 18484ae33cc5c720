//! Errors have a code, a place, and a message.

use planish_front_wasm::{Options, translate};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::SourceMap;

use crate::common::{self, read_binary};

/// The errors of a text: code, the words that are pointed at, message.
fn errors_of(text: &str) -> Vec<(Code, String, String)> {
    let mut map = SourceMap::new();
    let file = map.add("a.wat", text).expect("small");
    let errors = translate(&file, text.as_bytes(), &Options::default()).expect_err("is wrong");
    errors.iter().map(|e| (e.code, map.text(e.span).to_owned(), e.message.clone())).collect()
}

fn first(text: &str) -> (Code, String) {
    let (code, place, _) = errors_of(text).remove(0);
    (code, place)
}

#[test]
fn the_pages_have_true_examples() {
    for code in ["E1202", "E1203", "E1204"] {
        let page = format!("{}/../../planish/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(page).expect("there is a page");
        let examples: Vec<&str> = page.split("```wat\n").skip(1).filter_map(|p| p.split("```").next()).collect();
        let [wrong, right] = examples[..] else { panic!("{code}: one wrong and one right example") };
        assert_eq!(errors_of(wrong)[0].0.0, code);
        common::read(right);
    }
}

#[test]
fn places_in_a_text_are_its_words() {
    let text = "(module\n  (func $f (param i32) (result i32)\n    local.get 0\n    (i32.add (i32.const 1) (f32.const 2))\n    \
                drop))";
    assert_eq!(first(text), (Code::E1202, "i32.add".into()));
    assert_eq!(first("(module (func (result i32)\n  i32.cosnt 1))"), (Code::E1204, "i32.cosnt".into()));
    assert_eq!(first("(module (func (call 7)))"), (Code::E1202, "call".into()));
    assert_eq!(first("(module (memory 1)\n  (export \"a\" (memory 3)))").0, Code::E1202);
    assert_eq!(first("(module (func)").0, Code::E1204);
    // The code differs if another crate of the build enables components in `wat`.
    assert!(matches!(first("(component)").0, Code::E1203 | Code::E1204));
}

#[test]
fn several_functions_are_reported() {
    let text = format!("(module {})", "(func (result i32) f32.const 1)".repeat(30));
    let errors = errors_of(&text);
    assert_eq!(errors.len(), 20);
    assert!(errors.iter().all(|(code, ..)| *code == Code::E1202));
}

#[test]
fn later_parts_are_named() {
    let cases = [
        "(module (memory 1 1 shared))",
        "(module (memory i64 1))",
        "(module (tag))",
        "(module (type (struct)))",
        "(module (func (drop (ref.i31 (i32.const 1)))))",
        "(module (func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0)))))",
        "(module (func (drop (i32.atomic.load (i32.const 0)))) (memory 1))",
    ];
    for text in cases {
        let errors = errors_of(text);
        assert_eq!(errors[0].0, Code::E1203, "{text}: {errors:?}");
    }
}

#[test]
fn what_cannot_be_decoded_is_malformed() {
    let one = |bytes: &[u8]| -> Diagnostic { read_binary(bytes, &Options::default()).expect_err("is wrong").remove(0) };
    let whole = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x04\x01\x02\0\x0b";
    read_binary(whole, &Options::default()).expect("it is right");
    for length in 0..whole.len() {
        // A module may end behind any section, but not without the bodies that it declares.
        let error = match read_binary(&whole[..length], &Options::default()) {
            Ok(_) => continue,
            Err(mut errors) => errors.remove(0),
        };
        assert!(matches!(error.code, Code::E1201 | Code::E1202), "{length}: {error:?}");
    }
    assert_eq!(one(b"").code, Code::E1201);
    assert_eq!(one(b"\0asm\x02\0\0\0").code, Code::E1201);
    let mut bad = whole.to_vec();
    bad[whole.len() - 1] = 0xff;
    let error = one(&bad);
    // Files begin at offset 1 of all offsets.
    assert_eq!((error.code, error.span.start), (Code::E1201, whole.len() as u32));
}
