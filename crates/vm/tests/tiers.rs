//! Tiers: programs that go on as machine code while they run.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use planish_ir::entity::Func;
use planish_ir::function::TrapKind;
use planish_ir::module as ir;
use planish_vm::{
    Caller, Config, Engine, Error, Extern, FuncType, Linker, Module, Source, Store, Strategy, Val, ValType,
};

use crate::common::{self, all_engines};

/// With machine code made at once when so many calls or iterations are counted.
fn tiers(threshold: u32) -> Engine {
    let mut config = Config::default();
    let engine = Engine::new(config.strategy(Strategy::Tiered).tier_threshold(threshold).tiers_in_background(false));
    assert_eq!(engine.strategy(), Strategy::Tiered, "tests run on hosts with machine code");
    engine
}

/// Calls `run` of a module without imports, with an `i32`.
fn run(engine: &Engine, module: &Module, argument: i32) -> Result<i64, Error> {
    let mut store = Store::new(engine, ());
    let instance = Linker::new().instantiate(&mut store, module)?;
    instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type").call(&mut store, argument)
}

const FIB: &str = r#"(module (func $fib (export "run") (param i32) (result i64)
    (if (result i64) (i32.lt_s (local.get 0) (i32.const 2)) (then (i64.extend_i32_s (local.get 0)))
        (else (i64.add (call $fib (i32.sub (local.get 0) (i32.const 1))) (call $fib (i32.sub (local.get 0) (i32.const 2))))))))"#;

#[test]
fn a_function_goes_on_as_machine_code() {
    for threshold in [1, 2, 3, 10, 100, 1000] {
        let engine = tiers(threshold);
        let module = common::module(&engine, FIB);
        assert_eq!(module.code_size(), 0, "nothing has been called");
        assert_eq!(run(&engine, &module, 18).expect("no trap"), 2584);
        assert!(module.code_size() > 0, "{threshold} calls are not enough");
        // Another store begins there.
        assert_eq!(run(&engine, &module, 15).expect("no trap"), 610);
    }
}

#[test]
fn what_is_called_seldom_stays_on_the_virtual_machine() {
    let engine = tiers(1000);
    let module = common::module(&engine, FIB);
    assert_eq!(run(&engine, &module, 10).expect("no trap"), 55);
    assert_eq!(module.code_size(), 0);
}

/// A loop with values of all kinds that live across it, and one in it, whose test is at its head; then another one.
const LOOPS: &str = r#"(module
    (memory 1)
    (global $g (mut i32) (i32.const 0))
    (func $next (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
    (func (export "run") (param $n i32) (result i64)
        (local $i i32) (local $j i32) (local $a i64) (local $b f32) (local $c f64) (local $d v128) (local $e i64)
        (local.set $e (i64.mul (i64.extend_i32_s (local.get $n)) (i64.const 1000003)))
        (local.set $c (f64.convert_i32_s (local.get $n)))
        (local.set $b (f32.const 0.5))
        (local.set $d (i32x4.splat (local.get $n)))
        (block $out (loop $outer
            (br_if $out (i32.ge_s (local.get $i) (local.get $n)))
            (local.set $j (i32.const 0))
            (block $end (loop $inner
                (br_if $end (i32.ge_s (local.get $j) (i32.and (local.get $i) (i32.const 7))))
                (local.set $a (i64.add (local.get $a) (i64.mul (i64.extend_i32_s (local.get $j)) (local.get $e))))
                (local.set $j (call $next (local.get $j)))
                (br $inner)))
            (i32.store (i32.and (i32.shl (local.get $i) (i32.const 2)) (i32.const 0xfff0)) (local.get $j))
            (local.set $b (f32.sub (f32.mul (local.get $b) (f32.const 1.5)) (f32.const 0.25)))
            (local.set $c (f64.add (local.get $c) (f64.promote_f32 (local.get $b))))
            (local.set $d (i32x4.add (local.get $d) (i32x4.splat (local.get $j))))
            (global.set $g (i32.add (global.get $g) (i32.const 3)))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $outer)))
        (loop $again
            (local.set $a (i64.xor (i64.rotl (local.get $a) (i64.const 7)) (i64.extend_i32_s (i32.load (local.get $i)))))
            (local.set $i (i32.sub (local.get $i) (i32.const 1)))
            (br_if $again (i32.gt_s (local.get $i) (i32.const 0))))
        (i64.add
            (i64.add (local.get $a) (i64.add (local.get $e) (i64.extend_i32_s (global.get $g))))
            (i64.add
                (i64.add (i64.extend_i32_u (i32.reinterpret_f32 (local.get $b))) (i64.reinterpret_f64 (local.get $c)))
                (i64.add (i64x2.extract_lane 0 (local.get $d)) (i64x2.extract_lane 1 (local.get $d)))))))"#;

#[test]
fn a_loop_goes_on_as_machine_code() {
    for n in [0, 1, 5, 60, 700] {
        let engine = Engine::default();
        let expected = run(&engine, &common::module(&engine, LOOPS), n).expect("no trap");
        for config in all_engines() {
            let engine = Engine::new(&config);
            assert_eq!(run(&engine, &common::module(&engine, LOOPS), n).expect("no trap"), expected);
        }
        for threshold in [1, 2, 5, 23, 100] {
            let engine = tiers(threshold);
            let module = common::module(&engine, LOOPS);
            assert_eq!(run(&engine, &module, n).expect("no trap"), expected, "{n}, {threshold}");
            let whole = {
                let engine = tiers(threshold);
                let module = common::module(&engine, LOOPS);
                module.compile_all().expect("it has machine code");
                module.code_size()
            };
            // The first call was not counted, so that the loop itself was on the virtual machine.
            let has_loop = n == 700 && threshold > 1;
            assert!(!has_loop || module.code_size() > whole, "{n}, {threshold}: {} bytes", module.code_size());
        }
    }
}

#[test]
fn an_endless_loop_goes_on_in_the_background_and_can_be_stopped() {
    let wat = r#"(module (memory (export "memory") 1) (func (export "run") (param i32) (result i64)
        (loop $l (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) (br $l)) (i64.const 0)))"#;
    let engine = Engine::new(Config::default().strategy(Strategy::Tiered).interruptible(true));
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
    let handle = store.interrupt_handle();
    for _ in 0..2 {
        handle.clear();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let begin = Instant::now();
                while module.code_size() == 0 && begin.elapsed() < Duration::from_secs(60) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(20));
                handle.interrupt();
            });
            assert!(matches!(func.call(&mut store, 0), Err(Error::Interrupted)));
        });
        assert!(module.code_size() > 0, "the loop was counted");
    }
}

#[test]
fn a_trap_has_its_place_on_every_tier() {
    let wat = r#"(module (memory 1)
        (func (export "run") (param i32) (result i64) (local $i i32)
            (loop $l
                (drop (call $inner (local.get $i) (local.get 0)))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $l (i32.lt_u (local.get $i) (i32.const 100))))
            i64.const 7)
        (func $inner (param $i i32) (param $limit i32) (result i32)
            (if (i32.eq (local.get $i) (local.get $limit)) (then (return (i32.load (i32.const 70000)))))
            (i32.div_s (i32.const 5) (i32.sub (local.get $i) (i32.const 90)))))"#;
    for limit in [0, 1, 2, 3, 50, 91] {
        let outcomes = all_engines().map(|config| {
            let engine = Engine::new(&config);
            let error = run(&engine, &common::module(&engine, wat), limit).expect_err("it traps");
            format!("{:?}", error.as_trap().expect("a trap"))
        });
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:#?}");
    }
}

/// A loop traps itself, before and after it has become machine code.
#[test]
fn a_trap_of_a_loop_has_its_place_on_every_tier() {
    let wat = r#"(module (memory 1)
        (func (export "run") (param i32) (result i64) (local $i i32) (local $s i32)
            (loop $l
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (local.set $s (i32.add (local.get $s) (i32.div_u (i32.const 1000) (i32.sub (local.get $i) (local.get 0)))))
                (local.set $s (i32.add (local.get $s) (i32.load (i32.mul (local.get $i) (i32.const 1000)))))
                (br_if $l (i32.lt_u (local.get $i) (i32.const 100))))
            i64.const 7))"#;
    for limit in [1, 2, 3, 8, 9, 50, 200] {
        let outcomes = all_engines().map(|config| {
            let engine = Engine::new(&config);
            let error = run(&engine, &common::module(&engine, wat), limit).expect_err("it traps");
            format!("{:?}", error.as_trap().expect("a trap"))
        });
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:#?}");
    }
}

/// Two modules that call each other, of which one has machine code before the other.
#[test]
fn instances_on_different_tiers_call_each_other() {
    let first = r#"(module
        (import "host" "note" (func $note (param i32)))
        (table (export "table") 4 funcref)
        (elem (i32.const 0) $up)
        (type $t (func (param i32 i64 v128) (result i64 f32 v128 i32 i32 i32 i32 f64)))
        (func $up (param $n i32) (param $s i64) (param $v v128) (result i64 f32 v128 i32 i32 i32 i32 f64)
            (if (i32.eqz (i32.and (local.get $n) (i32.const 15))) (then (call $note (local.get $n))))
            (if (i32.eqz (local.get $n)) (then (return (local.get $s) (f32.const 1.5) (local.get $v)
                (i32.const 1) (i32.const 2) (i32.const 3) (i32.const 4) (f64.const 2.5))))
            (call_indirect (type $t) (i32.sub (local.get $n) (i32.const 1))
                (i64.add (local.get $s) (i64.extend_i32_s (local.get $n))) (local.get $v) (i32.const 1)))
        (func (export "run") (param i32) (result i64)
            (call $up (local.get 0) (i64.const 0) (v128.const i64x2 5 6))
            drop drop drop drop drop drop drop))"#;
    let second = r#"(module
        (import "first" "table" (table 4 funcref))
        (elem (i32.const 1) $down)
        (type $t (func (param i32 i64 v128) (result i64 f32 v128 i32 i32 i32 i32 f64)))
        (func $down (type $t)
            (if (i32.eqz (local.get 0)) (then (return (local.get 1) (f32.const 2.5) (local.get 2)
                (i32.const 1) (i32.const 2) (i32.const 3) (i32.const 4) (f64.const 2.5))))
            (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1))
                (i64.mul (local.get 1) (i64.const 3)) (local.get 2) (i32.const 0))))"#;
    let mut seen = vec![];
    for config in all_engines() {
        let engine = Engine::new(&config);
        let mut store = Store::new(&engine, 0);
        let mut linker = Linker::new();
        linker.func_new("host", "note", FuncType::new([ValType::I32], []), |mut caller: Caller<'_, i32>, args, _| {
            let Val::I32(n) = args[0] else { unreachable!("an i32") };
            assert!(caller.get_export("run").is_some(), "the caller is the first instance");
            *caller.data_mut() += n;
            Ok(())
        });
        let instance = linker.instantiate(&mut store, &common::module(&engine, first)).expect("its imports are there");
        linker.instance(&store, "first", instance);
        let second = common::module(&engine, second);
        linker.instantiate(&mut store, &second).expect("its imports are there");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        let sums: Vec<i64> = [1, 5, 60, 200, 33].map(|n| func.call(&mut store, n).expect("no trap")).into();
        let overflow = func.call(&mut store, i32::MAX).expect_err("no stack is so large");
        assert_eq!(overflow.as_trap().map(|trap| trap.kind), Some(TrapKind::StackOverflow));
        assert_eq!(func.call(&mut store, 60).expect("the store goes on"), sums[2]);
        seen.push((sums, *store.data() & 0xf));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:#?}");
}

/// Tail calls between instances on different tiers do not take stack for ever.
#[test]
fn tail_calls_between_tiers_need_little_stack() {
    let first = r#"(module
        (table (export "table") 4 funcref)
        (elem (i32.const 0) $even)
        (type $t (func (param i32) (result i64)))
        (func $even (export "run") (type $t)
            (if (i32.eqz (local.get 0)) (then (return (i64.const 2))))
            (return_call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 1))))"#;
    let second = r#"(module
        (import "first" "table" (table 4 funcref))
        (elem (i32.const 1) $odd)
        (type $t (func (param i32) (result i64)))
        (func $odd (type $t)
            (if (i32.eqz (local.get 0)) (then (return (i64.const 1))))
            (return_call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0))))"#;
    let mut configs = Vec::from(all_engines());
    configs.push(Config::default().strategy(Strategy::Tiered).clone());
    for config in configs {
        let engine = Engine::new(&config);
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        let first = common::module(&engine, first);
        let instance = linker.instantiate(&mut store, &first).expect("imports nothing");
        linker.instance(&store, "first", instance);
        linker.instantiate(&mut store, &common::module(&engine, second)).expect("its imports are there");
        if engine.strategy() == Strategy::Tiered {
            // The second one has none yet.
            first.compile_all().expect("it compiles");
        }
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        assert_eq!(func.call(&mut store, 1_000_001).expect("tail calls need no stack"), 1);
    }
}

#[test]
fn a_panic_of_the_host_passes_through_all_tiers() {
    let wat = r#"(module (import "host" "panic" (func $panic (param i32)))
        (func $f (param i32) (call $panic (local.get 0)))
        (func (export "run") (param i32) (local $i i32)
            (loop $l (call $f (i32.sub (local.get 0) (local.get $i)))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $l (i32.le_s (local.get $i) (local.get 0))))))"#;
    for threshold in [1, 3, 10] {
        let engine = tiers(threshold);
        let module = common::module(&engine, wat);
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        linker.func_new("host", "panic", FuncType::new([ValType::I32], []), |_, args, _| match args[0] {
            Val::I32(0) => std::panic::panic_any(42),
            _ => Ok(()),
        });
        let instance = linker.instantiate(&mut store, &module).expect("the import is there");
        let func = instance.get_typed_func::<i32, ()>(&store, "run").expect("it has this type");
        for n in [0, 1, 2, 5, 20, 3] {
            let call = std::panic::AssertUnwindSafe(|| func.call(&mut store, n));
            let panic = std::panic::catch_unwind(call).expect_err("it panics");
            assert_eq!(panic.downcast_ref::<i32>(), Some(&42));
        }
    }
}

#[test]
fn the_host_calls_back_on_every_tier() {
    let wat = r#"(module (import "host" "twice" (func $twice (param i32) (result i32)))
        (memory (export "memory") 1 100)
        (func (export "add") (param i32) (result i32) (i32.add (local.get 0) (i32.load (i32.const 70000))))
        (func (export "run") (param i32) (result i64) (local $i i32) (local $s i64)
            (drop (memory.grow (i32.const 1)))
            (loop $l
                (i32.store (i32.const 70000) (local.get $i))
                (local.set $s (i64.add (local.get $s) (i64.extend_i32_s (call $twice (local.get $i)))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $l (i32.lt_s (local.get $i) (local.get 0))))
            (local.get $s)))"#;
    let mut seen = vec![];
    for config in all_engines() {
        let engine = Engine::new(&config);
        let module = common::module(&engine, wat);
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        let ty = FuncType::new([ValType::I32], [ValType::I32]);
        linker.func_new("host", "twice", ty, |mut caller, args, results| {
            let add = caller.get_export("add").and_then(Extern::into_func).expect("the caller exports it");
            let memory = caller.get_export("memory").and_then(Extern::into_memory).expect("the caller exports it");
            if memory.size(&caller) < 60 {
                memory.grow(&mut caller, 1)?;
            }
            add.call(&mut caller, args, results)
        });
        let instance = linker.instantiate(&mut store, &module).expect("the import is there");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        seen.push([5, 100, 5, 1000].map(|n| func.call(&mut store, n).expect("no trap")));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:#?}");
}

/// Many functions, so that their machine code takes a while.
fn large(functions: usize) -> String {
    let mut wat = String::from("(module (memory 1)");
    for f in 0..functions {
        wat.push_str(&format!("(func $f{f} (export \"f{f}\") (param i32) (result i32) (local i32)"));
        for i in 0..40 {
            wat.push_str(&format!(
                "(local.set 1 (i32.add (i32.mul (local.get 1) (i32.const {})) (i32.load offset={} (local.get 0))))",
                f + i,
                4 * i
            ));
        }
        wat.push_str("(local.get 1))");
    }
    wat + ")"
}

#[test]
fn a_module_that_is_dropped_cancels_its_machine_code() {
    let engine = Engine::new(Config::default().strategy(Strategy::Tiered).tier_threshold(1));
    let wat = large(2000);
    for _ in 0..3 {
        let module = common::module(&engine, &wat);
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        let func = instance.get_typed_func::<i32, i32>(&store, "f3").expect("it has this type");
        let first = func.call(&mut store, 8).expect("no trap");
        assert_eq!(func.call(&mut store, 8).expect("no trap"), first);
        let begin = Instant::now();
        drop((module, store));
        assert!(begin.elapsed() < Duration::from_secs(2), "dropping waits for the machine code");
    }
}

#[test]
fn stores_on_several_threads_share_a_module() {
    let engine = Engine::new(Config::default().strategy(Strategy::Tiered).tier_threshold(50));
    let module = common::module(&engine, LOOPS);
    let expected = run(&engine, &module, 40).expect("no trap");
    let calls = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(run(&engine, &module, 40).expect("no trap"), expected);
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(calls.into_inner(), 400);
    module.compile_all().expect("it has machine code");
    assert!(module.code_size() > 0);
}

/// A source that has no body for a function.
struct Incomplete(ir::Module, &'static str);

impl Source for Incomplete {
    fn module(&mut self) -> &mut ir::Module {
        &mut self.0
    }

    fn provide(&mut self, func: Func) -> Result<(), Error> {
        let is_missing = &*self.0.funcs[func].name.text == self.1;
        if is_missing { Err(Error::Limit("there is no body".into())) } else { Ok(()) }
    }
}

#[test]
fn a_module_without_machine_code_stays_on_the_virtual_machine() {
    let wat = r#"(module
        (func $missing (export "missing") (result i64) (i64.const 1))
        (func $inner (param i32) (result i64) (i64.extend_i32_s (local.get 0)))
        (func (export "run") (param i32) (result i64) (local $s i64)
            (loop $l
                (local.set $s (i64.add (local.get $s) (call $inner (local.get 0))))
                (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
            (local.get $s)))"#;
    for background in [false, true] {
        let mut config = Config::default();
        config.strategy(Strategy::Tiered).tier_threshold(2).tiers_in_background(background);
        let engine = Engine::new(&config);
        let source = Incomplete(common::read(wat), "missing");
        let module = Module::new(&engine, source).expect("it is not compiled yet");
        for _ in 0..3 {
            assert_eq!(run(&engine, &module, 100).expect("no trap"), 5050);
        }
        for _ in 0..2 {
            assert!(matches!(module.compile_all(), Err(Error::Limit(_))), "it has no machine code");
        }
        assert_eq!((run(&engine, &module, 100).expect("no trap"), module.code_size()), (5050, 0));
    }
}

#[test]
fn with_fuel_there_is_the_virtual_machine_alone() {
    let engine = Engine::new(Config::default().strategy(Strategy::Tiered).consume_fuel(true));
    assert_eq!(engine.strategy(), Strategy::Vm);
}
