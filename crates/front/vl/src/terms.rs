//! Terms: programs without surface syntax, with names resolved.

use std::sync::Arc;

use planish_ir::source::Span;

use crate::primitive::Primitive;

/// A term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TermId(u32);

/// A variable. Every declaration in the source has its own, so there is no shadowing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct VarId(pub(crate) u32);

/// A constant of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Constant {
    /// The bits of an `f64`.
    Real(u64),
    Bool(bool),
    Nil,
    Primitive(Primitive),
}

/// The pattern of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pattern<V> {
    /// Takes anything.
    Ignore,
    /// Takes anything, and names it.
    Var(V),
    /// Takes the empty list.
    Nil,
    /// Takes a pair.
    Pair(Box<(Pattern<V>, Pattern<V>)>),
}

/// A term.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Const(Constant),
    Var(VarId),
    /// A procedure.
    Lambda(Arc<str>, Pattern<VarId>, TermId),
    Apply(TermId, TermId),
    If(TermId, TermId, TermId),
    /// `(cons* item … tail)`; never without an item.
    List(Vec<TermId>, TermId),
    /// Items in order, then a value.
    Body(Vec<Item>, TermId),
    /// Ends the program with a message.
    Error(Arc<str>),
}

/// A part of a body.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Variables in scope of the rest of the body.
    Bind(Pattern<VarId>, TermId),
    /// A variable in scope of the whole body.
    Define(VarId, TermId),
    /// Evaluated for what it does.
    Effect(TermId),
}

impl Item {
    /// The term that is evaluated.
    pub(crate) fn term(&self) -> TermId {
        match *self {
            Item::Bind(_, term) | Item::Define(_, term) | Item::Effect(term) => term,
        }
    }
}

/// A variable's name and place.
#[derive(Clone, Debug)]
pub(crate) struct VarInfo {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
}

/// All terms and variables of a program.
#[derive(Default, Debug)]
pub(crate) struct Terms {
    terms: Vec<(Term, Span, u16)>,
    pub(crate) vars: Vec<VarInfo>,
}

impl Terms {
    /// A new term. Its parts are there already.
    pub(crate) fn push(&mut self, term: Term, span: Span) -> TermId {
        let depth = |id: &TermId| self.depth(*id);
        let depth = match &term {
            Term::Const(_) | Term::Var(_) | Term::Error(_) => 0,
            Term::Lambda(_, _, body) => depth(body),
            Term::Apply(f, x) => depth(f).max(depth(x)),
            Term::If(a, b, c) => depth(a).max(depth(b)).max(depth(c)),
            Term::List(items, tail) => items.iter().map(depth).max().unwrap_or(0).max(depth(tail)),
            Term::Body(items, last) => items.iter().map(|i| self.depth(i.term())).max().unwrap_or(0).max(depth(last)),
        };
        self.terms.push((term, span, depth.saturating_add(1)));
        TermId(self.terms.len() as u32 - 1)
    }

    /// A new variable.
    pub(crate) fn var(&mut self, name: Arc<str>, span: Span) -> VarId {
        self.vars.push(VarInfo { name, span });
        VarId(self.vars.len() as u32 - 1)
    }

    pub(crate) fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize].0
    }

    pub(crate) fn span(&self, id: TermId) -> Span {
        self.terms[id.0 as usize].1
    }

    /// Nesting depth of a term.
    pub(crate) fn depth(&self, id: TermId) -> u16 {
        self.terms[id.0 as usize].2
    }
}

impl<V> Pattern<V> {
    /// A pair of patterns.
    pub(crate) fn pair(first: Pattern<V>, second: Pattern<V>) -> Self {
        Pattern::Pair(Box::new((first, second)))
    }

    /// The same with other variables.
    pub(crate) fn map<W>(&self, f: &mut impl FnMut(&V) -> W) -> Pattern<W> {
        match self {
            Pattern::Ignore => Pattern::Ignore,
            Pattern::Nil => Pattern::Nil,
            Pattern::Var(v) => Pattern::Var(f(v)),
            Pattern::Pair(parts) => Pattern::pair(parts.0.map(f), parts.1.map(f)),
        }
    }

    /// Calls `f` with each variable.
    pub(crate) fn for_each(&self, f: &mut impl FnMut(&V)) {
        match self {
            Pattern::Ignore | Pattern::Nil => {}
            Pattern::Var(v) => f(v),
            Pattern::Pair(parts) => {
                parts.0.for_each(f);
                parts.1.for_each(f);
            }
        }
    }
}
