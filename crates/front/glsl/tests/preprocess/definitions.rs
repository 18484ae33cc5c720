//! `#define` and `#undef`.

use super::*;

#[test]
fn malformed() {
    let cases = [
        ("#define", "E0108 1:1 `#define` needs a name"),
        ("#define 1", "E0108 1:9 `1` cannot be the name of a macro"),
        ("#define defined 1", "E0108 1:9 `defined` cannot be the name of a macro"),
        ("#define __LINE__ 1", "E0108 1:9 `__LINE__` is built in: it can be neither defined nor undefined"),
        ("#undef __VERSION__", "E0108 1:8 `__VERSION__` is built in: it can be neither defined nor undefined"),
        ("#undef GL_core_profile", "E0108 1:8 `GL_core_profile` is built in: it can be neither defined nor undefined"),
        ("#define GL_x", "E0108 1:9 `GL_x` is reserved: names that start with `GL_` belong to GLSL"),
        ("#define a__b", "warning W0108 1:9 `a__b` is reserved: names that contain `__` belong to GLSL"),
        ("#define f(", "E0108 1:11 expected the name of a parameter, found the end of the line"),
        ("#define f(a", "E0108 1:12 expected `,` or `)`, found the end of the line"),
        ("#define f(a,)", "E0108 1:13 expected the name of a parameter, found `)`"),
        ("#define f(a b)", "E0108 1:13 expected `,` or `)`, found `b`"),
        ("#define f(1)", "E0108 1:11 expected the name of a parameter, found `1`"),
        ("#define f(...)", "E0108 1:11 expected the name of a parameter, found `.`"),
        ("#define f(a,a)", "E0108 1:13 parameter `a` is declared twice"),
        ("#define f ## a", "E0108 1:11 `##` needs a token on both sides"),
        ("#define f(a) a ##", "E0108 1:16 `##` needs a token on both sides"),
        ("#define a+1", "warning E0108 1:10 white space is missing after the name"),
        ("#undef", "E0108 1:1 `#undef` needs a name"),
        ("#undef a b", "E0104 1:10 unexpected text after `#undef`"),
        ("#define a 1\n#define a 2", "E0108 2:9 macro `a` is defined twice, and differently"),
        ("#define a 1\n#define a() 1", "E0108 2:9 macro `a` is defined twice, and differently"),
        ("#define a(x) x\n#define a(y) y", "E0108 2:9 macro `a` is defined twice, and differently"),
        ("#define a 1 + 2\n#define a 1 +2", "E0108 2:9 macro `a` is defined twice, and differently"),
    ];
    for (directive, expected) in cases {
        let (program, map) = run(directive);
        assert_eq!(lines(&program.diagnostics, &map), [expected], "{directive}");
    }
}

#[test]
fn wrong_uses() {
    complains("#define f(a,b) a\nf(1)", &["E0109 2:1 macro `f` takes 2 arguments, found 1"], "0");
    complains("#define f(a) a\nx = f(1, 2);", &["E0109 2:5 macro `f` takes 1 argument, found 2"], "x = 0 ;");
    complains("#define z() 1\nz(1)", &["E0109 2:1 macro `z` takes 0 arguments, found 1"], "0");
    complains("#define f(a) a\nf(1", &["E0109 2:1 the arguments of macro `f` do not end"], "0");
    complains("#define c(a,b) a##b\nc(+,-)", &["E0109 2:1 `##` makes no token of `+` and `-`"], "+ -");
    complains("#define c(a,b) a##b\nc(/,/) x", &["E0109 2:1 `##` makes no token of `/` and `/`"], "/ / x");
    complains("#define s(a) #a\ns(b)", &["E0101 2:1 `#` has no meaning here"], "b");
}

#[test]
fn pasting_is_not_in_es_but_is_understood() {
    complains("#version 300 es\n#define c(a,b) a##b\nc(x,y)", &["E0108 2:17 GLSL ES 3.00 has no `##`"], "xy");
}

#[test]
fn definitions_from_outside() {
    let defines = [("A", "1 + 2"), ("SQUARE(x)", "((x)*(x))"), ("EMPTY", ""), ("B", "1\n#error")];
    let mut options = PreprocessOptions {
        defines: defines.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        ..PreprocessOptions::default()
    };
    let (program, map) = run_with("#version 300 es\nA SQUARE(2) EMPTY __VERSION__ __LINE__", &mut options);
    assert_eq!(lines(&program.diagnostics, &map), [""; 0]);
    assert_eq!(text(&program), "1 + 2 ( ( 2 ) * ( 2 ) ) 300 2");
    assert_eq!(program.version, Version::ES_300);
}
