//! Masks that end a function, and trapping ops: a graph has total ops only, and a mask of the condition under which the
//! function traps.
//!
//! ```text
//! divide_trapping x, y   →   divide x, y
//!                            trap division_by_zero if y = 0
//!                            trap integer_overflow if x = -2147483648 and y = -1     signed ones
//! ```

use planish_ir::entity::{Local, Node, Value};
use planish_ir::function::TrapKind;
use planish_ir::meaning::{float_bits, float_value};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use super::flat::Mask;
use super::{Builder, Failed};
use crate::graph::{Group, Kind, NodeId};
use crate::shape::Shape;

/// The total op with the same results where the trapping one has results; `None` for other ops.
pub(super) fn without_trap(op: Op) -> Option<Op> {
    match op {
        Op::DivideTrapping => Some(Op::Divide),
        Op::RemainderTrapping => Some(Op::Remainder),
        Op::TruncateTrapping => Some(Op::ConstructScalarFromScalar),
        _ => None,
    }
}

impl Builder<'_> {
    /// Adds a mask between two blocks.
    pub(super) fn add_mask(&mut self, Mask { condition, when, trap }: Mask, span: Span) -> Result<(), Failed> {
        let mut mask = self.operand(condition, span)?;
        if !when {
            mask = self.logic(Op::LogicalNot, &[mask], span);
        }
        match (trap, self.out.discard) {
            (Some(kind), _) => self.add_trap(mask, kind, span),
            (None, None) => self.out.discard = Some(mask),
            (None, Some(before)) => self.out.discard = Some(self.logic(Op::LogicalOr, &[before, mask], span)),
        }
        Ok(())
    }

    /// Adds a trap under a mask, except for fragments that were discarded before.
    fn add_trap(&mut self, mask: NodeId, kind: TrapKind, span: Span) {
        let mask = match self.out.discard {
            Some(before) => {
                let stays = self.logic(Op::LogicalNot, &[before], span);
                self.logic(Op::LogicalAnd, &[stays, mask], span)
            }
            None => mask,
        };
        self.out.traps.push((mask, kind));
    }

    /// Adds a node for a trapping op.
    pub(super) fn trapping(&mut self, node: Node, op: Op, result: Local) -> Result<(), Failed> {
        let data = self.body.node(node);
        let mut operands: SmallVec<[NodeId; 3]> = SmallVec::new();
        for &arg in self.body.args(node) {
            operands.push(self.operand(arg, data.span)?);
        }
        let ty = self.type_id(self.body.local_type(result), data.span)?;
        match data.op {
            Op::TruncateTrapping => {
                self.add_conversion_traps(operands[0], self.body.args(node)[0], result, data.span)?
            }
            _ => self.add_division_traps(&operands, data.op == Op::DivideTrapping, data.span)?,
        }
        let group = if self.uniform[result] { Group::Preshader } else { Group::Pixel };
        let made = self.push(Kind::Op(op, Imm::NONE), ty, Some(group), &operands, data.span);
        let draft = &mut self.out.drafts[made as usize];
        (draft.node.precision, draft.node.precise, draft.local) = (data.precision, data.precise, Some(result));
        draft.node.cost = (self.out.options.cost)(op);
        self.values[result] = made + 1;
        Ok(())
    }

    fn add_division_traps(&mut self, operands: &[NodeId], overflows: bool, span: Span) -> Result<(), Failed> {
        let &[x, y] = operands else { return Err(Failed) };
        let &Shape::Scalar(scalar) = self.out.shapes.shape(self.out.drafts[y as usize].node.ty) else {
            return self.no_vector(span);
        };
        let zero = self.scalar_constant(scalar, 0);
        let by_zero = self.logic(Op::Equal, &[y, zero], span);
        self.add_trap(by_zero, TrapKind::DivisionByZero, span);
        let (least, minus_one) = match scalar {
            Scalar::I32 => (u64::from(i32::MIN as u32), u64::from(u32::MAX)),
            Scalar::I64 => (i64::MIN as u64, u64::MAX),
            _ => return Ok(()),
        };
        if overflows {
            let [least, minus_one] = [least, minus_one].map(|bits| self.scalar_constant(scalar, bits));
            let is_least = self.logic(Op::Equal, &[x, least], span);
            let by_minus_one = self.logic(Op::Equal, &[y, minus_one], span);
            let overflow = self.logic(Op::LogicalAnd, &[is_least, by_minus_one], span);
            self.add_trap(overflow, TrapKind::IntegerOverflow, span);
        }
        Ok(())
    }

    /// NaN is `not x = x`; out of range is not above the float before the least, or not below the one after the
    /// greatest.
    fn add_conversion_traps(&mut self, x: NodeId, from: Value, to: Local, span: Span) -> Result<(), Failed> {
        let (module, body) = (self.out.module, self.body);
        let scalar_of = |ty| module.types.scalar_of(ty).filter(|_| module.types.vector_size(ty) == Some(1));
        let (Some(from), Some(to)) = (scalar_of(module.type_of(body, from)), scalar_of(body.local_type(to))) else {
            return self.no_vector(span);
        };
        // If `least - 1` is not a float, the previous float is smaller, with no floats between.
        let (least, end): (f64, f64) = match to {
            Scalar::I32 => (-2_147_483_648.0, 2_147_483_648.0),
            Scalar::U32 => (0.0, 4_294_967_296.0),
            Scalar::I64 => (-9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0),
            Scalar::U64 => (0.0, 18_446_744_073_709_551_616.0),
            _ => return self.no_vector(span),
        };
        let bits = |number: f64| float_bits(from, number);
        let is_exact = |number: f64| float_value(from, bits(number)) == number;
        let before = least - 1.0;
        let (op, bound) =
            if is_exact(before) && before < least { (Op::LessThanEqual, before) } else { (Op::LessThan, least) };
        let [bound, end] = [bound, end].map(|number| self.scalar_constant(from, bits(number)));
        let is_number = self.logic(Op::Equal, &[x, x], span);
        let is_nan = self.logic(Op::LogicalNot, &[is_number], span);
        self.add_trap(is_nan, TrapKind::InvalidConversion, span);
        let is_below = self.logic(op, &[x, bound], span);
        let is_above = self.logic(Op::GreaterThanEqual, &[x, end], span);
        let overflow = self.logic(Op::LogicalOr, &[is_below, is_above], span);
        self.add_trap(overflow, TrapKind::IntegerOverflow, span);
        Ok(())
    }

    fn no_vector<T>(&mut self, span: Span) -> Result<T, Failed> {
        let message = "vectors of integers that may trap, in a dataflow graph";
        self.fail(planish_ir::diagnostic::Code::E1105, span, message)
    }

    fn logic(&mut self, op: Op, operands: &[NodeId], span: Span) -> NodeId {
        let ty = self.out.shapes.scalar(Scalar::Bool);
        self.share(op, Imm::NONE, ty, SmallVec::from_slice(operands), span)
    }
}
