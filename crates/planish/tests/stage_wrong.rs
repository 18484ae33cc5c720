//! Programs in staged Rust that rustc refuses: what it says of each, and where.
//!
//! `tests/stage/wrong.rs` is compiled with the library of this test. An error is expected in each line that ends with `//~ CODE: words`, with these words in the
//! message, its labels or its notes; several are separated by `//~`.

use std::path::{Path, PathBuf};
use std::process::Command;

use planish_testkit::{folder, scratch};

const FILE: &str = "tests/stage/wrong.rs";

/// The newest library of `planish` that has been built beside this test.
fn library(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder).expect("the folder of this test").filter_map(Result::ok);
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libplanish-") && name.ends_with(".rlib")
    };
    let libraries = files.map(|file| file.path()).filter(is_it);
    let time = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    libraries.max_by_key(time).expect("the library has been built for this test")
}

/// An error of rustc: its line, its code, and its text with labels and notes.
#[derive(Debug)]
struct Found {
    line: usize,
    code: String,
    text: String,
}

fn found(output: &str) -> Vec<Found> {
    let blocks = output.split("\nerror[").map(|block| block.trim_start_matches("error["));
    let error = |block: &str| {
        let (code, text) = block.split_once(']')?;
        let place = text.split("wrong.rs:").nth(1)?;
        let line = place.split(':').next()?.parse().ok()?;
        Some(Found { line, code: code.to_owned(), text: text.to_owned() })
    };
    blocks.filter(|block| block.starts_with('E')).filter_map(error).collect()
}

#[test]
fn rustc_says_what_is_wrong() {
    let test = std::env::current_exe().expect("a test has a path");
    let deps = test.parent().expect("a test is in a folder");
    let metadata = scratch("stage_wrong").join("wrong.rmeta");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--color=never", "-o"])
        .arg(metadata)
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("--extern")
        .arg(format!("planish={}", library(deps).display()))
        .arg(FILE)
        .current_dir(folder("."))
        .output()
        .expect("rustc can be started");
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut all = found(&output);
    let source = std::fs::read_to_string(folder(FILE)).expect("it is part of the repository");
    let (mut missing, mut count) = (Vec::new(), 0);
    for (number, line) in source.lines().enumerate() {
        for expected in line.split("//~").skip(1) {
            let (code, words) = expected.trim().split_once(": ").expect("a code, and words");
            let is_it = |found: &Found| found.line == number + 1 && found.code == code && found.text.contains(words);
            match all.iter().position(is_it) {
                Some(index) => drop(all.remove(index)),
                None => missing.push(format!("{}: {code}: {words}", number + 1)),
            }
            count += 1;
        }
    }
    assert!(missing.is_empty() && all.is_empty(), "missing: {missing:#?}\nnot expected: {all:#?}\n{output}");
    assert!(count >= 50, "{count}");
}
