//! A file while it is being read.

use std::sync::Arc;

use planish_ir::source::{Numbering, SourceFile, Span};

use crate::lex::splice::{Spliced, splice};
use crate::lex::{LexKind, Scanner};

/// A file on the stack of includes.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: SourceFile,
    pub(super) spliced: Spliced,
    /// The next byte to read, in the spliced text.
    pub(super) pos: usize,
    /// Whether the line so far consists of white space and comments, so that a `#` begins a directive.
    pub(super) line_start: bool,
    /// Number of open `#if`s at the beginning of the file.
    pub(super) open_conditions: usize,
    /// The value of `__FILE__`.
    pub(super) number: u32,
    /// Offset of line numbers, set by `#line`.
    pub(super) line_shift: i64,
    /// All that `#line` has set.
    pub(super) numbering: Vec<Numbering>,
}

impl Source {
    pub(super) fn new(file: SourceFile, number: u32, open_conditions: usize) -> Self {
        let spliced = splice(&file.text);
        // A byte order mark is not the user's doing.
        let pos = if spliced.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Source { file, spliced, pos, line_start: true, open_conditions, number, line_shift: 0, numbering: vec![] }
    }

    /// The span of bytes of the spliced text.
    #[inline]
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let base = self.file.start;
        let last = if end > start { self.spliced.original(end - 1) + 1 } else { self.spliced.original(start) };
        Span::new(base + self.spliced.original(start), base + last)
    }

    /// The line of a place in this file, as `__LINE__` counts.
    pub(super) fn line(&self, offset: u32) -> i64 {
        self.file.line_at(offset.saturating_sub(self.file.start)) as i64 + 1 + self.line_shift
    }

    /// Notes that the lines after a place have these numbers, and are from this file if one is named.
    pub(super) fn number_lines(&mut self, offset: u32, number: i64, file: Option<Arc<str>>) {
        self.line_shift = 0;
        self.line_shift = number - self.line(offset) - 1;
        let line = self.file.line_at(offset.saturating_sub(self.file.start)) as u32 + 1;
        let file = file.or_else(|| self.numbering.last().and_then(|last| last.file.clone()));
        self.numbering.push(Numbering { line, number: number.clamp(0, u32::MAX.into()) as u32, file });
    }

    /// Spans of `//` comments that a line continuation extends over text that does not look like a comment.
    pub(super) fn continued_comments(&self) -> Vec<Span> {
        if !self.spliced.has_cuts() {
            return vec![];
        }
        let text = &self.spliced.text;
        let mut found = vec![];
        let mut scanner = Scanner::new(text, self.pos);
        let mut before = self.pos;
        loop {
            let lexeme = scanner.next();
            let comment = text[before..lexeme.start].find("//").map(|at| before + at);
            // Only a comment that reaches to the end of the line can be one of `//`.
            if let (Some(start), LexKind::Newline | LexKind::End) = (comment, lexeme.kind)
                && let Some(cut) = self.spliced.cut_in(start, lexeme.start)
            {
                let swallowed = text[cut..lexeme.start].trim_start();
                if !swallowed.is_empty() && !swallowed.starts_with('/') {
                    found.push(self.span(start, lexeme.start));
                }
            }
            if lexeme.kind == LexKind::End {
                return found;
            }
            before = lexeme.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::source::SourceMap;

    fn source(text: &str) -> Source {
        let mut map = SourceMap::new();
        Source::new(map.add("a", text).unwrap(), 0, 0)
    }

    #[test]
    fn lines_are_counted_from_one_whatever_ends_them() {
        let source = source("a\nb\r\nc\rd");
        let base = source.file.start;
        let lines: Vec<i64> = [0, 2, 5, 7].iter().map(|o| source.line(base + o)).collect();
        assert_eq!(lines, [1, 2, 3, 4]);
    }

    #[test]
    fn spans_cover_a_continuation_inside_but_not_behind() {
        let source = source("ab\\\ncd\\\nef");
        let base = source.file.start;
        assert_eq!(source.span(0, 4), Span::new(base, base + 6));
        assert_eq!(source.span(4, 6), Span::new(base + 8, base + 10));
    }

    #[test]
    fn comments_that_swallow_a_line_are_found() {
        assert_eq!(source("a // b \\\nint c;\nd").continued_comments().len(), 1);
        assert_eq!(source("a // b \\\n// c\nd").continued_comments().len(), 0);
        assert_eq!(source("a // b \\\n\nd").continued_comments().len(), 0);
        assert_eq!(source("#define A \\\n b /* // */ c\n").continued_comments().len(), 0);
    }
}
