//! Patterns that are tests of numbers, or of enums of the generated program.

use proc_macro2::Span;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Error, Expr, ExprMatch, Ident, Lit, Pat, RangeLimits, Stmt, parse_quote, parse_quote_spanned};

use super::own;

/// A test of a value, which is an expression of the place that it is in.
enum Test {
    Always,
    If(Expr),
}

impl Test {
    fn and(self, other: Test, span: Span) -> Test {
        match (self, other) {
            (Test::If(one), Test::If(other)) => Test::If(parse_quote_spanned!(span=> #one && #other)),
            (Test::If(one), Test::Always) | (Test::Always, Test::If(one)) => Test::If(one),
            (Test::Always, Test::Always) => Test::Always,
        }
    }
}

/// A name that a pattern binds, whether it is mutable, and its value.
type Bound = (Ident, bool, Expr);

/// The test of a pattern, and the names that it binds if the test holds.
pub(super) struct Tested {
    pub(super) test: Option<Expr>,
    pub(super) names: Vec<Bound>,
}

impl Tested {
    /// A guard and a body that see the names; the guard is that of the user's and the test.
    pub(super) fn around(self, guard: Option<&Expr>, body: &Expr) -> (Option<Expr>, Expr) {
        // (A name that the guard alone uses, or the body alone, is used.)
        let allow = guard.map(|_| quote!(#[allow(unused_variables, unused_mut)]));
        let bind = |(name, is_mut, value): &Bound| -> Stmt {
            match is_mut {
                true => parse_quote!(#allow let mut #name = #value;),
                false => parse_quote!(#allow let #name = #value;),
            }
        };
        let bound: Vec<Stmt> = self.names.iter().map(bind).collect();
        let with_names = |expr: &Expr| if bound.is_empty() { expr.clone() } else { parse_quote!({ #(#bound)* #expr }) };
        let guard = match (self.test, guard.map(with_names)) {
            (Some(test), Some(guard)) => Some(parse_quote!(#test && (#guard))),
            (test, guard) => test.or(guard),
        };
        (guard, with_names(body))
    }
}

/// A `match` as tests one after the other, if all of its patterns compare numbers, and some does; `enums`: or are variants of enums of the
/// generated program.
pub(super) fn as_tests(node: &ExprMatch, enums: bool) -> Result<Option<Expr>, Error> {
    let arms: Vec<syn::Arm> = match enums {
        true => node.arms.iter().flat_map(one_for_each).collect(),
        false => node.arms.clone(),
    };
    let patterns = || arms.iter().map(|arm| &arm.pat);
    let tests = |pattern: &Pat| compares(pattern, enums);
    let decides = |pattern: &Pat| has_literal(pattern) || enums && has_variant(pattern);
    if !patterns().all(tests) || !patterns().any(decides) {
        return Ok(None);
    }
    let matched = format_ident!("__matched");
    let place: Expr = parse_quote!(#matched);
    let is_bool = patterns().all(is_bool);
    let mut chain: Option<Expr> = None;
    for (index, arm) in arms.iter().enumerate().rev() {
        let mut names = Vec::new();
        let test = test_of(&arm.pat, &place, &mut names);
        let test = match test {
            Test::If(test) => Some(test),
            Test::Always => None,
        };
        let guard = arm.guard.as_ref().map(|(_, guard)| &**guard);
        let (test, body) = Tested { test, names }.around(guard, &arm.body);
        let is_last = index + 1 == arms.len();
        let span = arm.pat.span();
        chain = Some(match (test, chain) {
            (None, _) => parse_quote!({ #body }),
            (Some(_), None) if is_last && is_bool && arms.len() == 2 => parse_quote!({ #body }),
            (Some(_), None) => {
                let message = match enums {
                    true => "a `match` on a tuple with enums of the program ends with an arm for all others: `_ => …`",
                    false => "a `match` on numbers ends with an arm for all others: `_ => …`",
                };
                return Err(Error::new(span, message));
            }
            (Some(test), Some(rest)) => {
                parse_quote_spanned!(span=> if #test { #body } else { #rest })
            }
        });
    }
    let (chain, scrutinee) = (chain, &node.expr);
    Ok(chain.map(|chain| parse_quote!({ let #matched = #scrutinee; #chain })))
}

fn is_bool(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Lit(lit) if matches!(lit.lit, Lit::Bool(_)))
}

pub(super) fn is_variable(name: &Ident) -> bool {
    name.to_string().starts_with(|c: char| c.is_lowercase() || c == '_')
}

fn is_number(expr: &Option<Box<Expr>>) -> bool {
    expr.as_deref().is_none_or(|expr| {
        matches!(expr, Expr::Lit(_)) || matches!(expr, Expr::Unary(unary) if matches!(*unary.expr, Expr::Lit(_)))
    })
}

/// Whether comparisons decide a pattern; `enums`: or variants of enums of the generated program. Recursion: as deep as the parser went.
fn compares(pattern: &Pat, enums: bool) -> bool {
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Char(_)),
        Pat::Range(range) => is_number(&range.start) && is_number(&range.end),
        Pat::Ident(ident) => ident.by_ref.is_none() && ident.subpat.is_none() && (enums || is_variable(&ident.ident)),
        Pat::Paren(paren) => compares(&paren.pat, enums),
        Pat::Tuple(tuple) => tuple.elems.iter().all(|pat| compares(pat, enums)) && !tuple.elems.iter().any(is_rest),
        Pat::Or(or) => or.cases.iter().all(|case| compares(case, enums) && !binds(case)),
        Pat::Path(path) => enums && path.qself.is_none(),
        Pat::TupleStruct(variant) => enums && variant.elems.iter().all(|pat| compares(pat, enums)),
        Pat::Struct(variant) => enums && variant.fields.iter().all(|field| compares(&field.pat, enums)),
        _ => false,
    }
}

fn is_rest(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Rest(_))
}

/// Whether a pattern is a variant of an enum, as far as its text tells. Recursion: as deep as the parser went.
pub(super) fn has_variant(pattern: &Pat) -> bool {
    match pattern {
        Pat::Path(_) | Pat::TupleStruct(_) | Pat::Struct(_) => true,
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, subpat)) => has_variant(subpat),
            None => !is_variable(&ident.ident),
        },
        Pat::Paren(paren) => has_variant(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().any(has_variant),
        Pat::Or(or) => or.cases.iter().any(has_variant),
        _ => false,
    }
}

/// Whether a pattern always matches, and binds by value. Recursion: as deep as the parser went.
fn is_plain(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Ident(ident) => ident.by_ref.is_none() && ident.subpat.is_none() && is_variable(&ident.ident),
        Pat::Paren(paren) => is_plain(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        _ => false,
    }
}

/// Whether a pattern is a variant with names, several such variants, or a name. Recursion: as deep as the parser went.
pub(super) fn is_flat(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) | Pat::Path(_) => true,
        Pat::Ident(ident) => ident.by_ref.is_none() && ident.subpat.as_ref().is_none_or(|(_, pat)| is_flat(pat)),
        Pat::TupleStruct(variant) => variant.elems.iter().all(is_plain),
        Pat::Struct(variant) => variant.fields.iter().all(|field| is_plain(&field.pat)),
        Pat::Paren(paren) => is_flat(&paren.pat),
        Pat::Or(or) => or.cases.iter().all(is_flat),
        _ => false,
    }
}

/// The alternatives of a pattern.
pub(super) fn alternatives(pattern: &Pat) -> Vec<Pat> {
    match pattern {
        Pat::Or(or) => or.cases.iter().cloned().collect(),
        other => vec![other.clone()],
    }
}

/// An arm for each alternative.
fn one_for_each(arm: &syn::Arm) -> Vec<syn::Arm> {
    alternatives(&arm.pat).into_iter().map(|pat| syn::Arm { pat, ..arm.clone() }).collect()
}

/// Gives names to what is nested in a variant of the generated program, and tests these.
pub(super) fn flatten(pattern: &mut Pat, fresh: &mut dyn FnMut() -> Ident) -> Result<Tested, Error> {
    let mut names = Vec::new();
    let mut all = Test::Always;
    let parts: Vec<&mut Pat> = match pattern {
        pattern if is_flat(pattern) => Vec::new(),
        Pat::TupleStruct(variant) => variant.elems.iter_mut().collect(),
        Pat::Struct(variant) => {
            let nested = variant.fields.iter_mut().filter(|field| !is_plain(&field.pat));
            nested.map(|field| &mut *field.pat).collect()
        }
        other => return Err(refused(other)),
    };
    for part in parts {
        if is_plain(part) {
            continue;
        }
        if !compares(part, true) {
            return Err(refused(part));
        }
        let (span, name) = (part.span(), fresh());
        let test = test_of(part, &parse_quote!(#name), &mut names);
        *part = parse_quote!(#name);
        all = all.and(test, span);
    }
    let test = match all {
        Test::If(test) => Some(test),
        Test::Always => None,
    };
    Ok(Tested { test, names })
}

fn refused(pattern: &Pat) -> Error {
    let message = "a pattern of an enum of the program is made of variants, tuples, names, numbers, truth values and `_`, and alternatives \
        inside of a variant have no names";
    Error::new(pattern.span(), message)
}

/// Takes `mut` from the names of a pattern.
pub(super) fn without_mut(pattern: &mut Pat) {
    struct Take;
    impl VisitMut for Take {
        fn visit_pat_ident_mut(&mut self, node: &mut syn::PatIdent) {
            node.mutability = None;
            visit_mut::visit_pat_ident_mut(self, node);
        }
    }
    Take.visit_pat_mut(pattern);
}

/// The fields of a variant.
fn fields(variant: &mut Pat) -> Vec<&mut Pat> {
    match variant {
        Pat::TupleStruct(variant) => variant.elems.iter_mut().collect(),
        Pat::Struct(variant) => variant.fields.iter_mut().map(|field| &mut *field.pat).collect(),
        _ => Vec::new(),
    }
}

/// The test of a variant of an enum of the generated program, and of its fields. Recursion: as deep as the parser went.
fn test_of_variant(pattern: &Pat, place: &Expr, names: &mut Vec<Bound>) -> Test {
    let span = pattern.span();
    let mut any = pattern.clone();
    if let Pat::Struct(variant) = &mut any {
        variant.fields.iter_mut().for_each(|field| field.colon_token = Some(<_>::default()));
    }
    for field in fields(&mut any).into_iter().filter(|field| !is_rest(field)) {
        *field = parse_quote!(_);
    }
    let (variant, own_field) = (own("variant"), own("field"));
    let is_it = quote!(|#variant| ::core::matches!(#variant, #any));
    let mut all = Test::If(Expr::Verbatim(quote::quote_spanned!(span=> __stage::is(&(#place), #is_it))));
    let mut own = pattern.clone();
    for (index, field) in fields(&mut own).into_iter().enumerate() {
        if matches!(field, Pat::Wild(_) | Pat::Rest(_)) {
            continue;
        }
        let mut only = any.clone();
        *fields(&mut only)[index] = parse_quote!(#own_field);
        let part = Expr::Verbatim(quote::quote_spanned! {field.span()=>
            (match __stage::pick(&(#place), #is_it) { #only => #own_field, _ => ::core::unreachable!("it was picked") })
        });
        let test = test_of(field, &part, names);
        all = all.and(test, span);
    }
    all
}

/// Whether a pattern has names. Recursion: as deep as the parser went.
fn binds(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(ident) => is_variable(&ident.ident),
        Pat::Paren(paren) => binds(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().any(binds),
        Pat::TupleStruct(variant) => variant.elems.iter().any(binds),
        Pat::Struct(variant) => variant.fields.iter().any(|field| binds(&field.pat)),
        _ => false,
    }
}

/// Whether a pattern has numbers. Recursion: as deep as the parser went.
fn has_literal(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(_) | Pat::Range(_) => true,
        Pat::Paren(paren) => has_literal(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().any(has_literal),
        Pat::Or(or) => or.cases.iter().any(has_literal),
        _ => false,
    }
}

/// The test of a pattern at a place, and the names that it binds, with their places. Recursion: as deep as the parser went.
fn test_of(pattern: &Pat, place: &Expr, names: &mut Vec<Bound>) -> Test {
    let span: Span = pattern.span();
    match pattern {
        Pat::Lit(lit) if matches!(&lit.lit, Lit::Bool(lit) if lit.value) => Test::If(place.clone()),
        Pat::Lit(lit) if matches!(lit.lit, Lit::Bool(_)) => Test::If(parse_quote_spanned!(span=> !#place)),
        Pat::Lit(lit) => Test::If(parse_quote_spanned!(span=> #place == #lit)),
        Pat::Range(range) => {
            let low: Option<Expr> = range.start.as_ref().map(|low| parse_quote_spanned!(span=> #place >= #low));
            let high: Option<Expr> = range.end.as_ref().map(|high| match range.limits {
                RangeLimits::HalfOpen(_) => parse_quote_spanned!(span=> #place < #high),
                RangeLimits::Closed(_) => parse_quote_spanned!(span=> #place <= #high),
            });
            match (low, high) {
                (Some(low), Some(high)) => Test::If(parse_quote_spanned!(span=> #low && #high)),
                (Some(one), None) | (None, Some(one)) => Test::If(one),
                (None, None) => Test::Always,
            }
        }
        Pat::Ident(ident) if !is_variable(&ident.ident) => test_of_variant(pattern, place, names),
        Pat::Ident(ident) => {
            names.push((ident.ident.clone(), ident.mutability.is_some(), place.clone()));
            Test::Always
        }
        Pat::Paren(paren) => test_of(&paren.pat, place, names),
        Pat::Tuple(tuple) => {
            let mut all = Test::Always;
            for (index, element) in tuple.elems.iter().enumerate() {
                let index = syn::Index::from(index);
                let part: Expr = parse_quote_spanned!(span=> #place.#index);
                all = all.and(test_of(element, &part, names), span);
            }
            all
        }
        Pat::Path(_) | Pat::TupleStruct(_) | Pat::Struct(_) => test_of_variant(pattern, place, names),
        Pat::Or(or) => {
            let mut any: Option<Expr> = None;
            for case in &or.cases {
                let Test::If(test) = test_of(case, place, names) else { return Test::Always };
                any = Some(match any {
                    Some(one) => parse_quote_spanned!(span=> (#one || #test)),
                    None => test,
                });
            }
            any.map_or(Test::Always, Test::If)
        }
        _ => Test::Always,
    }
}
