//! Calls that wait for fuel: in what order they go on, and what becomes of them when they do not.

use std::sync::{Arc, Mutex};

use crate::common::{engine_with_fuel, module};
use planish_vm::{
    AsContextMut, Caller, Engine, Error, Func, FuncType, Instance, Invocation, Linker, ResumableCall, Store, Val,
};

/// Sums the numbers below its argument, with a number of locals that all live, so that a frame that is not its own would show.
const SUM: &str = r#"(module (func (export "sum") (param $n i32) (result i32) (local $s i32) (local $a i32) (local $b i32)
    (local.set $a (i32.mul (local.get $n) (i32.const 3)))
    (local.set $b (i32.mul (local.get $n) (i32.const 5)))
    (loop $l
        (local.set $s (i32.add (local.get $s) (call $same (local.get $n))))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $l (local.get $n)))
    (i32.sub (i32.add (local.get $s) (local.get $b)) (i32.add (local.get $a) (i32.shr_u (local.get $b) (i32.const 31)))))
    (func $same (param i32) (result i32) (local.get 0)))"#;

fn sum(n: i32) -> i32 {
    n * (n + 1) / 2 + 2 * n
}

fn instance<T: 'static>(store: &mut Store<T>, engine: &Engine) -> (Instance, Func) {
    let instance = Linker::new().instantiate(&mut *store, &module(engine, SUM)).expect("it imports nothing");
    let func = instance.get_func(&*store, "sum").expect("exported");
    (instance, func)
}

/// Begins a call with too little fuel.
fn begin<T>(store: &mut Store<T>, func: Func, n: i32) -> Invocation {
    store.set_fuel(20);
    match func.call_resumable(store, &[Val::I32(n)], &mut [Val::I32(0)]) {
        Ok(ResumableCall::OutOfFuel(invocation)) => invocation,
        _ => panic!("the fuel does not suffice"),
    }
}

/// Goes on with a call, by little steps, to its end.
fn finish<T>(store: &mut Store<T>, mut invocation: Invocation) -> i32 {
    let mut results = [Val::I32(0)];
    loop {
        store.set_fuel(50);
        match invocation.resume(&mut *store, &mut results).expect("no trap") {
            ResumableCall::Finished => return results[0].i32().expect("an i32"),
            ResumableCall::OutOfFuel(again) => invocation = again,
        }
    }
}

#[test]
fn calls_that_wait_go_on_from_the_last_to_the_first() {
    let engine = engine_with_fuel();
    let mut store = Store::new(&engine, ());
    let (_, f) = instance(&mut store, &engine);
    let (_, g) = instance(&mut store, &engine);
    let calls = [(f, 100), (g, 200), (f, 300), (g, 400)].map(|(func, n)| (begin(&mut store, func, n), n));
    // A store that has moved is the same store.
    let mut store = Box::new(store);
    for (call, n) in calls.into_iter().rev() {
        assert_eq!(finish(&mut store, call), sum(n));
    }
}

#[test]
fn a_call_below_another_one_cannot_go_on() {
    let engine = engine_with_fuel();
    let mut store = Store::new(&engine, ());
    let (_, f) = instance(&mut store, &engine);
    let [first, second, third] = [100, 200, 300].map(|n| begin(&mut store, f, n));
    store.set_fuel(1000);
    let error = second.resume(&mut store, &mut [Val::I32(0)]).err().expect("the third one is above it");
    assert!(matches!(error, Error::Type(_)), "{error}");
    assert_eq!(finish(&mut store, third), sum(300));
    // The second was given up by that, so nothing is above the first.
    assert_eq!(finish(&mut store, first), sum(100));
}

#[test]
fn calls_can_be_given_up_in_any_order() {
    let engine = engine_with_fuel();
    let mut store = Store::new(&engine, ());
    let (_, f) = instance(&mut store, &engine);
    for round in 0..2000 {
        let [first, second, third] = [100, 200, 300].map(|n| begin(&mut store, f, n));
        if round % 2 == 0 {
            second.end(&mut store);
            assert_eq!(finish(&mut store, third), sum(300));
        } else {
            drop(third);
            assert_eq!(finish(&mut store, second), sum(200));
        }
        let fourth = begin(&mut store, f, 50);
        drop(first);
        assert_eq!(finish(&mut store, fourth), sum(50));
    }
}

#[test]
#[should_panic(expected = "a handle of another store")]
fn a_call_ends_in_its_own_store() {
    let engine = engine_with_fuel();
    let (mut store, mut other) = (Store::new(&engine, ()), Store::new(&engine, ()));
    let (_, f) = instance(&mut store, &engine);
    begin(&mut store, f, 100).end(&mut other);
}

#[test]
fn a_call_sees_the_memory_that_grew_while_it_waited() {
    let engine = engine_with_fuel();
    let mut store = Store::new(&engine, ());
    let text = r#"(module (memory (export "memory") 1) (func (export "f") (param $n i32) (result i32)
        (i32.store (i32.const 8) (i32.const 5))
        (loop $l
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (i32.store (i32.const 8) (i32.add (i32.load (i32.const 8)) (i32.const 1)))
            (br_if $l (local.get $n)))
        (i32.add (i32.load (i32.const 8)) (i32.load (i32.const 2000000)))))"#;
    let instance = Linker::new().instantiate(&mut store, &module(&engine, text)).expect("it imports nothing");
    let (f, memory) = (instance.get_func(&store, "f"), instance.get_memory(&store, "memory"));
    let (f, memory) = (f.expect("exported"), memory.expect("exported"));
    let waiting = begin(&mut store, f, 100);
    memory.grow(&mut store, 40).expect("it may");
    memory.write(&mut store, 2_000_000, &7i32.to_le_bytes()).expect("it lies within");
    assert_eq!(finish(&mut store, waiting), 100 + 5 + 7);
}

type Shared = Arc<Mutex<Option<Invocation>>>;

/// A module whose `run` calls the host function and then `sum` of 60.
const RUN: &str = r#"(module (import "m" "host" (func $host)) (import "m" "sum" (func $sum (param i32) (result i32)))
    (func (export "run") (param i32) (result i32) (call $host) (i32.add (local.get 0) (call $sum (i32.const 60)))))"#;

/// A store with `sum`, and with `run`, whose host function does `what`.
fn with_host(what: impl Fn(&mut Caller<'_, Shared>, Func) + Send + Sync + 'static) -> (Store<Shared>, Func, Func) {
    let engine = engine_with_fuel();
    let mut store = Store::new(&engine, Shared::default());
    let (first, sum) = instance(&mut store, &engine);
    let mut linker = Linker::new();
    linker.instance(&store, "m", first);
    linker.func_new("m", "host", FuncType::default(), move |mut caller, _, _| {
        what(&mut caller, sum);
        Ok(())
    });
    store.set_fuel(1000);
    let run = linker.instantiate(&mut store, &module(&engine, RUN)).expect("it fits");
    let run = run.get_func(&store, "run").expect("exported");
    (store, sum, run)
}

fn run(store: &mut Store<Shared>, func: Func) -> i32 {
    store.set_fuel(10_000);
    let mut results = [Val::I32(0)];
    func.call(store, &[Val::I32(1000)], &mut results).expect("enough fuel");
    results[0].i32().expect("an i32")
}

#[test]
fn what_a_host_leaves_waiting_is_over_when_it_returns() {
    let (mut store, _, func) = with_host(|caller, sum| {
        let mut store = caller.as_context_mut();
        let left = match sum.call_resumable(&mut store, &[Val::I32(1_000_000)], &mut [Val::I32(0)]) {
            Ok(ResumableCall::OutOfFuel(invocation)) => invocation,
            _ => panic!("the fuel does not suffice"),
        };
        *store.data().lock().expect("one thread") = Some(left);
    });
    // The fuel is gone when the host returns: `run` waits, too.
    store.set_fuel(1000);
    let mut results = [Val::I32(0)];
    let Ok(ResumableCall::OutOfFuel(waiting)) = func.call_resumable(&mut store, &[Val::I32(1000)], &mut results) else {
        panic!("the host has burnt all fuel")
    };
    let left = store.data().lock().expect("one thread").take().expect("the host left it");
    store.set_fuel(1000);
    assert!(left.resume(&mut store, &mut results).is_err(), "it is over");
    assert_eq!(finish(&mut store, waiting), 1000 + sum(60));
}

#[test]
fn a_host_cannot_go_on_with_what_is_below_its_caller() {
    let (mut store, summing, func) = with_host(|caller, _| {
        let mut store = caller.as_context_mut();
        let waiting = store.data().lock().expect("one thread").take().expect("it was put there");
        assert!(waiting.resume(&mut store, &mut [Val::I32(0)]).is_err(), "its frames are below the caller's");
    });
    let waiting = begin(&mut store, summing, 100);
    *store.data().lock().expect("one thread") = Some(waiting);
    assert_eq!(run(&mut store, func), 1000 + sum(60));
    assert_eq!(finish_new(&mut store, summing), sum(70));
}

fn finish_new(store: &mut Store<Shared>, func: Func) -> i32 {
    let call = begin(store, func, 70);
    finish(store, call)
}
