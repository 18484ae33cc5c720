//! Tokens of the text form, and a cursor over them that reports errors.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{SourceFile, Span};

/// Kind of a token. Line ends are tokens, because they end statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A keyword or identifier.
    Word,
    /// A number: begins with a digit or a minus sign.
    Number,
    /// A text in quotes.
    Text,
    /// `%` and a label: a local value.
    Local,
    /// `@` and a label: a variable or function.
    Global,
    /// `$` and a label: a struct.
    Struct,
    /// `->`
    Arrow,
    /// A punctuation character.
    Mark(u8),
    /// End of a line that is not empty.
    Line,
    /// An invalid token whose error has been reported.
    Wrong,
    /// End of the file.
    End,
}

/// A token with its location.
#[derive(Clone, Copy, Debug)]
struct Placed {
    token: Token,
    start: u32,
    end: u32,
}

/// Marker of an error that has been reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failed;

/// A result whose error has been reported.
pub(super) type Parsed<T> = Result<T, Failed>;

/// Maximum number of errors that are listed.
const MAX_ERRORS: usize = 200;

/// Tokens and a position.
pub(super) struct Cursor<'a> {
    text: &'a str,
    file_start: u32,
    tokens: Vec<Placed>,
    at: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(file: &'a SourceFile) -> Self {
        let mut cursor =
            Cursor { text: &file.text, file_start: file.start, tokens: Vec::new(), at: 0, diagnostics: Vec::new() };
        cursor.lex();
        cursor
    }

    fn lex(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(&first) = bytes.get(at) {
            match first {
                b'\n' => {
                    if !matches!(self.tokens.last(), None | Some(Placed { token: Token::Line, .. })) {
                        self.push(Token::Line, at, at);
                    }
                    at += 1;
                }
                b' ' | b'\t' | b'\r' => at += 1,
                b'/' if bytes.get(at + 1) == Some(&b'/') => at = end_of_line(bytes, at),
                _ => at = self.lex_token(at),
            }
        }
        self.push(Token::Line, at, at);
        self.push(Token::End, at, at);
    }

    /// Adds the token that begins at `start` (not a space); returns its end.
    fn lex_token(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (token, end) = match bytes[start] {
            b'-' if bytes.get(start + 1) == Some(&b'>') => (Token::Arrow, start + 2),
            b'0'..=b'9' | b'-' => (Token::Number, end_of_number(bytes, start)),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Token::Word, end_of(bytes, start, |b| b == b'_')),
            sigil @ (b'%' | b'@' | b'$') => {
                let token = match sigil {
                    b'%' => Token::Local,
                    b'@' => Token::Global,
                    _ => Token::Struct,
                };
                (token, end_of(bytes, start + 1, |b| b == b'_' || b == b'.'))
            }
            b'"' => match end_of_text(bytes, start) {
                Some(end) => (Token::Text, end),
                None => {
                    let end = end_of_line(bytes, start);
                    self.error(self.span(start, end), "this text has no closing quote");
                    (Token::Wrong, end)
                }
            },
            mark @ (b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b':' | b';' | b'=' | b'*') => {
                (Token::Mark(mark), start + 1)
            }
            _ => {
                let end = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
                self.error(self.span(start, end), "no token of the text form begins with this character");
                return end;
            }
        };
        self.push(token, start, end);
        end
    }

    fn push(&mut self, token: Token, start: usize, end: usize) {
        self.tokens.push(Placed { token, start: start as u32, end: end as u32 });
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file_start + start as u32, self.file_start + end as u32)
    }

    /// The next token.
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at].token
    }

    /// The token `ahead` tokens after the next.
    pub(super) fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |t| t.token)
    }

    /// The text of the next token.
    pub(super) fn text(&self) -> &'a str {
        let t = self.tokens[self.at];
        &self.text[t.start as usize..t.end as usize]
    }

    /// The location of the next token.
    pub(super) fn here(&self) -> Span {
        let t = self.tokens[self.at];
        self.span(t.start as usize, t.end as usize)
    }

    /// The location of the last consumed token.
    pub(super) fn before(&self) -> Span {
        let t = self.tokens[self.at.saturating_sub(1)];
        self.span(t.start as usize, t.end as usize)
    }

    /// Whether the last consumed token is an opening brace.
    pub(super) fn before_is_brace(&self) -> bool {
        self.at > 0 && self.tokens[self.at - 1].token == Token::Mark(b'{')
    }

    /// Whether the next token begins in the first column of its line.
    pub(super) fn is_first_column(&self) -> bool {
        let start = self.tokens[self.at].start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// The position, for [`Cursor::go_to`].
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Sets the position.
    pub(super) fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Consumes a token; stops at the end.
    pub(super) fn bump(&mut self) -> &'a str {
        let text = self.text();
        if self.peek() != Token::End {
            self.at += 1;
        }
        text
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.report(Diagnostic::error(Code::E0901, span, message))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Failed
    }

    /// Reports "expected …" at the next token.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let found = match self.peek() {
            Token::Wrong => return Failed,
            Token::Line => "the end of the line".to_owned(),
            Token::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text()),
        };
        self.error(self.here(), format!("expected {what}, found {found}"))
    }

    /// Consumes a mark if it is next.
    pub(super) fn eat(&mut self, mark: u8) -> bool {
        let found = self.peek() == Token::Mark(mark);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes a word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Word && self.text() == word;
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn mark(&mut self, mark: u8) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{}`", mark as char))) }
    }

    /// Consumes the end of a line.
    pub(super) fn line(&mut self) -> Parsed<()> {
        if self.peek() == Token::Line {
            self.bump();
            return Ok(());
        }
        if self.peek() == Token::End { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// Consumes a token of a kind.
    pub(super) fn take(&mut self, token: Token, what: &str) -> Parsed<&'a str> {
        if self.peek() == token { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    /// Consumes a label without its sigil.
    pub(super) fn label(&mut self, token: Token, what: &str) -> Parsed<&'a str> {
        self.take(token, what).map(|text| &text[1..])
    }

    /// Consumes an unsigned number.
    pub(super) fn u32(&mut self) -> Parsed<u32> {
        let here = self.here();
        let text = self.take(Token::Number, "a number")?;
        text.parse().map_err(|_| self.error(here, "expected a number below 2^32"))
    }

    /// Consumes unsigned numbers with commas between them, at least one.
    pub(super) fn numbers(&mut self) -> Parsed<Vec<u32>> {
        let mut numbers = vec![self.u32()?];
        while self.eat(b',') {
            numbers.push(self.u32()?);
        }
        Ok(numbers)
    }

    /// Consumes a text in quotes, as bytes.
    pub(super) fn bytes(&mut self) -> Parsed<Vec<u8>> {
        let here = self.here();
        let quoted = self.take(Token::Text, "a text in quotes")?;
        unescape(&quoted.as_bytes()[1..quoted.len() - 1])
            .ok_or_else(|| self.error(here, "after `\\` comes `\\`, `\"`, or two hexadecimal digits"))
    }

    /// Consumes a text in quotes that is UTF-8.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let here = self.here();
        let bytes = self.bytes()?;
        String::from_utf8(bytes).map_err(|_| self.error(here, "a name must be UTF-8"))
    }

    /// Skips to the beginning of the next line.
    pub(super) fn skip_line(&mut self) {
        while !matches!(self.peek(), Token::Line | Token::End) {
            self.bump();
        }
        if self.peek() == Token::Line {
            self.bump();
        }
    }
}

fn end_of(bytes: &[u8], mut at: usize, also: impl Fn(u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(|&b| b.is_ascii_alphanumeric() || also(b)) {
        at += 1;
    }
    at
}

fn end_of_line(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - start)
}

fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    let hexadecimal = bytes[start..].iter().skip(usize::from(bytes[start] == b'-')).take(2).eq(b"0x");
    loop {
        at = end_of(bytes, at, |b| b == b'.' || b == b'_');
        let exponent = !hexadecimal && matches!(bytes[at - 1], b'e' | b'E') && at > start + 1;
        if exponent && matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// One past the closing quote; `None` if the line ends first.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\n' => return None,
            b'\\' if bytes.get(at + 1).is_some_and(|b| *b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
}

fn unescape(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'\\', [c @ (b'\\' | b'"'), tail @ ..]) => {
                out.push(*c);
                tail
            }
            (b'\\', [high, low, tail @ ..]) => {
                let digit = |b: u8| (b as char).to_digit(16);
                out.push((digit(*high)? * 16 + digit(*low)?) as u8);
                tail
            }
            (b'\\', _) => return None,
            _ => {
                out.push(*first);
                tail
            }
        };
    }
    Some(out)
}
