//! Loads and stores.

use cranelift_codegen::ir::{InstructionData, Opcode, types};
use regalloc2::RegClass;

use super::lower::{Lower, RegMem, Result, class_of};
use super::ops;
use super::schedule::Unit;
use super::values::is_vector;
use super::vcode::Extension;

impl Lower<'_> {
    pub(super) fn load(&mut self, unit: Unit) -> Result {
        let (inst, other) = unit;
        let InstructionData::Load { opcode, arg, flags, offset } = self.f.dfg.insts[inst] else {
            unreachable!("it is a load")
        };
        let result = self.f.dfg.first_result(inst);
        let (ty, known) = (self.values.ty(result), self.values.flags(flags));
        let is_constant = known.readonly() && known.can_move();
        if is_constant && let Some(&found) = self.available.get(&self.values.numbered(result)) {
            self.set(result, found);
            return Ok(());
        }
        let from = self.address(inst, arg, offset.into())?;
        if is_vector(ty) {
            if ty.bits() != 128 || opcode != Opcode::Load {
                return self.missing(inst);
            }
            let reg = self.two(ops::LOADUPS, other.is_some(), from, None);
            self.set_vector(unit, reg, false);
            return Ok(());
        }
        let wide = ty == types::I64;
        let reg = match opcode {
            Opcode::Load if class_of(ty) == RegClass::Float => {
                self.two(if ty == types::F32 { ops::LOADSS } else { ops::LOADSD }, false, from, None)
            }
            Opcode::Load => {
                let extension = match ty {
                    types::I8 => Extension::Zero8,
                    types::I16 => Extension::Zero16,
                    types::I32 => Extension::Zero32,
                    _ => Extension::Whole,
                };
                self.int_memory(extension, &from)
            }
            Opcode::Uload8 => self.int_memory(Extension::Zero8, &from),
            Opcode::Uload16 => self.int_memory(Extension::Zero16, &from),
            Opcode::Uload32 => self.int_memory(Extension::Zero32, &from),
            Opcode::Sload8 => self.int_memory(if wide { Extension::Sign8To64 } else { Extension::Sign8 }, &from),
            Opcode::Sload16 => self.int_memory(if wide { Extension::Sign16To64 } else { Extension::Sign16 }, &from),
            Opcode::Sload32 => self.int_memory(Extension::Sign32, &from),
            _ => return self.missing(inst),
        };
        self.set(result, reg);
        if is_constant {
            self.available.insert(self.values.numbered(result), reg);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, (inst, other): Unit) -> Result {
        let InstructionData::Store { opcode, args, offset, .. } = self.f.dfg.insts[inst] else {
            unreachable!("it is a store")
        };
        let value = self.values.root(args[0]);
        let ty = self.values.ty(value);
        let to = self.address(inst, args[1], offset.into())?;
        if let Some(other) = other {
            let upper = self.values.root(self.f.dfg.inst_args(other)[0]);
            let reg = self.y([value, upper]);
            self.store_vector(ops::STOREUPS, true, None, reg, &to);
            return Ok(());
        }
        if is_vector(ty) {
            if ty.bits() != 128 || opcode != Opcode::Store {
                return self.missing(inst);
            }
            self.store_half(value, &to);
            return Ok(());
        }
        if class_of(ty) == RegClass::Float {
            let reg = self.x(value);
            let of = if ty == types::F32 { ops::STORESS } else { ops::STORESD };
            self.store_vector(of, false, None, reg, &to);
            return Ok(());
        }
        let bytes = match opcode {
            Opcode::Store => ty.bytes() as u8,
            Opcode::Istore8 => 1,
            Opcode::Istore16 => 2,
            Opcode::Istore32 => 4,
            _ => return self.missing(inst),
        };
        let reg = self.int(value);
        self.store_int(bytes, reg, &to);
        Ok(())
    }

    /// Stores a vector; an upper half from where it is.
    pub(super) fn store_half(&mut self, value: cranelift_codegen::ir::Value, to: &RegMem) {
        match self.upper_of(value) {
            Some(wide) => self.store_vector(ops::EXTRACTF128, true, Some(1), wide, to),
            None => {
                let reg = self.x(value);
                self.store_vector(ops::STOREUPS, false, None, reg, to);
            }
        }
    }
}
