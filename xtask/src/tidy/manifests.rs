//! Rules for `Cargo.toml` files: dependencies point one way, versions are declared once, lints are the workspace's.

use super::{File, Violation};
use crate::first;

/// Dependencies of each crate allowed by the architecture; `None`: all of them.
const MAY_USE: &[(&str, Option<&[&str]>)] = &[
    ("planish-ir", Some(&[])),
    ("planish-eval", Some(&["planish-ir"])),
    ("planish-reference", Some(&["planish-ir"])),
    ("planish-target", Some(&["planish-ir"])),
    ("planish-opt", Some(&["planish-ir", "planish-target"])),
    ("planish-machine", Some(&["planish-ir", "planish-target"])),
    ("planish-vm", Some(&["planish-back-native", "planish-ir", "planish-machine"])),
    ("planish-vm-tests", None),
    ("planish-wasi", Some(&["planish-vm"])),
    ("planish-flatten", Some(&["planish-ir", "planish-opt", "planish-target"])),
    ("planish-front-", Some(&["planish-ir"])),
    ("planish-stage-macros", Some(&[])),
    ("planish-interface", Some(&["planish-ir"])),
    ("planish-back-native", Some(&["planish-back-header", "planish-ir", "planish-machine"])),
    ("planish-runtime", Some(&["planish-ir", "planish-machine"])),
    ("planish-back-header", Some(&["planish-ir", "planish-machine"])),
    ("planish-back-text", Some(&["planish-ir", "planish-target"])),
    (
        "planish-back-",
        Some(&[
            "planish-back-header",
            "planish-back-shading",
            "planish-back-text",
            "planish-ir",
            "planish-interface",
            "planish-target",
        ]),
    ),
    ("planish", None),
    ("planish-files", Some(&["planish"])),
    ("planish-build", Some(&["planish", "planish-files"])),
    ("planish-macros", Some(&["planish", "planish-files"])),
    ("planish-cli", None),
    ("planish-generate", Some(&[])),
    ("planish-testkit", None),
    ("planish-bench", None),
    ("planish-bench-wasm", None),
    ("planish-c", Some(&["planish"])),
    ("planish-datafusion", Some(&["planish"])),
    ("planish-js", Some(&["planish"])),
    ("planish-python", Some(&["planish", "planish-cli"])),
    ("planish-fuzz", None),
    ("planish-tests", None),
    ("graph-reader", Some(&[])),
    ("linear-algebra", Some(&["planish"])),
    ("stage-ahead", Some(&["planish", "planish-runtime"])),
    ("build-shader", Some(&["planish", "planish-build"])),
    ("wgpu-shader", Some(&["planish", "planish-build"])),
    ("stage-examples", Some(&["planish"])),
    ("zk-machine", Some(&["planish-ir", "planish-machine", "planish-opt", "planish-target"])),
    ("xtask", Some(&[])),
    ("conformance", None),
    ("elementary-check", Some(&["planish-ir", "planish-opt", "planish-target", "planish-vm"])),
    ("materialx-check", None),
    ("matrix-check", None),
    ("msl-check", None),
    ("optimizer-check", None),
    ("one-build", Some(&[])),
    ("planish-gl", Some(&[])),
    ("gpu-check", None),
    ("refused", Some(&["planish"])),
    ("sqlite-driver", Some(&["planish-vm"])),
    ("wasm-check", None),
];

/// The crates that have `unsafe` blocks: one calls C, two are called by C and JavaScript, one is called by object files, one is the dispatch of an interpreter and calls machine code, and one calls the
/// functions that its build script has compiled. Each block has its justification.
const HAS_UNSAFE: [&str; 6] = ["planish-c", "planish-gl", "planish-js", "planish-runtime", "planish-vm", "stage-ahead"];

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let mut violations = vec![];
    // (A first program is not of the workspace: its dependencies are those of a user.)
    let ours = |file: &&File| file.name() == "Cargo.toml" && !file.path.starts_with(first::FOLDER);
    for file in files.iter().filter(ours) {
        let lines = sections(&file.text);
        let Some(package) = name(&lines) else { continue };
        direction(file, &package, &lines, &mut violations);
        versions(file, &lines, &mut violations);
        tests_that_never_run(file, files, &lines, &mut violations);
        // A crate with a workspace of its own (a fuzz target) has nothing to inherit.
        let own_workspace = lines.iter().any(|line| line.section == "workspace");
        let exempt = own_workspace || HAS_UNSAFE.contains(&package.as_str()) && asks_for_reasons(&lines);
        if !exempt && !lines.iter().any(|line| line.section == "lints" && line.text == "workspace = true") {
            violations.push(file.violation(
                1,
                "the crate has lints of its own",
                "add `[lints]` with `workspace = true`",
            ));
        }
    }
    violations
}

/// Whether the lints require a `// SAFETY:` comment on `unsafe` blocks.
fn asks_for_reasons(lines: &[Line<'_>]) -> bool {
    let lint = |line: &Line<'_>| line.section == "lints.clippy" && line.text.starts_with("undocumented_unsafe_blocks");
    lines.iter().any(lint)
}

/// A line that is not empty or a comment, with its section.
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) section: &'a str,
    pub(super) text: &'a str,
}

/// The lines of a manifest.
pub(super) fn sections(text: &str) -> Vec<Line<'_>> {
    let mut section = "";
    let mut lines = vec![];
    for (i, text) in text.lines().enumerate() {
        let text = text.trim();
        if let Some(name) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            section = name.trim_matches(['[', ']']);
        }
        if !text.is_empty() && !text.starts_with('#') {
            lines.push(Line { number: i + 1, section, text });
        }
    }
    lines
}

/// The name of the package.
pub(super) fn name(lines: &[Line<'_>]) -> Option<String> {
    let line = lines.iter().find(|line| line.section == "package" && line.text.starts_with("name"))?;
    Some(line.text.split('"').nth(1)?.to_string())
}

/// The dependency that a line declares, in any of TOML's notations.
pub(super) fn dependency<'a>(line: &Line<'a>) -> Option<&'a str> {
    let in_table = ["dependencies", "dev-dependencies", "build-dependencies"].iter().any(|kind| {
        line.section == *kind || line.section.strip_suffix(kind).is_some_and(|before| before.ends_with('.'))
    });
    let header = line.section.split_once("dependencies.").map(|(_, name)| name);
    match (in_table, header) {
        (true, _) if !line.text.starts_with('[') => line.text.split(['.', '=', ' ']).next(),
        (_, Some(name)) => Some(name),
        _ => None,
    }
}

fn direction(file: &File, package: &str, lines: &[Line<'_>], violations: &mut Vec<Violation>) {
    let rule = MAY_USE.iter().find(|(name, _)| *name == package || name.ends_with('-') && package.starts_with(name));
    let Some((_, allowed)) = rule else {
        let remedy = "say in xtask/src/tidy/manifests.rs which of our crates it may use";
        violations.push(file.violation(1, format!("`{package}` has no row in the table of dependencies"), remedy));
        return;
    };
    let Some(allowed) = allowed else { return };
    for line in lines.iter().filter(|line| !line.section.contains("dev-dependencies")) {
        let Some(used) = dependency(line) else { continue };
        if used.starts_with("planish") && !allowed.contains(&used) {
            let remedy = "move what it needs down into `planish-ir`, or up into `planish`";
            violations.push(file.violation(line.number, format!("`{package}` must not know `{used}`"), remedy));
        }
    }
}

fn versions(file: &File, lines: &[Line<'_>], violations: &mut Vec<Violation>) {
    // A crate with a workspace of its own cannot inherit this one's versions.
    if ["benches", "bindings", "fuzz"].iter().any(|folder| file.path.starts_with(folder)) {
        return;
    }
    for line in lines.iter().filter(|line| !line.section.starts_with("workspace")) {
        let Some(used) = dependency(line) else { continue };
        let value = line.text.split_once('=').map(|(_, value)| value.trim()).unwrap_or_default();
        let spelled = value.starts_with('"') || line.text.contains("version") || line.text.contains("git =");
        let inherited = line.text.contains("workspace");
        if spelled && !inherited {
            let remedy = "give it in `[workspace.dependencies]` of the root, and `workspace = true` here";
            violations.push(file.violation(line.number, format!("a version of `{used}` outside the root"), remedy));
        }
    }
}

/// The tests of a crate are one program, so a new file of tests must be named in its `main.rs`; and what has no unit tests is not
/// built for them, so the first one must take that back.
fn tests_that_never_run(manifest: &File, files: &[File], lines: &[Line<'_>], violations: &mut Vec<Violation>) {
    let folder = manifest.path.strip_suffix("Cargo.toml").expect("it is a manifest");
    let has = |text: &str| lines.iter().any(|line| line.text == text);
    if has("autotests = false") {
        let root = files.iter().find(|file| file.path == format!("{folder}tests/main.rs"));
        // The tests may be a package of their own.
        let package = files.iter().find(|file| file.path == format!("{folder}tests/Cargo.toml"));
        let declares =
            |text: &str| package.is_some_and(|file| sections(&file.text).iter().any(|line| line.text == text));
        let in_tests =
            |file: &&File| file.path.strip_prefix(folder).is_some_and(|f| f == format!("tests/{}", file.name()));
        for file in files.iter().filter(|file| file.has_extension(&["rs"]) && file.name() != "main.rs").filter(in_tests)
        {
            let stem = file.name().trim_end_matches(".rs");
            let is_module = root.is_some_and(|root| root.text.lines().any(|line| line == format!("mod {stem};")));
            let program = format!("name = \"{stem}\"");
            if !is_module && !has(&program) && !declares(&program) {
                let remedy = format!("add `mod {stem};` to {folder}tests/main.rs");
                violations.push(file.violation(1, "no program has these tests", remedy));
            }
        }
    }
    if has("test = false") {
        let in_source = |file: &&File| file.path.strip_prefix(folder).is_some_and(|f| f.starts_with("src/"));
        for file in files.iter().filter(in_source).filter(|file| file.text.contains("#[test]")) {
            let remedy = format!("take `test = false` out of {}", manifest.path);
            violations.push(file.violation(1, "these tests are never built", remedy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    fn manifest(name: &str, dependencies: &str) -> String {
        format!("[package]\nname = \"{name}\"\n[lints]\nworkspace = true\n[dependencies]\n{dependencies}\n")
    }

    #[test]
    fn dependencies_point_one_way() {
        let up = manifest("planish-ir", "planish-eval.workspace = true");
        assert_eq!(places(&[("ir/Cargo.toml", &up)]), ["ir/Cargo.toml:6"]);
        let sideways =
            manifest("planish-front-glsl", "planish-ir.workspace = true\nplanish-back-glsl = { workspace = true }");
        assert_eq!(places(&[("f/Cargo.toml", &sideways)]), ["f/Cargo.toml:7"]);
        let table = manifest("planish-opt", "[dependencies.planish-flatten]\nworkspace = true");
        assert!(places(&[("o/Cargo.toml", &table)]).contains(&"o/Cargo.toml:6".to_string()));
        assert_eq!(places(&[("p/Cargo.toml", &manifest("planish", &up))]).len(), 0);
        assert_eq!(places(&[("n/Cargo.toml", &manifest("newcomer", ""))]), ["n/Cargo.toml:1"]);
    }

    #[test]
    fn tests_may_use_what_they_compare_with() {
        let text =
            manifest("planish-opt", "planish-ir.workspace = true\n[dev-dependencies]\nplanish-eval.workspace = true");
        assert_eq!(places(&[("o/Cargo.toml", &text)]), [""; 0]);
    }

    #[test]
    fn every_test_runs() {
        let whole = format!("{}autotests = false\n[[test]]\nname = \"own\"\n", manifest("planish", ""));
        let [root, test] = ["//! Tests.\nmod a;\n", "//! Tests.\n"];
        let files =
            [("p/Cargo.toml", &*whole), ("p/tests/main.rs", root), ("p/tests/a.rs", test), ("p/tests/own.rs", test)];
        assert_eq!(places(&files), [""; 0]);
        assert_eq!(places(&[&files[..], &[("p/tests/b.rs", test)]].concat()), ["p/tests/b.rs:1"]);
        let without = format!("{}[lib]\ntest = false\n", manifest("planish", ""));
        let source = "//! Source.\n#[test]\nfn a() {}\n";
        assert_eq!(places(&[("p/Cargo.toml", &without), ("p/src/a.rs", source)]), ["p/src/a.rs:1"]);
    }

    #[test]
    fn versions_stand_once() {
        let spelled = manifest("planish", "naga = \"30\"\nserde = { version = \"1\" }\npng.workspace = true");
        assert_eq!(places(&[("p/Cargo.toml", &spelled)]), ["p/Cargo.toml:6", "p/Cargo.toml:7"]);
    }
}
