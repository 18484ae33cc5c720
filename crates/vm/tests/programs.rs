//! The programs of `tests/ir`, bit for bit.

use planish_ir::function::{Form, Function};
use planish_ir::module::{EntryPoint, Module as IrModule, StageProperties};
use planish_testkit::run_lines::{RunLine, for_each_line};
use planish_vm::{Engine, Error, Global, Linker, Module, Store, Val, ValType};

use crate::common;

#[test]
fn every_run_line_gives_its_results() {
    let count = for_each_line(&mut run);
    assert!(count > 100, "only {count} run lines");
}

fn value(ty: ValType, words: &[u64]) -> Val {
    match ty {
        ValType::I32 => Val::I32(words[0] as i32),
        ValType::I64 => Val::I64(words[0] as i64),
        ValType::F32 => Val::F32(words[0] as u32),
        ValType::F64 => Val::F64(words[0]),
        ValType::V128 => Val::V128(u128::from(words[0]) | u128::from(words[1]) << 64),
        ValType::FuncRef | ValType::ExternRef => panic!("run lines have no references"),
    }
}

fn words(value: &Val) -> Vec<u64> {
    match *value {
        Val::I32(x) => vec![x as u32 as u64],
        Val::I64(x) => vec![x as u64],
        Val::F32(x) => vec![x.into()],
        Val::F64(x) => vec![x],
        Val::V128(x) => vec![x as u64, (x >> 64) as u64],
        Val::FuncRef(_) | Val::ExternRef(_) => panic!("run lines have no references"),
    }
}

fn run(module: &IrModule, line: &RunLine<'_>) {
    let floats = |f: &Function| f.body.as_ref().is_some_and(|b| b.form == Form::Floating);
    if module.funcs.values().any(floats) {
        return;
    }
    let mut module = module.clone();
    let entry = EntryPoint {
        names: vec!["the function".into()],
        func: line.func,
        stage: None,
        properties: StageProperties::default(),
    };
    module.entry_points = vec![entry];
    for config in common::all_engines() {
        run_on(&Engine::new(&config), module.clone(), line);
    }
}

fn run_on(engine: &Engine, module: IrModule, line: &RunLine<'_>) {
    let mut store = Store::new(engine, ());
    let module = Module::new(engine, module).unwrap_or_else(|e| panic!("{}: {e}", line.text));
    module.check().unwrap_or_else(|problems| panic!("{}: {problems}", line.text));
    let shell = module.shell();
    let mut linker = Linker::new();
    // Imported globals are zero, as in the evaluator of one module.
    for linkage in shell.globals.iter().filter_map(|&v| shell.vars[v].linkage.as_ref()) {
        if let Some(import) = &linkage.import {
            let zero = Global::new(&mut store, Val::I32(0), false);
            linker.define(&import.module, &import.name, zero);
        }
    }
    let instance = linker.instantiate(&mut store, &module).unwrap_or_else(|e| panic!("{}: {e}", line.text));
    let func = instance.get_func(&store, "the function").expect("exported");
    let ty = func.ty(&store);
    let args: Vec<Val> = line.args.iter().zip(ty.params()).map(|(words, &ty)| value(ty, words)).collect();
    let mut results = vec![Val::I32(0); ty.results().len()];
    match (&line.results, func.call(&mut store, &args, &mut results)) {
        (Err(kind), Err(Error::Trap(trap))) => assert_eq!(trap.kind.name(), *kind, "{}", line.text),
        (Ok(want), Ok(())) => {
            let got: Vec<Vec<u64>> = results.iter().map(words).collect();
            assert_eq!(&got, want, "{}", line.text);
        }
        (_, got) => panic!("{}: {got:?}", line.text),
    }
}
