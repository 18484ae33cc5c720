//! The main loop: from the text of the files to the tokens of the program.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{SourceFile, SourceMap, Span};

use super::characters::unknown_character;
use super::conditions::Condition;
use super::expand::Expander;
use super::macros::MacroTable;
use super::pp_token::{PpKind, PpToken};
use super::source::Source;
use super::{
    Behavior, Expansion, Expansions, ExtensionDirective, IncludeResolver, MAX_ERRORS, Pragma, PreprocessOptions,
    Preprocessed,
};
use crate::lex::number::{Number, read_number};
use crate::lex::{LexKind, Lexeme, Scanner};
use crate::symbol::{Interner, Symbol, sym};
use crate::token::{Punct, Token, TokenKind};
use crate::version::Version;

/// The state of a run. Directives, conditions and expansion are further `impl`s in files of their own.
pub(super) struct Reader<'a> {
    pub(super) map: &'a mut SourceMap,
    pub(super) includes: Option<&'a mut (dyn IncludeResolver + 'a)>,
    pub(super) webgl: bool,
    pub(super) names: Interner,
    pub(super) version: Version,
    pub(super) version_span: Option<Span>,
    pub(super) extensions: Vec<ExtensionDirective>,
    pub(super) pragmas: Vec<Pragma>,
    pub(super) tokens: Vec<Token>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) sites: Vec<Expansion>,
    pub(super) macros: MacroTable,
    pub(super) expander: Expander,
    /// The include stack; the file being read is the last.
    pub(super) sources: Vec<Source>,
    pub(super) conditions: Vec<Condition>,
    /// Files with `#pragma once`.
    pub(super) once: Vec<String>,
    /// Each included file with the name in its `#include`, in the order in which they were added.
    pub(super) include_sites: Vec<(Span, Span)>,
    /// Number of included files, and of their bytes.
    pub(super) included: (usize, usize),
    /// Changes whenever reading continues in another file.
    file_changes: u32,
    errors: usize,
    /// A limit was reached: nothing more is read.
    stopped: bool,
    /// Files that are read before the first token of the main file, in reverse order; empty once they are.
    pub(super) preludes: Vec<SourceFile>,
    /// The texts of all preludes.
    pub(super) prelude: Span,
    /// Whether `#include` needs no extension.
    pub(super) free_includes: bool,
}

/// Reads a whole program.
pub(super) fn read(map: &mut SourceMap, file: &SourceFile, options: &mut PreprocessOptions<'_>) -> Preprocessed {
    let includes = options.includes.as_mut().map(|resolver| &mut **resolver as &mut dyn IncludeResolver);
    let version = options.default_version;
    let mut reader = Reader {
        map,
        includes,
        webgl: options.webgl,
        names: Interner::new(),
        version,
        version_span: None,
        extensions: vec![],
        pragmas: vec![],
        tokens: Vec::with_capacity(file.text.len() / 4),
        diagnostics: vec![],
        sites: vec![],
        macros: MacroTable::new(version),
        expander: Expander::default(),
        sources: vec![],
        conditions: vec![],
        once: vec![],
        include_sites: vec![],
        included: (0, 0),
        file_changes: 0,
        errors: 0,
        stopped: false,
        preludes: options.preludes.iter().rev().cloned().collect(),
        prelude: options.preludes.iter().fold(Span::NONE, |all, file| all.to(file.span())),
        free_includes: options.free_includes,
    };
    reader.read_program(file, &options.defines);
    reader.finish(file)
}

impl Reader<'_> {
    fn read_program(&mut self, file: &SourceFile, defines: &[(String, String)]) {
        let main = Source::new(file.clone(), 0, 0);
        for span in main.continued_comments() {
            self.report_continued_comment(span);
        }
        self.enter(main);
        self.leading_version();
        self.define_options(defines);
        self.read_sources();
    }

    /// Starts reading a file.
    pub(super) fn enter(&mut self, source: Source) {
        self.sources.push(source);
        self.file_changes += 1;
    }

    /// Ends the file being read; its `#if`s end with it.
    pub(super) fn leave(&mut self) {
        let Some(source) = self.sources.pop() else { return };
        self.file_changes += 1;
        source.file.set_numbering(source.numbering);
        for condition in self.conditions.drain(source.open_conditions..).rev().collect::<Vec<_>>() {
            self.report_open_condition(&condition);
        }
    }

    /// Reads until no file is left.
    pub(super) fn read_sources(&mut self) {
        while !self.sources.is_empty() && !self.stopped {
            self.read_last();
        }
    }

    /// Reads the last file until it ends or reading continues in another one.
    pub(super) fn read_last(&mut self) {
        if let Some(source) = self.sources.last() {
            let text = source.spliced.text.clone();
            self.read_source(&text);
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    fn read_source(&mut self, text: &str) {
        let changes = self.file_changes;
        let Some(source) = self.sources.last() else { return };
        let mut scanner = Scanner::new(text, source.pos);
        let mut line_start = source.line_start;
        loop {
            let lexeme = scanner.next();
            if !self.preludes.is_empty() && !self.is_before_prelude(text, lexeme, line_start) {
                self.park(lexeme.start, line_start);
                return self.enter_preludes();
            }
            match lexeme.kind {
                LexKind::Newline => {
                    line_start = true;
                    continue;
                }
                LexKind::Ident => {
                    let name = self.names.intern(scanner.text(lexeme));
                    let span = self.span(lexeme);
                    if let Some(id) = self.macros.find(name) {
                        self.park(scanner.pos, false);
                        let token = PpToken { space: lexeme.space, ..PpToken::new(PpKind::Ident(name), span) };
                        self.expand(token, id);
                        if self.file_changes != changes || self.stopped {
                            return;
                        }
                        (scanner.pos, line_start) = self.parked();
                        continue;
                    }
                    self.push_name(name, span, lexeme.end - lexeme.start);
                }
                LexKind::Punct(punct) => {
                    let span = self.span(lexeme);
                    self.tokens.push(Token { kind: punct.token(), span });
                }
                LexKind::Number => {
                    let span = self.span(lexeme);
                    self.push_number(read_number(scanner.text(lexeme), self.version), span);
                }
                LexKind::Hash if line_start => {
                    self.park(scanner.pos, false);
                    let hash = self.span(lexeme);
                    self.directive(hash);
                    if self.file_changes != changes || self.stopped {
                        return;
                    }
                    (scanner.pos, line_start) = self.parked();
                    continue;
                }
                LexKind::End => return self.leave(),
                _ => self.push_odd(text, lexeme),
            }
            line_start = false;
        }
    }

    /// Whether a lexeme of the main file belongs before the preludes: a line break, or the beginning of `#version` or `#extension`.
    #[cold]
    fn is_before_prelude(&self, text: &str, lexeme: Lexeme, line_start: bool) -> bool {
        let is_before = |text: &str| ["version", "extension"].iter().any(|word| text.starts_with(word));
        match lexeme.kind {
            LexKind::Newline => true,
            LexKind::Hash if line_start => is_before(text[lexeme.end..].trim_start_matches([' ', '\t'])),
            _ => false,
        }
    }

    /// Goes on with the preludes, in their order.
    #[cold]
    fn enter_preludes(&mut self) {
        for file in std::mem::take(&mut self.preludes) {
            let source = Source::new(file, 0, self.conditions.len());
            for span in source.continued_comments() {
                self.report_continued_comment(span);
            }
            self.enter(source);
        }
    }

    /// Saves the position to continue at.
    fn park(&mut self, pos: usize, line_start: bool) {
        if let Some(source) = self.sources.last_mut() {
            source.pos = pos;
            source.line_start = line_start;
        }
    }

    fn parked(&self) -> (usize, bool) {
        self.sources.last().map_or((0, true), |s| (s.pos, s.line_start))
    }

    #[inline]
    fn span(&self, lexeme: Lexeme) -> Span {
        self.sources.last().map_or(Span::NONE, |s| s.span(lexeme.start, lexeme.end))
    }

    #[inline]
    fn push_name(&mut self, name: Symbol, span: Span, length: usize) {
        if length > 256 && self.webgl {
            self.check_name_length(span, length);
        }
        self.tokens.push(Token { kind: TokenKind::Ident(name), span });
    }

    fn check_name_length(&mut self, span: Span, length: usize) {
        let limit = if self.version.is_es_100() { 256 } else { 1024 };
        if length > limit {
            let message = format!("this name has {length} characters; WebGL takes at most {limit}");
            self.report(Diagnostic::error(Code::E0113, span, message));
        }
    }

    #[inline]
    fn push_number(&mut self, number: Number, span: Span) {
        if let Some(trouble) = number.trouble {
            let mut diagnostic = match trouble.warning {
                true => Diagnostic::warning(Code::W0107, span, trouble.message),
                false => Diagnostic::error(Code::E0102, span, trouble.message),
            };
            if let Some(help) = trouble.help {
                diagnostic = diagnostic.help(help);
            }
            if let Some(replacement) = trouble.replacement {
                diagnostic = diagnostic.fix(span, replacement);
            }
            self.report(diagnostic);
        }
        self.tokens.push(Token { kind: number.kind, span });
    }

    /// Reports a lexeme that is invalid in the program.
    #[cold]
    fn push_odd(&mut self, text: &str, lexeme: Lexeme) {
        let span = self.span(lexeme);
        if lexeme.kind == LexKind::OpenComment {
            return self.report_open_comment(span);
        }
        let token = self.pp_token(&text[lexeme.start..lexeme.end], lexeme.kind, span);
        self.accept(token);
    }

    /// Appends a token to those of the program, or reports why it is invalid.
    pub(super) fn accept(&mut self, token: PpToken) {
        let span = token.span;
        match token.kind {
            PpKind::Ident(name) => self.push_name(name, span, self.names.resolve(name).len()),
            PpKind::Punct(punct) => self.tokens.push(Token { kind: punct.token(), span }),
            PpKind::Number(text) => {
                let number = read_number(self.names.resolve(text), self.version);
                self.push_number(number, span);
            }
            PpKind::Stray(c) => {
                let (diagnostic, meant) = unknown_character(c, span);
                self.report(diagnostic);
                if let Some(punct) = meant {
                    self.tokens.push(Token { kind: punct.token(), span });
                }
            }
            PpKind::Str(_) => {
                let diagnostic = Diagnostic::error(Code::E0101, span, "GLSL has no strings");
                self.report(diagnostic);
            }
            PpKind::Hash | PpKind::HashHash | PpKind::Paste => {
                let what = token.describe(&self.names);
                let mut diagnostic = Diagnostic::error(Code::E0101, span, format!("{what} has no meaning here"));
                if token.kind == PpKind::Hash {
                    diagnostic = diagnostic.note("a directive must be the first on its line");
                }
                self.report(diagnostic);
            }
            PpKind::Param(_) => {}
        }
    }

    /// A lexeme as a token of the preprocessor.
    pub(super) fn pp_token(&mut self, text: &str, kind: LexKind, span: Span) -> PpToken {
        let kind = match kind {
            LexKind::Ident => PpKind::Ident(self.names.intern(text)),
            LexKind::Number => PpKind::Number(self.names.intern(text)),
            LexKind::Punct(punct) => PpKind::Punct(punct),
            LexKind::Hash => PpKind::Hash,
            LexKind::HashHash => PpKind::HashHash,
            LexKind::Str { closed: true } => PpKind::Str(self.names.intern(text)),
            _ => PpKind::Stray(text.chars().next().unwrap_or(' ')),
        };
        PpToken::new(kind, span)
    }

    /// The next token of the files, for the arguments of a macro: over line ends, and with directives in between done.
    pub(super) fn source_token(&mut self) -> Option<PpToken> {
        let mut space = false;
        loop {
            if self.stopped {
                return None;
            }
            let source = self.sources.last_mut()?;
            let text = source.spliced.text.clone();
            let mut scanner = Scanner::new(&text, source.pos);
            let lexeme = scanner.next();
            let line_start = std::mem::replace(&mut source.line_start, lexeme.kind == LexKind::Newline);
            source.pos = scanner.pos;
            let span = source.span(lexeme.start, lexeme.end);
            match lexeme.kind {
                LexKind::Newline => space = true,
                LexKind::Hash if line_start => {
                    space = true;
                    self.directive(span);
                }
                LexKind::End if self.sources.len() > 1 => self.leave(),
                LexKind::End => return None,
                LexKind::OpenComment => self.report_open_comment(span),
                kind => {
                    let token = self.pp_token(scanner.text(lexeme), kind, span);
                    return Some(PpToken { space: space || lexeme.space, ..token });
                }
            }
        }
    }

    /// Consumes a `(` if it comes next in the file, across line ends.
    pub(super) fn take_source_open_paren(&mut self) -> bool {
        let Some(source) = self.sources.last_mut() else { return false };
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        loop {
            match scanner.next().kind {
                LexKind::Newline => {}
                LexKind::Punct(Punct::LeftParen) => {
                    source.pos = scanner.pos;
                    source.line_start = false;
                    return true;
                }
                _ => return false,
            }
        }
    }

    /// The name that is the whole rest of the line; otherwise `None`, and nothing is consumed.
    pub(super) fn only_name_of_line(&mut self) -> Option<Symbol> {
        let source = self.sources.last_mut()?;
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        let word = scanner.next();
        let end = scanner.next();
        if word.kind != LexKind::Ident || !matches!(end.kind, LexKind::Newline | LexKind::End) {
            return None;
        }
        source.pos = end.start;
        source.line_start = false;
        Some(self.names.intern(scanner.text(word)))
    }

    /// The tokens up to the end of the line, which is not consumed.
    pub(super) fn rest_of_line(&mut self) -> Vec<PpToken> {
        let Some(source) = self.sources.last() else { return vec![] };
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        let mut line = vec![];
        loop {
            let lexeme = scanner.next();
            match lexeme.kind {
                LexKind::Newline => {
                    self.park(lexeme.start, false);
                    return line;
                }
                LexKind::End => {
                    self.park(lexeme.end, false);
                    return line;
                }
                LexKind::OpenComment => self.report_open_comment(self.span(lexeme)),
                kind => {
                    let span = self.span(lexeme);
                    let token = self.pp_token(scanner.text(lexeme), kind, span);
                    line.push(PpToken { space: lexeme.space, ..token });
                }
            }
        }
    }

    /// The value of `__LINE__` at a place.
    pub(super) fn line_of(&self, at: u32) -> i64 {
        match self.sources.last() {
            Some(source) if source.file.start <= at && at <= source.file.end() => source.line(at),
            _ => self.map.line_column(at).map_or(0, |at| i64::from(at.line)),
        }
    }

    /// Whether an extension is enabled.
    pub(super) fn is_enabled(&self, name: &str) -> bool {
        let Some(name) = self.names.get(name) else { return false };
        let last = self.extensions.iter().rev().find(|e| e.name == name || e.name == sym::ALL);
        last.is_some_and(|e| e.behavior != Behavior::Disable && e.name == name)
    }

    /// Notes a diagnostic; past [`MAX_ERRORS`] errors reading stops.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        self.errors += usize::from(diagnostic.is_error());
        let span = diagnostic.span;
        self.diagnostics.push(diagnostic);
        if self.errors >= MAX_ERRORS || self.diagnostics.len() >= 4 * MAX_ERRORS {
            self.stop(Diagnostic::error(Code::E0113, span, "too many errors; the rest of the program is not read"));
        }
    }

    /// Reports a limit, and stops.
    pub(super) fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
        }
        self.stopped = true;
        self.expander.clear();
    }

    pub(super) fn report_open_comment(&mut self, span: Span) {
        let start = Span::new(span.start, (span.start + 2).min(span.end));
        let diagnostic = Diagnostic::error(Code::E0103, start, "this comment does not end")
            .label("`/*` without `*/`")
            .note("comments do not nest: the first `*/` ends one");
        self.report(diagnostic);
    }

    pub(super) fn report_continued_comment(&mut self, span: Span) {
        let diagnostic = Diagnostic::warning(Code::W0106, span, "the line after this comment is part of it")
            .note("a `\\` at the end of a line joins the next line to it, in comments too")
            .help("remove the `\\`");
        self.report(diagnostic);
    }

    fn finish(mut self, file: &SourceFile) -> Preprocessed {
        // Those that a limit has ended.
        for source in self.sources {
            source.file.set_numbering(source.numbering);
        }
        self.tokens.push(Token { kind: TokenKind::Eof, span: file.span().after() });
        self.sites.sort_by_key(|e| e.site);
        self.sites.dedup_by_key(|e| e.site);
        let expansions = Expansions { sites: self.sites, includes: self.include_sites };
        let names = self.names;
        let diagnostics = self.diagnostics.into_iter().map(|d| expansions.explain(d, &names)).collect();
        Preprocessed {
            tokens: self.tokens,
            version: self.version,
            version_span: self.version_span,
            extensions: self.extensions,
            pragmas: self.pragmas,
            interner: names,
            diagnostics,
            expansions,
        }
    }
}
