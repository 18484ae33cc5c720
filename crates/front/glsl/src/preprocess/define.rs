//! `#define` and `#undef`.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::MAX_MACRO_PARAMETERS;
use super::macros::{Definition, Meaning};
use super::pp_token::{PpKind, PpToken};
use super::reader::Reader;
use super::source::Source;
use crate::symbol::{Symbol, sym};
use crate::token::Punct;

impl Reader<'_> {
    /// `#define NAME BODY`, `#define NAME(PARAMS) BODY`
    pub(super) fn define(&mut self, span: Span) {
        let line = self.rest_of_line();
        let Some((name, at)) = self.macro_name(&line, span, "#define") else { return };
        let mut body = 1;
        let params = match line.get(1) {
            Some(open) if open.is(Punct::LeftParen) && !open.space => {
                let Some((params, end)) = self.parameters(&line[1..]) else { return };
                body += end;
                Some(params)
            }
            Some(next) if !next.space => {
                let diagnostic = Diagnostic::warning(Code::E0108, next.span, "white space is missing after the name")
                    .label("the definition starts here");
                self.report(diagnostic);
                None
            }
            _ => None,
        };
        let Some(body) = self.body(&line[body..], params.as_deref()) else { return };
        let definition = Definition::new(at, params, body);
        self.check_redefinition(name, &definition);
        self.macros.set(name, Meaning::Defined(Arc::new(definition)));
    }

    /// `#undef NAME`
    pub(super) fn undef(&mut self, span: Span) {
        let line = self.rest_of_line();
        let Some((name, _)) = self.macro_name(&line, span, "#undef") else { return };
        if let (Some(extra), Some(last)) = (line.get(1), line.last()) {
            self.report_extra(extra.span.to(last.span), "#undef");
        }
        self.macros.remove(name);
    }

    /// The name in a directive, and its span; `None`, with an error, if it is not allowed.
    fn macro_name(&mut self, line: &[PpToken], span: Span, what: &str) -> Option<(Symbol, Span)> {
        let Some(first) = line.first() else {
            self.report(Diagnostic::error(Code::E0108, span, format!("`{what}` needs a name")));
            return None;
        };
        let Some(name) = first.ident() else {
            let found = first.describe(&self.names);
            let diagnostic =
                Diagnostic::error(Code::E0108, first.span, format!("{found} cannot be the name of a macro"));
            self.report(diagnostic);
            return None;
        };
        let text = self.names.resolve(name);
        let refused = if name == sym::DEFINED {
            Some("`defined` cannot be the name of a macro".to_owned())
        } else if self.macros.find(name).is_some() && self.macros.definition(name).is_none() {
            Some(format!("`{text}` is built in: it can be neither defined nor undefined"))
        } else if text.starts_with("GL_") {
            Some(format!("`{text}` is reserved: names that start with `GL_` belong to GLSL"))
        } else {
            None
        };
        if let Some(message) = refused {
            self.report(Diagnostic::error(Code::E0108, first.span, message));
            return None;
        }
        if text.contains("__") && what == "#define" {
            let message = format!("`{text}` is reserved: names that contain `__` belong to GLSL");
            self.report(Diagnostic::warning(Code::W0108, first.span, message));
        }
        Some((name, first.span))
    }

    /// Reads `(A, B)` at the start of `line`: the names, and the number of tokens read.
    fn parameters(&mut self, line: &[PpToken]) -> Option<(Vec<Symbol>, usize)> {
        let mut params = vec![];
        let mut at = 1;
        if line.get(at).is_some_and(|t| t.is(Punct::RightParen)) {
            return Some((params, at + 1));
        }
        loop {
            let Some(name) = line.get(at).and_then(PpToken::ident) else {
                self.report_parameter(line, at, "the name of a parameter");
                return None;
            };
            if params.contains(&name) {
                let message = format!("parameter `{}` is declared twice", self.names.resolve(name));
                self.report(Diagnostic::error(Code::E0108, line[at].span, message));
                return None;
            }
            if params.len() == MAX_MACRO_PARAMETERS {
                let message = format!("a macro has more than {MAX_MACRO_PARAMETERS} parameters");
                self.report(Diagnostic::error(Code::E0113, line[at].span, message));
                return None;
            }
            params.push(name);
            at += 2;
            match line.get(at - 1) {
                Some(t) if t.is(Punct::Comma) => {}
                Some(t) if t.is(Punct::RightParen) => return Some((params, at)),
                _ => {
                    self.report_parameter(line, at - 1, "`,` or `)`");
                    return None;
                }
            }
        }
    }

    fn report_parameter(&mut self, line: &[PpToken], at: usize, expected: &str) {
        let (span, found) = match line.get(at) {
            Some(token) => (token.span, token.describe(&self.names)),
            None => (line.last().map_or(Span::NONE, |t| t.span.after()), "the end of the line".to_owned()),
        };
        let mut diagnostic = Diagnostic::error(Code::E0108, span, format!("expected {expected}, found {found}"));
        if line[at.min(line.len())..].iter().take(3).filter(|t| t.is(Punct::Dot)).count() == 3 {
            diagnostic = diagnostic.note("GLSL has no macros with any number of arguments");
        }
        self.report(diagnostic);
    }

    /// The tokens of a body, with names of parameters and `##` resolved.
    fn body(&mut self, line: &[PpToken], params: Option<&[Symbol]>) -> Option<Vec<PpToken>> {
        let mut body = line.to_vec();
        for token in &mut body {
            match token.kind {
                PpKind::HashHash => token.kind = PpKind::Paste,
                PpKind::Ident(name) => {
                    if let Some(index) = params.and_then(|p| p.iter().position(|q| *q == name)) {
                        token.kind = PpKind::Param(index as u32);
                    }
                }
                _ => {}
            }
        }
        let is_paste = |t: &&PpToken| t.kind == PpKind::Paste;
        if let Some(edge) = body.first().filter(is_paste).or(body.last().filter(is_paste)) {
            let diagnostic = Diagnostic::error(Code::E0108, edge.span, "`##` needs a token on both sides");
            self.report(diagnostic);
            return None;
        }
        let first_paste = body.iter().find(is_paste).map(|t| t.span);
        if let Some(span) = first_paste.filter(|_| !self.version.has_token_pasting()) {
            let diagnostic = Diagnostic::error(Code::E0108, span, format!("{} has no `##`", self.version));
            self.report(diagnostic);
        }
        // `a ## ## b` pastes once.
        body.dedup_by(|b, a| a.kind == PpKind::Paste && b.kind == PpKind::Paste);
        Some(body)
    }

    fn check_redefinition(&mut self, name: Symbol, new: &Definition) {
        let Some(old) = self.macros.definition(name) else { return };
        if old.is_same(new) {
            return;
        }
        let message = format!("macro `{}` is defined twice, and differently", self.names.resolve(name));
        let diagnostic = Diagnostic::error(Code::E0108, new.span, message)
            .also(old.span, "the definition before")
            .help("`#undef` it first");
        self.report(diagnostic);
    }

    /// Defines the macros of the options, as lines of a file of their own.
    pub(super) fn define_options(&mut self, defines: &[(String, String)]) {
        if defines.is_empty() {
            return;
        }
        let mut text = String::new();
        for (name, value) in defines {
            let one_line = |t: &str| t.replace(['\n', '\r'], " ");
            text.push_str(&format!("#define {} {}\n", one_line(name), one_line(value)));
        }
        let Ok(file) = self.map.add("(macros from outside)", text) else { return };
        self.enter(Source::new(file, 0, 0));
        while self.sources.len() > 1 && !self.is_stopped() {
            self.read_last();
        }
    }
}
