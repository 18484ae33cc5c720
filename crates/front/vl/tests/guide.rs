//! The guide of the language: its expressions give what it says, and it leaves out nothing of the library.

use std::fs;

use planish_testkit::folder;
use planish_testkit::vl::{agree, evaluate, run};

/// The lines of a block that are expressions with a value or an error, each with the definitions around it.
fn check(block: &str, complaints: &mut Vec<String>) -> usize {
    let (mut definitions, mut claims) = (String::new(), Vec::new());
    for line in block.lines() {
        match line.split_once("; => ").or_else(|| line.split_once("; error: ")) {
            Some((expression, claim)) => claims.push((expression.trim(), claim.trim(), line.contains("; error: "))),
            None => definitions.push_str(&format!("{line}\n")),
        }
    }
    for &(expression, claim, is_error) in &claims {
        let text = format!("{definitions}{expression}\n");
        let path = folder("docs/languages/vl.md");
        let evaluated = evaluate(&path, &text, &[], "main", &[]).map(|found| found.map(|(value, _)| value));
        match evaluated {
            Ok(Some(value)) if !is_error && agree(claim, &value, false) => {}
            Err(errors) if is_error && errors[0].starts_with(claim) => continue,
            other => complaints.push(format!("{expression}\n  is {other:?}, not {claim}")),
        }
        match run(&path, &text, &[]) {
            Ok((value, _)) if agree(claim, &value, false) => {}
            other => complaints.push(format!("{expression}\n  interpreted is {other:?}, not {claim}")),
        }
    }
    claims.len()
}

fn guide() -> String {
    fs::read_to_string(folder("docs/languages/vl.md")).expect("there is a guide")
}

#[test]
fn expressions_have_the_values_that_it_says() {
    let mut complaints = Vec::new();
    let guide = guide();
    for block in guide.split("```scheme\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        if check(block, &mut complaints) == 0 {
            complaints.push(format!("a block without a value:\n{block}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_name_of_the_library_is_shown() {
    let guide = guide();
    let shown: Vec<&str> = guide
        .split("```scheme\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .flat_map(|block| block.split(|c: char| c.is_whitespace() || "()'".contains(c)))
        .collect();
    let mut missing = Vec::new();
    for entry in fs::read_dir(folder("crates/front/vl/library")).expect("the library") {
        let text = fs::read_to_string(entry.expect("a file").path()).expect("a file");
        for line in text.lines().filter_map(|line| line.strip_prefix("(define ")) {
            let name = line.trim_start_matches('(').split([' ', ')']).next().expect("a name");
            if !name.starts_with('%') && !shown.contains(&name) {
                missing.push(name.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "the guide does not show {}", missing.join(", "));
}
