//! Errors: which, where, how many.

use super::*;

/// One mistake, one error; and what is around it is read all the same.
#[test]
fn one_mistake_is_one_error() {
    // The mistake stands in line 3 of a function; before and behind it all is well.
    let cases = [
        ("float x = 1.0", "E0201 3:14 expected `;` after the declaration of `x`"),
        ("x = 1.0", "E0201 3:8 expected `;` after the assignment"),
        ("f(x)", "E0201 3:5 expected `;` after the call of `f`"),
        ("return", "E0201 3:7 expected `;` after `return`"),
        ("x = ;", "E0201 3:5 expected an expression after `=`, found `;`"),
        ("x = 1.0 +;", "E0201 3:10 expected an expression after `+`, found `;`"),
        ("x = * 2.0;", "E0201 3:5 expected an expression after `=`, found `*`"),
        ("x = (1.0 + 2.0;", "E0202 3:15 missing `)`"),
        ("x = 1.0);", "E0202 3:8 `)` closes nothing"),
        ("x = f(a b);", "E0201 3:9 expected `,` or `)`, found `b`"),
        ("x = f(a,);", "E0201 3:9 expected an expression after `,`, found `)`"),
        ("x = a[0;", "E0202 3:8 missing `]`"),
        ("x = a[];", "E0201 3:7 expected an index between `[` and `]`, found `]`"),
        ("x = a[1);", "E0202 3:8 missing `]`"),
        ("x = a ? b;", "E0201 3:10 expected `:`, found `;`"),
        ("if (a { b = c; }", "E0202 3:6 missing `)`"),
        ("if a { b = c; }", "E0201 3:4 expected `(` after `if`, found `a`"),
        ("else { b = c; }", "E0201 3:1 `else` without `if`"),
        ("for (int i = 0, i < 3, i++) { b; }", "E0201 3:19 expected `;` after the declaration of `i`, found `<`"),
        ("for (int i = 0; i < 3, i++) { b; }", "E0201 3:27 expected `;` after the condition of the `for`, found `)`"),
        ("for (int i = 0; i < 3; i++;) { b; }", "E0201 3:27 expected `)` after the step of the `for`, found `;`"),
        ("for int i = 0; i < 3; i++ { b; }", "E0201 3:5 expected `(` after `for`, found `int`"),
        ("while a { b; }", "E0201 3:7 expected `(` after `while`, found `a`"),
        ("do { b; } (a);", "E0201 3:11 expected `while` and a condition, found `(`"),
        ("do { b; } while (a)", "E0201 3:20 expected `;` after the condition of `do … while`"),
        ("switch (a) { case 1 b; break; }", "E0201 3:20 expected `:` after the value of the `case`, found `b`"),
        ("case 1: b;", "E0201 3:1 `case` outside of a `switch`"),
        ("float float3 = 1.0;", ""),
        ("float3 v = x;", "E0301 3:1 unknown type `float3`"),
        ("let v = x;", "E0201 3:1 `let` is not a word of GLSL"),
        ("half v = x;", "E0203 3:1 `half` is a reserved word"),
        ("static float v = x;", "E0203 3:1 `static` is a reserved word"),
        ("float input = x; input = input * 2.0;", "E0203 3:7 `input` is a reserved word"),
        ("float sample = x; sample = sample * 2.0;", "E0203 3:7 `sample` is a reserved word"),
        ("float in = x;", "E0203 3:7 `in` is a keyword and cannot be a name"),
        ("float a = 1.0, float b = 2.0;", "E0201 3:16 expected a name after `,`, found `float`"),
        ("vec3 v(1.0);", "E0201 3:7 expected `=`, `,` or `;` after `v`, found `(`"),
        ("vec3 v vec3(1.0);", "E0201 3:8 expected `=`, `,` or `;` after `v`, found `vec3`"),
        ("float x == 1.0;", "E0201 3:9 expected `=`, `,` or `;` after `x`, found `==`"),
        ("float = 1.0;", "E0201 3:7 expected a name after the type, found `=`"),
        ("const v = 1.0;", "E0201 3:7 expected a type before `v`"),
        ("x = (float)a * 2.0;", "E0201 3:5 GLSL has no casts like those of C"),
        ("x = a->b;", "E0201 3:7 expected an expression after `-`, found `>`"),
        ("x = vec3.x;", "E0201 3:9 expected `(` after the type `vec3`, found `.`"),
        ("x = a.;", "E0201 3:7 expected the name of a member or components such as `xyz` after `.`, found `;`"),
        ("int[2] a = { 1, 2 };", "E0205 3:12 a list in braces as initializer is not in GLSL ES 3.00"),
        ("x = if;", "E0201 3:5 expected an expression after `=`, found `if`"),
        ("x = 1.0 2.0;", "E0201 3:9 expected `;` after the assignment, found number 2.0"),
        ("struct S { float a }; S s;", "E0201 3:19 expected `;` after the member `a`"),
        ("struct S { float a; } S2 b;", "E0201 3:22 expected `;` after the struct"),
        ("struct S { }; S s;", "E0201 3:10 the struct `S` has no members"),
        ("if (a) { b = 1.0; } elseif (c) { d; }", "E0201 3:21 `elseif` is not a word of GLSL"),
        ("foo bar baz;", "E0201 3:8 expected `;` after the declaration of `bar`"),
        ("precision high float;", "E0201 3:11 expected `lowp`, `mediump` or `highp` after `precision`, found `high`"),
    ];
    for (mistake, expected) in cases {
        let source = format!(
            "#version 300 es\nvoid main() {{ float before = 1.0;\n{mistake}\nfloat behind = 2.0; }}\nfloat outside;\n"
        );
        let expected: &[&str] = if expected.is_empty() { &[] } else { &[expected] };
        assert_eq!(errors(&source), expected, "{mistake}");
        let text = parsed(&source).tree.to_text(&parsed(&source).program.interner);
        assert!(text.contains("(decl float outside)"), "{mistake}\n{text}");
        assert!(text.contains("(= behind 2.0)"), "{mistake}\n{text}");
    }
}

#[test]
fn one_mistake_outside_is_one_error() {
    let cases = [
        ("float x", "E0201 3:8 expected `;` after the declaration of `x`"),
        ("struct S { float a; }", "E0201 3:22 expected `;` after the struct"),
        ("uniform B { float a; }", "E0201 3:23 expected `;` after the block `B`"),
        ("uniform { float a; };", "E0201 3:9 expected the name of the block, found `{`"),
        ("uniform colour;", "E0201 3:9 expected a type before `colour`"),
        ("varying vec3 v;", "E0203 3:1 `varying` is a reserved word"),
        ("attribute vec3 v; attribute vec3 w;", "E0203 3:1 `attribute` is a reserved word"),
        ("x = 1.0;", "E0201 3:1 expected a declaration, found `x`"),
        ("if (a) { b; } else { c; }", "E0201 3:1 expected a declaration, found `if`"),
        ("}", "E0202 3:1 `}` closes nothing"),
        ("f(float x) { return x; }", "E0201 3:1 expected a type before `f`"),
        ("fn f(a: f32) -> f32 { return a; }", "E0201 3:1 `fn` is not a word of GLSL"),
        ("float f(float x", "E0202 3:16 missing `)`"),
        ("float f(float x, ) { return x; }", "E0201 3:18 expected a type, found `)`"),
        ("float f(float x; float y) { return x; }", "E0201 3:16 expected `,` between parameters, found `;`"),
        ("float f(float x = 1.0) { return x; }", "E0201 3:17 parameters have no default values"),
        ("vec4 f() : SV_Target { return x; }", "E0201 3:10 unexpected `:` after `f`"),
        ("float f() return x;", "E0201 3:11 expected `{` or `;` after the head of the function `f`, found `return`"),
        ("layout location = 0 in vec3 v;", "E0201 3:8 expected `(` after `layout`, found `location`"),
        ("layout(location = ) in vec3 v;", "E0201 3:19 expected an expression after `=`, found `)`"),
        ("layout(location 0) in vec3 v;", "E0201 3:17 expected `,` or `)`, found number 0"),
        ("#define M float y = ;\nM", "E0201 4:1 expected an expression after `=`, found `;`"),
    ];
    for (mistake, expected) in cases {
        let source = format!("#version 300 es\nfloat before;\n{mistake}\nvoid outside() {{ }}\nfloat behind;");
        assert_eq!(errors(&source), [expected], "{mistake}");
        let text = parsed(&source).tree.to_text(&parsed(&source).program.interner);
        assert!(text.contains("(function void outside () (block))\n(decl float behind)"), "{mistake}\n{text}");
    }
}

#[test]
fn braces_are_matched() {
    let missing = "void f() {\n  if (a) {\n    b = c;\n}\nvoid g() { d = e; }\nfloat h;\n";
    assert_eq!(errors(missing), ["E0202 5:1 missing `}` before the function `g`"]);
    assert!(
        parsed(missing)
            .tree
            .to_text(&parsed(missing).program.interner)
            .contains("(function void g () (block (= d e)))\n(decl float h)")
    );
    let at_the_end = "void f() {\n  if (a) {\n    b = c;\n  }\n";
    assert_eq!(errors(at_the_end), ["E0202 4:4 missing `}`"]);
    let early = "void f() {\n  if (a) {\n    b = c; } }\n  d = e;\n  if (f) g++;\n}\nvoid h() { }\n";
    assert_eq!(errors(early), ["E0201 4:3 expected a declaration, found `d`"]);
    let late = "void f() { } }\nvoid h() { }\n";
    assert_eq!(errors(late), ["E0202 1:14 `}` closes nothing"]);
}

#[test]
fn several_mistakes_are_several_errors() {
    let source = "#version 300 es\nvoid main() {\n  float a = ;\n  b = (1.0;\n  c d e f;\n  x = 1.0\n}\nfloat g(int) { retrun 1.0; }\nuniform x;\n";
    let found = errors(source);
    let places: Vec<&str> = found.iter().map(|e| e.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(places, ["3:13", "4:11", "5:6", "6:10", "8:23", "9:9"], "{found:#?}");
}

#[test]
fn old_versions_say_what_is_new() {
    let cases = [
        ("layout(location = 0) in vec4 a;", "E0205 1:1 `layout` is not in GLSL ES 1.00"),
        ("uint a;", "E0205 1:1 `uint` is not in GLSL ES 1.00"),
        ("uniform B { float a; };", "E0205 1:9 a block of variables is not in GLSL ES 1.00"),
        ("smooth varying vec3 v;", "E0205 1:1 `smooth` is not in GLSL ES 1.00"),
        ("flat varying vec3 v;", "E0203 1:1 `flat` is a reserved word"),
        ("float[2] a;", "E0205 1:6 a size after the type is not in GLSL ES 1.00"),
        ("int a = 1 << 2;", "E0205 1:11 the operator `<<` is not in GLSL ES 1.00"),
        ("void f() { switch (a) { case 1: b; default: c; } }", "E0203 1:12 `switch` is a reserved word"),
        ("double a;", "E0203 1:1 `double` is a reserved word"),
        ("uniform sampler3D t; uniform sampler3D u;", "E0203 1:9 `sampler3D` is a reserved word"),
    ];
    for (source, expected) in cases {
        let found = errors(source);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{source}");
    }
}

#[test]
fn too_many_errors_end_the_reading() {
    let source = format!("void main() {{\n{}\n}}\n", "x = ;\n".repeat(1000));
    let parsed = parsed(&source);
    assert_eq!(parsed.diagnostics.len(), crate::parse::MAX_ERRORS);
    assert!(parsed.diagnostics.last().unwrap().notes[0].starts_with("too many errors"));
}

#[test]
fn fixes_and_labels_point_at_the_source() {
    let parsed = parsed("void main() {\n  x = (a + b;\n  y = 1.0\n}\n");
    let [open, semicolon] = &parsed.diagnostics[..] else { panic!("{:#?}", parsed.diagnostics) };
    assert_eq!(parsed.map.text(open.labels[0].span), "(");
    let fix = semicolon.fix.as_ref().unwrap();
    assert_eq!((fix.replacement.as_str(), parsed.map.line_column(fix.span.start).unwrap().column), (";", 10));
}
