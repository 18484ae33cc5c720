//! Shapes in WebAssembly's text: modules that export `f`, which computes `$x` from `$n`.

use super::Language::Wat;
use super::{Shape, around, deep, long, row};

pub(super) const SHAPES: &[Shape] = &[
    deep(Wat, "block", |n| {
        let open = |i| format!("(block (br_if 0 (i32.gt_s (local.get $x) (i32.const {i})))\n");
        body(&around(n, open, STEP, |_| format!("{STEP})\n")))
    }),
    deep(Wat, "blocks left at once", |n| {
        body(&around(n, |i| format!("(block (br_if {i} (local.get $x))\n"), STEP, |_| format!("{STEP})\n")))
    }),
    deep(Wat, "blocks with results", |n| {
        value(&around(n, |_| "(block (result i32) (i32.add (local.get $n)\n".into(), "(local.get $x)", |_| "))".into()))
    }),
    deep(Wat, "loop", |n| {
        let close = |i| format!("{STEP}(br_if 0 (i32.lt_s (local.get $x) (i32.const {i}))))\n");
        body(&around(n, |_| "(loop ".into(), STEP, close))
    }),
    deep(Wat, "loops that end", |n| {
        body(&around(n, |_| format!("(loop {STEP}"), "", |_| "(br_if 0 (i32.const 0)))\n".into()))
    }),
    deep(Wat, "loops without a way back", |n| body(&around(n, |_| format!("(loop {STEP}"), "", |_| ")".into()))),
    deep(Wat, "loops that go on with any around", |n| {
        let close = |i| format!("(br_if {} (i32.lt_s (local.get $x) (i32.const {i}))))\n", i % 7 % (i + 1));
        body(&around(n, |_| "(loop ".into(), STEP, close))
    }),
    deep(Wat, "if", |n| {
        let open = |i| format!("(if (i32.gt_s (local.get $n) (i32.const {i})) (then {STEP}");
        body(&around(n, open, "", |_| "))".into()))
    }),
    deep(Wat, "else", |n| {
        let open = |i| format!("(if (i32.gt_s (local.get $n) (i32.const {i})) (then {STEP}) (else\n");
        body(&around(n, open, "", |_| "))".into()))
    }),
    deep(Wat, "ifs with results", |n| {
        let open =
            |i| format!("(if (result i32) (i32.gt_s (local.get $n) (i32.const {i})) (then (i32.const {i})) (else\n");
        value(&around(n, open, "(local.get $x)", |_| "))".into()))
    }),
    deep(Wat, "br_table", |n| {
        let targets = row(n, |i| format!(" {i}"));
        let inside = format!("(br_table{targets} (local.get $n))");
        body(&around(n, |_| "(block ".into(), &inside, |_| format!("{STEP})")))
    }),
    deep(Wat, "folded to the right", |n| {
        value(&around(n, |i| format!("(i32.add (i32.const {i})\n"), "(local.get $n)", |_| ")".into()))
    }),
    deep(Wat, "folded to the left", |n| {
        value(&around(n, |_| "(i32.mul ".into(), "(local.get $n)", |i| format!(" (i32.const {}))\n", i + 3)))
    }),
    deep(Wat, "operands on the stack", |n| {
        function(&format!(
            "{}{}",
            row(n + 1, |i| format!("i32.const {i} local.get $n i32.xor\n")),
            "i32.add\n".repeat(n)
        ))
    }),
    deep(Wat, "select", |n| {
        value(&around(n, |i| format!("(select (i32.const {i})\n"), "(local.get $n)", |_| "(local.get $x))".into()))
    }),
    deep(Wat, "calls in arguments", |n| value(&around(n, |_| "(call $g ".into(), "(local.get $n)", |_| ")\n".into()))),
    long(Wat, "statements", |n| {
        body(&row(n, |i| {
            format!("(local.set $x (i32.rotl (i32.add (local.get $x) (i32.const {i})) (local.get $n)))\n")
        }))
    }),
    long(Wat, "loads and stores", |n| {
        body(&row(n, |i| format!("(i32.store offset={} (local.get $n) (i32.load (local.get $x)))\n", 4 * (i % 99))))
    }),
    long(Wat, "ifs in a row", |n| {
        body(&row(n, |i| format!("(if (i32.gt_s (local.get $x) (i32.const {i})) (then {STEP}))\n")))
    }),
    long(Wat, "blocks in a row", |n| {
        body(&row(n, |i| format!("(block (br_if 0 (i32.gt_s (local.get $x) (i32.const {i}))) {STEP})\n")))
    }),
    long(Wat, "loops in a row", |n| {
        body(&row(n, |i| format!("(loop {STEP} (br_if 0 (i32.lt_s (local.get $x) (i32.const {i}))))\n")))
    }),
    long(Wat, "ways out of a block", |n| {
        let ways = row(n, |i| format!("(br_if 0 (i32.gt_s (local.get $x) (i32.const {i}))) {STEP}"));
        body(&format!("(block {ways})"))
    }),
    long(Wat, "ways back of a loop", |n| {
        let ways = row(n, |i| format!("(br_if 0 (i32.lt_s (local.get $x) (i32.const {i}))) {STEP}"));
        body(&format!("(loop {ways})"))
    }),
    long(Wat, "returns", |n| {
        body(&row(n, |i| {
            format!("(if (i32.gt_s (local.get $x) (i32.const {i})) (then (return (i32.const {i})))) {STEP}")
        }))
    }),
    long(Wat, "unreachable code", |n| body(&format!("(return (local.get $x)) {}", row(n, |_| STEP.into())))),
    long(Wat, "functions", |n| {
        let functions = row(n, |i| {
            format!(
                "(func $f{} (param $x i32) (result i32) (i32.add (call $f{i} (local.get $x)) (i32.const 3)))\n",
                i + 1
            )
        });
        let first = "(func $f0 (param $x i32) (result i32) (local.get $x))\n";
        format!("(module\n{first}{functions}(export \"f\" (func $f{n})))\n")
    }),
    long(Wat, "functions that call each other in a ring", |n| {
        let functions = row(n, |i| {
            format!(
                "(func $f{i} (param $x i32) (result i32) (if (result i32) (i32.eqz (local.get $x)) (then (i32.const {i})) \
                 (else (call $f{} (i32.sub (local.get $x) (i32.const 1))))))\n",
                (i + 1) % n
            )
        });
        format!("(module\n{functions}(export \"f\" (func $f0)))\n")
    }),
    long(Wat, "globals", |n| {
        let globals = row(n, |i| format!("(global $g{i} (mut i32) (i32.const {i}))\n"));
        let uses = row(n, |i| format!("(global.set $g{i} (i32.add (global.get $g{i}) (local.get $n)))\n"));
        format!("(module\n{globals}(func (export \"f\") (param $n i32) (result i32)\n{uses}(global.get $g0)))\n")
    }),
];

/// A statement that changes `$x`.
const STEP: &str = "(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 3)) (local.get $n)))\n";

/// A module whose function `f` is `code`, which leaves its result on the stack.
fn function(code: &str) -> String {
    format!(
        "(module (memory 2)\n(func $g (param $a i32) (result i32) (i32.mul (local.get $a) (i32.const 5)))\n\
         (func (export \"f\") (param $n i32) (result i32) (local $x i32)\n{code}))\n"
    )
}

fn body(statements: &str) -> String {
    function(&format!("{statements}\n(local.get $x)"))
}

fn value(expression: &str) -> String {
    function(&format!("{STEP}{expression}"))
}
