//! Derivatives: differences within a quad of four lanes, `x0y0 x1y0 x0y1 x1y1`.
//!
//! Fine and unqualified derivatives use the lane's own row (for x) or column (for y), coarse ones the first. The
//! difference is zero if one of the two lanes is inactive, and if both have the same bits.

use planish_ir::meaning::{Kernel, kernel};
use planish_ir::ops::Op;

use super::Machine;
use crate::program::{Code, Inst};
use crate::stop::Stop;

/// Axis of a derivative.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    X = 1,
    Y = 2,
}

impl<'m> Machine<'m> {
    /// The two lanes of a lane's derivative, the one with the smaller coordinate first; `None` unless both are active.
    pub(super) fn neighbours(&self, lane: usize, axis: Axis, coarse: bool) -> Option<(usize, usize)> {
        let bit = axis as usize;
        let low = if coarse { lane & !3 } else { lane & !bit };
        let high = low | bit;
        (high < self.n && self.cx.active.has(low) && self.cx.active.has(high)).then_some((low, high))
    }

    pub(super) fn derivative(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let operand = code.args(inst)[0];
        let scalar = self.program().module.types.scalar_of(inst.ty);
        let op = |op| scalar.and_then(|s| kernel(op, s));
        let (Some(Kernel::Binary(subtract)), Some(Kernel::Binary(add)), Some(Kernel::Unary(abs))) =
            (op(Op::Subtract), op(Op::Add), op(Op::Abs))
        else {
            return Err(Stop::unsupported("a derivative of a value that is not a float", self.span()));
        };
        let coarse = matches!(inst.op, Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse);
        for c in 0..inst.out.1 as usize {
            let mut column = vec![0; self.n];
            for lane in self.cx.active.lanes() {
                let along = |axis| match self.neighbours(lane, axis, coarse) {
                    Some((low, high)) => {
                        let (low, high) = (self.read(operand, c, low), self.read(operand, c, high));
                        // Equal infinities and NaNs have no difference.
                        if low == high { 0 } else { (subtract.one)(high, low) }
                    }
                    None => 0,
                };
                column[lane] = match inst.op {
                    Op::Dfdx | Op::DfdxFine | Op::DfdxCoarse => along(Axis::X),
                    Op::Dfdy | Op::DfdyFine | Op::DfdyCoarse => along(Axis::Y),
                    _ => (add.one)((abs.one)(along(Axis::X)), (abs.one)(along(Axis::Y))),
                };
            }
            self.write(inst, c, &column);
        }
        Ok(())
    }
}
