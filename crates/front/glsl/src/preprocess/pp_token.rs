//! Preprocessing tokens: numbers are still spellings, and any text is allowed.

use planish_ir::source::Span;

use crate::lex::excerpt;
use crate::symbol::{Interner, Symbol};
use crate::token::Punct;

/// A kind of preprocessing token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PpKind {
    Ident(Symbol),
    /// The spelling of a number.
    Number(Symbol),
    Punct(Punct),
    /// `#`
    Hash,
    /// `##` that was written in a macro's definition; it pastes.
    Paste,
    /// `##` anywhere else.
    HashHash,
    /// In a macro's definition: its parameter of this number.
    Param(u32),
    /// A string, its quotes included.
    Str(Symbol),
    /// A character that no token starts with.
    Stray(char),
}

/// A preprocessing token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PpToken {
    pub(super) kind: PpKind,
    /// Its span for the user: see [`Token`](crate::token::Token).
    pub(super) span: Span,
    /// Whether white space precedes it.
    pub(super) space: bool,
    /// Whether this is a name inside its own expansion, which is no macro any more (C's "blue paint").
    pub(super) painted: bool,
}

impl PpToken {
    pub(super) fn new(kind: PpKind, span: Span) -> Self {
        PpToken { kind, span, space: false, painted: false }
    }

    pub(super) fn is(&self, punct: Punct) -> bool {
        self.kind == PpKind::Punct(punct)
    }

    /// The name, if it is one.
    pub(super) fn ident(&self) -> Option<Symbol> {
        match self.kind {
            PpKind::Ident(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Adds the spelling to a text.
    pub(super) fn write(&self, text: &mut String, names: &Interner) {
        match self.kind {
            PpKind::Ident(s) | PpKind::Number(s) | PpKind::Str(s) => text.push_str(names.resolve(s)),
            PpKind::Punct(punct) => text.push_str(punct.text()),
            PpKind::Hash => text.push('#'),
            PpKind::Paste | PpKind::HashHash => text.push_str("##"),
            PpKind::Stray(c) => text.push(c),
            PpKind::Param(_) => {}
        }
    }

    /// The token as a diagnostic names it.
    pub(super) fn describe(&self, names: &Interner) -> String {
        let mut text = String::new();
        self.write(&mut text, names);
        format!("`{}`", excerpt(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_small() {
        assert!(size_of::<PpToken>() <= 20);
    }
}
