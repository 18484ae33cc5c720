//! Rules for any source file: a line that describes it, its length, forbidden words, comments that begin with a phrase.

use super::{File, Violation};

/// The longest file that needs no reason.
const LONGEST: usize = 700;

/// Texts forbidden in all files, and the reason. Written in two halves, so that this file is not the first violation.
const FORBIDDEN: [((&str, &str), &str); 8] = [
    (("registry.", "npmjs"), "names a package registry's host; builds elsewhere use another"),
    (("registry.", "yarnpkg"), "names a package registry's host; builds elsewhere use another"),
    (("index.crates", ".io"), "names a package registry's host; builds elsewhere use another"),
    (("static.crates", ".io"), "names a package registry's host; builds elsewhere use another"),
    (("/wo", "rk/"), "names a path of one machine"),
    (("/ro", "ot/"), "names a path of one machine"),
    (("/ho", "me/"), "names a path of one machine"),
    (("/tm", "p/"), "names a path of one machine"),
];

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let mut violations = vec![];
    for file in files {
        forbidden(file, &mut violations);
        ignored_tests(file, &mut violations);
        if file.has_extension(&["rs", "mjs"]) && !is_test_input(&file.path) {
            first_line(file, &mut violations);
            length(file, &mut violations);
        }
        if file.name() == "package-lock.json" {
            download_addresses(file, &mut violations);
        }
    }
    violations
}

/// Inputs and expected outputs of tests are no sources of ours.
fn is_test_input(path: &str) -> bool {
    path.split('/').any(|part| part == "cases" || part == "snapshots" || part == "corpus")
}

fn first_line(file: &File, violations: &mut Vec<Violation>) {
    let first = file.text.lines().next().unwrap_or_default();
    if first.strip_prefix("//!").is_none_or(|rest| rest.trim().is_empty()) {
        violations.push(file.violation(1, "the file does not say what it is", "begin it with a `//!` line"));
    }
}

fn length(file: &File, violations: &mut Vec<Violation>) {
    let lines = file.text.lines().count();
    let has_reason = file.text.lines().any(|line| line.starts_with("//! whole: "));
    if lines > LONGEST && !has_reason {
        violations.push(file.violation(
            1,
            format!("{lines} lines are more than {LONGEST}"),
            "split it, or say why it is better whole in a line `//! whole: …`",
        ));
    }
}

fn forbidden(file: &File, violations: &mut Vec<Violation>) {
    for (number, line) in file.text.lines().enumerate() {
        for ((first, second), why) in FORBIDDEN {
            let word = format!("{first}{second}");
            let found = line.match_indices(&word).any(|(at, _)| stands_alone(line, at, &word));
            if found {
                let remedy = "say it without the name, or read it from the environment";
                violations.push(file.violation(number + 1, format!("`{word}` {why}"), remedy));
            }
        }
    }
}

/// Only absolute paths count: not `target/tmp/`, nor `https://host/work/`.
fn stands_alone(line: &str, at: usize, word: &str) -> bool {
    let before = line[..at].chars().next_back();
    !word.starts_with('/') || !before.is_some_and(|c| c.is_alphanumeric() || "_-./})$*".contains(c))
}

fn ignored_tests(file: &File, violations: &mut Vec<Violation>) {
    let attribute = concat!("#[ign", "ore");
    for (number, line) in file.text.lines().enumerate() {
        if file.has_extension(&["rs"]) && line.trim_start().starts_with(attribute) {
            let remedy = "assert today's wrong answer, with a FIXME that says what is right";
            violations.push(file.violation(number + 1, "a test that does not run", remedy));
        }
    }
}

fn download_addresses(file: &File, violations: &mut Vec<Violation>) {
    for (number, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("\"resolved\"") {
            let remedy = "make the lock file with `npm install --omit-lockfile-registry-resolved`";
            violations.push(file.violation(number + 1, "a download address in a lock file", remedy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    #[test]
    fn sources_say_what_they_are() {
        assert_eq!(places(&[("a.rs", "//! Here.\nfn a() {}\n")]), [""; 0]);
        assert_eq!(places(&[("a.rs", "fn a() {}\n")]), ["a.rs:1"]);
        assert_eq!(places(&[("a.mjs", "//!\n")]), ["a.mjs:1"]);
        assert_eq!(places(&[("tests/cases/a.rs", "fn a() {}\n")]), [""; 0]);
    }

    #[test]
    fn long_files_give_a_reason() {
        let long = format!("//! Long.\n{}", "\n".repeat(800));
        assert_eq!(places(&[("a.rs", &long)]), ["a.rs:1"]);
        let reasoned = format!("//! Long.\n//! whole: one table.\n{}", "\n".repeat(800));
        assert_eq!(places(&[("a.rs", &reasoned)]), [""; 0]);
    }

    #[test]
    fn machines_and_hosts_are_not_named() {
        let path = concat!("see /ro", "ot/x");
        let relative = concat!("see target/tm", "p/x and $HERE/tm", "p/x");
        let host = concat!("https://registry.", "npmjs.org");
        assert_eq!(places(&[("a.md", path)]), ["a.md:1"]);
        assert_eq!(places(&[("a.md", relative)]), [""; 0]);
        assert_eq!(places(&[("a.md", &format!("\n{host}"))]), ["a.md:2"]);
    }

    #[test]
    fn lock_files_have_no_addresses_and_tests_run() {
        assert_eq!(places(&[("x/package-lock.json", "{\n  \"resolved\": \"x\"\n}")]), ["x/package-lock.json:2"]);
        assert_eq!(places(&[("a.rs", concat!("//! A.\n#[ign", "ore]\nfn a() {}"))]), ["a.rs:2"]);
    }
}
