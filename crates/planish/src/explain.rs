//! The page of each diagnostic code, from `crates/planish/errors`.

include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// The page of a code (`E0301`, in any case), in Markdown.
pub fn explain(code: &str) -> Option<&'static str> {
    let code = code.trim().to_ascii_uppercase();
    PAGES.iter().find(|(name, _)| *name == code).map(|(_, page)| *page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::diagnostic::CODES;

    #[test]
    fn every_code_has_a_page_with_its_title() {
        for info in CODES {
            let page = explain(info.code.0).unwrap_or_else(|| panic!("errors/{}.md is missing", info.code));
            let first = page.lines().next().unwrap_or_default();
            assert!(first.starts_with(&format!("# {}: ", info.code)), "{}: first line is {first:?}", info.code);
        }
    }
}
