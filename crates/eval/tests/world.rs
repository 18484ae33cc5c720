//! Instances that import from each other and from the host.

use std::cell::RefCell;

use planish_eval::world::{Extern, FuncType, InstantiateError, LinkError, Val, ValType, World};
use planish_eval::{Limits, Stop};
use planish_ir::function::TrapKind;
use planish_ir::module::Module;
use planish_ir::text::parse_str;

fn module(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:?}");
    module
}

fn nothing(_: &str, _: &str) -> Option<Extern> {
    None
}

fn trap(outcome: Result<Vec<Val>, Stop>) -> TrapKind {
    match outcome {
        Err(Stop::Trap { kind, .. }) => kind,
        other => panic!("{other:?}"),
    }
}

/// Gives two memory pages, a table with two functions, a counter, and functions that use them.
const GIVER: &str = "module wasm
var private @counter: i32 = 10 export \"counter\"
var private const @fixed: i64 = 7l export \"fixed\"
memory memory0 min 1 max 3 export \"memory\"
table table0 funcref min 4 max 8 export \"table\"
elem elem0 funcref in table0 at 0 [@count, @double]
data data0 in memory0 at 0 \"\\01\\02\\03\\04\"
fn @count() -> (i32) {
b0:
  %0 = load @counter
  %1 = add %0, 1
  store @counter, %1
  return %1
}
fn @double(%0: i32) -> (i32) {
b0:
  %1 = add %0, %0
  return %1
}
fn @peek(%0: i32) -> (i32) {
b0:
  %1: i32 = memory_load[memory0 u32] %0
  return %1
}
fn @through(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = call_indirect[table0 fn(i32) -> (i32)] %0, %1
  return %2
}
fn @reference(%0: i32) -> (funcref) {
b0:
  %1: funcref = table_get[table0] %0
  return %1
}
export @count \"count\" \"count too\"
export @double \"double\"
export @peek \"peek\"
export @through \"through\"
export @reference \"reference\"
";

/// Takes all that `GIVER` gives.
const TAKER: &str = "module wasm
var private @counter: i32 import \"giver\" \"counter\" export \"counter again\"
var private const @fixed: i64 import \"giver\" \"fixed\"
var private const @where: i32 computed @place
memory memory0 min 1 import \"giver\" \"memory\"
table table0 funcref min 2 max 10 import \"giver\" \"table\"
elem elem0 funcref in table0 at 2 [@square, @count]
data data0 in memory0 at @where \"\\2a\"
fn @place() -> (i32) {
b0:
  %0 = load @fixed
  %1: i32 = construct_scalar_from_scalar %0
  %2 = add %1, 1
  return %2
}
fn @count() -> (i32)
fn @square(%0: i32) -> (i32) {
b0:
  %1 = multiply %0, %0
  return %1
}
fn @bump() -> (i32) {
b0:
  store @counter, 100
  %0 = call @count
  return %0
}
fn @poke(%0: i32, %1: i32) -> () {
b0:
  memory_store[memory0 u32] %0, %1
  return
}
fn @grow(%0: i32) -> (i32, i32) {
b0:
  %1 = memory_grow[memory0] %0
  %2 = memory_size[memory0]
  return %1, %2
}
fn @through(%0: i32, %1: i32) -> (i32) {
b0:
  %2 = call_indirect[table0 fn(i32) -> (i32)] %0, %1
  return %2
}
import @count \"giver\" \"count\"
export @bump \"bump\"
export @poke \"poke\"
export @grow \"grow\"
fn @reference() -> (funcref) {
b0:
  %0 = ref_func @square
  return %0
}
export @through \"through\"
export @count \"count\"
export @reference \"reference\"
";

/// The exports of an instance, under one name.
fn from<'a>(
    world: &World<'_>,
    instance: planish_eval::world::Instance,
    module: &'a str,
) -> impl FnMut(&str, &str) -> Option<Extern> + use<'a> {
    let exports: Vec<(String, Extern)> = world.exports(instance).map(|(n, e)| (n.to_owned(), e)).collect();
    move |m, name| exports.iter().find(|(n, _)| m == module && n == name).map(|(_, e)| *e)
}

#[test]
fn instances_share_memories_tables_globals_and_functions() {
    let (giver, taker) = (module(GIVER), module(TAKER));
    let mut world = World::new(Limits::default());
    let a = world.instantiate(&giver, nothing).expect("imports nothing");
    let imports = from(&world, a, "giver");
    let b = world.instantiate(&taker, imports).expect("all is there");
    let i32 = |x| vec![Val::I32(x)];

    assert_eq!(world.invoke(a, "count", &[]), Ok(i32(11)));
    assert_eq!(world.invoke(b, "bump", &[]), Ok(i32(101)), "a mutable global is one for both");
    assert_eq!(world.invoke(a, "count too", &[]), Ok(i32(102)));
    assert_eq!(world.export(a, "count"), world.export(b, "count"), "what is exported again is the same");
    assert_eq!(world.export(a, "counter"), world.export(b, "counter again"));

    // Its data segment, at 8, and a store.
    assert_eq!(world.invoke(a, "peek", &i32(8)), Ok(i32(42)));
    world.invoke(b, "poke", &[Val::I32(4), Val::I32(-5)]).expect("within");
    assert_eq!(world.invoke(a, "peek", &i32(4)), Ok(i32(-5)));
    assert_eq!(world.invoke(b, "grow", &i32(1)), Ok(vec![Val::I32(1), Val::I32(2)]));
    assert_eq!(world.invoke(a, "peek", &i32(0x1fffc)), Ok(i32(0)));
    assert_eq!(trap(world.invoke(a, "peek", &i32(0x1fffd))), TrapKind::OutOfBoundsMemory);
    assert_eq!(world.invoke(b, "grow", &i32(2)), Ok(vec![Val::I32(-1), Val::I32(2)]), "the giver allows three");

    // Each finds the other's function in the table, by the structure of its type.
    assert_eq!(world.invoke(a, "through", &[Val::I32(2), Val::I32(9)]), Ok(i32(81)));
    assert_eq!(world.invoke(b, "through", &[Val::I32(1), Val::I32(9)]), Ok(i32(18)));
    let wrong = world.invoke(b, "through", &[Val::I32(0), Val::I32(9)]);
    assert_eq!(trap(wrong), TrapKind::IndirectCallType);
    let wrong = world.invoke(a, "through", &[Val::I32(3), Val::I32(9)]);
    assert_eq!(trap(wrong), TrapKind::IndirectCallType);
    let Ok(&[Val::FuncRef(Some(count))]) = world.invoke(a, "reference", &i32(3)).as_deref() else { panic!() };
    assert_eq!(Some(Extern::Func(count)), world.export(a, "count"), "a reference to an import is one to its function");
    let Ok(&[Val::FuncRef(Some(square))]) = world.invoke(b, "reference", &[]).as_deref() else { panic!() };
    assert_eq!(world.call(square, &i32(12)), Ok(i32(144)));
    let Some(Extern::Table(table)) = world.export(a, "table") else { panic!() };
    assert_eq!(world.table_get(table, 2), Some(Val::FuncRef(Some(square))));
    let double = world.table_get(table, 1).expect("is there");
    assert!(world.table_set(table, 3, double) && !world.table_set(table, 4, double));
    assert_eq!(world.invoke(b, "through", &[Val::I32(3), Val::I32(9)]), Ok(i32(18)));

    let Some(Extern::Global(counter)) = world.export(b, "counter again") else { panic!() };
    assert!(world.set_global(counter, Val::I32(-1)) && !world.set_global(counter, Val::I64(-1)));
    assert_eq!(world.invoke(a, "count", &[]), Ok(i32(0)));
    assert_eq!(world.get_global(counter), Val::I32(0));
    let Some(Extern::Global(fixed)) = world.export(a, "fixed") else { panic!() };
    assert!(!world.set_global(fixed, Val::I64(1)));
    assert_eq!(world.get_global(fixed), Val::I64(7));
}

fn link(text: &str, imports: impl Fn(&mut World<'_>) -> Extern) -> LinkError {
    let module = module(text);
    let mut world = World::new(Limits::default());
    let what = imports(&mut world);
    match world.instantiate(&module, |_, name| (name == "it").then_some(what)) {
        Err(InstantiateError::Link(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn imports_that_do_not_fit_are_refused() {
    let why = |text: &str, what: fn(&mut World<'_>) -> Extern| match link(text, what) {
        LinkError::Mismatch { why, .. } => why,
        missing => missing.to_string(),
    };
    let func = "module wasm\nfn @f(%0: i32) -> (i64)\nimport @f \"host\" \"it\"\n";
    let constant = "module wasm\nvar private const @g: i32 import \"host\" \"it\"\n";
    let variable = "module wasm\nvar private @g: i32 import \"host\" \"it\"\n";
    let memory = "module wasm\nmemory memory0 min 2 max 4 import \"host\" \"it\"\n";
    let table = "module wasm\ntable table0 externref min 2 import \"host\" \"it\"\n";
    assert_eq!(
        link("module wasm\nfn @f()\nimport @f \"host\" \"other\"\n", |w| w.host_memory(1, None).unwrap()).to_string(),
        "unknown import: 'host' 'other'"
    );
    assert_eq!(why(func, |w| w.host_memory(1, None).unwrap()), "asked for a function, found a memory");
    assert_eq!(
        why(func, |w| w.host_func(FuncType::new([ValType::I32], [ValType::I32]), |_, a| Ok(a.to_vec()))),
        "asked for a function (i32) -> (i64), found a function (i32) -> (i32)"
    );
    assert_eq!(
        why(constant, |w| w.host_global(Val::I64(0), false).unwrap()),
        "asked for a constant i32, found a constant i64"
    );
    assert_eq!(
        why(constant, |w| w.host_global(Val::I32(0), true).unwrap()),
        "asked for a constant i32, found a mutable i32"
    );
    assert_eq!(
        why(variable, |w| w.host_global(Val::I32(0), false).unwrap()),
        "asked for a mutable i32, found a constant i32"
    );
    assert_eq!(why(memory, |w| w.host_memory(1, Some(4)).unwrap()), "asked for 2 to 4 pages, found 1 to 4 pages");
    assert_eq!(why(memory, |w| w.host_memory(2, Some(5)).unwrap()), "asked for 2 to 4 pages, found 2 to 5 pages");
    assert_eq!(why(memory, |w| w.host_memory(2, None).unwrap()), "asked for 2 to 4 pages, found 2 pages or more");
    assert_eq!(
        why(table, |w| w.host_table(ValType::FuncRef, 2, None).unwrap()),
        "asked for a table of other references, found funcref"
    );
    assert_eq!(
        why(table, |w| w.host_table(ValType::ExternRef, 1, None).unwrap()),
        "asked for 2 elements or more, found 1 elements or more"
    );
}

#[test]
fn what_fits_is_linked() {
    let module = module("module wasm\nmemory memory0 min 2 max 4 import \"host\" \"it\" export \"memory\"\n");
    let mut world = World::new(Limits::default());
    let memory = world.host_memory(3, Some(4)).expect("is small");
    let instance = world.instantiate(&module, |_, _| Some(memory)).expect("fits");
    assert_eq!(world.export(instance, "memory"), Some(memory));
}

/// Its second segment does not fit.
const PARTIAL: &str = "module wasm
memory memory0 min 1 import \"giver\" \"memory\"
table table0 funcref min 2 import \"giver\" \"table\"
elem elem0 funcref in table0 at 1 [@own]
data data0 in memory0 at 16 \"\\07\"
data data1 in memory0 at 65535 \"ab\"
fn @own(%0: i32) -> (i32) {
b0:
  %1 = add %0, 1000
  return %1
}
";

#[test]
fn what_was_written_before_a_trap_stays() {
    let (giver, partial) = (module(GIVER), module(PARTIAL));
    let late = PARTIAL.replace("in table0 at 1 [@own]", "in table0 at 4 [@own]").replace("\\07", "\\08");
    let late = module(&late);
    let mut world = World::new(Limits::default());
    let a = world.instantiate(&giver, nothing).expect("imports nothing");
    let imports = from(&world, a, "giver");
    let failed = world.instantiate(&partial, imports);
    let Err(InstantiateError::Stop(Stop::Trap { kind: TrapKind::OutOfBoundsMemory, .. })) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(world.invoke(a, "peek", &[Val::I32(16)]), Ok(vec![Val::I32(7)]));
    assert_eq!(world.invoke(a, "peek", &[Val::I32(65532)]), Ok(vec![Val::I32(0)]));
    // The function of an instance that has no name is called all the same.
    assert_eq!(world.invoke(a, "through", &[Val::I32(1), Val::I32(5)]), Ok(vec![Val::I32(1005)]));

    let imports = from(&world, a, "giver");
    let failed = world.instantiate(&late, imports);
    let Err(InstantiateError::Stop(Stop::Trap { kind: TrapKind::OutOfBoundsTable, .. })) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(world.invoke(a, "peek", &[Val::I32(16)]), Ok(vec![Val::I32(7)]), "elements come first");
}

#[test]
fn start_functions_run_and_may_trap() {
    let giver = module(GIVER);
    let text = "module wasm
var private @counter: i32 import \"giver\" \"counter\"
start @begin
fn @begin() {
b0:
  store @counter, 77
  LEAVE
}
";
    let (good, bad) = (module(&text.replace("LEAVE", "return")), module(&text.replace("LEAVE", "trap unreachable")));
    let mut world = World::new(Limits::default());
    for (module, traps) in [(&good, false), (&bad, true)] {
        let a = world.instantiate(&giver, nothing).expect("imports nothing");
        let imports = from(&world, a, "giver");
        let outcome = world.instantiate(module, imports);
        match outcome {
            Err(InstantiateError::Stop(Stop::Trap { kind: TrapKind::Unreachable, .. })) => assert!(traps),
            other => assert!(other.is_ok() && !traps, "{other:?}"),
        }
        assert_eq!(world.invoke(a, "count", &[]), Ok(vec![Val::I32(78)]));
    }
    // A trap leaves nothing behind that the next call would trip over.
    let again = world.instantiate(&giver, nothing).expect("imports nothing");
    assert_eq!(world.invoke(again, "double", &[Val::I32(4)]), Ok(vec![Val::I32(8)]));
}

#[test]
fn the_host_takes_part() {
    let text = "module wasm
memory memory0 min 1 export \"memory\"
table table0 funcref min 1
fn @mix(%0: i64, %1: f32, %2: v128, %3: externref) -> (externref, v128)
fn @go(%0: i64, %1: f32, %2: v128, %3: externref) -> (externref, v128, i32) {
b0:
  %4, %5 = call @mix, %0, %1, %2, %3
  %6: i32 = memory_load[memory0 u32] 0
  return %4, %5, %6
}
fn @install(%0: funcref) -> (i32) {
b0:
  table_set[table0] 0, %0
  %1 = call_indirect[table0 fn() -> (i32)] 0
  return %1
}
import @mix \"host\" \"mix\"
export @go \"go\"
export @install \"install\"
";
    let module = module(text);
    let heard = RefCell::new(vec![]);
    let mut world = World::new(Limits::default());
    let ty = FuncType::new(
        [ValType::I64, ValType::F32, ValType::V128, ValType::ExternRef],
        [ValType::ExternRef, ValType::V128],
    );
    let mix = world.host_func(ty, |mut caller, args| {
        heard.borrow_mut().push(args.to_vec());
        caller.memory(0).expect("it has one")[..4].copy_from_slice(&9i32.to_le_bytes());
        assert!(caller.memory(1).is_none());
        let Val::V128(x) = args[2] else { panic!() };
        Ok(vec![args[3], Val::V128(!x)])
    });
    let answer = world.host_func(FuncType::new([], [ValType::I32]), |_, _| Ok(vec![Val::I32(5)]));
    let wrong = world.host_func(FuncType::new([], [ValType::I64]), |_, _| Ok(vec![Val::I32(5)]));
    let instance = world.instantiate(&module, |_, _| Some(mix)).expect("fits");
    let args = [Val::I64(i64::MIN), Val::F32(0x7fa0_0001), Val::V128(1 << 100), Val::ExternRef(Some(3))];
    let results = world.invoke(instance, "go", &args);
    assert_eq!(results, Ok(vec![Val::ExternRef(Some(3)), Val::V128(!(1 << 100)), Val::I32(9)]));
    let null = [Val::I64(0), Val::f32(0.5), Val::V128(0), Val::ExternRef(None)];
    assert_eq!(world.invoke(instance, "go", &null).map(|r| r[0]), Ok(Val::ExternRef(None)));
    assert_eq!(*heard.borrow(), [args, null]);

    // A function of the host in a table, and one that breaks its word.
    let reference = |what: Extern| if let Extern::Func(f) = what { Val::FuncRef(Some(f)) } else { panic!() };
    assert_eq!(world.invoke(instance, "install", &[reference(answer)]), Ok(vec![Val::I32(5)]));
    assert_eq!(trap(world.invoke(instance, "install", &[reference(wrong)])), TrapKind::IndirectCallType);
    assert_eq!(trap(world.invoke(instance, "install", &[Val::FuncRef(None)])), TrapKind::UninitializedElement);
    let Extern::Func(wrong) = wrong else { panic!() };
    assert!(matches!(world.call(wrong, &[]), Err(Stop::Unsupported { .. })));
    // Calls that do not fit.
    assert!(matches!(world.invoke(instance, "go", &args[1..]), Err(Stop::Unsupported { .. })));
    assert!(matches!(world.invoke(instance, "memory", &[]), Err(Stop::Unsupported { .. })));
}

/// Even and odd, each in an instance of its own, through a shared table: as calls, and as tail calls.
const PARITY: &str = "module wasm
table table0 funcref min 2 import \"host\" \"table\"
elem elem0 funcref in table0 at OWN [@own]
fn @own(%0: i32) -> (i32) {
b0:
  %1 = equal %0, 0
  if %1 {
  then b1:
    return OWN
  else b2:
    %2 = subtract %0, 1
    %3 = CALL[table0 fn(i32) -> (i32)] OTHER, %2
    return %3
  }
b3:
  trap unreachable
}
export @own \"own\"
";

#[test]
fn calls_between_instances_use_no_stack_of_the_host() {
    let parity = |own: &str, other: &str, call: &str| {
        module(&PARITY.replace("OWN", own).replace("OTHER", other).replace("CALL", call))
    };
    let modules: Vec<Module> = ["call_indirect", "tail_call_indirect"]
        .iter()
        .flat_map(|call| [parity("0", "1", call), parity("1", "0", call)])
        .collect();
    let run = move || {
        let limits = Limits { depth: 100_000, ..Limits::default() };
        let mut world = World::new(limits);
        let mut outcomes = vec![];
        for pair in modules.chunks(2) {
            let table = world.host_table(ValType::FuncRef, 2, None).expect("is small");
            let own: Vec<_> =
                pair.iter().map(|module| world.instantiate(module, |_, _| Some(table)).expect("fits")).collect();
            for n in [10, 90_001, 1_000_000] {
                outcomes.push(match world.invoke(own[0], "own", &[Val::I32(n)]) {
                    Err(Stop::Trap { kind, .. }) => Err(kind),
                    other => Ok(other.expect("no other stop")),
                });
            }
        }
        outcomes
    };
    let small = std::thread::Builder::new().stack_size(1 << 18);
    let outcomes = small.spawn(run).expect("a thread").join().expect("no overflow");
    let (even, odd) = (vec![Val::I32(0)], vec![Val::I32(1)]);
    let overflow = Err(TrapKind::StackOverflow);
    assert_eq!(outcomes, [Ok(even.clone()), Ok(odd.clone()), overflow, Ok(even.clone()), Ok(odd), Ok(even)]);
}

#[test]
fn limits_hold_for_all_instances_together() {
    let module = module(
        "module wasm
memory memory0 min 1
table table0 externref min 0
fn @grow(%0: i32, %1: i32) -> (i32, i32) {
b0:
  %2 = memory_grow[memory0] %0
  %3 = table_grow[table0] null_extern, %1
  return %2, %3
}
export @grow \"grow\"
",
    );
    let mut world = World::new(Limits { words: 2 << 13, ..Limits::default() });
    let first = world.instantiate(&module, nothing).expect("within the limit");
    let grow = |world: &mut World<'_>, pages: i32, items: i32| {
        let results = world.invoke(first, "grow", &[Val::I32(pages), Val::I32(items)]).expect("gives a size, or -1");
        (results[0], results[1])
    };
    assert_eq!(grow(&mut world, 2, 1 << 14), (Val::I32(-1), Val::I32(-1)));
    world.instantiate(&module, nothing).expect("within the limit");
    assert_eq!(grow(&mut world, 1, 1), (Val::I32(-1), Val::I32(-1)), "another instance has what there was");
    assert_eq!(grow(&mut world, 0, 0), (Val::I32(1), Val::I32(0)));
    let third = world.instantiate(&module, nothing);
    assert_eq!(third, Err(InstantiateError::Stop(Stop::MemoryLimit)));
    assert!(world.host_table(ValType::FuncRef, 1, None).is_err());
}
