//! Text to data: parentheses, numbers, names, strings, quotes and comments.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{SourceFile, Span};

use crate::datum::{Datum, Kind};

/// Maximum nesting depth of parentheses.
pub(crate) const MAX_DEPTH: usize = 200;
/// After how many errors reading stops.
const MAX_ERRORS: usize = 100;

/// Reads all data of a file. Errors are appended to `diagnostics`; the rest is still read.
pub(crate) fn read(file: &SourceFile, diagnostics: &mut Vec<Diagnostic>) -> Vec<Datum> {
    let mut reader = Reader { text: &file.text, start: file.start, at: 0, diagnostics, errors: 0 };
    let mut data = Vec::new();
    while let Some(token) = reader.next_token() {
        if let Some(datum) = reader.datum(token, 0) {
            data.push(datum);
        }
    }
    data
}

struct Reader<'a> {
    text: &'a str,
    start: u32,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    errors: usize,
}

/// A piece of text that is no space.
struct Token {
    kind: TokenKind,
    span: Span,
}

enum TokenKind {
    Open(u8),
    Close(u8),
    Quote,
    Skip,
    String(Arc<str>),
    Atom,
}

impl Reader<'_> {
    fn error(&mut self, diagnostic: Diagnostic) {
        self.errors += 1;
        self.diagnostics.push(diagnostic);
        if self.errors >= MAX_ERRORS {
            self.at = self.text.len();
        }
    }

    fn span(&self, from: usize) -> Span {
        Span::new(self.start + from as u32, self.start + self.at as u32)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes past spaces and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with(';') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("#|") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let from = self.at;
        let mut depth = 0usize;
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            match &bytes[self.at..] {
                [b'#', b'|', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'|', b'#', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        let opening = Span::new(self.start + from as u32, self.start + from as u32 + 2);
        self.error(
            Diagnostic::error(Code::E0801, opening, "this comment is not closed")
                .help("close it with `|#`; such comments nest"),
        );
    }

    fn next_token(&mut self) -> Option<Token> {
        self.skip_space();
        let from = self.at;
        let kind = match self.peek()? {
            open @ (b'(' | b'[') => self.one(TokenKind::Open(open)),
            close @ (b')' | b']') => self.one(TokenKind::Close(close)),
            b'\'' => self.one(TokenKind::Quote),
            b'"' => self.string(),
            b'#' if self.text[self.at..].starts_with("#;") => {
                self.at += 2;
                TokenKind::Skip
            }
            _ => {
                let rest = &self.text[self.at..];
                let ends = |c: char| c.is_whitespace() || "()[]\";'".contains(c);
                // A character that ends a name and begins no token is a token by itself, to ensure progress.
                let len = rest.find(ends).unwrap_or(rest.len());
                self.at += len.max(rest.chars().next().map_or(0, char::len_utf8));
                TokenKind::Atom
            }
        };
        Some(Token { kind, span: self.span(from) })
    }

    fn one(&mut self, kind: TokenKind) -> TokenKind {
        self.at += 1;
        kind
    }

    fn string(&mut self) -> TokenKind {
        let from = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                let quote = Span::new(self.start + from as u32, self.start + from as u32 + 1);
                self.error(
                    Diagnostic::error(Code::E0801, quote, "this string is not closed").help("close it with `\"`"),
                );
                return TokenKind::String(text.into());
            };
            self.at += c.len_utf8();
            match c {
                '"' => return TokenKind::String(text.into()),
                '\\' => match self.text[self.at..].chars().next() {
                    Some(next) => {
                        self.at += next.len_utf8();
                        text.push(match next {
                            'n' => '\n',
                            't' => '\t',
                            other => other,
                        });
                    }
                    None => continue,
                },
                c => text.push(c),
            }
        }
    }

    /// The datum that begins with a token; `None` at the end or after an error.
    fn datum(&mut self, token: Token, depth: usize) -> Option<Datum> {
        match token.kind {
            TokenKind::Open(open) => self.list(open, token.span, depth),
            TokenKind::Close(_) => {
                let text = &self.text[(token.span.start - self.start) as usize..(token.span.end - self.start) as usize];
                let message = format!("`{text}` closes nothing");
                self.error(
                    Diagnostic::error(Code::E0801, token.span, message)
                        .help("remove it, or look for a parenthesis too many before it"),
                );
                None
            }
            TokenKind::Quote => {
                let quoted = self.after(token.span, "`'`", depth)?;
                let span = token.span.to(quoted.span);
                let quote = Datum { kind: Kind::Symbol("quote".into()), span: token.span };
                Some(Datum { kind: Kind::List(vec![quote, quoted], None), span })
            }
            TokenKind::Skip => {
                self.after(token.span, "`#;`", depth);
                None
            }
            TokenKind::String(text) => Some(Datum { kind: Kind::String(text), span: token.span }),
            TokenKind::Atom => self.atom(token.span),
        }
    }

    /// The datum after a prefix, which must not be the end of a list.
    /// Recursion: at most [`MAX_DEPTH`] levels.
    fn after(&mut self, prefix: Span, what: &str, depth: usize) -> Option<Datum> {
        if !self.fits(depth, prefix) {
            return None;
        }
        let before = self.at;
        match self.next_token() {
            Some(Token { kind: TokenKind::Close(_), .. }) | None => {
                self.at = before;
                self.error(Diagnostic::error(Code::E0801, prefix, format!("nothing follows {what}")));
                None
            }
            Some(token) => self.datum(token, depth + 1),
        }
    }

    fn fits(&mut self, depth: usize, span: Span) -> bool {
        if depth < MAX_DEPTH {
            return true;
        }
        self.error(
            Diagnostic::error(Code::E0803, span, format!("this is nested more than {MAX_DEPTH} deep"))
                .help("give inner parts names with `define`"),
        );
        // Further errors would be consequential.
        self.at = self.text.len();
        false
    }

    fn list(&mut self, open: u8, opening: Span, depth: usize) -> Option<Datum> {
        if !self.fits(depth, opening) {
            return None;
        }
        let (mut items, mut tail) = (Vec::new(), None);
        loop {
            let Some(token) = self.next_token() else {
                if self.errors < MAX_ERRORS && !self.reported_depth() {
                    self.unclosed(opening, &items);
                }
                break;
            };
            match token.kind {
                TokenKind::Close(close) => {
                    self.matches(open, opening, close, token.span);
                    break;
                }
                TokenKind::Atom if self.slice(token.span) == "." => tail = self.tail(token.span, &items, depth),
                _ if tail.is_some() => {
                    let datum = self.datum(token, depth + 1);
                    if let Some(datum) = datum {
                        self.error(
                            Diagnostic::error(Code::E0801, datum.span, "more than one datum after the dot")
                                .help("`(a . b)` is a pair; a list has no dot"),
                        );
                    }
                }
                _ => items.extend(self.datum(token, depth + 1)),
            }
        }
        let span = Span::new(opening.start, self.start + self.at as u32);
        Some(match tail {
            // `(a . (b c))` is `(a b c)`.
            Some(Datum { kind: Kind::List(more, rest), .. }) => {
                items.extend(more);
                Datum { kind: Kind::List(items, rest), span }
            }
            tail => Datum { kind: Kind::List(items, tail.map(Box::new)), span },
        })
    }

    fn reported_depth(&self) -> bool {
        self.diagnostics.last().is_some_and(|d| d.code == Code::E0803)
    }

    fn unclosed(&mut self, opening: Span, items: &[Datum]) {
        let mut diagnostic = Diagnostic::error(Code::E0801, opening, "this parenthesis is not closed");
        // An item at the beginning of a line is probably the next definition.
        let starts_line = |d: &&Datum| {
            let at = (d.span.start - self.start) as usize;
            at == 0 || self.text.as_bytes()[at - 1] == b'\n'
        };
        if let Some(next) = items.iter().find(starts_line) {
            diagnostic = diagnostic.also(next.span, "this counts as a part of it");
        }
        self.error(diagnostic.help("add `)` where it should end"));
    }

    fn matches(&mut self, open: u8, opening: Span, close: u8, closing: Span) {
        let wanted = if open == b'(' { b')' } else { b']' };
        if close != wanted {
            self.error(
                Diagnostic::error(
                    Code::E0801,
                    closing,
                    format!("`{}` cannot close `{}`", char::from(close), char::from(open)),
                )
                .also(opening, "opened here")
                .fix(closing, char::from(wanted).to_string()),
            );
        }
    }

    fn tail(&mut self, dot: Span, items: &[Datum], depth: usize) -> Option<Datum> {
        if items.is_empty() {
            self.error(Diagnostic::error(Code::E0801, dot, "nothing before the dot").help("`(a . b)` is a pair"));
        }
        self.after(dot, "the dot", depth)
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[(span.start - self.start) as usize..(span.end - self.start) as usize]
    }

    /// A number, a boolean or a name.
    fn atom(&mut self, span: Span) -> Option<Datum> {
        let text = self.slice(span);
        let kind = match text {
            "#t" | "#true" => Kind::Bool(true),
            "#f" | "#false" => Kind::Bool(false),
            "." => {
                self.error(Diagnostic::error(Code::E0801, span, "a dot outside of a list"));
                return None;
            }
            _ => match number(text) {
                Some(Ok(value)) => Kind::Real(value),
                Some(Err(())) => {
                    let message = format!("`{text}` is no number");
                    self.error(
                        Diagnostic::error(Code::E0802, span, message)
                            .help("numbers are written `3`, `-0.5`, `1e-3`, `2/3`, `+inf.0`, `-inf.0`, `+nan.0`"),
                    );
                    Kind::Real(0.0)
                }
                None if text.starts_with('#') => {
                    let message = format!("`{text}` is not known");
                    self.error(
                        Diagnostic::error(Code::E0802, span, message)
                            .help("`#t` and `#f` are the booleans; `#;` skips a datum, `#| |#` is a comment"),
                    );
                    return None;
                }
                None => Kind::Symbol(text.into()),
            },
        };
        Some(Datum { kind, span })
    }
}

/// The number of a text; `None` if it does not begin like one.
pub(crate) fn number(text: &str) -> Option<Result<f64, ()>> {
    match text {
        "+inf.0" => return Some(Ok(f64::INFINITY)),
        "-inf.0" => return Some(Ok(f64::NEG_INFINITY)),
        "+nan.0" | "-nan.0" => return Some(Ok(f64::NAN)),
        _ => {}
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let begins = digits.strip_prefix('.').unwrap_or(digits).starts_with(|c: char| c.is_ascii_digit());
    if !begins {
        return None;
    }
    Some(match text.split_once('/') {
        Some((above, below)) => {
            let whole = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty();
            if whole(above.strip_prefix(['+', '-']).unwrap_or(above)) && whole(below) {
                above.parse().and_then(|a: f64| below.parse().map(|b: f64| a / b)).map_err(|_| ())
            } else {
                Err(())
            }
        }
        None => text.parse().map_err(|_| ()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::source::SourceMap;

    fn data(text: &str) -> (Vec<Datum>, Vec<Diagnostic>) {
        let file = SourceMap::new().add("a.vl", text).expect("small");
        let mut diagnostics = Vec::new();
        (read(&file, &mut diagnostics), diagnostics)
    }

    fn shown(datum: &Datum) -> String {
        match &datum.kind {
            Kind::Real(x) => x.to_string(),
            Kind::Bool(b) => b.to_string(),
            Kind::String(s) => format!("{s:?}"),
            Kind::Symbol(s) => s.to_string(),
            Kind::List(items, tail) => {
                let items: Vec<String> = items.iter().map(shown).collect();
                let tail = tail.as_ref().map(|t| format!(" . {}", shown(t))).unwrap_or_default();
                format!("({}{tail})", items.join(" "))
            }
        }
    }

    fn read_as(text: &str, expected: &[&str]) {
        let (data, diagnostics) = data(text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(data.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn data_are_read() {
        read_as("(a 1 -2.5 [b #t] . c) 'x", &["(a 1 -2.5 (b true) . c)", "(quote x)"]);
        read_as("(a . (b . (c . ())))", &["(a b c)"]);
        read_as(
            "; no\n#| no #| no |# |# #;(no 1) 1/4 +inf.0 - -x .5 1e3 \"a\\n\"",
            &["0.25", "inf", "-", "-x", "0.5", "1000", "\"a\\n\""],
        );
    }

    #[test]
    fn several_errors_are_told() {
        let codes = |text: &str| data(text).1.iter().map(|d| d.code.0).collect::<Vec<_>>();
        assert_eq!(codes(") (a"), ["E0801", "E0801"]);
        assert_eq!(codes("(a] 1x #z (. b) (a . b c) '"), ["E0801", "E0802", "E0802", "E0801", "E0801", "E0801"]);
        assert_eq!(codes("\"open"), ["E0801"]);
        assert_eq!(codes("#| open"), ["E0801"]);
        assert_eq!(codes(&"(".repeat(1000)), ["E0803"]);
        assert_eq!(codes(&"'".repeat(1000)), ["E0803"]);
        assert_eq!(codes(&")".repeat(1000)).len(), MAX_ERRORS);
    }
}
