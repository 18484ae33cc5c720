//! Programs that are wrong: each error has the code, the place and the words that the header says, and there is no other.

use std::fs;
use std::path::Path;

use planish_front_vl::translate;
use planish_ir::diagnostic::Code;
use planish_ir::source::SourceMap;
use planish_testkit::folder;
use planish_testkit::vl::{Beside, header, programs, run, shown};

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
        let path = folder(&format!("crates/planish/errors/{code}.md"));
        let page = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{code}: {e}"));
        let examples: Vec<&str> = page.split("```scheme\n").skip(1).filter_map(|p| p.split("```").next()).collect();
        let [wrong, right] = examples[..] else { panic!("{code}: one wrong and one right example") };
        let found = errors("page.vl", &path, wrong);
        assert!(found.first().is_some_and(|e| e.starts_with(&code)), "{code}: {found:?}");
        let found = errors("page.vl", &folder("tests/vl/forms/include.vl"), right);
        assert!(found.is_empty(), "{code}: {found:?}");
    }
}

/// A counter that is known makes a function of each round; what is computed by then, and a loop, do not.
#[test]
fn very_many_functions_are_worth_a_warning() {
    let warnings = |text: &str| {
        let mut map = SourceMap::new();
        let file = map.add("many.vl", text).expect("small");
        let found = translate(&file, &mut map, None).unwrap_or_else(|e| panic!("{text}\n{e:?}")).1;
        found.into_iter().map(|w| (w.span.start - file.span().start, w)).collect::<Vec<_>>()
    };
    let total = "(define (total n x) (if (< 2500 n) x (total (+ n 1) (+ x n))))";
    let found = warnings(&format!("{total}\n(* 2 (total 0 (real 1)))"));
    let [(place, warning)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((warning.code, warning.is_error()), (Code::W0110, false));
    assert!(warning.message.starts_with("`total` becomes 250"), "{warning:?}");
    assert!(warning.notes.iter().any(|note| note.contains("`n` changes: ")), "{warning:?}");
    assert_eq!(*place as usize, total.len() + "\n(* 2 ".len());
    assert!(warnings(&format!("{total}\n(* 2 (total (real 0) (real 1)))")).is_empty());
    assert!(warnings(&format!("{total}\n(* 2 (total 0 1))")).is_empty());
}

/// The direct interpreter stops inside of the library, too, and says where the program leads there.
#[test]
fn what_stops_the_interpreter_is_told_at_the_users_call() {
    let stopped = |text: &str| run(Path::new("stopped.vl"), text, &[]).expect_err("no value");
    for (text, place, words) in [
        ("(define l '(1 2))\n(* 2 (list-ref l 5))", "2:6", "pair"),
        ("(define (f x) (+ 1 (sqrt x)))\n(f '())", "1:20", "a real"),
        ("(car 5)", "1:1", "a pair"),
    ] {
        let errors = stopped(text);
        assert!(is_told(&format!("E0814 {place} {words}"), &errors[0]), "{text}: {errors:?}");
    }
}
