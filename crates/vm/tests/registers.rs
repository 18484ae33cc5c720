//! A function with more registers than instructions can name is an error that says so; the others of its module run.

use crate::common::module;
use planish_ir::diagnostic::Code;
use planish_vm::{Engine, Error, Linker, Store};

/// As many values as this are alive when the first two are added.
fn sum_of(values: usize) -> String {
    let load = "i32.const 0 i32.load ";
    let (loads, adds) = (load.repeat(values), "i32.add ".repeat(values - 1));
    format!(
        r#"(module (memory 1) (func $sum (export "sum") (result i32) {loads} {adds}) (func (export "one") (result i32) i32.const 1))"#
    )
}

#[test]
fn a_function_has_so_many_registers_at_most() {
    let engine = Engine::default();
    for (values, fits) in [(65_000, true), (66_000, false)] {
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module(&engine, &sum_of(values))).expect("it is small");
        let [sum, one] = ["sum", "one"].map(|name| instance.get_typed_func::<(), i32>(&store, name).expect("exported"));
        match sum.call(&mut store, ()) {
            Ok(sum) => assert!(fits && sum == 0, "{values}"),
            Err(Error::Compile(error)) => {
                assert!(!fits, "{values}: {}", error.message);
                assert_eq!(error.code, Code::E1302);
                assert!(error.message.contains("`sum`"), "{}", error.message);
                assert!(!error.span.is_none() && !error.help.is_empty(), "it has a place and a way out");
            }
            Err(error) => panic!("{values}: {error}"),
        }
        assert_eq!(one.call(&mut store, ()).expect("it is small"), 1);
    }
}
