//! Every op on values gives the evaluator's bits on the virtual machine, and functions of vectors can be called by the host.

use std::collections::BTreeSet;

use planish_ir::arena::Id;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Func as FuncId, Type, Value};
use planish_ir::function::{Args, Direction, Exit, Param, ResultType};
use planish_ir::module::{Language, Module as IrModule};
use planish_ir::ops::{OPS, Op, OpInfo};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::{Context, lower_small};
use planish_testkit::op_cases::{self, Case};
use planish_testkit::share;
use planish_vm::{Config, Engine, Error, Func, Linker, Module, Store, Strategy, Val, ValType, WideVectors};

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

/// A function that does an op again and again, as many times as its last parameter says, and returns what the last one gave.
fn repeated(module: &mut IrModule, case: &Case) -> FuncId {
    let precision = Precision::None;
    let param =
        |&ty: &Type| Param { name: Name::temporary("p"), ty, precision, direction: Direction::In, span: Span::NONE };
    let params = case.operands.iter().chain([&Type::I32]).map(param).collect();
    let results = case.results.iter().map(|&ty| ResultType { ty, precision }).collect();
    let func = module.add_func(Name::temporary(case.op.text()), params, results, Span::NONE);
    let mut b = Builder::new(module, func, Policy::VERBATIM);
    let args: Vec<Value> = (0..case.operands.len()).map(|i| b.param(i)).collect();
    let mut request = Request::new(case.op, &args).imm(case.imm);
    request.ty = case.explicit;
    let mut carried = vec![b.i32(0)];
    carried.extend(b.make_all(request));
    let blocks = b.loop_(&carried, false);
    let types: Vec<Type> = [Type::I32].iter().chain(&case.results).copied().collect();
    let inputs: Vec<Value> = types.iter().map(|&ty| b.add_input(blocks.condition, ty, precision)).collect();
    b.switch_to(blocks.condition);
    let count = b.param(args.len());
    let more = b.make(Request::new(Op::LessThan, &[inputs[0], count]));
    b.exit(Exit::LoopIf { condition: more, body_args: Args::new(), merge_args: inputs[1..].into() });
    let last: Vec<Value> = case.results.iter().map(|&ty| b.add_input(blocks.merge, ty, precision)).collect();
    b.switch_to(blocks.body);
    let one = b.i32(1);
    let mut next = vec![b.make(Request::new(Op::Add, &[inputs[0], one]))];
    next.extend(b.make_all(request));
    b.continue_(blocks.owner, &next);
    b.switch_to(blocks.merge);
    b.ret(&last);
    b.finish();
    func
}

/// An instruction ends with a jump to the next: one that calls it would take stack for each that follows.
#[test]
fn no_instruction_takes_stack_of_the_host_for_good() {
    const TIMES: u64 = 4_000;
    let mut compared = 0;
    for row in OPS {
        let mut module = IrModule::new(Language::Ir);
        let mut cases = op_cases::cases_of(&mut module, &|op| op == row.op);
        // Vectors of shaders are scalars here.
        let is_value = |&ty: &Type| matches!(module.types[ty], TypeKind::Scalar(_) | TypeKind::V128);
        cases.retain(|case| case.operands.iter().all(is_value));
        let questions = op_cases::questions(&module, &cases, 1);
        let loops: Vec<FuncId> = cases.iter().map(|case| repeated(&mut module, case)).collect();
        let (mut store, funcs) =
            instantiate(&module, Config::default().strategy(Strategy::Vm)).expect("it has what the machine has");
        compared += questions.len();
        let work = || {
            for question in questions {
                let mut words = question.words();
                *words.last_mut().expect("functions of cases have a condition") = TIMES;
                let called = call(&mut store, funcs[loops[question.case].index()], &words);
                let found = called.map_err(|error| match error {
                    Error::Trap(trap) => trap.kind,
                    error => panic!("{}: {error}", row.name),
                });
                assert_eq!(found, question.want, "{}", row.name);
            }
        };
        with_little_stack(work);
    }
    assert!(compared > 500, "only {compared}");
}

/// As above, of what is not an op on values: memory, globals, tables, calls and jumps.
#[test]
fn no_effect_takes_stack_of_the_host_for_good() {
    let text = r#"(module (memory 1) (global $g (mut i32) (i32.const 0)) (table 1 1 funcref) (elem (i32.const 0) $one)
        (func $one (result i32) (i32.const 1))
        (func (export "f") (param $n i32) (result i32) (local $v v128)
            (loop $again
                (memory.copy (i32.const 64) (i32.const 0) (i32.const 32))
                (memory.fill (i32.const 128) (i32.const 7) (i32.const 16))
                (local.set $v (v128.load (i32.const 128)))
                (local.set $v (select (local.get $v) (v128.not (local.get $v)) (global.get $g)))
                (v128.store (i32.const 0) (local.get $v))
                (v128.store8_lane 3 (i32.const 8) (local.get $v))
                (local.set $v (v128.load16_lane 2 (i32.const 64) (local.get $v)))
                (i64.store (i32.const 16) (i64.load32_u (i32.const 64)))
                (global.set $g (i32.add (call $one) (i32.add (global.get $g) (call_indirect (result i32) (i32.const 0)))))
                (block $b (block $a (br_table $a $b (i32.and (local.get $n) (i32.const 1)))))
                (local.set $n (i32.sub (local.get $n) (i32.const 1)))
                (br_if $again (local.get $n)))
            (global.get $g)))"#;
    let engine = Engine::new(Config::default().strategy(Strategy::Vm));
    let mut store = Store::new(&engine, ());
    let module = common::module(&engine, text);
    let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
    let run = instance.get_typed_func::<i32, i32>(&store, "f").expect("it has this type");
    with_little_stack(|| assert_eq!(run.call(&mut store, 4_000).expect("nothing traps"), 8_000));
}

/// Does work on a thread whose stack is smaller than 4,000 frames: a return address each, and what aligns it.
fn with_little_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(48 << 10).spawn_scoped(scope, work).expect("a thread");
        thread.join().expect("the same values, however often");
    });
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
