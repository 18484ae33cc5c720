//! A value computed in 32 bits and then extended is computed in 32 bits, whatever instruction reads it.

use planish_eval::world::{Val as EvalVal, World};
use planish_ir::source::SourceMap;
use planish_vm::{Engine, Linker, Module, Store};

const INNER: [&str; 7] = [
    "(i32.shl (local.get $a) (i32.const 7))",
    "(i32.shr_u (local.get $a) (i32.const 3))",
    "(i32.rotl (local.get $a) (i32.const 5))",
    "(i32.rotr (local.get $a) (i32.const 9))",
    "(i32.mul (local.get $a) (local.get $b))",
    "(i32.xor (local.get $a) (i32.const -1))",
    "(i32.add (local.get $a) (local.get $b))",
];
const OUTER: [&str; 6] = ["add", "sub", "and", "or", "xor", "mul"];
const OTHERS: [&str; 3] = ["(i64.const 1000003)", "(local.get $c)", "(i64.const 255)"];

#[test]
fn what_is_extended_has_been_computed_in_its_own_width() {
    let mut text = String::from("(module\n");
    let mut count = 0;
    for inner in INNER {
        for extend in ["extend_i32_u", "extend_i32_s"] {
            for outer in OUTER {
                for other in OTHERS {
                    for args in [format!("(i64.{extend} {inner}) {other}"), format!("{other} (i64.{extend} {inner})")] {
                        text += &format!(
                            "(func (export \"{count}\") (param $a i32) (param $b i32) (param $c i64) (result i64) \
                             (i64.{outer} {args}))\n"
                        );
                        count += 1;
                    }
                }
            }
        }
    }
    text.push(')');
    for level in ["0", "2"] {
        let file = SourceMap::new().add("test.wat", &*text).expect("not too large");
        let read = planish_front_wasm::translate(&file, text.as_bytes(), &planish_front_wasm::Options::default());
        let (mut module, _) = read.unwrap_or_else(|errors| panic!("{:#?}", errors[0]));
        let plain = module.clone();
        let mut world = World::new(planish_eval::Limits::default());
        let evaluated = world.instantiate(&plain, |_, _| None).expect("it imports nothing");
        let mut context = planish_opt::Context::new(planish_opt::Options::default());
        planish_opt::run_passes(
            &mut module,
            &planish_opt::pipeline(level).expect("a level"),
            &mut context,
            &mut |_, _| {},
        );
        let engine = Engine::default();
        let mut store = Store::new(&engine, ());
        let module = Module::new(&engine, module).expect("the machine has what WebAssembly has");
        let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
        for number in 0..count {
            let name = number.to_string();
            let run = instance.get_typed_func::<(i32, i32, i64), i64>(&store, &name).expect("all have this type");
            for (a, b, c) in [(-1, -1, -1), (i32::MIN, 3, i64::MAX), (0x1234_5678, -77, 1 << 40), (5, 7, 0)] {
                let args = [EvalVal::I32(a), EvalVal::I32(b), EvalVal::I64(c)];
                let expected = world.invoke(evaluated, &name, &args).expect("nothing traps");
                let given = run.call(&mut store, (a, b, c)).expect("nothing traps");
                assert_eq!(expected, [EvalVal::I64(given)], "function {number} at -O{level} of {a}, {b}, {c}");
            }
        }
    }
}
