//! The bits of a value as another number or vector, with more or fewer components of other widths.

use smallvec::SmallVec;

use super::{Builder, Request};
use crate::entity::{Type, Value};
use crate::ops::{Imm, Op};
use crate::types::Scalar;

impl Builder<'_, '_> {
    /// The bits of a scalar or vector of numbers as those of another type of the same size; the first component has the low bits. `None` if the
    /// sizes differ, or if there are no bits of numbers.
    pub fn reinterpret(&mut self, value: Value, ty: Type) -> Option<Value> {
        let from = self.type_of(value);
        let parts = |types: &crate::types::Types, ty: Type| {
            let scalar = types.scalar_of(ty).filter(|&scalar| scalar != Scalar::Bool)?;
            Some((scalar, types.vector_size(ty)?))
        };
        let (old, count) = parts(&self.module.types, from)?;
        let (new, size) = parts(&self.module.types, ty)?;
        if old.bits() * u32::from(count) != new.bits() * u32::from(size) {
            return None;
        }
        if old.bits() == new.bits() {
            return Some(self.cast(value, ty));
        }
        let words = self.module.types.vector(old.unsigned(), count);
        let words = self.cast(value, words);
        let component = self.module.types.scalar(new.unsigned());
        let mut made: SmallVec<[Value; 8]> = SmallVec::new();
        for i in 0..size {
            made.push(match old.bits() < new.bits() {
                true => {
                    let times = (new.bits() / old.bits()) as u8;
                    self.joined(words, i * times..(i + 1) * times, old.bits(), component)
                }
                false => {
                    let times = (old.bits() / new.bits()) as u8;
                    let word = self.component(words, i / times);
                    let by = u32::from(i % times) * new.bits();
                    let word = if by == 0 { word } else { self.shifted(Op::ShiftRight, word, by) };
                    self.convert(word, component)
                }
            });
        }
        let whole = self.module.types.vector(new.unsigned(), size);
        let whole = match made[..] {
            [one] => one,
            ref parts => self.op_typed(Op::ConstructVectorFromMultiple, parts, whole),
        };
        Some(self.cast(whole, ty))
    }

    /// Components of a vector as one number, the first one with its low bits.
    fn joined(&mut self, vector: Value, lanes: std::ops::Range<u8>, bits: u32, ty: Type) -> Value {
        let mut whole = None;
        for (i, lane) in (0..).zip(lanes) {
            let part = self.component(vector, lane);
            let part = self.convert(part, ty);
            whole = Some(match whole {
                None => part,
                Some(low) => {
                    let high = self.shifted(Op::ShiftLeft, part, i * bits);
                    self.op(Op::BitwiseOr, &[low, high])
                }
            });
        }
        whole.expect("there are several")
    }

    fn component(&mut self, value: Value, lane: u8) -> Value {
        match self.module.types.vector_size(self.type_of(value)) {
            Some(1) => value,
            _ => self.op_imm(Op::ExtractVectorComponent, Imm::index(lane.into()), &[value]),
        }
    }

    fn shifted(&mut self, op: Op, x: Value, by: u32) -> Value {
        let amount = self.u32(by);
        self.make(Request::new(op, &[x, amount]))
    }

    fn cast(&mut self, value: Value, ty: Type) -> Value {
        if self.type_of(value) == ty { value } else { self.op_typed(Op::Bitcast, &[value], ty) }
    }
}
