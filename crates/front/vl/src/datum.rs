//! Data with spans: the reader's output.

use std::sync::Arc;

use planish_ir::source::Span;

/// A piece of source, as written.
#[derive(Clone, Debug)]
pub(crate) struct Datum {
    /// The datum.
    pub(crate) kind: Kind,
    /// Its span.
    pub(crate) span: Span,
}

/// A kind of datum.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A number.
    Real(f64),
    /// `#t` or `#f`.
    Bool(bool),
    /// Text in quotes, an operand of `include` and `error`.
    String(Arc<str>),
    /// A name.
    Symbol(Arc<str>),
    /// Data in parentheses, with the tail after a dot, if there is one.
    List(Vec<Datum>, Option<Box<Datum>>),
}

impl Datum {
    /// The name, if it is one.
    pub(crate) fn symbol(&self) -> Option<&Arc<str>> {
        match &self.kind {
            Kind::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// The items, if it is a list without a dot.
    pub(crate) fn items(&self) -> Option<&[Datum]> {
        match &self.kind {
            Kind::List(items, None) => Some(items),
            _ => None,
        }
    }

    /// The items of `(name item …)`, if it is such a list.
    pub(crate) fn form(&self, name: &str) -> Option<&[Datum]> {
        match self.items()?.split_first()? {
            (head, rest) if head.symbol().is_some_and(|s| &**s == name) => Some(rest),
            _ => None,
        }
    }

    /// Its kind, for messages.
    pub(crate) fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Real(_) => "a number",
            Kind::Bool(_) => "a boolean",
            Kind::String(_) => "a string",
            Kind::Symbol(_) => "a name",
            Kind::List(items, None) if items.is_empty() => "`()`",
            Kind::List(..) => "a list",
        }
    }
}
