//! Comments of declarations, for targets that write a programming language.

use std::collections::BTreeMap;

use crate::source::Span;

/// Comments as lines of text without delimiters: nothing in a line ends a comment in any language.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comments {
    /// Of functions and variables, by the first byte of their spans.
    declarations: BTreeMap<u32, Vec<String>>,
    /// Of structs and blocks, by name.
    structs: BTreeMap<String, Vec<String>>,
    /// Of their members, by both names.
    members: BTreeMap<(String, String), Vec<String>>,
}

impl Comments {
    /// Adds the comment of a function or variable.
    pub fn add(&mut self, span: Span, comment: &[String]) {
        add(&mut self.declarations, span.start, comment);
    }

    /// Adds the comment of a struct or block.
    pub fn add_struct(&mut self, name: &str, comment: &[String]) {
        add(&mut self.structs, name.to_owned(), comment);
    }

    /// Adds the comment of a member.
    pub fn add_member(&mut self, of: &str, name: &str, comment: &[String]) {
        add(&mut self.members, (of.to_owned(), name.to_owned()), comment);
    }

    /// The comment of a function or variable.
    pub fn of(&self, span: Span) -> &[String] {
        self.declarations.get(&span.start).map_or(&[], Vec::as_slice)
    }

    /// The comment of a struct or block.
    pub fn of_struct(&self, name: &str) -> &[String] {
        self.structs.get(name).map_or(&[], Vec::as_slice)
    }

    /// The comment of a member.
    pub fn of_member(&self, of: &str, name: &str) -> &[String] {
        // An owned key, as a pair of borrowed texts is no borrowed pair; there are few members.
        self.members.get(&(of.to_owned(), name.to_owned())).map_or(&[], Vec::as_slice)
    }
}

fn add<K: Ord>(map: &mut BTreeMap<K, Vec<String>>, key: K, comment: &[String]) {
    let lines = comment.iter().map(|line| harmless(line));
    let lines: Vec<String> = lines.collect();
    if lines.iter().any(|line| !line.is_empty()) {
        map.entry(key).or_insert(lines);
    }
}

/// A line that cannot end a comment: line breaks of all languages and other control characters become spaces, and it ends with no
/// backslash, which would continue it in C (there `??/` is one, too).
fn harmless(line: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}');
    let is_direction = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |c: char| if is_break(c) || is_direction(c) { ' ' } else { c };
    let mut text: String = line.chars().map(plain).collect();
    loop {
        let kept = text.trim_end().trim_end_matches('\\').trim_end_matches("??/").len();
        if kept == text.len() {
            return text;
        }
        text.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_ends_a_comment() {
        let mut comments = Comments::default();
        let lines = ["a\u{2028}b\nc \\ ??/\\", "\\"].map(str::to_owned);
        comments.add(Span::new(3, 4), &lines);
        assert_eq!(comments.of(Span::new(3, 9)), ["a b c", ""]);
        comments.add(Span::new(5, 6), &lines[1..]);
        assert!(comments.of(Span::new(5, 6)).is_empty() && comments.of(Span::NONE).is_empty());
    }
}
