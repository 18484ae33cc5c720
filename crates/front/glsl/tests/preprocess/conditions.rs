//! `#if` and its kin.

use super::*;

#[track_caller]
fn holds(expression: &str, expected: bool) {
    let source =
        format!("#define ONE 1\n#define F(x) (x + 1)\n#define NOT !\n#if {expression}\nyes\n#else\nno\n#endif");
    expands(&source, if expected { "yes" } else { "no" });
}

#[test]
fn operators_and_their_precedence() {
    let truths = [
        "1",
        "-1",
        "!0",
        "~0",
        "+1",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 4 - 3 == 3",
        "100 / 5 / 2 == 10",
        "7 % 4 == 3",
        "1 << 2 + 1 == 8",
        "1 | 2 ^ 3 & 1",
        "(1 | 2 ^ 3 & 1) == 3",
        "0 || 1 && 1",
        "1 || 0 && 0",
        "2 > 1 == 1",
        "1 < 2 && 2 <= 2 && 3 >= 3 && 3 > 2",
        "1 != 2",
        "!!7 == 1",
        "- - 1 == 1",
        "-8 >> 1 == -4",
        "-7 / 2 == -3",
        "-7 % 2 == -1",
        "0x10 == 16",
        "010 == 8",
        "2147483647 + 1 < 0",
        "0xFFFFFFFF == -1",
        "1u == 1",
        "~1 == -2",
        "!0 + !0 == 2",
        "-(2) == -2",
        "!(0) && 1",
        "(((((1)))))",
    ];
    for expression in truths {
        holds(expression, true);
        holds(&format!("!({expression})"), false);
    }
}

#[test]
fn macros_and_defined() {
    holds("ONE && F(1) == 2", true);
    holds("defined ONE && defined(ONE) && defined ( ONE )", true);
    holds("defined TWO || defined(TWO)", false);
    holds("!defined TWO", true);
    holds("NOT defined(ONE)", false);
    holds("defined F && defined __LINE__ && defined GL_core_profile", true);
    holds("F(defined(ONE)) == 2", true);
    holds("__VERSION__ >= 450", true);
    holds("__LINE__ == 4", true);
}

#[test]
fn the_right_of_a_decided_operator_does_not_count() {
    for version in ["300 es", "450"] {
        let run = |condition: &str| {
            let (program, map) = run(&format!("#version {version}\n#if {condition}\nyes\n#else\nno\n#endif"));
            (text(&program), lines(&program.diagnostics, &map))
        };
        assert_eq!(run("defined(X) && X > 1"), ("no".to_owned(), vec![]));
        assert_eq!(run("!defined(X) || X > 1"), ("yes".to_owned(), vec![]));
        assert_eq!(run("0 && 1 / 0"), ("no".to_owned(), vec![]));
        assert_eq!(run("0 && (X && Y) || 1"), ("yes".to_owned(), vec![]));
        assert_eq!(run("1 || 1 << 99"), ("yes".to_owned(), vec![]));
    }
}

#[test]
fn an_unknown_name_is_an_error_in_es_and_zero_on_the_desktop() {
    complains(
        "#version 300 es\n#define FOO_BAR 1\n#if FOO_BAZ\na\n#else\nb\n#endif",
        &["E0111 3:5 `FOO_BAZ` is not a macro"],
        "b",
    );
    let (program, _) = run("#version 300 es\n#define FOO_BAR 1\n#if FOO_BAZ\n#endif");
    assert_eq!(program.diagnostics[0].help[1], "did you mean `FOO_BAR`?");
    complains("#if X\na\n#else\nb\n#endif", &["warning E0111 1:5 `X` is not a macro; it counts as 0"], "b");
}

#[test]
fn defined_out_of_a_macro_is_an_error_in_es() {
    let source = "#define D defined(X)\n#define X\n#if D\na\n#endif";
    expands(source, "a");
    complains(&format!("#version 300 es\n{source}"), &["E0111 4:5 `defined` may not come out of a macro"], "a");
}

#[test]
fn groups() {
    let chain = "#if A == 1\none\n#elif A == 2\ntwo\n#elif A == 3\nthree\n#else\nmany\n#endif\nend";
    for (value, expected) in [(1, "one end"), (2, "two end"), (3, "three end"), (4, "many end")] {
        expands(&format!("#define A {value}\n{chain}"), expected);
    }
    expands("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#else\nd\n#endif", "c");
    expands("#if 1\n#ifndef X\na\n#else\nb\n#endif\n#else\nc\n#endif", "a");
    expands("# if 1\n # /* c */ ifdef X\na\n#endif // X\n b\n\t#\tendif", "b");
}

#[test]
fn what_is_skipped_may_be_anything() {
    expands("#if 0\n#foo\n@ 08 \" ' `\n#error no\n#version 7\n#define\n#include \"x\"\n#elif 1\na\n#endif", "a");
    expands("#if 0\n/* #endif\n*/ // #endif\n#endif\na", "a");
    expands("#if 0\nit's // /*\n#endif\na", "a");
    expands("#if 1\na\n#elif 1 / 0 nonsense (\nb\n#endif", "a");
    expands("#if 0\n#if nonsense (\n#elif\n#else\n#endif\n#endif\na", "a");
    expands("#if 0\na \\\n#endif\n#endif\nb", "b");
    expands("#ifdef X\n#\n# 12\n#endif\na", "a");
    complains(
        "#if 0\n/* \n#endif",
        &["E0103 2:1 this comment does not end", "E0110 1:1 this `#if` has no `#endif`"],
        "",
    );
}

#[test]
fn unbalanced() {
    complains("#endif\na", &["E0110 1:1 `#endif` without `#if`"], "a");
    complains("#else\na", &["E0110 1:1 `#else` without `#if`"], "a");
    complains("#elif 1\na", &["E0110 1:1 `#elif` without `#if`"], "a");
    complains("#if 1\na\n", &["E0110 1:1 this `#if` has no `#endif`"], "a");
    complains(
        "#ifndef X\n#if 0\n",
        &["E0110 2:1 this `#if` has no `#endif`", "E0110 1:1 this `#ifndef` has no `#endif`"],
        "",
    );
    complains("#if 1\na\n#else\nb\n#else\nc\n#endif", &["E0110 5:1 `#else` after `#else`"], "a");
    complains("#if 0\na\n#else\nb\n#elif 1\nc\n#endif\nd", &["E0110 5:1 `#elif` after `#else`"], "b d");
    complains(
        "#if 0\n#else x\n#endif y\n",
        &["E0104 2:7 unexpected text after `#else`", "E0104 3:8 unexpected text after `#endif`"],
        "",
    );
}

#[test]
fn malformed() {
    let cases = [
        ("#if", "E0111 1:1 `#if` needs an expression"),
        ("#if 1 +", "E0111 1:8 the expression is not complete"),
        ("#if 1 2", "E0111 1:7 expected an operator or the end of the line, found `2`"),
        ("#if (1", "E0111 1:5 this `(` is not closed"),
        ("#if 1)", "E0111 1:6 this `)` closes nothing"),
        ("#if ()", "E0111 1:6 expected a value, found `)`"),
        ("#if * 1", "E0111 1:5 expected a value, found `*`"),
        ("#if 1 = 1", "E0111 1:7 `=` does not compare"),
        ("#if 1 ? 2 : 3", "E0111 1:7 `?` is not an operator of `#if`"),
        ("#if 1 ^^ 1", "E0111 1:7 `^^` is not an operator of `#if`"),
        ("#if 1.5", "E0111 1:5 `1.5` is not an integer"),
        ("#if 1 / 0", "E0111 1:7 division by zero"),
        ("#if 1 % (1 - 1)", "E0111 1:7 division by zero"),
        ("#if 1 << 32", "E0111 1:7 a shift by 32 is not defined"),
        ("#if 99999999999", "E0102 1:5 `99999999999` does not fit 32 bits"),
        ("#if defined", "E0111 1:12 `defined` needs the name of a macro"),
        ("#if defined(X", "E0111 1:12 this `(` is not closed"),
        ("#if defined(1)", "E0111 1:13 `defined` needs the name of a macro"),
        ("#if \"x\"", "E0111 1:5 expected a value, found `\"x\"`"),
        ("#ifdef", "E0110 1:7 `#ifdef` needs the name of a macro"),
        ("#ifndef 1", "E0110 1:9 `#ifndef` needs the name of a macro"),
    ];
    for (directive, expected) in cases {
        let (program, map) = run(&format!("{directive}\n#endif"));
        assert_eq!(lines(&program.diagnostics, &map), [expected], "{directive}");
    }
    complains("#ifdef X Y\na\n#endif", &["E0104 1:10 unexpected text after `#ifdef`"], "");
    complains("#define F(x) x\n#if F\n#endif", &["E0111 2:5 macro `F` needs its arguments here"], "");
}
