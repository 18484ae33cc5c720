//! Wrong programs get a message at a place, and no input makes the macros panic.

use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::specialize::specialize;
use crate::stage::{expression, item};

/// The messages of an expansion, with their places.
fn messages(tokens: TokenStream) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut last: Vec<TokenTree> = Vec::new();
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            let names: Vec<String> = last.iter().rev().take(2).map(ToString::to_string).collect();
            if names == ["!", "compile_error"] {
                let literal = group.stream().into_iter().next().expect("a message");
                let text: syn::LitStr = syn::parse2(literal.clone().into()).expect("a string");
                let at = group.span().start();
                found.push((text.value(), at.line, at.column + 1));
            }
            found.extend(messages(group.stream()));
        }
        last.push(token);
    }
    found
}

const WRONG: &[(&str, &str, (usize, usize))] = &[
    ("struct S;", "is for functions", (1, 1)),
    ("const N: u32 = 1;", "is for functions", (1, 1)),
    ("enum E { A }", "is for functions", (1, 1)),
    ("use a::b;", "is for functions", (1, 1)),
    ("trait T { fn f(); }", "is for functions", (1, 1)),
    ("async fn f() {}", "`async` function", (1, 1)),
    ("impl S {\n    async fn f() {}\n}", "`async` function", (2, 5)),
    ("fn f() {\n    let x = async { 1 };\n}", "`async` block", (2, 13)),
    ("fn f() {\n    let x;\n    x = 1;\n}", "begins with a value", (2, 5)),
    ("fn f() {\n    let x: Rep<f64>;\n}", "begins with a value", (2, 5)),
    ("fn f(c: Rep<bool>) {\n    if c { let y; }\n}", "begins with a value", (2, 12)),
    ("fn f() {\n    break;\n}", "no such loop or block", (2, 5)),
    ("fn f() {\n    continue;\n}", "no such loop or block", (2, 5)),
    ("fn f() {\n    while a { break 'b; }\n}", "no such loop or block", (2, 15)),
    ("fn f() {\n    'a: { continue; }\n}", "no such loop or block", (2, 11)),
    ("fn f() {\n    'a: { break; }\n}", "no such loop or block", (2, 11)),
    ("fn f() {\n    loop { let g = || { break; }; }\n}", "no such loop or block", (2, 25)),
    ("fn f() {\n    loop { let g = || continue; }\n}", "no such loop or block", (2, 23)),
    ("fn f() {\n    'a: loop { fn g() { break 'a; } }\n}", "no such loop or block", (2, 25)),
    ("fn f(x: Rep<i32>) {\n    match x { 1 => a, 2 => b }\n}", "ends with an arm for all others", (2, 23)),
    ("fn f(x: Rep<i32>) {\n    match x { 1 => a, y if y > 2 => b }\n}", "ends with an arm for all others", (2, 23)),
    ("fn f(x: Rep<i32>) {\n    match (x, x) { (1, _) => a, (_, 2..=3) => b }\n}", "ends with an arm", (2, 33)),
    ("fn f(x: Rep<bool>) {\n    match x { true => a }\n}", "ends with an arm", (2, 15)),
    (
        "fn f(mut x: Rep<i32>) {\n    while a {\n        x += 1;\n        let x = 2;\n        if b { break; }\n    }\n}",
        "hides a variable",
        (4, 13),
    ),
    (
        "fn f(mut x: Rep<i32>) {\n    for x in 0..n {\n        x.add(1);\n        if b { continue; }\n    }\n}",
        "hides a variable",
        (2, 9),
    ),
    ("mod m {\n    fn f() {\n        fn g() { continue }\n    }\n}", "no such loop or block", (3, 18)),
    ("impl S {\n    fn f(&mut self) { let a = 'b: { break 'c 1; }; }\n}", "no such loop or block", (2, 37)),
];

#[test]
fn wrong_programs_get_a_message_at_a_place() {
    let mut elsewhere = Vec::new();
    for (program, message, place) in WRONG {
        let tokens = TokenStream::from_str(program).expect("tokens");
        let messages = messages(item(tokens));
        let [(text, line, column)] = &messages[..] else { panic!("{program}: {messages:?}") };
        assert!(text.contains(message), "{program}: {text}");
        if (*line, *column) != *place {
            elsewhere.push(format!("{program}: {text} at {line}:{column}, not {place:?}"));
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
}

const WRONGLY_SPECIALIZED: &[(&str, &str)] = &[
    ("fn f(&self, n: u32) -> Rep<u32> { a }", "without `self`"),
    ("fn f(x: Rep<u32>) -> Rep<u32> { x }", "no parameter is known"),
    ("fn f() -> Rep<u32> { x }", "no parameter is known"),
    ("fn f(list: &mut Vec<u32>, x: Rep<u32>) -> Rep<u32> { x }", "is not changed"),
    ("fn f((a, b): (u32, u32), x: Rep<u32>) -> Rep<u32> { x }", "has a name"),
    ("struct S;", "expected"),
];

#[test]
fn wrongly_specialized_functions_get_a_message() {
    for (function, message) in WRONGLY_SPECIALIZED {
        let error = specialize(TokenStream::from_str(function).expect("tokens")).expect_err(function);
        assert!(error.to_string().contains(message), "{function}: {error}");
    }
}

/// Sources with all that Rust has of control flow.
const SOURCES: [&str; 6] = [
    include_str!("stage.rs"),
    include_str!("stage/names.rs"),
    include_str!("stage/patterns.rs"),
    include_str!("../../../planish/tests/stage_macro.rs"),
    include_str!("../../stage/src/control.rs"),
    include_str!("../../stage/src/session.rs"),
];

/// All functions that items hold, as tokens.
fn functions(items: &[syn::Item], out: &mut Vec<TokenStream>) {
    for item in items {
        match item {
            syn::Item::Fn(_) | syn::Item::Impl(_) => out.push(quote::quote!(#item)),
            syn::Item::Mod(module) => {
                functions(module.content.as_ref().map_or(&[], |(_, items)| items), out);
            }
            _ => {}
        }
    }
}

#[test]
fn every_function_expands_to_rust() {
    let mut all = Vec::new();
    for source in SOURCES {
        let file: syn::File = syn::parse_str(source).expect("a source");
        functions(&file.items, &mut all);
    }
    assert!(all.len() > 60, "{}", all.len());
    for function in all {
        let text = function.to_string();
        let expanded = item(function);
        // A variable without a value and such are refused; all else is Rust again.
        let file = syn::parse2::<syn::File>(expanded.clone());
        assert!(file.is_ok(), "{text}\n{expanded}\n{:?}", file.err());
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// The tokens with a few dropped, doubled, exchanged or taken from elsewhere.
fn damaged(tokens: TokenStream, random: &mut Random, spare: &[TokenTree]) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let token = match token {
            TokenTree::Group(group) => {
                let delimiter = match random.below(200) {
                    0 => Delimiter::Parenthesis,
                    1 => Delimiter::Brace,
                    _ => group.delimiter(),
                };
                Group::new(delimiter, damaged(group.stream(), random, spare)).into()
            }
            other => other,
        };
        match random.below(120) {
            0 => {}
            1 => out.extend([token.clone(), token]),
            2 => out.extend([spare[random.below(spare.len())].clone(), token]),
            3 if !out.is_empty() => {
                let before = out.pop().expect("there is one");
                out.extend([token, before]);
            }
            _ => out.push(token),
        }
    }
    out.into_iter().collect()
}

#[test]
fn no_input_makes_the_macros_panic() {
    let spare: Vec<TokenTree> = TokenStream::from_str(
        "if while for loop match let else break continue return 'a || && == < .. ..= ! ? => : ; , mut ref self _ 1 1.5 true | & * -",
    )
    .expect("tokens")
    .into_iter()
    .collect();
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut all, mut parsed) = (Vec::new(), 0);
    for source in SOURCES {
        let file: syn::File = syn::parse_str(source).expect("a source");
        functions(&file.items, &mut all);
    }
    for _ in 0..8 {
        for function in &all {
            let input = damaged(function.clone(), &mut random, &spare);
            parsed += u32::from(syn::parse2::<syn::Item>(input.clone()).is_ok());
            let _ = specialize(input.clone());
            let (as_item, as_expression) = (item(input.clone()), expression(input));
            assert!(!as_item.is_empty() && !as_expression.is_empty());
        }
    }
    assert!(parsed > 50, "{parsed}");
}
