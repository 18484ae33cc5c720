//! Shapes in VL: programs whose value depends on one unknown number, `x`.

use super::Language::Vl;
use super::{Shape, around, deep, long, row};

pub(super) const SHAPES: &[Shape] = &[
    deep(Vl, "let", |n| value(&around(n, |i| format!("(let ((y{i} (+ x {i})))\n"), "y0", |_| ")".into()))),
    deep(Vl, "let in a value", |n| value(&around(n, |_| "(let ((y \n".into(), "x", |_| ")) (* y 2))".into()))),
    deep(Vl, "if", |n| value(&around(n, |i| format!("(if (> x {i}) {i}\n"), "x", |_| ")".into()))),
    deep(Vl, "lambda", |n| value(&around(n, |i| format!("((lambda (y{i})\n"), "y0", |i| format!(") (+ x {i}))")))),
    deep(Vl, "lambdas that are not applied", |n| {
        value(&format!("(let ((f {})) x)", around(n, |i| format!("(lambda (y{i})\n"), "y0", |_| ")".into())))
    }),
    deep(Vl, "applications", |n| value(&around(n, |_| "(f ".into(), "x", |_| ")\n".into()))),
    deep(Vl, "arithmetic", |n| value(&around(n, |i| format!("(+ {i} (* x \n"), "x", |_| "))".into()))),
    deep(Vl, "cons", |n| program("", &around(n, |i| format!("(cons {i} "), "x", |_| ")\n".into()))),
    deep(Vl, "lists in lists", |n| program("", &around(n, |_| "(list ".into(), "x", |_| ")\n".into()))),
    deep(Vl, "quoted lists", |n| program("", &format!("'{}", around(n, |_| "(".into(), "1", |_| ")".into())))),
    deep(Vl, "comments", |n| program("", &around(n, |_| "#| ".into(), "", |_| "|# ".into())) + "x\n"),
    deep(Vl, "parameters", |n| {
        program(&format!("(define (g {}) 1)", around(n, |i| format!("(cons a{i} "), "b", |_| ")".into())), "x")
    }),
    deep(Vl, "curried", |n| {
        program(&format!("(define {} (+ y x))", around(n, |_| "(".into(), "h y", |i| format!(" z{i})"))), "x")
    }),
    deep(Vl, "begin", |n| value(&around(n, |_| "(begin x \n".into(), "x", |_| ")".into()))),
    deep(Vl, "derivatives", |n| value(&format!("({} x)", around(n, |_| "(derivative ".into(), "f", |_| ")\n".into())))),
    long(Vl, "list", |n| value(&format!("(fold-left + x (list{}))", row(n, |i| format!(" {i}"))))),
    long(Vl, "quoted list", |n| value(&format!("(fold-left + x '({}))", row(n, |i| format!(" {i}"))))),
    long(Vl, "sum", |n| value(&format!("(+ x{})", row(n, |i| format!(" {i}\n"))))),
    long(Vl, "cond", |n| value(&format!("(cond {}(else 1))", row(n, |i| format!("((> x {i}) {i})\n"))))),
    long(Vl, "and", |n| program("", &format!("(and {}#t)", row(n, |i| format!("(> x {i})\n"))))),
    long(Vl, "let*", |n| value(&format!("(let* ((y0 x) {}) y{n})", row(n, |i| format!("(y{} (+ y{i} x))\n", i + 1))))),
    long(Vl, "definitions", |n| {
        let definitions = row(n, |i| format!("(define (f{} y) (* x (f{i} y)))\n", i + 1));
        program(&format!("(define (f0 y) (+ y x))\n{definitions}"), &format!("(f{n} x)"))
    }),
    long(Vl, "values", |n| {
        program(
            &format!("(define y0 x)\n{}", row(n, |i| format!("(define y{} (sin y{i}))\n", i + 1))),
            &format!("y{n}"),
        )
    }),
    long(Vl, "expressions at the top", |n| program(&row(n, |i| format!("(write-real (+ x {i}))\n")), "x")),
];

fn program(definitions: &str, value: &str) -> String {
    format!("(define x (read-real))\n(define (f y) (* y (sin x)))\n{definitions}\n{value}\n")
}

fn value(expression: &str) -> String {
    program("", &format!("(f {expression})"))
}
