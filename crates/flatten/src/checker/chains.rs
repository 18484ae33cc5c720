//! Sums and products as wholes: the terms of a maximal chain of additions, the factors of a maximal chain of
//! multiplications.
//!
//! ```text
//! %2 = %0 + 0.5                    terms of %4: +%0, +0.5, -(%1 * 3.0)
//! %3 = %1 * 3.0
//! %4 = %2 - %3
//! ```
//!
//! A chain continues through nodes without other users, so that each node is in at most one chain and all chains
//! together cost O(nodes). A `multiply_add` is a sum of a product; a splat of a chain belongs to the chain around it.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::view::{Expr, View};

/// A term of a sum: the product of its factors, of which there are one or two.
pub(super) struct Term {
    pub(super) negative: bool,
    pub(super) factors: SmallVec<[Value; 2]>,
}

impl Term {
    /// The value, if the term is not a product.
    pub(super) fn value(&self) -> Option<Value> {
        if let [value] = self.factors[..] { Some(value) } else { None }
    }
}

/// Extent of a chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The maximal chain.
    Whole,
    /// The varying part: uniform nodes are terms.
    PerPixel,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Product,
}

/// The terms of the sum that ends with `root`; `None` if the node is not a sum, is part of a larger one, or may not be
/// regrouped.
pub(super) fn terms(view: &View<'_>, root: Node, reach: Reach) -> Option<Vec<Term>> {
    let expr = view.expr(root);
    if !Kind::Sum.has(expr.op) || !view.regroups(root) || is_inner(view, view.result(root)?, Kind::Sum, reach) {
        return None;
    }
    let mut terms = Vec::new();
    let mut open: SmallVec<[(Value, bool); 8]> = SmallVec::new();
    split(expr, false, &mut open, &mut terms);
    while let Some((value, negative)) = open.pop() {
        match inner(view, value, Kind::Sum, reach) {
            Some(inner) => split(inner, negative, &mut open, &mut terms),
            None => terms.push(Term { negative, factors: product(view, value, root, reach) }),
        }
    }
    Some(terms)
}

/// The factors of the product that ends with `root`, under the same conditions; for a `multiply_add` those of its
/// product.
pub(super) fn factors(view: &View<'_>, root: Node, reach: Reach) -> Option<Vec<Value>> {
    let expr = view.expr(root);
    let is_root = expr.op == Op::MultiplyAdd
        || expr.op == Op::Multiply && !is_inner(view, view.result(root)?, Kind::Product, reach);
    if !is_root || !view.regroups(root) {
        return None;
    }
    let mut factors = Vec::new();
    let mut open: SmallVec<[Value; 8]> = SmallVec::from_slice(&expr.args[..2]);
    while let Some(value) = open.pop() {
        match inner(view, value, Kind::Product, reach) {
            Some(inner) => open.extend_from_slice(inner.args),
            None => factors.push(value),
        }
    }
    Some(factors)
}

impl Kind {
    fn has(self, op: Op) -> bool {
        match self {
            Kind::Sum => matches!(op, Op::Add | Op::Subtract | Op::Negate | Op::MultiplyAdd),
            Kind::Product => op == Op::Multiply,
        }
    }

    /// Whether the chain of a node continues into its operand.
    fn goes_into(self, user: Expr<'_>, operand: Value) -> bool {
        match (self, user.op) {
            (Kind::Sum, Op::MultiplyAdd) => user.args[2] == operand,
            (Kind::Product, Op::MultiplyAdd) => user.args[2] != operand,
            (_, op) => self.has(op),
        }
    }
}

/// Splits a sum: operands still to be visited, and the product of a `multiply_add`.
fn split(sum: Expr<'_>, negative: bool, open: &mut SmallVec<[(Value, bool); 8]>, terms: &mut Vec<Term>) {
    match (sum.op, sum.args) {
        (Op::Negate, &[a]) => open.push((a, !negative)),
        (Op::Subtract, &[a, b]) => open.extend([(a, negative), (b, !negative)]),
        (Op::MultiplyAdd, &[a, b, c]) => {
            terms.push(Term { negative, factors: SmallVec::from_slice(&[a, b]) });
            open.push((c, negative));
        }
        (_, args) => open.extend(args.iter().map(|&a| (a, negative))),
    }
}

/// The factors of a term: those of a product without other users.
fn product(view: &View<'_>, value: Value, root: Node, reach: Reach) -> SmallVec<[Value; 2]> {
    let multiplied = view.definition_with(value, Op::Multiply).filter(|m| view.once(value) && view.regroups(m.node));
    match multiplied.filter(|_| reach == Reach::Whole || !view.is_preshaded(value, root)) {
        Some(multiplied) => SmallVec::from_slice(multiplied.args),
        None => SmallVec::from_slice(&[value]),
    }
}

/// The node with which a chain continues into an operand, or into the scalar of a splat.
fn inner<'a>(view: &View<'a>, operand: Value, kind: Kind, reach: Reach) -> Option<Expr<'a>> {
    let value = view.splat_of(operand).filter(|_| view.once(operand)).unwrap_or(operand);
    is_inner(view, value, kind, reach).then(|| view.definition(value)).flatten()
}

/// The enclosing sum of which a value's node is an inner part; `None` if there is none.
pub(super) fn outer_sum(view: &View<'_>, value: Value) -> Option<Node> {
    outer(view, value, Kind::Sum, Reach::Whole)
}

fn is_inner(view: &View<'_>, value: Value, kind: Kind, reach: Reach) -> bool {
    outer(view, value, kind, reach).is_some()
}

/// The enclosing chain of which the node of a value is an inner part; `None` if there is none.
fn outer(view: &View<'_>, value: Value, kind: Kind, reach: Reach) -> Option<Node> {
    view.definition(value).filter(|e| kind.has(e.op) && view.regroups(e.node))?;
    let mut user = view.only_user(value)?;
    let mut operand = value;
    if user.op == Op::ConstructVectorFromScalar {
        operand = view.result(user.node).filter(|&s| view.splat_of(s).is_some())?;
        user = view.only_user(operand)?;
    }
    let stops = reach == Reach::PerPixel && view.is_preshaded(value, user.node);
    (kind.goes_into(user, operand) && view.regroups(user.node) && !stops).then_some(user.node)
}
