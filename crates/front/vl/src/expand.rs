//! Data to terms: special forms expanded, names resolved. Special forms have reserved names, so expansions are
//! hygienic, and they refer to the standard library by variable, not by name.

mod definitions;
mod forms;
mod patterns;
mod scheme;
mod top;

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::source::{IncludeResolver, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::datum::{Datum, Kind};
use crate::primitive::Primitive;
use crate::terms::{Constant, Item, Pattern, Term, TermId, Terms, VarId};

pub(crate) use definitions::defined;
pub(crate) use top::{Shape, Source, expand};

/// Names that cannot be given to anything else.
pub(crate) const RESERVED: &[&str] = &[
    "and", "begin", "cond", "cons", "cons*", "define", "else", "error", "export", "if", "include", "lambda", "let",
    "let*", "letrec", "letrec*", "list", "or", "quote", "=>",
];

/// Maximum nesting depth of terms: the clauses of `cond`, `and` and `or` nest, too.
const MAX_DEPTH: u16 = 400;

/// Extension of a library procedure of two parameters to more operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nary {
    /// `(+ a b c)` is `(+ (+ a b) c)`.
    Fold,
    /// `(* a b c d)` is `(* (three a b c) d)`, where `three` is this procedure.
    Threes(&'static str),
    /// `(< a b c)` is `(and (< a b) (< b c))`.
    Chain,
    /// `(map f a b)` is `(lists f (list a b))`, where `lists` is this procedure.
    Lists(&'static str),
}

const NARY: &[(&str, Nary)] = &[
    ("+", Nary::Fold),
    ("-", Nary::Fold),
    ("*", Nary::Threes("%multiply-three")),
    ("/", Nary::Fold),
    ("min", Nary::Fold),
    ("max", Nary::Fold),
    ("<", Nary::Chain),
    ("<=", Nary::Chain),
    (">", Nary::Chain),
    (">=", Nary::Chain),
    ("=", Nary::Chain),
    ("append", Nary::Fold),
    ("compose", Nary::Fold),
    ("c:+", Nary::Fold),
    ("c:-", Nary::Fold),
    ("c:*", Nary::Fold),
    ("c:/", Nary::Fold),
    ("map", Nary::Lists("%map-lists")),
    ("for-each", Nary::Lists("%for-each-lists")),
];

struct Expander<'a> {
    terms: Terms,
    /// Meanings of each name, innermost last.
    scope: FxHashMap<Arc<str>, Vec<VarId>>,
    primitives: FxHashMap<&'static str, Primitive>,
    nary: FxHashMap<VarId, Nary>,
    /// The procedures that [`Nary::Lists`] and [`Nary::Threes`] name.
    helpers: FxHashMap<&'static str, VarId>,
    /// Whether the standard library is being read, which may use names that begin with `%`.
    in_library: bool,
    /// Unbound names that have been reported.
    reported: FxHashSet<Arc<str>>,
    including: Vec<Arc<str>>,
    includes: Option<&'a mut dyn IncludeResolver>,
    map: &'a mut SourceMap,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// Names declared by a scope, to be removed at its end.
type Brought = Vec<Arc<str>>;

/// Maximum number of errors reported in one program.
const MAX_ERRORS: usize = 100;

impl Expander<'_> {
    fn error(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// A term, unless it would be nested too deeply.
    fn push(&mut self, term: Term, span: Span) -> TermId {
        let id = self.terms.push(term, span);
        if self.terms.depth(id) <= MAX_DEPTH {
            return id;
        }
        self.error(
            Diagnostic::error(Code::E0803, span, format!("terms are nested more than {MAX_DEPTH} deep here"))
                .note("each clause of `cond`, `and` and `or` is nested in the one before")
                .help("give inner parts names with `define`"),
        );
        self.nothing(span)
    }

    /// Placeholder for an invalid term.
    fn nothing(&mut self, span: Span) -> TermId {
        self.terms.push(Term::Const(Constant::Nil), span)
    }

    fn constant(&mut self, constant: Constant, span: Span) -> TermId {
        self.terms.push(Term::Const(constant), span)
    }

    fn malformed(&mut self, span: Span, form: &str, shape: &str) -> TermId {
        self.error(
            Diagnostic::error(Code::E0804, span, format!("malformed `{form}`"))
                .help(format!("it is written `{shape}`")),
        );
        self.nothing(span)
    }

    /// A name to declare, which must be a symbol and not reserved.
    fn name<'d>(&mut self, datum: &'d Datum, what: &str) -> Option<&'d Arc<str>> {
        let Some(name) = datum.symbol() else {
            let message = format!("{what} must be a name, not {}", datum.what());
            self.error(Diagnostic::error(Code::E0804, datum.span, message));
            return None;
        };
        if RESERVED.contains(&&**name) {
            self.error(
                Diagnostic::error(Code::E0805, datum.span, format!("`{name}` is reserved"))
                    .label("cannot be the name of anything else")
                    .help(format!("choose another name, `my-{name}`, say")),
            );
            return None;
        }
        if name.starts_with('%') && !self.in_library {
            self.error(
                Diagnostic::error(Code::E0805, datum.span, "names that begin with `%` belong to the standard library")
                    .help(format!("choose another name, `{}`, say", name.trim_start_matches('%'))),
            );
            return None;
        }
        Some(name)
    }

    fn bind(&mut self, name: &Arc<str>, span: Span, brought: &mut Brought) -> VarId {
        let var = self.terms.var(name.clone(), span);
        self.scope.entry(name.clone()).or_default().push(var);
        brought.push(name.clone());
        var
    }

    fn unbind(&mut self, brought: Brought) {
        for name in brought {
            if let Some(vars) = self.scope.get_mut(&name) {
                vars.pop();
            }
        }
    }

    fn lookup(&self, name: &str) -> Option<VarId> {
        self.scope.get(name)?.last().copied()
    }

    /// A term.
    fn term(&mut self, datum: &Datum) -> TermId {
        match &datum.kind {
            Kind::Real(x) => self.constant(Constant::Real(x.to_bits()), datum.span),
            Kind::Bool(b) => self.constant(Constant::Bool(*b), datum.span),
            Kind::String(_) => {
                self.error(
                    Diagnostic::error(Code::E0804, datum.span, "a string is no value")
                        .help("strings are allowed in `(include \"file\")` and `(error \"message\")` only"),
                );
                self.nothing(datum.span)
            }
            Kind::Symbol(name) => self.variable(name, datum.span),
            Kind::List(items, None) => match items.split_first() {
                None => self.constant(Constant::Nil, datum.span),
                Some((head, rest)) => self.compound(head, rest, datum.span),
            },
            Kind::List(_, Some(tail)) => {
                self.error(
                    Diagnostic::error(Code::E0804, tail.span, "a dot in an expression")
                        .help("`(cons a b)` makes a pair; `'(1 . 2)` is one"),
                );
                self.nothing(datum.span)
            }
        }
    }

    fn variable(&mut self, name: &Arc<str>, span: Span) -> TermId {
        if let Some(var) = self.lookup(name) {
            return self.terms.push(Term::Var(var), span);
        }
        let is_visible = self.in_library || !name.starts_with('%');
        if let (Some(&primitive), true) = (self.primitives.get(&**name), is_visible) {
            return self.constant(Constant::Primitive(primitive), span);
        }
        match &**name {
            "cons" => return self.cons_procedure(span),
            "else" | "=>" => {
                self.error(
                    Diagnostic::error(Code::E0804, span, format!("`{name}` outside of a clause of `cond`"))
                        .help("`(cond (test value …) … (else value …))`"),
                );
            }
            reserved if RESERVED.contains(&reserved) => {
                let shape = forms::shape(reserved);
                self.error(
                    Diagnostic::error(Code::E0805, span, format!("`{reserved}` is no value"))
                        .help(format!("it is written `{shape}`")),
                );
            }
            _ => self.unbound(name, span),
        }
        self.nothing(span)
    }

    fn unbound(&mut self, name: &Arc<str>, span: Span) {
        // A suggestion searches all names, so it is skipped for errors beyond the limit.
        if !self.reported.insert(name.clone()) || self.diagnostics.len() >= MAX_ERRORS {
            return;
        }
        let mut diagnostic = Diagnostic::error(Code::E0806, span, format!("`{name}` is not bound"));
        let bound = self.scope.iter().filter(|(_, vars)| !vars.is_empty()).map(|(name, _)| &**name);
        let known = bound.chain(self.primitives.keys().copied()).chain(RESERVED.iter().copied());
        // Messages must not depend on the iteration order of the scope.
        let mut known: Vec<&str> = known.filter(|k| !k.starts_with('%')).collect();
        known.sort_unstable();
        diagnostic = match did_you_mean(name, known) {
            _ if let Some(word) = scheme::foreign(name) => diagnostic.help(word.instead),
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")).fix(span, near),
            None => diagnostic.help(format!("define it: `(define {name} …)`")),
        };
        self.error(diagnostic);
    }

    /// `cons` as a value: `(lambda (a b) (cons a b))`.
    fn cons_procedure(&mut self, span: Span) -> TermId {
        let (a, b) = (self.terms.var("a".into(), span), self.terms.var("b".into(), span));
        let (first, second) = (self.push(Term::Var(a), span), self.push(Term::Var(b), span));
        let body = self.push(Term::List(vec![first], second), span);
        self.push(Term::Lambda("cons".into(), Pattern::pair(Pattern::Var(a), Pattern::Var(b)), body), span)
    }

    fn compound(&mut self, head: &Datum, rest: &[Datum], span: Span) -> TermId {
        if let Some(name) = head.symbol() {
            if RESERVED.contains(&&**name) {
                return self.special(name, rest, span);
            }
            if self.lookup(name).is_none() && scheme::foreign(name).is_some_and(|word| word.is_form) {
                self.unbound(name, head.span);
                return self.nothing(span);
            }
            let nary = self.lookup(name).and_then(|var| self.nary.get(&var).copied());
            if let (Some(nary), 3..) = (nary, rest.len()) {
                return self.nary(nary, head, rest, span);
            }
        }
        let procedure = self.term(head);
        let argument = self.argument(rest, span);
        self.push(Term::Apply(procedure, argument), span)
    }

    /// The argument of an application: `()`, the one operand, or `(cons* operand …)`.
    /// Recursion: as deep as the data nests, at most `reader::MAX_DEPTH`.
    fn argument(&mut self, operands: &[Datum], span: Span) -> TermId {
        let mut terms: Vec<TermId> = operands.iter().map(|o| self.term(o)).collect();
        match (terms.pop(), terms.is_empty()) {
            (None, _) => self.constant(Constant::Nil, span),
            (Some(only), true) => only,
            (Some(last), false) => {
                let from = operands[0].span.to(operands[operands.len() - 1].span);
                self.push(Term::List(terms, last), from)
            }
        }
    }

    fn pair(&mut self, a: TermId, b: TermId, span: Span) -> TermId {
        self.push(Term::List(vec![a], b), span)
    }

    fn nary(&mut self, nary: Nary, head: &Datum, rest: &[Datum], span: Span) -> TermId {
        if let Nary::Lists(name) = nary {
            return self.of_lists(name, head, rest, span);
        }
        let procedure = self.term(head);
        let operands: Vec<TermId> = rest.iter().map(|r| self.term(r)).collect();
        if nary != Nary::Chain {
            let (mut result, mut taken) = (operands[0], 1);
            while taken < operands.len() {
                let (procedure, with) = match nary {
                    Nary::Threes(name) if taken == 1 => (self.helper(name, head.span), 2),
                    _ => (procedure, 1),
                };
                let mut items = vec![result];
                items.extend(&operands[taken..taken + with - 1]);
                taken += with;
                let so_far = rest[0].span.to(rest[taken - 1].span);
                let argument = self.push(Term::List(items, operands[taken - 1]), so_far);
                let place = if taken == operands.len() { span } else { so_far };
                result = self.push(Term::Apply(procedure, argument), place);
            }
            return result;
        }
        let vars: Vec<VarId> = rest.iter().map(|r| self.terms.var("operand".into(), r.span)).collect();
        let items = vars.iter().zip(&operands).map(|(&v, &t)| Item::Bind(Pattern::Var(v), t)).collect();
        let uses: Vec<TermId> = vars.iter().zip(rest).map(|(&v, r)| self.push(Term::Var(v), r.span)).collect();
        let mut tests = Vec::new();
        for (pair, data) in uses.windows(2).zip(rest.windows(2)) {
            let place = data[0].span.to(data[1].span);
            let pair = self.pair(pair[0], pair[1], place);
            tests.push(self.push(Term::Apply(procedure, pair), place));
        }
        let all = self.conjunction(tests, span);
        self.push(Term::Body(items, all), span)
    }

    /// `(map f a b …)`
    fn of_lists(&mut self, name: &'static str, head: &Datum, rest: &[Datum], span: Span) -> TermId {
        let procedure = self.helper(name, head.span);
        let operands: Vec<TermId> = rest.iter().map(|r| self.term(r)).collect();
        let nil = self.constant(Constant::Nil, span.after());
        let place = rest[0].span.to(rest[rest.len() - 1].span);
        let lists = self.push(Term::List(operands[1..].to_vec(), nil), place);
        let argument = self.pair(operands[0], lists, place);
        self.push(Term::Apply(procedure, argument), span)
    }

    /// The procedure of the library that implements a form or another name.
    fn helper(&mut self, name: &'static str, span: Span) -> TermId {
        match self.helpers.get(name) {
            Some(&var) => self.push(Term::Var(var), span),
            None => self.nothing(span),
        }
    }

    /// The last of the terms, if those before are true; else `#f`.
    fn conjunction(&mut self, mut tests: Vec<TermId>, span: Span) -> TermId {
        let Some(mut result) = tests.pop() else { return self.constant(Constant::Bool(true), span) };
        while let Some(test) = tests.pop() {
            let no = self.constant(Constant::Bool(false), span);
            result = self.push(Term::If(test, result, no), span);
        }
        result
    }
}
