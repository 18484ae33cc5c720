//! Constructs that SPIR-V cannot hold: the error's code, and its place in the source.

use planish_back_spirv::Options;
use planish_ir::diagnostic::Code;
use planish_ir::source::SourceMap;

use crate::legal::write;

/// The errors for a program in the text form, each with the line it points at.
fn errors(text: &str) -> Vec<(Code, String)> {
    let mut map = SourceMap::new();
    let file = map.add("a.ir", text).expect("small");
    let module = planish_ir::text::parse(&file).unwrap_or_else(|e| panic!("{e:#?}"));
    let found = planish_ir::verify::verify(&module);
    assert!(found.is_empty(), "{found:#?}");
    let errors = write(&module, &Options::default()).err().unwrap_or_default();
    errors.into_iter().map(|e| (e.code, map.text(e.span).trim().to_string())).collect()
}

fn check(text: &str, code: Code, place: &str) {
    let found = errors(text);
    let [(found_code, at)] = &found[..] else { panic!("not one error for {text}: {found:?}") };
    assert_eq!(*found_code, code, "{text}");
    assert!(at.contains(place), "{text}: points at `{at}`, not at `{place}`");
}

#[test]
fn byte_memories() {
    let text = "module wasm\nmemory memory0 min 1\nfn @f(%0 p: i32) -> (i32) {\nb0:\n  %1: i32 = memory_load[memory0 u32 offset 0] %0\n  return %1\n}\n";
    check(text, Code::E0604, "memory_load");
}

#[test]
fn calls_through_tables() {
    let text = "module wasm\ntable table0 funcref min 1\nfn @f(%0 p: i32) -> (i32) {\nb0:\n  %1 = call_indirect[table0 fn(i32) -> (i32)] %0, %0\n  return %1\n}\n";
    check(text, Code::E0608, "call_indirect");
}

#[test]
fn tokens_and_references() {
    let text = "module vl\nfn @f() -> (bool) {\nb0:\n  %0 = new_token\n  %1 = token_equal %0, %0\n  return %1\n}\n";
    check(text, Code::E0604, "new_token");
    let text = "module wasm\nfn @f(%0 r: funcref) -> (i32) {\nb0:\n  %1 = ref_is_null %0\n  return %1\n}\n";
    check(text, Code::E0602, "funcref");
}

#[test]
fn traps() {
    let text = "module ir\nfn @f() -> (i32) {\nb0:\n  trap user\n}\n";
    check(text, Code::E0608, "trap");
    let text = "module ir\nfn @f(%0 a: i32) -> (i32) {\nb0:\n  %1 = divide_trapping %0, %0\n  return %1\n}\n";
    check(text, Code::E0604, "divide_trapping");
}

#[test]
fn recursion_and_imports() {
    let text = "module ir\nfn @f(%0 a: i32) -> (i32) {\nb0:\n  %1 = call @f, %0\n  return %1\n}\n";
    check(text, Code::E0608, "f");
    let text = "module ir\nfn @f(%0 a: i32) -> (i32)\nimport @f \"env\" \"f\"\n";
    check(text, Code::E0608, "f");
}

#[test]
fn atomic_counters() {
    let text = "module glsl 310 es\nvar handle @n: atomic_uint binding(0)\nfn @main() {\nb0:\n  %0 = atomic_counter_increment @n\n  return\n}\nentry compute @main \"main\" local_size(1, 1, 1)\n";
    check(text, Code::E0602, "n");
}

#[test]
fn wide_numbers_have_no_sines() {
    let text = "module ir\nfn @f(%0 a: f64) -> (f64) {\nb0:\n  %1 = sin %0\n  return %1\n}\n";
    check(text, Code::E0604, "sin");
    // Bit fields of them are shifts.
    let text = "module ir\nfn @f(%0 a: i64) -> (i64) {\nb0:\n  %1 = bitfield_extract %0, 3, 4\n  return %1\n}\n";
    assert_eq!(errors(text), []);
}

#[test]
fn several_errors_are_told_at_once() {
    let text = "module ir\nfn @f() {\nb0:\n  trap user\n}\nfn @g() {\nb0:\n  trap user\n}\n";
    assert_eq!(errors(text).len(), 2);
}
