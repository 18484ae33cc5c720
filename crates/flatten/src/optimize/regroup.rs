//! Regroups sums and products to reuse available ones.
//!
//! ```text
//! (x + u) + 2.0         x + (u + 2.0)       u is uniform: one addition a pixel for two
//! (edge - mask) + 1.0   edge + (1.0 - mask) where 1.0 - mask is needed elsewhere too
//! (a + b) + c           b + (a + c)         where a + c is needed elsewhere too
//! ```
//!
//! Folding orders every sum, variables first; this finds common partial sums again. A sum with other users is
//! available, so that each pair saves one node; otherwise there is no gain, and nothing is regrouped. Floats need
//! fast-math.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request, Results};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::ops::Op;
use planish_ir::walk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::affine::Affine;
use crate::fold::chains::{Chains, Kind};
use crate::fold::terms::{Terms, loses_nothing};

/// Maximum number of sums of a value that are tried.
const MAX_TRIES: usize = 16;

/// The chains of a function, and the available sums and products of two values.
pub(super) struct Regroup {
    chains: Chains,
    /// By operand: the sums (or products) of two values with this operand.
    whole: FxHashMap<Value, SmallVec<[Node; 2]>>,
}

/// A term of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Term {
    value: Value,
    /// Whether it is added.
    plus: bool,
    /// Whether it is a scalar whose splat is the term.
    spread: bool,
}

impl Regroup {
    /// Finds them. O(nodes).
    pub(super) fn find(source: &Body, chains: Chains) -> Self {
        let mut whole: FxHashMap<Value, SmallVec<[Node; 2]>> = FxHashMap::default();
        for &node in walk::blocks(source).flat_map(|b| &source.blocks[b].nodes) {
            let (Some((kind, false)), args) = (chains.link(node), source.args(node)) else { continue };
            let has_inner = args.iter().any(|&a| is_inner(source, &chains, kind, a));
            if args.len() == 2 && !has_inner {
                args.iter().for_each(|&a| whole.entry(a).or_default().push(node));
            }
        }
        Regroup { chains, whole }
    }

    /// The chains of the function.
    pub(super) fn chains(&self) -> &Chains {
        &self.chains
    }

    /// Records the results of a node.
    pub(super) fn record(&mut self, node: Node, results: &Results) {
        self.chains.record(node, results);
    }

    /// The folded chain that ends with a source node.
    pub(super) fn folded(&self, source: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Option<Value> {
        self.chains.root(source, node, args, b)
    }

    /// Whether a source value has one use.
    pub(super) fn is_used_once(&self, value: Value) -> bool {
        self.chains.is_used_once(value)
    }

    /// The regrouped chain that ends with a source node; `None` if there is no gain.
    pub(super) fn root(
        &self,
        source: &Body,
        node: Node,
        uniform: &SideTable<Local, bool>,
        values: &SideTable<Local, Option<Value>>,
        affine: Option<&Affine>,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let (kind, false) = self.chains.link(node)? else { return None };
        if !source.args(node).iter().any(|&a| is_inner(source, &self.chains, kind, a)) {
            return None;
        }
        let mut terms = self.terms(source, node, kind);
        let is_uniform = |v: Value| v.as_local().is_none_or(|l| uniform[l]);
        let uniforms = terms.iter().filter(|t| is_uniform(t.value)).count();
        if uniforms == terms.len() {
            return None;
        }
        // Constants that folding left separate have no product, unless they are new here.
        let is_lost = kind == Kind::Product
            && uniforms > 1
            && terms.iter().all(|t| t.value.as_const().is_some() || !is_uniform(t.value));
        let meets = is_lost && constants_meet(&terms, b);
        let is_uniform = |v: Value| is_uniform(v) && !is_lost;
        let uniforms = if is_lost { 0 } else { uniforms };
        // A single constant may form a pair; several are combined.
        let is_free = |v: Value| !is_uniform(v) || uniforms == 1 && v.as_const().is_some();
        let pairs = self.take_pairs(source, kind, &mut terms, &is_free);
        let is_grouped =
            !meets && (uniforms < 2 || uniforms_stand_together(source, node, kind, &self.chains, &is_uniform));
        let data = *source.node(node);
        let ty = source.local_type(source.result(node)?);
        // A pair may have used the only uniform factor.
        let has_uniform = terms.iter().any(|t| is_uniform(t.value));
        let absorber = affine.filter(|_| kind == Kind::Product && has_uniform).and_then(|affine| {
            let fits = |v: Value| {
                self.is_used_once(v) && !is_uniform(v) && v.as_local().is_some_and(|l| source.local_type(l) == ty)
            };
            terms
                .iter()
                .position(|t| fits(t.value) && affine.absorbs(source, t.value, data.precision))
                .zip(Some(affine))
        });
        if pairs.is_empty() && is_grouped && absorber.is_none() {
            return None;
        }
        let absorber = absorber.map(|(at, affine)| (terms.swap_remove(at).value, affine));
        let new = |v: Value| v.as_local().map_or(Some(v), |l| values[l]);
        b.set_precise(data.precise);
        let (mut varying, mut uniform) = (Signed::default(), Signed::default());
        for term in terms {
            let group = if is_uniform(term.value) { &mut uniform } else { &mut varying };
            let value = new(term.value)?;
            group.add(if term.spread { splat(b, value, ty, data.precision) } else { value }, term.plus);
        }
        for (pair, term) in pairs {
            let args: SmallVec<[Value; 2]> = source.args(pair).iter().map(|&a| new(a)).collect::<Option<_>>()?;
            let value = b.make(Request::new(source.node(pair).op, &args).precision(data.precision));
            varying.add(if term.spread { splat(b, value, ty, data.precision) } else { value }, term.plus);
        }
        let all = |terms: Signed, b: &mut Builder<'_, '_>| {
            let terms = Terms::new(b, ty, data.precision, terms.plus, terms.minus);
            if kind == Kind::Sum { terms.sum() } else { terms.product() }
        };
        if uniform.is_empty() {
            return Some(all(varying, b));
        }
        let uniform = all(uniform, b);
        if let Some((factor, affine)) = absorber {
            varying.add(affine.absorbed(source, factor, data.precision, uniform, b)?, true);
            return Some(all(varying, b));
        }
        let varying = all(varying, b);
        let op = if kind == Kind::Sum { Op::Add } else { Op::Multiply };
        Some(b.make(Request::new(op, &[varying, uniform]).precision(data.precision)))
    }

    /// The terms of the chain that ends with a source node.
    fn terms(&self, source: &Body, root: Node, kind: Kind) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut work: Vec<(Node, bool, bool)> = vec![(root, true, false)];
        while let Some((node, plus, spread)) = work.pop() {
            let op = source.node(node).op;
            let spread = spread || op == Op::ConstructVectorFromScalar;
            for (i, &value) in source.args(node).iter().enumerate() {
                let plus = plus != (op == Op::Negate || op == Op::Subtract && i == 1);
                match source.node_of(value) {
                    Some(inner) if is_inner(source, &self.chains, kind, value) => work.push((inner, plus, spread)),
                    _ => terms.push(Term { value, plus, spread }),
                }
            }
        }
        terms
    }

    /// Replaces pairs of terms that are available: returns the node, and the term that it becomes; the term's value is
    /// one of the pair's.
    fn take_pairs(
        &self,
        source: &Body,
        kind: Kind,
        terms: &mut Vec<Term>,
        is_free: &dyn Fn(Value) -> bool,
    ) -> Vec<(Node, Term)> {
        let mut at: FxHashMap<Term, SmallVec<[usize; 1]>> = FxHashMap::default();
        for (i, &term) in terms.iter().enumerate().filter(|(_, t)| is_free(t.value)) {
            at.entry(term).or_default().push(i);
        }
        let mut pairs = Vec::new();
        let mut taken = vec![false; terms.len()];
        for (i, &term) in terms.iter().enumerate() {
            if taken[i] || !is_free(term.value) {
                continue;
            }
            let candidates = self.whole.get(&term.value).map_or(&[][..], |nodes| nodes);
            for &node in candidates.iter().take(MAX_TRIES) {
                let (op, args) = (source.node(node).op, source.args(node));
                if (op == Op::Multiply) != (kind == Kind::Product) {
                    continue;
                }
                // The sign of the pair in the chain, by this term; and the other term.
                let turned = term.plus != (op == Op::Subtract);
                let (plus, value) = match *args {
                    [x, y] if x == term.value => (term.plus, y),
                    [x, _] => (turned, x),
                    _ => continue,
                };
                let other = Term { value, plus: turned, ..term };
                let found = at.get(&other).and_then(|all| all.iter().copied().find(|&j| j != i && !taken[j]));
                if let Some(j) = found {
                    (taken[i], taken[j]) = (true, true);
                    pairs.push((node, Term { plus, ..term }));
                    break;
                }
            }
        }
        let mut keep = taken.into_iter().map(|t| !t);
        terms.retain(|_| keep.next().expect("one for each"));
        pairs
    }
}

/// The splat of a scalar to type `ty`.
fn splat(b: &mut Builder<'_, '_>, scalar: Value, ty: Type, precision: Precision) -> Value {
    b.make(Request::new(Op::ConstructVectorFromScalar, &[scalar]).ty(ty).precision(precision))
}

/// Added and subtracted terms.
#[derive(Default)]
struct Signed {
    plus: Vec<Value>,
    minus: Vec<Value>,
}

impl Signed {
    fn add(&mut self, value: Value, plus: bool) {
        if plus { self.plus.push(value) } else { self.minus.push(value) }
    }

    fn is_empty(&self) -> bool {
        self.plus.is_empty() && self.minus.is_empty()
    }
}

/// Whether a source value is an inner link of a chain of this kind.
fn is_inner(source: &Body, chains: &Chains, kind: Kind, value: Value) -> bool {
    source.node_of(value).is_some_and(|node| chains.link(node) == Some((kind, true)))
}

/// Whether two constant factors have a product without loss.
fn constants_meet(terms: &[Term], b: &mut Builder<'_, '_>) -> bool {
    let constants: SmallVec<[Value; 4]> = terms.iter().map(|t| t.value).filter(|v| v.as_const().is_some()).collect();
    (1..constants.len()).flat_map(|i| (0..i).map(move |j| (i, j))).any(|(i, j)| {
        let factors = [constants[i], constants[j]];
        if b.type_of(factors[0]) != b.type_of(factors[1]) {
            return false;
        }
        let product = b.op(Op::Multiply, &factors);
        loses_nothing(b.module, product, factors)
    })
}

/// Whether all uniform terms of a chain are one operand of its last node.
fn uniforms_stand_together(
    source: &Body,
    root: Node,
    kind: Kind,
    chains: &Chains,
    is_uniform: &dyn Fn(Value) -> bool,
) -> bool {
    let mut groups = 0;
    let mut work: Vec<Node> = vec![root];
    while let Some(node) = work.pop() {
        for &arg in source.args(node) {
            if is_uniform(arg) {
                groups += 1;
            } else if is_inner(source, chains, kind, arg) {
                work.extend(source.node_of(arg));
            }
        }
    }
    groups <= 1
}
