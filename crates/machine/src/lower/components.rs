//! Ops on vectors and matrices, in operations on their components.

use planish_ir::arena::Id;
use planish_ir::entity::Node;
use planish_ir::function::Body;
use planish_ir::meaning;
use planish_ir::ops::{Class, Imm, Op};

use super::{Fallible, Lower, push_kinds};
use crate::code::Arg;
use crate::isa::{Kind, Machine};

impl<I: Machine> Lower<'_, I> {
    /// An op with composites among its operands or results.
    pub(super) fn by_components(&mut self, body: &Body, node: Node) -> Fallible<()> {
        let data = body.node(node);
        let (mut operands, mut kinds) = (vec![], vec![]);
        for i in 0..body.args(node).len() {
            let (mut parts, mut of_parts) = (vec![], vec![]);
            let ty = self.components_of(body, node, i, &mut parts, &mut of_parts)?;
            operands.push((parts, ty));
            kinds.push(of_parts);
        }
        let Some(local) = body.result(node) else {
            return self.unsupported(format!("a register machine has no `{}` of composite values", data.op.text()));
        };
        let first = kinds.first().and_then(|kinds| kinds.first()).copied().unwrap_or_default();
        let out = match data.op {
            Op::Any | Op::All => {
                let op = if data.op == Op::Any { Op::LogicalOr } else { Op::LogicalAnd };
                vec![self.fold(op, Kind::Bool, &operands[0].0)?]
            }
            Op::AggregateEqual => vec![self.all_equal(&operands[0].0, &operands[1].0, &kinds[0])?],
            op => match self.algebra(op, &operands, first)? {
                Some(out) => out,
                None if body.node(node).result_count() > 1 => {
                    return self.two_results(body, node, &operands[..], &kinds);
                }
                None => return self.componentwise(body, node, &operands, &kinds),
            },
        };
        self.room.map[local.index()] = self.whole(&out, body.local_type(local));
        Ok(())
    }

    fn fold(&mut self, op: Op, kind: Kind, parts: &[Arg]) -> Fallible<Arg> {
        parts[1..].iter().try_fold(parts[0], |all, &part| self.operation(op, Imm::NONE, kind, kind, &[all, part]))
    }

    fn all_equal(&mut self, x: &[Arg], y: &[Arg], kinds: &[Kind]) -> Fallible<Arg> {
        let mut same = vec![];
        for ((&x, &y), &kind) in x.iter().zip(y).zip(kinds) {
            same.push(self.operation(Op::Equal, Imm::NONE, kind, Kind::Bool, &[x, y])?);
        }
        if same.is_empty() { Ok(self.bits(Kind::Bool, 1)) } else { self.fold(Op::LogicalAnd, Kind::Bool, &same) }
    }

    /// The same op on each component; an operand with one component counts for all. Where the op takes words apart or puts them
    /// together (packing), it is one operation with all components.
    fn componentwise(
        &mut self,
        body: &Body,
        node: Node,
        operands: &[(Vec<Arg>, planish_ir::entity::Type)],
        kinds: &[Vec<Kind>],
    ) -> Fallible<()> {
        let data = body.node(node);
        let Some(local) = body.result(node) else { return Ok(()) };
        let ty = body.local_type(local);
        self.need_value(ty)?;
        let mut results = vec![];
        push_kinds(self.module, ty, &mut results);
        let scalar = kinds.first().and_then(|kinds| kinds.first()?.scalar());
        let same = matches!(data.op, Op::DivideTrapping | Op::RemainderTrapping);
        if !same && scalar.and_then(|scalar| meaning::kernel(data.op, scalar)).is_none() {
            if !matches!(data.op.info().class, Class::Unary | Class::BuiltIn) || !data.op.is_pure() {
                return self.unsupported(format!("a register machine has no `{}` of composite values", data.op.text()));
            }
            let mut args: Vec<Arg> = operands.iter().flat_map(|(parts, _)| parts.iter().copied()).collect();
            let first = self.operations(data.op, data.imm, kinds[0][0], &mut args, &results)?;
            self.room.map[local.index()] = self.arg_of_values(first, ty);
            return Ok(());
        }
        let mut out = vec![];
        for (c, &result) in results.iter().enumerate() {
            let at = |list: &Vec<Arg>| if let [one] = list[..] { one } else { list[c] };
            let args: Vec<Arg> = operands.iter().map(|(parts, _)| at(parts)).collect();
            let deciding = &kinds[usize::from(data.op == Op::Select)];
            let operand = if let [one] = deciding[..] { one } else { deciding[c] };
            let op = self.op_of(body, node, operand);
            out.push(self.operation(op, data.imm, operand, result, &args)?);
        }
        self.room.map[local.index()] = self.whole(&out, ty);
        Ok(())
    }

    /// `modf` and its like: two results a component.
    fn two_results(
        &mut self,
        body: &Body,
        node: Node,
        operands: &[(Vec<Arg>, planish_ir::entity::Type)],
        kinds: &[Vec<Kind>],
    ) -> Fallible<()> {
        let data = body.node(node);
        let mut types = vec![];
        let mut outs: [Vec<Arg>; 2] = [vec![], vec![]];
        let mut results: [Vec<Kind>; 2] = [vec![], vec![]];
        for (local, results) in body.results(node).zip(&mut results) {
            types.push((local, body.local_type(local)));
            push_kinds(self.module, body.local_type(local), results);
        }
        for c in 0..results[0].len() {
            let mut args: Vec<Arg> = operands.iter().map(|(parts, _)| parts[c]).collect();
            let first = self.operations(data.op, data.imm, kinds[0][c], &mut args, &[results[0][c], results[1][c]])?;
            outs[0].push(Arg::value(first));
            outs[1].push(Arg::value(first + 1));
        }
        for ((local, ty), out) in types.into_iter().zip(outs) {
            self.room.map[local.index()] = self.whole(&out, ty);
        }
        Ok(())
    }
}
