//! Least and greatest of several isomorphic scalars: one vector computation, and one reduction.
//!
//! ```text
//! min(min(min(f(a), f(b)), f(c)), f(d))  → hmin(f((a, b, c, d)))           the same bits
//! min(min(min(p, f(a)), f(b)), f(c))     → hmin((p, f((a, b, c))))         the same bits
//! min(min(min(p, f(a)), …), f(d))        → min(p, hmin(f((a, b, c, d))))   fast-math: NaN
//! ```
//!
//! `hmin` is defined as the chain, from the first component on. A chain of `min` skips a NaN unless it comes first, so it may be cut
//! only where its first part stays first.

use planish_ir::builder::Request;
use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::lanes::{Shape, Tree, Tuple};
use super::site::{Manner, Site};
use super::weave::weave;

/// The end of a chain of `min` or `max`, with packed groups of its elements; `None` if there are none.
pub(super) fn chain(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    let op = def.op;
    let (reduction, is_visible) = match op {
        Op::Min => (Op::HorizontalMin, site.options.visible.hmin),
        Op::Max => (Op::HorizontalMax, site.options.visible.hmax),
        _ => return None,
    };
    let result: Value = site.source.result(node)?.into();
    if !is_visible || !site.is_float(result) || site.size(result) != 1 || is_continued(site, result, op) {
        return None;
    }
    let (elements, manner) = elements(site, node);
    let for_draw = site.facts.is_uniform(result);
    let mut made: Option<Value> = None;
    let (mut at, mut found) = (0, false);
    while at < elements.len() {
        let packed = sizes(site, made.is_some(), manner).into_iter().find_map(|size| {
            let group = elements.get(at..at + size)?;
            let vector = packed(site, group, made.is_some(), for_draw, manner)?;
            Some((vector, size))
        });
        let Some((vector, size)) = packed else {
            let element = site.now(elements[at]);
            made = Some(match made {
                Some(first) => site.make(Request::new(op, &[first, element]), manner),
                None => element,
            });
            at += 1;
            continue;
        };
        found = true;
        at += size;
        made = Some(match made {
            None => site.make(Request::new(reduction, &[vector]), manner),
            Some(first) if size < 4 => {
                let vector = site.vector(&[first, vector], manner);
                site.make(Request::new(reduction, &[vector]), manner)
            }
            Some(first) => {
                let rest = site.make(Request::new(reduction, &[vector]), manner);
                site.make(Request::new(op, &[first, rest]), manner)
            }
        });
    }
    made.filter(|_| found)
}

/// Whether the only user of a link is the next one.
fn is_continued(site: &Site<'_, '_, '_, '_>, link: Value, op: Op) -> bool {
    let user = site.facts.user(link).filter(|_| site.facts.once(link)).map(|user| site.node(user));
    user.is_some_and(|user| user.op == op && user.args[0] == link && user.args[1] != link && !user.manner.precise)
}

/// The elements of the chain that ends with a node, in order.
fn elements(site: &Site<'_, '_, '_, '_>, node: Node) -> (Vec<Value>, Manner) {
    let mut def = site.node(node);
    let (op, mut manner) = (def.op, def.manner);
    let mut elements = vec![def.args[1]];
    while !def.manner.precise {
        let first = def.args[0];
        let Some(next) = site.def_by(first, op).filter(|next| site.facts.once(first) && !next.manner.precise) else {
            break;
        };
        if site.facts.is_uniform(first) != site.facts.is_uniform(site.source.result(node).map_or(first, Value::from)) {
            break;
        }
        def = next;
        manner = manner.and(def.manner);
        elements.push(def.args[1]);
    }
    elements.push(def.args[0]);
    elements.reverse();
    (elements, manner)
}

/// Sizes of groups to try: with a first part before them, it takes a component of the vector, unless values may change.
fn sizes(site: &Site<'_, '_, '_, '_>, has_first: bool, manner: Manner) -> SmallVec<[usize; 3]> {
    match has_first && !site.may_round(manner) {
        true => SmallVec::from_slice(&[3, 2]),
        false => SmallVec::from_slice(&[4, 3, 2]),
    }
}

/// The vector of a group of elements, if that takes fewer nodes.
fn packed(
    site: &mut Site<'_, '_, '_, '_>,
    group: &[Value],
    has_first: bool,
    for_draw: bool,
    manner: Manner,
) -> Option<Value> {
    let tree = Tree::new(site, &[Tuple::from_slice(group)]);
    let root = &tree.entries[tree.roots[0]];
    let balance = tree.balance(site, for_draw);
    let (gone, added) = if has_first { (group.len(), 2) } else { (group.len() - 1, 1) };
    let pays = matches!(root.shape, Shape::Apply { .. } | Shape::Part(..)) && balance.pays(gone, added);
    pays.then(|| weave(site, &tree, manner)[0])
}
