//! Names and jumps in code, found without its types.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Ident, Member, Pat, Stmt, Type};

/// A name of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// Code may change it.
    Mutable,
    /// Code may change the target.
    Reference,
    Fixed,
}

/// The names that a pattern binds; `ty`: its type, if it is written.
pub(super) fn bindings(pattern: &Pat, ty: Option<&Type>) -> Vec<(Ident, Binding)> {
    struct Find(Vec<(Ident, Binding)>);
    impl Visit<'_> for Find {
        fn visit_pat_ident(&mut self, node: &syn::PatIdent) {
            let binding =
                if node.mutability.is_some() && node.by_ref.is_none() { Binding::Mutable } else { Binding::Fixed };
            self.0.push((node.ident.clone(), binding));
            visit::visit_pat_ident(self, node);
        }

        fn visit_expr(&mut self, _: &Expr) {}
    }
    let mut find = Find(Vec::new());
    find.visit_pat(pattern);
    let is_reference = matches!(ty, Some(Type::Reference(reference)) if reference.mutability.is_some());
    if is_reference {
        find.0.iter_mut().for_each(|(_, binding)| *binding = Binding::Reference);
    }
    find.0
}

/// Whether a type is `Rep<…>` or `Enum<…>`.
pub(super) fn is_staged(ty: &Type) -> bool {
    is_named(ty, "Rep") || is_named(ty, "Enum")
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Whether a type is `Enum<…>`, a reference to one, or a tuple with one. Recursion: as deep as the parser went.
pub(super) fn is_enum(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_enum(&reference.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(is_enum),
        Type::Paren(paren) => is_enum(&paren.elem),
        ty => is_named(ty, "Enum"),
    }
}

/// Whether a type has a reference in it, so that no value of it is one of the program.
pub(super) fn borrows(ty: &Type) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_lifetime(&mut self, _: &syn::Lifetime) {
            self.0 = true;
        }

        fn visit_type_reference(&mut self, _: &syn::TypeReference) {
            self.0 = true;
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

/// The number of times that code names each variable.
pub(super) fn uses(code: &impl Code) -> HashMap<String, usize> {
    struct Count(HashMap<String, usize>);
    impl Count {
        fn note(&mut self, name: &str) {
            *self.0.entry(name.to_owned()).or_default() += 1;
        }

        /// Recursion: as deep as the parser went.
        fn tokens(&mut self, tokens: TokenStream) {
            for token in tokens {
                match token {
                    TokenTree::Ident(ident) => self.note(&ident.to_string()),
                    TokenTree::Group(group) => self.tokens(group.stream()),
                    // (A text to be formatted may name variables.)
                    TokenTree::Literal(literal) => {
                        let text = literal.to_string();
                        text.split(|c: char| !c.is_alphanumeric() && c != '_').for_each(|word| self.note(word));
                    }
                    TokenTree::Punct(_) => {}
                }
            }
        }
    }
    impl Visit<'_> for Count {
        fn visit_expr_path(&mut self, node: &syn::ExprPath) {
            if let Some(name) = node.path.get_ident() {
                self.note(&name.to_string());
            }
        }

        fn visit_macro(&mut self, node: &syn::Macro) {
            self.tokens(node.tokens.clone());
        }
    }
    let mut count = Count(HashMap::new());
    code.accept(&mut count);
    count.0
}

/// The variable that a place is part of. Recursion: as deep as the parser went.
fn root(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Field(field) => match &field.member {
            Member::Named(_) | Member::Unnamed(_) => root(&field.base),
        },
        Expr::Index(index) => root(&index.expr),
        Expr::Paren(paren) => root(&paren.expr),
        Expr::Group(group) => root(&group.expr),
        Expr::Unary(unary) => root(&unary.expr),
        Expr::Reference(reference) => root(&reference.expr),
        Expr::Tuple(_) => None,
        _ => None,
    }
}

/// Names of variables that code may change: those that are assigned to, borrowed for a change, the receiver of a method, or in a macro.
pub(super) fn touched(code: &impl Code) -> Vec<Ident> {
    struct Find(Vec<Ident>);
    impl Find {
        /// Recursion: as deep as the parser went.
        fn note(&mut self, expr: &Expr) {
            match expr {
                Expr::Tuple(tuple) => tuple.elems.iter().for_each(|expr| self.note(expr)),
                Expr::Array(array) => array.elems.iter().for_each(|expr| self.note(expr)),
                other => self.0.extend(root(other).cloned()),
            }
        }

        /// Recursion: as deep as the parser went.
        fn tokens(&mut self, tokens: TokenStream) {
            for token in tokens {
                match token {
                    TokenTree::Ident(ident) => self.0.push(ident),
                    TokenTree::Group(group) => self.tokens(group.stream()),
                    _ => {}
                }
            }
        }
    }
    impl Visit<'_> for Find {
        fn visit_expr_assign(&mut self, node: &syn::ExprAssign) {
            self.note(&node.left);
            visit::visit_expr_assign(self, node);
        }

        fn visit_expr_binary(&mut self, node: &syn::ExprBinary) {
            if is_assignment(&node.op) {
                self.note(&node.left);
            }
            visit::visit_expr_binary(self, node);
        }

        fn visit_expr_reference(&mut self, node: &syn::ExprReference) {
            if node.mutability.is_some() {
                self.note(&node.expr);
            }
            visit::visit_expr_reference(self, node);
        }

        fn visit_expr_method_call(&mut self, node: &syn::ExprMethodCall) {
            self.note(&node.receiver);
            visit::visit_expr_method_call(self, node);
        }

        fn visit_expr_call(&mut self, node: &syn::ExprCall) {
            // A reference that is passed on.
            node.args.iter().filter(|arg| matches!(arg, Expr::Path(_))).for_each(|arg| self.note(arg));
            visit::visit_expr_call(self, node);
        }

        fn visit_macro(&mut self, node: &syn::Macro) {
            self.tokens(node.tokens.clone());
        }
    }
    let mut find = Find(Vec::new());
    code.accept(&mut find);
    find.0
}

/// Code that can be visited.
pub(super) trait Code {
    fn accept<'a>(&'a self, visitor: &mut impl Visit<'a>);
}

impl Code for Block {
    fn accept<'a>(&'a self, visitor: &mut impl Visit<'a>) {
        visitor.visit_block(self);
    }
}

impl Code for syn::ExprIf {
    fn accept<'a>(&'a self, visitor: &mut impl Visit<'a>) {
        visitor.visit_expr_if(self);
    }
}

impl Code for syn::ExprWhile {
    fn accept<'a>(&'a self, visitor: &mut impl Visit<'a>) {
        visitor.visit_expr_while(self);
    }
}

impl Code for Expr {
    fn accept<'a>(&'a self, visitor: &mut impl Visit<'a>) {
        visitor.visit_expr(self);
    }
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

pub(super) fn is_comparison(op: &BinOp) -> bool {
    matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
}

/// Whether code has a jump of a kind, not counting that of closures and items in it.
pub(super) fn jumps_inside(code: &impl Code, wanted: impl Fn(&Expr) -> bool) -> bool {
    struct Find<F>(F, bool);
    impl<F: Fn(&Expr) -> bool> Visit<'_> for Find<F> {
        fn visit_expr(&mut self, node: &Expr) {
            self.1 |= (self.0)(node);
            if !matches!(node, Expr::Closure(_)) {
                visit::visit_expr(self, node);
            }
        }

        fn visit_item(&mut self, _: &syn::Item) {}
    }
    let mut find = Find(wanted, false);
    code.accept(&mut find);
    find.1
}

/// Whether a loop is left with a value.
pub(super) fn breaks_with_value(body: &Block, label: Option<&Ident>) -> bool {
    struct Find<'a>(Option<&'a Ident>, u32, bool);
    impl Visit<'_> for Find<'_> {
        fn visit_expr(&mut self, node: &Expr) {
            match node {
                Expr::Break(node) => {
                    let is_own = match &node.label {
                        Some(label) => Some(&label.ident) == self.0,
                        None => self.1 == 0,
                    };
                    self.2 |= is_own && node.expr.is_some();
                    visit::visit_expr_break(self, node);
                }
                Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                    self.1 += 1;
                    visit::visit_expr(self, node);
                    self.1 -= 1;
                }
                Expr::Closure(_) => {}
                _ => visit::visit_expr(self, node),
            }
        }

        fn visit_item(&mut self, _: &syn::Item) {}
    }
    let mut find = Find(label, 0, false);
    find.visit_block(body);
    find.2
}

/// Whether an operand of `&&` and `||` has a jump or a pattern, so that it cannot be a closure.
pub(super) fn leaves_or_binds(expr: &Expr) -> bool {
    jumps_inside(expr, |expr| {
        matches!(
            expr,
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Try(_) | Expr::Let(_) | Expr::Await(_)
        )
    })
}

/// Whether a condition has a pattern. Recursion: as deep as the parser went.
pub(super) fn has_let(cond: &Expr) -> bool {
    match cond {
        Expr::Let(_) => true,
        Expr::Binary(node) if matches!(node.op, BinOp::And(_)) => has_let(&node.left) || has_let(&node.right),
        _ => false,
    }
}

/// Whether the end of a block is never reached, as far as its last statement tells. Recursion: as deep as the parser went.
pub(super) fn ends_in_jump(block: &Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(expr, _)) => is_jump(expr),
        Some(Stmt::Macro(node)) => never_returns(&node.mac),
        _ => false,
    }
}

/// Whether the end of an expression is never reached, as far as its text tells. Recursion: as deep as the parser went.
pub(super) fn is_jump(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Macro(node) => never_returns(&node.mac),
        Expr::Block(node) => node.label.is_none() && ends_in_jump(&node.block),
        Expr::Paren(node) => is_jump(&node.expr),
        Expr::If(node) => {
            let otherwise = node.else_branch.as_ref().is_some_and(|(_, expr)| is_jump(expr));
            otherwise && ends_in_jump(&node.then_branch)
        }
        Expr::Match(node) => !node.arms.is_empty() && node.arms.iter().all(|arm| is_jump(&arm.body)),
        _ => false,
    }
}

fn never_returns(mac: &syn::Macro) -> bool {
    let name = mac.path.segments.last().map(|last| last.ident.to_string());
    matches!(name.as_deref(), Some("panic" | "unreachable" | "todo" | "unimplemented"))
}
