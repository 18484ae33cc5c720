//! Range analysis of values by their definitions: it bounds a loop whose counter the body advances as well.
//!
//! ```text
//! for (int i = 0; i < 8; i++) { if (i == q.x) i += 3; }      i is at least 1, 2, 3, … after each iteration, and at last 8
//! ```
//!
//! Constants, sums, differences, selects, `min` and `max` are looked through (of 32-bit integers and `f32`); all else is any
//! number. A sum that may leave its type is any number too. Rounding is monotonic, so the sums of the bounds of floats bound the
//! sums. Each value is looked at once: O(nodes) over the function.

use planish_ir::entity::{Const, Value};
use planish_ir::meaning::Shape;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use crate::restage::engine::Engine;

/// The least and the greatest that a value can be: numbers that hold 32-bit integers and `f32` exactly, neither NaN nor infinite.
type Range = (f64, f64);

impl Engine<'_, '_, '_> {
    /// The result of a comparison, if the ranges of its operands decide it.
    pub(in crate::restage) fn decided_by_ranges(&mut self, condition: Value) -> Option<bool> {
        let (op, args) = self.binary(condition)?;
        if op == Op::LogicalNot {
            return self.decided_by_ranges_of(args[0]).map(|known| !known);
        }
        self.decided_by_ranges_of(condition)
    }

    fn decided_by_ranges_of(&mut self, condition: Value) -> Option<bool> {
        let (op, args) = self.binary(condition)?;
        let &[a, b] = &args[..] else { return None };
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a)?, self.range(b)?);
        let decide = |always: bool, never: bool| always.then_some(true).or(never.then_some(false));
        match op {
            Op::LessThan => decide(a_high < b_low, a_low >= b_high),
            Op::LessThanEqual => decide(a_high <= b_low, a_low > b_high),
            Op::GreaterThan => decide(a_low > b_high, a_high <= b_low),
            Op::GreaterThanEqual => decide(a_low >= b_high, a_high < b_low),
            Op::Equal => decide(false, a_high < b_low || a_low > b_high),
            Op::NotEqual => decide(a_high < b_low || a_low > b_high, false),
            _ => None,
        }
    }

    fn binary(&self, value: Value) -> Option<(Op, SmallVec<[Value; 3]>)> {
        self.b.definition(value).map(|(op, _, args)| (op, args.into()))
    }

    /// The range of a scalar; `None`: any number.
    fn range(&mut self, root: Value) -> Option<Range> {
        let mut stack = vec![root];
        while let Some(&value) = stack.last() {
            if value.as_const().is_some() || self.flat_mut().ranges.contains_key(&value) {
                stack.pop();
                continue;
            }
            let operands = self.ranged_operands(value);
            let missing = |operand: &Value| operand.as_const().is_none() && !self.known_range(*operand);
            let missing: SmallVec<[Value; 2]> = operands.iter().copied().filter(missing).collect();
            if missing.is_empty() {
                let range = self.range_of_node(value, &operands);
                self.flat_mut().ranges.insert(value, range);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        self.range_known(root)
    }

    fn known_range(&self, value: Value) -> bool {
        self.flat.as_ref().is_some_and(|flat| flat.ranges.contains_key(&value))
    }

    /// The range of a constant, or of a value that was looked at.
    fn range_known(&self, value: Value) -> Option<Range> {
        match value.as_const() {
            Some(constant) => self.range_of_const(constant, value),
            None => self.flat.as_ref().and_then(|flat| flat.ranges.get(&value).copied().flatten()),
        }
    }

    fn range_of_const(&self, constant: Const, value: Value) -> Option<Range> {
        let bits = self.b.module.consts.as_bits(constant)?;
        let number = match self.scalar_with_range(value)? {
            Scalar::I32 => f64::from(bits as u32 as i32),
            Scalar::U32 => f64::from(bits as u32),
            _ => f64::from(f32::from_bits(bits as u32)),
        };
        number.is_finite().then_some((number, number))
    }

    fn scalar_with_range(&self, value: Value) -> Option<Scalar> {
        let ty = self.b.type_of(value);
        let is_scalar = self.b.module.types.components(ty) == Some(1);
        self.b.module.types.scalar_of(ty).filter(|s| is_scalar && matches!(s, Scalar::I32 | Scalar::U32 | Scalar::F32))
    }

    /// The operands that the range of a value depends on; none if it is any number.
    fn ranged_operands(&self, value: Value) -> SmallVec<[Value; 3]> {
        match self.b.definition(value) {
            Some((Op::Add | Op::Subtract | Op::Min | Op::Max, _, args)) if self.scalar_with_range(value).is_some() => {
                args.into()
            }
            Some((Op::Select, _, args)) if self.scalar_with_range(value).is_some() => args[1..].into(),
            _ => SmallVec::new(),
        }
    }

    fn range_of_node(&self, value: Value, operands: &[Value]) -> Option<Range> {
        let &[a, b] = operands else { return None };
        let ((a_low, a_high), (b_low, b_high)) = (self.range_known(a)?, self.range_known(b)?);
        let (op, ..) = self.b.definition(value)?;
        let range = match op {
            Op::Add => (a_low + b_low, a_high + b_high),
            Op::Subtract => (a_low - b_high, a_high - b_low),
            Op::Select => (a_low.min(b_low), a_high.max(b_high)),
            Op::Min => (a_low.min(b_low), a_high.min(b_high)),
            Op::Max => (a_low.max(b_low), a_high.max(b_high)),
            _ => return None,
        };
        let within = |least: f64, greatest: f64| range.0 >= least && range.1 <= greatest;
        match self.scalar_with_range(value)? {
            Scalar::I32 => within(f64::from(i32::MIN), f64::from(i32::MAX)).then_some(range),
            Scalar::U32 => within(0.0, f64::from(u32::MAX)).then_some(range),
            _ => {
                let rounded = (f64::from(range.0 as f32), f64::from(range.1 as f32));
                (rounded.0.is_finite() && rounded.1.is_finite()).then_some(rounded)
            }
        }
    }
}
