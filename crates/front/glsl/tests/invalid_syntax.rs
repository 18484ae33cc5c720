//! Every shader of `tests/invalid/syntax` is wrong, and says in its first lines what the preprocessor and the parser
//! must report: `// ERROR: CODE LINE:COLUMN`, all errors in the order of the source.

use planish_front_glsl::parse::parse;
use planish_front_glsl::preprocess::{PreprocessOptions, preprocess};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::SourceMap;
use std::fs;
use std::path::{Path, PathBuf};

fn shaders() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/invalid/syntax");
    let entries = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

/// The errors that the first lines of a shader expect.
fn expected(text: &str) -> Vec<String> {
    text.lines().map_while(|line| line.strip_prefix("// ERROR: ")).map(|error| error.trim().to_owned()).collect()
}

/// The errors of a shader, each as `CODE LINE:COLUMN` and its message.
fn found(path: &Path, text: &str) -> Vec<(String, String)> {
    let mut map = SourceMap::new();
    let file = map.add(path.to_string_lossy().as_ref(), text).expect("small enough");
    let program = preprocess(&mut map, &file, &mut PreprocessOptions::default());
    let (_, more) = parse(&program);
    let mut all: Vec<&Diagnostic> = program.diagnostics.iter().chain(&more).filter(|d| d.is_error()).collect();
    all.sort_by_key(|d| d.span.start);
    all.into_iter()
        .map(|d| {
            let at = map.line_column(d.span.start).expect("every error has a place");
            (format!("{} {}:{}", d.code, at.line, at.column), d.message.clone())
        })
        .collect()
}

#[test]
fn invalid_shaders_are_reported_as_they_say() {
    let shaders = shaders();
    assert!(shaders.len() >= 80, "only {} shaders", shaders.len());
    let mut wrong = vec![];
    for path in &shaders {
        let text = fs::read_to_string(path).expect("readable");
        let expected = expected(&text);
        assert!(!expected.is_empty(), "{}: no `// ERROR:` line", path.display());
        let found = found(path, &text);
        if found.iter().map(|(place, _)| place).ne(&expected) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            wrong.push(format!("{name}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} shaders:\n{}", wrong.len(), shaders.len(), wrong.join("\n"));
}

#[test]
fn every_mistake_is_another() {
    let mut bodies = std::collections::HashMap::new();
    for path in shaders() {
        let text = fs::read_to_string(&path).expect("readable");
        let body: String = text.lines().filter(|line| !line.starts_with("// ERROR: ")).collect();
        if let Some(other) = bodies.insert(body, path.clone()) {
            panic!("{} is {}", path.display(), other.display());
        }
    }
}

/// The pages that `planish explain` prints: the first program is wrong as the page says, the second is right.
#[test]
fn pages_explain_with_true_examples() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../planish/errors");
    for code in ["E0201", "E0202", "E0203", "E0204", "E0205", "E0206"] {
        let path = directory.join(format!("{code}.md"));
        let page = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let programs: Vec<&str> = page.split("```glsl\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [wrong, right] = programs[..] else { panic!("{code}: {} programs", programs.len()) };
        // The wrong program for the limit is shortened.
        if code != "E0204" {
            assert!(
                found(&path, wrong).iter().any(|(place, _)| place.starts_with(code)),
                "{code}: {:?}",
                found(&path, wrong)
            );
        }
        assert_eq!(found(&path, right), [], "{code}");
    }
}
