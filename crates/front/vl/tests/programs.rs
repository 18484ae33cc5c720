//! The programs of `tests/vl` and `examples/vl`, whose headers say what they give.

mod common;

use std::fs;
use std::path::Path;

use common::{agree, folder, header, programs, run};

/// What is wrong with a program, if anything is.
fn complaint(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).expect("a program can be read");
    let header = header(&text);
    let Some(expected) = &header.value else { return Some("it has no header `; = VALUE`".to_owned()) };
    let (value, output) = match run(path, &text, &header.input) {
        Ok(found) => found,
        Err(errors) => return Some(errors.join("; ")),
    };
    if !agree(expected, &value, header.is_exact) {
        return Some(format!("gives {value}, not {expected}"));
    }
    for (call, expected) in &header.calls {
        match run(path, &format!("{text}\n{call}"), &header.input) {
            Ok((value, _)) if agree(expected, &value, header.is_exact) => {}
            Ok((value, _)) => return Some(format!("{call} gives {value}, not {expected}")),
            Err(errors) => return Some(format!("{call}: {}", errors.join("; "))),
        }
    }
    let (wanted, written) = (header.output.join(" "), output.join(" "));
    (!agree(&wanted, &written, header.is_exact)).then(|| format!("writes {written}, not {wanted}"))
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
    check("examples/vl", 1);
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
