//! Bodies: definitions, expressions and includes, in order.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::{Brought, Expander};
use crate::datum::{Datum, Kind};
use crate::reader;
use crate::terms::{Item, Term, TermId, VarId};

/// Maximum nesting depth of includes.
const MAX_INCLUDES: usize = 64;

impl Expander<'_> {
    /// A body: mutually visible definitions, expressions evaluated for their effects, and a value.
    /// Recursion: as deep as the data nests, at most `reader::MAX_DEPTH`.
    pub(super) fn body(&mut self, data: &[Datum], span: Span) -> TermId {
        if let [only] = data
            && only.form("define").is_none()
            && only.form("include").is_none()
        {
            return self.term(only);
        }
        let data = self.included(data);
        let mut brought = Brought::new();
        let vars = self.declare(&data, &mut brought);
        let items = self.items(&data, &vars);
        self.unbind(brought);
        match data.last() {
            Some(last) if last.form("define").is_none() => self.closed(items, span),
            last => {
                let place = last.map_or(span, |l| l.span);
                self.error(
                    Diagnostic::error(Code::E0804, place, "this body ends with a definition, so it has no value")
                        .help("put an expression after it"),
                );
                self.nothing(span)
            }
        }
    }

    /// A body of items, the last of which is its value.
    pub(super) fn closed(&mut self, mut items: Vec<Item>, span: Span) -> TermId {
        match items.pop() {
            Some(Item::Effect(value)) if items.is_empty() => value,
            Some(Item::Effect(value)) => self.push(Term::Body(items, value), span),
            _ => self.nothing(span),
        }
    }

    /// The data with what they include in its place.
    pub(super) fn included(&mut self, data: &[Datum]) -> Vec<Datum> {
        let mut result = Vec::new();
        for datum in data {
            match datum.form("include") {
                None => result.push(datum.clone()),
                Some([Datum { kind: Kind::String(name), span }]) => result.extend(self.include(name, *span)),
                Some(_) => {
                    self.malformed(datum.span, "include", super::forms::shape("include"));
                }
            }
        }
        result
    }

    /// Recursion: at most [`MAX_INCLUDES`] files.
    fn include(&mut self, name: &Arc<str>, span: Span) -> Vec<Datum> {
        let from = self.map.file_at(span.start).map_or_else(|| "".into(), |file| file.name.clone());
        let found = self.includes.as_mut().and_then(|includes| includes.resolve(name, &from, false));
        let Some((full, text)) = found else {
            self.error(
                Diagnostic::error(Code::E0809, span, format!("the file `{name}` cannot be read"))
                    .help("files are looked for beside the one that includes them, then in the directories of `-I`"),
            );
            return vec![];
        };
        let full: Arc<str> = full.into();
        if self.including.contains(&full) {
            self.error(
                Diagnostic::error(Code::E0809, span, format!("`{full}` includes itself"))
                    .help("put what both files need into a third one"),
            );
            return vec![];
        }
        if self.including.len() >= MAX_INCLUDES {
            self.error(Diagnostic::error(Code::E0809, span, format!("files include each other {MAX_INCLUDES} deep")));
            return vec![];
        }
        let Ok(file) = self.map.add(full.clone(), text) else {
            self.error(Diagnostic::error(Code::E0809, span, "the program is larger than 4 GiB"));
            return vec![];
        };
        let data = reader::read(&file, self.diagnostics);
        self.including.push(full);
        let data = self.included(&data);
        self.including.pop();
        data
    }

    /// Declares the defined names; returns the definition of each datum.
    pub(super) fn declare(&mut self, data: &[Datum], brought: &mut Brought) -> Vec<Option<VarId>> {
        let first = brought.len();
        let mut places: Vec<Span> = Vec::new();
        let mut vars = Vec::new();
        for datum in data {
            let name = datum.form("define").and_then(|parts| defined(parts.first()?));
            let Some(name) = name else {
                vars.push(None);
                continue;
            };
            let Some(symbol) = self.name(name, "the target of a definition") else {
                vars.push(None);
                continue;
            };
            if let Some(before) = brought[first..].iter().position(|b| b == symbol) {
                self.error(
                    Diagnostic::error(Code::E0807, name.span, format!("`{symbol}` is defined twice"))
                        .also(places[before], "first here")
                        .help("give one of them another name"),
                );
            }
            vars.push(Some(self.bind(symbol, name.span, brought)));
            places.push(name.span);
        }
        vars
    }

    pub(super) fn items(&mut self, data: &[Datum], vars: &[Option<VarId>]) -> Vec<Item> {
        let mut items = Vec::new();
        for (datum, var) in data.iter().zip(vars) {
            let Some(parts) = datum.form("define") else {
                items.push(Item::Effect(self.term(datum)));
                continue;
            };
            // An invalid definition has a value all the same, or each use of it would be an error, too.
            let value = self.definition(parts, datum.span).unwrap_or_else(|| self.nothing(datum.span));
            if let Some(var) = *var {
                items.push(Item::Define(var, value));
            }
        }
        items
    }

    fn definition(&mut self, parts: &[Datum], span: Span) -> Option<TermId> {
        match parts {
            [name, value] if name.symbol().is_some() => Some(self.named(name.symbol(), value)),
            [head, body @ ..] if !body.is_empty() && defined(head).is_some() && head.symbol().is_none() => {
                Some(self.procedure(head, body, span))
            }
            _ => {
                self.malformed(span, "define", super::forms::shape("define"));
                None
            }
        }
    }

    /// `(define (head formal …) body)`, where the head may be nested: `((f x) y)`.
    fn procedure(&mut self, head: &Datum, body: &[Datum], span: Span) -> TermId {
        // From the name outwards.
        let mut lists = vec![head];
        let mut at = head;
        while let Kind::List(items, _) = &at.kind {
            at = &items[0];
            lists.push(at);
        }
        let name = lists.pop().and_then(Datum::symbol).cloned().unwrap_or_else(|| "procedure".into());
        lists.reverse();
        self.curried(&name, &lists, body, span)
    }

    fn curried(&mut self, name: &Arc<str>, lists: &[&Datum], body: &[Datum], span: Span) -> TermId {
        let Some((list, inner)) = lists.split_first() else { return self.body(body, span) };
        let Kind::List(items, tail) = &list.kind else { return self.nothing(span) };
        let formals = Datum { kind: Kind::List(items[1..].to_vec(), tail.clone()), span: list.span };
        // `(define (f . rest) …)`
        let formals = match (items.len(), tail) {
            (1, Some(tail)) => (**tail).clone(),
            _ => formals,
        };
        let mut brought = Brought::new();
        let pattern = self.formals(&formals, &mut brought);
        let body = if inner.is_empty() { self.body(body, span) } else { self.curried(name, inner, body, span) };
        self.unbind(brought);
        self.push(Term::Lambda(name.clone(), pattern, body), span)
    }
}

/// The name that a definition's first part defines.
pub(crate) fn defined(head: &Datum) -> Option<&Datum> {
    let mut at = head;
    while let Kind::List(items, _) = &at.kind {
        at = items.first()?;
    }
    Some(at)
}
