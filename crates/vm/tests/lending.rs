//! Memories whose bytes are the host's: nothing is copied, nothing else can be reached, and nothing is left afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};

use planish_ir::source::SourceMap;
use planish_vm::{
    AsContextMut, Config, Engine, Error, Func, FuncType, Instance, Lent, Linker, Memory, Module, Store, Strategy,
    TrapKind, Val,
};

const SUMS: &str = r#"(module
  (memory (export "xs") 0 0) (memory (export "ys") 0 0) (memory (export "own") 1)
  (func (export "sum") (param $count i32) (result i64) (local $i i32) (local $sum i64)
    (loop $next
      (if (i32.lt_u (local.get $i) (local.get $count)) (then
        (local.set $sum (i64.add (local.get $sum) (i64.load (i32.mul (local.get $i) (i32.const 8)))))
        (i64.store 1 (i32.mul (local.get $i) (i32.const 8)) (local.get $sum))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next))))
    (local.get $sum))
  (func (export "last") (param $at i32) (result i64) (i64.load 0 (local.get $at)))
  (func (export "copy") (param $count i32) (memory.copy 1 0 (i32.const 0) (i32.const 0) (local.get $count)))
  (func (export "grow") (param $pages i32) (result i32) (memory.grow 0 (local.get $pages))))"#;

/// One that knows nothing of memories without pages.
const OTHER: &str = r#"(module (memory (import "m" "xs") 0)
  (func (export "get") (param i32) (result i64) (i64.load (local.get 0))))"#;

const WRITES: &str = r#"(module (memory (import "m" "xs") 0 0)
  (func (export "set") (param i32) (i64.store (local.get 0) (i64.const 1))))"#;

fn module(engine: &Engine, wat: &str) -> Module {
    let file = SourceMap::new().add("test.wat", wat).expect("small");
    let read = planish_front_wasm::translate(&file, wat.as_bytes(), &planish_front_wasm::Options::default());
    let (module, _) = read.unwrap_or_else(|errors| panic!("{errors:#?}"));
    Module::new(engine, module).expect("the machine has what WebAssembly has")
}

/// Engines of every kind.
fn engines() -> Vec<Engine> {
    let mut bare = Config::default().strategy(Strategy::Native).clone();
    bare.signals_based_traps(false);
    let mut tiered = Config::default().strategy(Strategy::Tiered).clone();
    tiered.tier_threshold(1);
    [
        Config::default().strategy(Strategy::Vm).clone(),
        Config::default().strategy(Strategy::Native).clone(),
        bare,
        tiered,
    ]
    .iter()
    .map(Engine::new)
    .collect()
}

fn memory(store: &Store<()>, instance: &Instance, name: &str) -> Memory {
    instance.get_memory(store, name).expect("exported")
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn programs_work_on_slices_in_place() {
    for engine in engines() {
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module(&engine, SUMS)).expect("imports nothing");
        let (xs, ys) = (memory(&store, &instance, "xs"), memory(&store, &instance, "ys"));
        let sum = instance.get_typed_func::<i32, i64>(&store, "sum").expect("exported");
        for count in [0, 1, 2, 1000, 70_000_u64] {
            let input = bytes(&(1..=count).collect::<Vec<_>>());
            let mut output = vec![0; input.len()];
            let lent = [(xs, Lent::ToRead(&input)), (ys, Lent::ToWrite(&mut output))];
            let result = Memory::lend(lent, &mut store, |mut store| {
                assert_eq!(xs.data(&store).as_ptr(), input.as_ptr());
                sum.call(&mut store, count as i32)
            });
            assert_eq!(result.expect("lent").expect("within bounds"), (count * (count + 1) / 2) as i64);
            assert_eq!(output, bytes(&(1..=count).map(|n| n * (n + 1) / 2).collect::<Vec<_>>()));
            // Nothing is left of the slices.
            assert_eq!((xs.data(&store), ys.data(&store)), (&[][..], &[][..]));
            assert!(count == 0 || matches!(sum.call(&mut store, 1), Err(Error::Trap(_))));
        }
    }
}

#[test]
fn sizes_are_those_of_the_slices() {
    for engine in engines() {
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module(&engine, SUMS)).expect("imports nothing");
        let (xs, ys) = (memory(&store, &instance, "xs"), memory(&store, &instance, "ys"));
        let last = instance.get_typed_func::<i32, i64>(&store, "last").expect("exported");
        let copy = instance.get_typed_func::<i32, ()>(&store, "copy").expect("exported");
        let grow = instance.get_typed_func::<i32, i32>(&store, "grow").expect("exported");
        let (input, mut output) = (vec![7u8; 19], vec![0u8; 19]);
        let lent = [(xs, Lent::ToWrite(&mut output))];
        let written = Memory::lend(lent, &mut store, |mut store| xs.write(&mut store, 11, &input[..8]));
        written.expect("lent").expect("within bounds");
        assert_eq!(output[10..], [0, 7, 7, 7, 7, 7, 7, 7, 7]);
        output.fill(0);
        let lent = [(xs, Lent::ToRead(&input)), (ys, Lent::ToWrite(&mut output))];
        let out_of_bounds = |result: Result<(), Error>| {
            let error = result.expect_err("it is out of bounds");
            assert_eq!(error.as_trap().expect("a trap").kind, TrapKind::OutOfBoundsMemory, "{error}");
        };
        let checked = Memory::lend(lent, &mut store, |mut store| {
            for at in [12, 19, 20, 0x10000, -1, i32::MIN] {
                out_of_bounds(last.call(&mut store, at).map(drop));
            }
            out_of_bounds(copy.call(&mut store, 20));
            assert_eq!(last.call(&mut store, 11).expect("within bounds"), 0x0707_0707_0707_0707);
            copy.call(&mut store, 19).expect("within bounds");
            // Growing by nothing, or not growing, keeps the slice.
            assert_eq!(grow.call(&mut store, 0).expect("no trap"), 0);
            assert_eq!(grow.call(&mut store, 1).expect("no trap"), -1);
            assert_eq!(last.call(&mut store, 11).expect("within bounds"), 0x0707_0707_0707_0707);
        });
        checked.expect("lent");
        assert_eq!(input, output);
    }
}

#[test]
fn unfit_memories_are_refused() {
    for engine in engines() {
        let mut store = Store::new(&engine, ());
        let module_of = |wat| module(&engine, wat);
        let sums = module_of(SUMS);
        let instance = Linker::new().instantiate(&mut store, &sums).expect("imports nothing");
        let [xs, ys, own] = ["xs", "ys", "own"].map(|name| memory(&store, &instance, name));
        let (input, mut output) = ([0; 16], [0; 16]);
        let refused = |store: &mut Store<()>, lent: Vec<(Memory, Lent<'_>)>| -> String {
            let refused = Memory::lend(lent, &mut *store, |_| panic!("nothing runs"));
            assert!(xs.data(&*store).is_empty(), "what was lent before the refusal is taken back");
            refused.expect_err("it is refused").to_string()
        };
        let text = refused(&mut store, vec![(xs, Lent::ToRead(&input)), (own, Lent::ToWrite(&mut output))]);
        assert!(text.contains("may have pages"), "{text}");
        let text = refused(&mut store, vec![(xs, Lent::ToRead(&input)), (ys, Lent::ToRead(&input))]);
        assert!(text.contains("for reading"), "{text}");
        let text = refused(&mut store, vec![(xs, Lent::ToRead(&input)), (xs, Lent::ToRead(&input))]);
        assert!(text.contains("already"), "{text}");
        // Nobody imports one meanwhile, and no mutable reference leads to bytes that are lent for reading.
        let mut linker = Linker::new();
        linker.define("m", "xs", xs);
        let lent = Memory::lend([(xs, Lent::ToRead(&input))], &mut store, |mut store| {
            let written = catch_unwind(AssertUnwindSafe(|| xs.write(&mut store, 0, &[1])));
            written.map(drop).expect_err("they are not to be written to");
            Memory::lend([(xs, Lent::ToRead(&input))], store.as_context_mut(), |_| ()).expect_err("lent already");
        });
        lent.expect("lent");
        // After a module that writes has it, it is not lent bytes to read; after one that takes it for an ordinary one, none.
        linker.instantiate(&mut store, &module_of(WRITES)).expect("it fits");
        let text = refused(&mut store, vec![(xs, Lent::ToRead(&input))]);
        assert!(text.contains("for reading"), "{text}");
        Memory::lend([(xs, Lent::ToWrite(&mut output))], &mut store, |_| ()).expect("it may be written to");
        let other = linker.instantiate(&mut store, &module_of(OTHER)).expect("it fits");
        let text = refused(&mut store, vec![(xs, Lent::ToWrite(&mut output))]);
        assert!(text.contains("may have pages"), "{text}");
        let get = other.get_typed_func::<i32, i64>(&store, "get").expect("exported");
        get.call(&mut store, 0).expect_err("it is empty");
    }
}

#[test]
fn a_panic_of_the_host_takes_the_slices_back() {
    const CALLS: &str = r#"(module (import "m" "f" (func $f)) (memory (export "xs") 0 0)
      (func (export "go") (result i32) (call $f) (i32.load8_u (i32.const 0))))"#;
    for engine in engines() {
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        linker.define("m", "f", Func::new(&mut store, FuncType::new([], []), |_, _, _| panic!("on purpose")));
        let instance = linker.instantiate(&mut store, &module(&engine, CALLS)).expect("it fits");
        let (xs, go) = (memory(&store, &instance, "xs"), instance.get_func(&store, "go").expect("exported"));
        let input = vec![1; 64];
        let call = || {
            Memory::lend([(xs, Lent::ToRead(&input))], &mut store, |mut store| {
                go.call(&mut store, &[], &mut [Val::I32(0)])
            })
        };
        catch_unwind(AssertUnwindSafe(call)).map(drop).expect_err("the host panics");
        drop(input);
        assert!(xs.data(&store).is_empty());
    }
}

/// A comparison with the size holds for the accesses that it dominates, and for no others.
#[test]
fn accesses_that_nothing_has_checked_are_checked() {
    const ACCESSES: &str = r#"(module (memory (export "m") 0 0)
      (func (export "after_an_arm") (param $c i32) (param $p i32) (result i32)
        (if (local.get $c) (then (drop (i32.load8_u (local.get $p)))))
        (i32.load8_u (local.get $p)))
      (func (export "wider") (param $c i32) (param $p i32) (result i32)
        (drop (i32.load8_u (local.get $p)))
        (i32.load (local.get $p)))
      (func (export "in_a_loop") (param $c i32) (param $p i32) (result i32)
        (drop (i32.load8_u (local.get $p)))
        (loop $next
          (drop (i32.load8_u (local.get $p)))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br_if $next (i32.lt_u (local.get $p) (i32.const 9))))
        (i32.const 5)))"#;
    for engine in engines() {
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module(&engine, ACCESSES)).expect("imports nothing");
        let memory = memory(&store, &instance, "m");
        let mut call = |name: &str, c: i32, p: i32, size: usize| {
            let f = instance.get_typed_func::<(i32, i32), i32>(&store, name).expect("exported");
            let bytes = vec![1; size];
            let called = Memory::lend([(memory, Lent::ToRead(&bytes))], &mut store, |store| f.call(store, (c, p)));
            called.expect("lent").ok()
        };
        for c in [0, 1] {
            assert_eq!(call("after_an_arm", c, 7, 8), Some(1));
            assert_eq!(call("after_an_arm", c, 8, 8), None);
            assert_eq!(call("wider", c, 4, 8), Some(0x0101_0101));
            assert_eq!(call("wider", c, 5, 8), None);
            assert_eq!(call("in_a_loop", c, 0, 9), Some(5));
            assert_eq!(call("in_a_loop", c, 0, 8), None);
        }
    }
}
