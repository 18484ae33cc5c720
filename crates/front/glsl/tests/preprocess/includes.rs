//! `#include`.

use super::*;
use planish_ir::source::IncludeResolver;
use std::collections::HashMap;
use std::sync::Arc;

struct Files(HashMap<&'static str, String>);

impl IncludeResolver for Files {
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)> {
        let name = if system { format!("system/{name}") } else { name.to_owned() };
        assert!(from == "test.frag" || self.0.contains_key(from));
        self.0.get(name.as_str()).map(|text| (name, Arc::from(text.as_str())))
    }
}

fn run(source: &str, files: &[(&'static str, &str)]) -> (String, Vec<String>, SourceMap) {
    let mut files = Files(files.iter().map(|(n, t)| (*n, (*t).to_owned())).collect());
    let mut options = PreprocessOptions {
        includes: Some(&mut files),
        default_version: Version::desktop(450),
        ..PreprocessOptions::default()
    };
    let source = format!("#extension GL_GOOGLE_include_directive : require\n{source}");
    let (program, map) = run_with(&source, &mut options);
    (text(&program), lines(&program.diagnostics, &map), map)
}

#[test]
fn files_are_read_where_they_are_included() {
    let files = [
        ("a.glsl", "a __LINE__ __FILE__\n#define A 1\n#include <b.glsl>\na2 __LINE__"),
        ("system/b.glsl", "b A __FILE__"),
    ];
    let (text, diagnostics, map) = run("x\n  #include \"a.glsl\" // c\ny A __LINE__ __FILE__", &files);
    assert_eq!(text, "x a 1 1 b 1 2 a2 4 y 1 4 0");
    assert_eq!(diagnostics, [""; 0]);
    assert_eq!(map.files().len(), 3);
}

#[test]
fn what_cannot_be_found_is_named() {
    let (text, diagnostics, _) = run("#include \"zzz\"\n#include <a\n#include a\n#include \"b\" c\nx", &[("b", "b")]);
    assert_eq!(text, "b x");
    assert_eq!(
        diagnostics,
        [
            "E0112 2:10 cannot find `zzz`",
            "E0112 3:10 the name is not closed with `>`",
            "E0112 4:1 `#include` needs a name in `\"…\"` or `<…>`",
            "E0104 5:14 unexpected text after `#include`",
        ]
    );
}

#[test]
fn the_extension_must_be_asked_for() {
    let (program, map) = super::run("#include \"a\"");
    assert_eq!(
        lines(&program.diagnostics, &map),
        ["E0106 1:1 `#include` is an extension that is not asked for", "E0112 1:10 cannot find `a`",]
    );
}

#[test]
fn conditions_end_with_their_file() {
    let (text, diagnostics, _) = run("#include \"a\"\n#endif\ny", &[("a", "#if 1\nx")]);
    assert_eq!(text, "x y");
    assert_eq!(diagnostics, ["E0110 1:1 this `#if` has no `#endif`", "E0110 3:1 `#endif` without `#if`"]);
}

#[test]
fn a_file_may_be_included_once() {
    let (text, diagnostics, _) = run("#include \"a\"\n#include \"a\"\ny", &[("a", "#pragma once\nx")]);
    assert_eq!((text.as_str(), diagnostics.len()), ("x y", 0));
}

#[test]
fn a_file_that_includes_itself_ends() {
    let (_, diagnostics, _) = run("#include \"a\"", &[("a", "x\n#include \"a\"\n")]);
    assert_eq!(diagnostics, ["E0113 2:10 files include each other more than 64 deep"]);
    let (_, diagnostics, _) =
        run("#include \"a\"", &[("a", "#if __FILE__ < 60\n#include \"a\"\n#include \"a\"\n#endif")]);
    assert_eq!(diagnostics, [""; 0]);
    let doubling: Vec<(&'static str, String)> =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"]
            .windows(2)
            .map(|w| (w[0], format!("#include \"{0}\"\n#include \"{0}\"\n", w[1])))
            .chain([("o", String::new())])
            .collect();
    let doubling: Vec<(&'static str, &str)> = doubling.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let (_, diagnostics, _) = run("#include \"a\"", &doubling);
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].contains("more than 10000 files"), "{diagnostics:?}");
}

#[test]
fn errors_in_a_file_say_who_included_it() {
    let mut files = Files([("a", "x\n#include \"b\"".to_owned()), ("b", "@".to_owned())].into());
    let mut options = PreprocessOptions { includes: Some(&mut files), ..PreprocessOptions::default() };
    let (program, map) = run_with("#extension GL_GOOGLE_include_directive : enable\n#include \"a\"\n@", &mut options);
    let labels = |index: usize| -> Vec<(&str, &str)> {
        program.diagnostics[index].labels.iter().map(|l| (l.text.as_str(), map.text(l.span))).collect()
    };
    assert_eq!(labels(0), [("included from here", "\"b\""), ("included from here", "\"a\"")]);
    assert_eq!(labels(1), []);
}
