//! NaNs of machine code: those of the virtual machine, where a program sees their bits.

use planish_vm::{Config, Engine, Linker, Store, Strategy};

use crate::common;

/// Bits of results: `run` takes two floats as bits and gives the bits of what it makes of them.
fn results(engine: &Engine, body: &str) -> Vec<i64> {
    let wat = format!(
        r#"(module (memory 1) (global $g (mut f64) (f64.const 1)) (type $one (func (param f64) (result f64)))
        (table 1 1 funcref) (elem (i32.const 0) $same) (func $same (type $one) local.get 0)
        (func (export "run") (param $a i64) (param $b i64) (param $n i32) (result i64)
            (local $x f64) (local $y f64) (local $z f64) (local $f f32)
            (f64.store (i32.const 0) (f64.reinterpret_i64 (local.get $a)))
            (local.set $x (f64.load (i32.const 0)))
            (local.set $y (f64.reinterpret_i64 (local.get $b)))
            {body}))"#
    );
    let module = common::module(engine, &wat);
    let mut store = Store::new(engine, ());
    let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let func = instance.get_typed_func::<(i64, i64, i32), i64>(&store, "run").expect("it has this type");
    let floats = [
        0,
        1.5f64.to_bits(),
        (-0.0f64).to_bits(),
        f64::INFINITY.to_bits(),
        f64::NEG_INFINITY.to_bits(),
        0x7ff8_0000_0000_0000,
        0xfff8_0000_0000_0000,
        0x7ff0_0000_0000_1234,
        0xfffc_0000_4321_0000,
    ];
    let mut found = vec![];
    for a in floats {
        for b in floats {
            for n in 0..3 {
                found.push(func.call(&mut store, (a as i64, b as i64, n)).expect("does not trap"));
            }
        }
    }
    found
}

#[test]
fn nans_are_canonical_where_their_bits_are_seen() {
    let sum = "(f64.add (local.get $x) (local.get $y))";
    let seen = |value: &str| format!("(i64.reinterpret_f64 {value})");
    let bodies = [
        seen(sum),
        // Bits that are moved.
        seen("(local.get $x)"),
        seen(&format!("(f64.neg {sum})")),
        seen(&format!("(f64.abs {sum})")),
        seen(&format!("(f64.copysign (local.get $x) {sum})")),
        seen(&format!("(f64.copysign {sum} (local.get $x))")),
        seen(&format!("(f64.mul (f64.neg {sum}) (local.get $x))")),
        seen(&format!("(f64.sub (f64.abs {sum}) (f64.sqrt (local.get $x)))")),
        // One of two: with bits to keep, and without.
        seen(&format!("(select {sum} (local.get $x) (local.get $n))")),
        seen(&format!("(select {sum} (f64.div (local.get $x) (local.get $y)) (local.get $n))")),
        seen(&format!("(select {sum} (f64.const nan:0x8000000001234) (local.get $n))")),
        seen(&format!("(select {sum} (f64.const nan) (local.get $n))")),
        seen(&format!("(if (result f64) (local.get $n) (then {sum}) (else (local.get $x)))")),
        seen(&format!("(if (result f64) (local.get $n) (then {sum}) (else (f64.sqrt (local.get $x))))")),
        seen(&format!("(f64.floor (if (result f64) (local.get $n) (then {sum}) (else (local.get $x))))")),
        // Carried by a loop.
        "(loop $l (local.set $z (f64.add (local.get $z) (f64.mul (local.get $x) (local.get $y))))
            (br_if $l (i32.ge_s (local.tee $n (i32.sub (local.get $n) (i32.const 1))) (i32.const 0))))
         (f64.store (i32.const 8) (local.get $z)) (i64.load (i32.const 8))"
            .into(),
        "(loop $l (f64.store (i32.const 8) (local.get $z)) (local.set $z (f64.sub (local.get $x) (local.get $z)))
            (br_if $l (i32.ge_s (local.tee $n (i32.sub (local.get $n) (i32.const 1))) (i32.const 0))))
         (i64.xor (i64.load (i32.const 8)) (i64.rotl (i64.reinterpret_f64 (local.get $z)) (i64.const 1)))"
            .into(),
        "(local.set $z (local.get $x))
         (loop $l (local.set $z (select (local.get $z) (f64.div (local.get $z) (local.get $y)) (i32.and (local.get $n) (i32.const 1))))
            (br_if $l (i32.ge_s (local.tee $n (i32.sub (local.get $n) (i32.const 1))) (i32.const 0))))
         (i64.reinterpret_f64 (local.get $z))"
            .into(),
        // Computed in vain, beside a state with bits to keep; and the other way round.
        "(local.set $z (local.get $x))
         (loop $l (local.set $z (select (f64.add (local.get $z) (f64.sqrt (local.get $y))) (local.get $z) (f64.gt (local.get $y) (f64.const 0))))
            (br_if $l (i32.ge_s (local.tee $n (i32.sub (local.get $n) (i32.const 1))) (i32.const 0))))
         (i64.reinterpret_f64 (local.get $z))"
            .into(),
        "(local.set $z (local.get $x))
         (loop $l (local.set $z (select (local.get $x) (f64.div (local.get $z) (local.get $y)) (f64.lt (local.get $y) (local.get $z))))
            (br_if $l (i32.ge_s (local.tee $n (i32.sub (local.get $n) (i32.const 1))) (i32.const 0))))
         (i64.reinterpret_f64 (local.get $z))"
            .into(),
        // Returned early, called, in variables, twice.
        format!("(local.set $z {sum}) (if (local.get $n) (then (return {}))) (i64.const 3)", seen("(local.get $z)")),
        seen(&format!("(call $same {sum})")),
        seen(&format!("(call_indirect (type $one) {sum} (i32.const 0))")),
        format!("(global.set $g {sum}) {}", seen("(global.get $g)")),
        format!(
            "(local.set $z {sum}) (f64.store (i32.const 8) (local.get $z))
             (f64.store (i32.const 16) (f64.mul (local.get $z) (local.get $x)))
             (f64.store (i32.const 24) (local.get $z))
             (i64.add (i64.load (i32.const 8)) (i64.add (i64.rotl (i64.load (i32.const 16)) (i64.const 7)) (i64.rotl (i64.load (i32.const 24)) (i64.const 13))))"
        ),
        // Of another width, in a vector, from an integer.
        format!("(i64.extend_i32_s (i32.reinterpret_f32 (f32.demote_f64 {sum})))"),
        seen("(f64.promote_f32 (f32.sub (f32.demote_f64 (local.get $x)) (f32.demote_f64 (local.get $y))))"),
        format!("(i64x2.extract_lane 1 (f64x2.replace_lane 1 (v128.const i64x2 0 0) {sum}))"),
        format!("(i64x2.extract_lane 0 (f64x2.neg (f64x2.splat {sum})))"),
        seen(&format!("(select {sum} (f64.convert_i64_s (local.get $a)) (local.get $n))")),
        seen(&format!("(f64.min (local.get $x) {sum})")),
        format!("(i64.extend_i32_u (f64.lt {sum} (local.get $x)))"),
        format!("(i64.trunc_sat_f64_s {sum})"),
    ];
    let native = |guarded| Engine::new(Config::default().strategy(Strategy::Native).signals_based_traps(guarded));
    for body in bodies {
        let expected = results(&Engine::default(), &body);
        assert_eq!(results(&native(true), &body), expected, "{body}");
        assert_eq!(results(&native(false), &body), expected, "{body}");
    }
}
