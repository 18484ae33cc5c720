//! Every op on values gives the evaluator's bits on the virtual machine, and functions of vectors can be called by the host.

use std::collections::BTreeSet;

use planish_ir::arena::Id;
use planish_ir::diagnostic::Code;
use planish_ir::module::{Language, Module as IrModule};
use planish_ir::ops::{OPS, OpInfo};
use planish_ir::types::Scalar;
use planish_opt::{Context, lower_small};
use planish_testkit::{op_cases, share};
use planish_vm::{Config, Engine, Error, Func, Module, Store, Strategy, Val, ValType, WideVectors};

use crate::common;

/// A store with an instance of a module, and all functions of the module.
fn instantiate(ir: &IrModule, config: &Config) -> Result<(Store<()>, Vec<Func>), Error> {
    let engine = Engine::new(config);
    let mut store = Store::new(&engine, ());
    let module = Module::new(&engine, common::exported(ir.clone()))?;
    let funcs = common::all_functions(&mut store, &module);
    Ok((store, funcs))
}

pub(crate) fn call(store: &mut Store<()>, func: Func, words: &[u64]) -> Result<Vec<u64>, Error> {
    let ty = func.ty(&*store);
    let mut left = words.iter().copied();
    let mut next = || left.next().expect("as many words as the parameters have");
    let value = |ty: &ValType| match ty {
        ValType::I32 => Val::I32(next() as i32),
        ValType::I64 => Val::I64(next() as i64),
        ValType::F32 => Val::F32(next() as u32),
        ValType::F64 => Val::F64(next()),
        ValType::V128 => Val::V128(u128::from(next()) | u128::from(next()) << 64),
        ValType::FuncRef | ValType::ExternRef => panic!("these ops take no references"),
    };
    let args: Vec<Val> = ty.params().iter().map(value).collect();
    let mut results: Vec<Val> = ty.results().iter().map(|&ty| Val::default_of(ty)).collect();
    func.call(store, &args, &mut results)?;
    let words = results.iter().flat_map(|result| match *result {
        Val::I32(x) => vec![x as u32 as u64],
        Val::I64(x) => vec![x as u64],
        Val::F32(x) => vec![x.into()],
        Val::F64(x) => vec![x],
        Val::V128(x) => vec![x as u64, (x >> 64) as u64],
        Val::FuncRef(_) | Val::ExternRef(_) => panic!("these ops give no references"),
    });
    Ok(words.collect())
}

#[test]
fn every_op_on_values_gives_the_evaluators_bits() {
    compare_all(&Config::default(), OPS);
}

#[test]
fn every_op_on_values_gives_the_evaluators_bits_as_machine_code() {
    Engine::supports_native().expect("tests run on hosts with machine code");
    compare_all(Config::default().strategy(Strategy::Native), share(OPS));
}

#[test]
fn every_op_on_values_gives_the_evaluators_bits_where_code_has_wide_vectors() {
    Engine::supports_native().expect("tests run on hosts with machine code");
    let config = Config::default().strategy(Strategy::Native).wide_vectors(WideVectors::Always).clone();
    compare_all(&config, share(&OPS[1..]));
}

fn compare_all(config: &Config, rows: impl IntoIterator<Item = &'static OpInfo>) {
    let (mut ops, mut tried) = (BTreeSet::new(), 0);
    // In modules of their own: a function costs a look at all types of its module.
    for row in rows {
        tried += 1;
        let mut module = IrModule::new(Language::Ir);
        let cases = op_cases::cases_of(&mut module, &|op| op == row.op);
        let (mut store, funcs) = instantiate(&module, config).expect("it has what the machine has");
        op_cases::compare(
            &module,
            &cases,
            8,
            &mut |case, args| match call(&mut store, funcs[case.func.index()], args) {
                Ok(words) => Ok(words),
                Err(Error::Trap(trap)) => Err(trap.kind),
                Err(error) => panic!("{}: {error}", case.op.name()),
            },
        );
        ops.extend(cases.iter().map(|case| case.op));
    }
    assert!(ops.len() * 2 > tried, "only {} of {tried}", ops.len());
}

/// The machine has no numbers of 8 and 16 bits: lowered to those of 32 bits, they give the evaluator's bits.
#[test]
fn every_op_on_small_numbers_gives_the_evaluators_bits_when_lowered() {
    for strategy in [Strategy::Vm, Strategy::Native] {
        for row in share(OPS) {
            let mut module = IrModule::new(Language::Ir);
            let mut cases = op_cases::small_cases_of(&mut module, &Scalar::SMALL, &|op| op == row.op);
            cases.retain(|case| !op_cases::sees_nan_of_half(&module, case));
            if cases.is_empty() {
                continue;
            }
            let mut lowered = module.clone();
            lower_small::run(&mut lowered, "the machine", lower_small::NONE, &mut Context::default())
                .expect("values alone");
            let (mut store, funcs) =
                instantiate(&lowered, Config::default().strategy(strategy)).expect("it is lowered");
            op_cases::compare_lowered(&module, &cases, &mut |case, args| match call(
                &mut store,
                funcs[case.func.index()],
                args,
            ) {
                Ok(words) => Ok(words),
                Err(Error::Trap(trap)) => Err(trap.kind),
                Err(error) => panic!("{}: {error}", case.op.name()),
            });
        }
    }
}

#[test]
fn halves_that_are_not_lowered_are_refused() {
    let text = "module ir\nfn @twice(%0: f16) -> (f16) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\n";
    let module = planish_ir::text::parse_str(text).expect("valid");
    match instantiate(&module, &Config::default()).and_then(|(mut store, funcs)| call(&mut store, funcs[0], &[0])) {
        Err(Error::Compile(error)) => assert_eq!(error.code, Code::E0602, "{}", error.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_machine_does_not_have_is_an_error_with_its_place() {
    let text = "module ir\nfn @slope(%0: f32) -> (f32) {\nb0:\n  %1 = dfdx %0\n  return %1\n}\n";
    let module = planish_ir::text::parse_str(text).expect("valid");
    for strategy in [Strategy::Vm, Strategy::Native] {
        let called = instantiate(&module, Config::default().strategy(strategy))
            .and_then(|(mut store, funcs)| call(&mut store, funcs[0], &[0]));
        match called {
            Err(Error::Compile(error)) => {
                assert_eq!(error.code, Code::E0604);
                assert!(error.message.contains("`dfdx`"), "{}", error.message);
                assert!(!error.span.is_none(), "the error has a place");
            }
            other => panic!("{other:?}"),
        }
    }
}
