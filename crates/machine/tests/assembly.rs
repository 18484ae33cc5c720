//! The reference machine's code as text and as bytes, and back.

use planish_ir::module::Module;
use planish_machine::FunctionAsm;
use planish_machine::reference::{Directive, binary, parse::parse, text::print};
use planish_testkit::random_programs::generate;
use planish_testkit::run_lines::programs;

use crate::common;

fn round_trip(asm: &FunctionAsm<Directive>, name: &str) {
    let text = print(asm, name);
    let read = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(read.len(), 1);
    assert_eq!(print(&read[0], name), text, "the text is the same again");
    // Labels that no directive names are nobody's.
    let labels = read[0].labels;
    assert!(labels <= asm.labels);
    assert_eq!(FunctionAsm { labels: asm.labels, ..read[0].clone() }, *asm, "{text}");
    let bytes = binary::encode(asm);
    assert_eq!(binary::decode(&bytes).as_ref(), Some(asm));
    // Nothing that is cut off is a function.
    for len in (0..bytes.len()).rev().step_by(11) {
        assert_eq!(binary::decode(&bytes[..len]), None);
    }
}

fn all(module: &Module) -> usize {
    let code = common::compile_all(module);
    let compiled = code.into_iter().flatten();
    compiled.map(|asm| round_trip(&asm, &module.funcs[asm.func].name.text)).count()
}

#[test]
fn text_and_bytes_round_trip() {
    let mut count = 0;
    for (name, _, module) in programs() {
        if name != "floating" {
            count += all(&module);
        }
    }
    count += (1..=40).map(|seed| all(&generate(seed, 30))).sum::<usize>();
    assert!(count > 150, "only {count} functions");
}

#[test]
fn wrong_lines_are_named() {
    let message = |line: &str| {
        let text = format!("fn f0 \"f\" args 0 results 0 frame 1 {{\n  {line}\n}}\n");
        let error = parse(&text).expect_err("the line is wrong");
        assert_eq!(error.line, 2);
        error.message
    };
    assert_eq!(message("r1 = i32.ad r1, 2"), "`ad` is no operation");
    assert_eq!(message("jump M3"), "`M3` is no operation");
    assert_eq!(message("r1 = i32.add r1, x"), "`x` is no constant");
    assert_eq!(message("return r1"), "the line should end before `r1`");
    assert_eq!(message("trap sneezing"), "`sneezing` is no trap");
}
