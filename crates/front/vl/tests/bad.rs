//! Programs that are wrong: each error has the code, the place and the words that the header says, and there is no other.

mod common;

use std::fs;
use std::path::Path;

use common::{Beside, folder, header, programs, shown};
use planish_front_vl::translate;
use planish_ir::source::SourceMap;

/// The errors of a program.
fn errors(name: &str, path: &Path, text: &str) -> Vec<String> {
    let mut map = SourceMap::new();
    let file = map.add(name, text).expect("small");
    let mut includes = Beside(path.to_owned());
    match translate(&file, &mut map, Some(&mut includes)) {
        Ok(_) => vec![],
        Err(errors) => errors.iter().map(|e| shown(&map, e)).collect(),
    }
}

/// Whether an error has the code, the place and the words.
fn is_told(expected: &str, found: &str) -> bool {
    let parts = |text: &str| text.splitn(3, ' ').map(str::to_owned).collect::<Vec<String>>();
    let (expected, found) = (parts(expected), parts(found));
    expected.len() == 3 && expected[..2] == found[..2] && found[2].contains(&expected[2])
}

#[test]
fn errors_are_those_that_headers_say() {
    let files = programs(&folder("tests/vl/bad"), &[]);
    assert!(files.len() >= 120, "{} wrong programs", files.len());
    let mut complaints = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a program can be read");
        let name = path.to_string_lossy();
        let (expected, found) = (header(&text).errors, errors(&name, path, &text));
        let fits = !expected.is_empty()
            && expected.len() == found.len()
            && expected.iter().zip(&found).all(|(expected, found)| is_told(expected, found));
        if !fits {
            complaints.push(format!("{name}\n  expected {}\n  found    {}", expected.join("; "), found.join("; ")));
        }
    }
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n"));
}

/// Each page shows a program with the error, and one without.
#[test]
fn the_pages_have_true_examples() {
    for code in (801..=820).map(|n| format!("E0{n}")) {
        let path = folder(&format!("docs/errors/{code}.md"));
        let page = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{code}: {e}"));
        let examples: Vec<&str> = page.split("```scheme\n").skip(1).filter_map(|p| p.split("```").next()).collect();
        let [wrong, right] = examples[..] else { panic!("{code}: one wrong and one right example") };
        let found = errors("page.vl", &path, wrong);
        assert!(found.first().is_some_and(|e| e.starts_with(&code)), "{code}: {found:?}");
        let found = errors("page.vl", &folder("tests/vl/forms/include.vl"), right);
        assert!(found.is_empty(), "{code}: {found:?}");
    }
}
