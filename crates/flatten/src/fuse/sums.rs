//! Sums of several terms: components of a vector as a `dot`, four terms as a `horizontal_add`, and terms ordered so
//! that each product has an addend.

use planish_ir::builder::Request;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::Op;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arith::{Product, has_opposite, opposite};
use super::site::{Manner, Site};
use super::terms::{Kind, Term, Terms, terms};

/// The replacement of the sum that ends with a node, if it takes fewer nodes.
pub(super) fn sum(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let mut sum = terms(site, node)?;
    let ty = site.ty(site.source.result(node)?.into());
    let scalar = site.b.module.types.vector_size(ty) == Some(1);
    let mut found = uniforms(site, &mut sum, ty);
    if scalar && site.b.module.types.scalar_of(ty).is_some_and(|s| s.is_float()) {
        if site.options.visible.dot {
            found |= dots(site, &mut sum);
            found |= dots_of_two(site, &mut sum);
        }
        found |= lerps(site, &mut sum, ty);
        if site.options.visible.hadd {
            found |= sums_of_vectors(site, &mut sum);
            found |= fours(site, &mut sum);
        }
    }
    let signed = Signed::new(site, &sum);
    let pays = signed.total(site, &sum) < sum.cost as isize + isize::from(found);
    pays.then(|| signed.make(site, ty, sum.manner))
}

/// `u + x + v → x + (u + v)`, for uniform `u` and `v`: their sum is computed once per draw.
fn uniforms(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms, ty: Type) -> bool {
    let is_uniform = |term: &Term| matches!(term.kind, Kind::Plain(value) if site.facts.is_uniform(value));
    let found: Vec<usize> = (0..sum.terms.len()).filter(|&i| is_uniform(&sum.terms[i])).collect();
    let constant = |&i: &usize| matches!(sum.terms[i].kind, Kind::Plain(value) if value.as_const().is_some());
    if sum.for_draw || found.len() < 2 || found.iter().all(constant) {
        return false;
    }
    let mut parts = Terms { terms: found.iter().map(|&i| sum.terms[i]).collect(), cost: 0, extra: 0, ..*sum };
    parts.for_draw = true;
    let signed = Signed::new(site, &parts);
    sum.extra += signed.total(site, &parts);
    let total = signed.make(site, ty, sum.manner);
    found.iter().for_each(|&i| sum.terms[i].kind = Kind::Gone);
    sum.terms[found[0]] = Term { negative: false, kind: Kind::New(total) };
    true
}

/// A term that is a component of a vector times a constant.
struct Lane {
    vector: Value,
    index: u8,
    /// A constant of the new function.
    weight: Value,
}

/// A term as a component of a vector, with its sign.
fn lane(site: &mut Site<'_, '_, '_, '_>, term: Term) -> Option<Lane> {
    let ((vector, index), weight) = match term.kind {
        Kind::Plain(value) => (site.component(value)?, None),
        Kind::Product(Product { factors: [x, y], .. }) if y.as_const().is_some() => (site.component(x)?, Some(y)),
        Kind::Product(Product { factors: [x, y], .. }) if x.as_const().is_some() => (site.component(y)?, Some(x)),
        _ => return None,
    };
    let scalar = site.scalar_of(vector).expect("a vector has components");
    let ty = site.b.module.types.scalar(scalar);
    let weight = weight.unwrap_or_else(|| site.number(ty, 1.0));
    let weight = if term.negative { site.b.op(Op::Negate, &[weight]) } else { weight };
    Some(Lane { vector, index, weight })
}

/// A vector, and its components with the index of their term and their weight.
type Group = (Value, SmallVec<[(usize, u8, Value); 4]>);

/// `v.x * 0.3 + v.y - v.z → dot(v, (0.3, 1, -1))`, for each vector with two or more components among the terms.
fn dots(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms) -> bool {
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: FxHashMap<Value, usize> = FxHashMap::default();
    for (i, &term) in sum.terms.iter().enumerate() {
        let Some(lane) = lane(site, term) else { continue };
        let group = *group_of.entry(lane.vector).or_insert_with(|| {
            groups.push((lane.vector, SmallVec::new()));
            groups.len() - 1
        });
        groups[group].1.push((i, lane.index, lane.weight));
    }
    let mut found = false;
    for (vector, lanes) in groups {
        if lanes.iter().all(|&(_, index, _)| index == lanes[0].1) {
            continue;
        }
        found = true;
        let mut mask: [Option<Value>; 4] = [None; 4];
        for &(_, index, weight) in &lanes {
            let sum = &mut mask[usize::from(index)];
            *sum = Some(sum.map_or(weight, |sum| site.b.op(Op::Add, &[sum, weight])));
        }
        let ty = site.ty(lanes[0].2);
        let mask: SmallVec<[Value; 4]> = mask[..usize::from(site.size(vector))]
            .iter()
            .map(|weight| weight.unwrap_or_else(|| site.number(ty, 0.0)))
            .collect();
        let mask = site.vector(&mask, sum.manner);
        let args = [site.now(vector), mask];
        sum.extra += 1 - lanes.iter().filter(|&&(i, ..)| is_own_component(site, sum.terms[i])).count() as isize;
        let dot = site.make(Request::new(Op::Dot, &args), sum.manner);
        lanes.iter().for_each(|&(i, ..)| sum.terms[i].kind = Kind::Gone);
        sum.terms[lanes[0].0] = Term { negative: false, kind: Kind::New(dot) };
    }
    found
}

/// Two vectors, and the sign of products of their components.
type Key = (Value, Value, bool);
/// Components of two vectors, with the index of the term that is their product.
type Pairs = SmallVec<[(u8, usize); 4]>;

/// `a.x * b.x + a.y * b.y → dot(a, b)`, if that takes fewer nodes.
fn dots_of_two(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms) -> bool {
    let mut groups: Vec<(Key, Pairs)> = Vec::new();
    let mut group_of: FxHashMap<Key, usize> = FxHashMap::default();
    for (i, term) in sum.terms.iter().enumerate() {
        let Kind::Product(Product { factors: [x, y], .. }) = term.kind else { continue };
        let (Some((v, j)), Some((w, k))) = (site.component(x), site.component(y)) else { continue };
        if j != k || site.size(v) != site.size(w) {
            continue;
        }
        let key = (v.min(w), v.max(w), term.negative);
        let group = *group_of.entry(key).or_insert_with(|| {
            groups.push((key, SmallVec::new()));
            groups.len() - 1
        });
        if groups[group].1.iter().all(|&(index, _)| index != j) {
            groups[group].1.push((j, i));
        }
    }
    let mut found = false;
    for ((v, w, negative), mut lanes) in groups {
        lanes.sort_unstable();
        let others = sum.terms.iter().filter(|t| !matches!(t.kind, Kind::Gone)).count() > lanes.len();
        let whole = lanes.len() == usize::from(site.size(v));
        let swizzles = if whole { 0 } else { 1 + usize::from(v != w) };
        let freed: usize = lanes.iter().map(|&(_, i)| freed_by(site, sum.terms[i])).sum();
        let before = lanes.len() + freed + usize::from(!site.options.visible.mad) * (lanes.len() - 1);
        if lanes.len() < 2 || 1 + swizzles + usize::from(others) >= before {
            continue;
        }
        found = true;
        sum.extra += (1 + swizzles) as isize - freed as isize;
        let indices: SmallVec<[u8; 4]> = lanes.iter().map(|&(index, _)| index).collect();
        let args = [v, w].map(|vector| {
            let vector = site.now(vector);
            site.swizzle(vector, &indices, sum.manner)
        });
        let dot = site.make(Request::new(Op::Dot, &args), sum.manner);
        lanes.iter().for_each(|&(_, i)| sum.terms[i].kind = Kind::Gone);
        sum.terms[lanes[0].1] = Term { negative, kind: Kind::New(dot) };
    }
    found
}

/// Whether the node of a component has no other user than this term.
fn is_own_component(site: &Site<'_, '_, '_, '_>, term: Term) -> bool {
    match term.kind {
        Kind::Plain(value) => site.facts.once(value),
        Kind::Product(product) => product.factors.iter().any(|&f| site.facts.once(f)),
        Kind::New(_) | Kind::Gone => false,
    }
}

/// Number of component nodes without other users than the product.
fn freed_by(site: &Site<'_, '_, '_, '_>, term: Term) -> usize {
    let Kind::Product(Product { factors: [x, y], .. }) = term.kind else { return 0 };
    if x == y {
        return usize::from(site.facts.uses(x) == 2);
    }
    usize::from(site.facts.once(x)) + usize::from(site.facts.once(y))
}

/// `a + c + (b - a) * t → c + lerp(a, b, t)`, if the difference has no other user.
fn lerps(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms, ty: Type) -> bool {
    if !site.options.visible.lerp {
        return false;
    }
    let mut plain: FxHashMap<(Value, bool), usize> = FxHashMap::default();
    for (i, term) in sum.terms.iter().enumerate() {
        if let Kind::Plain(value) = term.kind
            && value.as_const().is_none()
        {
            plain.insert((value, term.negative), i);
        }
    }
    let mut found = false;
    for i in 0..sum.terms.len() {
        let Term { negative, kind: Kind::Product(product) } = sum.terms[i] else { continue };
        for (difference, by) in [(0, 1), (1, 0)] {
            let [difference, by] = [product.factors[difference], product.factors[by]];
            let Some(def) = site.def_by(difference, Op::Subtract) else { continue };
            if !site.facts.once(difference) || def.manner.precise {
                continue;
            }
            // `±x ± (y - x) * a`, `±x ∓ (x - y) * a`
            let ways = [(def.args[0], def.args[1], negative), (def.args[1], def.args[0], !negative)];
            let Some((to, from, sign, j)) =
                ways.into_iter().find_map(|(to, from, sign)| plain.remove(&(from, sign)).map(|j| (to, from, sign, j)))
            else {
                continue;
            };
            // The difference is replaced by the lerp.
            let args = [from, to, by].map(|v| site.now(v));
            let lerp = site.op(Op::Lerp, &args, ty, sum.manner.and(def.manner));
            sum.terms[i].kind = Kind::Gone;
            sum.terms[j] = Term { negative: sign, kind: Kind::New(lerp) };
            found = true;
            break;
        }
    }
    found
}

/// Whether a term may be an operand of a `horizontal_add`: added, not a product (that becomes a `multiply_add`), not
/// such a sum.
fn is_packable(site: &Site<'_, '_, '_, '_>, term: Term) -> bool {
    match term.kind {
        Kind::Plain(value) if value.as_const().is_some() => true,
        Kind::Plain(value) => !term.negative && site.def_by(value, Op::HorizontalAdd).is_none(),
        Kind::New(_) => !term.negative,
        Kind::Product(_) | Kind::Gone => false,
    }
}

/// `a + b + c → hadd(v)`, for an available `v = (a, b, c)`; three or four terms.
fn sums_of_vectors(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms) -> bool {
    let mut places: FxHashMap<Value, usize> = FxHashMap::default();
    for (i, &term) in sum.terms.iter().enumerate() {
        if let Kind::Plain(value) = term.kind
            && !term.negative
            && is_packable(site, term)
        {
            places.insert(value, i);
        }
    }
    let mut found = false;
    for i in 0..sum.terms.len() {
        let Kind::Plain(value) = sum.terms[i].kind else { continue };
        if places.get(&value) != Some(&i) {
            continue;
        }
        let Some(node) = site.facts.vector(value) else { continue };
        let parts = site.node(node).args;
        let vector = site.source.result(node).and_then(|r| site.found(r.into()));
        let distinct = parts.iter().enumerate().all(|(i, p)| !parts[..i].contains(p));
        let (Some(vector), true, true) = (vector, distinct, parts.len() >= 3) else { continue };
        let all = parts
            .iter()
            .all(|part| places.get(part).is_some_and(|&j| matches!(sum.terms[j].kind, Kind::Plain(v) if v == *part)));
        if !all {
            continue;
        }
        let hadd = site.make(Request::new(Op::HorizontalAdd, &[vector]), sum.manner);
        sum.extra += 1;
        parts.iter().for_each(|part| sum.terms[places[part]].kind = Kind::Gone);
        sum.terms[i] = Term { negative: false, kind: Kind::New(hadd) };
        found = true;
    }
    found
}

/// `a + b + c + d → hadd((a, b, c, d))`, for each four terms.
fn fours(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms) -> bool {
    let all: Vec<usize> = (0..sum.terms.len()).filter(|&i| is_packable(site, sum.terms[i])).collect();
    let mut found = false;
    for four in all.chunks_exact(4) {
        let mut parts = SmallVec::<[Value; 4]>::new();
        for &i in four {
            let term = std::mem::replace(&mut sum.terms[i].kind, Kind::Gone);
            let value = match term {
                Kind::Plain(value) => site.now(value),
                Kind::New(value) => value,
                Kind::Product(_) | Kind::Gone => continue,
            };
            parts.push(if sum.terms[i].negative { site.b.op(Op::Negate, &[value]) } else { value });
        }
        sum.extra += 2;
        let vector = site.vector(&parts, sum.manner);
        let hadd = site.make(Request::new(Op::HorizontalAdd, &[vector]), sum.manner);
        sum.terms[four[0]] = Term { negative: false, kind: Kind::New(hadd) };
        found = true;
    }
    found
}

/// The remaining sum, by sign. Products that can be negated for free are added.
#[derive(Default)]
pub(super) struct Signed {
    added: Vec<Value>,
    products: Vec<(Product, Option<usize>)>,
    subtracted: Vec<Value>,
    products_subtracted: Vec<Product>,
}

impl Signed {
    pub(super) fn new(site: &mut Site<'_, '_, '_, '_>, sum: &Terms) -> Signed {
        let mut signed = Signed::default();
        let mut constant: Option<Value> = None;
        for term in &sum.terms {
            match term.kind {
                Kind::Gone => {}
                Kind::Product(product) if term.negative => {
                    match product.factors.iter().position(|&f| has_opposite(site, f)) {
                        Some(i) => signed.products.push((product, Some(i))),
                        None => signed.products_subtracted.push(product),
                    }
                }
                Kind::Product(product) => signed.products.push((product, None)),
                Kind::Plain(value) if value.as_const().is_some() => {
                    let value = if term.negative { site.b.op(Op::Negate, &[value]) } else { value };
                    constant = Some(constant.map_or(value, |c| site.b.op(Op::Add, &[c, value])));
                }
                Kind::Plain(value) if term.negative => signed.subtracted.push(site.now(value)),
                Kind::Plain(value) => signed.added.push(site.now(value)),
                Kind::New(value) if term.negative => signed.subtracted.push(value),
                Kind::New(value) => signed.added.push(value),
            }
        }
        signed.added.extend(constant);
        signed
    }

    /// Whether nothing is added, so that the negated sum is computed.
    fn is_opposite(&self) -> bool {
        self.added.is_empty() && self.products.is_empty()
    }

    /// Number of nodes, including those made for its terms.
    pub(super) fn total(&self, site: &Site<'_, '_, '_, '_>, sum: &Terms) -> isize {
        let side = |plain: usize, products: usize| match (plain, site.options.visible.mad) {
            (0, true) => products,
            (_, true) => plain - 1 + products,
            (0, false) => (2 * products).saturating_sub(1),
            (_, false) => plain - 1 + 2 * products,
        };
        let minus = side(self.subtracted.len(), self.products_subtracted.len());
        let cost = match (self.is_opposite(), self.products_subtracted.len()) {
            (true, _) => 1 + minus,
            (false, 0) => side(self.added.len(), self.products.len()) + self.subtracted.len(),
            (false, _) => side(self.added.len(), self.products.len()) + 1 + minus,
        };
        cost as isize + sum.extra
    }

    /// The sum. Subtracted products are added to each other first, where they have addends.
    pub(super) fn make(self, site: &mut Site<'_, '_, '_, '_>, ty: Type, manner: Manner) -> Value {
        let opposite = self.is_opposite();
        let minus = self.products_subtracted.into_iter().map(|product| (product, None)).collect::<Vec<_>>();
        if opposite {
            let sum = side(site, self.subtracted, minus, ty, manner);
            return site.op(Op::Negate, &[sum], ty, manner);
        }
        let sum = side(site, self.added, self.products, ty, manner);
        if !minus.is_empty() {
            let minus = side(site, self.subtracted, minus, ty, manner);
            return site.op(Op::Subtract, &[sum, minus], ty, manner);
        }
        self.subtracted.into_iter().fold(sum, |sum, value| site.op(Op::Subtract, &[sum, value], ty, manner))
    }
}

/// The sum of new values and of products, some with a negated factor.
fn side(
    site: &mut Site<'_, '_, '_, '_>,
    plain: Vec<Value>,
    products: Vec<(Product, Option<usize>)>,
    ty: Type,
    manner: Manner,
) -> Value {
    let mut sum = None;
    for value in plain {
        sum = Some(sum.map_or(value, |sum| site.op(Op::Add, &[sum, value], ty, manner)));
    }
    for (product, minus) in products {
        let factors = new_factors(site, product, minus);
        let manner = manner.and(product.manner);
        sum = Some(match sum {
            None => site.op(Op::Multiply, &factors, ty, manner),
            Some(sum) if site.options.visible.mad => {
                site.op(Op::MultiplyAdd, &[factors[0], factors[1], sum], ty, manner)
            }
            Some(sum) => {
                let product = site.op(Op::Multiply, &factors, ty, manner);
                site.op(Op::Add, &[product, sum], ty, manner)
            }
        });
    }
    sum.expect("a side has terms")
}

fn new_factors(site: &mut Site<'_, '_, '_, '_>, product: Product, minus: Option<usize>) -> [Value; 2] {
    let mut factors = product.factors.map(|f| site.now(f));
    if let Some(i) = minus {
        factors[i] = opposite(site, product.factors[i], product.manner);
    }
    factors
}
