//! Vectors of 256 bits: two operations on 128 bits that code does as one give the bits of both; traps, calls and limits around
//! them are those of other code.

use std::time::Duration;

use planish_generate::Choices;
use planish_ir::arena::Id;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Type, Value};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::module::{Language, Module as IrModule};
use planish_ir::ops::{Class, OPS};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;
use planish_testkit::op_cases::{self, Case};
use planish_vm::{Config, Engine, Error, FuncType, Linker, Module, Store, Strategy, Val, ValType, WideVectors};

use crate::common;
use crate::ops::call;

/// Engines that never have wide vectors, and that have them wherever they can.
fn engines() -> [Engine; 2] {
    let narrow = Config::default().wide_vectors(WideVectors::Never).clone();
    [narrow, Config::default().strategy(Strategy::Native).wide_vectors(WideVectors::Always).clone()]
        .map(|config| Engine::new(&config))
}

/// Whether this host has vectors of 256 bits.
fn has_wide_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Skips a test loudly where there is nothing to test.
fn is_skipped() -> bool {
    let skipped = !has_wide_vectors() || Engine::supports_native().is_err();
    if skipped {
        eprintln!("SKIPPED: this host has no vectors of 256 bits");
    }
    skipped
}

/// A function that does an op of vectors twice, on the lower and on the upper half of all vectors; scalars are the same for both.
fn on_both_halves(module: &mut IrModule, case: &Case) -> Func {
    let wide = module.types.intern(TypeKind::V128);
    let precision = Precision::None;
    let types: Vec<Type> = case.operands.iter().flat_map(|&ty| vec![ty; if ty == wide { 2 } else { 1 }]).collect();
    let param =
        |&ty: &Type| Param { name: Name::temporary("p"), ty, precision, direction: Direction::In, span: Span::NONE };
    let results = vec![ResultType { ty: wide, precision }; 2];
    let func = module.add_func(Name::temporary(case.op.text()), types.iter().map(param).collect(), results, Span::NONE);
    let mut b = Builder::new(module, func, Policy::VERBATIM);
    let halves = [0, 1].map(|half| {
        let mut at = 0;
        let args: Vec<Value> = case
            .operands
            .iter()
            .map(|&ty| {
                let is_wide = ty == wide;
                let arg = b.param(at + usize::from(is_wide && half == 1));
                at += if is_wide { 2 } else { 1 };
                arg
            })
            .collect();
        let mut request = Request::new(case.op, &args).imm(case.imm);
        request.ty = case.explicit;
        b.make_all(request)[0]
    });
    b.ret(&halves);
    b.finish();
    func
}

#[test]
fn an_op_on_both_halves_gives_the_bits_of_two() {
    if is_skipped() {
        return;
    }
    let mut joined = Vec::new();
    let mut compared = 0;
    for row in OPS.iter().filter(|row| row.class == Class::Simd) {
        let mut module = IrModule::new(Language::Ir);
        let cases = op_cases::cases_of(&mut module, &|op| op == row.op);
        let wide = module.types.intern(TypeKind::V128);
        let types = module.types;
        for case in cases.iter().filter(|case| case.results == [wide]) {
            // One function in each module: one that is missing would keep others from being tested.
            let mut module = IrModule::new(Language::Ir);
            module.types.clone_from(&types);
            let func = on_both_halves(&mut module, case);
            let [narrow, wide] = engines().map(|engine| {
                let module = Module::new(&engine, common::exported(module.clone())).expect("the machine has it");
                if module.wide_pairs().is_ok_and(|pairs| pairs > 0) {
                    joined.push(row.name);
                }
                let mut store = Store::new(&engine, ());
                let func = common::all_functions(&mut store, &module)[func.index()];
                (store, func)
            });
            let mut random = Choices::from_seed(7);
            let types: Vec<Type> = module.funcs[func].params.iter().map(|param| param.ty).collect();
            let [(mut first, f), (mut second, g)] = [narrow, wide];
            for _ in 0..40 {
                let values = types.iter().map(|&ty| op_cases::value(&mut random, &module, ty));
                let words: Vec<u64> = values.flat_map(|value| value.bits).collect();
                let expected = call(&mut first, f, &words).expect("it does not trap");
                let found = call(&mut second, g, &words).expect("it does not trap");
                assert_eq!(found, expected, "{} {:?} of {words:x?}", row.name, case.imm);
                compared += 1;
            }
        }
    }
    joined.dedup();
    joined.sort_unstable();
    joined.dedup();
    assert!(compared > 3000, "only {compared}");
    assert!(joined.len() >= 30, "only {joined:?}");
}

/// Functions of pairs of vectors, each with another way for halves to be apart: in WebAssembly's text, with 16 or more
/// bytes of memory.
const PROGRAMS: [&str; 8] = [
    // A loop that carries pairs, ended by lanes; halves that are exchanged.
    "(func (export \"f\") (param v128 v128 v128 v128) (result v128 v128) (local $i i32)
       (loop $l
         (local.set 0 (f32x4.add (f32x4.mul (local.get 0) (local.get 2)) (v128.const f32x4 1 2 3 4)))
         (local.set 1 (f32x4.add (f32x4.mul (local.get 1) (local.get 3)) (v128.const f32x4 5 6 7 8)))
         (local.set $i (i32.add (local.get $i) (i32.const 1)))
         (br_if $l (i32.and (i32.lt_s (local.get $i) (i32.const 5))
           (v128.any_true (v128.or (f32x4.lt (local.get 0) (local.get 2)) (f32x4.lt (local.get 1) (local.get 3)))))))
       (f32x4.sub (local.get 1) (local.get 0)) (f32x4.sub (local.get 0) (local.get 1)))",
    // Lanes one by one between operations on pairs; loads and stores side by side.
    "(memory 1)
     (func (export \"f\") (param v128 v128 v128 v128) (result v128 v128)
       (v128.store (i32.const 0) (f32x4.max (local.get 0) (local.get 2)))
       (v128.store (i32.const 16) (f32x4.max (local.get 1) (local.get 3)))
       (f32.store (i32.const 12) (f32.sqrt (f32x4.extract_lane 1 (f32x4.mul (local.get 1) (local.get 1)))))
       (local.set 2 (i32x4.add (v128.load (i32.const 0)) (v128.load (i32.const 32))))
       (local.set 3 (i32x4.add (v128.load (i32.const 16)) (v128.load (i32.const 48))))
       (f32x4.replace_lane 2 (local.get 2) (f32x4.extract_lane 3 (local.get 3)))
       (i32x4.replace_lane 0 (local.get 3) (i32x4.extract_lane 1 (local.get 2))))",
    // More vectors than registers of arguments, of a callee and of results; values that live across the call.
    "(func $g (param v128 v128 v128 v128 v128 v128 v128 v128 v128 v128 i64 i64 i64 i64 i64 i64 i64) (result v128 v128 i64 v128 v128 v128 v128 i64)
       (i32x4.add (local.get 0) (local.get 8)) (i32x4.add (local.get 1) (local.get 9)) (i64.sub (local.get 16) (local.get 10))
       (i32x4.sub (local.get 2) (local.get 4)) (i32x4.sub (local.get 3) (local.get 5)) (local.get 6) (local.get 7) (local.get 15))
     (func (export \"f\") (param v128 v128 v128 v128) (result v128 v128) (local $s i64) (local $p v128) (local $q v128)
       (local.set $p (i32x4.mul (local.get 0) (local.get 2)))
       (local.set $q (i32x4.mul (local.get 1) (local.get 3)))
       (call $g (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 2) (local.get 1) (local.get 0) (local.get 3) (local.get 0) (local.get 1)
         (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4) (i64.const 5) (i64x2.extract_lane 1 (local.get 1)) (i64x2.extract_lane 0 (local.get 0)))
       (local.set $s) (local.set 3) (local.set 2) (local.set 1) (local.set 0)
       (local.set $s (i64.add (local.get $s)))
       (local.set 3 (i32x4.add (local.get 3))) (local.set 2 (i32x4.add (local.get 2)))
       (i32x4.sub (i32x4.add (i32x4.add (local.get 0) (local.get 2)) (local.get $p)) (i64x2.splat (local.get $s)))
       (i32x4.sub (i32x4.add (i32x4.add (local.get 1) (local.get 3)) (local.get $q)) (i64x2.splat (local.get $s))))",
    // A function that does nothing but call others, with results that live across calls.
    "(func $g (param v128 v128) (result v128 v128)
       (f32x4.add (local.get 0) (f32x4.mul (local.get 0) (local.get 0))) (f32x4.add (local.get 1) (f32x4.mul (local.get 1) (local.get 1))))
     (func $h (param v128 v128 v128 v128) (result v128 v128)
       (i32x4.sub (local.get 0) (local.get 2)) (i32x4.sub (local.get 1) (local.get 3)))
     (func (export \"f\") (param v128 v128 v128 v128) (result v128 v128)
       (call $h (call $g (local.get 0) (local.get 1)) (call $g (local.get 2) (local.get 3))))",
    // Selections by masks and by a number; conversions.
    "(func (export \"f\") (param v128 v128 v128 v128) (result v128 v128)
       (select (v128.bitselect (local.get 0) (local.get 2) (f32x4.ge (local.get 0) (local.get 2)))
               (f32x4.convert_i32x4_u (local.get 0)) (i32x4.extract_lane 2 (local.get 3)))
       (select (v128.bitselect (local.get 1) (local.get 3) (f32x4.ge (local.get 1) (local.get 3)))
               (f32x4.convert_i32x4_u (local.get 1)) (i32x4.extract_lane 2 (local.get 3))))",
    // Instructions with those that they read: integers without a sign as floats, masks that are inverted, numbers of 64 bits.
    "(func (export \"f\") (param v128 v128 v128 v128) (result v128 v128)
       (v128.xor
         (f32x4.add (f32x4.convert_i32x4_u (i32x4.shr_u (local.get 0) (i32.const 1)))
           (f32x4.convert_i32x4_u (v128.and (local.get 2) (v128.const i32x4 0x7fffffff 255 1 0))))
         (v128.andnot (f64x2.convert_low_i32x4_s (local.get 0)) (i32x4.trunc_sat_f64x2_s_zero (local.get 2))))
       (v128.xor
         (f32x4.add (f32x4.convert_i32x4_u (i32x4.shr_u (local.get 1) (i32.const 1)))
           (f32x4.convert_i32x4_u (v128.and (local.get 3) (v128.const i32x4 0x7fffffff 255 1 0))))
         (v128.andnot (f64x2.convert_low_i32x4_s (local.get 1)) (i32x4.trunc_sat_f64x2_s_zero (local.get 3)))))",
    // Loads from the same places before and after stores.
    "(memory 1)
     (func (export \"f\") (param v128 v128 v128 v128) (result v128 v128) (local v128 v128)
       (v128.store (i32.const 0) (local.get 0)) (v128.store (i32.const 16) (local.get 1))
       (local.set 4 (f32x4.add (v128.load (i32.const 0)) (local.get 2))) (local.set 5 (f32x4.add (v128.load (i32.const 16)) (local.get 3)))
       (v128.store (i32.const 0) (local.get 4)) (v128.store (i32.const 16) (local.get 5))
       (f32x4.mul (v128.load (i32.const 0)) (local.get 4)) (f32x4.mul (v128.load (i32.const 16)) (local.get 5)))",
    // Twenty pairs at once: registers are spilled.
    "(func (export \"f\") (param v128 v128 v128 v128) (result v128 v128) (local v128 v128 v128 v128)
       (local.set 4 (f32x4.add (local.get 0) (local.get 2))) (local.set 5 (f32x4.add (local.get 1) (local.get 3)))
       (local.set 6 (f32x4.mul (local.get 4) (local.get 2))) (local.set 7 (f32x4.mul (local.get 5) (local.get 3)))
       (f32x4.add (f32x4.div (local.get 4) (local.get 6)) (f32x4.sub (f32x4.min (local.get 0) (local.get 6)) (f32x4.floor (local.get 4))))
       (f32x4.add (f32x4.div (local.get 5) (local.get 7)) (f32x4.sub (f32x4.min (local.get 1) (local.get 7)) (f32x4.floor (local.get 5)))))",
];

#[test]
fn halves_come_apart_and_together() {
    if is_skipped() {
        return;
    }
    for program in PROGRAMS {
        let wat = format!("(module {program})");
        let [mut narrow, mut wide] = engines().map(|engine| {
            let module = common::module(&engine, &wat);
            if engine.strategy() == Strategy::Native {
                assert!(module.wide_pairs().expect("nothing is missing") >= 2, "{program}");
            }
            let mut store = Store::new(&engine, ());
            let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
            let func = instance.get_func(&store, "f").expect("it is exported");
            (store, func)
        });
        let mut random = Choices::from_seed(3);
        let mut types = IrModule::new(Language::Ir);
        let ty = types.types.intern(TypeKind::V128);
        for _ in 0..60 {
            let values = (0..4).flat_map(|_| op_cases::value(&mut random, &types, ty).bits);
            let words: Vec<u64> = values.collect();
            let expected = call(&mut narrow.0, narrow.1, &words).expect("it does not trap");
            let found = call(&mut wide.0, wide.1, &words).expect("it does not trap");
            assert_eq!(found, expected, "{program} of {words:x?}");
        }
    }
}

#[test]
fn open_conversions_are_those_of_the_evaluator_in_range() {
    if is_skipped() {
        return;
    }
    let wat = "(module (func (export \"f\") (param v128 v128 v128 v128) (result v128 v128 v128 v128)
        (i32x4.trunc_sat_f32x4_s (local.get 0)) (i32x4.trunc_sat_f32x4_s (local.get 1))
        (i32x4.trunc_sat_f32x4_u (local.get 2)) (i32x4.trunc_sat_f32x4_u (local.get 3))))";
    let numbers: [[f32; 8]; 2] = [
        [0.0, -0.0, 1.5, -1.5, 2_147_483_520.0, -2_147_483_648.0, 8_388_609.0, -0.99],
        [0.0, 2_147_483_648.0, 1.9, 4_294_967_040.0, 2_147_483_520.0, 0.99, 3_000_000_000.0, 16_777_216.0],
    ];
    let bits: Vec<u64> = numbers.as_flattened().iter().map(|x| u64::from(x.to_bits())).collect();
    let words: Vec<u64> = bits.chunks(2).map(|pair| pair[0] | pair[1] << 32).collect();
    let expected: Vec<u64> = {
        let of = |i: usize| {
            let x = numbers.as_flattened()[i];
            u64::from(if i < 8 { x as i32 as u32 } else { x as u32 })
        };
        (0..8).map(|i| of(2 * i) | of(2 * i + 1) << 32).collect()
    };
    for engine in engines() {
        let mut module = common::read(wat);
        module.facts.open_conversions = true;
        let module = Module::new(&engine, module).expect("the machine has it");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        let func = instance.get_func(&store, "f").expect("it is exported");
        assert_eq!(call(&mut store, func, &words).expect("it does not trap"), expected);
    }
}

#[test]
fn shuffles_of_both_halves_move_the_same_bytes() {
    if is_skipped() {
        return;
    }
    let mut random = Choices::from_seed(11);
    for i in 0..60 {
        // Lanes of 32 bits, or bytes.
        let lanes: Vec<u64> = (0..4).map(|_| random.word() % 8).collect();
        let byte = |random: &mut Choices<'_>, at: usize| match i % 3 {
            0 => random.word() % 32,
            _ => 4 * lanes[at / 4] + at as u64 % 4,
        };
        let mask: Vec<String> = (0..16).map(|at| byte(&mut random, at).to_string()).collect();
        let mask = mask.join(" ");
        let wat = format!(
            "(module (func (export \"f\") (param v128 v128 v128 v128) (result v128 v128)
               (i8x16.shuffle {mask} (local.get 0) (local.get 2)) (i8x16.shuffle {mask} (local.get 1) (local.get 3))))"
        );
        let words: Vec<u64> = (0..8).map(|_| random.word()).collect();
        let [expected, found] = engines().map(|engine| {
            let module = common::module(&engine, &wat);
            assert!(module.wide_pairs().is_ok(), "{mask}");
            let mut store = Store::new(&engine, ());
            let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
            let func = instance.get_func(&store, "f").expect("it is exported");
            call(&mut store, func, &words).expect("it does not trap")
        });
        assert_eq!(found, expected, "{mask}");
    }
}

/// Loads pairs at growing addresses, until one of both halves is beyond the memory.
const TRAPS: &str = r#"(module (memory 1)
    (func $walk (param $at i32) (param $step i32) (result i64) (local v128 v128)
        (loop $l
            (local.set 2 (f32x4.add (local.get 2) (v128.load offset=0 (local.get $at))))
            (local.set 3 (f32x4.add (local.get 3) (v128.load offset=16 (local.get $at))))
            (v128.store offset=64 (local.get $at) (local.get 2))
            (v128.store offset=80 (local.get $at) (local.get 3))
            (local.set $at (i32.add (local.get $at) (local.get $step)))
            (br_if $l (i32.gt_u (local.get $step) (i32.const 0))))
        (i64x2.extract_lane 0 (i32x4.add (local.get 2) (local.get 3))))
    (func (export "run") (param i32 i32) (result i64) (call $walk (local.get 0) (local.get 1))))"#;

#[test]
fn a_trap_between_wide_vectors_has_its_place() {
    if is_skipped() {
        return;
    }
    for guard_pages in [true, false] {
        for (at, step) in [(0, 32), (0, 48), (65536 - 80, 16), (65536 - 96, 1), (65536, 1), (-1, 7), (65536 - 96, 0)] {
            let [expected, found] = [WideVectors::Never, WideVectors::Always].map(|wide| {
                let mut config = Config::default();
                if wide == WideVectors::Always {
                    config.strategy(Strategy::Native).wide_vectors(wide).signals_based_traps(guard_pages);
                }
                let engine = Engine::new(&config);
                let module = common::module(&engine, TRAPS);
                // (Without guard pages a comparison lies between both halves.)
                if wide == WideVectors::Always && guard_pages {
                    assert!(module.wide_pairs().expect("nothing is missing") > 0);
                }
                let mut store = Store::new(&engine, ());
                let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
                let func = instance.get_typed_func::<(i32, i32), i64>(&store, "run").expect("it has this type");
                match func.call(&mut store, (at, step)) {
                    Ok(value) => Ok(value),
                    Err(error) => Err(error.as_trap().cloned().expect("a trap")),
                }
            });
            assert_eq!(found, expected, "{at} {step}");
            assert_eq!(expected.is_err(), step != 0);
        }
    }
}

/// Calls itself, with pairs that live across the call.
const RECURSION: &str = r#"(module (func $f (export "run") (param i32) (result i64) (local v128 v128)
    (local.set 1 (f32x4.mul (f32x4.splat (f32.convert_i32_s (local.get 0))) (v128.const f32x4 1 2 3 4)))
    (local.set 2 (f32x4.mul (f32x4.splat (f32.convert_i32_s (local.get 0))) (v128.const f32x4 5 6 7 8)))
    (if (result i64) (i32.eqz (local.get 0)) (then (i64.const 7))
        (else (i64.add (call $f (i32.sub (local.get 0) (i32.const 1)))
            (i64x2.extract_lane 0 (i32x4.add (f32x4.add (local.get 1) (local.get 1)) (f32x4.add (local.get 2) (local.get 2)))))))))"#;

#[test]
fn deep_recursion_with_wide_vectors_is_a_trap() {
    if is_skipped() {
        return;
    }
    let [narrow, wide] = engines().map(|engine| {
        let module = common::module(&engine, RECURSION);
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
        let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
        let some = func.call(&mut store, 90).expect("that deep is allowed");
        let error = func.call(&mut store, 100_000_000).expect_err("the stack is limited");
        assert_eq!(error.as_trap().map(|trap| trap.kind), Some(planish_ir::function::TrapKind::StackOverflow));
        assert_eq!(func.call(&mut store, 90).expect("the store goes on"), some);
        some
    });
    assert_eq!(narrow, wide);
}

#[test]
fn a_loop_of_wide_vectors_is_interrupted() {
    if is_skipped() {
        return;
    }
    let wat = r#"(module (func (export "run") (param i32) (result i64) (local v128 v128)
        (loop $l
            (local.set 1 (f32x4.add (local.get 1) (v128.const f32x4 1 2 3 4)))
            (local.set 2 (f32x4.add (local.get 2) (v128.const f32x4 5 6 7 8)))
            (br_if $l (i32.eqz (v128.any_true (v128.and (f32x4.lt (local.get 1) (local.get 2)) (v128.const i64x2 0 0))))))
        (i64x2.extract_lane 0 (v128.xor (local.get 1) (local.get 2)))))"#;
    let mut config = Config::default();
    config.strategy(Strategy::Native).wide_vectors(WideVectors::Always).interruptible(true);
    let engine = Engine::new(&config);
    let module = common::module(&engine, wat);
    assert!(module.wide_pairs().expect("nothing is missing") > 0);
    let mut store = Store::new(&engine, ());
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_typed_func::<i32, i64>(&store, "run").expect("it has this type");
    let handle = store.interrupt_handle();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(5));
            handle.interrupt();
        });
        assert!(matches!(func.call(&mut store, 0), Err(Error::Interrupted)));
    });
}

#[test]
fn the_host_is_called_between_wide_vectors() {
    if is_skipped() {
        return;
    }
    let wat = r#"(module (import "host" "f" (func $f (param v128 v128) (result v128 v128)))
        (func (export "f") (param v128 v128 v128 v128) (result v128 v128) (local v128 v128)
            (local.set 4 (i32x4.mul (local.get 0) (local.get 2))) (local.set 5 (i32x4.mul (local.get 1) (local.get 3)))
            (call $f (local.get 4) (local.get 5)) (local.set 1) (local.set 0)
            (i32x4.add (local.get 4) (local.get 0)) (i32x4.add (local.get 5) (local.get 1))))"#;
    let words: Vec<u64> = (0..8).map(|i| 0x0123_4567_89ab_cdef_u64.rotate_left(7 * i)).collect();
    let [expected, found] = engines().map(|engine| {
        let module = common::module(&engine, wat);
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new();
        let ty = FuncType::new(vec![ValType::V128; 2], vec![ValType::V128; 2]);
        linker.func_new("host", "f", ty, |_, args, results| {
            let [Val::V128(x), Val::V128(y)] = *args else { panic!("two vectors") };
            results.copy_from_slice(&[Val::V128(!y), Val::V128(x.rotate_left(9))]);
            Ok(())
        });
        let instance = linker.instantiate(&mut store, &module).expect("it gets its import");
        let func = instance.get_func(&store, "f").expect("it is exported");
        call(&mut store, func, &words).expect("it does not trap")
    });
    assert_eq!(found, expected);
}

#[test]
fn a_module_with_a_missing_operation_has_narrow_vectors() {
    if is_skipped() {
        return;
    }
    let wat = r#"(module (func (export "f") (param v128 v128 v128 v128) (result v128 v128)
        (i8x16.avgr_u (f32x4.add (local.get 0) (local.get 2)) (local.get 0))
        (i8x16.avgr_u (f32x4.add (local.get 1) (local.get 3)) (local.get 1))))"#;
    let [_, engine] = engines();
    let module = common::module(&engine, wat);
    assert_eq!(module.wide_pairs(), Err("avg_round.i8x16"));
    assert!(module.code_size() > 0);
    // By default, programs that do not run on lanes have none either.
    let engine = Engine::new(Config::default().strategy(Strategy::Native));
    assert_eq!(common::module(&engine, &format!("(module {})", PROGRAMS[0])).wide_pairs(), Ok(0));
}
