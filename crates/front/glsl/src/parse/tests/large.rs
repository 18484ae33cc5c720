//! Long programs take no stack; deep ones are refused.

use super::*;
use crate::ast::{ExprKind, MAX_NESTING, StmtId, StmtKind};
use std::fmt::Write;

/// Runs on a stack that leaves room for callers where a thread has one megabyte, as on some systems the main thread.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(640 << 10).spawn(work).expect("a thread");
    thread.join().expect("no overflow, no panic");
}

fn body(text: &str) -> String {
    format!("#version 460\nvoid main() {{\n{text}\n}}\n")
}

#[test]
fn long_chains_take_no_stack() {
    on_a_small_stack(|| {
        let operators = ["+", "*", "&&", "<<", "|", "-"];
        let mut sum = String::from("x = a");
        let mut posts = String::from("y = a");
        let mut commas = String::from("a");
        for i in 0..100_000 {
            write!(sum, " {} b", operators[i % operators.len()]).unwrap();
            posts.push_str([".x", "[0]", "++"][i % 3]);
            commas.push_str(", b");
        }
        let parsed = parsed(&body(&format!("{sum};\n{posts};\n{commas};")));
        assert_eq!(parsed.diagnostics, []);
        assert!(parsed.tree.exprs.len() > 400_000);
        let StmtKind::Expr(last) = parsed.tree.stmts[2].kind else { panic!() };
        assert_eq!(parsed.tree.left_spine(last).around.len(), 100_000);
        let mut count = 0;
        parsed.tree.for_each_expr_in(last, |_| count += 1);
        assert_eq!(count, 200_001);
        assert!(parsed.tree.to_text(&parsed.program.interner).len() > 1_000_000);
    });
}

#[test]
fn long_ladders_take_no_stack() {
    on_a_small_stack(|| {
        let mut ladder = String::from("if (c == 0) { a = 0; }");
        for i in 1..50_000 {
            write!(ladder, " else if (c == {i}) {{ a = {i}; }}").unwrap();
        }
        ladder.push_str(" else a = -1;");
        let parsed = parsed(&body(&ladder));
        assert_eq!(parsed.diagnostics, []);
        let ladder = (0..parsed.tree.stmts.len())
            .map(StmtId::new)
            .rfind(|&s| matches!(parsed.tree[s].kind, StmtKind::If { .. }));
        let (rungs, last) = parsed.tree.if_ladder(ladder.unwrap());
        assert_eq!(rungs.len(), 50_000);
        assert!(last.is_some());
        assert!(parsed.tree.to_text(&parsed.program.interner).len() > 1_000_000);
    });
}

#[test]
fn long_lists_take_no_stack() {
    on_a_small_stack(|| {
        let mut text = String::new();
        for i in 0..50_000 {
            writeln!(text, "a = f(b, {i}); if (a > {i}.0) discard;").unwrap();
        }
        let numbers: Vec<String> = (0..50_000).map(|i| i.to_string()).collect();
        let numbers = numbers.join(", ");
        let parsed = parsed(&body(&format!("{text}\nint a[] = {{ {numbers} }}; int b[] = int[]({numbers});")));
        assert_eq!(parsed.diagnostics, []);
        let longest = parsed.tree.exprs.iter().filter_map(|e| match e.kind {
            ExprKind::InitList(list) | ExprKind::Construct { args: list, .. } => Some(list.len()),
            _ => None,
        });
        assert_eq!(longest.collect::<Vec<_>>(), [50_000, 50_000]);
    });
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let around =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let shapes: [(&str, &str, &str); 16] = [
        ("(", "a", ")"),
        ("f(", "a", ")"),
        ("vec2(", "a", ")"),
        ("a[", "0", "]"),
        ("- ", "a", ""),
        ("!~- +", "a", ""),
        ("a ? ", "b", " : c"),
        ("a ? b : ", "c", ""),
        ("a = ", "b", ""),
        ("a || b && c | d ^ e & f == g < h << i + j * (", "k", ")"),
        ("float[", "1", "](1.0)"),
        ("(float)(", "a", ")"),
        ("if (a) ", "b", ""),
        ("{", "a;", "}"),
        ("for (;;) while (a) do ", "b;", " while (c);"),
        ("switch (a) { case 0: ", "b;", "}"),
    ];
    on_a_small_stack(move || {
        for (open, inner, close) in shapes {
            for n in [10, 40, 300, 5_000] {
                let source = body(&format!("{};", around(open, inner, close, n)));
                let found = errors(&source);
                if open.starts_with("(float)") {
                    // Each of these is an error of its own.
                    assert_eq!(found.len(), n.min(crate::parse::MAX_ERRORS));
                } else if n <= 40 {
                    assert_eq!(found, [""; 0], "{open} {n}");
                } else {
                    assert_eq!(found.len(), 1, "{open} {n}: {:?}", &found[..found.len().min(4)]);
                    assert!(found[0].starts_with("E0204"), "{open} {n}: {found:?}");
                }
            }
        }
        let list = format!("#version 460\nint a[] = {};", around("{", "1", "}", 5_000));
        assert_eq!(errors(&list).len(), 1);
        let structs = format!("#version 460\n{};", around("struct { int a; ", "int b;", "} c;", 5_000));
        assert_eq!(errors(&structs).len(), 1);
    });
}

#[test]
fn the_limit_is_where_it_is_said_to_be() {
    let nested = |n: usize| body(&format!("a = {}b{};", "(".repeat(n), ")".repeat(n)));
    // The function's block, the statement and the right side of the assignment are levels, too.
    let most = MAX_NESTING as usize - 3;
    assert_eq!(errors(&nested(most)), [""; 0]);
    assert_eq!(errors(&nested(most + 1)).len(), 1);
}

#[test]
fn garbage_ends() {
    on_a_small_stack(|| {
        for token in [
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            ";",
            ",",
            ".",
            "=",
            "+",
            "?",
            ":",
            "x",
            "1.0",
            "if",
            "else",
            "case",
            "for",
            "struct",
            "float",
            "layout",
            "uniform",
            "const",
            "precision",
            "while",
            "do",
            "return",
            "switch",
            "in",
            "f(",
            "S {",
            "if (",
            "layout(",
            "for (",
            "float a[",
            "struct S {",
            "x ? ",
            "= {",
            "do {",
            ") {",
            "void f() {",
        ] {
            for prefix in ["", "void main() {"] {
                let source = format!("#version 460\n{prefix}\n{}", format!("{token} ").repeat(20_000));
                let found = errors(&source);
                assert!(found.len() <= crate::parse::MAX_ERRORS, "{token}");
            }
        }
    });
}
