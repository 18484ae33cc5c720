//! Every pair of shaders of `tests/invalid/link` is valid by itself and does not link: the fragment shader says in its first lines after
//! `#version` which errors there are, `// ERROR: CODE LINE:COLUMN`. Each names a place in the other shader, too, but for what is missing
//! there. (`// REFUSED BY:` names other compilers that refuse the pair, when it was added.)

use std::fs;

use planish::{Compiler, link};
use planish_testkit::folder;

#[test]
fn pairs_are_refused_as_they_say() {
    let folder = folder("tests/invalid/link");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "frag") {
            continue;
        }
        let name = path.display().to_string();
        let mut compiler = Compiler::default();
        let text = fs::read_to_string(&path).expect("readable");
        let other = fs::read_to_string(path.with_extension("vert")).expect("both are there");
        let vertex =
            compiler.compile(&name.replace(".frag", ".vert"), other).module.expect("the vertex shader is valid");
        let fragment = compiler.compile(&name, text.clone()).module.expect("the fragment shader is valid");
        let lines = text.lines().skip_while(|line| line.starts_with("#version"));
        let expected: Vec<&str> = lines.map_while(|line| line.strip_prefix("// ERROR: ")).collect();
        let errors = link(&[&vertex, &fragment]).expect_err(&name);
        let place = |span: planish::source::Span| compiler.map.line_column(span.start).expect("a place");
        let found: Vec<String> =
            errors.iter().map(|d| format!("{} {}:{}", d.code, place(d.span).line, place(d.span).column)).collect();
        assert_eq!(found, expected, "{name}: {errors:#?}");
        let both = errors.iter().all(|d| !d.labels.is_empty() || d.message.contains("gives the fragment shader no"));
        assert!(both || name.contains("frag_coord"), "{name}: {errors:#?}");
        count += 1;
    }
    assert!(count >= 35, "only {count} pairs");
}
