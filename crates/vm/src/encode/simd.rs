//! Instructions on 128-bit vectors.

use planish_ir::ops::{Op, Width};
use planish_machine::isa::{Kind, Operand, Operation, Reg};

use super::{Encoder, To, handlers};
use crate::dispatch::operands::Bank;
use crate::dispatch::{Handler, simd};

/// Whether operand number `operand` may be a constant; `None` if it is no op on vectors.
pub(super) fn takes_immediate(op: Op, kind: Kind, operand: usize) -> Option<bool> {
    match op {
        Op::Select if kind == Kind::V128 => Some(false),
        Op::SimdShiftLeft | Op::SimdShiftRight => Some(operand == 1),
        Op::SimdShuffle | Op::SimdSelect => Some(operand == 2),
        _ if op.info().class == planish_ir::ops::Class::Simd => Some(operand == 1 && op != Op::SimdInsert),
        _ => None,
    }
}

impl Encoder<'_> {
    /// Emits an operation on vectors; `false` if there is no handler for it.
    pub(super) fn emit_simd(&self, to: To<'_, '_>, operation: &Operation<'_>) -> bool {
        let Operation { op, imm, operand, result, outs, args } = *operation;
        let plain = |arg: planish_ir::ops::MemArg| arg.memory.as_u32() == 0 && arg.width == Width::B128;
        match op {
            Op::MemoryLoad if plain(imm.as_mem_arg()) => self.load(to, &simd::LOAD, imm.as_mem_arg(), operation),
            Op::MemoryStore if plain(imm.as_mem_arg()) => {
                let value = [args[0], Operand::Reg(self.vector(to, args[1]))];
                let operation = Operation { args: &value, ..*operation };
                self.store(to, &simd::STORE, imm.as_mem_arg(), &operation);
            }
            Op::Select if operand == Kind::V128 => {
                let regs = [args[0], args[1], args[2]].map(|arg| self.register(to, arg));
                self.put_vector(to, simd::select, outs[0], &regs, &[self.regs([regs[0], regs[1], regs[2], outs[0]])]);
            }
            _ if op.info().class != planish_ir::ops::Class::Simd => return false,
            Op::SimdShuffle | Op::SimdSelect => {
                let Some(forms) = simd::ternary(op) else { return false };
                let (a, b) = (self.vector(to, args[0]), self.vector(to, args[1]));
                self.put_with_last(to, forms, &[a, b], args[2], outs[0]);
            }
            Op::SimdSplat => {
                let Some(forms) = simd::splat(imm.as_shape()) else { return false };
                let x = self.register(to, args[0]);
                self.put_form(
                    to,
                    forms,
                    &[(x, handlers::bank(operand))],
                    None,
                    &[self.regs([x, outs[0], Reg(0), Reg(0)])],
                );
                self.write_vector(outs[0]);
            }
            Op::SimdLow => {
                let x = self.register(to, args[0]);
                self.put_vector(to, simd::low, outs[0], &[x], &[self.regs([x, outs[0], Reg(0), Reg(0)])]);
            }
            Op::SimdExtract => {
                let Some(pair) = simd::extract(imm.as_shape()) else { return false };
                let a = self.vector(to, args[0]);
                let operands = self.regs([a, outs[0], Reg(u32::from(imm.as_lane())), Reg(0)]);
                self.put_form(to, &[pair], &[], Some((outs[0], handlers::bank(result))), &[operands]);
            }
            Op::SimdInsert => {
                let Some(forms) = simd::insert(imm.as_shape()) else { return false };
                let (a, x) = (self.vector(to, args[0]), self.register(to, args[1]));
                let bank = handlers::bank(Kind::of(imm.as_shape().scalar()));
                let operands = self.regs([x, a, outs[0], Reg(u32::from(imm.as_lane()))]);
                self.put_form(to, forms, &[(x, bank)], None, &[operands]);
                self.write_vector(outs[0]);
            }
            Op::SimdAnyTrue | Op::SimdAllTrue | Op::SimdBitmask => {
                let Some(pair) = simd::reductions(op, imm.as_shape()) else { return false };
                let a = self.vector(to, args[0]);
                let operands = self.regs([a, outs[0], Reg(0), Reg(0)]);
                self.put_form(to, &[pair], &[], Some((outs[0], Bank::Int)), &[operands]);
            }
            Op::SimdShiftLeft | Op::SimdShiftRight => {
                let Some((forms, constant)) = simd::shifts(op, imm.as_shape()) else { return false };
                let a = self.vector(to, args[0]);
                if let Operand::Const(amount) = args[1] {
                    self.put_vector(to, constant, outs[0], &[], &[self.with_upper(a, outs[0], amount as u32)]);
                } else {
                    let by = self.register(to, args[1]);
                    let reads = [(a, Bank::Int), (by, Bank::Int)];
                    self.put_form(to, &forms, &reads, None, &[self.regs([a, by, outs[0], Reg(0)])]);
                    self.write_vector(outs[0]);
                }
            }
            _ => {
                if let Some(handler) = simd::unary(op, imm.as_shape()) {
                    let a = self.vector(to, args[0]);
                    self.put_vector(to, handler, outs[0], &[], &[self.regs([a, outs[0], Reg(0), Reg(0)])]);
                } else if let Some(forms) = simd::binary(op, imm.as_shape()) {
                    let a = self.vector(to, args[0]);
                    self.put_with_last(to, forms, &[a], args[1], outs[0]);
                } else {
                    return false;
                }
            }
        }
        true
    }

    /// Emits an instruction on vectors whose last operand may be a constant.
    fn put_with_last(&self, to: To<'_, '_>, forms: [Handler; 2], first: &[Reg], last: Operand<'_>, out: Reg) {
        let mut regs = [Reg(0); 4];
        regs[..first.len()].copy_from_slice(first);
        regs[first.len() + 1] = out;
        if let Operand::Wide(bits) = last {
            let operands = [self.regs(regs), bits as u64, (bits >> 64) as u64];
            self.put_vector(to, forms[1], out, &[], &operands);
        } else {
            regs[first.len()] = self.vector(to, last);
            self.put_vector(to, forms[0], out, &[], &[self.regs(regs)]);
        }
    }

    /// Emits an instruction with a vector result, whose register operands may be in accumulators, too.
    fn put_vector(&self, to: To<'_, '_>, handler: Handler, out: Reg, reads: &[Reg], operands: &[u64]) {
        reads.iter().for_each(|&reg| self.state.borrow_mut().held.is_read(reg));
        self.put_keeping(to, handler, operands);
        self.write_vector(out);
    }

    /// The registers of a vector have got other values.
    pub(super) fn write_vector(&self, out: Reg) {
        let held = &mut self.state.borrow_mut().held;
        held.overwrite(out);
        held.overwrite(out.offset(1));
    }

    /// The registers of a vector.
    fn vector(&self, to: To<'_, '_>, operand: Operand<'_>) -> Reg {
        match operand {
            Operand::Reg(reg) => reg,
            Operand::Wide(bits) => {
                use planish_machine::isa::Isa;
                let reg = to.temporary(2);
                self.emit_constant(to, reg, bits as u64);
                self.emit_constant(to, reg.offset(1), (bits >> 64) as u64);
                reg
            }
            _ => unreachable!("a vector is no word"),
        }
    }
}
