//! Jumps on what is loaded: every load with every comparison, address, bound and direction gives what the evaluator gives.

use std::fmt::Write;

use planish_eval::world::{Val as EvalVal, World};
use planish_ir::source::SourceMap;
use planish_vm::{Engine, Error, Linker, Module, Store};

const LOADS: [&str; 6] = ["load", "load8_u", "load8_s", "load16_u", "load16_s", "load offset=3"];
const COMPARISONS: [&str; 10] = ["eq", "ne", "lt_s", "lt_u", "le_s", "le_u", "gt_s", "gt_u", "ge_s", "ge_u"];
const ADDRESSES: [&str; 6] = [
    "(local.get $p)",
    "(i32.xor (local.get $p) (local.get $q))",
    "(i32.add (local.get $p) (i32.const 2))",
    "(i32.add (local.get $p) (local.get $q))",
    "(i32.add (i32.shl (local.get $q) (i32.const 1)) (local.get $p))",
    "(i32.add (i32.shl (local.get $p) (i32.const 1)) (i32.const -65506))",
];
/// The second operand, and whether it comes first.
const BOUNDS: [(&str, bool); 5] = [
    ("(i32.const 3)", false),
    ("(i32.const -2)", false),
    ("(i32.const 70000)", false),
    ("(local.get $bound)", false),
    ("(local.get $bound)", true),
];
/// Address of the first byte that is not 0: near the end of the memory, so that loops end with a trap at the latest.
const FIRST: i32 = 65536 - 32;

/// A function for each, that jumps forward, and one that jumps back; what is loaded is read again, or it is not.
fn text() -> (String, usize) {
    let mut text = format!("(module (memory 1) (data (i32.const {FIRST}) \"");
    for i in 0..32_u32 {
        let _ = write!(text, "\\{:02x}", [3, 3, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x70, 0x11, 1, 0][i as usize % 12]);
    }
    text.push_str("\")\n");
    let mut count = 0;
    for load in LOADS {
        for comparison in COMPARISONS {
            for address in ADDRESSES {
                for (bound, first) in BOUNDS {
                    let mut found = format!("(i32.{load} {address})");
                    if count % 4 == 0 {
                        found = format!("(local.tee $x {found})");
                    }
                    let [a, b] = if first { [bound, &found] } else { [&found, bound] };
                    let test = format!("(i32.{comparison} {a} {b})");
                    let head =
                        "(param $p i32) (param $q i32) (param $bound i32) (result i32) (local $n i32) (local $x i32)";
                    let _ = write!(
                        text,
                        "(func (export \"{count}\") {head} (if {test} (then (local.set $n (i32.const 1)))) \
                         (i32.add (local.get $n) (local.get $x)))\n\
                         (func (export \"{}\") {head} (loop (local.set $n (i32.add (local.get $n) (i32.const 1000))) \
                         (local.set $p (i32.add (local.get $p) (i32.const 1))) (br_if 0 {test})) \
                         (i32.add (local.get $n) (local.get $x)))\n",
                        count + 1
                    );
                    count += 2;
                }
            }
        }
    }
    (text + ")", count)
}

#[test]
fn loads_with_their_jumps_give_what_the_evaluator_gives() {
    let (text, count) = text();
    let file = SourceMap::new().add("test.wat", &*text).expect("not too large");
    let read = planish_front_wasm::translate(&file, text.as_bytes(), &planish_front_wasm::Options::default());
    let (module, _) = read.unwrap_or_else(|errors| panic!("{:#?}", errors[0]));
    let mut world = World::new(planish_eval::Limits::default());
    let evaluated = world.instantiate(&module, |_, _| None).expect("it imports nothing");
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let module = Module::new(&engine, module.clone()).expect("the machine has what WebAssembly has");
    let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
    let (mut results, mut traps) = (0, 0);
    for number in 0..count {
        let name = number.to_string();
        let run = instance.get_typed_func::<(i32, i32, i32), i32>(&store, &name).expect("all have this type");
        for args in [[FIRST, 0, 3], [FIRST + 3, 1, -1], [FIRST + 8, 0, 0x1170], [FIRST + 27, 2, 0]] {
            let expected = world.invoke(evaluated, &name, &args.map(EvalVal::I32));
            let given = run.call(&mut store, (args[0], args[1], args[2]));
            match (expected, given) {
                (Ok(expected), Ok(given)) if expected == [EvalVal::I32(given)] => results += 1,
                (Err(_), Err(Error::Trap(_))) => traps += 1,
                (expected, given) => panic!("function {number} of {args:?} gives {given:?}, not {expected:?}"),
            }
        }
    }
    assert!(results > count && traps > count / 10, "{results} results and {traps} traps of {count} functions");
}
