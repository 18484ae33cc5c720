//! Shapes in the IR's text: modules that export `f`, from `i32` to `i32`.

use super::Language::Ir;
use super::{Shape, around, deep, long, row};

pub(super) const SHAPES: &[Shape] = &[
    deep(Ir, "if", |n| {
        let open = |i| {
            let [then, _, _] = labels(i);
            format!("%c{i} = greater_than %0, {i}\nif %c{i} {{\nthen {then}:\n{}", step(i))
        };
        let close = |i| {
            let [_, other, merge] = labels(i);
            format!("merge\nelse {other}:\nmerge\n}}\n{merge}:\n")
        };
        body(&around(n, open, "", close))
    }),
    deep(Ir, "else", |n| {
        let open = |i| {
            let [then, other, _] = labels(i);
            format!("%c{i} = greater_than %0, {i}\nif %c{i} {{\nthen {then}:\n{}merge\nelse {other}:\n", step(i))
        };
        body(&around(n, open, "", close))
    }),
    deep(Ir, "ifs with inputs", |n| {
        let open = |i| {
            let [then, other, _] = labels(i);
            format!("%c{i} = greater_than %0, {i}\nif %c{i} {{\nthen {then}:\nmerge {i}\nelse {other}:\n")
        };
        let close = |i| {
            let [_, _, merge] = labels(i);
            let value = if i + 1 == n { "%0".to_owned() } else { format!("%m{}", i + 1) };
            format!("merge {value}\n}}\n{merge}(%m{i}: i32):\n")
        };
        body(&(around(n, open, "", close) + "store @x, %m0\n"))
    }),
    deep(Ir, "loop", |n| {
        let open = |i| {
            let [inside, condition, _] = labels(i);
            format!(
                "loop {{\ncond {condition}:\n{}%g{i} = less_than %n{i}, {i}\nloop_if %g{i}\nbody {inside}:\n",
                step(i)
            )
        };
        let close = |i| format!("continue {}\n}}\n{}:\n", owner(i), labels(i)[2]);
        body(&around(n, open, "", close))
    }),
    deep(Ir, "do_loop", |n| {
        let open = |i| format!("do_loop {{\nbody {}:\n{}", labels(i)[0], step(i));
        let close = |i| {
            let [_, condition, merge] = labels(i);
            let test = format!("%k{i} = load @x\n%g{i} = less_than %k{i}, -{}\nloop_if %g{i}", i + 1);
            format!("continue {}\ncond {condition}:\n{test}\n}}\n{merge}:\n", owner(i))
        };
        body(&around(n, open, "", close))
    }),
    deep(Ir, "labelled", |n| {
        body(&around(n, |i| format!("labelled {{\nbody {}:\n{}", labels(i)[0], step(i)), "", close))
    }),
    deep(Ir, "switch", |n| {
        let open = |i| {
            let [inside, other, _] = labels(i);
            format!("switch %0 {{\ncase {i} {other}:\nbreak {}\ncase default {inside}:\n{}", owner(i), step(i))
        };
        let close = |i| format!("break {}\n}}\n{}:\n", owner(i), labels(i)[2]);
        body(&around(n, open, "", close))
    }),
    deep(Ir, "array types", |n| {
        format!("module ir\nvar private @a: {}i32{}\n", "[1 x ".repeat(n), "]".repeat(n)) + FUNCTION + "return %0\n}\n"
    }),
    deep(Ir, "function types", |n| {
        format!("module ir\nvar private @a: {}i32{}\n", "fn() -> (".repeat(n), ")".repeat(n))
            + FUNCTION
            + "return %0\n}\n"
    }),
    deep(Ir, "structs in structs", |n| {
        let structs = row(n, |i| format!("struct $S{} {{\na: $S{i}\n}}\n", i + 1));
        let head = format!("module ir\nstruct $S0 {{\na: i32\n}}\n{structs}var private @a: $S{n}\n");
        head + FUNCTION + "return %0\n}\nexport @f \"f\"\n"
    }),
    deep(Ir, "constants", |n| {
        let value = format!("{}1{}", "{".repeat(n), "}".repeat(n));
        let ty = format!("{}i32{}", "[1 x ".repeat(n), "]".repeat(n));
        format!("module ir\nvar private @a: {ty} = {ty}{value}\n") + FUNCTION + "return %0\n}\n"
    }),
    long(Ir, "nodes", |n| {
        let nodes = row(n, |i| format!("%s{} = add %s{i}, %0\n", i + 1));
        body(&format!("%s0 = negate %0\n{nodes}store @x, %s{n}\n"))
    }),
    long(Ir, "blocks", |n| body(&row(n, |i| format!("{}next_block\nb{}:\n", step(i), i + 1)))),
    long(Ir, "cases", |n| {
        let cases = row(n, |i| format!("case {i} b{}:\nstore @x, {i}\nbreak b0\n", i + 2));
        body(&format!("switch %0 {{\n{cases}}}\nb1:\n"))
    }),
    long(Ir, "functions", |n| {
        let functions =
            row(n, |i| format!("fn @f{}(%0: i32) -> (i32) {{\nb0:\n%1 = call @f{i}, %0\nreturn %1\n}}\n", i + 1));
        format!(
            "module ir\nfn @f0(%0: i32) -> (i32) {{\nb0:\n%1 = negate %0\nreturn %1\n}}\n{functions}export @f{n} \"f\"\n"
        )
    }),
];

const FUNCTION: &str = "fn @f(%0: i32) -> (i32) {\nb0:\n";

/// Nodes that change `@x`; `%n{i}` is its previous value.
fn step(i: usize) -> String {
    format!("%n{i} = load @x\n%a{i} = add %n{i}, %0\nstore @x, %a{i}\n")
}

/// The labels of the blocks of construct `i`: its body, another sub-block, its merge block.
fn labels(i: usize) -> [String; 3] {
    [1, 2, 3].map(|part| format!("b{}", 3 * i + part))
}

/// The block that ends with construct `i`, if it is the first block of the previous construct's body.
fn owner(i: usize) -> String {
    if i == 0 { "b0".to_owned() } else { labels(i - 1)[0].clone() }
}

fn close(i: usize) -> String {
    format!("merge\n}}\n{}:\n", labels(i)[2])
}

fn body(body: &str) -> String {
    format!("module ir\n{FUNCTION}  var @x: i32 = 0\n{body}%r = load @x\nreturn %r\n}}\nexport @f \"f\"\n")
}
