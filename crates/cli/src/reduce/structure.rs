//! The structure of a text that all textual languages share: lines, tokens, balanced brackets, and lists in them.
//!
//! Nothing is known of comments and of strings that span lines: brackets in them may pair wrongly, which makes candidates worse and never
//! wrong, since the command judges each.

use std::ops::Range;

/// Elements of a bracketed list that are tried in the place of the whole.
const MAX_HOISTED: usize = 8;

/// A part of a text, in bytes.
pub(super) type Part = Range<usize>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Space,
    Word,
    Other,
}

#[derive(Clone, Debug)]
struct Token {
    part: Part,
    kind: Kind,
}

/// A balanced pair of brackets: indices of tokens.
#[derive(Clone, Copy, Debug)]
struct Group {
    open: usize,
    close: usize,
}

/// A text, its tokens and brackets.
pub(super) struct Structure<'t> {
    text: &'t [u8],
    tokens: Vec<Token>,
    /// By token: the bracket that closes the one it is.
    closes: Vec<Option<usize>>,
    /// From the outermost to the innermost of those within each other, and in the order of the text.
    groups: Vec<Group>,
}

impl<'t> Structure<'t> {
    /// Time: linear.
    pub(super) fn new(text: &'t [u8]) -> Self {
        let tokens = tokens(text);
        let mut closes = vec![None; tokens.len()];
        let mut open: Vec<usize> = vec![];
        for (at, token) in tokens.iter().enumerate() {
            let closing = text[token.part.start];
            match closing {
                b'(' | b'[' | b'{' if token.kind == Kind::Other => open.push(at),
                b')' | b']' | b'}' if token.kind == Kind::Other => {
                    // Brackets that nothing closes are those of comments and characters.
                    let matches = |&&at: &&usize| partner(text[tokens[at].part.start]) == closing;
                    if let Some(depth) = open.iter().rposition(|at| matches(&at)) {
                        closes[open[depth]] = Some(at);
                        open.truncate(depth);
                    }
                }
                _ => {}
            }
        }
        let groups = closes.iter().enumerate().filter_map(|(open, close)| Some(Group { open, close: (*close)? }));
        let groups = groups.collect();
        Structure { text, tokens, closes, groups }
    }

    /// The lines, with their ends.
    pub(super) fn lines(&self) -> Vec<Part> {
        let mut start = 0;
        let line = |line: &[u8]| {
            let part = start..start + line.len();
            start = part.end;
            part
        };
        self.text.split_inclusive(|&b| b == b'\n').map(line).collect()
    }

    /// The parts in braces, with these.
    pub(super) fn blocks(&self) -> Vec<Part> {
        let part = |group: &Group| self.tokens[group.open].part.start..self.tokens[group.close].part.end;
        self.groups.iter().map(part).filter(|part| self.text[part.start] == b'{').collect()
    }

    /// All tokens but spaces.
    pub(super) fn tokens(&self) -> Vec<Part> {
        self.tokens.iter().filter(|token| token.kind != Kind::Space).map(|token| token.part.clone()).collect()
    }

    /// The spaces that can go without joining tokens: those at the start, and all but one character of each other run, which is a line
    /// break if there is one.
    pub(super) fn spaces(&self) -> Vec<Part> {
        let mut parts = vec![];
        for token in self.tokens.iter().filter(|token| token.kind == Kind::Space) {
            let Part { start, end } = token.part;
            if start == 0 {
                parts.push(start..end);
                continue;
            }
            let kept = (start..end).find(|&at| self.text[at] == b'\n').unwrap_or(start);
            parts.extend([start..kept, kept + 1..end].into_iter().filter(|part| !part.is_empty()));
        }
        parts
    }

    /// The lists of elements: of the whole text, and of each pair of brackets, the outer ones first.
    pub(super) fn lists(&self) -> Vec<Vec<Part>> {
        let whole = self.elements(0..self.tokens.len());
        let inner = self.groups.iter().map(|group| self.elements(group.open + 1..group.close));
        [whole].into_iter().chain(inner).filter(|list| !list.is_empty()).collect()
    }

    /// For each pair of brackets, the outer ones first, sets of parts to remove, of which one is enough: all of it; what is in it; what is
    /// around it or around one of its elements.
    pub(super) fn simplifications(&self) -> Vec<Vec<Vec<Part>>> {
        self.groups.iter().map(|&group| self.of_group(group)).collect()
    }

    fn of_group(&self, Group { open, close }: Group) -> Vec<Vec<Part>> {
        let (first, last) = (self.tokens[open].part.clone(), self.tokens[close].part.clone());
        let head = self.head(open);
        let mut sets = vec![vec![head..last.end], vec![first.start..last.end]];
        if first.end < last.start {
            sets.push(vec![Part { start: first.end, end: last.start }]);
        }
        if self.text[first.start] == b'{' {
            sets.push(vec![head..first.end, last.clone()]);
        } else {
            for element in self.elements(open + 1..close).into_iter().take(MAX_HOISTED) {
                let end = match self.text[element.end - 1] {
                    b',' | b';' => element.end - 1,
                    _ => element.end,
                };
                sets.push(vec![head..element.start, end..last.end]);
                if head != first.start {
                    sets.push(vec![first.start..element.start, end..last.end]);
                }
            }
        }
        sets.push(vec![first, last]);
        sets
    }

    /// The start of what a bracket belongs to: of a brace the statement or declaration (`if (a) {`), else the word before it (`f(`).
    fn head(&self, open: usize) -> usize {
        let own = self.tokens[open].part.start;
        if self.text[own] != b'{' {
            let before = open.checked_sub(1).map(|at| &self.tokens[at]).filter(|token| token.kind == Kind::Word);
            return before.map_or(own, |token| token.part.start);
        }
        let (mut start, mut at) = (own, open);
        while let Some(before) = at.checked_sub(1) {
            let token = &self.tokens[before];
            match self.text[token.part.start] {
                b';' | b'{' | b'}' => break,
                // The bracket that this one closes.
                b')' | b']' => match self.closes[..before].iter().rposition(|&close| close == Some(before)) {
                    Some(open) => at = open,
                    None => break,
                },
                b'(' | b'[' => break,
                _ => at = before,
            }
            if token.kind != Kind::Space {
                start = self.tokens[at].part.start;
            }
        }
        start
    }

    /// The elements between two tokens: those that `;` and `,` separate, with these, and those that end with a block; or if that is one only,
    /// its tokens and bracketed parts.
    fn elements(&self, tokens: Range<usize>) -> Vec<Part> {
        let (mut separated, mut single) = (vec![], vec![]);
        let mut start: Option<usize> = None;
        let mut at = tokens.start;
        while at < tokens.end {
            let token = &self.tokens[at];
            let last = self.closes[at].filter(|&close| close < tokens.end).unwrap_or(at);
            at = last + 1;
            if token.kind == Kind::Space {
                continue;
            }
            let part = token.part.start..self.tokens[last].part.end;
            let from = *start.get_or_insert(part.start);
            if matches!(self.text[part.end - 1], b';' | b',' | b'}') {
                separated.push(from..part.end);
                start = None;
            }
            single.push(part);
        }
        if let (Some(from), Some(last)) = (start, single.last()) {
            separated.push(from..last.end);
        }
        if separated.len() > 1 { separated } else { single }
    }
}

fn partner(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

fn tokens(text: &[u8]) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let run = |is: fn(u8) -> bool| rest.iter().position(|&b| !is(b)).unwrap_or(rest.len());
        let (kind, len) = match rest[0] {
            b if b.is_ascii_whitespace() => (Kind::Space, run(|b| b.is_ascii_whitespace())),
            b if is_word(b) => (Kind::Word, run(is_word)),
            b'"' => (Kind::Other, string(rest)),
            _ => (Kind::Other, 1),
        };
        tokens.push(Token { part: at..at + len, kind });
        at += len;
    }
    tokens
}

/// Letters of other scripts too.
fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// The length of a string that ends on its line, or of its quote.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(b) = text.get(at).filter(|&&b| b != b'\n') {
        match b {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'t>(text: &'t str, parts: &[Part]) -> Vec<&'t str> {
        parts.iter().map(|part| &text[part.clone()]).collect()
    }

    fn without(text: &str, parts: &[Part]) -> String {
        String::from_utf8(super::super::without(text.as_bytes(), parts)).expect("the rest is text")
    }

    #[test]
    fn a_text_has_lines_lists_and_tokens() {
        let text = "int a; void f(int x, int y) { if (x > y) { a = g(\"}\"); } }\n";
        let found = Structure::new(text.as_bytes());
        assert_eq!(shown(text, &found.lines()), [text]);
        let lists = found.lists();
        let lists: Vec<Vec<&str>> = lists.iter().map(|list| shown(text, list)).collect();
        assert_eq!(lists[0], ["int a;", "void f(int x, int y) { if (x > y) { a = g(\"}\"); } }"]);
        assert_eq!(lists[1], ["int x,", "int y"]);
        assert_eq!(lists[2], ["if", "(x > y)", "{ a = g(\"}\"); }"]);
        assert_eq!(lists[3], ["x", ">", "y"]);
        assert_eq!(shown(text, &found.tokens()[..4]), ["int", "a", ";", "void"]);
        let spaces = " \n a  b \n\n c \n";
        assert_eq!(without(spaces, &Structure::new(spaces.as_bytes()).spaces()), "a b\nc\n");
    }

    #[test]
    fn brackets_are_removed_emptied_and_unwrapped() {
        let all = |text: &str| {
            let found = Structure::new(text.as_bytes()).simplifications();
            found.into_iter().map(|sets| sets.iter().map(|set| without(text, set)).collect()).collect::<Vec<Vec<_>>>()
        };
        let ifs = all("a; if (c) { b; }");
        assert_eq!(ifs[1], ["a; ", "a; if (c) ", "a; if (c) {}", "a;  b; ", "a; if (c)  b; "]);
        let call = all("x = f(a, b)");
        assert_eq!(call[0], ["x = ", "x = f", "x = f()", "x = a", "x = fa", "x = b", "x = fb", "x = fa, b"]);
        let lisp = all("(if c (f 1) 2)");
        assert!(lisp[0].contains(&"(f 1)".to_owned()) && lisp[0].contains(&"2".to_owned()), "{lisp:?}");
    }

    /// Any bytes are a text.
    #[test]
    fn brackets_that_do_not_match_are_tokens() {
        for text in [&b")(]["[..], b"({[", b"(]) }", b"\"", b"\xff\xfe{", b"", b"\"\\"] {
            let found = Structure::new(text);
            let parts = found.lists().concat();
            assert!(parts.iter().chain(&found.tokens()).all(|part| part.end <= text.len() && !part.is_empty()));
            found.simplifications();
            let covered: usize = found.lines().iter().map(Range::len).sum();
            assert_eq!(covered, text.len());
        }
    }
}
