//! The stable codes of diagnostics: each has a page, each page has a code, and each is used.

use std::collections::BTreeMap;

use super::{File, Violation};

/// The table of the codes.
const TABLE: &str = "crates/ir/src/diagnostic/codes.rs";
/// The pages that `planish explain` prints.
const PAGES: &str = "crates/planish/errors/";

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let Some(table) = files.iter().find(|file| file.path == TABLE) else { return vec![] };
    let codes = codes(&table.text);
    let mut violations = vec![];
    for (code, line) in &codes {
        if !files.iter().any(|file| file.path == format!("{PAGES}{code}.md")) {
            let remedy =
                format!("write {PAGES}{code}.md: what it means, an example that is wrong, and the same mended");
            violations.push(table.violation(*line, format!("`{code}` has no page"), remedy));
        }
        if !files.iter().any(|file| uses(file, code)) {
            let remedy = "report it where it arises, or take it out of the table";
            violations.push(table.violation(*line, format!("`{code}` is never reported"), remedy));
        }
    }
    for page in files.iter().filter(|file| file.path.starts_with(PAGES) && file.has_extension(&["md"])) {
        let code = page.name().trim_end_matches(".md");
        if !is_code(code) {
            continue; // the overview
        }
        let title = page.text.lines().next().unwrap_or_default();
        match codes.get(code) {
            None => violations.push(page.violation(
                1,
                format!("no diagnostic has the code `{code}`"),
                format!("delete the page, or add the code to {TABLE}"),
            )),
            Some(_) if !title.starts_with(&format!("# {code}: ")) => {
                violations.push(page.violation(
                    1,
                    "the page's title is not its code's",
                    format!("begin with `# {code}: ` and the title"),
                ));
            }
            Some(_) => {}
        }
    }
    violations
}

/// The codes of the table, each with its line.
fn codes(table: &str) -> BTreeMap<&str, usize> {
    let rows = table.lines().enumerate().filter_map(|(i, line)| Some((line.trim().split_once(" \"")?.0, i + 1)));
    rows.filter(|(code, _)| is_code(code)).collect()
}

fn is_code(word: &str) -> bool {
    let digits = word.strip_prefix(['E', 'W', 'R']).unwrap_or_default();
    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())
}

fn uses(file: &File, code: &str) -> bool {
    file.path != TABLE
        && file.path.starts_with("crates/")
        && file.has_extension(&["rs"])
        && file.text.contains(&format!("Code::{code}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    const TABLE: &str = "//! Codes.\ncodes! {\n    E0101 \"unknown character\"\n    E0102 \"malformed number\"\n}\n";

    #[test]
    fn codes_have_pages_and_uses() {
        let table = (super::TABLE, TABLE);
        let user = ("crates/front/glsl/src/lib.rs", "//! Front.\nCode::E0101 Code::E0102");
        let one = ("crates/planish/errors/E0101.md", "# E0101: unknown character\n");
        let two = ("crates/planish/errors/E0102.md", "# E0102: malformed number\n");
        assert_eq!(places(&[table, user, one, two]), [""; 0]);
        assert_eq!(places(&[table, user, one]), [format!("{}:4", super::TABLE)]);
        assert_eq!(places(&[table, one, two]).len(), 2);
        let stray = ("crates/planish/errors/E0999.md", "# E0999: gone\n");
        assert_eq!(places(&[table, user, one, two, stray]), ["crates/planish/errors/E0999.md:1"]);
        let mistitled = ("crates/planish/errors/E0102.md", "# Numbers\n");
        assert_eq!(places(&[table, user, one, mistitled]), ["crates/planish/errors/E0102.md:1"]);
    }
}
