//! Directives but for conditions and `#define`.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::source::Span;

use super::expression::end_of_expression;
use super::extensions::EXTENSIONS;
use super::pp_token::{PpKind, PpToken};
use super::reader::Reader;
use super::source::Source;
use super::{Behavior, ExtensionDirective, MAX_INCLUDE_DEPTH, MAX_INCLUDED_BYTES, MAX_INCLUDES, Pragma, PragmaKind};
use crate::lex::{LexKind, Scanner};
use crate::symbol::{FIXED, Symbol, kw, sym};
use crate::token::Punct;

/// The names of all directives.
const DIRECTIVES: &[&str] = &[
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "error",
    "pragma",
    "extension",
    "version",
    "line",
    "include",
];

impl Reader<'_> {
    /// Does the directive whose `#` has just been read.
    pub(super) fn directive(&mut self, hash: Span) {
        let Some(source) = self.sources.last_mut() else { return };
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        let word = scanner.next();
        if matches!(word.kind, LexKind::Newline | LexKind::End) {
            return;
        }
        source.pos = scanner.pos;
        let span = source.span(word.start, word.end);
        if word.kind != LexKind::Ident {
            let diagnostic = Diagnostic::error(Code::E0104, span, "`#` needs the name of a directive after it");
            self.report(diagnostic);
            self.rest_of_line();
            return;
        }
        let name = self.names.intern(scanner.text(word));
        let span = hash.to(span);
        match name {
            sym::DEFINE => self.define(span),
            sym::UNDEF => self.undef(span),
            kw::IF | sym::IFDEF | sym::IFNDEF => self.begin_condition(name, span),
            sym::ELIF | kw::ELSE | sym::ENDIF => self.end_group(name, span),
            sym::ERROR => self.error_directive(span),
            sym::PRAGMA => self.pragma(span),
            sym::EXTENSION => self.extension(span),
            sym::VERSION => self.late_version(span),
            sym::LINE => self.line_directive(span),
            sym::INCLUDE => self.include(span),
            _ => self.unknown_directive(name, span),
        }
    }

    fn unknown_directive(&mut self, name: Symbol, span: Span) {
        self.rest_of_line();
        let name = self.names.resolve(name);
        let mut diagnostic = Diagnostic::error(Code::E0104, span, format!("unknown directive `#{name}`"));
        if let Some(meant) = did_you_mean(name, DIRECTIVES.iter().copied()) {
            let help = format!("did you mean `#{meant}`?");
            diagnostic = diagnostic.help(help).fix(span, format!("#{meant}"));
        }
        self.report(diagnostic);
    }

    /// Reports text after the end of a directive.
    pub(super) fn expect_line_end(&mut self, what: &str) {
        let line = self.rest_of_line();
        if let (Some(first), Some(last)) = (line.first(), line.last()) {
            self.report_extra(first.span.to(last.span), what);
        }
    }

    pub(super) fn report_extra(&mut self, span: Span, what: &str) {
        let diagnostic = Diagnostic::error(Code::E0104, span, format!("unexpected text after `{what}`"))
            .help("put it into a comment");
        self.report(diagnostic);
    }

    /// `#error`: its text is the message.
    fn error_directive(&mut self, span: Span) {
        let Some(source) = self.sources.last() else { return };
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        let mut words: Option<(usize, usize)> = None;
        loop {
            let lexeme = scanner.next();
            if matches!(lexeme.kind, LexKind::Newline | LexKind::End | LexKind::OpenComment) {
                break;
            }
            words = Some((words.map_or(lexeme.start, |w| w.0), lexeme.end));
        }
        let (message, span) = match words {
            Some((start, end)) => (text[start..end].to_owned(), span.to(source.span(start, end))),
            None => ("`#error`".to_owned(), span),
        };
        self.rest_of_line();
        self.report(Diagnostic::error(Code::E0107, span, message));
    }

    fn pragma(&mut self, span: Span) {
        let line = self.rest_of_line();
        let mut text = String::new();
        for (index, token) in line.iter().enumerate() {
            if index > 0 && token.space {
                text.push(' ');
            }
            token.write(&mut text, &self.names);
        }
        let kind = self.pragma_kind(&line);
        if text == "once"
            && self.sources.len() > 1
            && let Some(source) = self.sources.last()
        {
            self.once.push(source.file.name.to_string());
        }
        let span = line.last().map_or(span, |last| span.to(last.span));
        self.pragmas.push(Pragma { kind, text, span, position: self.tokens.len() });
    }

    fn pragma_kind(&self, line: &[PpToken]) -> PragmaKind {
        let switch = |rest: &[PpToken]| match rest {
            [open, word, close] if open.is(Punct::LeftParen) && close.is(Punct::RightParen) => word.ident(),
            _ => None,
        };
        let on = |rest| switch(rest).filter(|w| matches!(*w, sym::ON | sym::OFF)).map(|w| w == sym::ON);
        let words: [Option<Symbol>; 2] = [0, 1].map(|i| line.get(i).and_then(PpToken::ident));
        let found = match words {
            [Some(sym::STDGL), Some(kw::INVARIANT)] if switch(&line[2..]) == Some(sym::ALL) => {
                Some(PragmaKind::InvariantAll)
            }
            [Some(sym::OPTIMIZE), _] => on(&line[1..]).map(PragmaKind::Optimize),
            [Some(sym::DEBUG), _] => on(&line[1..]).map(PragmaKind::Debug),
            [Some(sym::PLANISH), _] => {
                let word = |t: &PpToken| {
                    let mut text = String::new();
                    t.write(&mut text, &self.names);
                    text
                };
                Some(PragmaKind::Planish(line[1..].iter().map(word).collect()))
            }
            _ => None,
        };
        found.unwrap_or(PragmaKind::Other)
    }

    /// `#extension NAME : BEHAVIOR`
    fn extension(&mut self, span: Span) {
        let line = self.rest_of_line();
        let malformed = |at: Span, message: String| {
            Diagnostic::error(Code::E0106, at, message)
                .help("write `#extension NAME : require`, `enable`, `warn` or `disable`")
        };
        let end = line.last().map_or(span, |t| t.span).after();
        let Some(name) = line.first().and_then(PpToken::ident) else {
            return self
                .report(malformed(line.first().map_or(end, |t| t.span), "`#extension` needs a name".to_owned()));
        };
        if !line.get(1).is_some_and(|t| t.is(Punct::Colon)) {
            let at = line.get(1).map_or(end, |t| t.span);
            return self.report(malformed(at, "expected `:` after the name of the extension".to_owned()));
        }
        let Some(word) = line.get(2) else {
            return self.report(malformed(end, "the behavior of the extension is missing".to_owned()));
        };
        let behavior = match word.ident() {
            Some(sym::REQUIRE) => Behavior::Require,
            Some(sym::ENABLE) => Behavior::Enable,
            Some(sym::WARN) => Behavior::Warn,
            Some(sym::DISABLE) => Behavior::Disable,
            _ => {
                let what = word.describe(&self.names);
                let mut diagnostic = malformed(word.span, format!("{what} is not a behavior of extensions"));
                let known = ["require", "enable", "warn", "disable"];
                if let Some(meant) = did_you_mean(what.trim_matches('`'), known) {
                    diagnostic = diagnostic.help(format!("did you mean `{meant}`?")).fix(word.span, meant);
                }
                return self.report(diagnostic);
            }
        };
        if let Some(extra) = line.get(3) {
            self.report_extra(extra.span.to(end), "#extension");
        }
        let whole = span.to(word.span);
        if self.check_extension(name, line[0].span, behavior, whole) {
            self.check_extension_place(whole);
            self.extensions.push(ExtensionDirective { name, behavior, span: whole, position: self.tokens.len() });
        }
    }

    /// Whether the extension is available; reports it otherwise.
    fn check_extension(&mut self, name: Symbol, at: Span, behavior: Behavior, whole: Span) -> bool {
        if name == sym::ALL {
            if matches!(behavior, Behavior::Warn | Behavior::Disable) {
                return true;
            }
            let diagnostic = Diagnostic::error(Code::E0106, whole, "`all` takes only `warn` and `disable`")
                .note("no compiler has all extensions");
            self.report(diagnostic);
            return false;
        }
        let known = (name.0.checked_sub(FIXED)).and_then(|index| EXTENSIONS.get(index as usize));
        if known.is_some_and(|e| e.is_in(self.version)) {
            return true;
        }
        // An unavailable extension is an error only if it is required.
        let severe = behavior == Behavior::Require;
        let new = |severe: bool, message: String| match severe {
            true => Diagnostic::error(Code::E0106, at, message),
            false => Diagnostic::warning(Code::E0106, at, message),
        };
        let text = self.names.resolve(name);
        let diagnostic = match known {
            Some(e) if self.version.is_es() && e.es.0 != 0 && e.es.1 < self.version.number => {
                // Older shaders commonly request extensions that have become part of the language.
                new(false, format!("`{text}` is an extension of {}", crate::version::Version::es(e.es.1)))
                    .note(format!("{} has it built in; the directive has no effect", self.version))
            }
            Some(e) if !e.supported && e.belongs_to(self.version) => {
                new(severe, format!("extension `{text}` is not implemented"))
                    .note("the macro of this name is not defined")
            }
            Some(_) => new(severe, format!("{} has no extension `{text}`", self.version)),
            None => {
                let diagnostic = new(severe, format!("unknown extension `{text}`"));
                match did_you_mean(text, EXTENSIONS.iter().filter(|e| e.is_in(self.version)).map(|e| e.name)) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")).fix(at, meant),
                    None => diagnostic,
                }
            }
        };
        self.report(diagnostic);
        false
    }

    /// Reports an `#extension` after the first token in ES.
    fn check_extension_place(&mut self, span: Span) {
        // The prelude is not the user's doing.
        let is_own = |span: Span| !(self.prelude.start..=self.prelude.end).contains(&span.start);
        if !self.version.is_es() || !self.tokens.last().is_some_and(|token| is_own(token.span)) {
            return;
        }
        let message = "`#extension` after other code";
        let note = format!("{} requires it before everything but directives", self.version);
        let diagnostic = if self.webgl && !self.version.is_es_100() {
            Diagnostic::error(Code::E0106, span, message)
        } else {
            Diagnostic::warning(Code::E0106, span, message)
        };
        self.report(diagnostic.note(note));
    }

    /// `#line LINE`, `#line LINE SOURCE` and `#line LINE "FILE"`: the next line has this number, and is from this file.
    fn line_directive(&mut self, span: Span) {
        let line = self.rest_of_line();
        let line = self.expand_line(line, false);
        let end = line.last().map_or(span, |t| t.span).after();
        if line.is_empty() {
            let diagnostic = Diagnostic::error(Code::E0104, end, "`#line` needs the number of a line");
            return self.report(diagnostic);
        }
        // Both are constant expressions; the first goes as far as it can (GLSL ES 3.20, section 3.4).
        let end_of_first = end_of_expression(&line);
        let (first, rest) = line.split_at(end_of_first);
        let Some(number) = self.evaluate_line(first, span) else { return };
        let (mut file, mut name) = (None, None);
        match rest {
            [] => {}
            // The name of a file, as C has it: there is no token for it, so `__FILE__` stays a number.
            [PpToken { kind: PpKind::Str(text), .. }] => {
                name =
                    Some(self.names.resolve(*text).trim_matches('"').into()).filter(|name: &Arc<str>| !name.is_empty());
            }
            rest => {
                file = self.evaluate_line(rest, span);
                if file.is_none() {
                    return;
                }
            }
        }
        let Some(source) = self.sources.last_mut() else { return };
        source.number_lines(span.start, i64::from(number), name);
        if let Some(file) = file {
            source.number = file.max(0) as u32;
        }
    }

    fn include(&mut self, span: Span) {
        let Some(source) = self.sources.last() else { return };
        let text = source.spliced.text.clone();
        let rest = &text[source.pos..];
        let rest = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let open = rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        let close = match rest.as_bytes().get(open) {
            Some(b'"') => '"',
            Some(b'<') => '>',
            _ => {
                self.rest_of_line();
                let diagnostic = Diagnostic::error(Code::E0112, span, "`#include` needs a name in `\"…\"` or `<…>`");
                return self.report(diagnostic);
            }
        };
        let name = &rest[open + 1..];
        let at = source.pos + open;
        let Some(length) = name.find(close) else {
            let span = source.span(at, source.pos + rest.len());
            self.rest_of_line();
            return self.report(Diagnostic::error(Code::E0112, span, format!("the name is not closed with `{close}`")));
        };
        let name = &name[..length];
        let at = source.span(at, at + length + 2);
        if let Some(source) = self.sources.last_mut() {
            source.pos += open + length + 2;
        }
        self.expect_line_end("#include");
        if self.webgl && !self.free_includes {
            let diagnostic = Diagnostic::error(Code::E0104, span.to(at), "WebGL has no `#include`");
            return self.report(diagnostic);
        }
        self.check_include_extension(span.to(at));
        self.enter_include(name, close == '>', at);
    }

    fn check_include_extension(&mut self, span: Span) {
        if self.free_includes
            || self.is_enabled("GL_GOOGLE_include_directive")
            || self.is_enabled("GL_ARB_shading_language_include")
        {
            return;
        }
        let diagnostic = Diagnostic::error(Code::E0106, span, "`#include` is an extension that is not asked for")
            .help("put `#extension GL_GOOGLE_include_directive : require` after `#version`");
        self.report(diagnostic);
    }

    /// Goes on with an included file; `at` is its name in the directive.
    fn enter_include(&mut self, name: &str, system: bool, at: Span) {
        let Some(from) = self.sources.last().map(|s| s.file.name.clone()) else { return };
        let found = self.includes.as_mut().and_then(|resolver| resolver.resolve(name, &from, system));
        let Some((full_name, text)) = found else {
            let mut diagnostic = Diagnostic::error(Code::E0112, at, format!("cannot find `{name}`"));
            if self.includes.is_none() {
                diagnostic = diagnostic.note("no place to look for included files was given");
            }
            return self.report(diagnostic);
        };
        if self.once.contains(&full_name) {
            return;
        }
        self.included = (self.included.0 + 1, self.included.1 + text.len());
        if self.sources.len() > MAX_INCLUDE_DEPTH {
            let mut diagnostic = Diagnostic::error(
                Code::E0113,
                at,
                format!("files include each other more than {MAX_INCLUDE_DEPTH} deep"),
            );
            if self.sources.iter().any(|s| *s.file.name == full_name) {
                diagnostic =
                    diagnostic.note(format!("`{full_name}` includes itself")).help("start it with `#pragma once`");
            }
            return self.stop(diagnostic);
        }
        if self.included.0 > MAX_INCLUDES || self.included.1 > MAX_INCLUDED_BYTES {
            let message = format!("more than {MAX_INCLUDES} files or {MAX_INCLUDED_BYTES} bytes are included");
            return self.stop(Diagnostic::error(Code::E0113, at, message));
        }
        let Ok(file) = self.map.add(full_name, text) else {
            return self.stop(Diagnostic::error(Code::E0113, at, "more than 4 GiB of source"));
        };
        self.include_sites.push((file.span(), at));
        let source = Source::new(file, self.included.0 as u32, self.conditions.len());
        for span in source.continued_comments() {
            self.report_continued_comment(span);
        }
        self.enter(source);
    }
}
