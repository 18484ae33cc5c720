//! Packing: isomorphic scalar operands of one vector or one sum become one vector computation, even if their operands
//! must be gathered first.
//!
//! ```text
//! sin(a) + sin(b) + sin(c)     → hadd(sin((a, b, c)))            fast-math
//! 0.5 * a + 0.3 * b + 0.2 * c  → dot((a, b, c), (0.5, 0.3, 0.2)) fast-math
//! (a * x, b * y, c * z, d * w) → (a, b, c, d) * (x, y, z, w)     the same bits
//! ```
//!
//! A group is packed only if that removes more nodes than it adds, gathers and swizzles included, and does not increase
//! the number of nodes per invocation.

use planish_ir::builder::Request;
use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arith::Product;
use super::lanes::{Shape, Tree, Tuple, swap_fits};
use super::site::Site;
use super::sums::Signed;
use super::terms::{Kind, Term, Terms, terms};
use super::weave::{spread, weave};

/// The sum that ends with a node, with packed groups of terms.
pub(super) fn sum(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let mut sum = terms(site, node)?;
    let ty = site.ty(site.source.result(node)?.into());
    let float = site.b.module.types.scalar_of(ty).is_some_and(|s| s.is_float());
    if !float || site.b.module.types.vector_size(ty) != Some(1) {
        return None;
    }
    let mut found = false;
    if site.options.visible.dot {
        found |= groups(site, &mut sum, true);
    }
    if site.options.visible.hadd {
        found |= groups(site, &mut sum, false);
    }
    if !found {
        return None;
    }
    let signed = Signed::new(site, &sum);
    let pays = signed.total(site, &sum) < sum.cost as isize;
    pays.then(|| signed.make(site, ty, sum.manner))
}

/// Packs terms, the most similar ones first; products or others.
fn groups(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms, products: bool) -> bool {
    let mut left: Vec<usize> = (0..sum.terms.len()).filter(|&i| is_candidate(site, sum.terms[i], products)).collect();
    let mut found = false;
    for level in (0..=MAX_LEVEL).rev() {
        let mut buckets: Vec<Vec<usize>> = Vec::new();
        let mut bucket_of: FxHashMap<u64, usize> = FxHashMap::default();
        for &i in &left {
            let bucket = *bucket_of.entry(likeness(site, sum.terms[i], level)).or_insert_with(|| {
                buckets.push(Vec::new());
                buckets.len() - 1
            });
            buckets[bucket].push(i);
        }
        for mut bucket in buckets {
            for size in [4, 3, 2] {
                let mut rest = Vec::new();
                for group in bucket.chunks(size) {
                    let packed = group.len() == size
                        && if products { weighted(site, sum, group) } else { alike(site, sum, group) };
                    found |= packed;
                    if !packed {
                        rest.extend_from_slice(group);
                    }
                }
                bucket = rest;
            }
        }
        left.retain(|&i| is_candidate(site, sum.terms[i], products));
    }
    found
}

/// Initial level of structural hashes for comparing terms.
const MAX_LEVEL: usize = 3;

/// Whether a term may be packed.
fn is_candidate(site: &Site<'_, '_, '_, '_>, term: Term, products: bool) -> bool {
    match term.kind {
        Kind::Product(product) => {
            products && (!term.negative || product.factors.iter().any(|f| f.as_const().is_some()))
        }
        Kind::Plain(value) => {
            !products && !term.negative && site.def(value).is_some_and(|def| def.op != Op::HorizontalAdd)
        }
        Kind::New(_) | Kind::Gone => false,
    }
}

/// Structural hash of a term, down to a level.
fn likeness(site: &Site<'_, '_, '_, '_>, term: Term, level: usize) -> u64 {
    match term.kind {
        Kind::Plain(value) => site.facts.likeness(value, level),
        Kind::Product(product) => {
            let [x, y] = product.factors.map(|f| if level == 0 { 0 } else { site.facts.likeness(f, level - 1) });
            x.wrapping_add(y)
        }
        Kind::New(_) | Kind::Gone => 0,
    }
}

/// `sin(a) + sin(b) + sin(c) → hadd(sin((a, b, c)))`
fn alike(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms, group: &[usize]) -> bool {
    let lanes: Tuple = group
        .iter()
        .filter_map(|&i| match sum.terms[i].kind {
            Kind::Plain(value) => Some(value),
            _ => None,
        })
        .collect();
    let tree = Tree::new(site, &[lanes]);
    let root = &tree.entries[tree.roots[0]];
    let balance = tree.balance(site, sum.for_draw);
    if !matches!(root.shape, Shape::Apply { .. }) || !balance.pays(group.len() - 1, 1) {
        return false;
    }
    sum.extra += 1 + balance.rise();
    let vector = weave(site, &tree, sum.manner)[0];
    let packed = site.make(Request::new(Op::HorizontalAdd, &[vector]), sum.manner);
    replace(sum, group, packed);
    true
}

/// `a * x + b * y + c * z → dot((a, b, c), (x, y, z))`
fn weighted(site: &mut Site<'_, '_, '_, '_>, sum: &mut Terms, group: &[usize]) -> bool {
    let mut factors: [Tuple; 2] = [Tuple::new(), Tuple::new()];
    let mut first = None;
    for &i in group {
        let Term { negative, kind: Kind::Product(Product { factors: [mut x, mut y], .. }) } = sum.terms[i] else {
            return false;
        };
        if y.as_const().is_none() && x.as_const().is_some()
            || first.is_some_and(|first| y.as_const().is_none() && swap_fits(site, [x, y], first))
        {
            std::mem::swap(&mut x, &mut y);
        }
        first.get_or_insert([x, y]);
        if negative {
            y = site.b.op(Op::Negate, &[y]);
        }
        factors[0].push(x);
        factors[1].push(y);
    }
    let others = sum.terms.iter().any(|t| matches!(t.kind, Kind::Plain(_) | Kind::New(_)));
    let tree = Tree::new(site, &factors);
    // `dot` does not take splats as scalars.
    let spreads = tree.roots.iter().filter(|&&root| matches!(tree.entries[root].shape, Shape::Spread)).count();
    let balance = tree.balance(site, sum.for_draw);
    if !balance.pays(group.len() - usize::from(others), 1 + spreads) {
        return false;
    }
    sum.extra += 1 + spreads as isize + balance.rise();
    let vectors: SmallVec<[Value; 2]> = weave(site, &tree, sum.manner)
        .into_iter()
        .map(|vector| spread(site, vector, group.len(), sum.manner))
        .collect();
    let packed = site.make(Request::new(Op::Dot, &vectors), sum.manner);
    replace(sum, group, packed);
    true
}

/// Replaces a group of terms by one new term.
fn replace(sum: &mut Terms, group: &[usize], packed: Value) {
    group.iter().for_each(|&i| sum.terms[i].kind = Kind::Gone);
    sum.terms[group[0]] = Term { negative: false, kind: Kind::New(packed) };
}
