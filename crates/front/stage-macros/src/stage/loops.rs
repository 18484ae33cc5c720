//! Loops, blocks with labels, and jumps.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Block, Error, Expr, ExprBreak, ExprContinue, ExprForLoop, ExprLoop, ExprReturn, ExprWhile, Lifetime};

use super::names::{self, ends_in_jump, has_let, touched};
use super::{Arm, Kind, Local, Returns, Rewriter, Target, Var, leaves, list, own};

impl Rewriter {
    /// The iterations of a loop: `head`, and then the body.
    pub(super) fn repeat(
        &mut self,
        target: Target,
        head: &TokenStream,
        body: &mut Block,
    ) -> (TokenStream, TokenStream) {
        let own_given = own("given");
        let (_, label) = self.fresh("iteration");
        let (name, vars) = (target.name.clone(), list(&target.vars));
        let leave = self.leave_arm();
        self.targets.push(target);
        self.arms.push(Arm(label.clone()));
        self.visit_block_mut(body);
        self.arms.pop();
        self.targets.pop();
        let iteration = quote! {
            let #own_given = #label: { #body; #name.again(#vars); __stage::Given::Value(()) };
            if #own_given.is_jump() && #name.passes_jumps() { #leave }
        };
        (quote!(#head #iteration), iteration)
    }

    pub(super) fn target(&mut self, label: Option<&syn::Label>, vars: Vec<Var>, kind: Kind) -> Target {
        let (name, native) = self.fresh("loop");
        let depth = self.scopes.len();
        Target { label: label.map(|label| label.name.ident.clone()), native, name, vars, depth, kind }
    }

    pub(super) fn while_(&mut self, node: &mut ExprWhile) -> TokenStream {
        if let Some(tokens) = self.while_let(node) {
            return tokens;
        }
        let place = node.while_token.span;
        let vars = self.vars(&touched(node));
        let (breaks, continues) = leaves(&node.body);
        let target = self.target(node.label.as_ref(), vars, Kind::Loop);
        let (name, native, list) = (target.name.clone(), target.native.clone(), list(&target.vars));
        self.scopes.push(Vec::new());
        let shown = if has_let(&node.cond) {
            // A pattern is of the Rust that runs now.
            self.visit_condition(&mut node.cond);
            let (iteration, _) = self.repeat(target, &quote!(let _ = #name.enters(true, #list);), &mut node.body);
            let cond = &node.cond;
            quote_spanned! {place=> {
                let mut #name = __stage::HostLoop::begin((), #breaks, #continues, #list);
                #native: loop { if #cond { #iteration } else { break; } }
                #name.finish(#list)
            }}
        } else {
            self.visit_expr_mut(&mut node.cond);
            let cond = &node.cond;
            let enters = quote_spanned!(cond.span()=> #name.enters(#cond, #list));
            let begin = quote_spanned!(place=> __stage::Kind::of(|| #cond).repeat(#breaks, #continues, #list));
            let head = quote!(if !#name.asks() { break; } if !#enters { break; });
            let (iteration, _) = self.repeat(target, &head, &mut node.body);
            quote_spanned!(place=> { let mut #name = #begin; #native: loop { #iteration } #name.finish(#list) })
        };
        self.scopes.pop();
        shown
    }

    pub(super) fn for_(&mut self, node: &mut ExprForLoop) -> TokenStream {
        let own_item = own("item");
        let place = node.for_token.span;
        let vars = self.vars(&touched(&node.body));
        let (breaks, continues) = leaves(&node.body);
        let iter = match &mut *node.expr {
            Expr::Range(range) if matches!(range.limits, syn::RangeLimits::HalfOpen(_)) => {
                match (&mut range.start, &mut range.end) {
                    (Some(start), Some(end)) => {
                        self.visit_expr_mut(start);
                        self.visit_expr_mut(end);
                        quote_spanned!(range.limits.span()=> __stage::To::to(#start, #end))
                    }
                    _ => quote!(#range),
                }
            }
            other => {
                self.visit_expr_mut(other);
                quote!(#other)
            }
        };
        let target = self.target(node.label.as_ref(), vars, Kind::Loop);
        let (name, native, list) = (target.name.clone(), target.native.clone(), list(&target.vars));
        self.scopes.push(Vec::new());
        self.declare_pattern(&node.pat, None);
        let pattern = &node.pat;
        let next = quote_spanned!(place=> #name.next(#list));
        let head =
            quote!(let #pattern = match #next { ::core::option::Option::Some(#own_item) => #own_item, _ => break };);
        let (iteration, _) = self.repeat(target, &head, &mut node.body);
        self.scopes.pop();
        let begin = quote_spanned!(place=> __stage::Iterate::iterate(#iter, #breaks, #continues, #list));
        quote_spanned!(place=> { let mut #name = #begin; #native: loop { #iteration } #name.finish(#list) })
    }

    pub(super) fn loop_(&mut self, node: &mut ExprLoop) -> TokenStream {
        let place = node.loop_token.span;
        let vars = self.vars(&touched(&node.body));
        let target = self.target(node.label.as_ref(), vars, Kind::Endless);
        let (name, native, list) = (target.name.clone(), target.native.clone(), list(&target.vars));
        let label = node.label.as_ref().map(|label| label.name.ident.clone());
        let has_value = names::breaks_with_value(&node.body, label.as_ref());
        let (iteration, _) = self.repeat(target, &quote!(), &mut node.body);
        let ty = if has_value { quote!(_) } else { quote!(()) };
        let begin = quote_spanned!(place=> __stage::StagedLoop::<#ty>::begin(true, #list));
        quote_spanned! {place=> {
            let mut #name = #begin;
            let _ = #name.enters(true, #list);
            #native: loop { #iteration break; }
            #name.finish_with(#list)
        }}
    }

    /// A block with a label.
    pub(super) fn labelled(&mut self, label: &syn::Label, block: &mut Block) -> TokenStream {
        let own_value = own("value");
        let vars = self.vars(&touched(block));
        let target = self.target(Some(label), vars, Kind::Block);
        let (name, vars) = (target.name.clone(), list(&target.vars));
        let (_, arm) = self.fresh("arm");
        self.targets.push(target);
        self.arms.push(Arm(arm.clone()));
        let diverges = ends_in_jump(block);
        self.visit_block_mut(block);
        self.arms.pop();
        self.targets.pop();
        let begin = quote_spanned!(label.span()=> __stage::Function::begin(#vars));
        if diverges {
            return quote!({
                let mut #name = #begin;
                let _: __stage::Given<()> = #arm: { #block; __stage::Given::Nothing };
                #name.end_unreached(#vars)
            });
        }
        quote!({
            let mut #name = #begin;
            match #arm: { let #own_value = #block; __stage::Given::Value(#own_value) } {
                __stage::Given::Value(#own_value) => #name.end(#own_value, #vars),
                _ => #name.end_unreached(#vars),
            }
        })
    }

    /// The innermost construct that a jump with this label leaves, and whether a variable that it joins is hidden here.
    pub(super) fn find(&mut self, label: Option<&Lifetime>, place: Span) -> Option<usize> {
        let found = self.targets.iter().rposition(|target| match label {
            Some(label) => target.label.as_ref() == Some(&label.ident),
            None => target.kind != Kind::Block,
        });
        let Some(index) = found else {
            self.errors.push(Error::new(place, "there is no such loop or block around this jump"));
            return None;
        };
        let target = &self.targets[index];
        let inner = self.scopes.get(target.depth..).unwrap_or_default().iter().flatten();
        for Local { name, .. } in inner {
            if target.vars.iter().any(|(var, _)| var == name) {
                let message =
                    format!("`{name}` hides a variable of this name that the jump takes with it: rename one of them");
                self.errors.push(Error::new(name.span(), message));
                return None;
            }
        }
        Some(index)
    }

    pub(super) fn break_(&mut self, node: &mut ExprBreak) -> Option<TokenStream> {
        let own_value = own("value");
        if let Some(value) = &mut node.expr {
            self.visit_expr_mut(value);
        }
        let place = node.break_token.span;
        let index = self.find(node.label.as_ref(), place)?;
        let Target { name, native, vars, kind, .. } = &self.targets[index];
        if let (Kind::Loop, Some(value)) = (kind, &node.expr) {
            let message = "`while` and `for` give no value: keep it in a variable, or use `loop`";
            self.errors.push(Error::new(value.span(), message));
            return None;
        }
        let (list, leave) = (list(vars), self.leave_arm());
        let value = node.expr.as_ref().map_or_else(|| quote!(()), |value| quote!(#value));
        let leaves = quote_spanned!(place=> #name.leave(#own_value, #list));
        let now = match kind {
            Kind::Block => quote!(),
            Kind::Loop | Kind::Endless => quote!(if #name.jumps_now(#list) { break #native; }),
        };
        Some(quote_spanned!(place=> { let #own_value = #value; #now #leaves; #leave }))
    }

    pub(super) fn continue_(&mut self, node: &ExprContinue) -> Option<TokenStream> {
        let place = node.continue_token.span;
        let index = self.find(node.label.as_ref(), place)?;
        let Target { name, native, vars, kind, .. } = &self.targets[index];
        if *kind == Kind::Block {
            self.errors.push(Error::new(place, "`continue` is for loops: leave the block with `break`"));
            return None;
        }
        let (list, leave) = (list(vars), self.leave_arm());
        let skip = quote_spanned!(place=> #name.skip(#list));
        Some(quote_spanned!(place=> { if #name.jumps_now(#list) { continue #native; } #skip; #leave }))
    }

    pub(super) fn return_(&mut self, node: &mut ExprReturn) -> Option<TokenStream> {
        let own_value = own("value");
        if let Some(value) = &mut node.expr {
            self.visit_expr_mut(value);
        }
        let place = node.return_token.span;
        let Returns { name, vars } = self.returns.as_ref()?;
        let (list, leave) = (list(vars), self.leave_arm());
        let value = node.expr.as_ref().map_or_else(|| quote!(()), |value| quote!(#value));
        let leaves = quote_spanned!(place=> #name.leave(#own_value, #list));
        Some(quote_spanned!(place=> { let #own_value = #value; #leaves; #leave }))
    }
}
