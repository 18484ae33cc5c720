//! Tests of the parser: what is read as what, what is said about what cannot be read, and that size does not matter.

mod grammar;
mod large;
mod recovery;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;

use crate::ast::{Ast, DeclKind};
use crate::parse::parse;
use crate::preprocess::{PreprocessOptions, Preprocessed, preprocess};

struct Parsed {
    map: SourceMap,
    program: Preprocessed,
    tree: Ast,
    diagnostics: Vec<Diagnostic>,
}

fn parsed(source: &str) -> Parsed {
    let mut map = SourceMap::new();
    let file = map.add("test.frag", source).expect("small enough");
    let program = preprocess(&mut map, &file, &mut PreprocessOptions::default());
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);
    let (tree, diagnostics) = parse(&program);
    Parsed { map, program, tree, diagnostics }
}

/// The tree of a source without errors.
fn tree(source: &str) -> String {
    let parsed = parsed(source);
    assert!(parsed.diagnostics.is_empty(), "{source}\n{:#?}", parsed.diagnostics);
    parsed.tree.to_text(&parsed.program.interner)
}

/// `CODE LINE:COLUMN message` of every error.
fn errors(source: &str) -> Vec<String> {
    let parsed = parsed(source);
    let line = |d: &Diagnostic| {
        let at = parsed.map.line_column(d.span.start).expect("in the file");
        format!("{} {}:{} {}", d.code, at.line, at.column, d.message)
    };
    parsed.diagnostics.iter().map(line).collect()
}

/// The text of the initializer of `float x = SOURCE;`, in the newest version.
fn expression(source: &str) -> String {
    let parsed = parsed(&format!("#version 460\nfloat x = {source};"));
    assert!(parsed.diagnostics.is_empty(), "{source}\n{:#?}", parsed.diagnostics);
    let DeclKind::Variables { declarators, .. } = parsed.tree[parsed.tree.items[0]].kind else { panic!("{source}") };
    let init = parsed.tree[declarators][0].init.expect("an initializer");
    parsed.tree.expr_to_text(init, &parsed.program.interner)
}
