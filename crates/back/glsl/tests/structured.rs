//! Programs with block inputs, breaks over several levels and several results: written as GLSL for every version, read
//! back, and run on the same arguments.

use planish_back_glsl::Options;
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_ir::text::parse_str;
use planish_testkit::structured::{run, runs};

use crate::legal::write;

const PROGRAMS: &str = include_str!("../../text/tests/data/structured.ir");

fn read(text: &str) -> Module {
    let mut map = SourceMap::new();
    let file = map.add("test.frag", text).unwrap();
    let output = compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment));
    let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).map(|d| &d.message).collect();
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    output.module.unwrap()
}

fn check(options: &Options) {
    let before = parse_str(PROGRAMS).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&before);
    assert!(errors.is_empty(), "{errors:?}");
    let output = write(&before, options).unwrap_or_else(|e| panic!("{e:#?}"));
    let after = read(&format!("{}void main() {{}}\n", output.text));
    assert!(runs(PROGRAMS).len() > 30);
    for (name, args) in runs(PROGRAMS) {
        let (expected, actual) = (run(&before, &name, &args), run(&after, &name, &args));
        assert_eq!(expected, actual, "{name}{args:?} for {options:?}\n{}", output.text);
    }
}

#[test]
fn es_300() {
    check(&Options::es(300));
}

#[test]
fn es_100_without_switches_and_unsigned_integers() {
    check(&Options::es(100));
}

#[test]
fn desktop_450() {
    check(&Options::desktop(450));
}
