//! Any text: it is read, expanded, analysed and interpreted, or refused; nothing panics, on a small stack, either.

use std::fmt::Write as _;
use std::path::Path;

use arbitrary::{Result, Unstructured};
use planish_front_vl::{interpret, translate};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;
use planish_testkit::on_a_stack_of;
use planish_testkit::vl::{Memory, agree, evaluate, seeded};

/// Bytes of the stack that everything must do with.
const STACK: usize = 1 << 20;

fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    on_a_stack_of(STACK, work)
}

fn interpreted(text: &str) -> std::result::Result<String, Vec<Diagnostic>> {
    let mut map = SourceMap::new();
    let file = map.add("hostile.vl", text).expect("small");
    let found = interpret(&file, &mut map, None, &mut Memory::new(&[1.0, 2.0]), 20_000);
    if let Err(errors) = &found {
        assert!(!errors.is_empty(), "{text}");
        for error in errors {
            assert!(map.line_column(error.span.start).is_some(), "{text}: {} has no place", error.message);
        }
    }
    found
}

fn translated(text: &str) -> std::result::Result<(), Vec<Diagnostic>> {
    let mut map = SourceMap::new();
    let file = map.add("hostile.vl", text).expect("small");
    translate(&file, &mut map, None).map(drop)
}

/// Bytes that are mostly those that mean something.
fn noise(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    while !u.is_empty() && text.len() < 400 {
        match u.int_in_range(0..=9)? {
            0..=4 => text.push(char::from(*u.choose(b"()()[]'.;#|\"\\ \n-0123456789abet%")?)),
            5 => text.push_str(u.choose(&["#|", "|#", "#;", "#t", "+inf.0", "1e999", "é", "\u{2028}", "1/0", " . "])?),
            _ => text.push(char::from_u32(u.int_in_range(0..=0x2ff)?).unwrap_or('x')),
        }
    }
    Ok(text)
}

const WORDS: &[&str] = &[
    "lambda",
    "let",
    "let*",
    "letrec",
    "define",
    "if",
    "cond",
    "else",
    "=>",
    "and",
    "or",
    "cons",
    "cons*",
    "list",
    "quote",
    "begin",
    "error",
    "\"no\"",
    "include",
    "export",
    "real",
    "x",
    "y",
    "f",
    "g",
    "x",
    "y",
    "f",
    "0",
    "1",
    "2",
    "-1.5",
    "#t",
    "#f",
    "()",
    "+",
    "-",
    "*",
    "/",
    "<",
    "=",
    "sqrt",
    "expt",
    "max",
    "car",
    "cdr",
    "pair?",
    "null?",
    "gensym",
    "gensym<",
    "read-real",
    "write-real",
    "map",
    "fold-left",
    "append",
    "iota",
    "derivative",
    "gradient-f",
    "gradient-r",
    "iterate",
    "procedure?",
    "apply",
];

/// Parentheses that match, around words that mean something.
fn nested(u: &mut Unstructured<'_>, text: &mut String, depth: u32) -> Result<()> {
    if depth == 0 || u.is_empty() || u.ratio(2, 5)? {
        text.push_str(u.choose(WORDS)?);
        return Ok(());
    }
    text.push('(');
    for index in 0..u.int_in_range(0..=4)? {
        if index > 0 {
            text.push(' ');
        }
        nested(u, text, depth - 1)?;
    }
    text.push(')');
    Ok(())
}

/// Forms as they are meant to be, with anything inside.
fn formed(u: &mut Unstructured<'_>, text: &mut String, depth: u32) -> Result<()> {
    let form = u.int_in_range(0..=13)?;
    if depth == 0 || u.is_empty() {
        text.push_str(u.choose(&["x", "y", "f", "g", "1", "2.5", "#t", "'()", "(real 3)", "(gensym)", "sin", "*"])?);
        return Ok(());
    }
    let shape = match form {
        0 => "(lambda (x) _)",
        1 => "(lambda (x y) _)",
        2 => "(let ((x _) (f _)) _)",
        3 => "(if _ _ _)",
        4 => "(cond (_ _) (else _))",
        5 => "(cons _ _)",
        6 => "(list _ _)",
        7 => "(_ _)",
        8 => "(_ _ _)",
        9 => "(let loop ((x _) (y _)) _)",
        10 => "(let () (define (g x) _) (define f _) _)",
        11 => "(map _ (list _ _))",
        12 => "((derivative _) _)",
        _ => "((gradient-r _) _)",
    };
    for piece in shape.split_inclusive('_') {
        match piece.strip_suffix('_') {
            Some(before) => {
                text.push_str(before);
                formed(u, text, depth - 1)?;
            }
            None => text.push_str(piece),
        }
    }
    Ok(())
}

/// A program with names for what `formed` uses.
fn program(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = "(define x (real 1)) (define (f x) (* x x)) (define g (lambda (y) (cons y y)))\n".to_owned();
    formed(u, &mut text, 4)?;
    Ok(text)
}

#[test]
fn random_characters() {
    on_a_small_stack(|| {
        seeded(500, 2000, |u| {
            let text = noise(u)?;
            let _ = interpreted(&text);
            Ok(())
        });
    });
}

#[test]
fn random_parentheses() {
    on_a_small_stack(|| {
        seeded(500, 2000, |u| {
            let mut text = String::new();
            for _ in 0..3 {
                nested(u, &mut text, 6)?;
                text.push('\n');
            }
            let _ = interpreted(&text);
            Ok(())
        });
    });
}

/// Compiled programs and the interpreter give the same results, and analysis has found all errors of shape that can
/// happen.
#[test]
fn random_programs() {
    on_a_small_stack(|| {
        seeded(800, 600, |u| {
            let text = program(u)?;
            let path = Path::new("hostile.vl");
            let value = interpreted(&text);
            if value.as_ref().is_ok_and(|value| value == "#[procedure]") {
                // It is exported.
                let _ = translated(&text);
                return Ok(());
            }
            let Ok(Some((found, _))) = evaluate(path, &text, &[], "main", &[]) else { return Ok(()) };
            match value {
                Ok(value) => assert!(agree(&value, &found, false), "{text}\n{value}, not {found}"),
                Err(errors) => {
                    let message = &errors[0].message;
                    assert!(message.contains("too many steps"), "{text}\ncompiles, but: {message}");
                }
            }
            Ok(())
        });
    });
}

#[test]
fn deep_nesting() {
    on_a_small_stack(|| {
        let depth = 100_000;
        for text in [
            "(".repeat(depth),
            format!("{}1{}", "(+ 1 ".repeat(depth), ")".repeat(depth)),
            format!("{}1", "'".repeat(depth)),
            format!("{}1", "#;".repeat(depth)),
            format!("{}{}", "#|".repeat(depth), "|#".repeat(depth)),
            format!("{}1{}", "((lambda (x) ".repeat(150), ") 1)".repeat(150)),
            format!("(define (f {}a{}) 1) 2", "(cons ".repeat(depth), " b)".repeat(depth)),
            format!("(cond {} (else 0))", "(#f 1) ".repeat(depth)),
            format!("(+ {})", "1 ".repeat(depth)),
            format!("(+ {} 1 {})", "(- ".repeat(190), ")".repeat(190)),
        ] {
            let short: String = text.chars().take(40).collect();
            let _ = interpreted(&text);
            assert!(translated(&text).is_err() || text.len() < 10_000, "{short}");
        }
    });
}

/// As deep as it may be, it works, on a small stack.
#[test]
fn the_deepest_program_is_computed() {
    let value = on_a_small_stack(|| {
        let depth = 95;
        let text = format!("{}1{}", "(+ 1 (identity ".repeat(depth), "))".repeat(depth));
        translated(&text).expect("not too deep");
        interpreted(&text).expect("not too deep")
    });
    assert_eq!(value, "96");
}

/// Long programs are no deep ones.
#[test]
fn long_programs() {
    on_a_small_stack(|| {
        let mut text = String::new();
        for index in 0..5_000 {
            writeln!(text, "(define (f{index} x) (+ x {index}))").expect("a string");
        }
        text.push_str("(f4999 1)");
        translated(&text).expect("long");
        assert_eq!(interpreted(&text).expect("long"), "5000");
    });
}

/// A value of shared parts may have 2¹⁰⁰ of them when it is written out.
#[test]
fn shared_values_are_shown_in_part() {
    let text = "(define (grown n x) (if (= n 0) x (grown (- n 1) (cons x x)))) (grown 100 1)";
    let shown = interpreted(text).expect("a value");
    assert!(shown.contains('…') && shown.len() < 10_000_000, "{} bytes", shown.len());
}

/// Values may be deeper than the stack.
#[test]
fn deep_values() {
    on_a_small_stack(|| {
        for text in [
            "(define (grow n l) (if (<= n 0) l (grow (- n 1) (cons l 1)))) (grow 100000 0)",
            "(define (grow n l) (if (<= n 0) l (grow (- n 1) (cons 1 l)))) (grow 100000 0)",
            "(define (grow n f) (if (<= n 0) f (grow (- n 1) (lambda () f)))) (grow 100000 0)",
        ] {
            let mut map = SourceMap::new();
            let file = map.add("deep.vl", text).expect("small");
            interpret(&file, &mut map, None, &mut Memory::default(), 4_000_000).expect("a value");
        }
    });
}
