//! Every op that works on registers gives the evaluator's bits on the reference machine; every other one is refused.

use planish_ir::diagnostic::Code;
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Class, OPS};
use planish_machine::compile;
use planish_machine::isa::{Kind, Machine};
use planish_machine::reference::Reference;
use planish_testkit::op_cases;

use crate::common;
use crate::common::interpreter::Interpreter;

#[test]
fn every_op_on_values_gives_the_evaluators_bits() {
    let mut module = Module::new(Language::Ir);
    let cases = op_cases::cases(&mut module);
    let code = common::compile_all(&module);
    let mut interpreter = Interpreter::new(&module, &code);
    op_cases::compare(&module, &cases, 4, &mut |case, args| interpreter.call(case.func, args));
    for row in OPS {
        let admitted = Kind::ALL.iter().any(|&kind| Reference.supports(row.op, kind, kind));
        let of_the_world = matches!(row.class, Class::Machine | Class::Token | Class::Memory);
        assert!(!admitted || of_the_world || cases.iter().any(|case| case.op == row.op), "{} is not run", row.name);
    }
}

/// Functions that do what no register machine has, with the op's name.
const REFUSED: &[(&str, &str)] = &[
    ("dfdx", "fn @f(%0: f32) -> (f32) {\nb0:\n  %1 = dfdx %0\n  return %1\n}"),
    ("fwidth_coarse", "fn @f(%0: vec3) -> (vec3) {\nb0:\n  %1 = fwidth_coarse %0\n  return %1\n}"),
    (
        "aggregate_equal",
        "struct $S {\n  a: v128\n}\nfn @f(%0: $S, %1: $S) -> (bool) {\nb0:\n  %2 = aggregate_equal %0, %1\n  return %2\n}",
    ),
    ("atomic_add", "var private @n: i32\nfn @f(%0: i32) -> (i32) {\nb0:\n  %1 = atomic_add @n, %0\n  return %1\n}"),
    ("demote", "fn @f() {\nb0:\n  demote\n  return\n}"),
];

#[test]
fn what_no_register_holds_is_refused_with_its_name() {
    for (name, text) in REFUSED {
        let module = planish_ir::text::parse_str(&format!("module ir\n{text}\n")).unwrap_or_else(|e| panic!("{e:#?}"));
        let func = module.funcs.keys().last().expect("one function");
        let error = compile(&Reference, &module, func).expect_err("it has no meaning on registers");
        assert_eq!(error.code, Code::E0604, "{name}");
        let said = if *name == "aggregate_equal" { "equal" } else { name };
        assert!(error.message.contains(&format!("`{said}`")), "{name}: {}", error.message);
        assert!(!error.span.is_none(), "{name}: the error has a place");
    }
}
