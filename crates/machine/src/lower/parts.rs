//! Composites: constructors, and parts taken out and put in. Most of it is naming.

use planish_ir::entity::{Node, Type};
use planish_ir::function::Body;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::TypeKind;

use super::{Fallible, Lower, push_kinds};
use crate::code::{Arg, ArgKind};
use crate::isa::{Kind, Machine};

impl<I: Machine> Lower<'_, I> {
    /// Appends the components of an operand, and their kinds.
    pub(super) fn components_of(
        &mut self,
        body: &Body,
        node: Node,
        operand: usize,
        parts: &mut Vec<Arg>,
        kinds: &mut Vec<Kind>,
    ) -> Fallible<Type> {
        let value = body.args(node)[operand];
        let ty = self.module.type_of(body, value);
        self.need_value(ty)?;
        let arg = self.arg(value)?;
        self.push_parts(arg, ty, parts);
        push_kinds(self.module, ty, kinds);
        Ok(ty)
    }

    pub(super) fn construct(&mut self, body: &Body, node: Node, result: Type) -> Fallible<Arg> {
        let op = body.node(node).op;
        let (mut parts, mut from, mut to) = (vec![], vec![], vec![]);
        let mut ty = result;
        for i in 0..body.args(node).len() {
            ty = self.components_of(body, node, i, &mut parts, &mut from)?;
        }
        self.need_value(result)?;
        push_kinds(self.module, result, &mut to);
        match op {
            Op::ConstructVectorFromScalar => {
                (parts, from) = (vec![parts[0]; to.len()], vec![from[0]; to.len()]);
            }
            Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix => {
                (parts, from) = self.matrix(&parts, &from, ty, result);
            }
            _ => {}
        }
        parts.truncate(to.len());
        for ((part, from), &to) in parts.iter_mut().zip(from).zip(&to) {
            if from != to {
                *part = self.convert(*part, from, to)?;
            }
        }
        Ok(self.whole(&parts, result))
    }

    /// The components of a matrix: those that the other one (or the diagonal of a scalar) has, else those of the identity.
    fn matrix(&mut self, parts: &[Arg], from: &[Kind], have: Type, want: Type) -> (Vec<Arg>, Vec<Kind>) {
        let types = &self.module.types;
        let &TypeKind::Matrix { columns, rows, .. } = &types[want] else { return (parts.to_vec(), from.to_vec()) };
        let (have_columns, have_rows) = match types[have] {
            TypeKind::Matrix { columns, rows, .. } => (columns, rows),
            _ => (0, 0),
        };
        let (mut out, mut kinds) = (vec![], vec![]);
        for (column, row) in (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r))) {
            if column < have_columns && row < have_rows {
                out.push(parts[usize::from(column) * usize::from(have_rows) + usize::from(row)]);
                kinds.push(from[0]);
            } else if column == row && have_columns == 0 {
                out.push(parts[0]);
                kinds.push(from[0]);
            } else {
                out.push(self.bits(Kind::Bool, u64::from(column == row && have_columns != 0)));
                kinds.push(Kind::Bool);
            }
        }
        (out, kinds)
    }

    pub(super) fn extract(&mut self, body: &Body, node: Node, result: Type) -> Fallible<Arg> {
        let data = body.node(node);
        let (mut parts, mut kinds) = (vec![], vec![]);
        let composite = self.components_of(body, node, 0, &mut parts, &mut kinds)?;
        if data.op == Op::ExtractVectorComponentMulti {
            let parts: Vec<Arg> = data.imm.as_lanes().iter().map(|lane| parts[usize::from(lane)]).collect();
            return Ok(self.whole(&parts, result));
        }
        let count = self.module.types.part_count(composite).unwrap_or(0);
        let dynamic = !matches!(data.op, Op::ExtractVectorComponent | Op::ExtractStructField);
        let index = if dynamic { self.index(body, node, 1, count)? } else { Ok(data.imm.as_index()) };
        match index {
            Ok(index) => {
                let (start, size) = self.place(composite, index)?;
                Ok(self.whole(&parts[start as usize..][..size as usize], result))
            }
            Err(index) => {
                let size = self.place(composite, 0)?.1 as usize;
                let mut chosen = parts[parts.len() - size..].to_vec();
                // The last part is for every index beyond, so that no clamp is needed.
                for i in (0..count - 1).rev() {
                    let is = self.is_index(index, i)?;
                    for (c, chosen) in chosen.iter_mut().enumerate() {
                        let (part, kind) = (parts[i as usize * size + c], kinds[i as usize * size + c]);
                        *chosen = self.operation(Op::Select, Imm::NONE, kind, kind, &[is, part, *chosen])?;
                    }
                }
                Ok(self.whole(&chosen, result))
            }
        }
    }

    pub(super) fn insert(&mut self, body: &Body, node: Node, result: Type) -> Fallible<Arg> {
        let data = body.node(node);
        let (mut parts, mut kinds, mut new) = (vec![], vec![], vec![]);
        let composite = self.components_of(body, node, 0, &mut parts, &mut kinds)?;
        self.components_of(body, node, 1, &mut new, &mut vec![])?;
        let count = self.module.types.part_count(composite).unwrap_or(0);
        let dynamic = !matches!(data.op, Op::InsertVectorComponent | Op::InsertStructField);
        let index = if dynamic { self.index(body, node, 2, count)? } else { Ok(data.imm.as_index()) };
        match index {
            Ok(index) => {
                let start = self.place(composite, index)?.0 as usize;
                parts[start..start + new.len()].copy_from_slice(&new);
            }
            Err(index) => {
                let kind = self.kind_of(body, body.args(node)[2]);
                let index = self.clamped(index.0, kind, count)?;
                for i in 0..count {
                    let is = self.is_index((index, Kind::U32), i)?;
                    for (c, &new) in new.iter().enumerate() {
                        let at = i as usize * (parts.len() / count as usize) + c;
                        let kind = kinds[at];
                        parts[at] = self.operation(Op::Select, Imm::NONE, kind, kind, &[is, new, parts[at]])?;
                    }
                }
            }
        }
        Ok(self.whole(&parts, result))
    }

    /// An index operand: its number, clamped, or if it is not known, what it is and its kind.
    fn index(&mut self, body: &Body, node: Node, operand: usize, count: u32) -> Fallible<Result<u32, (Arg, Kind)>> {
        let value = body.args(node)[operand];
        let kind = self.kind_of(body, value);
        let arg = self.arg(value)?;
        Ok(match arg.kind() {
            ArgKind::Const(c) => Ok(planish_ir::meaning::clamp_index(self.room.code.consts[c as usize].bits, count)),
            _ => Err((arg, kind)),
        })
    }

    fn is_index(&mut self, (index, kind): (Arg, Kind), i: u32) -> Fallible<Arg> {
        let i = self.bits(kind, i.into());
        self.operation(Op::Equal, Imm::NONE, kind, Kind::Bool, &[index, i])
    }
}
