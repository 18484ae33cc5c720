//! Memory does not grow with the number of calls, nor with that of modules, stores and engines that come and go: resident
//! pages of this process before and after, on every engine.
//!
//! `PLANISH_ROUNDS=100 cargo test --release -p planish-vm-tests --test growth` makes a million calls and ten thousand modules each.

#[allow(dead_code, reason = "the other tests use all of it")]
mod common;

use common::{ir_module, module};
use planish_vm::{Config, Engine, Error, FuncType, Linker, Store, Strategy, Val, ValType};

/// Bytes of memory that the process has, where the system tells.
fn resident() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * pages.split(' ').nth(1)?.parse::<usize>().ok()?)
}

/// Bytes by which memory may grow: allocators and threads come to rest late.
const SLACK: usize = 3 << 20;

/// Does something a number of times, and as often again.
fn stays(what: &str, count: usize, mut f: impl FnMut(usize)) {
    (0..count).for_each(&mut f);
    let Some(before) = resident() else {
        println!("skipped: this system does not tell how much memory a process has");
        return;
    };
    (count..2 * count).for_each(&mut f);
    let after = resident().expect("it was told before");
    println!("{what}, {count} times: {} KiB, then {} KiB", before >> 10, after >> 10);
    assert!(after < before + SLACK, "{what}, {count} times: from {} KiB to {} KiB", before >> 10, after >> 10);
}

fn rounds() -> usize {
    std::env::var("PLANISH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

fn configs() -> [(&'static str, Config); 4] {
    let of = |strategy| Config::default().strategy(strategy).tier_threshold(2).clone();
    let at_once = of(Strategy::Tiered).tiers_in_background(false).clone();
    [
        ("virtual machine", of(Strategy::Vm)),
        ("machine code", of(Strategy::Native)),
        ("tiers", of(Strategy::Tiered)),
        ("tiers without threads", at_once),
    ]
}

const PROGRAM: &str = r#"(module
    (import "host" "next" (func $next (param i32) (result i32)))
    (memory 1 3)
    (global $g (mut i32) (i32.const 0))
    (func $inner (param i32) (result i32) (i32.div_u (i32.const 100) (local.get 0)))
    (func (export "run") (param i32) (result i64) (local $i i32)
        (loop $l
            (i32.store (i32.const 8) (call $next (i32.load (i32.const 8))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $l (i32.lt_u (local.get $i) (i32.const 4))))
        (i64.extend_i32_u (call $inner (local.get 0)))))"#;

fn linker() -> Linker<()> {
    let mut linker = Linker::new();
    let ty = FuncType::new([ValType::I32], [ValType::I32]);
    linker.func_new("host", "next", ty, |_, args, results| {
        results[0] = Val::I32(args[0].i32().expect("an i32").wrapping_add(1));
        Ok(())
    });
    linker
}

/// One test, as another would have memory, too.
#[test]
fn memory_does_not_grow() {
    for (name, config) in configs() {
        calls(name, &config);
        modules(name, &config);
    }
}

fn calls(name: &str, config: &Config) {
    let engine = Engine::new(config);
    let mut store = Store::new(&engine, ());
    let program = module(&engine, PROGRAM);
    let instance = linker().instantiate(&mut store, &program).expect("its import is there");
    let run = instance.get_typed_func::<i32, i64>(&store, "run").expect("exported");
    stays(&format!("{name}: calls"), 10_000 * rounds(), |i| {
        let expected = if i % 100 == 0 { None } else { Some(100 / (i as i64 % 100)) };
        match run.call(&mut store, i as i32 % 100) {
            Ok(found) => assert_eq!(Some(found), expected),
            Err(error) => assert!(matches!(error, Error::Trap(_)) && expected.is_none(), "{error}"),
        }
    });
}

/// A module whose types are its own.
const OF_ITS_OWN: &str =
    "module ir\nfn @f(%0: u32, %1: bool) -> (u32, bool) {\nb0:\n  %2 = add %0, %0\n  return %2, %1\n}\n";

fn modules(name: &str, config: &Config) {
    let engine = Engine::new(config);
    let linker = linker();
    stays(&format!("{name}: modules"), 100 * rounds(), |i| {
        let program = module(&engine, PROGRAM);
        let mut store = Store::new(&engine, ());
        let instance = linker.instantiate(&mut store, &program).expect("its import is there");
        let run = instance.get_typed_func::<i32, i64>(&store, "run").expect("exported");
        (0..4).for_each(|_| assert_eq!(run.call(&mut store, 7).expect("no trap"), 14));
        if i % 2 == 0 {
            program.compile_all().expect("it compiles");
            assert_eq!(run.call(&mut store, 7).expect("no trap"), 14);
        }
        let own = ir_module(&engine, OF_ITS_OWN);
        let mut store = Store::new(&engine, ());
        let funcs = common::all_functions(&mut store, &own);
        let mut results = [Val::I32(0), Val::I32(0)];
        funcs[0].call(&mut store, &[Val::I32(5), Val::I32(1)], &mut results).expect("no trap");
        assert_eq!(results[0].i32(), Some(10));
    });
    stays(&format!("{name}: engines"), 50 * rounds(), |_| {
        let engine = Engine::new(config);
        let program = module(&engine, PROGRAM);
        let mut store = Store::new(&engine, ());
        let instance = linker.instantiate(&mut store, &program).expect("its import is there");
        let run = instance.get_typed_func::<i32, i64>(&store, "run").expect("exported");
        (0..3).for_each(|_| assert_eq!(run.call(&mut store, 7).expect("no trap"), 14));
    });
}
