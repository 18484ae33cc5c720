//! The host sees the same memories, and does the same to them, at every level of optimization.

use planish_ir::source::SourceMap;
use planish_vm::{Engine, Error, Func, FuncType, Instance, Linker, Memory, Module, Store, Val};

const LEVELS: [&str; 3] = ["0", "1", "2"];

fn optimized(engine: &Engine, wat: &str, level: &str) -> Module {
    let file = SourceMap::new().add("test.wat", wat).expect("small");
    let read = planish_front_wasm::translate(&file, wat.as_bytes(), &planish_front_wasm::Options::default());
    let (mut module, _) = read.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let passes = planish_opt::pipeline(level).expect("a level");
    let mut context = planish_opt::Context::new(planish_opt::Options::default());
    planish_opt::run_passes(&mut module, &passes, &mut context, &mut |_, _| {});
    Module::new(engine, module).expect("the machine has what WebAssembly has")
}

/// Calls `f` of a module at every level, in a store where `link` defines its imports.
fn at_every_level(
    wat: &str,
    link: impl Fn(&mut Store<()>, &mut Linker<()>),
    args: &[Val],
    check: impl Fn(&Store<()>, &Instance, Result<i64, Error>),
) {
    for level in LEVELS {
        let engine = Engine::default();
        let module = optimized(&engine, wat, level);
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        link(&mut store, &mut linker);
        let instance = linker.instantiate(&mut store, &module).expect("its imports are there");
        let func = instance.get_func(&store, "f").expect("exported");
        let mut results = [Val::I64(0)];
        let result = func.call(&mut store, args, &mut results).map(|()| results[0].i64().expect("an i64"));
        check(&store, &instance, result);
    }
}

fn word(store: &Store<()>, instance: &Instance, at: usize) -> u32 {
    let memory = instance.get_memory(store, "m").expect("exported");
    u32::from_le_bytes(memory.data(store)[at..at + 4].try_into().expect("four bytes"))
}

#[test]
fn a_host_function_writes_between_loads() {
    let wat = r#"(module (import "host" "poke" (func $poke)) (memory (export "m") 1)
      (func (export "f") (param $p i32) (result i64)
        (i32.store (local.get $p) (i32.const 1))
        (call $poke)
        (i64.add (i64.load32_u (local.get $p))
          (i64.mul (i64.const 1000) (block (result i64) (call $poke) (i64.load32_u (local.get $p)))))))"#;
    let link = |store: &mut Store<()>, linker: &mut Linker<()>| {
        let poke = Func::new(store, FuncType::new([], []), |mut caller, _, _| {
            let memory = caller.get_export("m").and_then(|m| m.into_memory()).expect("it exports one");
            let before = memory.data(&caller)[8];
            memory.write(&mut caller, 8, &[before + 41])?;
            Ok(())
        });
        linker.define("host", "poke", poke);
    };
    at_every_level(wat, link, &[Val::I32(8)], |store, instance, result| {
        assert_eq!(result.expect("no trap"), 42 + 83 * 1000);
        assert_eq!(word(store, instance, 8), 83);
    });
}

#[test]
fn two_imports_are_one_memory() {
    let wat = r#"(module (import "host" "m" (memory $a 1)) (import "host" "m" (memory $b 1)) (memory $c 1)
      (func (export "f") (param $p i32) (result i64)
        (i32.store $a (local.get $p) (i32.const 1))
        (i32.store $c (local.get $p) (i32.const 3))
        (i32.store $b (local.get $p) (i32.const 2))
        (i64.add (i64.load32_u $a (local.get $p)) (i64.mul (i64.const 10) (i64.load32_u $c (local.get $p))))))"#;
    let link = |store: &mut Store<()>, linker: &mut Linker<()>| {
        let memory = Memory::new(store, 1, None).expect("small");
        linker.define("host", "m", memory);
    };
    at_every_level(wat, link, &[Val::I32(8)], |_, _, result| assert_eq!(result.expect("no trap"), 32));
}

/// A trap between two stores to one place shows the first; a store beyond the memory shows what is before it, and nothing after.
#[test]
fn traps_show_the_stores_before_them() {
    let wat = r#"(module (memory (export "m") 1)
      (func (export "f") (param $p i32) (param $q i32) (result i64)
        (i32.store (i32.const 16) (i32.const 1))
        (i32.store (i32.const 16) (i32.const 2))
        (i32.store (local.get $p) (i32.const 3))
        (i32.store (i32.const 16) (i32.const 4))
        (i32.store (local.get $p) (i32.const 5))
        (drop (i32.load offset=8 (local.get $q)))
        (i32.store (local.get $p) (i32.const 6))
        (drop (i32.load (local.get $q)))
        (i32.store (i32.const 16) (i32.const 7))
        (i64.const 9)))"#;
    let none = |_: &mut Store<()>, _: &mut Linker<()>| {};
    let check = |p: i32, q: i32, at_16: u32, at_8: u32, ends: bool| {
        at_every_level(wat, none, &[Val::I32(p), Val::I32(q)], |store, instance, result| {
            assert_eq!((word(store, instance, 16), word(store, instance, 8)), (at_16, at_8));
            assert_eq!(result.is_ok(), ends);
        });
    };
    check(8, 0, 7, 6, true);
    // The first store to `p` traps.
    check(-1, 0, 2, 0, false);
    check(65_533, 0, 2, 0, false);
    // The load at 8 from `q` traps: that at 0, which would not, is after a store.
    check(8, 65_528, 4, 5, false);
    // The sum of address and offset does not wrap.
    check(8, -8, 4, 5, false);
}

/// A load of a vector leaves nothing in an accumulator, whose register is its first.
#[test]
fn a_vector_that_is_copied_by_words() {
    let wat = r#"(module (memory 1) (data (i32.const 0) "0123456789abcdefghijklmnopqrstuvwxyz")
      (func (export "f") (param i32) (param i32) (param $x i32) (param i64) (param f32) (param f64) (result i64)
        (local $never i32) (local $v v128) (local $a i32)
        (if (local.get $never)
          (then (if (local.get $x) (then (local.set $x (local.get $never)))))
          (else (local.set $v (v128.load offset=2 (local.get $a)))))
        (i64.add (i64.extend_i32_u (local.get $x)) (i64x2.extract_lane 0 (local.get $v)))))"#;
    let args = [Val::I32(0), Val::I32(1), Val::I32(2), Val::I64(3), Val::F32(4), Val::F64(5)];
    let first = i64::from_le_bytes(*b"23456789");
    at_every_level(wat, |_, _| {}, &args, |_, _, result| assert_eq!(result.expect("no trap"), first + 2));
}
