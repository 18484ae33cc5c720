//! Loads and stores of memory 0, with the address computation fused.

use planish_ir::ops::MemArg;
use planish_machine::isa::{Kind, Operand, Operation, Reg};

use super::merge::{AT, PLUS, SUM};
use super::{Encoder, To, fused, handlers};
use crate::dispatch::bytes::{LoadForms, StoreForms};
use crate::dispatch::operands::Bank;

impl Encoder<'_> {
    /// A load from memory 0.
    pub(super) fn load(&self, to: To<'_, '_>, forms: &LoadForms, arg: MemArg, operation: &Operation<'_>) {
        let out = operation.outs[0];
        // A vector is left in its registers only.
        let is_vector = operation.result == Kind::V128;
        let write = (!is_vector).then_some((out, handlers::bank(operation.result)));
        self.load_with(to, forms, arg, operation, write);
        if is_vector {
            self.write_vector(out);
        }
    }

    fn load_with(
        &self,
        to: To<'_, '_>,
        forms: &LoadForms,
        arg: MemArg,
        operation: &Operation<'_>,
        write: Option<(Reg, Bank)>,
    ) {
        let out = operation.outs[0];
        match operation.args[0] {
            Operand::Const(address) => {
                let at = u64::from(address as u32) + u64::from(arg.offset);
                self.put_form(to, forms.constant, &[], write, &[self.with_upper(out, Reg(0), 0), at]);
            }
            Operand::Nested(&Operation { args: [Operand::Reg(a), Operand::Const(b)], .. }) => {
                let operands = [self.with_upper(*a, out, arg.offset), *b];
                let form = self.put_form(to, forms.plus, &[(*a, Bank::Int)], write, &operands);
                self.note_load(to.directives.len() - 3, PLUS + form, *a, arg, operation);
            }
            Operand::Nested(&Operation { args: [a, b], .. }) if fused::fits_sum(arg) => {
                let (a, b) = self.sum(to, *a, *b);
                let operands = self.regs([a, b, out, Reg(0)]) | u64::from(arg.offset) << 48;
                let form = self.put_form(to, forms.sum, &[(a, Bank::Int), (b, Bank::Int)], write, &[operands]);
                self.note_load(to.directives.len() - 2, SUM + form, a, arg, operation);
            }
            address => {
                if self.join_scaled(to, forms, arg, operation) {
                    return;
                }
                let address = self.register(to, address);
                let operands = self.with_upper(address, out, arg.offset);
                let form = self.put_form(to, forms.register, &[(address, Bank::Int)], write, &[operands]);
                self.note_load(to.directives.len() - 2, AT + form, address, arg, operation);
            }
        }
    }

    /// The registers of a sum; the one in the accumulator comes first.
    fn sum(&self, to: To<'_, '_>, a: Operand<'_>, b: Operand<'_>) -> (Reg, Reg) {
        let (a, b) = (self.register(to, a), self.register(to, b));
        if self.state.borrow().held.has(b, Bank::Int) { (b, a) } else { (a, b) }
    }

    /// A store to memory 0.
    pub(super) fn store(&self, to: To<'_, '_>, forms: &StoreForms, arg: MemArg, operation: &Operation<'_>) {
        let bank = handlers::bank(operation.operand);
        let int = |reg: Reg| (reg, Bank::Int);
        match *operation.args {
            [Operand::Const(address), value] => {
                let at = u64::from(address as u32) + u64::from(arg.offset);
                let value = self.register(to, value);
                self.put_form(to, forms.constant, &[(value, bank)], None, &[self.with_upper(value, Reg(0), 0), at]);
            }
            [Operand::Reg(address), Operand::Const(bits)] => {
                let operands = [self.with_upper(address, Reg(0), arg.offset), bits];
                self.put_form(to, forms.of_constant, &[int(address)], None, &operands);
            }
            [Operand::Nested(&Operation { args: [Operand::Reg(a), Operand::Const(b)], .. }), value] => match value {
                Operand::Const(bits) => {
                    let operands = [self.with_upper(*a, Reg(0), arg.offset), *b, bits];
                    self.put_form(to, forms.of_constant_plus, &[int(*a)], None, &operands);
                }
                value => {
                    let value = self.register(to, value);
                    let operands = [self.with_upper(*a, value, arg.offset), *b];
                    self.put_form(to, forms.plus, &[int(*a), (value, bank)], None, &operands);
                }
            },
            [Operand::Nested(&Operation { args: [a, b], .. }), Operand::Const(bits)] if fused::fits_sum(arg) => {
                let (a, b) = self.sum(to, *a, *b);
                let operands = self.regs([a, b, Reg(0), Reg(0)]) | u64::from(arg.offset) << 48;
                self.put_form(to, forms.of_constant_sum, &[int(a), int(b)], None, &[operands, bits]);
            }
            [Operand::Nested(&Operation { args: [a, b], .. }), value] if fused::fits_sum(arg) => {
                let value = self.register(to, value);
                let (a, b) = self.sum(to, *a, *b);
                let operands = self.regs([a, b, value, Reg(0)]) | u64::from(arg.offset) << 48;
                self.put_form(to, forms.sum, &[int(a), (value, bank), int(b)], None, &[operands]);
            }
            [address, value] => {
                let (address, value) = (self.register(to, address), self.register(to, value));
                let operands = self.with_upper(address, value, arg.offset);
                self.put_form(to, forms.register, &[int(address), (value, bank)], None, &[operands]);
            }
            _ => unreachable!("a store has two operands"),
        }
    }
}
