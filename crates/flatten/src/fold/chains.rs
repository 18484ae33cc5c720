//! Chains: sums and products of several terms, as a whole.
//!
//! ```text
//! 0.5 + x + 0.6      x + 1.1            constants gather
//! 2 * x * 3          x * 6
//! b + a, a + b       a + b              one order: older values first, constants last
//! -a + b             b - a              positive terms before subtracted ones
//! a + b - a          b                  terms cancel
//! x * 2 + y + x * 3  x * 5 + y          and add up
//! v + vec(a) + vec(b) v + vec(a + b)    scalars meet before they are vectors
//! ```
//!
//! Exact for integers, which wrap; floats need fast-math. A node belongs to the chain of its user if it has no other
//! user; otherwise it is a term, so a chain never gets more nodes.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Results};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use planish_ir::walk;

use super::terms::Terms;
use crate::uses::use_counts;

/// Kind of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `+`, `-`, and the sign.
    Sum,
    /// `*`.
    Product,
}

/// The kind of chain of which an op is a link; `None` for other ops.
pub(crate) fn kind_of(op: Op) -> Option<Kind> {
    match op {
        Op::Add | Op::Subtract | Op::Negate => Some(Kind::Sum),
        Op::Multiply => Some(Kind::Product),
        _ => None,
    }
}

/// The chains of a function, and the new values of their links.
#[derive(Default)]
pub(crate) struct Chains {
    /// Number of uses of the source values.
    uses: SideTable<Local, u32>,
    /// For each source node that may be regrouped, its kind and whether it is an inner link: one user, in the same chain.
    links: SideTable<Node, Option<(Kind, bool)>>,
    /// By new value, whether it is the result of inner links only.
    inner: SideTable<Local, bool>,
}

impl Chains {
    /// Finds the links of a placed function in which equal nodes are shared. With a table of `uniform` values, uniform
    /// operands of varying nodes are terms: they are computed once per draw.
    pub(crate) fn find(
        module: &Module,
        source: &Body,
        fast_math: bool,
        uniform: Option<&SideTable<Local, bool>>,
    ) -> Self {
        let uses = use_counts(source);
        let mut links: SideTable<Node, Option<(Kind, bool)>> = SideTable::with_capacity(source.node_count());
        for &node in walk::blocks(source).flat_map(|b| &source.blocks[b].nodes) {
            let Some(kind) = link(module, source, node, fast_math) else { continue };
            links[node] = Some((kind, false));
            // An operand with this single use, as a node that may be a link.
            let candidate = |arg: Value| {
                let (local, inner) = arg.as_local().zip(source.node_of(arg))?;
                let apart = uniform.is_some_and(|u| u[local] && !source.results(node).any(|r| u[r]));
                let joins = joins(source.node(inner).precision, source.node(node).precision);
                (uses[local] == 1 && !apart && joins).then_some(inner)
            };
            for inner in source.args(node).iter().filter_map(|&arg| candidate(arg)) {
                if links[inner].is_some_and(|(k, _)| k == kind) {
                    links[inner] = Some((kind, true));
                } else if is_splat(module, source, inner) {
                    // The terms of the scalar become terms of the vector.
                    links[inner] = Some((kind, true));
                    let scalar = candidate(source.args(inner)[0]);
                    if let Some(scalar) = scalar.filter(|&n| links[n].is_some_and(|(k, _)| k == kind)) {
                        links[scalar] = Some((kind, true));
                    }
                }
            }
        }
        Chains { uses, links, inner: SideTable::new() }
    }

    /// Whether a source value has one use.
    pub(crate) fn is_used_once(&self, value: Value) -> bool {
        value.as_local().is_some_and(|local| self.uses[local] == 1)
    }

    /// The kind of chain of which a source node is a link, and whether it is an inner one.
    pub(crate) fn link(&self, node: Node) -> Option<(Kind, bool)> {
        self.links[node]
    }

    /// Records the results of a node.
    pub(crate) fn record(&mut self, node: Node, results: &Results) {
        let is_inner = self.links[node].is_some_and(|(_, inner)| inner);
        for local in results.iter().filter_map(|v| v.as_local()) {
            // If other nodes have the same value, it stays.
            self.inner[local] = is_inner;
        }
    }

    /// The folded chain that ends with `node`, if it has more than that node.
    pub(crate) fn root(
        &self,
        source: &Body,
        node: Node,
        args: &[Value],
        builder: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let (kind, false) = self.links[node]? else { return None };
        let is_inner = |v: Value, b: &Builder<'_, '_>| {
            let is_link = |op: Op| op == Op::ConstructVectorFromScalar || kind_of(op) == Some(kind);
            v.as_local().is_some_and(|l| self.inner[l]) && b.definition(v).is_some_and(|d| is_link(d.0))
        };
        if !args.iter().any(|&a| is_inner(a, builder)) {
            return None;
        }
        let data = *source.node(node);
        builder.set_precise(data.precise);
        let terms = Terms::collect(builder, data.precision, data.op, args, &is_inner);
        Some(match kind {
            Kind::Sum => terms.sum(),
            Kind::Product => terms.product(),
        })
    }
}

/// Whether a value requested at one precision may be computed at that of its user: no less.
pub(crate) fn joins(inner: Precision, outer: Precision) -> bool {
    inner == outer || inner != Precision::None && inner < outer
}

/// Whether a node is a splat without conversion.
fn is_splat(module: &Module, source: &Body, node: Node) -> bool {
    let scalar_of = |ty| module.types.scalar_of(ty);
    source.node(node).op == Op::ConstructVectorFromScalar
        && source
            .result(node)
            .is_some_and(|r| scalar_of(source.local_type(r)) == scalar_of(module.type_of(source, source.args(node)[0])))
}

/// The kind of chain of which a node is a link, if its terms may be regrouped.
fn link(module: &Module, source: &Body, node: Node, fast_math: bool) -> Option<Kind> {
    let data = source.node(node);
    let kind = kind_of(data.op)?;
    let ty = source.local_type(source.result(node)?);
    let scalar = match module.types[ty] {
        TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) => scalar,
        _ => return None,
    };
    (scalar.is_integer() || fast_math && !data.precise).then_some(kind)
}
