//! Error reporting and recovery.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::words::{self, Word};
use super::*;
use TokenKind as T;

/// Maximum number of errors; the parser stops after it.
pub const MAX_ERRORS: usize = 100;

impl Parser<'_> {
    /// Reports an error at the current token, unless one was reported there already, of which this would be a
    /// consequence.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.is_reported() {
            if !self.is_misread() {
                self.report_apart(diagnostic);
            }
            self.mute();
        }
    }

    /// Whether a character or number at or directly before the current token was invalid, which has been reported.
    fn is_misread(&self) -> bool {
        let from = self.previous().start;
        let next = self.misread.partition_point(|span| span.start < from);
        self.misread.get(next).is_some_and(|span| span.start < self.span().end)
    }

    /// Reports what does not disturb the reading.
    pub(super) fn report_apart(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() + 1 < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        } else if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic.note("too many errors: the rest of the program is not looked at"));
            self.pos = self.tokens.len() - 1;
            self.reported_at = self.pos;
        }
    }

    /// Whether an error was reported at the current token.
    pub(super) fn is_reported(&self) -> bool {
        self.reported_at == self.pos
    }

    /// Suppresses further errors at the current token.
    pub(super) fn mute(&mut self) {
        self.reported_at = self.pos;
    }

    pub(super) fn found(&self) -> String {
        self.peek().describe(self.names)
    }

    /// "expected X, found Y" at the token at hand.
    pub(super) fn expected(&mut self, what: &str) {
        if !self.is_reported() {
            let diagnostic = self.expected_diagnostic(what);
            self.report(diagnostic);
        }
    }

    pub(super) fn expected_diagnostic(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.found());
        Diagnostic::error(Code::E0201, self.span(), message).label(format!("expected {what}"))
    }

    /// Parses a `;`, or reports that it is missing after `what`.
    pub(super) fn semicolon(&mut self, what: impl FnOnce(&Self) -> String) {
        if self.eat(T::Semicolon) {
            return;
        }
        if self.in_head {
            if !self.is_reported() {
                let message = format!("expected `;` after {}, found {}", what(self), self.found());
                let diagnostic = Diagnostic::error(Code::E0201, self.span(), message).label("expected `;`");
                self.report(diagnostic.help(statements::HEAD));
            }
            return;
        }
        if self.is_reported() {
            if !self.at_new_declaration() {
                self.skip_statement(true);
            }
            return;
        }
        let diagnostic = match self.peek() {
            T::RightParen | T::RightBracket => self.stray_closer(),
            found if starts_statement(found) || found == T::Eof => {
                let place = self.previous().after();
                Diagnostic::error(Code::E0201, place, format!("expected `;` after {}", what(self)))
                    .label("expected `;`")
                    .fix(place, ";")
            }
            _ => {
                let message = format!("expected `;` after {}, found {}", what(self), self.found());
                Diagnostic::error(Code::E0201, self.span(), message).label("expected `;`")
            }
        };
        self.report(diagnostic);
        if !starts_statement(self.peek()) {
            self.skip_statement(true);
        }
    }

    pub(super) fn stray_closer(&self) -> Diagnostic {
        let found = self.found();
        Diagnostic::error(Code::E0202, self.span(), format!("{found} closes nothing"))
            .label(format!("no bracket is open that {found} could close"))
    }

    /// Parses the bracket that closes `open`, or reports it, with `what` as the alternative.
    pub(super) fn close(&mut self, open: Span, closer: T, what: &str) {
        if !self.eat(closer) {
            self.not_closed(open, closer, what);
        }
    }

    #[cold]
    fn not_closed(&mut self, open: Span, closer: T, what: &str) {
        let closing = closer.punctuation().unwrap_or_default();
        let opening = match closer {
            T::RightParen => "(",
            T::RightBracket => "[",
            _ => "{",
        };
        let separator = self.peek() == T::Semicolon && closer == T::RightParen && self.closes_unopened(1);
        if !separator && (ends_brackets(self.peek()) || self.starts_new_statement() || self.at_new_declaration()) {
            let place = self.previous().after();
            let message = format!("missing `{closing}`");
            let diagnostic = Diagnostic::error(Code::E0202, place, message)
                .label(format!("expected `{closing}`"))
                .also(open, format!("this `{opening}` is not closed"))
                .fix(place, closing);
            return self.report(diagnostic);
        }
        let message = format!("expected {what} or `{closing}`, found {}", self.found());
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), message)
            .label(format!("expected {what} or `{closing}`"))
            .also(open, format!("to close this `{opening}`"));
        self.report(diagnostic);
        if separator {
            self.bump();
        }
        self.skip_to(|kind| kind == closer || kind == T::Semicolon);
        if !self.eat(closer) {
            self.mute();
        }
    }

    /// Whether an unmatched `)` follows `ahead` tokens after the current one, before the next `;` or brace.
    pub(super) fn closes_unopened(&self, ahead: usize) -> bool {
        let mut depth = 0u32;
        for token in &self.tokens[(self.pos + ahead).min(self.tokens.len())..] {
            match token.kind {
                T::LeftParen => depth += 1,
                T::RightParen if depth == 0 => return true,
                T::RightParen => depth -= 1,
                T::Semicolon | T::LeftBrace | T::RightBrace | T::Eof => return false,
                _ => {}
            }
        }
        false
    }

    /// The next brace, including the current token; `Eof` if there is none.
    pub(super) fn next_brace(&self) -> T {
        let brace = |kind: &T| matches!(kind, T::LeftBrace | T::RightBrace);
        self.tokens[self.pos..].iter().map(|token| token.kind).find(brace).unwrap_or(T::Eof)
    }

    /// Whether the current token is a keyword that only begins statements.
    pub(super) fn starts_new_statement(&self) -> bool {
        self.word_of(self.peek()) == Word::Statement
    }

    /// Skips to the first token, outside of brackets opened from here on, that `stop` accepts, to the closing bracket
    /// of one opened before, or to the end. A brace closes the parentheses that are open in it.
    pub(super) fn skip_to(&mut self, stop: impl Fn(T) -> bool) {
        let (mut parens, mut braces) = (0u32, 0u32);
        loop {
            let kind = self.peek();
            match kind {
                T::Eof => return,
                _ if parens == 0 && braces == 0 && stop(kind) => return,
                T::LeftParen | T::LeftBracket => parens += 1,
                T::RightParen | T::RightBracket if parens > 0 => parens -= 1,
                T::RightParen | T::RightBracket if braces == 0 => return,
                T::LeftBrace => {
                    braces += 1;
                    parens = 0;
                }
                T::RightBrace if braces == 0 => return,
                T::RightBrace => {
                    braces -= 1;
                    parens = 0;
                }
                _ => {}
            }
            self.pos += 1;
        }
    }

    /// Skips the rest of a statement: past its `;` or block, or to the `}` around it, or to the next keyword that
    /// begins a statement; with `advance` the current token is skipped, too.
    pub(super) fn skip_statement(&mut self, advance: bool) {
        self.skip_some_statement(advance, true);
    }

    /// As [`Parser::skip_statement`], but skips nested statements as a whole.
    pub(super) fn skip_whole_statement(&mut self) {
        self.skip_some_statement(true, false);
    }

    fn skip_some_statement(&mut self, advance: bool, stop_at_keywords: bool) {
        let mut first = advance;
        loop {
            let before = self.pos;
            // Not a method: the closure may not borrow the parser that moves.
            let statement = |words: &Words, kind| matches!(kind, T::Ident(w) if words.get(w) == Word::Statement);
            match self.peek() {
                T::Eof | T::RightBrace => break,
                T::Semicolon => {
                    self.bump();
                    break;
                }
                T::LeftBrace => {
                    self.skip_block();
                    break;
                }
                kind if stop_at_keywords && !first && statement(&self.words, kind) => break,
                T::LeftParen | T::LeftBracket => {
                    self.bump();
                    self.skip_to(|kind| matches!(kind, T::LeftBrace));
                    if matches!(self.peek(), T::RightParen | T::RightBracket) {
                        self.bump();
                    }
                }
                _ => {
                    self.bump();
                }
            }
            first &= self.pos == before;
        }
        self.mute();
    }

    /// Skips a `{ … }`.
    pub(super) fn skip_block(&mut self) {
        self.bump();
        self.skip_to(|_| false);
        while matches!(self.peek(), T::RightParen | T::RightBracket) {
            self.bump();
            self.skip_to(|_| false);
        }
        self.eat(T::RightBrace);
    }

    /// Skips the rest of an external declaration: past its `;` or block, or to a keyword that begins the next.
    pub(super) fn skip_declaration(&mut self) {
        let start = self.pos;
        loop {
            match self.peek() {
                T::Eof => break,
                T::Semicolon => {
                    self.bump();
                    break;
                }
                T::LeftBrace => {
                    self.skip_block();
                    self.eat(T::Semicolon);
                    break;
                }
                _ if self.pos > start && self.at_new_declaration() => break,
                T::LeftParen | T::LeftBracket => {
                    self.bump();
                    self.skip_to(|kind| matches!(kind, T::LeftBrace | T::Semicolon));
                }
                T::RightBrace if self.pos > start => break,
                _ => {
                    self.bump();
                }
            }
        }
        self.mute();
    }

    /// Whether the current token is a keyword that begins external declarations and is rare elsewhere.
    pub(super) fn at_new_declaration(&self) -> bool {
        match self.peek() {
            T::Ident(word @ (kw::UNIFORM | kw::VARYING | kw::ATTRIBUTE | kw::LAYOUT | kw::STRUCT | kw::PRECISION)) => {
                self.words.get(word) != Word::Name
            }
            T::Ident(kw::VOID) => matches!(self.peek_at(1), T::Ident(_)),
            _ => false,
        }
    }

    // ------------------------------------------------------------------------------------------ limits

    /// Enters a nesting level, or reports, once a declaration, that there are too many; then the nested construct is
    /// skipped.
    pub(super) fn descend(&mut self) -> bool {
        let is_allowed = self.depth < MAX_NESTING;
        if is_allowed {
            self.depth += 1;
        } else {
            self.nested_too_deep();
        }
        is_allowed
    }

    #[cold]
    fn nested_too_deep(&mut self) {
        if self.too_deep {
            return self.mute();
        }
        self.too_deep = true;
        let message = format!("the program is nested more than {MAX_NESTING} levels deep");
        let diagnostic = Diagnostic::error(Code::E0204, self.span(), message)
            .label("too deep from here on")
            .help("split it: name the inner parts as variables or functions");
        self.report(diagnostic);
    }

    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    // ------------------------------------------------------------------------------------------ words

    /// Reports the use of a reserved word, once a word: from then on it counts as a name.
    pub(super) fn reserved_word(&mut self, word: Symbol, span: Span) {
        let since = first_version(self.version, word, |class| class != WordClass::Identifier);
        let reserved_in = match since {
            Some(since) if since != self.version => format!("{}; reserved since {since}", self.version),
            _ => self.version.to_string(),
        };
        let text = self.text(word);
        let mut diagnostic = Diagnostic::error(Code::E0203, span, format!("`{text}` is a reserved word"))
            .label(format!("reserved in {reserved_in}"));
        if let Some(later) = first_version(self.version, word, |class| class == WordClass::Keyword)
            && later.number > self.version.number
        {
            diagnostic = diagnostic.note(format!("it is a keyword from {later} on"));
        }
        diagnostic = match foreign::instead_of_reserved(text, self.version) {
            Some(help) => diagnostic.help(help),
            None => diagnostic.help(format!("choose another name, such as `{text}_`")),
        };
        self.report_apart(diagnostic);
        self.words.set(word, words::role(word));
    }

    /// Reports a keyword in the place of a name.
    pub(super) fn keyword_as_name(&mut self, word: Symbol, span: Span) {
        let text = self.text(word);
        let diagnostic = Diagnostic::error(Code::E0203, span, format!("`{text}` is a keyword and cannot be a name"))
            .label(format!("a keyword in {}", self.version))
            .help(format!("choose another name, such as `{text}_`"));
        self.report_apart(diagnostic);
    }

    /// Reports a construct of other versions of GLSL; `es` and `desktop` are the first that have it, 0 for none.
    pub(super) fn other_version(&mut self, span: Span, what: &str, es: u16, desktop: u16) {
        let mut diagnostic = self.other_version_diagnostic(span, what, es, desktop);
        let (first, suffix) = if self.version.is_es() { (es, " es") } else { (desktop, "") };
        if first > self.version.number {
            diagnostic = diagnostic.help(format!("start the program with `#version {first}{suffix}`"));
        }
        self.report_apart(diagnostic);
    }

    /// As [`Parser::other_version`], without recovery.
    pub(super) fn other_version_diagnostic(&self, span: Span, what: &str, es: u16, desktop: u16) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::E0205, span, format!("{what} not in {}", self.version))
            .label("not in this version");
        let versions = match (es, desktop) {
            (0, 0) => None,
            (0, d) => Some(format!("it needs {}", Version::desktop(d))),
            (e, 0) => Some(format!("it needs {}", Version::es(e))),
            (e, d) => Some(format!("it needs {} or {}", Version::es(e), Version::desktop(d))),
        };
        match versions {
            Some(versions) => diagnostic.note(versions),
            None => diagnostic,
        }
    }

    /// Reports a word that newer versions have as a keyword and that is used like one.
    pub(super) fn word_of_other_version(&mut self, word: Symbol, span: Span) {
        let keyword = |class| class == WordClass::Keyword;
        let es = first_version(Version::ES_100, word, keyword).map_or(0, |v| v.number);
        let desktop = first_version(Version::desktop(110), word, keyword).map_or(0, |v| v.number);
        self.other_version(span, &format!("`{}` is", self.text(word)), es, desktop);
        self.words.set(word, words::role(word));
    }
}

/// The first version of the branch of `like` in which the class of a word satisfies `is`.
fn first_version(like: Version, word: Symbol, is: impl Fn(WordClass) -> bool) -> Option<Version> {
    use crate::version::{DESKTOP_VERSIONS, ES_VERSIONS};
    let numbers = if like.is_es() { ES_VERSIONS } else { DESKTOP_VERSIONS };
    let versions = numbers.iter().map(|&n| if like.is_es() { Version::es(n) } else { Version::desktop(n) });
    versions.into_iter().find(|version| is(version.classify(word)))
}

/// Whether a token can begin a statement, so that the previous one has ended.
fn starts_statement(kind: T) -> bool {
    matches!(kind, T::Ident(_) | T::LeftBrace | T::RightBrace | T::PlusPlus | T::MinusMinus)
}

/// Whether a bracket that is still open at this token must be missing its end.
fn ends_brackets(kind: T) -> bool {
    matches!(kind, T::Semicolon | T::LeftBrace | T::RightBrace | T::RightParen | T::RightBracket | T::Eof)
}
