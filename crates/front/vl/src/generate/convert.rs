//! Conversion of values to more general shapes: at merges, a constant of one arm that is unknown in the other becomes a
//! scalar.

use planish_ir::entity::Value as IrValue;

use super::function::{Code, Parts};
use crate::analyze::value::{Value, ValueId, Values};

impl Code<'_, '_, '_, '_> {
    /// The scalars of a value in the shape of a join that it is part of.
    pub(super) fn convert(&mut self, parts: &[IrValue], from: ValueId, to: ValueId) -> Parts {
        let mut result = Parts::new();
        let mut parts = parts.iter().copied();
        self.append(&mut parts, from, to, &mut result);
        debug_assert!(parts.next().is_none());
        result
    }

    fn append(
        &mut self,
        parts: &mut dyn Iterator<Item = IrValue>,
        mut from: ValueId,
        mut to: ValueId,
        result: &mut Parts,
    ) {
        // Along lists without recursion.
        loop {
            let values = &self.generator.analysis.values;
            if from == to {
                result.extend(parts.take(values.width(to)));
                return;
            }
            match (values.get(from), values.get(to)) {
                (Value::Pair(a, rest_a), Value::Pair(b, rest_b)) => {
                    self.append(parts, a, b, result);
                    (from, to) = (rest_a, rest_b);
                }
                _ => break,
            }
        }
        let values = &self.generator.analysis.values;
        match (values.get(from), values.get(to)) {
            (Value::Real(bits), Value::AnyReal) => result.push(self.real(bits)),
            (Value::Bool(b), Value::AnyBool) => result.push(self.b.bool(b)),
            (Value::Closure(_, x), Value::Closure(_, y)) => {
                let (x, y) = (values.env(x).clone(), values.env(y).clone());
                for (&x, &y) in x.iter().zip(&*y) {
                    self.append(parts, x, y, result);
                }
            }
            (Value::Bundle(s, p, d), Value::Bundle(t, q, e)) if s == t => {
                self.append(parts, p, q, result);
                self.append(parts, d, e, result);
            }
            // A real, or a dual number of an older token, has no tangent here.
            (_, Value::Bundle(_, primal, tangent)) => {
                self.append(parts, from, primal, result);
                self.zero(tangent, result);
            }
            // `()` is the zero of every shape.
            (Value::Nil, _) => self.zero(to, result),
            // Only tokens differ.
            _ => {
                debug_assert_eq!(values.width(from), values.width(to));
                result.extend(parts.take(values.width(to)));
            }
        }
    }

    fn zero(&mut self, shape: ValueId, result: &mut Parts) {
        if shape == Values::NIL {
            return;
        }
        let width = self.generator.analysis.values.width(shape);
        let zero = self.real(0);
        result.extend(std::iter::repeat_n(zero, width));
    }

    /// A constant.
    pub(super) fn real(&mut self, bits: u64) -> IrValue {
        self.b.module.consts.bits(self.generator.real, bits).into()
    }
}
