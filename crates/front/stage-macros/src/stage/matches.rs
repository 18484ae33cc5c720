//! `match`, `if let`, `while let`, `let else` and `matches!`, on values that may be enums of the generated program.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, BinOp, Error, Expr, ExprIf, ExprMacro, ExprMatch, ExprWhile, Ident, Pat, Token, UnOp, parse_quote,
    parse_quote_spanned,
};

use super::names::{Binding, bindings, is_enum, is_jump, touched};
use super::patterns;
use super::{Arm, Kind, Rewriter, leaves, list, own};

/// An arm of a `match` on an enum.
struct Case {
    attrs: Vec<Attribute>,
    pat: Pat,
    guard: Option<Expr>,
    body: Expr,
    /// Whether it has neither names nor a guard, so that it may be one block for several variants.
    serves: bool,
}

impl Case {
    fn new(arm: &syn::Arm) -> Self {
        let guard = arm.guard.as_ref().map(|(_, guard)| (**guard).clone());
        let serves = guard.is_none() && bindings(&arm.pat, None).is_empty();
        let (attrs, pat, body) = (arm.attrs.clone(), arm.pat.clone(), (*arm.body).clone());
        Case { attrs, pat, guard, body, serves }
    }
}

impl Rewriter {
    /// A `match` on numbers becomes tests one after the other, and one on an enum code that runs for each variant of one of the generated program.
    pub(super) fn match_(&mut self, node: &mut ExprMatch) -> Option<TokenStream> {
        let is_staged = self.is_staged(&node.expr);
        let may_be_tuple = is_staged && matches!(*node.expr, Expr::Tuple(_));
        match patterns::as_tests(node, may_be_tuple) {
            Ok(Some(mut tests)) => {
                self.visit_expr_mut(&mut tests);
                return Some(quote!(#tests));
            }
            Ok(None) => {}
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        }
        let mut cases: Vec<Case> = node.arms.iter().map(Case::new).collect();
        if !cases.iter().any(|case| patterns::has_variant(&case.pat)) {
            return None;
        }
        if !cases.iter().all(|case| patterns::is_flat(&case.pat)) {
            if !is_staged {
                return None;
            }
            cases = match cases.into_iter().map(|case| self.flattened(case)).collect::<Result<Vec<_>, Error>>() {
                Ok(cases) => cases.into_iter().flatten().collect(),
                Err(error) => {
                    self.errors.push(error);
                    return None;
                }
            };
        }
        Some(self.on_variants(node.match_token.span, &mut node.expr, cases))
    }

    /// Arms whose patterns are variants with names: what is nested in them becomes guards.
    fn flattened(&mut self, case: Case) -> Result<Vec<Case>, Error> {
        if patterns::is_flat(&case.pat) {
            return Ok(vec![case]);
        }
        let mut flat = Vec::new();
        for mut pat in patterns::alternatives(&case.pat) {
            let mut fresh = || {
                self.count += 1;
                format_ident!("__part{}", self.count)
            };
            let (guard, body) = patterns::flatten(&mut pat, &mut fresh)?.around(case.guard.as_ref(), &case.body);
            let serves = guard.is_none() && bindings(&pat, None).is_empty();
            flat.push(Case { attrs: case.attrs.clone(), pat, guard, body, serves });
        }
        Ok(flat)
    }

    /// A `match` whose patterns are variants with names.
    fn on_variants(&mut self, place: Span, scrutinee: &mut Expr, mut cases: Vec<Case>) -> TokenStream {
        let (own_value, own_given) = (own("value"), own("given"));
        let mut names = Vec::new();
        for case in &cases {
            case.guard.iter().for_each(|guard| names.extend(touched(guard)));
            names.extend(touched(&case.body));
        }
        let vars = self.vars(&names);
        let all_jump = cases.iter().all(|case| is_jump(&case.body));
        let (name, _) = self.fresh("match");
        let (_, label) = self.fresh("arm");
        let list = list(&vars);
        let kind = self.passing(scrutinee);
        self.visit_expr_mut(scrutinee);
        let (begin, taken, around) = match kind {
            Passing::Value => (
                quote!(__stage::Matched(::core::option::Option::Some(#scrutinee))),
                quote!(#name.take(#own_value)),
                None,
            ),
            Passing::Reborrow => (
                quote!(__stage::Matched(::core::option::Option::Some(&mut *#scrutinee))),
                quote!(#name.take(#own_value)),
                None,
            ),
            Passing::Place => (quote!(__stage::MatchedPlace(&(#scrutinee))), quote!(*#name.look(&(#scrutinee))), None),
            Passing::PlaceOnce => {
                let own_place = own("place");
                let taken = quote!(*#name.look(#own_place));
                (quote!(__stage::MatchedPlace(#own_place)), taken, Some((own_place, quote!(&(#scrutinee)))))
            }
        };
        let arms: Vec<TokenStream> =
            cases.iter_mut().enumerate().map(|(index, case)| self.case(index, case, &name, &label)).collect();
        let ty = if all_jump { quote!(()) } else { quote!(_) };
        let leave = self.leave_arm();
        let begin = quote_spanned!(place=> (&mut &mut #begin).begin());
        let inner = quote_spanned!(place=> match #taken { #(#arms)* });
        let whole = quote_spanned! {place=> match #begin {
            (mut #name, #own_value) => {
                let #own_given: __stage::Given<#ty> = loop {
                    if #name.iterates() { #name.goes_on(); #name.enter(#list); }
                    let #own_given: __stage::Given<#ty> = #label: { #inner };
                    if !#name.is_staged() { break #own_given; }
                    #name.goes_on();
                    if !#name.again(#own_given, #list) { break #name.finish(#list); }
                };
                match #own_given {
                    __stage::Given::Value(#own_value) => #own_value,
                    _ => #leave,
                }
            }
        }};
        match around {
            Some((name, value)) => quote_spanned!(place=> match #value { #name => #whole }),
            None => whole,
        }
    }

    fn case(&mut self, index: usize, case: &mut Case, name: &Ident, label: &syn::Lifetime) -> TokenStream {
        let own_value = own("value");
        self.scopes.push(Vec::new());
        self.declare_pattern(&case.pat, None);
        let guard = case.guard.as_mut().map(|guard| {
            self.visit_expr_mut(guard);
            let asks = quote_spanned!(guard.span()=> #name.asks(#guard));
            quote!(if #name.tries(#index) && (#name.looks() || #asks))
        });
        let diverges = is_jump(&case.body);
        self.arms.push(Arm(label.clone()));
        self.visit_expr_mut(&mut case.body);
        self.arms.pop();
        self.scopes.pop();
        let Case { attrs, pat, body, serves, .. } = case;
        let end = match diverges {
            true => quote!(#body; __stage::Given::Nothing),
            false => {
                let value = quote_spanned!(body.span()=> #name.value(#own_value));
                quote!(let #own_value = #body; #value)
            }
        };
        quote! {
            #(#attrs)*
            #pat #guard => {
                if #name.skips(#index, #serves) { break #label __stage::Given::Nothing; }
                #end
            }
        }
    }

    /// The way in which a value comes to its `match`.
    fn passing(&self, expr: &Expr) -> Passing {
        match expr {
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.local(name).is_some_and(|(_, local)| local.binding == Binding::Reference) => {
                    Passing::Reborrow
                }
                Some(name) if self.is_last_use(name) => Passing::Value,
                _ => Passing::Place,
            },
            expr if is_stable_place(expr) => Passing::Place,
            expr if is_place(expr) => Passing::PlaceOnce,
            _ => Passing::Value,
        }
    }

    /// Whether the text of an expression tells that it is an enum of the generated program, or has one in it. Recursion: as deep as the parser went.
    pub(super) fn is_staged(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => {
                path.path.get_ident().and_then(|name| self.local(name)).is_some_and(|(_, local)| local.is_enum)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let mut last = path.path.segments.iter().rev();
                    last.next().is_some_and(|new| new.ident == "new")
                        && last.next().is_some_and(|of| of.ident == "Enum")
                }
                _ => false,
            },
            Expr::MethodCall(call) => call.method == "clone" && self.is_staged(&call.receiver),
            Expr::Paren(paren) => self.is_staged(&paren.expr),
            Expr::Group(group) => self.is_staged(&group.expr),
            Expr::Reference(reference) => self.is_staged(&reference.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.is_staged(&unary.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().any(|expr| self.is_staged(expr)),
            Expr::Cast(cast) => is_enum(&cast.ty),
            _ => false,
        }
    }

    /// `if let`, if it may be of the generated program.
    pub(super) fn if_let(&mut self, node: &ExprIf) -> Option<TokenStream> {
        let (pattern, scrutinee, guard) = self.let_of(&node.cond)?;
        let then = &node.then_branch;
        let otherwise: Expr = match &node.else_branch {
            Some((_, otherwise)) => (**otherwise).clone(),
            None => parse_quote!({}),
        };
        let mut made = matching(node.if_token.span, &scrutinee, &pattern, guard, &parse_quote!(#then), &otherwise);
        self.match_(&mut made)
    }

    /// `while let`, if it may be of the generated program.
    pub(super) fn while_let(&mut self, node: &ExprWhile) -> Option<TokenStream> {
        let place = node.while_token.span;
        let (pattern, scrutinee, guard) = self.let_of(&node.cond)?;
        let (breaks, continues) = leaves(&node.body);
        let body = &node.body;
        let made =
            matching(place, &scrutinee, &pattern, guard, &parse_quote!(#body), &parse_quote_spanned!(place=> break));
        let vars = self.vars(&touched(node));
        let target = self.target(node.label.as_ref(), vars, Kind::Loop);
        let (name, native, list) = (target.name.clone(), target.native.clone(), list(&target.vars));
        let mut typed = scrutinee;
        self.visit_expr_mut(&mut typed);
        self.scopes.push(Vec::new());
        let head = quote!(if !#name.asks() { break; } let _ = #name.enters(true, #list););
        let (iteration, _) = self.repeat(target, &head, &mut parse_quote!({ #made }));
        self.scopes.pop();
        // (The value is not computed here: only its type counts.)
        let kind = quote_spanned!(place=> (&mut &mut match __stage::kind_only() {
            true => { __stage::unreached(); __stage::kind_of(&(#typed)) }
            false => __stage::Matched(::core::option::Option::None),
        }).kind());
        let begin = quote_spanned!(place=> #kind.repeat(#breaks, #continues, #list));
        Some(quote_spanned!(place=> { let mut #name = #begin; #native: loop { #iteration } #name.finish(#list) }))
    }

    /// `let else`, if it may be of the generated program: the pattern of the names that it binds, and their values.
    pub(super) fn let_else(&mut self, local: &syn::Local) -> Option<(Pat, Expr)> {
        let init = local.init.as_ref()?;
        let (let_else, otherwise) = init.diverge.as_ref()?;
        if !self.may_match(&local.pat, &init.expr) {
            return None;
        }
        let names = bindings(&local.pat, None);
        let mut names: Vec<_> = names.into_iter().filter(|(name, _)| patterns::is_variable(name)).collect();
        // (Alternatives have the same names.)
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        names.dedup_by(|(one, _), (other, _)| one == other);
        let pairs = |name: &dyn Fn(&(Ident, Binding)) -> TokenStream| {
            names.iter().rev().fold(quote!(()), |rest, bound| {
                let name = name(bound);
                quote!((#name, #rest))
            })
        };
        let bound = pairs(&|(name, binding)| match binding {
            Binding::Mutable => quote!(mut #name),
            _ => quote!(#name),
        });
        let values = pairs(&|(name, _)| quote!(#name));
        let mut pattern = local.pat.clone();
        patterns::without_mut(&mut pattern);
        let mut made = matching(let_else.span, &init.expr, &pattern, None, &parse_quote!(#values), otherwise);
        let tokens = self.match_(&mut made)?;
        let bound = Pat::parse_single.parse2(bound).expect("a tuple of names");
        Some((bound, Expr::Verbatim(tokens)))
    }

    /// `matches!`, if it may be of the generated program.
    pub(super) fn matches_(&mut self, node: &ExprMacro) -> Option<TokenStream> {
        let path: Vec<String> = node.mac.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if !matches!(path.iter().map(String::as_str).collect::<Vec<_>>()[..], ["matches"] | ["core" | "std", "matches"])
        {
            return None;
        }
        let parse = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = parse.parse2(node.mac.tokens.clone()).ok()?;
        let place = node.mac.path.span();
        let mut made = matching(place, &value, &pattern, guard, &parse_quote!(true), &parse_quote!(false));
        self.match_(&mut made)
    }

    /// The pattern of a condition, its value, and what else must hold; nothing if it is one of the Rust that runs now.
    fn let_of(&mut self, cond: &Expr) -> Option<(Pat, Expr, Option<Expr>)> {
        let mut all = Vec::new();
        conjuncts(cond, &mut all);
        let late = all.iter().skip(1).find_map(|expr| match expr {
            Expr::Let(late) if self.is_staged(&late.expr) => Some(late),
            _ => None,
        });
        if let Some(late) = late {
            let message = "of a condition of the program, only the first part is a pattern: use `if` in `if`";
            self.errors.push(Error::new(late.let_token.span, message));
        }
        let (first, rest) = all.split_first()?;
        let Expr::Let(first) = first else { return None };
        if rest.iter().any(|expr| matches!(expr, Expr::Let(_))) || !self.may_match(&first.pat, &first.expr) {
            return None;
        }
        let guard = rest.iter().map(|expr| (*expr).clone()).reduce(|one, other| parse_quote!(#one && #other));
        Some(((*first.pat).clone(), (*first.expr).clone(), guard))
    }

    /// Whether a value of the generated program may have this pattern.
    fn may_match(&self, pattern: &Pat, value: &Expr) -> bool {
        patterns::has_variant(pattern) && (patterns::is_flat(pattern) || self.is_staged(value))
    }
}

/// The way in which a value comes to its `match`.
enum Passing {
    Value,
    /// A variable that is a mutable reference.
    Reborrow,
    /// A place that can be named several times.
    Place,
    PlaceOnce,
}

/// Whether an expression is a place, and computing it twice gives the same. Recursion: as deep as the parser went.
fn is_stable_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(field) => is_stable_place(&field.base),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_stable_place(&unary.expr),
        Expr::Paren(paren) => is_stable_place(&paren.expr),
        Expr::Index(index) => {
            is_stable_place(&index.expr) && (matches!(*index.index, Expr::Lit(_)) || is_stable_place(&index.index))
        }
        _ => false,
    }
}

/// Whether an expression is a place. Recursion: as deep as the parser went.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Field(field) => is_place(&field.base),
        Expr::Paren(paren) => is_place(&paren.expr),
        _ => false,
    }
}

/// The conditions that `&&` joins. Recursion: as deep as the parser went.
fn conjuncts<'a>(cond: &'a Expr, out: &mut Vec<&'a Expr>) {
    match cond {
        Expr::Binary(node) if matches!(node.op, BinOp::And(_)) => {
            conjuncts(&node.left, out);
            conjuncts(&node.right, out);
        }
        other => out.push(other),
    }
}

/// A `match` with two arms.
fn matching(place: Span, value: &Expr, pattern: &Pat, guard: Option<Expr>, then: &Expr, otherwise: &Expr) -> ExprMatch {
    let guard = guard.map(|guard| quote!(if #guard));
    let mut made: ExprMatch = parse_quote!(match __value { #pattern #guard => #then, _ => #otherwise });
    made.match_token.span = place;
    *made.expr = value.clone();
    made
}
