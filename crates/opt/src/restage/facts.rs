//! Facts from taken branches: inside `if (c)`, `c` is true; inside `if (x == 1.0)`, `x` is 1.

use planish_ir::builder::Request;
use planish_ir::entity::{Const, Type, Value};
use planish_ir::meaning::float_value;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::engine::Engine;
use super::state::Key;

/// Maximum depth of the operands of a condition that are examined.
const DEPTH: u32 = 4;

impl Engine<'_, '_, '_> {
    /// The new value of a source condition here, simplified by the facts about its operands.
    pub(super) fn condition(&mut self, condition: Value) -> Value {
        let value = self.value(condition);
        if self.policy.facts { self.refresh(value, DEPTH) } else { value }
    }

    /// A boolean rebuilt from the facts about its operands here.
    /// Recursion: at most `depth` levels of operands.
    fn refresh(&mut self, value: Value, depth: u32) -> Value {
        if let Some(known) = self.state.get(Key::Fact(value)) {
            return known;
        }
        let Some((op, imm, args)) = self.b.definition(value) else { return value };
        if depth == 0 || self.b.type_of(value) != Type::BOOL || !op.is_pure() {
            return value;
        }
        let args: SmallVec<[Value; 4]> = args.into();
        let new: SmallVec<[Value; 4]> = args.iter().map(|&a| self.refreshed_operand(a, depth - 1)).collect();
        if new == args {
            return value;
        }
        let ty = Some(self.b.type_of(value));
        self.b.make(Request { op, imm, args: &new, ty, precision: None })
    }

    fn refreshed_operand(&mut self, value: Value, depth: u32) -> Value {
        if self.b.type_of(value) == Type::BOOL {
            return self.refresh(value, depth);
        }
        self.state.get(Key::Fact(value)).unwrap_or(value)
    }

    /// From here on a condition is known.
    pub(super) fn assume(&mut self, condition: Value, truth: bool) {
        if !self.policy.facts {
            return;
        }
        let mut stack: SmallVec<[(Value, bool); 8]> = SmallVec::new();
        stack.push((condition, truth));
        // Every step goes to an older value.
        while let Some((value, truth)) = stack.pop() {
            if value.as_const().is_some() {
                continue;
            }
            let known = if truth { Const::TRUE } else { Const::FALSE };
            self.state.set(Key::Fact(value), Some(known.into()));
            let Some((op, _, args)) = self.b.definition(value) else { continue };
            let args: SmallVec<[Value; 4]> = args.into();
            match (op, truth) {
                (Op::LogicalNot, _) => stack.push((args[0], !truth)),
                (Op::LogicalAnd, true) | (Op::LogicalOr, false) => stack.extend(args.iter().map(|&a| (a, truth))),
                (Op::Equal, true) | (Op::NotEqual, false) => self.assume_equal(args[0], args[1]),
                _ => {}
            }
        }
    }

    /// From here on two scalars are equal: if one is a constant that only equals itself, the other is that constant.
    fn assume_equal(&mut self, a: Value, b: Value) {
        let (value, constant) = match (a.as_const(), b.as_const()) {
            (None, Some(c)) => (a, c),
            (Some(c), None) => (b, c),
            _ => return,
        };
        let TypeKind::Scalar(scalar) = self.b.module.types[self.b.type_of(value)] else { return };
        let Some(bits) = self.b.module.consts.as_bits(constant) else { return };
        // Zeros of both signs are equal, and NaN equals nothing.
        let exact = match scalar {
            scalar if scalar.is_float() => {
                let number = float_value(scalar, bits);
                number != 0.0 && !number.is_nan()
            }
            _ => true,
        };
        if exact {
            self.state.set(Key::Fact(value), Some(constant.into()));
        }
    }
}
