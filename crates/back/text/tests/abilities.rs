//! Snapshots: each program of `tests/cases`, in the languages that its `// write:` lines name, against the committed text
//! beside it. `BLESS=1` rewrites that.

use planish_back_text::{Abilities, Choice, FarJumps, Results};
use planish_testkit::{committed, files};

use crate::tiny::{Flavour, abilities, read, write};

const CASES: &str = "crates/back/text/tests/cases";

/// `c`, `c flags`, `wgsl minify`: the language, whether minified, whether globals are in a context.
fn parse(words: &str) -> (Flavour, Abilities, [bool; 2]) {
    let mut words = words.split(' ');
    let flavour = match words.next() {
        Some("c") => Flavour::C,
        Some("wgsl") => Flavour::Wgsl,
        Some("rust") => Flavour::Rust,
        other => panic!("no language: {other:?}"),
    };
    let mut abilities = abilities(flavour);
    let [mut minify, mut context] = [false; 2];
    for word in words {
        match word {
            "minify" => minify = true,
            "context" => context = true,
            "flags" => abilities.far_jumps = FarJumps::Flags,
            "no_fallthrough" => abilities.fallthrough = false,
            "no_choice" => abilities.choice = Choice::None,
            "parameters" => abilities.several_results = Results::Parameters,
            "plain" => (abilities.compound_assignment, abilities.increments) = (false, false),
            _ => panic!("no ability: {word}"),
        }
    }
    (flavour, abilities, [minify, context])
}

#[test]
fn each_ability_is_written_as_before() {
    let paths = files(CASES, "ir");
    assert!(paths.len() >= 12, "{}", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let module = read(&text);
        let mut out = String::new();
        for words in text.lines().filter_map(|l| l.strip_prefix("// write: ")) {
            let (flavour, abilities, [minify, context]) = parse(words);
            let written = match write(&module, flavour, abilities, minify, context) {
                Ok(text) => text,
                Err(errors) => errors.iter().map(|e| format!("error[{:?}]: {}\n", e.code, e.message)).collect(),
            };
            out.push_str(&format!("== {words}\n{}\n\n", written.trim_end()));
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        committed(&format!("{CASES}/{name}.txt"), &format!("{}\n", out.trim_end()));
    }
}
