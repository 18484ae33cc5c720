//! Relative links in the Markdown files lead somewhere.

use super::{File, Violation};

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let mut violations = vec![];
    for file in files.iter().filter(|file| file.has_extension(&["md"])) {
        let mut in_code = false;
        for (number, line) in file.text.lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            for target in links(line).filter(|_| !in_code) {
                let path = target.split('#').next().unwrap_or_default();
                if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                    continue;
                }
                let wanted = resolve(&file.path, path);
                let exists =
                    files.iter().any(|other| other.path == wanted || other.path.starts_with(&format!("{wanted}/")));
                if !exists && !is_picture(path) {
                    let remedy = "name a file of the repository, from the file with the link";
                    violations.push(file.violation(
                        number + 1,
                        format!("the link to `{target}` leads nowhere"),
                        remedy,
                    ));
                }
            }
        }
    }
    violations
}

/// The targets of `[text](target)` outside of code spans.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let outside_code = line.split('`').step_by(2);
    outside_code.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

/// Pictures are not text, so they are not among the files that tidy reads.
fn is_picture(path: &str) -> bool {
    [".png", ".jpg", ".gif"].iter().any(|end| path.ends_with(end))
}

/// `path` as seen from the folder of `from`.
fn resolve(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    #[test]
    fn links_lead_somewhere() {
        let target = ("docs/numerics.md", "# Numerics\n");
        assert_eq!(places(&[("README.md", "[n](docs/numerics.md#nan) [d](docs) `[x](y)`"), target]), [""; 0]);
        assert_eq!(places(&[("docs/a.md", "[up](../README.md)"), target]), ["docs/a.md:1"]);
        assert_eq!(places(&[("docs/a.md", "[n](./numerics.md)"), target]), [""; 0]);
    }
}
