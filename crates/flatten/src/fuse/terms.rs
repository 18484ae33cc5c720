//! The terms of a sum: a tree of additions and subtractions without other users, as a list.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;

use super::arith::{Product, as_interpolation, as_multiply_add, product};
use super::site::{Def, Manner, Site};

/// Kind of a term.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A value of the source function.
    Plain(Value),
    /// A product without other users.
    Product(Product),
    /// A new value.
    New(Value),
    /// Removed: merged into another term.
    Gone,
}

/// A summand.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub(super) negative: bool,
    pub(super) kind: Kind,
}

/// A sum.
pub(super) struct Terms {
    pub(super) terms: Vec<Term>,
    pub(super) manner: Manner,
    /// Number of nodes as it is, including products, fused in place.
    pub(super) cost: usize,
    /// Number of nodes made for its terms besides the sum itself, less those that become dead.
    pub(super) extra: isize,
    /// Whether it is uniform.
    pub(super) for_draw: bool,
}

/// Whether a node is a sum that may be regrouped: integers, and floats if values may change.
fn adds(site: &Site<'_, '_, '_, '_>, def: Def<'_>) -> bool {
    let Some(&last) = def.args.last() else { return false };
    matches!(def.op, Op::Add | Op::Subtract | Op::Negate | Op::MultiplyAdd)
        && site.size(last) > 0
        && (!site.is_float(last) || site.may_round(def.manner))
}

/// Whether the node of a term is an inner node of the sum.
fn is_inner(site: &Site<'_, '_, '_, '_>, value: Value, for_draw: bool) -> bool {
    site.facts.once(value)
        && site.facts.is_uniform(value) == for_draw
        && site.def(value).is_some_and(|def| adds(site, def) && as_interpolation(site, def, for_draw).is_none())
}

/// The terms of the sum that ends with a node; `None` if its only user continues it.
pub(super) fn terms(site: &Site<'_, '_, '_, '_>, node: Node) -> Option<Terms> {
    let def = site.node(node);
    let result: Value = site.source.result(node)?.into();
    if !adds(site, def) {
        return None;
    }
    let for_draw = site.facts.is_uniform(result);
    if site.facts.once(result)
        && let Some(user) = site.facts.user(result)
    {
        let next = site.node(user);
        let is_term = next.op != Op::MultiplyAdd || next.args[2] == result;
        let same_kind = site.source.result(user).is_some_and(|r| site.facts.is_uniform(r.into()) == for_draw);
        if is_term && same_kind && adds(site, next) && as_interpolation(site, next, for_draw).is_none() {
            return None;
        }
    }
    let mut found = Terms { terms: Vec::new(), manner: def.manner, cost: 0, extra: 0, for_draw };
    let mut stack = vec![(false, result)];
    while let Some((negative, value)) = stack.pop() {
        if value == result || is_inner(site, value, for_draw) {
            let def = site.def(value).expect("it is made by a node");
            found.manner = found.manner.and(def.manner);
            found.inner(site, negative, def, &mut stack);
        } else {
            found.term(site, negative, value);
        }
    }
    Some(found)
}

impl Terms {
    /// Visits a node of the sum: its operands are terms, or sums themselves.
    fn inner(&mut self, site: &Site<'_, '_, '_, '_>, negative: bool, def: Def<'_>, stack: &mut Vec<(bool, Value)>) {
        self.cost += 1;
        match *def.args {
            [x] => stack.push((!negative, x)),
            [x, y] => {
                // A product that is fused in place costs nothing.
                self.cost -= usize::from(as_multiply_add(site, def, self.for_draw).is_some());
                stack.push((negative != (def.op == Op::Subtract), y));
                stack.push((negative, x));
            }
            [a, b, c] => {
                self.terms.push(Term { negative, kind: Kind::Product(Product::new(site, [a, b], def.manner)) });
                stack.push((negative, c));
            }
            _ => {}
        }
    }

    fn term(&mut self, site: &Site<'_, '_, '_, '_>, negative: bool, value: Value) {
        let kind = match product(site, value, self.for_draw) {
            Some(product) if !site.is_float(value) || site.may_round(product.manner) => {
                self.cost += 1;
                Kind::Product(product)
            }
            _ => Kind::Plain(value),
        };
        self.terms.push(Term { negative, kind });
    }
}
