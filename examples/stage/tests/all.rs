//! Each example makes the program that it says, which computes what plain Rust does.

use std::fs;
use std::path::Path;

#[test]
fn examples_run() {
    for (name, example) in stage_examples::EXAMPLES {
        let shown = example().unwrap_or_else(|error| panic!("{name}: {error}"));
        let has = |text: &str| shown.code.contains(text);
        let count = |text: &str| shown.code.matches(text).count();
        match name {
            "power" => assert!(!has("loop") && count("multiply") == 5, "{}", shown.code),
            "fft" | "sparse" => assert!(!has("loop"), "{}", shown.code),
            "gda" => assert_eq!(count("loop_if"), 2, "{}", shown.code),
            "interpreter" => assert!(!has("call"), "{}", shown.code),
            _ => assert!(has("loop"), "{name}: {}", shown.code),
        }
        snapshot(name, &shown.code);
    }
}

/// Compares a program with the one in `code`; with `BLESS` set, writes it there.
fn snapshot(name: &str, code: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("code").join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, code).expect("snapshots can be written");
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    let differs = known.lines().zip(code.lines()).position(|(a, b)| a != b);
    assert!(known == code, "{}: another program, from line {differs:?} on; BLESS=1 writes it:\n{code}", file.display());
}

/// A function begins a line and ends with a line of its own.
fn own_code(text: &str) -> impl Iterator<Item = &str> {
    let mut is_left_out = false;
    text.lines().filter(move |line| {
        let begins = ["fn plain", "struct Plain", "pub fn example"].iter().any(|begin| line.starts_with(begin));
        let was_left_out = is_left_out;
        is_left_out = (is_left_out || begins) && *line != "}";
        let is_code = !line.trim().is_empty() && !line.trim().starts_with("//");
        is_code && !begins && !was_left_out
    })
}

/// The code of an example without its plain twin and the comparison with it.
#[test]
fn examples_are_short() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for (name, _) in stage_examples::EXAMPLES.into_iter().filter(|(name, _)| *name != "query") {
        let text = fs::read_to_string(format!("{folder}/{name}.rs")).expect("its source");
        let lines = own_code(&text).count();
        assert!(lines <= 60, "{name} has {lines} lines of code");
        let all = text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//")).count();
        assert!(all <= 120, "{name} has {all} lines with its comparison");
    }
}
