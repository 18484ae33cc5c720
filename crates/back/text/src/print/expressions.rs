//! Expressions as text.

use super::Printer;
use crate::syntax::{Casts, Place, Syntax};
use crate::tree::{Args, Callee, Expr, ExprKind, Symbol};

impl<'m, S: Syntax<'m>> Printer<'_, 'm, S> {
    /// Prints an expression, with parentheses if its place needs them.
    /// Recursion: over the expression, whose depth lowering bounds (`MOST_DEPTH`).
    pub(super) fn expr(&mut self, e: Expr, place: Place) {
        if self.w.needs_parentheses(place, e) {
            self.parenthesized(e);
        } else {
            self.bare(e);
        }
    }

    pub(super) fn parenthesized(&mut self, e: Expr) {
        self.text("(");
        self.expr(e, Place::Whole);
        self.text(")");
    }

    /// Recursion: see [`Printer::expr`].
    fn bare(&mut self, e: Expr) {
        let w = self.w;
        match w.tree.kind(e) {
            ExprKind::Literal(c) => self.signed(|out| w.constant(c, None, out)),
            ExprKind::Bool(b) => self.text(if b { "true" } else { "false" }),
            kind @ (ExprKind::Int(_) | ExprKind::Uint(_) | ExprKind::Float(_)) => {
                self.signed(|out| w.number(kind, out));
            }
            ExprKind::Name(symbol) => self.name(symbol),
            ExprKind::Prefix(text, a) => {
                self.signed(|out| out.push_str(text));
                self.expr(a, Place::Prefix);
            }
            ExprKind::Postfix(text, a) => {
                self.expr(a, Place::Postfix);
                self.text(text);
            }
            ExprKind::Infix(op, a, b) => {
                self.expr(a, Place::Left(op));
                self.operator(op.text());
                self.expr(b, Place::Right(op));
            }
            ExprKind::Ternary(c, a, b) => self.ternary(c, a, b),
            ExprKind::Call(callee, args) => self.call(callee, args),
            ExprKind::Index(a, i) => {
                self.expr(a, Place::Postfix);
                let (before, place, after) = w.index(i);
                self.text(before);
                self.expr(i, place);
                self.text(after);
            }
            ExprKind::Member(a, ty, i) => {
                self.member_of(a);
                self.text(&w.member_name(ty, i));
            }
            ExprKind::Field(a, symbol) => {
                self.member_of(a);
                self.name(symbol);
            }
            ExprKind::Swizzle(a, lanes) => {
                self.expr(a, Place::Postfix);
                w.components(lanes, &mut self.out);
            }
            ExprKind::Splat(ty, a) => {
                let (place, end) = w.splat(ty, &mut self.out);
                self.expr(a, place);
                self.text(end);
            }
            ExprKind::Cast(ty, a) => self.cast(&w.type_name(ty), a),
            ExprKind::AddressOf(a) => {
                self.text(w.style().address_of);
                self.expr(a, Place::Prefix);
            }
            ExprKind::Deref(a) => {
                // Not the beginning of a comment.
                self.text(if self.out.ends_with('/') { " *" } else { "*" });
                self.expr(a, Place::Prefix);
            }
            ExprKind::Results(func, args) => {
                let end = w.results(func, &mut self.out);
                self.arguments(args);
                self.text(end);
            }
            ExprKind::Result(symbol, number) => {
                self.name(symbol);
                w.result(number, &mut self.out);
            }
        }
    }

    fn name(&mut self, symbol: Symbol) {
        self.text(&self.w.name(symbol));
    }

    /// `a.`, before a member.
    fn member_of(&mut self, a: Expr) {
        let style = self.w.style();
        match self.w.tree.kind(a) {
            ExprKind::Deref(pointer) if style.implied_dereference || style.arrows => {
                self.expr(pointer, Place::Postfix);
                self.text(if style.implied_dereference { "." } else { "->" });
            }
            _ => {
                self.expr(a, Place::Postfix);
                self.text(".");
            }
        }
    }

    fn ternary(&mut self, c: Expr, a: Expr, b: Expr) {
        if self.w.style().question_mark {
            self.expr(c, Place::Condition);
            self.operator("?");
            self.expr(a, Place::Then);
            self.operator(":");
            self.expr(b, Place::Else);
            return;
        }
        let [mut c, mut a, mut b] = [c, a, b];
        // `else if` for a chain of them.
        loop {
            self.text("if ");
            self.expr(c, Place::Whole);
            self.space();
            self.in_braces(a);
            self.space();
            self.text("else");
            match self.w.tree.kind(b) {
                ExprKind::Ternary(next, then, otherwise) => {
                    self.text(" ");
                    [c, a, b] = [next, then, otherwise];
                }
                _ => break,
            }
        }
        self.space();
        self.in_braces(b);
    }

    fn in_braces(&mut self, e: Expr) {
        self.text("{");
        self.space();
        self.expr(e, Place::Whole);
        self.space();
        self.text("}");
    }

    fn cast(&mut self, ty: &str, a: Expr) {
        match self.w.style().casts {
            Casts::Prefix => {
                self.text("(");
                self.text(ty);
                self.text(")");
                self.expr(a, Place::Prefix);
            }
            Casts::As => {
                self.expr(a, Place::Cast);
                self.text(" as ");
                self.text(ty);
            }
            Casts::Call => {
                self.text(ty);
                self.parenthesized(a);
            }
        }
    }

    fn call(&mut self, callee: Callee, args: Args) {
        let w = self.w;
        match callee {
            Callee::BuiltIn(name) => {
                self.text(name);
                self.text("(");
                self.arguments(args);
                self.text(")");
            }
            Callee::Side => self.arguments(args),
            Callee::User(symbol) => {
                self.name(symbol);
                self.text("(");
                self.arguments(args);
                self.text(")");
            }
            Callee::Method(name) => {
                let args = w.tree.args(args);
                self.expr(args[0], Place::Postfix);
                self.text(".");
                self.text(name);
                self.text("(");
                self.list(&args[1..]);
                self.text(")");
            }
            Callee::Type(ty) => {
                let end = w.constructor(ty, &mut self.out);
                for (i, &arg) in w.tree.args(args).iter().enumerate() {
                    self.comma(i);
                    w.before_argument(ty, i as u32, &mut self.out);
                    match w.tree.kind(arg) {
                        ExprKind::Literal(c) => self.signed(|out| w.constant(c, Some(ty), out)),
                        _ => self.expr(arg, Place::Argument),
                    }
                }
                self.text(end);
            }
        }
    }

    fn arguments(&mut self, args: Args) {
        self.list(self.w.tree.args(args));
    }

    fn list(&mut self, list: &[Expr]) {
        for (i, &e) in list.iter().enumerate() {
            self.comma(i);
            self.expr(e, Place::Argument);
        }
    }

    /// The comma before all but the first of a list.
    pub(super) fn comma(&mut self, i: usize) {
        if i > 0 {
            self.text(",");
            self.space();
        }
    }

    pub(super) fn operator(&mut self, text: &str) {
        self.space();
        self.text(text);
        self.space();
    }

    /// Text that may begin with a sign, which must not join the one before it.
    fn signed(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.out.len();
        write(&mut self.out);
        let joins = |c: char| self.out[..start].ends_with(c) && self.out[start..].starts_with(c);
        if joins('-') || joins('+') {
            self.out.insert(start, ' ');
        }
    }
}
