//! `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`, and skipping of excluded groups.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::MAX_CONDITION_DEPTH;
use super::expression::evaluate;
use super::reader::Reader;
use crate::lex::{LexKind, Scanner};
use crate::symbol::{Symbol, kw, sym};

/// An open `#if`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    /// The directive that opened it.
    span: Span,
    name: Symbol,
    /// Whether one of its groups has been included.
    taken: bool,
    /// Its `#else`.
    else_span: Option<Span>,
}

impl Reader<'_> {
    /// `#if`, `#ifdef` or `#ifndef`, at `span`.
    pub(super) fn begin_condition(&mut self, name: Symbol, span: Span) {
        let taken = match name {
            kw::IF => self.read_condition(span, "#if"),
            _ => self.read_is_defined(name, span) == (name == sym::IFDEF),
        };
        if self.conditions.len() >= MAX_CONDITION_DEPTH {
            let message = format!("conditions are nested more than {MAX_CONDITION_DEPTH} deep");
            return self.stop(Diagnostic::error(Code::E0113, span, message));
        }
        self.conditions.push(Condition { span, name, taken, else_span: None });
        if !taken {
            self.skip_groups();
        }
    }

    /// `#elif`, `#else` or `#endif` after an included group.
    pub(super) fn end_group(&mut self, name: Symbol, span: Span) {
        match name {
            sym::ENDIF => self.end_condition(span),
            _ => {
                // The groups that follow are excluded, but a second `#else` is still an error.
                let open = match name {
                    kw::ELSE => self.begin_else(span).is_some(),
                    _ => self.begin_elif(span).is_some(),
                };
                if open {
                    self.skip_groups();
                }
            }
        }
    }

    /// Skips groups until one is included or the condition ends.
    fn skip_groups(&mut self) {
        let mut nested = 0_usize;
        while let Some((name, span)) = self.next_skipped_directive() {
            match name {
                kw::IF | sym::IFDEF | sym::IFNDEF => nested += 1,
                sym::ENDIF if nested > 0 => nested -= 1,
                sym::ENDIF => return self.end_condition(span),
                _ if nested > 0 => {}
                kw::ELSE if self.begin_else(span) == Some(false) => return self.mark_taken(),
                sym::ELIF if self.begin_elif(span) == Some(false) && self.read_condition(span, "#elif") => {
                    return self.mark_taken();
                }
                _ => {}
            }
        }
    }

    /// The name of the next directive from the end of this line on, and its span; reading continues after the name.
    fn next_skipped_directive(&mut self) -> Option<(Symbol, Span)> {
        let source = self.sources.last_mut()?;
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        let mut line_start = false;
        loop {
            if !line_start && let Err(comment) = scanner.skip_line() {
                source.pos = text.len();
                let span = source.span(comment, text.len());
                self.report_open_comment(span);
                return None;
            }
            let lexeme = scanner.next();
            match lexeme.kind {
                LexKind::End => {
                    source.pos = lexeme.start;
                    return None;
                }
                LexKind::Newline => line_start = true,
                LexKind::OpenComment => {
                    source.pos = text.len();
                    let span = source.span(lexeme.start, lexeme.end);
                    self.report_open_comment(span);
                    return None;
                }
                LexKind::Hash if line_start => {
                    line_start = false;
                    let before = scanner.pos;
                    let word = scanner.next();
                    if word.kind != LexKind::Ident {
                        scanner.pos = before;
                        continue;
                    }
                    if let Some(name) = self.names.get(scanner.text(word)) {
                        source.pos = scanner.pos;
                        return Some((name, source.span(lexeme.start, word.end)));
                    }
                }
                _ => {
                    line_start = false;
                    scanner.pos = lexeme.start;
                }
            }
        }
    }

    fn mark_taken(&mut self) {
        if let Some(condition) = self.conditions.last_mut() {
            condition.taken = true;
        }
    }

    /// The innermost condition of this file.
    fn innermost(&mut self) -> Option<&mut Condition> {
        let open = self.sources.last().map_or(0, |s| s.open_conditions);
        self.conditions[open..].last_mut()
    }

    /// `#else`: whether an earlier group was included; `None` if it is misplaced.
    fn begin_else(&mut self, span: Span) -> Option<bool> {
        self.expect_line_end("#else");
        let taken = self.check_group("#else", span)?;
        if let Some(condition) = self.innermost() {
            condition.else_span = Some(span);
        }
        Some(taken)
    }

    /// `#elif`: whether an earlier group was included; `None` if it is misplaced.
    fn begin_elif(&mut self, span: Span) -> Option<bool> {
        self.check_group("#elif", span)
    }

    fn check_group(&mut self, what: &str, span: Span) -> Option<bool> {
        let Some(&mut condition) = self.innermost() else {
            self.rest_of_line();
            self.report(Diagnostic::error(Code::E0110, span, format!("`{what}` without `#if`")));
            return None;
        };
        if let Some(first) = condition.else_span {
            let diagnostic = Diagnostic::error(Code::E0110, span, format!("`{what}` after `#else`"))
                .also(first, "the `#else`")
                .also(condition.span, "of this condition");
            self.report(diagnostic);
            // Taken: what follows is left out.
            self.mark_taken();
            return Some(true);
        }
        Some(condition.taken)
    }

    fn end_condition(&mut self, span: Span) {
        self.expect_line_end("#endif");
        if self.innermost().is_some() {
            self.conditions.pop();
        } else {
            self.report(Diagnostic::error(Code::E0110, span, "`#endif` without `#if`"));
        }
    }

    /// Reads and evaluates the rest of the line; an invalid condition counts as false.
    fn read_condition(&mut self, span: Span, what: &str) -> bool {
        let line = self.rest_of_line();
        if line.is_empty() {
            let diagnostic = Diagnostic::error(Code::E0111, span, format!("`{what}` needs an expression"));
            self.report(diagnostic);
            return false;
        }
        let line = self.expand_line(line, true);
        self.evaluate_line(&line, span).is_some_and(|value| value != 0)
    }

    /// The value of an expanded line.
    pub(super) fn evaluate_line(&mut self, line: &[super::pp_token::PpToken], span: Span) -> Option<i32> {
        let (value, diagnostics) = evaluate(line, span, &self.names, &self.macros, self.version);
        for diagnostic in diagnostics {
            self.report(diagnostic);
        }
        value
    }

    /// Reads the name after `#ifdef` or `#ifndef`; returns whether it is a macro.
    fn read_is_defined(&mut self, directive: Symbol, span: Span) -> bool {
        if let Some(name) = self.only_name_of_line() {
            return self.macros.find(name).is_some();
        }
        let line = self.rest_of_line();
        let what = format!("#{}", self.names.resolve(directive));
        let Some(name) = line.first().and_then(|t| t.ident()) else {
            let at = line.first().map_or(span.after(), |t| t.span);
            let mut diagnostic = Diagnostic::error(Code::E0110, at, format!("`{what}` needs the name of a macro"));
            if line.len() > 1 {
                diagnostic = diagnostic.help("`#if` takes expressions");
            }
            self.report(diagnostic);
            // Neither group is more likely to be intended; the first one is included.
            return directive == sym::IFDEF;
        };
        if let Some(extra) = line.get(1) {
            let end = line.last().map_or(extra.span, |t| t.span);
            self.report_extra(extra.span.to(end), &what);
        }
        self.macros.find(name).is_some()
    }

    pub(super) fn report_open_condition(&mut self, condition: &Condition) {
        let what = self.names.resolve(condition.name);
        let diagnostic = Diagnostic::error(Code::E0110, condition.span, format!("this `#{what}` has no `#endif`"));
        let diagnostic = match condition.else_span {
            Some(span) => diagnostic.also(span, "its `#else`"),
            None => diagnostic,
        };
        self.report(diagnostic);
    }
}
