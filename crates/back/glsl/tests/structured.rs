//! Programs with block inputs, breaks over several levels and several results: written as GLSL for every version, read
//! back, and run on the same arguments.

use planish_back_glsl::Options;
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::entity::Func;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_ir::text::parse_str;

use crate::legal::write;

const PROGRAMS: &str = include_str!("../../text/tests/data/structured.ir");

/// Functions with the arguments that `// run:` lines before them give.
fn runs() -> Vec<(String, Vec<i32>)> {
    let mut waiting: Vec<Vec<i32>> = Vec::new();
    let mut out = Vec::new();
    for line in PROGRAMS.lines() {
        if let Some(args) = line.strip_prefix("// run: ") {
            waiting.push(args.split(' ').map(|a| a.parse().unwrap()).collect());
        } else if let Some(rest) = line.strip_prefix("fn @") {
            let name = rest.split('(').next().unwrap().to_owned();
            out.extend(waiting.drain(..).map(|args| (name.clone(), args)));
        }
    }
    out
}

fn find(module: &Module, name: &str) -> Func {
    module.funcs.iter().find(|(_, f)| &*f.name.text == name).map(|(id, _)| id).expect("the function is there")
}

fn run(module: &Module, name: &str, args: &[i32]) -> i32 {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("can be evaluated");
    let args: Vec<EvalValue> = args.iter().map(|&a| EvalValue::i32(a)).collect();
    let results = evaluator.call(find(module, name), &args).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    results[0].as_i32(0).expect("an integer")
}

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
    assert!(runs().len() > 30);
    for (name, args) in runs() {
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
