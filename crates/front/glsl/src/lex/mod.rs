//! From bytes to lexemes: white space, comments, names, numbers, operators. Names and numbers are interpreted later.

pub(crate) mod number;
pub(crate) mod splice;

use std::borrow::Cow;

use crate::token::Punct;

/// A kind of lexeme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LexKind {
    /// Letters, digits and `_`, not starting with a digit.
    Ident,
    /// Begins with a digit or a dot and a digit; extends as far as possible, so that `08` or `1.0q` is one error.
    Number,
    /// An operator or punctuator.
    Punct(Punct),
    /// `#`
    Hash,
    /// `##`
    HashHash,
    /// `"…"` on one line; `closed` if the second quote is there.
    Str {
        /// Whether there is a closing quote.
        closed: bool,
    },
    /// A character that no token starts with.
    Stray,
    /// The end of a line: LF, CR or CR LF.
    Newline,
    /// `/*` without `*/`; reaches to the end of the text.
    OpenComment,
    /// The end of the text.
    End,
}

/// A lexeme: bytes `start..end` of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lexeme {
    pub(crate) kind: LexKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether white space or a comment precedes it.
    pub(crate) space: bool,
}

/// A text as quoted in messages: truncated if it is very long, so that many messages about it stay small.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Reads lexemes from a text without line continuations (see [`splice`]).
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// The next byte to read.
    pub(crate) pos: usize,
}

const IDENT_START: u8 = 1;
const IDENT: u8 = 2;
const DIGIT: u8 = 4;
const BLANK: u8 = 8;

/// Class bits of each byte.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => IDENT_START | IDENT,
            b'0'..=b'9' => IDENT | DIGIT,
            b' ' | b'\t' | 0x0b | 0x0c => BLANK,
            _ => 0,
        };
        byte += 1;
    }
    table
}

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, pos: usize) -> Self {
        Scanner { text, bytes: text.as_bytes(), pos }
    }

    /// The text of a lexeme.
    pub(crate) fn text(&self, lexeme: Lexeme) -> &'a str {
        &self.text[lexeme.start..lexeme.end]
    }

    #[inline]
    fn byte(&self, pos: usize) -> u8 {
        // 0 begins no token, so it can represent the end.
        self.bytes.get(pos).copied().unwrap_or(0)
    }

    /// The next lexeme, after white space and comments.
    #[inline]
    pub(crate) fn next(&mut self) -> Lexeme {
        let before = self.pos;
        loop {
            let start = self.pos;
            let byte = self.byte(start);
            let kind = if is(byte, IDENT_START) {
                self.pos = self.run(start + 1, IDENT);
                LexKind::Ident
            } else if is(byte, BLANK) {
                self.pos = self.run(start + 1, BLANK);
                continue;
            } else if is(byte, DIGIT) || (byte == b'.' && is(self.byte(start + 1), DIGIT)) {
                self.pos = self.number(start);
                LexKind::Number
            } else if byte == b'/' && matches!(self.byte(start + 1), b'/' | b'*') {
                if self.comment(start) {
                    continue;
                }
                LexKind::OpenComment
            } else {
                self.other(start, byte)
            };
            return Lexeme { kind, start, end: self.pos, space: start != before };
        }
    }

    /// End of a run of bytes of a class.
    #[inline]
    fn run(&self, mut pos: usize, class: u8) -> usize {
        while pos < self.bytes.len() && is(self.bytes[pos], class) {
            pos += 1;
        }
        pos
    }

    /// Skips the comment that starts here; `false` if it does not end.
    fn comment(&mut self, start: usize) -> bool {
        let body = &self.bytes[start + 2..];
        if self.bytes[start + 1] == b'/' {
            let length = memchr::memchr2(b'\n', b'\r', body).unwrap_or(body.len());
            self.pos = start + 2 + length;
            return true;
        }
        match memchr::memmem::find(body, b"*/") {
            Some(length) => self.pos = start + length + 4,
            None => self.pos = self.bytes.len(),
        }
        self.pos != self.bytes.len() || body.len() >= 2 && body.ends_with(b"*/")
    }

    /// End of the number that starts here: the longest prefix that resembles a number, and letters and digits adjacent
    /// to it.
    fn number(&self, start: usize) -> usize {
        if self.byte(start) == b'0' && matches!(self.byte(start + 1), b'x' | b'X') {
            return self.run(start + 2, IDENT);
        }
        let mut pos = self.run(start, DIGIT);
        if self.byte(pos) == b'.' {
            pos = self.run(pos + 1, DIGIT);
        }
        if matches!(self.byte(pos), b'e' | b'E') {
            let digits = pos + 1 + usize::from(matches!(self.byte(pos + 1), b'+' | b'-'));
            if is(self.byte(digits), DIGIT) {
                pos = digits;
            }
        }
        self.run(pos, IDENT)
    }

    /// Operators and other punctuation.
    fn other(&mut self, start: usize, byte: u8) -> LexKind {
        let next = self.byte(start + 1);
        let (length, kind) = match byte {
            b'\n' => (1, LexKind::Newline),
            b'\r' => (1 + usize::from(next == b'\n'), LexKind::Newline),
            b'#' if next == b'#' => (2, LexKind::HashHash),
            b'#' => (1, LexKind::Hash),
            b'"' => self.string(start),
            _ => match operator(byte, next, self.byte(start + 2)) {
                Some((length, punct)) => (length, LexKind::Punct(punct)),
                None => match self.text[start..].chars().next() {
                    Some(c) => (c.len_utf8(), LexKind::Stray),
                    None => (0, LexKind::End),
                },
            },
        };
        self.pos = start + length;
        kind
    }

    fn string(&self, start: usize) -> (usize, LexKind) {
        let body = &self.bytes[start + 1..];
        let length = body.iter().position(|b| matches!(b, b'"' | b'\n' | b'\r')).unwrap_or(body.len());
        let closed = body.get(length) == Some(&b'"');
        (1 + length + usize::from(closed), LexKind::Str { closed })
    }

    /// Skips to the end of the line, over comments; `Err` with the start of one that does not end.
    pub(crate) fn skip_line(&mut self) -> Result<(), usize> {
        loop {
            let rest = &self.bytes[self.pos..];
            let Some(length) = memchr::memchr3(b'\n', b'\r', b'/', rest) else {
                self.pos = self.bytes.len();
                return Ok(());
            };
            self.pos += length;
            if rest[length] != b'/' {
                return Ok(());
            }
            let slash = self.pos;
            if !matches!(self.byte(slash + 1), b'/' | b'*') {
                self.pos += 1;
            } else if !self.comment(slash) {
                return Err(slash);
            }
        }
    }
}

/// The longest operator that starts with these bytes, and its length.
#[inline]
fn operator(first: u8, second: u8, third: u8) -> Option<(usize, Punct)> {
    use Punct::*;
    let one = |punct| Some((1, punct));
    let with_equal = |plain, assign| if second == b'=' { Some((2, assign)) } else { Some((1, plain)) };
    let doubled = |plain, double, assign| {
        if second == first { Some((2, double)) } else { with_equal(plain, assign) }
    };
    match first {
        b'(' => one(LeftParen),
        b')' => one(RightParen),
        b'[' => one(LeftBracket),
        b']' => one(RightBracket),
        b'{' => one(LeftBrace),
        b'}' => one(RightBrace),
        b'.' => one(Dot),
        b',' => one(Comma),
        b';' => one(Semicolon),
        b':' => one(Colon),
        b'?' => one(Question),
        b'~' => one(Tilde),
        b'=' => with_equal(Equal, EqualEqual),
        b'!' => with_equal(Bang, BangEqual),
        b'*' => with_equal(Star, StarEqual),
        b'/' => with_equal(Slash, SlashEqual),
        b'%' => with_equal(Percent, PercentEqual),
        b'+' => doubled(Plus, PlusPlus, PlusEqual),
        b'-' => doubled(Minus, MinusMinus, MinusEqual),
        b'&' => doubled(Amp, AmpAmp, AmpEqual),
        b'|' => doubled(Pipe, PipePipe, PipeEqual),
        b'^' => doubled(Caret, CaretCaret, CaretEqual),
        b'<' if second == b'<' && third == b'=' => Some((3, LessLessEqual)),
        b'>' if second == b'>' && third == b'=' => Some((3, GreaterGreaterEqual)),
        b'<' => doubled(Less, LessLess, LessEqual),
        b'>' => doubled(Greater, GreaterGreater, GreaterEqual),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::PUNCTUATION;

    fn lexemes(text: &str) -> Vec<(LexKind, &str)> {
        let mut scanner = Scanner::new(text, 0);
        let mut all = vec![];
        loop {
            let lexeme = scanner.next();
            if lexeme.kind == LexKind::End {
                return all;
            }
            all.push((lexeme.kind, scanner.text(lexeme)));
        }
    }

    #[test]
    fn every_operator_is_one_lexeme() {
        for punct in PUNCTUATION {
            assert_eq!(lexemes(punct.text()), [(LexKind::Punct(*punct), punct.text())]);
        }
    }

    #[test]
    fn the_longest_operator_wins() {
        let texts = |text| lexemes(text).into_iter().map(|l| l.1).collect::<Vec<_>>();
        assert_eq!(texts("a+++b"), ["a", "++", "+", "b"]);
        assert_eq!(texts("a>>>=b"), ["a", ">>", ">=", "b"]);
        assert_eq!(texts("a^^^=b"), ["a", "^^", "^=", "b"]);
        assert_eq!(texts("a<<<=b"), ["a", "<<", "<=", "b"]);
    }

    #[test]
    fn numbers_take_what_sticks_to_them() {
        let cases = ["1", "1.5e-3", ".5", "1.", "0xFFu", "08", "1.0f", "2.0x", "1e", "1e+5lf"];
        for text in cases {
            assert_eq!(lexemes(text), [(LexKind::Number, text)], "{text}");
        }
        assert_eq!(lexemes("1.0.xx").len(), 3);
        assert_eq!(lexemes("1e+").len(), 2);
        assert_eq!(lexemes("1..x")[0], (LexKind::Number, "1."));
    }

    #[test]
    fn comments_are_space() {
        let mut scanner = Scanner::new("a/* \n */b // c\n/**/d/*/", 0);
        let kinds: Vec<_> = std::iter::from_fn(|| Some(scanner.next())).take(6).map(|l| (l.kind, l.space)).collect();
        use LexKind::*;
        let expected =
            [(Ident, false), (Ident, true), (Newline, true), (Ident, true), (OpenComment, false), (End, false)];
        assert_eq!(kinds, expected);
        assert_eq!(lexemes("/*/"), [(OpenComment, "/*/")]);
        assert_eq!(lexemes("/**/"), []);
        assert_eq!(lexemes("/*"), [(OpenComment, "/*")]);
        assert_eq!(lexemes("/* *"), [(OpenComment, "/* *")]);
        assert_eq!(lexemes("/***/"), []);
    }

    #[test]
    fn lines_end_in_three_ways() {
        let count = |text| lexemes(text).iter().filter(|l| l.0 == LexKind::Newline).count();
        assert_eq!(count("a\nb\rc\r\nd"), 3);
        assert_eq!(count("\r\r\n\n"), 3);
    }

    #[test]
    fn stray_characters_are_whole() {
        assert_eq!(lexemes("é"), [(LexKind::Stray, "é")]);
        assert_eq!(lexemes("\0@"), [(LexKind::Stray, "\0"), (LexKind::Stray, "@")]);
    }
}
