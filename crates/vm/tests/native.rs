//! Machine code: traps and their places, calls in all directions, limits, and that its memory is given back.

use std::sync::atomic::{AtomicUsize, Ordering};

use planish_ir::function::TrapKind;
use planish_vm::{Caller, Config, Engine, Error, FuncType, Linker, Module, Store, Strategy, Val, ValType};

use crate::common;

fn engine() -> Engine {
    let engine = Engine::new(Config::default().strategy(Strategy::Native));
    assert_eq!(engine.strategy(), Strategy::Native, "tests run on hosts with machine code");
    engine
}

/// Calls `run` of a module without imports, with an `i32`.
fn run(engine: &Engine, wat: &str, argument: i32) -> Result<i64, Error> {
    let module = common::module(engine, wat);
    assert_eq!(module.code_size() > 0, engine.strategy() == Strategy::Native);
    let mut store = Store::new(engine, ());
    store.set_fuel(100_000);
    let instance = Linker::new().instantiate(&mut store, &module)?;
    instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type").call(&mut store, argument)
}

#[test]
fn a_trap_has_the_place_that_it_has_on_the_virtual_machine() {
    let wat = r#"(module
        (memory 1)
        (table 4 funcref) (elem (i32.const 1) $wide) (type $narrow (func (result i32)))
        (func $wide (result i64) i64.const 1)
        (func $deep (param i32) (result i32) local.get 0 call $inner)
        (func $inner (param $x i32) (result i32)
            (if (i32.eq (local.get $x) (i32.const 1)) (then unreachable))
            (if (i32.eq (local.get $x) (i32.const 2)) (then (return (i32.div_s (i32.const 1) (i32.const 0)))))
            (if (i32.eq (local.get $x) (i32.const 3)) (then (return (i32.div_s (i32.const 0x80000000) (i32.sub (i32.const 2) (local.get $x))))))
            (if (i32.eq (local.get $x) (i32.const 4)) (then (return (i32.load offset=65533 (i32.const 0)))))
            (if (i32.eq (local.get $x) (i32.const 5)) (then (return (call_indirect (type $narrow) (i32.const 9)))))
            (if (i32.eq (local.get $x) (i32.const 6)) (then (return (call_indirect (type $narrow) (i32.const 0)))))
            (if (i32.eq (local.get $x) (i32.const 7)) (then (return (call_indirect (type $narrow) (i32.const 1)))))
            (if (i32.eq (local.get $x) (i32.const 8)) (then (return (i32.trunc_f32_s (f32.const nan)))))
            (if (i32.eq (local.get $x) (i32.const 9)) (then (memory.fill (i32.const 65530) (i32.const 0) (i32.const 7))))
            local.get $x)
        (func (export "run") (param i32) (result i64) local.get 0 call $deep i64.extend_i32_s))"#;
    for (x, kind) in [
        (1, Some(TrapKind::Unreachable)),
        (2, Some(TrapKind::DivisionByZero)),
        (3, Some(TrapKind::IntegerOverflow)),
        (4, Some(TrapKind::OutOfBoundsMemory)),
        (5, Some(TrapKind::OutOfBoundsTable)),
        (6, Some(TrapKind::UninitializedElement)),
        (7, Some(TrapKind::IndirectCallType)),
        (8, Some(TrapKind::InvalidConversion)),
        (9, Some(TrapKind::OutOfBoundsMemory)),
        (10, None),
    ] {
        let expected = run(&Engine::default(), wat, x);
        let found = run(&engine(), wat, x);
        match (expected, found) {
            (Ok(expected), Ok(found)) => assert_eq!((expected, None), (found, kind)),
            (Err(expected), Err(found)) => {
                let (expected, found) = (expected.as_trap().expect("a trap"), found.as_trap().expect("a trap"));
                assert_eq!(expected, found, "{x}");
                assert_eq!(Some(found.kind), kind);
            }
            (expected, found) => panic!("{x}: {expected:?} and {found:?}"),
        }
    }
}

#[test]
fn deep_recursion_is_a_trap_and_the_store_goes_on() {
    let wat = r#"(module (func $f (export "run") (param i32) (result i64)
        (if (result i64) (i32.eqz (local.get 0)) (then (i64.const 7))
            (else (i64.add (i64.const 1) (call $f (i32.sub (local.get 0) (i32.const 1))))))))"#;
    let engine = engine();
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
    for _ in 0..3 {
        let error = func.call(&mut store, i32::MAX).expect_err("no stack is so large");
        assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::StackOverflow));
        assert_eq!(func.call(&mut store, 1000).expect("a thousand calls fit"), 1007);
    }
    // A thread with a small stack, too.
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let found = small.spawn(move || func.call(&mut store, 5000)).expect("a thread").join().expect("it ends");
    assert_eq!(found.expect("the stack has the size that was configured"), 5007);
}

#[test]
fn tail_calls_need_no_stack() {
    let wat = r#"(module
        (table funcref (elem $even $odd))
        (type $t (func (param i32 i64 i64 i64 i64 i64 i64 i64 i64) (result i64 i64 i64 i64 i64 i64 i64 i64)))
        (func $even (type $t)
            (if (i32.eqz (local.get 0)) (then (return (local.get 1) (local.get 2) (local.get 3) (local.get 4)
                (local.get 5) (local.get 6) (local.get 7) (local.get 8))))
            (return_call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i64.add (local.get 1) (i64.const 1))
                (local.get 3) (local.get 2) (local.get 4) (local.get 5) (local.get 6) (local.get 7) (local.get 8) (i32.const 1)))
        (func $odd (type $t)
            (return_call $even (i32.sub (local.get 0) (i32.const 1)) (local.get 1) (local.get 2) (local.get 3)
                (local.get 4) (local.get 5) (local.get 6) (local.get 8) (local.get 7)))
        (func (export "run") (param i32) (result i64)
            (local $i i32) (local $sum i64)
            (call $even (local.get 0) (i64.const 0) (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4) (i64.const 5)
                (i64.const 6) (i64.const 7))
            (loop $again (param i64 i64 i64 i64 i64 i64 i64 i64)
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10))))
                (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 10)))))
            local.get $sum))"#;
    for argument in [0, 2, 4, 1_000_000] {
        let expected = run(&Engine::default(), wat, argument).expect("the virtual machine needs none");
        assert_eq!(run(&engine(), wat, argument).expect("nor does machine code"), expected);
    }
}

#[test]
fn hosts_and_code_call_each_other() {
    let wat = r#"(module
        (import "host" "twice" (func $twice (param i32 f32 f64 v128 i64) (result i64 v128 f64 f32 i32 i64 f64 i32)))
        (memory (export "memory") 1)
        (func (export "inner") (param i32) (result i64) (i64.extend_i32_s (local.get 0)))
        (func (export "run") (param i32) (result i64)
            (call $twice (local.get 0) (f32.const 1.5) (f64.const 2.5) (v128.const i64x2 3 4) (i64.const 5))
            drop drop drop drop drop drop drop))"#;
    let engine = engine();
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, 0);
    let mut linker = Linker::new();
    let ty = FuncType::new(
        [ValType::I32, ValType::F32, ValType::F64, ValType::V128, ValType::I64],
        [
            ValType::I64,
            ValType::V128,
            ValType::F64,
            ValType::F32,
            ValType::I32,
            ValType::I64,
            ValType::F64,
            ValType::I32,
        ],
    );
    linker.func_new("host", "twice", ty, |mut caller: Caller<'_, i32>, args, results| {
        *caller.data_mut() += 1;
        let expected =
            [Val::I32(20), Val::F32(1.5f32.to_bits()), Val::F64(2.5f64.to_bits()), Val::V128(4 << 64 | 3), Val::I64(5)];
        assert_eq!(format!("{args:?}"), format!("{expected:?}"));
        let inner = caller.get_export("inner").and_then(planish_vm::Extern::into_func).expect("the caller exports it");
        let mut found = [Val::I64(0)];
        inner.call(&mut caller, &[Val::I32(21)], &mut found)?;
        results[0] = found[0];
        results[1] = args[3];
        Ok(())
    });
    let instance = linker.instantiate(&mut store, &module).expect("the import is there");
    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
    for _ in 0..1000 {
        assert_eq!(func.call(&mut store, 20).expect("does not trap"), 21);
    }
    assert_eq!(*store.data(), 1000);
}

#[test]
fn a_panic_of_the_host_passes_through_code() {
    let wat = r#"(module (import "host" "panic" (func $panic)) (func (export "run") call $panic))"#;
    let engine = engine();
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new();
    linker.func_new("host", "panic", FuncType::new([], []), |_, _, _| std::panic::panic_any(42));
    let instance = linker.instantiate(&mut store, &module).expect("the import is there");
    let func = instance.get_typed_func::<(), ()>(&store, "run").expect("it has this type");
    for _ in 0..3 {
        let call = std::panic::AssertUnwindSafe(|| func.call(&mut store, ()));
        let panic = std::panic::catch_unwind(call).expect_err("it panics");
        assert_eq!(panic.downcast_ref::<i32>(), Some(&42));
    }
}

#[test]
fn an_endless_loop_is_stopped_by_fuel() {
    let wat = r#"(module (func (export "run") (param i32) (result i64) (loop $l (br $l)) (i64.const 0)))"#;
    let engine = Engine::new(Config::default().strategy(Strategy::Native).consume_fuel(true));
    assert!(matches!(run(&engine, wat, 0), Err(Error::OutOfFuel)));
}

#[test]
fn a_call_without_fuel_cannot_be_resumed() {
    let wat = r#"(module (func (export "run") (param i32) (result i64) (loop $l (br $l)) (i64.const 0)))"#;
    let engine = Engine::new(Config::default().strategy(Strategy::Native).consume_fuel(true));
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    store.set_fuel(1000);
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_func(&store, "run").expect("exported");
    let error = func.call_resumable(&mut store, &[Val::I32(0)], &mut [Val::I64(0)]).err().expect("it has no end");
    assert!(matches!(error, Error::CannotResume) && error.to_string().contains("Strategy::Vm"), "{error}");
}

#[test]
fn code_sees_memory_that_grows_under_it() {
    let wat = r#"(module
        (import "host" "grow" (func $grow (param i32)))
        (memory (export "memory") 0 20)
        (func $touch (param i32) (result i64) (i64.store (local.get 0) (i64.const 9)) (i64.load (local.get 0)))
        (func (export "run") (param $pages i32) (result i64) (local $sum i64)
            (drop (memory.grow (i32.const 1)))
            (local.set $sum (i64.load8_u (i32.const 65535)))
            (call $grow (local.get $pages))
            (i64.add (local.get $sum)
                (i64.add (i64.extend_i32_u (memory.size)) (call $touch (i32.const 131064))))))"#;
    let engine = engine();
    let module = common::module(&engine, wat);
    for (pages, expected) in [(1, Some(11)), (5, Some(15)), (0, None)] {
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        linker.func_new("host", "grow", FuncType::new([ValType::I32], []), |mut caller, args, _| {
            let Val::I32(pages) = args[0] else { unreachable!("an i32") };
            let memory = caller.get_export("memory").and_then(planish_vm::Extern::into_memory).expect("it exports one");
            memory.grow(&mut caller, pages as u32).map(drop)
        });
        let instance = linker.instantiate(&mut store, &module).expect("the import is there");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        match func.call(&mut store, pages) {
            Ok(found) => assert_eq!(Some(found), expected),
            Err(error) => {
                assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::OutOfBoundsMemory));
                assert_eq!(expected, None);
            }
        }
    }
}

#[test]
fn modules_on_several_threads_share_an_engine() {
    let engine = engine();
    let wat = r#"(module (func (export "run") (param i32) (result i64) (local $i i64)
        (loop $l (local.set $i (i64.add (local.get $i) (i64.const 3)))
            (br_if $l (i64.lt_u (local.get $i) (i64.extend_i32_u (local.get 0)))))
        local.get $i))"#;
    let module = common::module(&engine, wat);
    let calls = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for t in 0..4 {
            let (module, engine, calls) = (&module, &engine, &calls);
            scope.spawn(move || {
                for i in 0..50 {
                    let mut store = Store::new(engine, ());
                    let instance = Linker::new().instantiate(&mut store, module).expect("imports nothing");
                    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
                    assert_eq!(
                        func.call(&mut store, 3 * (100 * t + i)).expect("does not trap"),
                        i64::from((300 * t + 3 * i).max(3))
                    );
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(calls.into_inner(), 200);
}

#[test]
fn code_belongs_to_its_module() {
    // The instance keeps it.
    let engine = engine();
    let mut store = Store::new(&engine, ());
    let func = {
        let module: Module = common::module(&engine, r#"(module (func (export "run") (result i32) i32.const 5))"#);
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        instance.get_typed_func::<(), (i32,)>(&store, "run").expect("it has this type")
    };
    assert_eq!(func.call(&mut store, ()).expect("does not trap"), (5,));
}

/// The mark is the optimizer's word for it; what an engine gives out does not depend on it.
#[test]
fn a_wrong_mark_of_the_optimizer_lets_nothing_out() {
    let text = "module wasm\nmemory memory0 min 1 max 1\n\nfn @f(%0 x: i32) -> (i32) {\nb0:\n  \
                %1: i32 = memory_load[memory0 u32 in_bounds] %0\n  return %1\n}\n";
    for config in [
        Config::default(),
        Config::default().strategy(Strategy::Native).clone(),
        Config::default().strategy(Strategy::Native).signals_based_traps(false).clone(),
    ] {
        let engine = Engine::new(&config);
        let mut store = Store::new(&engine, ());
        let module = common::ir_module(&engine, text);
        let f = common::all_functions(&mut store, &module)[0];
        let mut results = [Val::I32(1)];
        f.call(&mut store, &[Val::I32(65532)], &mut results).expect("it is in bounds");
        assert_eq!(results[0].i32(), Some(0));
        for at in [65533, 65536, -4] {
            let error = f.call(&mut store, &[Val::I32(at)], &mut results).expect_err("it is not");
            let kind = error.as_trap().map(|trap| trap.kind);
            assert_eq!(kind, Some(TrapKind::OutOfBoundsMemory), "{config:?} {at}");
        }
    }
}
