//! Well-formed programs and their trees.

use super::*;

#[test]
fn operators_bind_as_the_specification_says() {
    let cases = [
        ("a + b * c", "(+ a (* b c))"),
        ("a * b + c", "(+ (* a b) c)"),
        ("a - b - c", "(- (- a b) c)"),
        ("a / b * c % d", "(% (* (/ a b) c) d)"),
        ("a << b + c", "(<< a (+ b c))"),
        ("a < b << c", "(< a (<< b c))"),
        ("a == b < c", "(== a (< b c))"),
        ("a & b == c", "(& a (== b c))"),
        ("a ^ b & c", "(^ a (& b c))"),
        ("a | b ^ c", "(| a (^ b c))"),
        ("a && b | c", "(&& a (| b c))"),
        ("a ^^ b && c", "(^^ a (&& b c))"),
        ("a || b ^^ c", "(|| a (^^ b c))"),
        (
            "a || b ^^ c && d | e ^ f & g == h < i << j + k * l",
            "(|| a (^^ b (&& c (| d (^ e (& f (== g (< h (<< i (+ j (* k l)))))))))))",
        ),
        (
            "a * b + c << d < e == f & g ^ h | i && j ^^ k || l",
            "(|| (^^ (&& (| (^ (& (== (< (<< (+ (* a b) c) d) e) f) g) h) i) j) k) l)",
        ),
        ("-a * b", "(* (- a) b)"),
        ("-a.x", "(- (. a x))"),
        ("!a == b", "(== (! a) b)"),
        ("~a & b", "(& (~ a) b)"),
        ("- -a", "(- (- a))"),
        ("+a++", "(+ (_++ a))"),
        ("--a--", "(-- (_-- a))"),
        ("a ? b : c ? d : e", "(? a b (? c d e))"),
        ("a ? b ? c : d : e", "(? a (? b c d) e)"),
        ("a || b ? c = d : e", "(? (|| a b) (= c d) e)"),
        ("a = b = c", "(= a (= b c))"),
        ("a += b * c", "(+= a (* b c))"),
        ("a <<= b >>= c", "(<<= a (>>= b c))"),
        ("a ? b : c = d", "(? a b (= c d))"),
        ("(a, b)", "(paren (, a b))"),
        ("(a, b, c = d)", "(paren (, (, a b) (= c d)))"),
        ("(a + b) * c", "(* (paren (+ a b)) c)"),
    ];
    for (source, expected) in cases {
        assert_eq!(expression(source), expected, "{source}");
    }
}

#[test]
fn operands_are_read() {
    let cases = [
        ("true", "true"),
        ("1", "1"),
        ("0xFFu", "255u"),
        ("1.5", "1.5"),
        ("2.0lf", "2.0lf"),
        ("f()", "(call f)"),
        ("f(void)", "(call f)"),
        ("f(a, b + c, (d, e))", "(call f a (+ b c) (paren (, d e)))"),
        ("a[i].xyz[0]", "([] (. ([] a i) xyz) 0)"),
        ("a.length()", "(call (. a length))"),
        ("a[0].length()", "(call (. ([] a 0) length))"),
        ("f(a)(b)", "ERROR"),
        ("vec3(1.0)", "(new vec3 1.0)"),
        ("vec3(1.0).zyx * 2.0", "(* (. (new vec3 1.0) zyx) 2.0)"),
        ("float[3](a, b, c)", "(new float[3] a b c)"),
        ("float[](a, b)[1]", "([] (new float[] a b) 1)"),
        ("vec2[2][](a, b)", "(new vec2[2][] a b)"),
        ("float[int[1](2)[0]](a)", "(new float[([] (new int[1] 2) 0)] a)"),
        ("a[b[c[0]]]", "([] a ([] b ([] c 0)))"),
        ("{ a, { b, c }, }", "{a {b c}}"),
        ("texture2D(t, uv)", "(call texture2D t uv)"),
        ("texture(sampler2D(t, s), uv)", "(call texture (new sampler2D t s) uv)"),
    ];
    for (source, expected) in cases {
        if expected == "ERROR" {
            assert_eq!(errors(&format!("#version 460\nfloat x = {source};")).len(), 1, "{source}");
        } else {
            assert_eq!(expression(source), expected, "{source}");
        }
    }
}

#[test]
fn declarations_are_read() {
    let cases = [
        ("float a;", "(decl float a)"),
        ("const float a = 1.0, b = a;", "(decl const float (= a 1.0) (= b a))"),
        ("uniform mediump sampler2D t;", "(decl uniform mediump sampler2D t)"),
        ("float[2] a[3], b;", "(decl float[2] a[3] b)"),
        ("float a[2][3] = x;", "(decl float (= a[2][3] x))"),
        ("float a[] = float[](1.0);", "(decl float (= a[] (new float[] 1.0)))"),
        ("int a[2] = { 1, 2 };", "(decl int (= a[2] {1 2}))"),
        ("float a[N + 1];", "(decl float a[(+ N 1)])"),
        (";", "(;)"),
        ("float;", "(decl float)"),
        ("precision highp float;", "(precision highp float)"),
        (
            "layout(local_size_x = 8, local_size_y = N * 2) in;",
            "(qualify (layout local_size_x=8 local_size_y=(* N 2)) in)",
        ),
        ("layout(early_fragment_tests) in;", "(qualify (layout early_fragment_tests) in)"),
        ("invariant gl_Position;", "(qualify invariant : gl_Position)"),
        ("precise a, b;", "(qualify precise : a b)"),
        ("invariant centroid out vec4 v;", "(decl invariant centroid out vec4 v)"),
        ("layout(location = 0) flat in int i;", "(decl (layout location=0) flat in int i)"),
        (
            "layout(binding = 1, rgba8) coherent restrict readonly writeonly volatile uniform image2D i;",
            "(decl (layout binding=1 rgba8) coherent restrict readonly writeonly volatile uniform image2D i)",
        ),
        ("shared float s[64];", "(decl shared float s[64])"),
        ("sample noperspective smooth in vec2 uv;", "(decl sample noperspective smooth in vec2 uv)"),
        ("layout(set = 0, binding = 1) uniform texture2D t;", "(decl (layout set=0 binding=1) uniform texture2D t)"),
        ("layout(set = 0, binding = 2) uniform sampler s;", "(decl (layout set=0 binding=2) uniform sampler s)"),
    ];
    for (source, expected) in cases {
        assert_eq!(tree(&format!("#version 450\n{source}")).trim_end(), expected, "{source}");
    }
}

#[test]
fn structs_blocks_and_functions_are_read() {
    let cases = [
        ("struct S { float a, b[2]; highp vec3 c; };", "(decl (struct S (float a b[2]) (highp vec3 c)))"),
        ("struct S { int a; } s, t[2];", "(decl (struct S (int a)) s t[2])"),
        ("struct { int a; } s;", "(decl (struct (int a)) s)"),
        ("const struct S { int a; } s = S(1);", "(decl const (struct S (int a)) (= s (new S 1)))"),
        ("struct A { struct B { int b; } b; int a; } a;", "(decl (struct A ((struct B (int b)) b) (int a)) a)"),
        ("struct S { float[2] a[3]; };", "(decl (struct S (float[2] a[3])))"),
        ("uniform B { mat4 m; vec4 v; };", "(interface uniform B (mat4 m) (vec4 v))"),
        (
            "layout(std140, row_major) uniform B { layout(column_major) mat4 m; } b[2];",
            "(interface (layout std140 row_major) uniform B ((layout column_major) mat4 m) : b[2])",
        ),
        ("layout(shared) uniform B { int i; } b;", "(interface (layout shared) uniform B (int i) : b)"),
        ("readonly buffer B { uint n; float data[]; };", "(interface readonly buffer B (uint n) (float data[]))"),
        ("void f();", "(prototype void f ())"),
        ("void f(void) { }", "(function void f () (block))"),
        (
            "highp float f(const in float a, inout vec3, out int c[2]) { return a; }",
            "(function highp float f ((const in float a) (inout vec3) (out int c[2])) (block (return a)))",
        ),
        ("float[2] f(float[2] a) { return a; }", "(function float[2] f ((float[2] a)) (block (return a)))"),
        ("Light f(Light l, int[2] n[3]);", "(prototype Light f ((Light l) (int[2] n[3])))"),
    ];
    for (source, expected) in cases {
        assert_eq!(tree(&format!("#version 450\n{source}")).trim_end(), expected, "{source}");
    }
}

#[test]
fn statements_are_read() {
    let cases = [
        (";", "(;)"),
        ("a = b;", "(= a b)"),
        ("{ a; { } }", "(block a (block))"),
        ("if (a) b;", "(if a b)"),
        ("if (a) b; else c;", "(if a b c)"),
        ("if (a) if (b) c; else d;", "(if a (if b c d))"),
        ("if (a) b; else if (c) d; else e;", "(if a b (if c d e))"),
        ("if (a) b; else if (c) d; else if (e) { } ", "(if a b (if c d (if e (block))))"),
        ("while (a) b;", "(while a b)"),
        ("while (bool b = f()) { }", "(while (decl bool (= b (call f))) (block))"),
        ("do a; while (b);", "(do a b)"),
        ("for (;;) { }", "(for (;) _ _ (block))"),
        (
            "for (int i = 0, j = 1; i < j; i++, j--) a;",
            "(for (decl int (= i 0) (= j 1)) (< i j) (, (_++ i) (_-- j)) a)",
        ),
        ("for (i = 0; bool b = f(i); ) ;", "(for (= i 0) (decl bool (= b (call f i))) _ (;))"),
        (
            "switch (a) { case 1: case N + 1: b; break; default: c; }",
            "(switch a (case 1) (case (+ N 1)) b (break) (default) c)",
        ),
        ("switch (a) { }", "(switch a)"),
        ("return;", "(return)"),
        ("return a, b;", "(return (, a b))"),
        ("break;", "(break)"),
        ("continue;", "(continue)"),
        ("discard;", "(discard)"),
        ("float a = 1.0;", "(decl float (= a 1.0))"),
        ("const highp float a = 1.0;", "(decl const highp float (= a 1.0))"),
        ("precision mediump int;", "(precision mediump int)"),
        ("struct S { int a; }; S s = S(1); S(2);", "(decl (struct S (int a))) (decl S (= s (new S 1))) (new S 2)"),
        ("vec3(1.0);", "(new vec3 1.0)"),
        ("float[2](1.0, 2.0)[0];", "([] (new float[2] 1.0 2.0) 0)"),
        ("float[2] a;", "(decl float[2] a)"),
        ("Unknown u;", "(decl Unknown u)"),
        ("float f(int a);", "(prototype float f ((int a)))"),
        ("a[0] = b;", "(= ([] a 0) b)"),
        ("a, b;", "(, a b)"),
        ("(a).x = 1;", "(= (. (paren a) x) 1)"),
        ("++a;", "(++ a)"),
        ("precise float p = 1.0;", "(decl precise float (= p 1.0))"),
    ];
    for (source, expected) in cases {
        let text = tree(&format!("#version 450\nvoid main() {{ {source} }}"));
        assert_eq!(text.trim_end(), format!("(function void main () (block {expected}))"), "{source}");
    }
}

#[test]
fn names_of_types_go_by_scope() {
    let source = "#version 300 es
        struct S { float x; };
        void main() {
            S a;
            { float S = 1.0; S * a; }
            S * a;
            { struct a { int i; }; a b; }
            a * b;
            for (int S = 0; S < 1; S++) S = S;
            S c = S(1.0);
        }
        void f(float S) { S * S; }
        S s;";
    let expected = "(decl (struct S (float x)))
(function void main () (block (decl S a) (block (decl float (= S 1.0)) (* S a)) <error> (block (decl (struct a (int i))) (decl a b)) (* a b) (for (decl int (= S 0)) (< S 1) (_++ S) (= S S)) (decl S (= c (new S 1.0)))))
(function void f ((float S)) (block (* S S)))
(decl S s)
";
    let parsed = parsed(source);
    // Outside of the block `S` is a type again, and a type times something is nothing.
    assert_eq!(parsed.diagnostics.len(), 1, "{:#?}", parsed.diagnostics);
    assert_eq!(parsed.tree.to_text(&parsed.program.interner).replace("(decl S)", "<error>"), expected);
}

#[test]
fn words_are_names_where_the_version_has_them_not() {
    let sources = [
        "void main() { vec4 texture; float smooth, sample, buffer, shared, layout, uint, precise, patch, centroid, image2D; \
         sample = smooth * buffer + shared; texture.x = layout; uint = precise; image2D++; }",
        "#version 300 es\nvoid main() { float buffer, shared, texture, precise, samplerBufferX; buffer = shared * texture; }",
        "#version 330\nvoid main() { float buffer, shared, sample, precise, patch; sample = buffer * shared; }",
        "#version 310 es\nuniform highp sampler2D texture2D; void main() { vec4 sampler = texture(texture2D, vec2(0)); sampler.x; }",
    ];
    for source in sources {
        assert_eq!(errors(source), [""; 0], "{source}");
    }
}

#[test]
fn extensions_bring_words() {
    let text = tree(
        "#version 310 es\n#extension GL_EXT_demote_to_helper_invocation : enable\nvoid main() { if (a) demote; demote; }",
    );
    assert_eq!(text, "(function void main () (block (if a (demote)) (demote)))\n");
    let text = tree(
        "#version 460\n#extension GL_EXT_ray_tracing : enable\n#extension GL_EXT_mesh_shader : enable\n\
         rayPayloadInEXT vec4 a;\nuniform accelerationStructureEXT b;\nperprimitiveEXT out vec4 c[];\n\
         void main() { if (d) ignoreIntersectionEXT; terminateRayEXT; }",
    );
    assert_eq!(
        text,
        "(decl rayPayloadInEXT vec4 a)\n(decl uniform accelerationStructureEXT b)\n(decl perprimitiveEXT out vec4 c[])\n\
         (function void main () (block (if d (ignoreIntersectionEXT)) (terminateRayEXT)))\n"
    );
    let text = tree("#version 310 es\nvoid main() { float demote = 1.0; demote; }");
    assert_eq!(text, "(function void main () (block (decl float (= demote 1.0)) demote))\n");
}

#[test]
fn pragmas_stand_where_they_were() {
    let text = tree(
        "#version 300 es\n#pragma one\nfloat a;\n#pragma two\n#pragma three\nvoid main() {\n#pragma four\n}\n#pragma five\n",
    );
    assert_eq!(
        text,
        "(pragma 0)\n(decl float a)\n(pragma 1)\n(pragma 2)\n(function void main () (block))\n(pragma 3)\n(pragma 4)\n"
    );
}

#[test]
fn every_expression_comes_after_its_operands() {
    let source = "#version 460
        struct S { float a[2]; };
        float f(float x) { return x; }
        void main() {
            float[2] a = float[2](1.0, f(2.0) * 3.0 + 4.0);
            S s = S(a); s.a[0] += (a[1] > 0.5 ? -a[0] : f(a[1]++)), a.length();
            for (int i = 0; i < 3; i++) { a[i] = { 1.0, { 2.0 } }[0]; }
        }";
    let parsed = parsed(&source.replace("{ 1.0, { 2.0 } }[0]", "a[0]"));
    assert_eq!(parsed.diagnostics, []);
    assert!(parsed.tree.exprs.len() > 30);
    for index in 0..parsed.tree.exprs.len() {
        let expr = crate::ast::ExprId::new(index);
        parsed.tree.for_each_operand(expr, |operand| assert!(operand < expr, "{expr:?} before {operand:?}"));
    }
}

#[test]
fn spans_cover_what_they_name() {
    let parsed =
        parsed("#version 300 es\nconst float a = f(1.0) + b[2].x, c;\nvoid main() { if (a) b = c; else d++; }\n");
    let text = |span| parsed.map.text(span).to_owned();
    let DeclKind::Variables { qualifiers, ty, declarators } = parsed.tree[parsed.tree.items[0]].kind else { panic!() };
    assert_eq!(text(parsed.tree[qualifiers][0].span), "const");
    assert_eq!(text(parsed.tree[ty].span), "float");
    assert_eq!(text(parsed.tree[declarators][0].span), "a = f(1.0) + b[2].x");
    assert_eq!(text(parsed.tree[declarators][1].span), "c");
    assert_eq!(text(parsed.tree[parsed.tree.items[0]].span), "const float a = f(1.0) + b[2].x, c;");
    let exprs: Vec<_> = parsed.tree.exprs.iter().map(|e| text(e.span)).collect();
    let expected =
        ["f", "1.0", "f(1.0)", "b", "2", "b[2]", "b[2].x", "f(1.0) + b[2].x", "a", "b", "c", "b = c", "d", "d++"];
    assert_eq!(exprs, expected);
    let stmts: Vec<_> = parsed.tree.stmts.iter().map(|s| text(s.span)).collect();
    assert_eq!(stmts, ["b = c;", "d++;", "if (a) b = c; else d++;", "{ if (a) b = c; else d++; }"]);
}
