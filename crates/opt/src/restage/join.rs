//! Merges: the values of the edges become one value, a select, or an input of the merge block.

use planish_ir::decoration::Precision;
use planish_ir::entity::{Block, Local, Type, Value};
use planish_ir::function::{Args, Exit};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::engine::Engine;
use super::state::{Delta, Key};

/// An edge from a block that is still open: its exit is written when its arguments are known.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// The new block.
    pub(super) block: Block,
    /// Its arguments for the inputs of the source target.
    pub(super) args: Args,
    /// Its state as changes since the construct it leaves was entered.
    pub(super) delta: Delta,
    /// The construct (by its id) whose own chain it ends.
    pub(super) chain: u32,
    /// Whether that is the construct it goes to, rather than one nested in it.
    pub(super) direct: bool,
    /// While flattening: when it is taken, given that no earlier edge to the construct was; always if `None`.
    pub(super) predicate: Option<Value>,
}

/// The value that an edge, by its number, has for a key.
type Brought = (Key, usize, Option<Value>);

/// Maximum number of parts into which a struct or array is split at a merge.
const MAX_PARTS: u32 = 16;

/// Ways that come together.
pub(super) struct Join<'a> {
    /// The edges.
    pub(super) edges: &'a [Edge],
    /// Types and precisions of the source target's inputs.
    pub(super) inputs: &'a [(Type, Precision)],
    /// Values bound later than this many local values are not visible at the merge block.
    pub(super) limit: u32,
    /// If there are two edges that one condition selects: the condition for the first.
    pub(super) select: Option<Value>,
    /// The merge block; it gets inputs where values differ.
    pub(super) merge: Block,
}

/// The result of a merge.
pub(super) struct Joined {
    /// The new values of the source target's inputs.
    pub(super) args: Args,
    /// The changes of the state.
    pub(super) delta: Delta,
    /// The arguments that each edge passes to the new inputs of the merge block.
    pub(super) passed: Vec<Args>,
}

/// The types and precisions of the inputs of a source block.
pub(super) fn input_types(body: &planish_ir::function::Body, block: Block) -> Vec<(Type, Precision)> {
    let of = |&l: &Local| (body.local(l).ty, body.local(l).precision);
    body.blocks[block].inputs.iter().map(of).collect()
}

impl Engine<'_, '_, '_> {
    /// Merges edges. The state is that where the construct was entered.
    pub(super) fn join(&mut self, join: &Join<'_>) -> Joined {
        if join.edges.is_empty() {
            // Nobody comes here.
            return Joined { args: Args::new(), delta: Delta::new(), passed: Vec::new() };
        }
        let mut passed: Vec<Args> = vec![Args::new(); join.edges.len()];
        let mut args = Args::new();
        for (i, &(ty, precision)) in join.inputs.iter().enumerate() {
            let values: SmallVec<[Value; 4]> = join.edges.iter().map(|e| e.args[i]).collect();
            args.push(self.unify(join, &values, ty, precision, &mut passed));
        }
        let of_edge =
            |(i, e): (usize, &'_ Edge)| e.delta.iter().map(move |&(key, value)| (key, i, value)).collect::<Vec<_>>();
        let mut known: Vec<Brought> = join.edges.iter().enumerate().flat_map(of_edge).collect();
        known.sort_unstable_by_key(|&(key, edge, _)| (key, edge));
        let mut delta = Delta::new();
        for of_key in known.chunk_by(|a, b| a.0 == b.0) {
            let key = of_key[0].0;
            let value = self.join_key(join, key, of_key, &mut passed);
            if value != self.state.get(key) {
                delta.push((key, value));
            }
        }
        Joined { args, delta, passed }
    }

    /// The meet of a key at a merge; `brought` holds the values of the edges that have one.
    fn join_key(&mut self, join: &Join<'_>, key: Key, brought: &[Brought], passed: &mut [Args]) -> Option<Value> {
        let before = self.state.get(key).filter(|_| brought.len() < join.edges.len());
        match key {
            Key::Slot(slot) => {
                let mut values: SmallVec<[Option<Value>; 4]> = SmallVec::from_elem(before, join.edges.len());
                brought.iter().for_each(|&(_, edge, value)| values[edge] = value);
                let values: SmallVec<[Value; 4]> = values.into_iter().collect::<Option<_>>()?;
                let leaf = self.slots.leaf(slot);
                let value = self.unify(join, &values, leaf.ty, leaf.precision, passed);
                if let Some(var) = leaf.var {
                    self.b.stands_for(value, var);
                }
                Some(value)
            }
            // In bounds on all edges is as far as on the one where the least is known.
            Key::End(address) => {
                let least = brought.iter().map(|&(_, _, value)| value).min()??;
                let least = if brought.len() < join.edges.len() { before?.min(least) } else { least };
                self.is_address_visible(address, join.limit).then_some(least)
            }
            Key::Memory(_) | Key::Fact(_) | Key::Made(_) | Key::Bytes(_) => {
                let value = brought[0].2?;
                let says_nothing = brought.len() < join.edges.len() && before != Some(value);
                if says_nothing || brought.iter().any(|&(_, _, other)| other != Some(value)) {
                    return None;
                }
                let visible = match key {
                    Key::Bytes(_) => self.are_bytes_visible(value, join.limit),
                    Key::Memory(p) | Key::Fact(p) => {
                        self.is_visible(value, join.limit) && self.is_visible(p, join.limit)
                    }
                    _ => self.is_visible(value, join.limit),
                };
                visible.then_some(value)
            }
        }
    }

    pub(super) fn is_visible(&mut self, value: Value, limit: u32) -> bool {
        self.binder(value) <= limit
    }

    /// The merged value of all edges.
    ///
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn unify(
        &mut self,
        join: &Join<'_>,
        values: &[Value],
        ty: Type,
        precision: Precision,
        passed: &mut [Args],
    ) -> Value {
        let visible = values.iter().all(|&v| self.is_visible(v, join.limit));
        if visible && values.iter().all(|&v| v == values[0]) {
            return values[0];
        }
        if let Some(split) = self.unify_parts(join, values, ty, precision, passed) {
            return split;
        }
        if let (true, Some(condition), &[a, b]) = (visible, join.select, values)
            && self.can_select(ty)
        {
            return self.b.op(Op::Select, &[condition, a, b]);
        }
        for (passed_args, &value) in passed.iter_mut().zip(values) {
            passed_args.push(value);
        }
        let precision = self.input_precision(ty, precision);
        self.b.add_input(join.merge, ty, precision)
    }

    /// Booleans and structs have no precision.
    pub(super) fn input_precision(&self, ty: Type, precision: Precision) -> Precision {
        let types = &self.b.module.types;
        let none =
            matches!(types[ty], TypeKind::Struct(_)) || types.scalar_of(ty) == Some(planish_ir::types::Scalar::Bool);
        if none { Precision::None } else { precision }
    }

    fn can_select(&self, ty: Type) -> bool {
        self.policy.select
            && matches!(self.b.module.types[ty], TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix { .. })
    }

    /// Structs and small arrays that the edges construct are merged part by part.
    fn unify_parts(
        &mut self,
        join: &Join<'_>,
        values: &[Value],
        ty: Type,
        precision: Precision,
        passed: &mut [Args],
    ) -> Option<Value> {
        let is_struct = self.b.module.types.as_struct(ty).is_some();
        let is_array = matches!(self.b.module.types[ty], TypeKind::Array { .. });
        let count = self.b.module.types.part_count(ty)?;
        if !self.policy.select || !(is_struct || is_array) || count > MAX_PARTS {
            return None;
        }
        let op = if is_struct { Op::ConstructStruct } else { Op::ConstructArray };
        let made = |v: Value| v.as_const().is_some() || self.b.definition(v).is_some_and(|d| d.0 == op);
        if !values.iter().any(|&v| made(v)) {
            return None;
        }
        let mut parts: SmallVec<[Value; 8]> = SmallVec::new();
        for i in 0..count {
            let of = |b: &mut planish_ir::builder::Builder<'_, '_>, v: Value| {
                if is_struct {
                    b.op_imm(Op::ExtractStructField, Imm::index(i), &[v])
                } else {
                    let index = b.i32(i as i32);
                    b.op(Op::ExtractArrayElement, &[v, index])
                }
            };
            let part: SmallVec<[Value; 4]> = values.iter().map(|&v| of(&mut self.b, v)).collect();
            let part_ty = self.b.module.types.part(ty, i)?;
            parts.push(self.unify(join, &part, part_ty, precision, passed));
        }
        Some(self.b.op_typed(op, &parts, ty))
    }

    /// Ends the block of each edge.
    pub(super) fn end_edges(&mut self, edges: &[Edge], passed: Vec<Args>, mut exit: impl FnMut(&Edge, Args) -> Exit) {
        for (edge, passed_args) in edges.iter().zip(passed) {
            self.b.exit_block(edge.block, exit(edge, passed_args));
        }
    }
}
