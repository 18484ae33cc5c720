//! VL programs in every language: each is written, or refused with a place, and nothing ends in a panic or never.
//!
//! All of them in all languages is a chore of minutes; here each eighth is, at one level each, and every example at all levels.

use std::fs;
use std::path::Path;

use planish::diagnostic::{Code, Diagnostic};
use planish::module::Module;
use planish::source::Span;
use planish::{Compiler, EmitOptions, LEVELS, Optimizer, TARGETS, Target, emit};
use planish_testkit::folder;
use planish_testkit::vl::{Beside, programs};

/// Writes a module at a level in every language; what is wrong with that.
fn write_everywhere(path: &Path, module: &Module, level: &str) -> Vec<String> {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    let mut complaints = Vec::new();
    // A module has no flow analysis any more, whatever it was made of.
    for target in TARGETS.iter().map(|info| info.target).filter(|&target| target != Target::Analysis) {
        if let Err(errors) = emit(&module, target, &EmitOptions::default()) {
            let is_told = |error: &Diagnostic| error.code != Code::E0699 && error.span != Span::NONE;
            if errors.is_empty() || !errors.iter().all(is_told) {
                complaints.push(format!("{} at -O{level} as {}: {errors:?}", path.display(), target.info().name));
            }
        }
    }
    complaints
}

fn expect_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

fn compiled(path: &Path) -> Module {
    let mut includes = Beside(path.to_owned());
    let mut compiler = Compiler { includes: Some(&mut includes), ..Compiler::default() };
    let text = fs::read_to_string(path).expect("a program can be read");
    let compilation = compiler.compile(&path.to_string_lossy(), text);
    compilation.module.unwrap_or_else(|| panic!("{}: {:?}", path.display(), compilation.diagnostics))
}

#[test]
fn programs_are_written_in_every_language_or_refused() {
    let programs = programs(&folder("tests/vl"), &["bad", "parts"]);
    let mut complaints = Vec::new();
    for (number, path) in programs.iter().enumerate().step_by(8) {
        complaints.extend(write_everywhere(path, &compiled(path), LEVELS[number / 8 % LEVELS.len()]));
    }
    expect_none(&complaints);
}

#[test]
fn examples_are_written_in_every_language_at_every_level() {
    let mut complaints = Vec::new();
    for path in programs(&folder("examples/vl"), &[]) {
        let module = compiled(&path);
        complaints.extend(LEVELS.iter().flat_map(|level| write_everywhere(&path, &module, level)));
    }
    expect_none(&complaints);
}

/// IR in VL's language: closures as structs with `f64`s in them, functions as values.
#[test]
fn ir_in_the_language_of_vl_is_written_in_every_language_or_refused() {
    let path = folder("tests/ir/functional.ir");
    let module = compiled(&path);
    let complaints: Vec<String> = LEVELS.iter().flat_map(|level| write_everywhere(&path, &module, level)).collect();
    expect_none(&complaints);
}

/// Each number of a value is a result; WebAssembly has functions with a thousand of them.
#[test]
fn values_too_wide_for_a_target_are_refused() {
    for count in [1000, 1001] {
        let text = format!("(iota {count})");
        let module = Compiler::default().compile("wide.vl", text).module.expect("a program");
        let wasm = emit(&module, Target::Wasm, &EmitOptions::default());
        match wasm {
            Ok(wasm) => {
                assert_eq!(count, 1000);
                assert!(Compiler::default().compile("wide.wasm", &wasm.bytes).module.is_some());
            }
            Err(errors) => assert_eq!((count, errors[0].code), (1001, Code::E0602)),
        }
        assert!(emit(&module, Target::Js, &EmitOptions::default()).is_ok());
    }
}
