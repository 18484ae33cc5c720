//! `#[stage]`: Rust's control flow as calls that write that of the generated program, by the types of conditions.

mod names;
mod patterns;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, BinOp, Block, Error, Expr, ExprBreak, ExprClosure, ExprContinue, ExprForLoop, ExprIf, ExprLoop,
    ExprMatch, ExprReturn, ExprWhile, FnArg, Ident, ImplItem, Item, Lifetime, Pat, ReturnType, Signature, Stmt, Type,
    parse_quote, parse_quote_spanned,
};

use names::{Binding, bindings, ends_in_jump, has_let, jumps_inside, touched};

/// An item: a function, or all functions of an `impl` or a module.
pub(crate) fn item(tokens: TokenStream) -> TokenStream {
    let mut item: Item = match syn::parse2(tokens) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Vec::new();
    if !in_item(&mut item, &mut errors) {
        let message = "`#[stage]` is for functions, and for `impl`s and modules with functions";
        errors.push(Error::new(item.span(), message));
    }
    with_errors(quote!(#item), errors)
}

/// An expression, such as a closure.
pub(crate) fn expression(tokens: TokenStream) -> TokenStream {
    let mut expr: Expr = match Expr::parse_without_eager_brace.parse2(tokens) {
        Ok(expr) => expr,
        Err(error) => return error.into_compile_error(),
    };
    let mut rewriter = Rewriter::default();
    rewriter.visit_expr_mut(&mut expr);
    let uses = uses();
    let allows = allows();
    with_errors(quote!({ #uses #(#allows)* let staged = #expr; staged }), rewriter.errors)
}

fn with_errors(tokens: TokenStream, errors: Vec<Error>) -> TokenStream {
    let errors = errors.into_iter().map(Error::into_compile_error);
    quote!(#(#errors)* #tokens)
}

/// Rewrites the functions of an item; whether it may have any. Recursion: as deep as the parser went.
fn in_item(item: &mut Item, errors: &mut Vec<Error>) -> bool {
    match item {
        Item::Fn(function) => in_function(&mut function.attrs, &function.sig, &mut function.block, errors),
        Item::Impl(block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(function) = item {
                    in_function(&mut function.attrs, &function.sig, &mut function.block, errors);
                }
            }
        }
        Item::Mod(module) => {
            for item in module.content.iter_mut().flat_map(|(_, items)| items) {
                in_item(item, errors);
            }
        }
        _ => return false,
    }
    true
}

/// Lints that what is written would trip.
fn allows() -> Vec<Attribute> {
    vec![parse_quote!(
        #[allow(unreachable_code, unused_braces, unused_labels, unused_parens)]
    )]
}

fn uses() -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use ::planish::stage::constructs::{
            self as __stage, CompareEqual as _, CompareOrder as _, CompareStaged as _, Condition as _, Iterate as _,
            JoinCompared as _, JoinOther as _, JoinStaged as _, Logic as _, To as _,
        };
    }
}

fn in_function(attrs: &mut Vec<Attribute>, sig: &Signature, block: &mut Block, errors: &mut Vec<Error>) {
    if let Some(asyncness) = &sig.asyncness {
        errors.push(Error::new(asyncness.span, "an `async` function makes no program"));
        return;
    }
    attrs.extend(allows());
    let mut rewriter = Rewriter::default();
    rewriter.scopes.push(Vec::new());
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let by_reference = receiver.reference.is_some() && receiver.mutability.is_some();
                let kind = if by_reference { Binding::Reference } else { Binding::Fixed };
                rewriter.declare(Ident::new("self", receiver.self_token.span), kind);
            }
            FnArg::Typed(typed) => rewriter.declare_pattern(&typed.pat, Some(&typed.ty)),
        }
    }
    let result = match &sig.output {
        ReturnType::Type(_, ty) if names::is_rep(ty) => Some(&**ty),
        _ => None,
    };
    let body = rewriter.body(block, result);
    errors.append(&mut rewriter.errors);
    let uses = uses();
    *block = parse_quote!({ #uses #body });
}

/// A variable that a construct joins, and whether it is behind a reference.
type Var = (Ident, bool);

/// A block of Rust that generates an arm.
struct Arm(Lifetime);

/// A loop or block that a jump may leave.
struct Target {
    label: Option<Ident>,
    native: Lifetime,
    name: Ident,
    vars: Vec<Var>,
    /// Bindings around it.
    depth: usize,
    is_block: bool,
}

/// A function or closure, which a `return` leaves.
struct Returns {
    name: Ident,
    vars: Vec<Var>,
}

#[derive(Default)]
struct Rewriter {
    scopes: Vec<Vec<(Ident, Binding)>>,
    arms: Vec<Arm>,
    targets: Vec<Target>,
    returns: Option<Returns>,
    count: u32,
    errors: Vec<Error>,
}

impl Rewriter {
    fn fresh(&mut self, name: &str) -> (Ident, Lifetime) {
        self.count += 1;
        let ident = format_ident!("__{name}{}", self.count);
        let lifetime = Lifetime::new(&format!("'{ident}"), Span::call_site());
        (ident, lifetime)
    }

    fn declare(&mut self, name: Ident, binding: Binding) {
        self.scopes.last_mut().expect("a scope is open").push((name, binding));
    }

    fn declare_pattern(&mut self, pattern: &Pat, ty: Option<&Type>) {
        for (name, binding) in bindings(pattern, ty) {
            self.declare(name, binding);
        }
    }

    /// The variables that code may change, of those that exist around it.
    fn vars(&self, names: &[Ident]) -> Vec<Var> {
        let mut vars: Vec<Var> = Vec::new();
        for name in names {
            if vars.iter().any(|(var, _)| var == name) {
                continue;
            }
            let found = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|(known, _)| known == name);
            match found {
                Some((_, Binding::Mutable)) => vars.push((name.clone(), false)),
                Some((_, Binding::Reference)) => vars.push((name.clone(), true)),
                _ => {}
            }
        }
        vars
    }

    /// The rest of the innermost arm is not generated.
    fn leave_arm(&self) -> TokenStream {
        match self.arms.last() {
            Some(Arm(label)) => quote!(break #label __stage::Given::Jumped),
            None => quote!(::core::unreachable!("a jump has a block around it")),
        }
    }

    /// The body of a function or closure; `result`: a type that its end is made.
    fn body(&mut self, block: &mut Block, result: Option<&Type>) -> TokenStream {
        let own_value = own("value");
        let names = touched(block);
        if !jumps_inside(block, |expr| matches!(expr, Expr::Return(_))) {
            self.visit_block_mut(block);
            return match result.filter(|_| !ends_in_jump(block)) {
                Some(ty) => quote!(::planish::stage::Stage::<#ty>::stage(#block)),
                None => quote!(#block),
            };
        }
        let references = self.vars(&names).into_iter().filter(|(_, is_reference)| *is_reference).collect::<Vec<_>>();
        let (name, _) = self.fresh("function");
        let (_, label) = self.fresh("body");
        let vars = list(&references);
        self.returns = Some(Returns { name: name.clone(), vars: references });
        self.arms.push(Arm(label.clone()));
        let diverges = ends_in_jump(block);
        self.visit_block_mut(block);
        self.arms.pop();
        self.returns = None;
        let place = block.span();
        let begin = quote_spanned!(place=> __stage::Function::begin(#vars));
        if diverges {
            return quote! {
                let mut #name = #begin;
                let _: __stage::Given<()> = #label: { #block; __stage::Given::Nothing };
                #name.end_unreached(#vars)
            };
        }
        quote! {
            let mut #name = #begin;
            match #label: { let #own_value = #block; __stage::Given::Value(#own_value) } {
                __stage::Given::Value(#own_value) => #name.end(#own_value, #vars),
                _ => #name.end_unreached(#vars),
            }
        }
    }

    /// A block as an arm of a construct `name`: `Given`.
    fn arm(&mut self, enters: TokenStream, block: &mut Block, name: &Ident, vars: &[Var]) -> TokenStream {
        let own_value = own("value");
        let (_, label) = self.fresh("arm");
        self.arms.push(Arm(label.clone()));
        let diverges = ends_in_jump(block);
        self.visit_block_mut(block);
        self.arms.pop();
        let vars = list(vars);
        let end = match diverges {
            true => quote!(#block; __stage::Given::Nothing),
            false => {
                let end = quote_spanned!(block.span()=> #name.end(#own_value, #vars));
                quote!(let #own_value = #block; #end)
            }
        };
        quote!(#label: { if !#enters { break #label __stage::Given::Nothing; } #end })
    }

    fn if_(&mut self, node: &mut ExprIf) -> TokenStream {
        let own_value = own("value");
        let own_then = own("then");
        let own_else = own("else");
        let place = node.if_token.span;
        let vars = self.vars(&touched(node));
        let (name, _) = self.fresh("if");
        let both_jump =
            ends_in_jump(&Block { brace_token: <_>::default(), stmts: vec![Stmt::Expr(Expr::If(node.clone()), None)] });
        self.visit_expr_mut(&mut node.cond);
        let list = list(&vars);
        let then = self.arm(quote!(#name.then()), &mut node.then_branch, &name, &vars);
        let mut otherwise: Block = match node.else_branch.take() {
            Some((_, expr)) => match *expr {
                Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => block.block,
                other => parse_quote!({ #other }),
            },
            None => parse_quote!({}),
        };
        let otherwise = self.arm(quote!(#name.otherwise(#list)), &mut otherwise, &name, &vars);
        let ty = if both_jump { quote!(()) } else { quote!(_) };
        let (cond, leave) = (&node.cond, self.leave_arm());
        let begin = quote_spanned!(place=> __stage::Condition::branch(#cond, #list));
        quote_spanned! {place=> {
            let mut #name = #begin;
            let #own_then: __stage::Given<#ty> = #then;
            let #own_else: __stage::Given<#ty> = #otherwise;
            match #name.finish(#own_then, #own_else, #list) {
                __stage::Given::Value(#own_value) => #own_value,
                _ => #leave,
            }
        }}
    }

    /// The iterations of a loop: `head`, and then the body.
    fn repeat(&mut self, target: Target, head: &TokenStream, body: &mut Block) -> (TokenStream, TokenStream) {
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

    fn target(&mut self, label: Option<&syn::Label>, vars: Vec<Var>, is_block: bool) -> Target {
        let (name, native) = self.fresh("loop");
        let depth = self.scopes.len();
        Target { label: label.map(|label| label.name.ident.clone()), native, name, vars, depth, is_block }
    }

    fn while_(&mut self, node: &mut ExprWhile) -> TokenStream {
        let place = node.while_token.span;
        let vars = self.vars(&touched(node));
        let (breaks, continues) = leaves(&node.body);
        let target = self.target(node.label.as_ref(), vars, false);
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

    fn for_(&mut self, node: &mut ExprForLoop) -> TokenStream {
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
        let target = self.target(node.label.as_ref(), vars, false);
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

    fn loop_(&mut self, node: &mut ExprLoop) -> TokenStream {
        let place = node.loop_token.span;
        let vars = self.vars(&touched(&node.body));
        let target = self.target(node.label.as_ref(), vars, false);
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
    fn labelled(&mut self, label: &syn::Label, block: &mut Block) -> TokenStream {
        let own_value = own("value");
        let vars = self.vars(&touched(block));
        let target = self.target(Some(label), vars, true);
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
    fn find(&mut self, label: Option<&Lifetime>, place: Span) -> Option<usize> {
        let found = self.targets.iter().rposition(|target| match label {
            Some(label) => target.label.as_ref() == Some(&label.ident),
            None => !target.is_block,
        });
        let Some(index) = found else {
            self.errors.push(Error::new(place, "there is no such loop or block around this jump"));
            return None;
        };
        let target = &self.targets[index];
        let inner = self.scopes.get(target.depth..).unwrap_or_default().iter().flatten();
        for (name, _) in inner {
            if target.vars.iter().any(|(var, _)| var == name) {
                let message =
                    format!("`{name}` hides a variable of this name that the jump takes with it: rename one of them");
                self.errors.push(Error::new(name.span(), message));
                return None;
            }
        }
        Some(index)
    }

    fn break_(&mut self, node: &mut ExprBreak) -> Option<TokenStream> {
        let own_value = own("value");
        if let Some(value) = &mut node.expr {
            self.visit_expr_mut(value);
        }
        let place = node.break_token.span;
        let index = self.find(node.label.as_ref(), place)?;
        let Target { name, native, vars, is_block, .. } = &self.targets[index];
        let (list, leave) = (list(vars), self.leave_arm());
        let value = node.expr.as_ref().map_or_else(|| quote!(()), |value| quote!(#value));
        let leaves = quote_spanned!(place=> #name.leave(#own_value, #list));
        let now = match is_block {
            true => quote!(),
            false => quote!(if #name.jumps_now(#list) { break #native; }),
        };
        Some(quote_spanned!(place=> { let #own_value = #value; #now #leaves; #leave }))
    }

    fn continue_(&mut self, node: &ExprContinue) -> Option<TokenStream> {
        let place = node.continue_token.span;
        let index = self.find(node.label.as_ref(), place)?;
        let Target { name, native, vars, .. } = &self.targets[index];
        let (list, leave) = (list(vars), self.leave_arm());
        let skip = quote_spanned!(place=> #name.skip(#list));
        Some(quote_spanned!(place=> { if #name.jumps_now(#list) { continue #native; } #skip; #leave }))
    }

    fn return_(&mut self, node: &mut ExprReturn) -> Option<TokenStream> {
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

    /// A `match` on numbers becomes tests one after the other, which may be of the generated program.
    fn match_(&mut self, node: &mut ExprMatch) -> Option<TokenStream> {
        match patterns::as_tests(node) {
            Ok(Some(mut tests)) => {
                self.visit_expr_mut(&mut tests);
                Some(quote!(#tests))
            }
            Ok(None) => None,
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    fn closure(&mut self, node: &mut ExprClosure) {
        self.scopes.push(Vec::new());
        for input in &node.inputs {
            self.declare_pattern(input, None);
        }
        let around = (std::mem::take(&mut self.arms), std::mem::take(&mut self.targets), self.returns.take());
        match &mut *node.body {
            Expr::Block(block) if block.label.is_none() => {
                let body = self.body(&mut block.block, None);
                *node.body = parse_quote!({ #body });
            }
            other => self.visit_expr_mut(other),
        }
        (self.arms, self.targets, self.returns) = around;
        self.scopes.pop();
    }

    /// A condition with patterns: what is in it is rewritten, and its bindings are declared. Recursion: as deep as the parser went.
    fn visit_condition(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Let(node) => {
                self.visit_expr_mut(&mut node.expr);
                self.declare_pattern(&node.pat, None);
            }
            Expr::Binary(node) if matches!(node.op, BinOp::And(_)) => {
                self.visit_condition(&mut node.left);
                self.visit_condition(&mut node.right);
            }
            other => self.visit_expr_mut(other),
        }
    }

    fn binary(&mut self, node: &mut syn::ExprBinary) -> Option<TokenStream> {
        let name = match node.op {
            BinOp::Eq(_) => "eq",
            BinOp::Ne(_) => "ne",
            BinOp::Lt(_) => "lt",
            BinOp::Le(_) => "le",
            BinOp::Gt(_) => "gt",
            BinOp::Ge(_) => "ge",
            BinOp::And(_) if !names::leaves_or_binds(&node.right) => "both",
            BinOp::Or(_) if !names::leaves_or_binds(&node.right) => "either",
            _ => return None,
        };
        visit_mut::visit_expr_binary_mut(self, node);
        let (left, right, place) = (&node.left, &node.right, node.op.span());
        let name = Ident::new(name, place);
        Some(match node.op {
            BinOp::And(_) | BinOp::Or(_) => quote_spanned!(place=> __stage::Logic::#name(#left, || #right)),
            _ => quote_spanned!(place=> (&&__stage::Compare(&(#left), &(#right))).#name()),
        })
    }
}

/// A variable of what is written. Its span, and so the names that it is told apart from, is the same everywhere.
fn own(name: &str) -> Ident {
    format_ident!("__{name}")
}

/// Whether code in a loop leaves it, and whether it goes on with the next iteration.
fn leaves(body: &Block) -> (bool, bool) {
    let breaks = jumps_inside(body, |expr| matches!(expr, Expr::Break(_)));
    (breaks, jumps_inside(body, |expr| matches!(expr, Expr::Continue(_))))
}

/// Variables, to be passed where control flow divides or meets.
fn list(vars: &[Var]) -> TokenStream {
    let vars = vars.iter().map(|(name, is_reference)| {
        let text = name.to_string();
        let place = if *is_reference { quote!(*#name) } else { quote!(#name) };
        quote!((&mut &mut &mut __stage::Variable(::core::option::Option::Some(&mut #place), #text)).join())
    });
    quote!(&mut [#(#vars),*])
}

impl VisitMut for Rewriter {
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scopes.push(Vec::new());
        for stmt in &mut block.stmts {
            self.visit_stmt_mut(stmt);
        }
        self.scopes.pop();
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let ty = match &local.pat {
            Pat::Type(typed) => Some((*typed.ty).clone()),
            _ => None,
        };
        match &mut local.init {
            Some(init) => {
                self.visit_expr_mut(&mut init.expr);
                if let Some((_, otherwise)) = &mut init.diverge {
                    self.visit_expr_mut(otherwise);
                }
                if let Some(ty) = ty.as_ref().filter(|ty| names::is_rep(ty)) {
                    let expr = &init.expr;
                    *init.expr = parse_quote_spanned!(expr.span()=> ::planish::stage::Stage::<#ty>::stage(#expr));
                }
            }
            None => self.errors.push(Error::new(local.span(), "a variable of a staged function begins with a value")),
        }
        self.declare_pattern(&local.pat, ty.as_ref());
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        in_item(item, &mut self.errors);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scopes.push(Vec::new());
        self.declare_pattern(&arm.pat, None);
        if let Some((_, guard)) = &mut arm.guard {
            self.visit_expr_mut(guard);
        }
        self.visit_expr_mut(&mut arm.body);
        self.scopes.pop();
    }

    /// Recursion: as deep as the parser went.
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let rewritten = match &mut *expr {
            Expr::If(node) if has_let(&node.cond) => {
                self.scopes.push(Vec::new());
                self.visit_condition(&mut node.cond);
                self.visit_block_mut(&mut node.then_branch);
                self.scopes.pop();
                if let Some((_, otherwise)) = &mut node.else_branch {
                    self.visit_expr_mut(otherwise);
                    if !matches!(**otherwise, Expr::If(_) | Expr::Block(_)) {
                        **otherwise = parse_quote!({ #otherwise });
                    }
                }
                None
            }
            Expr::If(node) => Some(self.if_(node)),
            Expr::While(node) => Some(self.while_(node)),
            Expr::ForLoop(node) => Some(self.for_(node)),
            Expr::Loop(node) => Some(self.loop_(node)),
            Expr::Block(node) => match node.label.take() {
                Some(label) => Some(self.labelled(&label, &mut node.block)),
                None => {
                    self.visit_block_mut(&mut node.block);
                    None
                }
            },
            Expr::Break(node) => self.break_(node),
            Expr::Continue(node) => self.continue_(node),
            Expr::Return(node) => self.return_(node),
            Expr::Match(node) => self.match_(node).or_else(|| {
                visit_mut::visit_expr_match_mut(self, node);
                None
            }),
            Expr::Closure(node) => {
                self.closure(node);
                None
            }
            Expr::Binary(node) => self.binary(node).or_else(|| {
                if !names::is_comparison(&node.op) {
                    visit_mut::visit_expr_binary_mut(self, node);
                }
                None
            }),
            Expr::Async(node) => {
                self.errors.push(Error::new(node.async_token.span, "an `async` block makes no program"));
                None
            }
            other => {
                visit_mut::visit_expr_mut(self, other);
                None
            }
        };
        if let Some(tokens) = rewritten {
            *expr = Expr::Verbatim(tokens);
        }
    }
}
