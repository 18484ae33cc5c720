//! Wrong programs: the message of each, and its place.

use std::str::FromStr;

use proc_macro2::TokenStream;

use super::messages;
use crate::specialize::specialize;
use crate::stage::{expression, item};
use crate::staged::derive;

#[derive(Clone, Copy)]
enum Macro {
    Stage,
    /// With arguments.
    StageWith(&'static str),
    Closure,
    Specialize,
    SpecializeWith(&'static str),
    Derive,
}

use Macro::{Closure, Derive, Specialize, SpecializeWith, Stage, StageWith};

impl Macro {
    fn expand(self, tokens: TokenStream) -> TokenStream {
        let args = |args| TokenStream::from_str(args).expect("tokens");
        let made = match self {
            Stage => Ok(item(&args(""), tokens)),
            StageWith(text) => Ok(item(&args(text), tokens)),
            Closure => Ok(expression(tokens)),
            Specialize => specialize(&args(""), tokens),
            SpecializeWith(text) => specialize(&args(text), tokens),
            Derive => derive(tokens),
        };
        made.unwrap_or_else(syn::Error::into_compile_error)
    }
}

const WRONG: &[(Macro, &str, &str, (usize, usize))] = &[
    // Items without functions.
    (Stage, "struct S;", "is for functions", (1, 1)),
    (Stage, "const N: u32 = 1;", "is for functions", (1, 1)),
    (Stage, "enum E { A }", "is for functions", (1, 1)),
    (Stage, "use a::b;", "is for functions", (1, 1)),
    (Stage, "trait T { fn f(); }", "is for functions", (1, 1)),
    (StageWith("fast"), "fn f() {}", "has no arguments", (1, 1)),
    (Stage, "fn f(x: Rep<f64>) -> Rep<f64>;", "is for functions", (1, 1)),
    (Stage, "fn f() {\n    let x = 1\n    x\n}", "expected `;`", (3, 5)),
    // Functions that make no program.
    (Stage, "async fn f() {}", "`async` function", (1, 1)),
    (Stage, "impl S {\n    async fn f() {}\n}", "`async` function", (2, 5)),
    (Stage, "const fn f(x: u32) -> u32 { x }", "`const` function", (1, 1)),
    (Stage, "fn f() {\n    let x = async { 1 };\n}", "`async` block", (2, 13)),
    (Stage, "fn f() {\n    let x = g().await;\n}", "`await` is for `async`", (2, 17)),
    (Stage, "fn f(#[known] n: u32, x: Rep<u32>) {}", "is for functions with `#[specialize]`", (1, 6)),
    // Variables.
    (Stage, "fn f() {\n    let x;\n    x = 1;\n}", "begins with a value", (2, 5)),
    (Stage, "fn f() {\n    let x: Rep<f64>;\n}", "begins with a value", (2, 5)),
    (Stage, "fn f(c: Rep<bool>) {\n    if c { let y; }\n}", "begins with a value", (2, 12)),
    (Closure, "|c: Rep<bool>| {\n    let y;\n    if c { y = 1; }\n}", "begins with a value", (2, 5)),
    // Jumps.
    (Stage, "fn f() {\n    break;\n}", "no such loop or block", (2, 5)),
    (Stage, "fn f() {\n    continue;\n}", "no such loop or block", (2, 5)),
    (Stage, "fn f() {\n    while a { break 'b; }\n}", "no such loop or block", (2, 15)),
    (Stage, "fn f() {\n    'a: { continue; }\n}", "no such loop or block", (2, 11)),
    (Stage, "fn f() {\n    'a: { break; }\n}", "no such loop or block", (2, 11)),
    (Stage, "fn f() {\n    'a: { continue 'a; }\n}", "leave the block with `break`", (2, 11)),
    (Stage, "fn f() {\n    loop { let g = || { break; }; }\n}", "no such loop or block", (2, 25)),
    (Stage, "fn f() {\n    loop { let g = || continue; }\n}", "no such loop or block", (2, 23)),
    (Stage, "fn f() {\n    'a: loop { fn g() { break 'a; } }\n}", "no such loop or block", (2, 25)),
    (Stage, "mod m {\n    fn f() {\n        fn g() { continue }\n    }\n}", "no such loop or block", (3, 18)),
    (Stage, "impl S {\n    fn f(&mut self) { let a = 'b: { break 'c 1; }; }\n}", "no such loop or block", (2, 37)),
    (Stage, "fn f() {\n    let x = while a { break 3; };\n}", "`while` and `for` give no value", (2, 29)),
    (Stage, "fn f() {\n    'a: for i in 0..n { loop { break 'a i; } }\n}", "`while` and `for` give no value", (2, 41)),
    (Stage, "fn f() {\n    while let Some(x) = it.next() { break x; }\n}", "`while` and `for` give no value", (2, 43)),
    (Closure, "|x: Rep<f64>| {\n    if x < 0.0 { break }\n    x\n}", "no such loop or block", (2, 18)),
    (
        Stage,
        "fn f(mut x: Rep<i32>) {\n    while a {\n        x += 1;\n        let x = 2;\n        if b { break; }\n    }\n}",
        "hides a variable",
        (4, 13),
    ),
    (
        Stage,
        "fn f(mut x: Rep<i32>) {\n    for x in 0..n {\n        x.add(1);\n        if b { continue; }\n    }\n}",
        "hides a variable",
        (2, 9),
    ),
    (
        Stage,
        "fn f(mut x: Rep<i32>, e: Enum<E>) {\n    loop {\n        x += 1;\n        if let E::A(x) = e { break; }\n    }\n}",
        "hides a variable",
        (4, 21),
    ),
    // Matches on numbers.
    (Stage, "fn f(x: Rep<i32>) {\n    match x { 1 => a, 2 => b }\n}", "ends with an arm for all others", (2, 23)),
    (
        Stage,
        "fn f(x: Rep<i32>) {\n    match x { 1 => a, y if y > 2 => b }\n}",
        "ends with an arm for all others",
        (2, 23),
    ),
    (Stage, "fn f(x: Rep<i32>) {\n    match (x, x) { (1, _) => a, (_, 2..=3) => b }\n}", "ends with an arm", (2, 33)),
    (Stage, "fn f(x: Rep<bool>) {\n    match x { true => a }\n}", "ends with an arm", (2, 15)),
    // Matches on enums of the program.
    (
        Stage,
        "fn f(e: Enum<E>) {\n    match e {\n        E::A(ref x) => a,\n        _ => b,\n    }\n}",
        "made of variants, tuples, names",
        (3, 14),
    ),
    (
        Stage,
        "fn f(e: Enum<E>) {\n    match e {\n        E::A(x @ 1..=5) => a,\n        _ => b,\n    }\n}",
        "made of variants, tuples, names",
        (3, 14),
    ),
    (
        Stage,
        "fn f(e: Enum<E>) {\n    match e {\n        E::A { name: \"x\" } => a,\n        _ => b,\n    }\n}",
        "made of variants, tuples, names",
        (3, 22),
    ),
    (
        Stage,
        "fn f(e: Enum<E>) {\n    match e {\n        E::A(E::B(x) | E::C(x)) => a,\n        _ => b,\n    }\n}",
        "alternatives inside of a variant have no names",
        (3, 14),
    ),
    (
        Stage,
        "fn f(e: &Enum<E>) {\n    match e {\n        E::A([x, y]) => a,\n        _ => b,\n    }\n}",
        "made of variants, tuples, names",
        (3, 14),
    ),
    (
        Stage,
        "fn f(e: &Enum<E>) {\n    match *e {\n        &E::A(x) => a,\n        E::B => b,\n    }\n}",
        "made of variants, tuples, names",
        (3, 9),
    ),
    (
        Stage,
        "fn f(a: Enum<E>, b: Enum<E>) {\n    match (a, b) {\n        (E::A, E::A) => a,\n        (E::B, x) => b,\n    }\n}",
        "on a tuple with enums of the program ends with an arm for all others",
        (4, 9),
    ),
    (
        Stage,
        "fn f(e: Enum<Option<Rep<u32>>>) {\n    let x = e?;\n}",
        "the program decides which variant this is",
        (2, 14),
    ),
    (Stage, "fn f() {\n    let e = Enum::new(Some(x));\n    let Some(y) = e;\n}", "add `else { … }`", (3, 9)),
    (
        Stage,
        "fn f(a: Enum<E>, b: Enum<E>) {\n    if let E::A(x) = a && let E::A(y) = b {}\n}",
        "only the first part is a pattern",
        (2, 27),
    ),
    (
        Stage,
        "fn f(a: Enum<E>, c: Rep<bool>) {\n    while c && let E::A(x) = a {}\n}",
        "only the first part is a pattern",
        (2, 16),
    ),
    // Closures.
    (Closure, "", "expected an expression", (1, 1)),
    (Closure, "|x| x,\n|y| y", "unexpected token", (1, 6)),
    (Closure, "let x = 1;", "expected", (1, 10)),
    // Specialized functions.
    (Specialize, "fn f(&self, n: u32) -> Rep<u32> { a }", "without `self`", (1, 7)),
    (Specialize, "fn f(x: Rep<u32>) -> Rep<u32> { x }", "no parameter is known", (1, 1)),
    (Specialize, "fn f() -> Rep<u32> { x }", "no parameter is known", (1, 1)),
    (Specialize, "fn f(e: Enum<E>) -> Rep<u32> { x }", "no parameter is known", (1, 1)),
    (Specialize, "fn f(list: &mut Vec<u32>, x: Rep<u32>) -> Rep<u32> { x }", "is not changed", (1, 12)),
    (Specialize, "fn f((a, b): (u32, u32), x: Rep<u32>) -> Rep<u32> { x }", "has a name", (1, 6)),
    (Specialize, "fn f(#[known] x: Rep<u32>) -> Rep<u32> { x }", "is not known while", (1, 18)),
    (Specialize, "struct S;", "expected", (1, 1)),
    (Specialize, "async fn f(n: u32, x: Rep<u32>) {}", "`async` function", (1, 1)),
    (SpecializeWith("n"), "fn f(n: u32, x: Rep<u32>) {}", "mark parameters with `#[known]`", (1, 1)),
    // Groups of values.
    (Derive, "union U { a: Rep<u32>, b: Rep<f32> }", "is for structs and enums", (1, 1)),
    (Derive, "enum E {}", "has no value", (1, 6)),
    (Derive, "struct S<'a> {\n    x: &'a Rep<u32>,\n}", "borrows nothing of the host", (1, 10)),
    (Derive, "struct S {\n    x: &'static Rep<u32>,\n}", "not behind a reference", (2, 8)),
    (Derive, "enum E {\n    A,\n    B(*const Rep<u32>),\n}", "not behind a reference", (3, 7)),
    (Derive, "struct S {\n    f: fn(Rep<u32>) -> Rep<u32>,\n}", "`func` makes one", (2, 8)),
    (Derive, "struct S {\n    all: [Rep<u32>],\n}", "use an array", (2, 10)),
    (Derive, "#[staged(host = P)]\nstruct S { x: Rep<u32> }", "as the tuple of its fields", (1, 1)),
    (Derive, "#[staged(type = P)]\nenum E { A }", "expected", (1, 10)),
    (Derive, "#[staged(name = P)]\nenum E { A }", "expected `host = …`", (1, 10)),
    (Derive, "#[staged(host)]\nenum E { A }", "expected `=`", (1, 14)),
    (Derive, "#[staged(host = P, host = Q)]\nenum E { A }", "given twice", (1, 20)),
    (Derive, "#[staged(host = (u32, f32))]\nenum E { A }", "an enum with the same variants", (1, 17)),
    (Derive, "#[staged]\nenum E { A }", "expected attribute arguments", (1, 3)),
    (Derive, "fn f() {}", "expected", (1, 1)),
];

#[test]
fn wrong_programs_get_a_message_at_a_place() {
    let mut elsewhere = Vec::new();
    for (with, program, message, place) in WRONG {
        let tokens = TokenStream::from_str(program).expect("tokens");
        let messages = messages(with.expand(tokens));
        let [(text, line, column)] = &messages[..] else {
            elsewhere.push(format!("{program}: {messages:?}"));
            continue;
        };
        if !text.contains(message) || (*line, *column) != *place {
            elsewhere.push(format!("{program}: {text} at {line}:{column}, not {message} at {place:?}"));
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
    assert!(WRONG.len() >= 60, "{}", WRONG.len());
}
