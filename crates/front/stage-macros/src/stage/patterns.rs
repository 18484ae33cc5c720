//! Patterns that are tests of numbers.

use proc_macro2::Span;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprMatch, Ident, Lit, Pat, RangeLimits, parse_quote, parse_quote_spanned};

/// A test of a value, which is an expression of the place that it is in.
enum Test {
    Always,
    If(Expr),
}

/// A `match` as tests one after the other, if all of its patterns compare numbers, and some does.
pub(super) fn as_tests(node: &ExprMatch) -> Result<Option<Expr>, Error> {
    let patterns = || node.arms.iter().map(|arm| &arm.pat);
    if !patterns().all(compares) || !patterns().any(has_literal) {
        return Ok(None);
    }
    let matched = format_ident!("__matched");
    let place: Expr = parse_quote!(#matched);
    let is_bool = patterns().all(is_bool);
    let mut chain: Option<Expr> = None;
    for (index, arm) in node.arms.iter().enumerate().rev() {
        let mut names = Vec::new();
        let test = test_of(&arm.pat, &place, &mut names);
        let body = &arm.body;
        let bound = names.iter().map(|(name, is_mut, at)| -> syn::Stmt {
            match is_mut {
                true => parse_quote!(let mut #name = #at;),
                false => parse_quote!(let #name = #at;),
            }
        });
        let bound: Vec<syn::Stmt> = bound.collect();
        let guard = arm.guard.as_ref().map(|(_, guard)| -> Expr {
            if bound.is_empty() { (**guard).clone() } else { parse_quote!({ #(#bound)* #guard }) }
        });
        let test = match (test, guard) {
            (Test::If(test), Some(guard)) => Test::If(parse_quote!(#test && #guard)),
            (Test::Always, Some(guard)) => Test::If(guard),
            (test, None) => test,
        };
        let is_last = index + 1 == node.arms.len();
        let span = arm.pat.span();
        chain = Some(match (test, chain) {
            (Test::Always, _) => parse_quote!({ #(#bound)* #body }),
            (Test::If(_), None) if is_last && is_bool && node.arms.len() == 2 => parse_quote!({ #(#bound)* #body }),
            (Test::If(_), None) => {
                let message = "a `match` on numbers ends with an arm for all others: `_ => …`";
                return Err(Error::new(span, message));
            }
            (Test::If(test), Some(rest)) => {
                parse_quote_spanned!(span=> if #test { #(#bound)* #body } else { #rest })
            }
        });
    }
    let (chain, scrutinee) = (chain, &node.expr);
    Ok(chain.map(|chain| parse_quote!({ let #matched = #scrutinee; #chain })))
}

fn is_bool(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Lit(lit) if matches!(lit.lit, Lit::Bool(_)))
}

fn is_variable(name: &Ident) -> bool {
    name.to_string().starts_with(|c: char| c.is_lowercase() || c == '_')
}

fn is_number(expr: &Option<Box<Expr>>) -> bool {
    expr.as_deref().is_none_or(|expr| {
        matches!(expr, Expr::Lit(_)) || matches!(expr, Expr::Unary(unary) if matches!(*unary.expr, Expr::Lit(_)))
    })
}

/// Whether comparisons decide a pattern. Recursion: as deep as the parser went.
fn compares(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Char(_)),
        Pat::Range(range) => is_number(&range.start) && is_number(&range.end),
        Pat::Ident(ident) => ident.by_ref.is_none() && ident.subpat.is_none() && is_variable(&ident.ident),
        Pat::Paren(paren) => compares(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().all(compares),
        Pat::Or(or) => or.cases.iter().all(|case| compares(case) && !binds(case)),
        _ => false,
    }
}

/// Whether a pattern has names. Recursion: as deep as the parser went.
fn binds(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(_) => true,
        Pat::Paren(paren) => binds(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().any(binds),
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
fn test_of(pattern: &Pat, place: &Expr, names: &mut Vec<(Ident, bool, Expr)>) -> Test {
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
                all = match (all, test_of(element, &part, names)) {
                    (Test::If(one), Test::If(other)) => Test::If(parse_quote_spanned!(span=> #one && #other)),
                    (Test::If(one), Test::Always) | (Test::Always, Test::If(one)) => Test::If(one),
                    (Test::Always, Test::Always) => Test::Always,
                };
            }
            all
        }
        Pat::Or(or) => {
            let mut any: Option<Expr> = None;
            for case in &or.cases {
                let Test::If(test) = test_of(case, place, names) else { return Test::Always };
                any = Some(match any {
                    Some(one) => parse_quote_spanned!(span=> #one || #test),
                    None => test,
                });
            }
            any.map_or(Test::Always, Test::If)
        }
        _ => Test::Always,
    }
}
