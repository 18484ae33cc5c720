//! The special forms that are expressions.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::{Brought, Expander};
use crate::datum::{Datum, Kind};
use crate::terms::{Constant, Item, Pattern, Term, TermId};

/// The syntax of a special form.
pub(super) fn shape(form: &str) -> &'static str {
    match form {
        "and" => "(and test …)",
        "begin" => "(begin expression … value)",
        "cond" => "(cond (test value …) … (else value …))",
        "cons" => "(cons first second)",
        "cons*" => "(cons* item … tail)",
        "define" => "(define name value)` or `(define (name parameter …) value)",
        "error" => "(error \"message\")",
        "export" => "(export name (real …) …)` or `(export name (real …) … -> shape)",
        "if" => "(if test then else)",
        "include" => "(include \"file.vl\")",
        "lambda" => "(lambda (parameter …) value)",
        "let" => "(let ((name value) …) body)` or `(let name ((parameter value) …) body)",
        "let*" => "(let* ((name value) …) body)",
        "letrec" | "letrec*" => "(letrec ((name value) …) body)",
        "list" => "(list item …)",
        "or" => "(or test …)",
        "quote" => "(quote datum)",
        _ => "(cond (test value …) … (else value …))",
    }
}

impl Expander<'_> {
    pub(super) fn special(&mut self, form: &Arc<str>, rest: &[Datum], span: Span) -> TermId {
        let shape = shape(form);
        match (&**form, rest) {
            ("lambda", [formals, body @ ..]) if !body.is_empty() => self.lambda("lambda".into(), formals, body, span),
            ("let", [name, bindings, body @ ..]) if name.symbol().is_some() && !body.is_empty() => {
                self.named_let(name, bindings, body, span)
            }
            ("let" | "let*", [bindings, body @ ..]) if !body.is_empty() => {
                self.let_(&**form == "let*", bindings, body, span)
            }
            ("letrec" | "letrec*", [bindings, body @ ..]) if !body.is_empty() => self.letrec(bindings, body, span),
            ("if", [test, then, otherwise]) => {
                let (test, then, otherwise) = (self.term(test), self.term(then), self.term(otherwise));
                self.push(Term::If(test, then, otherwise), span)
            }
            ("if", [_, _]) => {
                self.error(
                    Diagnostic::error(Code::E0804, span, "`if` without an else part")
                        .note("every expression has a value, also if the test is `#f`")
                        .help("write `(if test then else)`"),
                );
                self.nothing(span)
            }
            ("cond", [_, ..]) => self.cond(rest, span),
            ("and", _) => {
                let tests = rest.iter().map(|r| self.term(r)).collect();
                self.conjunction(tests, span)
            }
            ("or", _) => self.disjunction(rest, span),
            ("cons", [a, b]) => {
                let (a, b) = (self.term(a), self.term(b));
                self.pair(a, b, span)
            }
            ("list", _) => {
                let items: Vec<TermId> = rest.iter().map(|r| self.term(r)).collect();
                let nil = self.constant(Constant::Nil, span.after());
                if items.is_empty() { nil } else { self.push(Term::List(items, nil), span) }
            }
            ("cons*", [items @ .., tail]) => {
                let items: Vec<TermId> = items.iter().map(|r| self.term(r)).collect();
                let tail = self.term(tail);
                if items.is_empty() { tail } else { self.push(Term::List(items, tail), span) }
            }
            ("quote", [datum]) => self.quoted(datum),
            ("begin", [_, ..]) => self.body(rest, span),
            ("error", [Datum { kind: Kind::String(message), .. }]) => self.push(Term::Error(message.clone()), span),
            ("define", _) => {
                self.error(
                    Diagnostic::error(Code::E0804, span, "a definition is no value")
                        .help("definitions are allowed at the top level and at the beginning of bodies"),
                );
                self.nothing(span)
            }
            ("include" | "export", _) => {
                self.error(Diagnostic::error(Code::E0804, span, format!("`{form}` in an expression")).help(
                    match &**form {
                        "export" => "exports are allowed at the top level",
                        _ => "includes are allowed at the top level and in bodies",
                    },
                ));
                self.nothing(span)
            }
            _ => self.malformed(span, form, shape),
        }
    }

    /// A procedure with these parameters.
    pub(super) fn lambda(&mut self, name: Arc<str>, formals: &Datum, body: &[Datum], span: Span) -> TermId {
        let mut brought = Brought::new();
        let pattern = self.formals(formals, &mut brought);
        let body = self.body(body, span);
        self.unbind(brought);
        self.push(Term::Lambda(name, pattern, body), span)
    }

    /// The pairs of `((name value) …)`.
    fn bindings<'d>(&mut self, bindings: &'d Datum, form: &str) -> Vec<(&'d Datum, &'d Datum)> {
        let Some(items) = bindings.items() else {
            self.malformed(bindings.span, form, shape(form));
            return vec![];
        };
        let mut result = Vec::new();
        for item in items {
            match item.items() {
                Some([name, value]) => result.push((name, value)),
                _ => {
                    self.malformed(item.span, form, shape(form));
                }
            }
        }
        result
    }

    /// The value of a binding; a procedure is called by the name that it is bound to.
    pub(super) fn named(&mut self, name: Option<&Arc<str>>, value: &Datum) -> TermId {
        match (name, value.form("lambda")) {
            (Some(name), Some([formals, body @ ..])) if !body.is_empty() => {
                self.lambda(name.clone(), formals, body, value.span)
            }
            _ => self.term(value),
        }
    }

    fn let_(&mut self, in_order: bool, bindings: &Datum, body: &[Datum], span: Span) -> TermId {
        let form = if in_order { "let*" } else { "let" };
        let pairs = self.bindings(bindings, form);
        let mut brought = Brought::new();
        let mut items = Vec::new();
        if in_order {
            for (name, value) in pairs {
                let value = self.named(name.symbol(), value);
                let pattern = self.pattern(name, &mut brought);
                items.push(Item::Bind(pattern, value));
            }
        } else {
            let values: Vec<TermId> = pairs.iter().map(|(name, value)| self.named(name.symbol(), value)).collect();
            for ((name, _), value) in pairs.iter().zip(values) {
                let pattern = self.parameter(name, &mut brought);
                items.push(Item::Bind(pattern, value));
            }
            self.no_twins(&brought, 0, bindings.span);
        }
        let body = self.body(body, span);
        self.unbind(brought);
        self.push(Term::Body(items, body), span)
    }

    fn letrec(&mut self, bindings: &Datum, body: &[Datum], span: Span) -> TermId {
        let pairs = self.bindings(bindings, "letrec");
        let mut brought = Brought::new();
        let mut vars = Vec::new();
        for (name, value) in pairs {
            if let Some(symbol) = self.name(name, "a variable of `letrec`") {
                vars.push((self.bind(symbol, name.span, &mut brought), symbol, value));
            }
        }
        self.no_twins(&brought, 0, bindings.span);
        let mut items = Vec::new();
        for (var, name, value) in vars {
            let value = self.named(Some(name), value);
            items.push(Item::Define(var, value));
        }
        let body = self.body(body, span);
        self.unbind(brought);
        self.push(Term::Body(items, body), span)
    }

    fn named_let(&mut self, name: &Datum, bindings: &Datum, body: &[Datum], span: Span) -> TermId {
        let pairs = self.bindings(bindings, "let");
        let values: Vec<TermId> = pairs.iter().map(|(_, value)| self.term(value)).collect();
        let mut brought = Brought::new();
        let Some(symbol) = self.name(name, "the name of the loop") else { return self.nothing(span) };
        let var = self.bind(symbol, name.span, &mut brought);
        let formals: Vec<Datum> = pairs.iter().map(|(name, _)| (*name).clone()).collect();
        let formals = Datum { kind: Kind::List(formals, None), span: bindings.span };
        let lambda = self.lambda(symbol.clone(), &formals, body, span);
        self.unbind(brought);
        let procedure = self.push(Term::Var(var), name.span);
        let argument = match &values[..] {
            [] => self.constant(Constant::Nil, span),
            [only] => *only,
            [items @ .., last] => self.push(Term::List(items.to_vec(), *last), bindings.span),
        };
        let call = self.push(Term::Apply(procedure, argument), span);
        self.push(Term::Body(vec![Item::Define(var, lambda)], call), span)
    }

    fn cond(&mut self, clauses: &[Datum], span: Span) -> TermId {
        let mut tests = Vec::new();
        let mut last = None;
        for (index, clause) in clauses.iter().enumerate() {
            match clause.items() {
                Some([test, values @ ..]) if test.symbol().is_some_and(|s| &**s == "else") => {
                    if index + 1 < clauses.len() {
                        let after = clauses[index + 1].span.to(clauses[clauses.len() - 1].span);
                        self.error(
                            Diagnostic::error(Code::E0804, clause.span, "`else` is not the last clause")
                                .also(after, "never reached"),
                        );
                    }
                    last = Some(match values {
                        [] => self.malformed(clause.span, "cond", shape("cond")),
                        _ => self.body(values, clause.span),
                    });
                    break;
                }
                Some([test, arrow, procedure]) if arrow.symbol().is_some_and(|s| &**s == "=>") => {
                    let (test, procedure) = (self.term(test), self.term(procedure));
                    tests.push((test, Clause::Passed(procedure), clause.span));
                }
                Some([test]) => {
                    let test = self.term(test);
                    tests.push((test, Clause::Itself, clause.span));
                }
                Some([test, values @ ..]) => {
                    let test = self.term(test);
                    let value = self.body(values, clause.span);
                    tests.push((test, Clause::Value(value), clause.span));
                }
                _ => {
                    self.malformed(clause.span, "cond", shape("cond"));
                }
            }
        }
        let none = "no clause of this `cond` holds";
        let mut result = last.unwrap_or_else(|| self.push(Term::Error(none.into()), span));
        for (test, clause, place) in tests.into_iter().rev() {
            result = self.clause(test, clause, result, place);
        }
        result
    }

    fn clause(&mut self, test: TermId, clause: Clause, otherwise: TermId, span: Span) -> TermId {
        let Clause::Value(value) = clause else {
            let var = self.terms.var("test".into(), span);
            let (first, second) = (self.push(Term::Var(var), span), self.push(Term::Var(var), span));
            let value = match clause {
                Clause::Passed(procedure) => self.push(Term::Apply(procedure, second), span),
                _ => second,
            };
            let choice = self.push(Term::If(first, value, otherwise), span);
            return self.push(Term::Body(vec![Item::Bind(Pattern::Var(var), test)], choice), span);
        };
        self.push(Term::If(test, value, otherwise), span)
    }

    fn disjunction(&mut self, rest: &[Datum], span: Span) -> TermId {
        let tests: Vec<TermId> = rest.iter().map(|r| self.term(r)).collect();
        let mut tests = tests.into_iter().rev();
        let Some(mut result) = tests.next() else { return self.constant(Constant::Bool(false), span) };
        for test in tests {
            result = self.clause(test, Clause::Itself, result, span);
        }
        result
    }

    /// Data as values: numbers, booleans, lists and pairs of them.
    /// Recursion: as deep as the datum nests, at most `reader::MAX_DEPTH`.
    fn quoted(&mut self, datum: &Datum) -> TermId {
        match &datum.kind {
            Kind::Real(_) | Kind::Bool(_) => self.term(datum),
            Kind::Symbol(_) | Kind::String(_) => {
                let message = format!("{} is no value", datum.what());
                self.error(
                    Diagnostic::error(Code::E0804, datum.span, message)
                        .note("values are numbers, booleans, `()`, pairs, procedures and tokens")
                        .help("`(gensym)` makes a token that is like no other"),
                );
                self.nothing(datum.span)
            }
            Kind::List(items, tail) => {
                let items: Vec<TermId> = items.iter().map(|i| self.quoted(i)).collect();
                let tail = match tail {
                    Some(tail) => self.quoted(tail),
                    None => self.constant(Constant::Nil, datum.span),
                };
                if items.is_empty() { tail } else { self.push(Term::List(items, tail), datum.span) }
            }
        }
    }
}

/// The body of a clause of `cond`.
enum Clause {
    /// This.
    Value(TermId),
    /// The application of this procedure to the test's value.
    Passed(TermId),
    /// The test's value.
    Itself,
}
