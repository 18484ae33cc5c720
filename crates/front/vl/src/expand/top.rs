//! Whole programs: the standard library, then the user's definitions, exports and value.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{IncludeResolver, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Brought, Expander, NARY, Nary};
use crate::datum::Datum;
use crate::primitive::Primitive;
use crate::terms::{Constant, Item, Term, TermId, Terms, VarId};

/// A program in terms.
pub(crate) struct Source {
    pub(crate) terms: Terms,
    /// A body with all definitions, whose value is the program's; `()` if it only exports.
    pub(crate) body: TermId,
    /// Whether there is a last expression.
    pub(crate) has_value: bool,
    /// The name of the value, if it is one.
    pub(crate) value_name: Option<Arc<str>>,
    pub(crate) exports: Vec<Export>,
    /// The place of the last expression, or of the whole program.
    pub(crate) span: Span,
}

/// A procedure that the world may call.
pub(crate) struct Export {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) value: VarId,
    /// Arguments of successive applications: of the procedure, of its result, and so on.
    pub(crate) arguments: Vec<Shape>,
    /// The declared shape of the last result.
    pub(crate) result: Option<Shape>,
}

/// The shape of a value that the world gives or gets.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    Real,
    Boolean,
    Nil,
    Pair(Box<(Shape, Shape)>),
    /// A list whose parts have names for the world.
    Record(Arc<str>, Vec<(Arc<str>, Shape)>),
}

/// Reads the library and a program.
pub(crate) fn expand<'a>(
    library: &[Datum],
    program: &[Datum],
    whole: Span,
    map: &'a mut SourceMap,
    includes: Option<&'a mut (dyn IncludeResolver + 'a)>,
    diagnostics: &'a mut Vec<Diagnostic>,
) -> Source {
    let including = map.file_at(whole.start).map(|file| file.name.clone()).into_iter().collect();
    let mut expander = Expander {
        terms: Terms::default(),
        scope: FxHashMap::default(),
        primitives: Primitive::all().map(|p| (p.name(), p)).collect(),
        nary: FxHashMap::default(),
        helpers: FxHashMap::default(),
        in_library: true,
        reported: FxHashSet::default(),
        including,
        includes,
        map,
        diagnostics,
    };
    let mut items = expander.library(library);
    expander.program(program, whole, &mut items)
}

impl Expander<'_> {
    fn library(&mut self, data: &[Datum]) -> Vec<Item> {
        let mut brought = Brought::new();
        let vars = self.declare(data, &mut brought);
        for &(name, nary) in NARY {
            if let Some(var) = self.lookup(name) {
                self.nary.insert(var, nary);
            }
            if let Nary::Lists(name) | Nary::Threes(name) = nary
                && let Some(var) = self.lookup(name)
            {
                self.helpers.insert(name, var);
            }
        }
        let items = self.items(data, &vars);
        self.in_library = false;
        items
    }

    fn program(mut self, data: &[Datum], whole: Span, items: &mut Vec<Item>) -> Source {
        let data = self.included(data);
        let (exports, data): (Vec<Datum>, Vec<Datum>) = data.into_iter().partition(|d| d.form("export").is_some());
        let mut brought = Brought::new();
        let vars = self.declare(&data, &mut brought);
        items.extend(self.items(&data, &vars));
        let last = data.last().filter(|d| d.form("define").is_none());
        let value_name = last.and_then(Datum::symbol).cloned();
        let span = last.map_or(whole, |l| l.span);
        let exports = self.exports(&exports);
        // A procedure that is exported with its arguments is not exported a second time as the value.
        let is_exported = exports.iter().any(|export| Some(&export.name) == value_name.as_ref());
        let has_value = last.is_some() && !is_exported;
        let body = match items.pop() {
            Some(Item::Effect(value)) if has_value => self.push(Term::Body(std::mem::take(items), value), whole),
            other => {
                items.extend(other);
                let nil = self.constant(Constant::Nil, span);
                self.push(Term::Body(std::mem::take(items), nil), whole)
            }
        };
        // An invalid part may have been the value.
        if !has_value && exports.is_empty() && !self.diagnostics.iter().any(Diagnostic::is_error) {
            let place = data.last().map_or(whole, |l| l.span);
            self.error(
                Diagnostic::error(Code::E0819, place, "the program has no value")
                    .help("put an expression after the definitions, or `(export name (real …))`"),
            );
        }
        Source { terms: self.terms, body, has_value, value_name, exports, span }
    }

    /// The exports, each name once.
    fn exports(&mut self, data: &[Datum]) -> Vec<Export> {
        let exports: Vec<Export> = data.iter().filter_map(|datum| self.export(datum)).collect();
        let mut places = FxHashMap::default();
        for export in &exports {
            if let Some(first) = places.insert(&export.name, export.span) {
                self.error(
                    Diagnostic::error(Code::E0807, export.span, format!("`{}` is exported twice", export.name))
                        .also(first, "first here")
                        .help("keep one of them, or define another name for the procedure and export that"),
                );
            }
        }
        exports
    }

    fn export(&mut self, datum: &Datum) -> Option<Export> {
        let Some([name, lists @ ..]) = datum.form("export") else { return None };
        let symbol = self.name(name, "an export")?.clone();
        let Some(value) = self.lookup(&symbol) else {
            self.unbound(&symbol, name.span);
            return None;
        };
        let (lists, result) = match lists {
            [lists @ .., arrow, result] if arrow.symbol().is_some_and(|s| &**s == "->") => {
                (lists, Some(self.shape(result)?))
            }
            _ => (lists, None),
        };
        let mut arguments = Vec::new();
        for list in lists {
            let Some(items) = list.items() else {
                self.malformed(datum.span, "export", super::forms::shape("export"));
                return None;
            };
            let mut shapes = items.iter().map(|item| self.shape(item)).collect::<Option<Vec<Shape>>>()?;
            let last = shapes.pop().unwrap_or(Shape::Nil);
            arguments.push(chained(shapes, last));
        }
        Some(Export { name: symbol, span: datum.span, value, arguments, result })
    }

    /// `real`, `boolean`, `()`, `(cons s s)`, `(list s …)`, `(record name (part s) …)`
    /// Recursion: as deep as the datum nests, at most `reader::MAX_DEPTH`.
    fn shape(&mut self, datum: &Datum) -> Option<Shape> {
        let parts = datum.items().and_then(|items| items.split_first());
        match (datum.symbol().map(|s| &**s), parts.and_then(|(head, rest)| Some((&**head.symbol()?, rest)))) {
            (Some("real"), _) => return Some(Shape::Real),
            (Some("boolean"), _) => return Some(Shape::Boolean),
            (None, Some(("cons", [a, b]))) => return Some(Shape::Pair(Box::new((self.shape(a)?, self.shape(b)?)))),
            (None, Some(("list", items))) if items.len() <= 256 => {
                let shapes = items.iter().map(|item| self.shape(item)).collect::<Option<Vec<Shape>>>()?;
                return Some(chained(shapes, Shape::Nil));
            }
            (None, Some(("record", [name, parts @ ..]))) if (1..=256).contains(&parts.len()) => {
                return self.record(name, parts);
            }
            (None, None) if datum.items().is_some_and(<[_]>::is_empty) => return Some(Shape::Nil),
            _ => {}
        }
        self.error(
            Diagnostic::error(Code::E0816, datum.span, "this is no shape of a value")
                .help("shapes are `real`, `boolean`, `()`, `(cons s s)`, `(list s …)` and `(record name (part s) …)`"),
        );
        None
    }

    /// Recursion: see [`Expander::shape`].
    fn record(&mut self, name: &Datum, parts: &[Datum]) -> Option<Shape> {
        let name = self.name(name, "a record")?.clone();
        let mut fields: Vec<(Arc<str>, Shape)> = Vec::with_capacity(parts.len());
        for part in parts {
            let Some([field, shape]) = part.items() else {
                let error = Diagnostic::error(Code::E0816, part.span, "this is no part of a record");
                self.error(error.help("a part has a name and a shape, as in `(record point (x real) (y real))`"));
                return None;
            };
            let field_name = self.name(field, "a part of a record")?.clone();
            if fields.iter().any(|(other, _)| *other == field_name) {
                let text = format!("the record `{name}` has two parts `{field_name}`");
                self.error(Diagnostic::error(Code::E0816, field.span, text).help("give one of them another name"));
                return None;
            }
            fields.push((field_name, self.shape(shape)?));
        }
        Some(Shape::Record(name, fields))
    }
}

fn chained(shapes: Vec<Shape>, end: Shape) -> Shape {
    shapes.into_iter().rev().fold(end, |end, shape| Shape::Pair(Box::new((shape, end))))
}
