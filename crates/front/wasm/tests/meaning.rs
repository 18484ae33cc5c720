//! Texts whose functions are called, and give what WebAssembly says.

use crate::common::{call, read};
use planish_eval::Stop;
use planish_ir::function::TrapKind;

fn trap(kind: TrapKind) -> Result<Vec<u64>, TrapKind> {
    Err(kind)
}

fn run(text: &str, name: &str, args: &[u64]) -> Result<Vec<u64>, TrapKind> {
    call(&read(text), name, args).map_err(|stop| match stop {
        Stop::Trap { kind, .. } => kind,
        other => panic!("{name}: {other}"),
    })
}

#[test]
fn values_meet_where_ways_do() {
    let text = r#"(module
        (func (export "sum") (param $n i32) (result i32) (local $i i32) (local $sum i32)
            (block $done
                (loop $next
                    (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
                    (local.set $sum (i32.add (local.get $sum) (local.get $i)))
                    (local.set $i (i32.add (local.get $i) (i32.const 1)))
                    (br $next)))
            (local.get $sum))
        (func (export "swap") (param i32 i32 i32) (result i32 i32) (local $t i32)
            (loop $again
                (if (local.get 2) (then
                    (local.set $t (local.get 0))
                    (local.set 0 (local.get 1))
                    (local.set 1 (local.get $t))
                    (local.set 2 (i32.sub (local.get 2) (i32.const 1)))
                    (br $again))))
            (local.get 0) (local.get 1))
        (func (export "arms") (param i32) (result i32) (local i32)
            (local.set 1 (i32.const 5))
            (if (local.get 0)
                (then (local.set 1 (i32.const 7)))
                (else (local.set 1 (i32.mul (local.get 1) (i32.const 10)))))
            (local.get 1))
        (func (export "half") (param i32) (result i32)
            (if (local.get 0) (then (local.set 0 (i32.const 9)) (return (i32.const 1))))
            (local.get 0)))"#;
    assert_eq!(run(text, "sum", &[10]), Ok(vec![45]));
    assert_eq!(run(text, "swap", &[1, 2, 3]), Ok(vec![2, 1]));
    assert_eq!(run(text, "swap", &[1, 2, 4]), Ok(vec![1, 2]));
    assert_eq!(run(text, "arms", &[0]), Ok(vec![50]));
    assert_eq!(run(text, "arms", &[1]), Ok(vec![7]));
    assert_eq!((run(text, "half", &[0]), run(text, "half", &[3])), (Ok(vec![0]), Ok(vec![1])));
}

#[test]
fn blocks_take_and_give_several_values() {
    let text = r#"(module
        (func (export "params") (param i32 i32) (result i32)
            local.get 0
            local.get 1
            block (param i32 i32) (result i32 i32)
                i32.const 1
                i32.add
                local.get 0
                i32.eqz
                br_if 0
                i32.const 100
                i32.add
            end
            i32.sub)
        (func (export "loop") (param i32) (result i32)
            i32.const 1
            loop (param i32) (result i32)
                i32.const 2
                i32.mul
                local.get 0
                i32.const 1
                i32.sub
                local.tee 0
                br_if 0
            end)
        (func (export "if") (param i32 i32) (result i32 i32)
            local.get 0
            local.get 1
            local.get 0
            if (param i32) (result i32)
                i32.const 3
                i32.mul
            end))"#;
    assert_eq!(run(text, "params", &[0, 5]), Ok(vec![(-6i32) as u32 as u64]));
    assert_eq!(run(text, "params", &[1, 5]), Ok(vec![(-105i32) as u32 as u64]));
    assert_eq!(run(text, "loop", &[5]), Ok(vec![32]));
    assert_eq!(run(text, "if", &[1, 5]), Ok(vec![1, 15]));
    assert_eq!(run(text, "if", &[0, 5]), Ok(vec![0, 5]));
}

#[test]
fn what_cannot_be_reached_is_left_out() {
    let text = r#"(module
        (func (export "dead") (param i32) (result i32)
            block
                br 0
                i32.add
                drop
                block
                    i32.const 0
                    if (result i32) i32.const 1 else unreachable end
                    drop
                end
                br 0
            end
            loop
                (return (local.get 0))
            end
            unreachable)
        (func (export "both") (param i32) (result i32)
            (if (result i32) (local.get 0) (then (return (i32.const 1))) (else (return (i32.const 2)))))
        (func (export "trap") (param i32) (result i32)
            (block (result i32) (if (local.get 0) (then (unreachable))) (i32.const 4))))"#;
    assert_eq!(run(text, "dead", &[3]), Ok(vec![3]));
    assert_eq!((run(text, "both", &[0]), run(text, "both", &[1])), (Ok(vec![2]), Ok(vec![1])));
    assert_eq!((run(text, "trap", &[0]), run(text, "trap", &[1])), (Ok(vec![4]), trap(TrapKind::Unreachable)));
}

#[test]
fn tables_of_jumps_go_everywhere() {
    let text = r#"(module
        (func (export "table") (param i32) (result i32) (local i32)
            (block $a (block $b (loop $c (block $d
                (br_table $a $b $d $b $c $a (local.get 0)))
                (local.set 0 (i32.const 0))
                (local.set 1 (i32.add (local.get 1) (i32.const 1000)))
                (br $c))
                )
                (return (i32.add (local.get 1) (i32.const 1))))
            (i32.add (local.get 1) (i32.const 2)))
        (func (export "return") (param i32) (result i32)
            (block (result i32)
                (br_table 0 1 (i32.const 8) (local.get 0)))
            (i32.const 1) (i32.add)))"#;
    assert_eq!(run(text, "table", &[0]), Ok(vec![2]));
    assert_eq!(run(text, "table", &[1]), Ok(vec![1]));
    assert_eq!(run(text, "table", &[2]), Ok(vec![1002]));
    assert_eq!(run(text, "table", &[3]), Ok(vec![1]));
    assert_eq!(run(text, "table", &[u64::from(u32::MAX)]), Ok(vec![2]));
    assert_eq!((run(text, "return", &[0]), run(text, "return", &[1])), (Ok(vec![9]), Ok(vec![8])));
}

#[test]
fn what_may_trap_traps_when_its_value_is_not_used() {
    let text = r#"(module (memory 1) (table 2 funcref)
        (type $none (func))
        (func (export "divide") (drop (i32.div_s (i32.const 1) (i32.const 0))))
        (func (export "load") (drop (i32.load (i32.const 65533))))
        (func (export "call") (call_indirect (type $none) (i32.const 1)))
        (func (export "far") (call_indirect (type $none) (i32.const 2))))"#;
    assert_eq!(run(text, "divide", &[]), trap(TrapKind::DivisionByZero));
    assert_eq!(run(text, "load", &[]), trap(TrapKind::OutOfBoundsMemory));
    assert_eq!(run(text, "call", &[]), trap(TrapKind::UninitializedElement));
    assert_eq!(run(text, "far", &[]), trap(TrapKind::OutOfBoundsTable));
}

#[test]
fn constant_expressions_are_computed_once() {
    let text = r#"(module
        (global $ten (mut i32) (i32.mul (i32.const 5) (i32.const 2)))
        (memory 1) (data (offset (i32.sub (i32.const 5) (i32.const 1))) "\2a")
        (func (export "ten") (result i32) (global.get $ten))
        (func (export "byte") (result i32) (i32.load8_u (i32.const 4))))"#;
    assert_eq!((run(text, "ten", &[]), run(text, "byte", &[])), (Ok(vec![10]), Ok(vec![42])));
}
