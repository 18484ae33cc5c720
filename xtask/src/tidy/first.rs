//! Rules for the first programs: each has few lines, depends on the version that is published next, and is found from the README.

use super::{File, Violation};
use crate::first::{FOLDER, MAX_LINES, all};

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let Some(readme) = files.iter().find(|file| file.path == "README.md") else { return vec![] };
    let mut violations = vec![];
    for program in all() {
        let folder = format!("{}/", program.path);
        let own = files.iter().filter(|file| file.path == program.path || file.path.starts_with(&folder));
        let Some(first) = own.clone().next() else { continue };
        let lines: usize = own.map(|file| file.text.lines().count()).sum();
        if lines > MAX_LINES {
            let what = format!("the program {} has {lines} lines, and a first one has {MAX_LINES}", program.path);
            violations.push(first.violation(1, what, "leave something out"));
        }
        if !readme.text.contains(&format!("({})", program.path)) {
            let what = format!("{} is not linked", program.path);
            violations.push(readme.violation(1, what, "link it under `First programs`"));
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    for file in files.iter().filter(|file| file.path.starts_with(FOLDER) && file.name() == "Cargo.toml") {
        let is_ours = |line: &str| line.starts_with("planish");
        for (at, line) in file.text.lines().enumerate().filter(|(_, line)| is_ours(line)) {
            if !line.ends_with(&format!("= \"{version}\"")) {
                violations.push(file.violation(at + 1, "another version than the workspace's", "depend on that one"));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use crate::first::all;
    use crate::tidy::File;

    #[test]
    fn first_programs_are_short_and_linked() {
        let links: String = all().map(|program| format!("[a program]({})\n", program.path)).collect();
        let places = |files: &[(&str, &str)]| {
            let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
            let violations = super::check(&files.iter().map(file).collect::<Vec<_>>());
            violations.iter().map(|found| format!("{}:{}", found.file, found.line)).collect::<Vec<_>>()
        };
        let (path, long) = ("examples/first/gradient.py", "\n".repeat(41));
        assert_eq!(places(&[("README.md", &links), (path, &long[1..])]), [""; 0]);
        assert_eq!(places(&[("README.md", &links), (path, &long)]), [format!("{path}:1")]);
        assert_eq!(places(&[("README.md", "# Planish\n"), (path, &long[1..])]), ["README.md:1"]);
        let (name, main) = ("examples/first/own-rule/Cargo.toml", "examples/first/own-rule/src/main.rs");
        let old = "[package]\nname = \"own-rule\"\n\n[dependencies]\nplanish = \"0.0.1\"\n";
        let found = places(&[("README.md", &links), (name, old), (main, &long[5..])]);
        assert_eq!(found, [format!("{name}:1"), format!("{name}:5")]);
    }
}
