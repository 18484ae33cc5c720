//! Parameters: patterns that destructure arguments.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::{Brought, Expander};
use crate::datum::{Datum, Kind};
use crate::terms::{Pattern, VarId};

/// Parameters of one list at most.
const MAX_PARAMETERS: usize = 256;

impl Expander<'_> {
    /// The parameters of a procedure: a list, equivalent to `(cons* p …)`, or one name for the whole argument.
    pub(super) fn formals(&mut self, formals: &Datum, brought: &mut Brought) -> Pattern<VarId> {
        let before = brought.len();
        let pattern = self.tuple(formals, brought);
        self.no_twins(brought, before, formals.span);
        pattern
    }

    /// One parameter.
    pub(super) fn pattern(&mut self, datum: &Datum, brought: &mut Brought) -> Pattern<VarId> {
        let before = brought.len();
        let pattern = self.parameter(datum, brought);
        self.no_twins(brought, before, datum.span);
        pattern
    }

    pub(super) fn parameter(&mut self, datum: &Datum, brought: &mut Brought) -> Pattern<VarId> {
        match &datum.kind {
            Kind::Symbol(_) => match self.name(datum, "a parameter") {
                Some(name) => Pattern::Var(self.bind(name, datum.span, brought)),
                None => Pattern::Ignore,
            },
            Kind::List(items, tail) => {
                let head = items.first().and_then(Datum::symbol).map(|s| &**s);
                match (head, items.get(1..).unwrap_or(&[]), tail) {
                    (Some("cons"), [first, second], None) => {
                        let first = self.parameter(first, brought);
                        Pattern::pair(first, self.parameter(second, brought))
                    }
                    (Some("list"), parts, None) => self.chain(parts, Pattern::Nil, datum.span, brought),
                    (Some("cons*"), [parts @ .., last], None) => {
                        let parts = self.parts(parts, datum.span, brought);
                        let last = self.parameter(last, brought);
                        chained(parts, last)
                    }
                    (Some("cons" | "cons*"), ..) => {
                        self.error(
                            Diagnostic::error(Code::E0804, datum.span, "malformed parameter")
                                .help("parameters are `x`, `()`, `(cons p q)`, `(list p …)`, `(p q)`, `(p . q)`"),
                        );
                        Pattern::Ignore
                    }
                    _ => self.tuple(datum, brought),
                }
            }
            _ => {
                let message = format!("{} is no parameter", datum.what());
                self.error(
                    Diagnostic::error(Code::E0804, datum.span, message)
                        .help("parameters are `x`, `()`, `(cons p q)`, `(list p …)`, `(p q)`, `(p . q)`"),
                );
                Pattern::Ignore
            }
        }
    }

    /// `()`, `(p)`, `(p q …)`, `(p . q)`, or one name.
    fn tuple(&mut self, datum: &Datum, brought: &mut Brought) -> Pattern<VarId> {
        match &datum.kind {
            Kind::List(items, None) => match items.split_last() {
                None => Pattern::Ignore,
                Some((last, parts)) => {
                    let parts = self.parts(parts, datum.span, brought);
                    let last = self.parameter(last, brought);
                    chained(parts, last)
                }
            },
            Kind::List(items, Some(tail)) => {
                let parts = self.parts(items, datum.span, brought);
                let tail = self.parameter(tail, brought);
                chained(parts, tail)
            }
            _ => self.parameter(datum, brought),
        }
    }

    fn parts(&mut self, parts: &[Datum], span: Span, brought: &mut Brought) -> Vec<Pattern<VarId>> {
        if parts.len() > MAX_PARAMETERS {
            self.error(
                Diagnostic::error(Code::E0804, span, format!("more than {MAX_PARAMETERS} parameters in one list"))
                    .help("take a list as one parameter, and take it apart in the body"),
            );
            return vec![];
        }
        parts.iter().map(|p| self.parameter(p, brought)).collect()
    }

    /// Recursion: as deep as the datum nests, at most `reader::MAX_DEPTH`.
    fn chain(&mut self, parts: &[Datum], end: Pattern<VarId>, span: Span, brought: &mut Brought) -> Pattern<VarId> {
        chained(self.parts(parts, span, brought), end)
    }

    /// Reports names from `from` on that are declared twice.
    pub(super) fn no_twins(&mut self, brought: &Brought, from: usize, span: Span) {
        for (index, name) in brought.iter().enumerate().skip(from) {
            if brought[from..index].contains(name) {
                self.error(
                    Diagnostic::error(Code::E0807, span, format!("`{name}` is bound twice here"))
                        .help("give one of them another name"),
                );
            }
        }
    }
}

/// `(cons* part … end)`
fn chained(parts: Vec<Pattern<VarId>>, end: Pattern<VarId>) -> Pattern<VarId> {
    parts.into_iter().rev().fold(end, |end, part| Pattern::pair(part, end))
}
