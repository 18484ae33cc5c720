//! Each example makes the program that it says, which computes what plain Rust does.

#[test]
fn examples_run() {
    for (name, example) in stage_examples::EXAMPLES {
        let shown = example().unwrap_or_else(|error| panic!("{name}: {error}"));
        let has = |text: &str| shown.code.contains(text);
        let count = |text: &str| shown.code.matches(text).count();
        match name {
            "power" => assert!(!has("loop") && count("multiply") == 5, "{}", shown.code),
            "fft" | "sparse" => assert!(!has("loop"), "{}", shown.code),
            "interpreter" => assert!(!has("call"), "{}", shown.code),
            _ => assert!(has("loop"), "{name}: {}", shown.code),
        }
    }
}

#[test]
fn examples_are_short() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for (name, _) in stage_examples::EXAMPLES.into_iter().filter(|(name, _)| *name != "query") {
        let text = std::fs::read_to_string(format!("{folder}/{name}.rs")).expect("its source");
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
        let lines = text.lines().filter(is_code).count();
        assert!(lines <= 60, "{name} has {lines} lines of code");
    }
}
