//! Common subexpressions that the builder does not share, since elsewhere their position matters: in a flat function
//! every invocation executes every node, so derivatives and samples of the same operands are equal.

use planish_ir::builder::{Builder, Results};
use planish_ir::entity::{Block, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::ops::{Effect, Imm, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Key of equal nodes. Nodes in different blocks are not equal: a `discard` may be between them.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    block: Block,
    op: Op,
    imm: Imm,
    precise: bool,
    ty: Option<Type>,
    args: SmallVec<[Value; 4]>,
}

/// Available nodes.
#[derive(Default)]
pub(crate) struct Sharing {
    available: FxHashMap<Key, Results>,
}

impl Sharing {
    /// The results of an equal earlier node; `None` if there is none.
    pub(crate) fn find(&self, source: &Body, node: Node, args: &[Value], builder: &Builder<'_, '_>) -> Option<Results> {
        self.available.get(&key(source, node, args, builder)?).cloned()
    }

    /// Records a new node.
    pub(crate) fn record(
        &mut self,
        source: &Body,
        node: Node,
        args: &[Value],
        builder: &Builder<'_, '_>,
        results: &Results,
    ) {
        if let Some(key) = key(source, node, args, builder) {
            self.available.insert(key, results.clone());
        }
    }
}

fn key(source: &Body, node: Node, args: &[Value], builder: &Builder<'_, '_>) -> Option<Key> {
    let data = source.node(node);
    // An interpolated input is constant memory too.
    let is_interpolated =
        matches!(data.op, Op::InterpolateAtCentroid | Op::InterpolateAtSample | Op::InterpolateAtOffset);
    let is_leaf = builder.module.is_leaf_call(data.op, args);
    if !is_interpolated && !is_leaf && !matches!(data.op.info().effect, Effect::Quad | Effect::MayTrap) {
        return None;
    }
    let ty = source.result(node).map(|r| source.local_type(r));
    Some(Key { block: builder.block(), op: data.op, imm: data.imm, precise: data.precise, ty, args: args.into() })
}
