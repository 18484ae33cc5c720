//! Rules for crates that are published: their manifests are complete, their packages have a README and both licences, and
//! nothing in them reads a file of the repository.

use std::fs;
use std::path::Path;

use super::manifests::{Line, dependency, name, sections};
use super::{File, Violation};

/// The licences of the root, of which each package has a copy. (Git makes links on some systems only on request.)
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Crates that people name in their own manifests, or install: each has a README of its own. That of all others is made from the
/// description.
const WAYS_IN: [&str; 4] = ["planish", "planish-build", "planish-cli", "planish-runtime"];

/// Crates that only tests use; their names do not occur in the source of a package.
const OF_TESTS: [&str; 3] = ["planish_generate", "planish_reference", "planish_testkit"];

/// Parts of lines that read a file when a crate is compiled.
const READS: [&str; 5] = ["include_str!(", "include_bytes!(", "include!(", "#[path", "CARGO_MANIFEST_DIR"];

const BLESS: &str = "run `BLESS=1 cargo xtask tidy`";

/// A published crate.
struct Package<'a> {
    manifest: &'a File,
    /// The folder, with `/` at the end.
    folder: &'a str,
    name: String,
    lines: Vec<Line<'a>>,
}

impl Package<'_> {
    /// Value of a key of `[package]`.
    fn value(&self, key: &str) -> Option<&str> {
        let of_package = self.lines.iter().filter(|line| line.section == "package");
        let mut pairs = of_package.filter_map(|line| line.text.split_once('='));
        pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    }

    /// The files that every package has, beside the manifest: the path, and the text if it follows from others.
    fn files(&self, licences: &[&File]) -> Vec<(String, Option<String>)> {
        let mut files: Vec<_> = licences
            .iter()
            .map(|licence| (format!("{}{}", self.folder, licence.path), Some(licence.text.clone())))
            .collect();
        let readme = (!WAYS_IN.contains(&&*self.name)).then(|| self.readme());
        files.push((format!("{}README.md", self.folder), readme));
        files
    }

    fn readme(&self) -> String {
        let description = self.value("description").unwrap_or_default().trim_matches('"');
        format!(
            "# {}\n\n{description}\n\nThis crate is a part of Planish, a compiler for shaders, WebAssembly, VL and staged Rust. Programs use the crate \
             `planish`; the\ncommand is in `planish-cli`. Versions of this crate fit those of the same number only.\n\n\
             Planish is licensed under MIT or Apache-2.0, as you like.\n",
            self.name
        )
    }
}

/// Whether a crate is published: it says so itself, since the workspace says no.
fn is_published(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| line.section == "package" && line.text == "publish = true")
}

fn packages(files: &[File]) -> Vec<Package<'_>> {
    files.iter().filter(|file| file.name() == "Cargo.toml").filter_map(package).collect()
}

/// The package of a manifest, if it is published.
fn package(manifest: &File) -> Option<Package<'_>> {
    let lines = sections(&manifest.text);
    let name = name(&lines).filter(|_| is_published(&lines))?;
    let folder = manifest.path.strip_suffix("Cargo.toml").expect("it is a manifest");
    Some(Package { manifest, folder, name, lines })
}

fn licences(files: &[File]) -> Vec<&File> {
    LICENCES.iter().filter_map(|path| files.iter().find(|file| file.path == *path)).collect()
}

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let (packages, licences) = (packages(files), licences(files));
    let mut violations = vec![];
    for package in &packages {
        complete(package, &mut violations);
        for (path, text) in package.files(&licences) {
            let found = files.iter().find(|file| file.path == path);
            match (found, text) {
                (None, None) => {
                    let what = format!("`{}` has no README.md", package.name);
                    violations.push(package.manifest.violation(1, what, "write it: people come by this crate"));
                }
                (None, Some(_)) => {
                    violations.push(package.manifest.violation(1, format!("{path} is missing"), BLESS));
                }
                (Some(found), Some(text)) if found.text != text => {
                    violations.push(found.violation(1, "the file is not the one that packages have", BLESS));
                }
                _ => {}
            }
        }
        for file in files.iter().filter(|file| file.path.starts_with(package.folder)) {
            outside(package, file, &mut violations);
        }
    }
    if let Some(root) = files.iter().find(|file| file.path == "Cargo.toml") {
        versions(root, &packages, &mut violations);
    }
    violations
}

/// Writes the files of packages that follow from others.
pub(super) fn bless(root: &Path, files: &[File]) -> std::io::Result<()> {
    let licences = licences(files);
    for (path, text) in packages(files).iter().flat_map(|package| package.files(&licences)) {
        let is_same = |text: &str| files.iter().any(|file| file.path == path && file.text == text);
        if let Some(text) = text.filter(|text| !is_same(text)) {
            fs::write(root.join(path), text)?;
        }
    }
    Ok(())
}

/// Checks for the keys that a registry asks for.
fn complete(package: &Package<'_>, violations: &mut Vec<Violation>) {
    let mut broken = |what: String, remedy: &str| violations.push(package.manifest.violation(1, what, remedy));
    let list = |key: &str| {
        let value = package.value(key).unwrap_or_default().trim_matches(['[', ']']);
        value.split(',').map(|word| word.trim().trim_matches('"').to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let description = package.value("description").unwrap_or_default();
    if !description.ends_with(".\"") || description.contains(". ") {
        broken("the description is not one sentence".into(), "say in `description` what the crate is, in one sentence");
    }
    let (keywords, categories): (Vec<String>, Vec<String>) = (list("keywords"), list("categories"));
    let is_keyword = |word: &String| word.len() <= 20 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !(1..=5).contains(&keywords.len()) || !keywords.iter().all(is_keyword) {
        broken(
            "`keywords` are not one to five words".into(),
            "registries take words of at most 20 letters, digits or `-`",
        );
    }
    if !(1..=5).contains(&categories.len()) {
        broken("`categories` are not one to five".into(), "choose from the list of crates.io");
    }
    let inherited = package.lines.iter().filter(|line| line.section == "package").map(|line| line.text);
    let inherited: Vec<&str> = inherited.collect();
    for key in ["version", "edition", "rust-version", "license", "authors", "include"] {
        if !inherited.contains(&&*format!("{key}.workspace = true")) {
            broken(format!("`{key}` is not the workspace's"), "add it with `.workspace = true`");
        }
    }
}

/// Source that reads files outside of the package's folder, or knows crates of tests, is broken where it is published.
fn outside(package: &Package<'_>, file: &File, violations: &mut Vec<Violation>) {
    let path = &file.path[package.folder.len()..];
    if !file.has_extension(&["rs"]) || !(path == "build.rs" || path.starts_with("src/")) {
        return;
    }
    // Few do, and lines are many.
    if !READS.iter().chain(&OF_TESTS).any(|word| file.text.contains(word)) {
        return;
    }
    let depth = path.matches('/').count();
    for (number, line) in file.text.lines().enumerate() {
        let reads = READS.iter().any(|word| line.contains(word));
        let leaves = match path {
            "build.rs" => line.contains("\"..") || line.contains("\"/.."),
            _ => reads && line.matches("../").count() > depth,
        };
        if leaves {
            let remedy = "move the file into the crate, or the code into its tests";
            violations.push(file.violation(number + 1, "reads a file that is not in the package", remedy));
        }
        if OF_TESTS.iter().any(|krate| line.contains(&format!("{krate}::"))) {
            let remedy = "move the test into the folder `tests` of the crate";
            violations.push(file.violation(number + 1, "uses a crate that is not published", remedy));
        }
    }
}

/// Crates of the workspace have a version in the root exactly if they are published, and it is the workspace's own.
fn versions(root: &File, packages: &[Package<'_>], violations: &mut Vec<Violation>) {
    let lines = sections(&root.text);
    let version = lines.iter().find(|line| line.section == "workspace.package" && line.text.starts_with("version"));
    let version = version.and_then(|line| line.text.split('"').nth(1)).unwrap_or_default();
    for line in lines.iter().filter(|line| line.section == "workspace.dependencies" && line.text.contains("path = ")) {
        let used = dependency(&Line { section: "dependencies", ..*line }).unwrap_or_default();
        let is_published = packages.iter().any(|package| package.name == used);
        let has_version = line.text.contains(&format!("version = \"={version}\""));
        if is_published != has_version || line.text.contains("version") != has_version {
            let what = format!("the version of `{used}`, which is {}published", if is_published { "" } else { "not " });
            let remedy = format!("published crates, and only they, have `version = \"={version}\"` here");
            violations.push(root.violation(line.number, what, remedy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    const LICENCES: [(&str, &str); 2] = [("LICENSE-APACHE", "Apache\n"), ("LICENSE-MIT", "MIT\n")];
    const COPIES: [(&str, &str); 2] = [("r/LICENSE-APACHE", "Apache\n"), ("r/LICENSE-MIT", "MIT\n")];

    fn manifest(description: &str) -> String {
        let inherited = ["version", "edition", "rust-version", "license", "authors", "include"];
        let inherited: String = inherited.iter().map(|key| format!("{key}.workspace = true\n")).collect();
        format!(
            "[package]\nname = \"planish-runtime\"\ndescription = \"{description}\"\nkeywords = [\"a\"]\n\
             categories = [\"b\"]\n{inherited}publish = true\n[lints]\nworkspace = true\n"
        )
    }

    #[test]
    fn packages_are_complete() {
        let good = manifest("It runs.");
        let files = [("r/Cargo.toml", &*good), ("r/README.md", "# Runtime\n")];
        assert_eq!(places(&[&LICENCES[..], &COPIES, &files].concat()), [""; 0]);
        assert_eq!(places(&[&LICENCES[..], &files].concat()), ["r/Cargo.toml:1"; 2]);
        let other = [("r/LICENSE-APACHE", "Apache\n"), ("r/LICENSE-MIT", "GPL\n")];
        assert_eq!(places(&[&LICENCES[..], &other, &files].concat()), ["r/LICENSE-MIT:1"]);
        assert_eq!(places(&[&LICENCES[..], &COPIES, &files[..1]].concat()), ["r/Cargo.toml:1"]);
        for bad in [manifest("It runs"), manifest("It runs. Fast."), good.replace("authors.w", "homepage.w")] {
            assert_eq!(places(&[&COPIES[..], &[("r/Cargo.toml", &bad), files[1]]].concat()), ["r/Cargo.toml:1"]);
        }
    }

    #[test]
    fn the_readme_follows_from_the_description() {
        let inner = manifest("It maps.").replace("planish-runtime", "planish-ir");
        assert_eq!(
            places(&[("r/Cargo.toml", &inner), ("r/README.md", "# planish-ir\n\nIt walks.\n")]),
            ["r/README.md:1"]
        );
    }

    #[test]
    fn packages_read_nothing_outside_of_them() {
        let good = manifest("It runs.");
        let with = |path: &'static str, line: &str| {
            let text = format!("//! A file.\n{line}\n");
            places(&[("r/Cargo.toml", &good), ("r/README.md", "# R\n"), (path, &text)])
        };
        assert_eq!(with("r/src/a/b.rs", "include_str!(\"../../library/c.vl\")"), ["r/src/a/b.rs:2"; 0]);
        assert_eq!(with("r/src/a/b.rs", "include_str!(\"../../../docs/c.md\")"), ["r/src/a/b.rs:2"]);
        let build = "let pages = Path::new(&env::var(\"CARGO_MANIFEST_DIR\")?).join(\"../../docs\");";
        assert_eq!(with("r/build.rs", build), ["r/build.rs:2"]);
        assert_eq!(with("r/src/a.rs", "use planish_testkit::files;"), ["r/src/a.rs:2"]);
        assert_eq!(with("r/tests/a.rs", "use planish_testkit::files;"), [""; 0]);
    }

    #[test]
    fn versions_follow_publication() {
        let good = manifest("It runs.");
        let root = |row: &str| format!("[workspace.package]\nversion = \"0.3.0\"\n[workspace.dependencies]\n{row}\n");
        let with = |row: &str| places(&[("r/Cargo.toml", &good), ("r/README.md", "# R\n"), ("Cargo.toml", &root(row))]);
        assert_eq!(with("planish-runtime = { path = \"r\", version = \"=0.3.0\" }\nxtask = { path = \"x\" }"), [""; 0]);
        assert_eq!(with("planish-runtime = { path = \"r\" }"), ["Cargo.toml:4"]);
        assert_eq!(with("planish-runtime = { path = \"r\", version = \"=0.2.0\" }"), ["Cargo.toml:4"]);
        assert_eq!(with("xtask = { path = \"x\", version = \"=0.3.0\" }"), ["Cargo.toml:4"]);
    }
}
