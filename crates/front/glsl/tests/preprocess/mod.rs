//! The preprocessor as its users see it: source in, tokens and diagnostics out.
//!
//! The expansion cases are those of the C standard and of compilers' own collections of hard ones; what is accepted was
//! compared with `glslangValidator -E`.

use planish_front_glsl::preprocess::{Behavior, PragmaKind, PreprocessOptions, Preprocessed, preprocess};
use planish_front_glsl::token::TokenKind;
use planish_front_glsl::version::Version;
use planish_ir::diagnostic::{Diagnostic, Severity};
use planish_ir::source::SourceMap;

mod against_c;
mod built_in;
mod characters;
mod conditions;
mod definitions;
mod directives;
mod expansion;
mod includes;
mod limits;
mod pages;

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run_with(source: &str, options: &mut PreprocessOptions<'_>) -> (Preprocessed, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add("test.frag", source).unwrap();
    let program = preprocess(&mut map, &file, options);
    let (last, others) = program.tokens.split_last().unwrap();
    assert_eq!(last.kind, TokenKind::Eof);
    assert!(others.iter().all(|t| t.kind != TokenKind::Eof));
    (program, map)
}

fn run(source: &str) -> (Preprocessed, SourceMap) {
    run_with(source, &mut PreprocessOptions { default_version: Version::desktop(450), ..PreprocessOptions::default() })
}

fn text(program: &Preprocessed) -> String {
    let words: Vec<String> = program.tokens.iter().map(|t| t.kind.text(&program.interner)).collect();
    one_space(&words.join(" "))
}

/// `E0109 3:7 message`, a warning with `warning` before it.
fn lines(diagnostics: &[Diagnostic], map: &SourceMap) -> Vec<String> {
    let line = |d: &Diagnostic| {
        let at = map.line_column(d.span.start).unwrap();
        let severity = if d.severity == Severity::Warning { "warning " } else { "" };
        format!("{severity}{} {}:{} {}", d.code, at.line, at.column, d.message)
    };
    diagnostics.iter().map(line).collect()
}

/// Checks tokens of a program without mistakes, as desktop GLSL 4.50 unless it says otherwise.
#[track_caller]
fn expands(source: &str, expected: &str) {
    let (program, map) = run(source);
    assert_eq!(lines(&program.diagnostics, &map), [""; 0], "in:\n{source}");
    assert_eq!(text(&program), one_space(expected), "in:\n{source}");
}

/// Checks diagnostics, and the tokens there are nevertheless.
#[track_caller]
fn complains(source: &str, expected: &[&str], tokens: &str) {
    let (program, map) = run(source);
    assert_eq!(lines(&program.diagnostics, &map), expected, "in:\n{source}");
    assert_eq!(text(&program), one_space(tokens), "in:\n{source}");
}

/// Nothing panics or hangs, whatever comes in; and what comes out is the same every time.
#[test]
fn token_soup_is_survived() {
    const PIECES: &[&str] = &[
        "#",
        "##",
        "define ",
        "undef ",
        "if ",
        "ifdef ",
        "elif ",
        "else",
        "endif",
        "include ",
        "line ",
        "version ",
        "300 es",
        "extension ",
        "GL_OES_standard_derivatives",
        ":",
        "enable",
        "pragma ",
        "error ",
        "\n",
        "\n#",
        "\r",
        "\\\n",
        "(",
        ")",
        ",",
        "a",
        "b",
        "c",
        "f",
        "f(",
        "a(",
        "defined",
        "defined(",
        " ",
        "  ",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "<",
        ">",
        "1",
        "0",
        "08",
        "1.5",
        "0x",
        "1e",
        "é",
        "−",
        "@",
        "\0",
        "&&",
        "||",
        "<<",
        "+",
        "-",
        "!",
        "~",
        "__LINE__",
        "__FILE__",
        "=",
        "\n#define f(x) x",
        "\n#define f(x,y) y x##y",
        "\n#define a b",
        "\n#define b f(a",
        "\n#define c a##b",
        "\n#if ",
        "\n#endif\n",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for round in 0..3000 {
        let length = 1 + random(60);
        let source: String = (0..length).map(|_| PIECES[random(PIECES.len())]).collect();
        let (first, map) = run(&source);
        let (second, _) = run(&source);
        assert_eq!(first.tokens.len(), second.tokens.len(), "round {round}: {source:?}");
        assert_eq!(first.diagnostics, second.diagnostics, "round {round}: {source:?}");
        let end = map.files()[0].end();
        for token in &first.tokens {
            assert!(token.span.start <= token.span.end && token.span.end <= end, "round {round}: {source:?}");
            assert!(!token.span.is_none(), "round {round}: {source:?}");
        }
    }
}
