//! Comments begin with a noun or verb phrase, as in the documentation of other compilers.

use super::{File, Violation};

/// Words that begin a free relative clause ("What is left of …", "Where an item goes").
const RELATIVE: [&str; 9] = ["How", "What", "Whatever", "Where", "Wherever", "Whichever", "Who", "Whoever", "Whom"];

const REMEDY: &str = "begin with a noun or verb phrase, such as \"Number of …\", \"Position of …\" or \"Returns …\"";

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    files.iter().filter(|file| file.has_extension(&["rs"])).flat_map(violations).collect()
}

fn violations(file: &File) -> Vec<Violation> {
    let blocks = blocks(&file.text);
    let found = blocks.iter().filter_map(|(line, text)| {
        let clause = free_relative(text)?;
        Some(file.violation(*line, format!("the comment begins with a free relative clause (`{clause}`)"), REMEDY))
    });
    found.collect()
}

/// Line number and text of each comment block: adjacent lines with the same marker.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = vec![];
    let mut open = "";
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let marker = ["//!", "///", "//"].into_iter().find(|marker| line.starts_with(marker)).unwrap_or_default();
        let words = line[marker.len()..].trim();
        match blocks.last_mut() {
            Some((_, block)) if !marker.is_empty() && marker == open => *block += &format!(" {words}"),
            _ if marker.is_empty() => {}
            _ => blocks.push((index + 1, words.into())),
        }
        open = marker;
    }
    blocks
}

/// The words of a free relative clause that a comment begins with; `None` for any other beginning.
fn free_relative(text: &str) -> Option<&'static str> {
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let sentence = text.split(['.', ';', ':']).next().unwrap_or_default();
    if first == "Whether" && format!("{sentence} ").replace(',', " ").contains(" or not ") {
        return Some("Whether … or not");
    }
    RELATIVE.into_iter().find(|word| *word == first)
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    #[test]
    fn every_block_that_begins_with_a_free_relative_clause_is_reported() {
        let text = "//! What a file is.\n//! Where it lies.\n\n/// Who calls.\nfn a() {\n    // How it works: slowly,\n    // where needed.\n\
                    \n    // However it is.\n}\n/// Whichever is less.\nfn b() {}\n";
        assert_eq!(places(&[("a.rs", text)]), ["a.rs:1", "a.rs:4", "a.rs:6", "a.rs:11"]);
    }

    #[test]
    fn whether_is_a_condition_unless_it_is_none() {
        let file = |line: &str| format!("//! A file.\n/// {line}\nfn a() {{}}\n");
        assert_eq!(places(&[("a.rs", &file("Whether there is a value."))]), [""; 0]);
        assert_eq!(places(&[("a.rs", &file("Whether it is used or not, it stays."))]), ["a.rs:2"]);
        assert_eq!(places(&[("a.rs", &file("Whether it is used. Errors or not all are kept."))]), [""; 0]);
    }

    #[test]
    fn phrases_and_other_files_are_fine() {
        let text =
            "//! Where-clauses and `what` are words.\n/// Returns what is left.\nfn what() { let s = \"// What\"; }\n";
        assert_eq!(places(&[("a.rs", &text.replace("Where-clauses", "Clauses"))]), [""; 0]);
        assert_eq!(places(&[("a.mjs", "//! A file.\n// What it does.\n")]), [""; 0]);
    }
}
