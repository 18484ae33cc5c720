//! Hashes of nodes for the value-numbering table.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::decoration::Precision;
use crate::entity::{Node, Type, Value};
use crate::function::Body;
use crate::ops::{Imm, Op};

/// Hash of a node. Stored in the value-numbering table, which can grow without reading the nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeHash(u32);

impl NodeHash {
    /// Distributes the bits over 64, since tables also use the high ones.
    pub(crate) fn spread(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Hash of a requested node.
pub(crate) fn hash_node(
    op: Op,
    imm: Imm,
    args: &[Value],
    results: impl Iterator<Item = (Type, Precision)>,
) -> NodeHash {
    let mut hasher = FxHasher::default();
    (op, imm, args).hash(&mut hasher);
    results.for_each(|result| result.hash(&mut hasher));
    let hash = hasher.finish();
    NodeHash((hash ^ hash >> 32) as u32)
}

/// Hash of an existing node.
pub(crate) fn hash_existing(body: &Body, node: Node) -> NodeHash {
    let data = body.node(node);
    let results = body.results(node).map(|l| body.local(l)).map(|l| (l.ty, l.precision));
    hash_node(data.op, data.imm, body.args(node), results)
}
