//! `#[stage]`: Rust's control flow as calls that write that of the generated program, by the types of conditions.

mod loops;
mod matches;
mod names;
mod patterns;

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, BinOp, Block, Error, Expr, ExprClosure, ExprIf, FnArg, Ident, ImplItem, Item, Lifetime, Pat, ReturnType,
    Signature, Stmt, Type, parse_quote, parse_quote_spanned,
};

use names::{Binding, bindings, ends_in_jump, has_let, jumps_inside, touched};

/// An item: a function, or all functions of an `impl` or a module.
pub(crate) fn item(args: &TokenStream, tokens: TokenStream) -> TokenStream {
    let mut item: Item = match syn::parse2(tokens) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Vec::new();
    if !args.is_empty() {
        errors.push(Error::new_spanned(args, "`#[stage]` has no arguments"));
    }
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
    let mut rewriter = Rewriter { uses: names::uses(&expr), ..Rewriter::default() };
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
            JoinCompared as _, JoinOther as _, JoinStaged as _, Logic as _, MatchNow as _, MatchStaged as _, To as _,
        };
    }
}

fn in_function(attrs: &mut Vec<Attribute>, sig: &Signature, block: &mut Block, errors: &mut Vec<Error>) {
    if let Some(asyncness) = &sig.asyncness {
        errors.push(Error::new(asyncness.span, "an `async` function makes no program"));
        return;
    }
    if let Some(constness) = &sig.constness {
        errors.push(Error::new(constness.span, "a `const` function makes no program"));
        return;
    }
    let is_specialized =
        attrs.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "specialize"));
    attrs.extend(allows());
    let mut rewriter = Rewriter { uses: names::uses(block), ..Rewriter::default() };
    rewriter.scopes.push(Vec::new());
    for input in &sig.inputs {
        if let Some(mark) = marks(input).filter(|_| !is_specialized) {
            let message = "`#[known]` is for functions with `#[specialize]`";
            errors.push(Error::new_spanned(mark, message));
        }
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
        ReturnType::Type(_, ty) if names::is_staged(ty) => Some(&**ty),
        _ => None,
    };
    let body = rewriter.body(block, result);
    errors.append(&mut rewriter.errors);
    let uses = uses();
    *block = parse_quote!({ #uses #body });
}

/// The mark of a parameter of a specialized function.
fn marks(input: &FnArg) -> Option<&Attribute> {
    let (FnArg::Receiver(syn::Receiver { attrs, .. }) | FnArg::Typed(syn::PatType { attrs, .. })) = input;
    attrs.iter().find(|attr| crate::specialize::is_mark(attr))
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
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `while` or `for`.
    Loop,
    /// `loop`.
    Endless,
    Block,
}

/// A function or closure, which a `return` leaves.
struct Returns {
    name: Ident,
    vars: Vec<Var>,
}

/// A variable of the code.
struct Local {
    name: Ident,
    binding: Binding,
    /// Whether it is written that its type is one of the generated program, which what is assigned to it becomes.
    is_staged: bool,
    /// Whether it is written that it is an enum of the generated program, or has one in it.
    is_enum: bool,
}

#[derive(Default)]
struct Rewriter {
    scopes: Vec<Vec<Local>>,
    /// Number of scopes around the innermost closure.
    around_closure: usize,
    /// The number of times that the function names each variable.
    uses: HashMap<String, usize>,
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
        self.declare_local(Local { name, binding, is_staged: false, is_enum: false });
    }

    fn declare_local(&mut self, local: Local) {
        self.scopes.last_mut().expect("a scope is open").push(local);
    }

    fn declare_pattern(&mut self, pattern: &Pat, ty: Option<&Type>) {
        let (inner, written) = match pattern {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, ty),
        };
        let is_fixed = written.is_some_and(names::borrows);
        let written = written.filter(|_| matches!(inner, Pat::Ident(_)));
        let (is_staged, is_enum) = (written.is_some_and(names::is_staged), written.is_some_and(names::is_enum));
        for (name, binding) in bindings(pattern, ty) {
            let binding = if is_fixed && binding == Binding::Mutable { Binding::Fixed } else { binding };
            self.declare_local(Local { name, binding, is_staged, is_enum });
        }
    }

    /// A variable, and the number of its scope.
    fn local(&self, name: &Ident) -> Option<(usize, &Local)> {
        let scopes = self.scopes.iter().enumerate().rev();
        scopes
            .flat_map(|(depth, scope)| scope.iter().rev().map(move |local| (depth, local)))
            .find(|(_, local)| local.name == *name)
    }

    /// Whether nothing else of the function names a variable, and it is named once each time that it exists.
    fn is_last_use(&self, name: &Ident) -> bool {
        let Some((depth, _)) = self.local(name) else { return false };
        let is_repeated = self.targets.iter().any(|target| target.kind != Kind::Block && depth < target.depth);
        depth >= self.around_closure && !is_repeated && self.uses.get(&name.to_string()) == Some(&1)
    }

    /// The variables that code may change, of those that exist around it.
    fn vars(&self, names: &[Ident]) -> Vec<Var> {
        let mut vars: Vec<Var> = Vec::new();
        for name in names {
            if vars.iter().any(|(var, _)| var == name) {
                continue;
            }
            match self.local(name).map(|(_, local)| local.binding) {
                Some(Binding::Mutable) => vars.push((name.clone(), false)),
                Some(Binding::Reference) => vars.push((name.clone(), true)),
                Some(Binding::Fixed) | None => {}
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

    fn closure(&mut self, node: &mut ExprClosure) {
        self.scopes.push(Vec::new());
        for input in &node.inputs {
            self.declare_pattern(input, None);
        }
        let around = (std::mem::take(&mut self.arms), std::mem::take(&mut self.targets), self.returns.take());
        let around_closure = std::mem::replace(&mut self.around_closure, self.scopes.len() - 1);
        match &mut *node.body {
            Expr::Block(block) if block.label.is_none() => {
                let body = self.body(&mut block.block, None);
                *node.body = parse_quote!({ #body });
            }
            other => self.visit_expr_mut(other),
        }
        (self.arms, self.targets, self.returns) = around;
        self.around_closure = around_closure;
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
        self.visit_expr_mut(&mut node.left);
        // (The right operand of `&&` and `||` is a closure, which no jump leaves.)
        let arms = matches!(node.op, BinOp::And(_) | BinOp::Or(_)).then(|| std::mem::take(&mut self.arms));
        self.visit_expr_mut(&mut node.right);
        self.arms = arms.unwrap_or_else(|| std::mem::take(&mut self.arms));
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
        if let Some((pattern, value)) = self.let_else(local) {
            self.declare_pattern(&pattern, None);
            local.pat = pattern;
            local.init = local.init.take().map(|init| syn::LocalInit { expr: Box::new(value), diverge: None, ..init });
            return;
        }
        let is_refutable = local.init.as_ref().is_some_and(|init| init.diverge.is_none() && self.is_staged(&init.expr));
        if is_refutable && patterns::has_variant(&local.pat) {
            let message = "the program decides which variant this is: add `else { … }`";
            self.errors.push(Error::new(local.pat.span(), message));
        }
        let is_enum = match (&local.init, &local.pat) {
            (Some(init), Pat::Ident(_)) => self.is_staged(&init.expr),
            _ => false,
        };
        match &mut local.init {
            Some(init) => {
                self.visit_expr_mut(&mut init.expr);
                if let Some((_, otherwise)) = &mut init.diverge {
                    self.visit_expr_mut(otherwise);
                }
                if let Some(ty) = ty.as_ref().filter(|ty| names::is_staged(ty)) {
                    let expr = &init.expr;
                    *init.expr = parse_quote_spanned!(expr.span()=> ::planish::stage::Stage::<#ty>::stage(#expr));
                }
            }
            None => self.errors.push(Error::new(local.span(), "a variable of a staged function begins with a value")),
        }
        self.declare_pattern(&local.pat, ty.as_ref());
        if let Some(local) = self.scopes.last_mut().and_then(|scope| scope.last_mut()).filter(|_| is_enum) {
            local.is_enum = true;
        }
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
            Expr::If(node) if has_let(&node.cond) => self.if_let(node).or_else(|| {
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
            }),
            Expr::Macro(node) => self.matches_(node),
            Expr::Assign(node) => {
                visit_mut::visit_expr_assign_mut(self, node);
                let name = match &*node.left {
                    Expr::Path(path) => path.path.get_ident(),
                    _ => None,
                };
                if name.and_then(|name| self.local(name)).is_some_and(|(_, local)| local.is_staged) {
                    let value = &node.right;
                    *node.right = parse_quote_spanned!(value.span()=> ::planish::stage::Stage::stage(#value));
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
            Expr::Await(node) => {
                self.errors
                    .push(Error::new(node.await_token.span, "`await` is for `async` functions, which make no program"));
                None
            }
            Expr::Try(node) if self.is_staged(&node.expr) => {
                let message = "the program decides which variant this is: use `let … else`, or `match`";
                self.errors.push(Error::new(node.question_token.span, message));
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
