//! The programs of `tests/vl` and `examples/vl`, whose headers say what they give.

use std::fs;
use std::path::Path;

use planish_testkit::folder;
use planish_testkit::vl::{agree, call_of, evaluate, header, programs, run};

/// The first difference from the expected results of a program; `None` if there is none.
fn complaint(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).expect("a program can be read");
    let header = header(&text);
    let Some(expected) = &header.value else { return Some("it has no header `; = VALUE`".to_owned()) };
    let interpreted = run(path, &text, &header.input).map(Some);
    let evaluated = evaluate(path, &text, &header.input, "main", &[]);
    for (way, found) in [("interpreted", interpreted), ("evaluated", evaluated)] {
        match found {
            Ok(Some((value, output))) => {
                if !agree(expected, &value, header.is_exact) {
                    return Some(format!("{way}, it gives {value}, not {expected}"));
                }
                let (wanted, written) = (header.output.join(" "), output.join(" "));
                if !agree(&wanted, &written, header.is_exact) {
                    return Some(format!("{way}, it writes {written}, not {wanted}"));
                }
            }
            // It only exports.
            Ok(None) if !header.calls.is_empty() => {}
            Ok(None) => return Some(format!("{way}, it has no value")),
            Err(errors) => return Some(format!("{way}: {}", errors.join("; "))),
        }
    }
    header.calls.iter().find_map(|(call, expected)| {
        let ending = format!("{text}\n{call}");
        let (name, scalars) = call_of(call);
        let ways = [
            ("interpreted", run(path, &ending, &header.input).map(Some)),
            ("at the end of the program", evaluate(path, &ending, &header.input, "main", &[])),
            ("from outside", evaluate(path, &text, &header.input, &name, &scalars)),
        ];
        ways.into_iter().find_map(|(way, found)| match found {
            Ok(Some((value, _))) if agree(expected, &value, header.is_exact) => None,
            Ok(Some((value, _))) => Some(format!("{call} {way} gives {value}, not {expected}")),
            Ok(None) => Some(format!("{call} {way}: there is no such function")),
            Err(errors) => Some(format!("{call} {way}: {}", errors.join("; "))),
        })
    })
}

fn check(place: &str, at_least: usize) {
    let folder = folder(place);
    let files = programs(&folder, &["bad", "parts"]);
    assert!(files.len() >= at_least, "{} programs in {place} are fewer than {at_least}", files.len());
    let complaints: Vec<String> = files
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.strip_prefix(&folder).ok()?.display(), complaint(path)?)))
        .collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n"));
}

#[test]
fn programs_give_what_their_headers_say() {
    check("tests/vl", 200);
}

#[test]
fn examples_give_what_their_headers_say() {
    check("examples/vl", 7);
}

#[test]
fn values_that_differ_are_told_apart() {
    assert!(agree("(1 2.5 #t)", "(1.0000000000000002 2.5 #t)", false));
    assert!(!agree("(1 2.5 #t)", "(1.0000000000000002 2.5 #t)", true));
    assert!(agree("+nan.0", "+nan.0", true));
    for (expected, found) in
        [("1", "1.00000000001"), ("(1 2)", "(1 2 3)"), ("#t", "#f"), ("(1 2)", "(1 . 2)"), ("0", "-1e-14")]
    {
        assert!(!agree(expected, found, false), "{expected} {found}");
    }
    assert!(!agree("0", "-0.0", true) && !agree("1", "#t", false));
}
