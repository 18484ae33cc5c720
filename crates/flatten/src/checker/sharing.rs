//! Optimize: redundant, dead and badly placed nodes.

use planish_ir::arena::SideTable;
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::ops::{Class, Effect, Imm, Op};
use planish_ir::walk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::chains::{Reach, Term, factors, outer_sum, terms};
use super::view::{Expr, View};

/// Facts of a whole function. Computed in O(nodes).
pub(super) struct Facts {
    /// For a redundant node: the earlier equal one.
    same: SideTable<Node, Option<Node>>,
    /// For a sum or product of the same terms as an earlier one: that one.
    regrouped: SideTable<Node, Option<Node>>,
    /// Uniform nodes that are reported: others are part of a larger expression that is.
    late: SideTable<Node, bool>,
    /// `C - x`, by its operands.
    differences: FxHashMap<(Value, Value), Node>,
    /// By inner node of a sum, the last node of the sum.
    sum_roots: SideTable<Node, Option<Node>>,
}

impl Facts {
    pub(super) fn new(view: &View<'_>) -> Self {
        let same = same_nodes(view);
        Facts {
            regrouped: same_terms(view, &same),
            late: late_nodes(view),
            differences: differences(view),
            sum_roots: sum_roots(view),
            same,
        }
    }
}

/// An unused node without an effect is dead.
pub(super) fn unused(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    let data = view.body.node(node);
    let dead = data.op.is_droppable(data.imm) && view.body.results(node).all(|l| view.uses(l.into()) == 0);
    dead.then(|| format!("nothing uses `{}`", view.show_node(node, 0)))
}

/// A pure subtree that is computed twice can be shared. The whole subtree is reported, not its parts.
pub(super) fn computed_twice(view: &View<'_>, facts: &Facts, node: Node) -> Option<String> {
    let first = facts.same[node]?;
    let user_too = view.result(node).and_then(|r| view.only_user(r)).is_some_and(|u| facts.same[u.node].is_some());
    (!user_too).then(|| format!("`{}` is computed already: {}", view.show_deep(node), view.node_text(first)))
}

/// Two sums (or products) of the same terms in another order or grouping can be one: integers always, floats with laws.
pub(super) fn regrouped_twice(view: &View<'_>, facts: &Facts, node: Node) -> Option<String> {
    let first = facts.regrouped[node]?;
    Some(format!("`{}` is in another order what `{}` is", view.show_deep(node), view.node_text(first)))
}

/// Uniform nodes precede all varying ones, so that a back end can compute them once per draw. Pointers and splats that
/// only componentwise ops use do not count.
pub(super) fn uniform_after_varying(view: &View<'_>, facts: &Facts, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let is_free = match expr.op {
        Op::ConstructVectorFromScalar => view.result(node).is_some_and(|r| view.is_used_by_component(r)),
        op => op.info().class == Class::Access,
    };
    (facts.late[node] && !is_free)
        .then(|| format!("`{}` is uniform but follows a varying node", view.show_node(node, 0)))
}

/// `x / u` by a uniform scalar is `x * (1 / u)`, with a reciprocal per draw: with laws.
pub(super) fn divide_by_uniform(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    let Expr { op: Op::Divide, args: &[_, divisor], .. } = view.expr(node) else { return None };
    let scalar = view.splat_of(divisor).unwrap_or(divisor);
    let is_scalar = view.size_of(scalar) == Some(1) && scalar.as_const().is_none();
    let float = view.lane_type(node).is_some_and(|s| s.is_float());
    let is = float && view.is_fast(node) && is_scalar && view.uniform(scalar) && !view.is_uniform_result(node);
    is.then(|| format!("`{}` could be a multiplication by a uniform reciprocal", view.show_deep(node)))
}

/// Several uniform terms of a sum, or factors of a product, can be one that is computed once per draw: `x + u + 0.5` is
/// `x + (u + 0.5)`. Integers always, floats with laws.
pub(super) fn scattered_uniforms(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    if view.is_uniform_result(node) {
        return None;
    }
    // Constants alone are residuals of folding.
    let several = |values: &mut dyn Iterator<Item = Value>| {
        let uniform: SmallVec<[Value; 8]> = values.filter(|&v| view.uniform(v)).collect();
        uniform.len() > 1 && uniform.iter().any(|v| v.as_const().is_none())
    };
    let sum = || several(&mut terms(view, node, Reach::PerPixel)?.iter().filter_map(Term::value)).then_some("terms");
    let product = || several(&mut factors(view, node, Reach::PerPixel)?.into_iter()).then_some("factors");
    let what = sum().or_else(product)?;
    Some(format!("several uniform {what} of `{}` could be one", view.show_deep(node)))
}

/// A sum with a constant and a negative term, whose difference is available, can use that: with laws.
pub(super) fn split_difference(view: &View<'_>, facts: &Facts, node: Node) -> Option<String> {
    if !view.lane_type(node)?.is_float() {
        return None;
    }
    let terms = terms(view, node, Reach::Whole)?;
    if terms.len() < 3 {
        return None;
    }
    // Several constants are a residual of folding.
    let constant = terms.iter().filter(|t| !t.negative).filter_map(|t| t.value()).find(|v| v.as_const().is_some())?;
    let twin = |x| facts.differences.get(&(constant, x)).filter(|&&twin| facts.sum_roots[twin] != Some(node));
    let twin = *terms.iter().filter(|t| t.negative).filter_map(|t| t.value()).find_map(twin)?;
    Some(format!("`{}` splits what is computed already: {}", view.show_deep(node), view.node_text(twin)))
}

/// By inner node of a sum, the last node of the sum.
fn sum_roots(view: &View<'_>) -> SideTable<Node, Option<Node>> {
    let mut roots: SideTable<Node, Option<Node>> = SideTable::with_capacity(view.body.node_count());
    for &node in view.nodes.iter().rev() {
        let outer = view.result(node).and_then(|r| outer_sum(view, r));
        roots[node] = Some(outer.and_then(|o| roots[o]).unwrap_or(node));
    }
    roots
}

fn differences(view: &View<'_>) -> FxHashMap<(Value, Value), Node> {
    let mut found = FxHashMap::default();
    for &node in &view.nodes {
        if let Expr { op: Op::Subtract, args: &[c, x], .. } = view.expr(node)
            && c.as_const().is_some()
        {
            found.entry((c, x)).or_insert(node);
        }
    }
    found
}

/// Key of equal nodes.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    imm: Imm,
    args: SmallVec<[Value; 4]>,
    results: SmallVec<[(Type, Precision); 1]>,
    precise: bool,
    /// The block, for ops that depend on neighbouring pixels.
    block: Option<u32>,
}

/// Value numbering: nodes with equal operands, modulo value numbering of the operands.
fn same_nodes(view: &View<'_>) -> SideTable<Node, Option<Node>> {
    let body = view.body;
    let mut same: SideTable<Node, Option<Node>> = SideTable::with_capacity(body.node_count());
    let mut values: SideTable<Local, Option<Local>> = SideTable::with_capacity(body.local_count());
    let mut firsts: FxHashMap<Key, Node> = FxHashMap::default();
    for (block, number) in walk::blocks(body).zip(0..) {
        for &node in &body.blocks[block].nodes {
            let (data, args) = (body.node(node), body.args(node));
            let quad = data.op.info().effect == Effect::Quad || view.module.is_leaf_call(data.op, args);
            if !quad && !view.module.floats(body, data.op, args) {
                continue;
            }
            let value = |&v: &Value| v.as_local().and_then(|l| values[l]).map_or(v, Value::from);
            let mut args: SmallVec<[Value; 4]> = args.iter().map(value).collect();
            if data.op.info().commutative {
                args.sort_unstable();
            }
            let results = body.results(node).map(|l| (body.local(l).ty, body.local(l).precision)).collect();
            let block = quad.then_some(number);
            let key = Key { op: data.op, imm: data.imm, args, results, precise: data.precise, block };
            let first = *firsts.entry(key).or_insert(node);
            if first != node {
                same[node] = Some(first);
                body.results(node).zip(body.results(first)).for_each(|(l, first)| values[l] = Some(first));
            }
        }
    }
    same
}

/// Value numbering of sums and products by a hash that does not depend on the order of their terms: the sum of the
/// terms' random numbers, with a collision probability of 2^-64.
fn same_terms(view: &View<'_>, same: &SideTable<Node, Option<Node>>) -> SideTable<Node, Option<Node>> {
    let body = view.body;
    let mut regrouped: SideTable<Node, Option<Node>> = SideTable::with_capacity(body.node_count());
    let mut hashes = Hashes { sums: SideTable::with_capacity(body.local_count()), products: SideTable::new() };
    let mut firsts: FxHashMap<(Type, Precision, u64), Node> = FxHashMap::default();
    for &node in &view.nodes {
        let expr = view.expr(node);
        let Some(result) = view.result(node) else { continue };
        let Some(local) = result.as_local().filter(|_| view.regroups(node)) else { continue };
        let product = |a, b| hashes.product(a).wrapping_add(hashes.product(b));
        let sum = match (expr.op, expr.args) {
            (Op::Add, &[a, b]) => hashes.sum(a).wrapping_add(hashes.sum(b)),
            (Op::Subtract, &[a, b]) => hashes.sum(a).wrapping_sub(hashes.sum(b)),
            (Op::Negate, &[a]) => hashes.sum(a).wrapping_neg(),
            (Op::MultiplyAdd, &[a, b, c]) => mix(product(a, b), 2).wrapping_add(hashes.sum(c)),
            (Op::Multiply, &[a, b]) => {
                let product = product(a, b);
                hashes.products[local] = Some(product);
                mix(product, 2)
            }
            _ => continue,
        };
        hashes.sums[local] = Some(sum);
        let first = *firsts.entry((view.type_of(result), body.local(local).precision, sum)).or_insert(node);
        if first != node && same[node].is_none() {
            regrouped[node] = Some(first);
        }
    }
    regrouped
}

struct Hashes {
    sums: SideTable<Local, Option<u64>>,
    products: SideTable<Local, Option<u64>>,
}

impl Hashes {
    fn sum(&self, value: Value) -> u64 {
        value.as_local().and_then(|l| self.sums[l]).unwrap_or_else(|| mix(self.product(value), 2))
    }

    fn product(&self, value: Value) -> u64 {
        value.as_local().and_then(|l| self.products[l]).unwrap_or_else(|| mix(raw(value), 1))
    }
}

/// Hash input of a value.
fn raw(value: Value) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault};
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(value)
}

/// The finalizer of SplitMix64: every output bit depends on every input bit.
fn mix(number: u64, salt: u64) -> u64 {
    let mut z = number.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Uniform nodes after a varying one, without those that only other such nodes use.
fn late_nodes(view: &View<'_>) -> SideTable<Node, bool> {
    let mut late: SideTable<Node, bool> = SideTable::with_capacity(view.body.node_count());
    let varying = view.nodes.iter().position(|&n| !view.is_uniform_result(n)).unwrap_or(view.nodes.len());
    for &node in view.nodes[varying..].iter().filter(|&&n| view.is_uniform_result(n)) {
        late[node] = true;
        for operand in view.body.args(node).iter().filter_map(|&a| view.body.node_of(a)) {
            late[operand] = false;
        }
    }
    late
}
