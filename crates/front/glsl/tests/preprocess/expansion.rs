//! Macro expansion, by the rules of C.

use super::*;

#[test]
fn the_example_of_the_c_standard() {
    let macros = "
        #define x 3
        #define f(a) f(x * (a))
        #undef x
        #define x 2
        #define g f
        #define z z[0]
        #define h g(~
        #define m(a) a(w)
        #define w 0,1
        #define t(a) a\n";
    expands(
        &format!("{macros}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;",
    );
    expands(
        &format!("{macros}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
}

#[test]
fn empty_arguments_paste_to_nothing() {
    // From the C standard, 6.10.3.5 example 7, with names in place of digits in front.
    expands(
        "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
        "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;",
    );
    expands("#define t(x,y,z) x ## y ## z\na t(,,) b", "a b");
    expands("#define f(x) - x ## 1 -\nf() f(a)", "- 1 - - a1 -");
}

#[test]
fn arguments_are_expanded_unless_pasted() {
    expands(
        "#define CAT(a,b) a ## b\n#define XCAT(a,b) CAT(a,b)\n#define N 7\nCAT(x,N) XCAT(x,N) XCAT(CAT(a,b),c)",
        "xN x7 abc",
    );
    expands("#define hash_hash(a, b) a ## b b\n#define p q\nhash_hash(p, p)", "pp q");
}

#[test]
fn pasted_tokens_are_read_again() {
    expands("#define AB 1\n#define CAT(a,b) a##b\nCAT(A,B)", "1");
    expands(
        "#define CAT(a,b) a##b\nCAT(1,.5) CAT(1,e5) CAT(.,5) CAT(+,+) CAT(<<,=) CAT(x,1)",
        "1.5 100000.0 0.5 ++ <<= x1",
    );
    expands("#define pair(a) a ## 1 ## 2\n#define x12 12\npair(x)", "12");
    expands("#define OBJECT a ## b\n#define ab 3\nOBJECT", "3");
}

#[test]
fn a_macro_does_not_expand_inside_itself() {
    expands("#define foo foo\nfoo", "foo");
    expands("#define foo (4 + foo)\nfoo", "( 4 + foo )");
    expands("#define x (4 + y)\n#define y (2 * x)\nx y", "( 4 + ( 2 * x ) ) ( 2 * ( 4 + y ) )");
    expands("#define f(x) x f\nf(1)(2)(3)", "1 f ( 2 ) ( 3 )");
    expands("#define f(x) f(x)\nf(f(f(1)))", "f ( f ( f ( 1 ) ) )");
    // The paint stays when the name leaves the expansion it was met in.
    expands("#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)", "42");
    expands("#define EMPTY\n#define DEFER(x) x EMPTY\n#define A() 123\nDEFER(A)() A()", "A ( ) 123");
}

#[test]
fn names_are_calls_only_with_a_parenthesis() {
    expands("#define f(x) [x]\nf f; f (1) f\n\n(2) (f)(3)", "f f ; [ 1 ] [ 2 ] ( f ) ( 3 )");
    expands("#define f(x) [x]\n#define g f\ng g(1)", "f [ 1 ]");
    expands("#define f(x) [x]\nf", "f");
    expands("#define f(x) [x]\nf /* c */ // d\n (1)", "[ 1 ]");
}

#[test]
fn a_call_may_end_behind_its_macro() {
    expands("#define f(x) [x]\n#define OPEN f(\nOPEN 1) OPEN 2 + f(3))", "[ 1 ] [ 2 + [ 3 ] ]");
    expands("#define LP (\n#define f(x) [x]\nf LP 1)", "f ( 1 )");
    expands("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
}

#[test]
fn the_nine_lines_that_kill_others() {
    expands("#define m(a)\n#define a m((a)\na)", "");
    expands("#define m(a) a\n#define a m((a)\na)", "( a )");
    complains("#define m(a)\n#define a m((a)\na", &["E0109 3:1 the arguments of macro `m` do not end"], "0");
}

#[test]
fn arguments_know_parentheses_and_only_those() {
    expands("#define f(a,b) <a|b>\nf((1,2),3) f([1,2]) f({x,y})", "< ( 1 , 2 ) | 3 > < [ 1 | 2 ] > < { x | y } >");
    expands("#define f(a) <a>\nf() f( ) f((,))", "< > < > < ( , ) >");
    expands("#define z() 0\nz() z( ) z(\n)", "0 0 0");
}

#[test]
fn arguments_go_over_lines_and_directives() {
    expands("#define f(a,b) a+b\nf(1,\n  // two\n  2)", "1 + 2");
    expands("#define f(a) <a>\nf(1\n#ifdef X\n+2\n#else\n+3\n#endif\n)", "< 1 + 3 >");
    expands("#define f(a) <a>\nf(\n#define N 5\nN)", "< 5 >");
}

#[test]
fn parameters_hide_macros_in_the_body() {
    expands("#define x 5\n#define f(x) x\nf(1) x", "1 5");
    expands("#define x 5\n#define f(y) x + y\nf(x)", "5 + 5");
}

#[test]
fn keywords_may_be_macros() {
    expands(
        "#define texture2D texture\n#define highp\nhighp vec4 c = texture2D(s, v);",
        "vec4 c = texture ( s , v ) ;",
    );
    expands("#define if(x) while(x)\nif(1)", "while ( 1 )");
}

#[test]
fn definitions_end_with_undef_and_may_be_repeated() {
    expands("#define A 1\nA\n#undef A\nA\n#undef A\n#define A 2\nA", "1 A 2");
    expands("#define A(x) x  +  1\n#define A(x) x + 1\nA(2)", "2 + 1");
    expands("#define A /* c */ 1 // d\n#define A 1\nA", "1");
}

#[test]
fn spans_are_those_of_the_users_text() {
    let source = "#define M(x) (x + oops)\nfloat a = M(b) * M(\nc);";
    let (program, map) = run(source);
    let spans: Vec<&str> = program.tokens[3..8].iter().map(|t| map.text(t.span)).collect();
    // The argument is where it was written; the rest is where the macro was used.
    assert_eq!(spans, ["M(b)", "b", "M(b)", "M(b)", "M(b)"]);
    let use_of = program.expansions.at(program.tokens[3].span).unwrap();
    assert_eq!(program.interner.resolve(use_of.name), "M");
    assert_eq!(map.text(use_of.definition), "M");
    assert_eq!(program.expansions.at(program.tokens[4].span), None);
    assert_eq!(map.text(program.tokens[9].span), "M(\nc)");
}

#[test]
fn spans_of_nested_macros_are_those_of_the_outermost() {
    let (program, map) = run("#define IN (1)\n#define OUT IN + IN\nOUT OUT");
    assert!(program.tokens[..7].iter().all(|t| map.text(t.span) == "OUT"));
    let name = program.expansions.at(program.tokens[0].span).unwrap().name;
    assert_eq!(program.interner.resolve(name), "OUT");
}

#[test]
fn diagnostics_point_into_the_macro() {
    let (program, map) = run("#define M 08\nint a = M;");
    let d = &program.diagnostics[0];
    assert_eq!(map.text(d.span), "M");
    assert_eq!(d.labels[0].text, "in the expansion of macro `M`");
    assert_eq!(map.line_column(d.labels[0].span.start).unwrap().line, 1);
}
