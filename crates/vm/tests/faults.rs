//! Memories with guard pages: traps by faults of the processor are those of the virtual machine, and faults of others go to
//! whoever had them before.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

use planish_ir::function::TrapKind;
use planish_vm::{Config, Engine, Error, Extern, FuncType, Linker, Memory, Store, Strategy, Trap};

use crate::common;

/// The virtual machine, and machine code without and with guard pages.
fn engines() -> [Engine; 3] {
    let native = |guarded| Engine::new(Config::default().strategy(Strategy::Native).signals_based_traps(guarded));
    [Engine::default(), native(false), guarded()]
}

fn guarded() -> Engine {
    let engine = Engine::new(Config::default().strategy(Strategy::Native));
    assert!(engine.signals_based_traps(), "tests run on hosts with guard pages");
    engine
}

fn trap(error: &Error) -> &Trap {
    error.as_trap().unwrap_or_else(|| panic!("no trap, but {error}"))
}

/// Calls `run` with an `i32` on every engine, in new stores: result and first bytes of the memory are the same.
fn same(wat: &str, argument: i32) -> Result<i64, TrapKind> {
    let mut all = vec![];
    for engine in engines() {
        let module = common::module(&engine, wat);
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        let found = func.call(&mut store, argument).map_err(|error| trap(&error).clone());
        let memory = instance.get_memory(&store, "memory").map(|memory| memory.data(&store).to_vec());
        all.push((found, memory));
    }
    assert!(
        all[0] == all[1] && all[1] == all[2],
        "{argument}: {:?}",
        all.iter().map(|(found, _)| found).collect::<Vec<_>>()
    );
    all.swap_remove(0).0.map_err(|trap| trap.kind)
}

#[test]
fn every_access_beyond_the_end_traps() {
    let accesses = [
        ("i64.extend_i32_u", "i32.load8_u", 1),
        ("", "i64.load16_s", 2),
        ("", "i64.load32_u", 4),
        ("i64.extend_i32_u", "i32.load", 4),
        ("", "i64.load", 8),
        ("i64.trunc_sat_f64_s", "f64.load", 8),
        ("i64x2.extract_lane 1", "v128.load", 16),
        ("i64x2.extract_lane 1", "v128.load32_splat", 4),
        ("i64x2.extract_lane 1", "v128.load16x4_u", 8),
        ("", "i32.store8", 1),
        ("", "i64.store16", 2),
        ("", "i64.store32", 4),
        ("", "i64.store", 8),
        ("", "f32.store", 4),
        ("", "v128.store", 16),
    ];
    for (after, access, width) in accesses {
        for offset in [0u32, 1, 65_535, 32 << 20, (32 << 20) + 1, i32::MAX as u32, u32::MAX] {
            let work = match access.split_once(".store") {
                None => format!("({access} offset={offset} (local.get 0)) {after}"),
                Some((of, _)) => {
                    let value = match of {
                        "v128" => "(v128.const i64x2 -1 -1)".into(),
                        of => format!("({of}.const {})", if of.starts_with('f') { "1.5" } else { "-1" }),
                    };
                    format!("({access} offset={offset} (local.get 0) {value}) i64.const 7")
                }
            };
            let wat = format!(
                r#"(module (memory (export "memory") 2) (data (i32.const 131056) "0123456789abcdef")
                    (func (export "run") (param i32) (result i64) {work}))"#
            );
            let last = 2 * 65_536 - width - i64::from(offset);
            for index in [0, last, last + 1, last + width, i64::from(i32::MAX), i64::from(u32::MAX)] {
                let Ok(index) = u32::try_from(index) else { continue };
                let expected = (i64::from(index) > last).then_some(TrapKind::OutOfBoundsMemory);
                assert_eq!(same(&wat, index as i32).err(), expected, "{access} offset={offset} at {index}");
            }
        }
    }
}

#[test]
fn effects_before_a_trap_are_there_and_none_after_it() {
    let wat = r#"(module (memory (export "memory") 1 1) (global $g (mut i32) (i32.const 0))
        (func (export "run") (param i32) (result i64)
            (i32.store (i32.const 0) (i32.const 1))
            (drop (i32.load (local.get 0)))
            (i32.store (i32.const 0) (i32.const 2))
            (i32.store (i32.const 8) (i32.const 3))
            (drop (i32.load offset=4 (local.get 0)))
            (i32.store (i32.const 8) (i32.const 4))
            (i64.extend_i32_u (i32.add (i32.load offset=8 (local.get 0)) (i32.load offset=12 (local.get 0))))))"#;
    for index in (65_516..65_537).chain([-1, -4]) {
        let expected = (!(0..=65_536 - 16).contains(&index)).then_some(TrapKind::OutOfBoundsMemory);
        assert_eq!(same(wat, index).err(), expected, "{index}");
    }
}

#[test]
fn a_memory_without_pages_has_no_bytes() {
    let wat = r#"(module (memory 0) (func (export "run") (param i32) (result i64)
        (drop (memory.grow (i32.const 0))) (i64.load8_u (local.get 0))))"#;
    for index in [0, 1, -1] {
        assert_eq!(same(wat, index), Err(TrapKind::OutOfBoundsMemory));
    }
}

/// Which of a thousand accesses of a function traps is told by its place in the source.
#[test]
fn the_place_of_a_trap_is_that_of_its_access() {
    let mut work = String::new();
    for i in 0..1000 {
        // An operand in memory, accesses one after the other, and in blocks.
        let at = format!("(select (i32.const -1) (i32.const {}) (i32.eq (local.get 0) (i32.const {i})))", 8 * i);
        work += &match i % 4 {
            0 => format!("(local.set $sum (i64.add (local.get $sum) (i64.load {at})))\n"),
            1 => format!("(local.set $sum (i64.xor (i64.load {at}) (i64.mul (local.get $sum) (i64.const 3))))\n"),
            2 => format!(
                "(if (i32.ne (local.get 0) (i32.const 5000)) (then (i32.store offset=4 {at} (i32.const {i}))))\n"
            ),
            _ => format!("(f64.store {at} (f64.add (f64.load {at}) (f64.const 0.5)))\n"),
        };
    }
    let wat = format!(
        r#"(module (memory (export "memory") 2)
            (func (export "run") (param i32) (result i64) (local $sum i64) {work} local.get $sum))"#
    );
    let engines = engines().map(|engine| (common::module(&engine, &wat), engine));
    let mut places = std::collections::HashSet::new();
    for i in 0..1001 {
        let [expected, compared, found] = engines.each_ref().map(|(module, engine)| {
            let mut store = Store::new(engine, ());
            let instance = Linker::new().instantiate(&mut store, module).expect("imports nothing");
            let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
            func.call(&mut store, i).map_err(|error| trap(&error).clone())
        });
        assert_eq!(expected, compared, "{i}");
        assert_eq!(expected, found, "{i}");
        assert_eq!(found.is_err(), i < 1000, "{i}");
        places.extend(found.err().map(|trap| format!("{:?}", trap.span)));
    }
    assert_eq!(places.len(), 1000);
}

const TOUCH: &str = r#"(module (memory (export "memory") 1)
    (func (export "run") (param i32) (result i64) (i64.load (local.get 0))))"#;

#[test]
fn many_threads_trap_at_once() {
    let engine = guarded();
    let module = common::module(&engine, TOUCH);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mut store = Store::new(&engine, ());
                    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
                    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
                    for i in 0..2000 {
                        let error = func.call(&mut store, 65_529 + i).expect_err("beyond the end");
                        assert_eq!(trap(&error).kind, TrapKind::OutOfBoundsMemory);
                        assert_eq!(func.call(&mut store, i).expect("within it"), 0);
                    }
                })
            })
            .collect();
        // Code comes and goes meanwhile.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let module = common::module(&engine, TOUCH);
                let mut store = Store::new(&engine, ());
                let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
                let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
                assert!(func.call(&mut store, -1).is_err());
            }
        });
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(results.iter().all(Result::is_ok));
    });
}

/// Host, code, host and code again, in one store and another: each trap ends the call that it is of.
#[test]
fn calls_that_trap_are_nested() {
    let wat = r#"(module (import "host" "deeper" (func $deeper (param i32) (result i64)))
        (memory (export "memory") 1)
        (func (export "run") (param i32) (result i64) (local $x i64)
            (local.set $x (call $deeper (local.get 0)))
            (i64.add (local.get $x) (i64.load (i32.sub (i32.const 65536) (local.get 0))))))"#;
    let engine = guarded();
    let module = common::module(&engine, wat);
    fn deeper(engine: &Engine, module: &planish_vm::Module, depth: i32) -> Result<i64, Error> {
        let mut store = Store::new(engine, ());
        let mut linker = Linker::new();
        let ty = FuncType::new([planish_vm::ValType::I32], [planish_vm::ValType::I64]);
        let (own, code) = (engine.clone(), module.clone());
        linker.func_new("host", "deeper", ty, move |mut caller, args, results| {
            let planish_vm::Val::I32(depth) = args[0] else { unreachable!("an i32") };
            let mut sum = 0;
            if depth > 0 {
                let run = caller.get_export("run").and_then(Extern::into_func).expect("it exports it");
                let mut own_result = [planish_vm::Val::I64(0)];
                let inner = run.call(&mut caller, &[planish_vm::Val::I32(depth - 1)], &mut own_result);
                let other = deeper(&own, &code, depth - 1);
                assert_eq!(inner.is_err(), other.is_err());
                sum = i64::from(inner.is_err()) + other.unwrap_or(10);
            }
            results[0] = planish_vm::Val::I64(sum);
            Ok(())
        });
        let instance = linker.instantiate(&mut store, module)?;
        instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type").call(&mut store, depth)
    }
    // At a depth below eight the load crosses the end. At eight both inner calls trap, and this one goes on.
    for depth in [8, 9, 10] {
        assert_eq!(deeper(&engine, &module, depth).expect("the load is within"), 11);
    }
    assert!(deeper(&engine, &module, 7).is_err());
}

#[test]
fn instances_share_a_memory_that_grows() {
    let owner = r#"(module (memory (export "memory") 1 10)
        (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))"#;
    let user = r#"(module (import "owner" "memory" (memory 1)) (import "owner" "grow" (func $grow (param i32) (result i32)))
        (func $inner (param i32) (result i32) (call $grow (local.get 0)))
        (func (export "run") (param $pages i32) (result i64)
            (i64.store (i32.const 0) (i64.const 5))
            (drop (call $inner (local.get $pages)))
            (i64.store offset=65536 (i32.const 8) (i64.const 6))
            (i64.add (i64.load (i32.const 0)) (i64.load (i32.const 65544)))))"#;
    let engine = guarded();
    let (owner, user) = (common::module(&engine, owner), common::module(&engine, user));
    for (pages, expected) in [(1, Some(11)), (9, Some(11)), (0, None), (10, None)] {
        let mut store = Store::new(&engine, ());
        let owner = Linker::new().instantiate(&mut store, &owner).expect("imports nothing");
        let mut linker = Linker::new();
        linker.instance(&store, "owner", owner);
        let user = linker.instantiate(&mut store, &user).expect("the imports are there");
        let func = user.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        let found = func.call(&mut store, pages);
        assert_eq!(found.as_ref().ok().copied(), expected, "{pages}");
        if let Err(error) = found {
            assert_eq!(trap(&error).kind, TrapKind::OutOfBoundsMemory);
        }
        let memory = owner.get_memory(&store, "memory").expect("it is exported");
        assert_eq!(memory.size(&store), if expected.is_some() { 1 + pages as u32 } else { 1 });
        assert_eq!(memory.data(&store)[0], 5);
    }
}

/// Runs a test of this file in a process of its own, in which `PLANISH_CHILD` is set.
fn child(name: &str, command: &str) -> Output {
    let program = std::env::current_exe().expect("this program");
    let script = format!("{command} exec \"$0\" --exact faults::{name} --nocapture --test-threads=1");
    let output = Command::new("sh").arg("-c").arg(script).arg(program).env("PLANISH_CHILD", name).output();
    output.expect("a shell")
}

fn is_child() -> bool {
    std::env::var_os("PLANISH_CHILD").is_some()
}

/// A store in whose code a function of the host is called that does not return.
fn call_host(host: fn()) {
    let engine = guarded();
    let wat = r#"(module (import "host" "f" (func $f)) (memory 1)
        (func (export "touch") (param i32) (drop (i32.load (local.get 0)))) (func (export "run") call $f))"#;
    let module = common::module(&engine, wat);
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new();
    linker.func_new("host", "f", FuncType::new([], []), move |_, _, _| {
        host();
        Ok(())
    });
    let instance = linker.instantiate(&mut store, &module).expect("the import is there");
    let touch = instance.get_typed_func::<i32, ()>(&store, "touch").expect("it has this type");
    assert!(touch.call(&mut store, -1).is_err());
    println!("trapped");
    let func = instance.get_typed_func::<(), ()>(&store, "run").expect("it has this type");
    func.call(&mut store, ()).expect("the host returns");
}

#[allow(unconditional_recursion)]
fn overflow(depth: u64) -> u64 {
    let place = std::hint::black_box([depth; 100]);
    overflow(depth + 1) + place[3]
}

#[test]
fn an_overflow_of_the_hosts_stack_is_reported_as_ever() {
    if is_child() {
        call_host(|| assert_ne!(overflow(0), 1));
        return;
    }
    let output = child("an_overflow_of_the_hosts_stack_is_reported_as_ever", "ulimit -c 0;");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("trapped") && errors.contains("overflowed its stack"), "{text}\n{errors}");
    assert!(!output.status.success());
}

#[test]
fn a_signal_of_another_process_ends_this_one() {
    if is_child() {
        call_host(|| {
            // The handler of the standard library takes the first one for a fault, and removes itself.
            for _ in 0..2 {
                let process = std::process::id().to_string();
                Command::new("kill").args(["-SEGV", &process]).status().expect("the command");
                std::thread::sleep(std::time::Duration::from_millis(500));
            }
            println!("still here");
        });
        return;
    }
    use std::os::unix::process::ExitStatusExt as _;
    let output = child("a_signal_of_another_process_ends_this_one", "ulimit -c 0;");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("trapped") && !text.contains("still here"), "{text}");
    assert_eq!(output.status.signal(), Some(11), "{:?}", output.status);
}

/// Number of mappings of this process; `None` if the system does not tell.
fn mappings() -> Option<usize> {
    Some(std::fs::read_to_string("/proc/self/maps").ok()?.lines().count())
}

#[test]
fn modules_and_memories_leave_no_mappings() {
    let name = "modules_and_memories_leave_no_mappings";
    if !is_child() {
        let output = child(name, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let engine = guarded();
    let mut before = None;
    for i in 0..10_000 {
        let module = common::module(&engine, TOUCH);
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        assert!(func.call(&mut store, -1).is_err());
        assert_eq!(func.call(&mut store, 8).expect("within"), 0);
        if i == 100 {
            before = mappings();
        }
    }
    let after = mappings();
    assert!(before.zip(after).is_none_or(|(before, after)| after <= before + 20), "{before:?}, {after:?}");
}

#[test]
fn addresses_come_to_an_end() {
    let name = "addresses_come_to_an_end";
    if !is_child() {
        // Room for two memories, then for none: in KiB.
        for limit in [12 << 20, 3 << 20] {
            let output = child(name, &format!("ulimit -v {limit} || exit 0;"));
            assert!(output.status.success(), "{limit}: {}", String::from_utf8_lossy(&output.stderr));
        }
        return;
    }
    let engine = Engine::new(Config::default().strategy(Strategy::Native));
    let module = common::module(&engine, TOUCH);
    let mut store = Store::new(&engine, ());
    if engine.signals_based_traps() {
        let error = (0..3).find_map(|_| Memory::new(&mut store, 1, None).err()).expect("two have room");
        assert!(matches!(&error, Error::Limit(text) if text.contains("Config::signals_based_traps")), "{error}");
        assert!(matches!(Linker::new().instantiate(&mut store, &module), Err(Error::Limit(_))));
        let engine = Engine::new(Config::default().strategy(Strategy::Native).signals_based_traps(false));
        let mut store = Store::new(&engine, ());
        assert!((0..100).all(|_| Memory::new(&mut store, 1, None).is_ok()));
        return;
    }
    assert_eq!(engine.strategy(), Strategy::Native);
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
    assert!(func.call(&mut store, -1).is_err());
    assert_eq!(func.call(&mut store, 8).expect("within"), 0);
}
