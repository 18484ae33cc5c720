//! Lack of memory is an error, or −1 for the program that requests it; it never ends the process.

#[allow(dead_code, reason = "the other tests use all of it")]
mod common;

use std::time::{Duration, Instant};

use common::module;
use planish_eval::{Limits, Stop, world::World};
use planish_ir::function::TrapKind;
use planish_vm::{Config, Engine, Error, Linker, Memory, Module, Store, Table, Val};

const NULL: Val = Val::FuncRef(None);

/// Takes addresses until there is no room for 4 GiB; they are not more than addresses, as nobody touches them. Whether this
/// system comes to an end.
fn take_all(store: &mut Store<()>) -> bool {
    let begin = Instant::now();
    for elements in [u32::MAX, 1 << 31, 1 << 30, 1 << 29] {
        loop {
            match Table::new(&mut *store, elements, None, NULL) {
                Ok(_) if begin.elapsed() > Duration::from_secs(20) => return false,
                Ok(_) => {}
                Err(Error::Limit(_)) => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
    true
}

/// One test, as whatever else asked for room at the same time would get none.
#[test]
fn what_cannot_be_had_is_an_error() {
    let engine = Engine::new(Config::default().table_limit(u32::MAX));
    let mut store = Store::new(&engine, ());
    let large = module(&engine, "(module (memory 65536))");
    let tables = module(&engine, "(module (table 4000000000 funcref))");
    let grower = r#"(module (memory 1) (table 1 funcref)
        (func (export "memory") (result i32) (memory.grow (i32.const 65535)))
        (func (export "table") (result i32) (table.grow (ref.null func) (i32.const 0x7fffffff))))"#;
    let grower = Linker::new().instantiate(&mut store, &module(&engine, grower)).expect("small");
    let grow = ["memory", "table"].map(|name| grower.get_typed_func::<(), i32>(&store, name).expect("exported"));
    let memory = Memory::new(&mut store, 1, None).expect("small");
    let table = Table::new(&mut store, 1, None, NULL).expect("small");
    if !take_all(&mut store) {
        println!("skipped: this system gives addresses without end");
        return;
    }
    assert!(matches!(Memory::new(&mut store, 65_536, None), Err(Error::Limit(_))));
    assert!(matches!(Linker::new().instantiate(&mut store, &large), Err(Error::Limit(_))));
    assert!(matches!(Linker::new().instantiate(&mut store, &tables), Err(Error::Limit(_))));
    assert!(memory.grow(&mut store, 65_535).is_err());
    assert!(table.grow(&mut store, u32::MAX - 1, NULL).is_err());
    assert_eq!((memory.size(&store), table.size(&store)), (1, 1));
    for grow in grow {
        assert_eq!(grow.call(&mut store, ()).expect("no trap"), -1);
    }
    let mut world = World::new(Limits { words: usize::MAX, ..Limits::default() });
    assert_eq!(world.host_memory(65_536, None).err(), Some(Stop::MemoryLimit));
    // The room that is left is enough for all else.
    assert_eq!(memory.grow(&mut store, 1).expect("small"), 1);
}

#[test]
fn a_stack_that_cannot_be_had_is_one_that_overflows() {
    let engine = Engine::new(Config::default().stack_size(1 << 62));
    let mut store = Store::new(&engine, ());
    let nothing = module(&engine, r#"(module (func (export "f")))"#);
    let instance = Linker::new().instantiate(&mut store, &nothing).expect("it calls nothing");
    let f = instance.get_typed_func::<(), ()>(&store, "f").expect("exported");
    let error = f.call(&mut store, ()).expect_err("there is no stack");
    assert_eq!(error.as_trap().map(|trap| trap.kind), Some(TrapKind::StackOverflow));
}

#[test]
fn variables_have_so_many_words_at_most() {
    let text = |count: u32| format!("module ir\nvar private @a: [{count} x f32]\nvar private @b: [{count} x f32]\n");
    let engine = Engine::default();
    let read = |count| planish_ir::text::parse_str(&text(count)).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert!(Module::new(&engine, read(1000)).is_ok());
    // The sums of the others are one too many, and a number that does not fit 32 bits.
    for count in [(1 << 23) + 1, 1 << 31] {
        assert!(matches!(Module::new(&engine, read(count)), Err(Error::Compile(_))), "{count}");
    }
}
