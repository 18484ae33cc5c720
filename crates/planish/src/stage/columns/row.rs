//! The body of a loop over rows.

use planish_ir::entity::{Type, Value};
use planish_ir::host::HostNumber;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::shape::{Memory, Result1, Rows, Source};
use super::{Batch, Nulls, Writer};

impl Writer<'_> {
    /// A loop whose iterations are rows. Gives the last state.
    pub(super) fn loop_of_rows(&mut self) -> Vec<Value> {
        let (zero, rows) = (self.u32(0), self.b.param(0));
        let state: Vec<Value> = self.shape.state.clone().into_iter().map(|param| self.b.param(param)).collect();
        self.counted(zero, rows, &state, |writer, row, state| match writer.shape.mask {
            None => writer.row(row, state),
            Some(mask) => {
                let counts = writer.bit(mask, row);
                writer.chosen(counts, state, |writer| writer.row(row, state))
            }
        })
    }

    /// Applies the function to a row. Gives the next state.
    fn row(&mut self, row: Value, state: &[Value]) -> Vec<Value> {
        match self.shape.batch {
            Batch::Rows => {
                let results = self.applied(row, &[]);
                let Some(Result1::Numbers(memory)) = self.shape.result else {
                    unreachable!("bits are written by bytes")
                };
                self.store(memory, row, results[0], true);
                Vec::new()
            }
            Batch::Fold => self.applied(row, state),
            Batch::Groups => {
                let groups = self.shape.groups.expect("it has groups");
                let group = self.load(groups, row, Scalar::U64);
                let group = self.b.convert(group, Type::U32);
                let states = self.shape.states.clone();
                let old: Vec<Value> =
                    states.iter().map(|&(memory, scalar)| self.state_of(memory, scalar, group)).collect();
                let new = self.applied(row, &old);
                for (&(memory, scalar), value) in states.iter().zip(new) {
                    let value = if scalar == Scalar::Bool { self.b.convert(value, Type::U32) } else { value };
                    self.store(memory, group, value, false);
                }
                Vec::new()
            }
        }
    }

    /// A value of the state of a group. (The store after it, at the same place, is the one that stops the program.)
    fn state_of(&mut self, memory: Memory, scalar: Scalar, group: Value) -> Value {
        let (address, imm) = self.place(memory, group, false);
        let is_truth = scalar == Scalar::Bool;
        let ty = self.ty(if is_truth { Scalar::U32 } else { scalar });
        let value = self.b.make(planish_ir::builder::Request::new(Op::MemoryLoad, &[address]).imm(imm).ty(ty));
        if is_truth { self.is_not_zero(value) } else { value }
    }

    fn is_not_zero(&mut self, value: Value) -> Value {
        let zero = self.u32(0);
        self.b.op(Op::NotEqual, &[value, zero])
    }

    /// The results of the function for a row, after values of a state.
    fn applied(&mut self, row: Value, state: &[Value]) -> Vec<Value> {
        let mut args = state.to_vec();
        for source in self.shape.sources.clone() {
            self.argument(source, row, &mut args);
        }
        self.b.call(self.called.into(), &args).to_vec()
    }

    fn argument(&mut self, source: Source, row: Value, args: &mut Vec<Value>) {
        let ty = self.ty(source.scalar);
        let value = match source.rows {
            Rows::Numbers(memory) => {
                let number = self.load(memory, row, memory.1.scalar());
                self.b.convert(number, ty)
            }
            Rows::Bits(bits) => self.bit(bits, row),
            Rows::Bytes(memory) => {
                let byte = self.load(memory, row, Scalar::U32);
                self.is_not_zero(byte)
            }
            Rows::Constant(param) => self.b.param(param),
        };
        match (source.nulls, source.valid) {
            (Nulls::Unseen, _) => args.push(value),
            (_, None) => {
                let some = self.u32(1);
                args.extend([some, value]);
            }
            (_, Some(bits)) => {
                let valid = self.bit(bits, row);
                let variant = self.b.convert(valid, Type::U32);
                // (The value under a null is not to be seen.)
                let planish_ir::module::Module { types, consts, .. } = &mut *self.b.module;
                let zero: Value = consts.zero(types, ty).expect("scalars have a zero").into();
                let value = self.b.op(Op::Select, &[valid, value, zero]);
                args.extend([variant, value]);
            }
        }
    }

    /// A loop whose iterations are eight rows, of which each makes a byte of bits.
    pub(super) fn loop_of_bytes(&mut self) -> Vec<Value> {
        let (zero, rows, seven, three) = (self.u32(0), self.b.param(0), self.u32(7), self.u32(3));
        let end = self.b.op(Op::Add, &[rows, seven]);
        let end = self.b.op(Op::ShiftRight, &[end, three]);
        self.counted(zero, end, &[], |writer, byte, _| {
            let (eight, eight_at_most) = (writer.u32(8), writer.u32(8));
            let first = writer.b.op(Op::Multiply, &[byte, eight]);
            let left = writer.b.op(Op::Subtract, &[rows, first]);
            let count = writer.b.op(Op::Min, &[left, eight_at_most]);
            let bits = writer.counted(zero, count, &[zero, zero], |writer, at, bits| {
                let row = writer.b.op(Op::Add, &[first, at]);
                match writer.shape.mask {
                    None => writer.row_of_byte(row, at, bits),
                    Some(mask) => {
                        let counts = writer.bit(mask, row);
                        writer.chosen(counts, bits, |writer| writer.row_of_byte(row, at, bits))
                    }
                }
            });
            if let Some(Result1::Bits(out)) = writer.shape.result {
                writer.store((out.memory, HostNumber::U8), byte, bits[0], true);
            }
            if let Some(valid) = writer.shape.valid {
                writer.store((valid.memory, HostNumber::U8), byte, bits[1], true);
            }
            Vec::new()
        });
        Vec::new()
    }

    /// Applies the function to a row. Gives the byte of its results and the byte of those that are not null, with one more bit.
    fn row_of_byte(&mut self, row: Value, at: Value, bits: &[Value]) -> Vec<Value> {
        let results = self.applied(row, &[]);
        let (valid, value) = match results[..] {
            [value] => (None, value),
            _ => (Some(results[0]), results[1]),
        };
        let mut bits = bits.to_vec();
        match self.shape.result {
            Some(Result1::Numbers(memory)) => self.store(memory, row, value, true),
            _ => bits[0] = self.with_bit(bits[0], value, at),
        }
        if let Some(valid) = valid {
            let valid = self.is_not_zero(valid);
            bits[1] = self.with_bit(bits[1], valid, at);
        }
        bits
    }

    fn with_bit(&mut self, byte: Value, bit: Value, at: Value) -> Value {
        let bit = self.b.convert(bit, Type::U32);
        let bit = self.b.op(Op::ShiftLeft, &[bit, at]);
        self.b.op(Op::BitwiseOr, &[byte, bit])
    }
}
