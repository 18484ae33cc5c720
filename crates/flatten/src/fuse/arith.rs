//! Fuses products and sums of two: `multiply_add`, `lerp`, `mix`.

use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::Op;

use super::site::{Def, Manner, Site};

/// A product whose only user is being fused; in a sum of vectors possibly a splat of scalars.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub(super) factors: [Value; 2],
    pub(super) manner: Manner,
    /// Depth in the dependence graph.
    depth: u32,
}

impl Product {
    /// A product of these factors.
    pub(super) fn new(site: &Site<'_, '_, '_, '_>, factors: [Value; 2], manner: Manner) -> Product {
        let depth = site.facts.depth(factors[0]).max(site.facts.depth(factors[1]));
        Product { factors, manner, depth }
    }
}

/// The product of a value without other users. A uniform product is not fused into a varying node.
pub(super) fn product(site: &Site<'_, '_, '_, '_>, value: Value, for_draw: bool) -> Option<Product> {
    if !site.facts.once(value) || site.facts.is_uniform(value) && !for_draw {
        return None;
    }
    let inner = site.peel(value);
    let def = site.def_by(inner, Op::Multiply).filter(|_| site.facts.once(inner))?;
    let &[x, y] = def.args else { return None };
    Some(Product::new(site, [x, y], def.manner))
}

/// Whether a value can be negated without an additional node: a constant, a negation, and (if signs of zeros do not
/// matter) a difference without other users.
pub(super) fn has_opposite(site: &Site<'_, '_, '_, '_>, value: Value) -> bool {
    if value.as_const().is_some() {
        return site.scalar_of(value).is_some() && site.size(value) > 0;
    }
    match site.def(value) {
        Some(Def { op: Op::Negate, .. }) => true,
        Some(Def { op: Op::Subtract, manner, .. }) => {
            let exact = !site.is_float(value);
            site.facts.once(value) && (exact || site.may_round(manner))
        }
        _ => false,
    }
}

/// The negation of a value for which [`has_opposite`] holds.
pub(super) fn opposite(site: &mut Site<'_, '_, '_, '_>, value: Value, manner: Manner) -> Value {
    let ty = site.ty(value);
    match site.def(value) {
        Some(Def { op: Op::Negate, args, .. }) => site.now(args[0]),
        Some(Def { op: Op::Subtract, args: &[x, y], manner, .. }) => {
            let args = [site.now(y), site.now(x)];
            site.op(Op::Subtract, &args, ty, manner)
        }
        _ => {
            let value = site.now(value);
            site.op(Op::Negate, &[value], ty, manner)
        }
    }
}

/// `a * b + c` with signs.
pub(super) struct MultiplyAdd {
    product: Product,
    addend: Value,
    /// Index of the factor that is negated.
    minus_factor: Option<usize>,
    /// Whether the addend is negated.
    minus_addend: bool,
}

/// The sum or difference as a `multiply_add`, if it has a product without other users: the deeper one, to shorten the
/// critical path.
pub(super) fn as_multiply_add(site: &Site<'_, '_, '_, '_>, def: Def<'_>, for_draw: bool) -> Option<MultiplyAdd> {
    let &[x, y] = def.args else { return None };
    if site.size(x) == 0 || x == y || !site.options.visible.mad {
        return None;
    }
    let (first, second) = (product(site, x, for_draw), product(site, y, for_draw));
    let plain = |product, addend| MultiplyAdd { product, addend, minus_factor: None, minus_addend: false };
    match (def.op, first, second) {
        (Op::Add, Some(p), Some(q)) if q.depth > p.depth => Some(plain(q, x)),
        (Op::Add, Some(p), _) => Some(plain(p, y)),
        (Op::Add, None, Some(q)) => Some(plain(q, x)),
        (Op::Subtract, Some(p), _) if has_opposite(site, y) => Some(MultiplyAdd { minus_addend: true, ..plain(p, y) }),
        (Op::Subtract, _, Some(q)) => {
            let minus_factor = Some(q.factors.iter().position(|&f| has_opposite(site, f))?);
            Some(MultiplyAdd { minus_factor, ..plain(q, x) })
        }
        _ => None,
    }
}

/// `a * b + c → mad(a, b, c)`, `a * b - C → mad(a, b, -C)`, `c - a * C → mad(a, -C, c)`, `-a + b → b - a`.
///
/// The rounding of a product does not depend on its sign, and `x - y` is `x + -y`: every bit stays.
pub(super) fn arithmetic(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    let ty = site.ty(site.source.result(node)?.into());
    if !matches!(def.op, Op::Add | Op::Subtract) {
        return None;
    }
    let for_draw = site.facts.is_uniform(site.source.result(node)?.into());
    if let Some(found) = as_multiply_add(site, def, for_draw) {
        let manner = def.manner.and(found.product.manner);
        let mut args = [found.product.factors[0], found.product.factors[1], found.addend].map(|v| site.now(v));
        if let Some(i) = found.minus_factor {
            args[i] = opposite(site, found.product.factors[i], manner);
        }
        if found.minus_addend {
            args[2] = opposite(site, found.addend, manner);
        }
        return Some(site.op(Op::MultiplyAdd, &args, ty, manner));
    }
    difference(site, def, ty)
}

/// `-a + b → b - a`, `a - -b → a + b`
fn difference(site: &mut Site<'_, '_, '_, '_>, def: Def<'_>, ty: Type) -> Option<Value> {
    let &[x, y] = def.args else { return None };
    let (op, x, y) = match (def.op, site.def_by(x, Op::Negate), site.def_by(y, Op::Negate)) {
        (Op::Add, _, Some(negated)) => (Op::Subtract, x, negated.args[0]),
        (Op::Add, Some(negated), None) => (Op::Subtract, y, negated.args[0]),
        (Op::Subtract, _, Some(negated)) => (Op::Add, x, negated.args[0]),
        _ => return None,
    };
    let args = [site.now(x), site.now(y)];
    Some(site.op(op, &args, ty, def.manner))
}

/// `x`, `y` and `a` of an interpolation from `x` to `y`.
pub(super) struct Interpolation {
    op: Op,
    from: Value,
    to: Value,
    by: Value,
    manner: Manner,
}

/// Whether two values are equal, up to a splat.
fn same(site: &Site<'_, '_, '_, '_>, x: Value, y: Value) -> bool {
    x == y || site.peel(x) == site.peel(y)
}

/// The sum as an interpolation, if it is one.
pub(super) fn as_interpolation(site: &Site<'_, '_, '_, '_>, def: Def<'_>, for_draw: bool) -> Option<Interpolation> {
    let (x, y, factors) = match (def.op, def.args) {
        (Op::Add | Op::Subtract, &[x, y]) if site.is_float(x) => (x, y, None),
        (Op::MultiplyAdd, &[f, g, c]) if site.is_float(c) => (f, c, Some([f, g])),
        _ => return None,
    };
    if let Some(factors) = factors {
        let product = Product::new(site, factors, def.manner);
        return steps(site, product, y, def)
            .or_else(|| weighted(site, product, product_of(site, y)?, def))
            .or_else(|| weighted(site, self::product(site, y, for_draw)?, product, def));
    }
    let (p, q) = (product(site, x, for_draw), product(site, y, for_draw));
    if def.op == Op::Subtract {
        return steps_back(site, x, q?, def);
    }
    let sum = p.and_then(|p| steps(site, p, y, def)).or_else(|| steps(site, q?, x, def));
    sum.or_else(|| weighted(site, p?, product_of(site, y)?, def))
        .or_else(|| weighted(site, q?, product_of(site, x)?, def))
}

/// The product of a value, whatever its users.
fn product_of(site: &Site<'_, '_, '_, '_>, value: Value) -> Option<Product> {
    let def = site.def_by(site.peel(value), Op::Multiply)?;
    let &[x, y] = def.args else { return None };
    Some(Product::new(site, [x, y], def.manner))
}

/// `(y - x) * a + x`, the definition of `lerp`; `mix` only if values may change.
fn steps(site: &Site<'_, '_, '_, '_>, product: Product, from: Value, def: Def<'_>) -> Option<Interpolation> {
    let [f, g] = product.factors;
    for (difference, by) in [(f, g), (g, f)] {
        let Some(inner) = site.def_by(site.peel(difference), Op::Subtract) else { continue };
        let manner = def.manner.and(product.manner).and(inner.manner);
        if same(site, inner.args[1], from) {
            let op = interpolation_op(site, manner, site.options.visible.lerp)?;
            return Some(Interpolation { op, from, to: inner.args[0], by, manner });
        }
    }
    None
}

/// `x - (x - y) * a`: the same, but for the signs of zeros.
fn steps_back(site: &Site<'_, '_, '_, '_>, from: Value, product: Product, def: Def<'_>) -> Option<Interpolation> {
    let [f, g] = product.factors;
    for (difference, by) in [(f, g), (g, f)] {
        let Some(inner) = site.def_by(site.peel(difference), Op::Subtract) else { continue };
        let manner = def.manner.and(product.manner).and(inner.manner);
        if same(site, inner.args[0], from) && site.may_round(manner) {
            let op = interpolation_op(site, manner, true)?;
            return Some(Interpolation { op, from, to: inner.args[1], by, manner });
        }
    }
    None
}

/// `lerp` if exact or values may change; otherwise `mix`, if values may change.
fn interpolation_op(site: &Site<'_, '_, '_, '_>, manner: Manner, is_lerp: bool) -> Option<Op> {
    let free = site.may_round(manner);
    match site.options.visible.lerp {
        true if is_lerp || free => Some(Op::Lerp),
        false if free => Some(Op::Mix),
        _ => None,
    }
}

/// `x * (1 - a) + y * a`, the definition of `mix`. The first product must have no other user.
fn weighted(site: &Site<'_, '_, '_, '_>, first: Product, second: Product, def: Def<'_>) -> Option<Interpolation> {
    for (rest, from) in [(first.factors[0], first.factors[1]), (first.factors[1], first.factors[0])] {
        let Some(inner) = site.def_by(site.peel(rest), Op::Subtract) else { continue };
        if !site.is_one(inner.args[0]) {
            continue;
        }
        for (by, to) in [(second.factors[0], second.factors[1]), (second.factors[1], second.factors[0])] {
            if same(site, inner.args[1], by) {
                let manner = def.manner.and(first.manner).and(second.manner).and(inner.manner);
                let lerp = site.options.visible.lerp && site.may_round(manner);
                let op = if lerp { Op::Lerp } else { Op::Mix };
                return Some(Interpolation { op, from, to, by, manner });
            }
        }
    }
    None
}

/// `(b - a) * t + a → lerp(a, b, t)`, `a * (1 - t) + b * t → mix(a, b, t)`.
pub(super) fn interpolation(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let result = site.source.result(node)?.into();
    let found = as_interpolation(site, site.node(node), site.facts.is_uniform(result))?;
    let args = [found.from, found.to, found.by].map(|v| site.now(v));
    let ty = site.ty(result);
    Some(site.op(found.op, &args, ty, found.manner))
}

/// `mix(x, y, a) → lerp(x, y, a)`, if values may change: a graph then has one of them only.
pub(super) fn mix(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    if !site.options.visible.lerp || !site.may_round(def.manner) {
        return None;
    }
    let args = [def.args[0], def.args[1], def.args[2]].map(|v| site.now(v));
    let ty = site.ty(def.args[0]);
    Some(site.op(Op::Lerp, &args, ty, def.manner))
}

/// `hadd(a * b) → dot(a, b)`, with the same products added in the same order.
pub(super) fn sum_of_products(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    let inner = site.def_by(def.args[0], Op::Multiply)?;
    if !site.options.visible.dot || !site.facts.once(def.args[0]) {
        return None;
    }
    let args = [site.now(inner.args[0]), site.now(inner.args[1])];
    let ty = site.ty(def.args[0]);
    Some(site.op(Op::Dot, &args, ty, def.manner.and(inner.manner)))
}

/// `dot(a * b, 1) → dot(a, b)`, with the same products added in the same order; `dot(a * C, D) → dot(a, C * D)`, which
/// changes rounding.
pub(super) fn dot(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    for (product, weights) in [(def.args[0], def.args[1]), (def.args[1], def.args[0])] {
        let Some(inner) = site.def_by(product, Op::Multiply).filter(|_| site.facts.once(product)) else { continue };
        if weights.as_const().is_none() {
            continue;
        }
        let manner = def.manner.and(inner.manner);
        let ty = site.ty(product);
        let (x, y) = (inner.args[0], inner.args[1]);
        if site.is_one(weights) {
            let args = [site.now(x), site.now(y)];
            return Some(site.op(Op::Dot, &args, ty, manner));
        }
        let Some((x, c)) = [(x, y), (y, x)].into_iter().find(|(_, c)| c.as_const().is_some()) else { continue };
        if site.may_round(manner) {
            let weights = site.op(Op::Multiply, &[c, weights], ty, manner);
            let x = site.now(x);
            return Some(site.op(Op::Dot, &[x, weights], ty, manner));
        }
    }
    None
}
