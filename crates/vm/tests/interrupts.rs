//! Programs that another thread stops, on every engine.

use std::time::Duration;

use planish_vm::{Config, Engine, Error, Linker, Store, Strategy};

use crate::common;

/// Programs without end: loops with a test at their head and at their end, and an inner one; calls.
const ENDLESS: [&str; 5] = [
    "(module (func (export \"run\") (param i32) (result i64) (loop $l (br $l)) (i64.const 0)))",
    "(module (func $f (export \"run\") (param i32) (result i64) (return_call $f (local.get 0))))",
    "(module (func (export \"run\") (param i32) (result i64)
        (block $out (loop $l
            (br_if $out (i32.eq (local.get 0) (i32.const 1)))
            (local.set 0 (i32.mul (local.get 0) (i32.const 6)))
            (br $l)))
        (i64.const 0)))",
    "(module (func (export \"run\") (param i32) (result i64) (local $i i32)
        (loop $l
            (local.set $i (i32.const 100))
            (loop $m (br_if $m (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
            (br_if $l (i32.eqz (local.get $i))))
        (i64.const 0)))",
    "(module (table funcref (elem $f)) (type $t (func (param i32) (result i64)))
        (func $f (type $t) (return_call_indirect (type $t) (local.get 0) (i32.const 0)))
        (func (export \"run\") (type $t) (i64.add (i64.const 1) (call $f (local.get 0)))))",
];

fn configs() -> Vec<Config> {
    let mut configs = Vec::from(common::all_engines());
    configs.push(Config::default().strategy(Strategy::Tiered).clone());
    configs
}

#[test]
fn what_does_not_end_is_stopped_from_another_thread() {
    for mut config in configs() {
        let engine = Engine::new(config.interruptible(true));
        for wat in ENDLESS {
            let module = common::module(&engine, wat);
            let mut store = Store::new(&engine, ());
            let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
            let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
            let handle = store.interrupt_handle();
            for delay in [5, 0] {
                handle.clear();
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        std::thread::sleep(Duration::from_millis(delay));
                        handle.interrupt();
                    });
                    assert!(matches!(func.call(&mut store, 0), Err(Error::Interrupted)), "{wat}");
                });
            }
        }
    }
}

#[test]
fn a_store_goes_on_when_the_interrupt_is_taken_back() {
    let wat = r#"(module (func (export "run") (param i32) (result i64) (local $s i64)
        (loop $l
            (local.set $s (i64.add (local.get $s) (i64.extend_i32_s (local.get 0))))
            (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
        (local.get $s)))"#;
    for mut config in configs() {
        let engine = Engine::new(config.interruptible(true));
        let module = common::module(&engine, wat);
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        let handle = store.interrupt_handle();
        assert_eq!(func.call(&mut store, 100).expect("nobody stops it"), 5050);
        handle.interrupt();
        for _ in 0..3 {
            assert!(matches!(func.call(&mut store, 100), Err(Error::Interrupted)), "until it is taken back");
        }
        handle.clear();
        assert_eq!(func.call(&mut store, 100).expect("nobody stops it"), 5050);
    }
}

/// An engine that is not asked for it does not look.
#[test]
fn only_programs_of_interruptible_engines_stop() {
    let wat = r#"(module (func (export "run") (param i32) (result i64) (i64.extend_i32_s (local.get 0))))"#;
    let engine = Engine::default();
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
    store.interrupt_handle().interrupt();
    assert_eq!(func.call(&mut store, 3).expect("it does not heed it"), 3);
}
