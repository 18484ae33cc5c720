//! Misuse of a store by an embedder: handles of another store, of another type, or kept for too long.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{all_functions, ir_module, module};
use planish_ir::function::TrapKind;
use planish_vm::{
    AsContextMut, Caller, Engine, Error, Extern, ExternRef, Func, FuncType, Global, Linker, Memory, Store, Table, Val,
    ValType,
};

/// A function of the host without parameters and results.
fn nothing(store: &mut Store<()>) -> Func {
    Func::new(store, FuncType::default(), |_, _, _| Ok(()))
}

/// That something panics as it is a mistake of the embedder's.
fn refused<R>(what: &str, f: impl FnOnce() -> R) {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().unwrap_or_else(|| panic!("{what} was taken"));
    let text = panic.downcast_ref::<String>().map_or("", |text| text.as_str());
    assert!(text.contains("a handle of another store"), "{what}: {text}");
}

#[test]
fn a_function_of_another_store_is_refused_wherever_a_value_goes() {
    let engine = Engine::default();
    let (mut store, mut other) = (Store::new(&engine, ()), Store::new(&engine, ()));
    let foreign = Val::FuncRef(Some(nothing(&mut other)));
    let null = Val::FuncRef(None);
    let table = Table::new(&mut store, 1, None, null).expect("small");
    let global = Global::new(&mut store, null, true);
    let takes = Func::new(&mut store, FuncType::new([ValType::FuncRef], []), |_, _, _| Ok(()));
    let gives = Func::new(&mut store, FuncType::new([], [ValType::FuncRef]), move |_, _, results| {
        results[0] = foreign;
        Ok(())
    });
    refused("a new table", || Table::new(&mut store, 1, None, foreign));
    refused("an element", || table.set(&mut store, 0, foreign));
    refused("more elements", || table.grow(&mut store, 1, foreign));
    refused("a new global", || Global::new(&mut store, foreign, true));
    refused("a global", || global.set(&mut store, foreign));
    refused("an argument", || takes.call(&mut store, &[foreign], &mut []));
    refused("a result", || gives.call(&mut store, &[], &mut [null]));
    refused("a callee", || nothing(&mut other).call(&mut store, &[], &mut []));
    assert_eq!(table.size(&store), 1);
    assert!(matches!(table.get(&store, 0), Some(Val::FuncRef(None))));
}

#[test]
fn handles_of_another_store_say_nothing_of_this_one() {
    let engine = Engine::default();
    let (mut store, mut other) = (Store::new(&engine, ()), Store::new(&engine, ()));
    let memory = Memory::new(&mut other, 1, Some(2)).expect("small");
    let table = Table::new(&mut other, 1, Some(2), Val::ExternRef(None)).expect("small");
    let global = Global::new(&mut other, Val::I32(1), true);
    let instance = Linker::new().instantiate(&mut other, &module(&engine, "(module)")).expect("empty");
    refused("Memory::maximum", || memory.maximum(&store));
    refused("Memory::size", || memory.size(&store));
    refused("Table::ty", || table.ty(&store));
    refused("Table::maximum", || table.maximum(&store));
    refused("Global::ty", || global.ty(&store));
    refused("Global::is_mutable", || global.is_mutable(&store));
    refused("Instance::exports", || instance.exports(&store));
    let mut linker = Linker::new();
    linker.define("m", "g", global);
    let importer = module(&engine, r#"(module (import "m" "g" (global (mut i32))))"#);
    refused("an import", || linker.instantiate(&mut store, &importer));
    // A store that is gone is another store, too.
    let func = nothing(&mut other);
    drop(other);
    refused("a function of a store that is gone", || func.call(&mut store, &[], &mut []));
}

#[test]
fn a_table_takes_only_what_it_holds() {
    let mut store = Store::new(&Engine::default(), ());
    let table = Table::new(&mut store, 1, None, Val::FuncRef(None)).expect("small");
    for value in [Val::I32(0x1234), Val::ExternRef(Some(ExternRef(7))), Val::I64(-1)] {
        assert!(matches!(table.grow(&mut store, 1, value), Err(Error::Type(_))), "{value:?}");
        assert!(matches!(table.set(&mut store, 0, value), Err(Error::Type(_))), "{value:?}");
    }
    assert!(Table::new(&mut store, 2, Some(1), Val::FuncRef(None)).is_err());
    assert_eq!(table.size(&store), 1);
}

/// Functions of vectors, of scalars and of none in one table, and functions that call an element as one of these.
const MIXED: &str = r#"module ir
table table0 funcref min 5
elem elem0 funcref in table0 at 0 [@vectors, @scalars, @nothing, @unsigned]

fn @vectors(%0: vec2) -> (vec2) {
b0:
  %1 = add %0, %0
  return %1
}

fn @scalars(%0: f32, %1: f32) -> (f32, f32) {
b0:
  return %1, %0
}

fn @nothing() {
b0:
  return
}

fn @unsigned(%0: u32) -> (u32) {
b0:
  return %0
}

fn @as_vectors(%0: i32) {
b0:
  %1 = call_indirect[table0 fn(vec2) -> (vec2)] %0, vec2{1.0, 2.0}
  return
}

fn @as_scalars(%0: i32) {
b0:
  %1, %2 = call_indirect[table0 fn(f32, f32) -> (f32, f32)] %0, 1.0, 2.0
  return
}

fn @as_nothing(%0: i32) {
b0:
  call_indirect[table0 fn() -> ()] %0
  return
}

fn @as_unsigned(%0: i32) {
b0:
  %1 = call_indirect[table0 fn(u32) -> (u32)] %0, 7u
  return
}

fn @as_signed(%0: i32) {
b0:
  %1 = call_indirect[table0 fn(i32) -> (i32)] %0, 7
  return
}

fn @apply(%0: fn(i32) -> (i32), %1: i32) -> (i32) {
b0:
  %2 = call %0, %1
  return %2
}
"#;

#[test]
fn a_table_gives_functions_only_of_the_type_that_is_asked_for() {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let funcs = all_functions(&mut store, &ir_module(&engine, MIXED));
    for (i, callee) in funcs[..4].iter().enumerate() {
        for (j, caller) in funcs[4..9].iter().enumerate() {
            let called = caller.call(&mut store, &[Val::I32(i as i32)], &mut []);
            match called {
                Ok(()) => assert_eq!(i, j, "{} was called", callee.ty(&store)),
                Err(error) => {
                    assert_ne!(i, j);
                    assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::IndirectCallType));
                }
            }
        }
    }
    // Composites are their components to the host.
    let mut results = [Val::F32(0); 2];
    funcs[0].call(&mut store, &[Val::from(1.5f32), Val::from(-2.0f32)], &mut results).expect("it traps never");
    assert_eq!([results[0].f32(), results[1].f32()], [Some(3.0), Some(-4.0)]);
    assert!(matches!(funcs[0].call(&mut store, &[], &mut []), Err(Error::Type(_))));
    // The host could give it a function of any type.
    let apply = funcs[9];
    assert_eq!(apply.ty(&store), FuncType::default());
    assert!(matches!(apply.call(&mut store, &[], &mut []), Err(Error::Type(_))));
    let args = [Val::FuncRef(None), Val::I32(1)];
    assert!(matches!(apply.call(&mut store, &args, &mut [Val::I32(0)]), Err(Error::Type(_))));
    assert!(apply.typed::<(), ()>(&store).is_err());
}

#[test]
fn functions_of_an_instance_that_did_not_start_go_on_living() {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let table = Table::new(&mut store, 1, None, Val::FuncRef(None)).expect("small");
    let mut linker = Linker::new();
    linker.define("m", "t", table);
    let broken = module(
        &engine,
        r#"(module (import "m" "t" (table 1 funcref)) (memory 1)
            (func $f (result i32) (i32.store (i32.const 8) (i32.const 42)) (i32.load (i32.const 8)))
            (elem (i32.const 0) $f)
            (func $start unreachable) (start $start))"#,
    );
    let error = linker.instantiate(&mut store, &broken).expect_err("its start function traps");
    assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::Unreachable));
    drop(broken);
    let Some(Val::FuncRef(Some(func))) = table.get(&store, 0) else { panic!("the element was set before") };
    let mut results = [Val::I32(0)];
    func.call(&mut store, &[], &mut results).expect("it is whole");
    assert_eq!(results[0].i32(), Some(42));
}

#[test]
fn code_sees_the_memory_that_others_grew() {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new();
    linker.func_new("m", "host", FuncType::default(), |mut caller: Caller<'_, ()>, _, _| {
        let Some(Extern::Memory(memory)) = caller.get_export("memory") else { panic!("exported") };
        // So large that the bytes move.
        memory.grow(&mut caller, 40).map(|_| ())
    });
    let text = r#"(module (import "m" "host" (func $host)) (memory (export "memory") 1)
        (func (export "f") (param i32) (result i32)
            (i32.store (local.get 0) (i32.const 7)) (call $host)
            (i32.store (i32.const 2000000) (i32.const 35))
            (i32.add (i32.load (local.get 0)) (i32.load (i32.const 2000000)))))"#;
    let instance = linker.instantiate(&mut store, &module(&engine, text)).expect("it fits");
    let grower = r#"(module (import "a" "f" (func $f (param i32) (result i32))) (import "a" "memory" (memory 1))
        (func (export "g") (result i32)
            (call $f (i32.const 12)) (i32.add (i32.load (i32.const 2000000))) (i32.add (i32.load (i32.const 12)))))"#;
    linker.instance(&store, "a", instance);
    let other = linker.instantiate(&mut store, &module(&engine, grower)).expect("it fits");
    let g = other.get_typed_func::<(), i32>(&store, "g").expect("exported");
    assert_eq!(g.call(&mut store, ()).expect("no trap"), 42 + 35 + 7);
}

/// A store with a function `f` that calls the host function, which does `what` when `f` is given 0, else calls `f` again.
fn recursion(
    what: impl Fn(&mut Caller<'_, ()>) -> Result<(), Error> + Send + Sync + 'static,
) -> (Store<()>, planish_vm::TypedFunc<i32, i32>) {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new();
    let ty = FuncType::new([ValType::I32], [ValType::I32]);
    linker.func_new("m", "host", ty, move |mut caller: Caller<'_, ()>, args, results| {
        let n = args[0].i32().expect("an i32");
        if n == 0 {
            what(&mut caller)?;
            results[0] = Val::I32(0);
            return Ok(());
        }
        let Some(Extern::Func(f)) = caller.get_export("f") else { panic!("exported") };
        f.call(caller.as_context_mut(), &[Val::I32(n - 1)], results)
    });
    let text = r#"(module (import "m" "host" (func $host (param i32) (result i32)))
        (func (export "f") (param i32) (result i32)
            (i32.add (call $host (local.get 0)) (i32.const 1))))"#;
    let instance = linker.instantiate(&mut store, &module(&engine, text)).expect("it fits");
    let f = instance.get_typed_func(&store, "f").expect("exported");
    (store, f)
}

#[test]
fn programs_and_hosts_call_each_other_only_so_deep() {
    let (mut store, f) = recursion(|_| Ok(()));
    assert_eq!(f.call(&mut store, 100).expect("not deep"), 101);
    let error = f.call(&mut store, 100_000).expect_err("too deep");
    assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::StackOverflow));
    assert_eq!(f.call(&mut store, 100).expect("nothing is left of it"), 101);
}

#[test]
fn a_host_that_panics_leaves_the_store_as_it_was() {
    let (mut store, f) = recursion(|_| panic!("at the end"));
    for _ in 0..300 {
        assert!(catch_unwind(AssertUnwindSafe(|| f.call(&mut store, 20))).is_err());
    }
    let error = f.call(&mut store, 100_000).expect_err("too deep");
    assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::StackOverflow));
}
