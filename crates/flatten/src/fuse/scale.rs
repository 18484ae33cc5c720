//! Combines constant factors that fusing and packing have brought together.
//!
//! ```text
//! (x * 0.72) * 6.25              x * 4.5
//! vector(s * 0.5) * (1.0, -1.0)  vector(s) * (0.5, -0.5)
//! (x * u) * 2.0                  x * (u * 2.0)             with a uniform u: one product an invocation less
//! ```
//!
//! This needs fast-math, and an inner product without other users. With the same bits:
//!
//! ```text
//! vector(s) * vector(t)          vector(s * t)
//! ```

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;

use super::site::Site;
use crate::fold::terms::loses_nothing;
use crate::uses::is_componentwise;

/// The product of a node with one constant factor less, or as a product of scalars.
pub(super) fn product(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    of_scalars(site, node).or_else(|| scaled(site, node))
}

/// `vector(s) * vector(t) → vector(s * t)`, if all users take scalars as well.
fn of_scalars(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    let result: Value = site.source.result(node)?.into();
    let &[x, y] = def.args else { return None };
    let (s, t) = (site.peel(x), site.peel(y));
    let user = site.facts.user(result).filter(|_| site.facts.once(result))?;
    if s == x || t == y || !is_componentwise(site.node(user).op, site.scalar_of(result)?) {
        return None;
    }
    let (ty, scalar) = (site.ty(result), site.ty(s));
    let [s, t] = [s, t].map(|v| site.now(v));
    let product = site.op(Op::Multiply, &[s, t], scalar, def.manner);
    Some(site.spread(product, ty, def.manner))
}

fn scaled(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let manner = site.node(node).manner;
    let ty = site.ty(site.source.result(node)?.into());
    let factors = factors(site, node)?;
    Some(site.op(Op::Multiply, &factors, ty, manner))
}

/// The same for the product in a `multiply_add`.
pub(super) fn multiply_add(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    let (Op::MultiplyAdd, &[_, _, addend]) = (def.op, def.args) else { return None };
    let ty = site.ty(site.source.result(node)?.into());
    let [x, y] = factors(site, node)?;
    let args = [x, y, site.now(addend)];
    Some(site.op(Op::MultiplyAdd, &args, ty, def.manner))
}

/// The factors of a node, the last of which is a constant that includes the constant factor of the first; new values.
fn factors(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<[Value; 2]> {
    let def = site.node(node);
    let result: Value = site.source.result(node)?.into();
    let &[x, constant, ..] = def.args else { return None };
    let (x, constant) = if x.as_const().is_some() { (constant, x) } else { (x, constant) };
    if constant.as_const().is_none() || !site.is_float(result) || !site.facts.once(x) {
        return None;
    }
    let inner = site.peel(x);
    let product = site.def_by(inner, Op::Multiply).filter(|_| site.facts.once(inner))?;
    let &[a, b] = product.args else { return None };
    if !site.may_round(def.manner) || !site.may_round(product.manner) {
        return None;
    }
    let ty = site.ty(result);
    let manner = def.manner.and(product.manner);
    for (value, factor) in [(a, b), (b, a)] {
        if factor.as_const().is_some() {
            let factor = site.spread(factor, ty, manner);
            let scale = site.op(Op::Multiply, &[factor, constant], ty, manner);
            return loses_nothing(site.b.module, scale, [factor, constant]).then(|| [site.now(value), scale]);
        }
    }
    let is_uniform = |v| site.facts.is_uniform(v);
    let (value, factor) = [(a, b), (b, a)].into_iter().find(|&(v, u)| is_uniform(u) && !is_uniform(v))?;
    let [value, factor] = [value, factor].map(|v| site.now(v));
    let scale = site.op(Op::Multiply, &[factor, constant], ty, manner);
    Some([value, scale])
}
