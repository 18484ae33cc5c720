//! Operations on scalars.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{Inst, InstructionData, Opcode, Type, Value, types};
use regalloc2::{Operand, PReg, RegClass, VReg};

use super::lower::{Lower, RegMem, Result, class_of};
use super::ops::{self, Vex};
use super::vcode::{Condition, Extension, Memory, Op, Origin};

fn by_width(ty: Type, single: Vex, double: Vex) -> Vex {
    if ty == types::F64 { double } else { single }
}

fn is_wide(ty: Type) -> bool {
    ty == types::I64
}

impl Lower<'_> {
    /// An instruction with one scalar as its result.
    pub(super) fn scalar_instruction(&mut self, inst: Inst, result: Value) -> Result {
        let numbered = self.values.numbered(result);
        if let Some(&found) = self.available.get(&numbered) {
            self.set(result, found);
            return Ok(());
        }
        let ty = self.values.ty(result);
        let reg = match self.f.dfg.insts[inst] {
            // Made where they are read.
            InstructionData::UnaryImm { .. }
            | InstructionData::UnaryIeee32 { .. }
            | InstructionData::UnaryIeee64 { .. } => {
                return Ok(());
            }
            InstructionData::Unary { opcode: Opcode::VanyTrue | Opcode::VallTrue, .. }
            | InstructionData::IntCompare { .. }
            | InstructionData::FloatCompare { .. } => {
                let condition = self.test(result)?;
                self.set_by(condition)
            }
            InstructionData::Unary { opcode, arg } => self.unary(inst, opcode, ty, arg)?,
            InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. } => self.cast(inst, arg, ty)?,
            InstructionData::LoadNoOffset { opcode: Opcode::AtomicLoad, arg, .. } => {
                let from = self.address(inst, arg, 0)?;
                let extension = if is_wide(ty) { Extension::Whole } else { Extension::Zero32 };
                self.int_memory(extension, &from)
            }
            InstructionData::Binary { opcode, args } if ty.is_float() => self.float_binary(inst, opcode, ty, args)?,
            InstructionData::Binary { opcode, args } => self.int_binary(inst, opcode, ty, args)?,
            InstructionData::BinaryImm8 { opcode: Opcode::Extractlane, arg, imm } => {
                self.extract_lane(inst, arg, imm)?
            }
            InstructionData::Ternary { opcode: Opcode::Select, args: [condition, x, y] } => {
                self.choose(condition, [x, y], ty)?
            }
            InstructionData::StackAddr { .. } => {
                let memory = self.slot_address(result)?;
                self.int_op(Op::Lea { wide: true, memory }, &[])
            }
            InstructionData::NullAry { opcode: Opcode::GetStackPointer } => self.int_op(Op::StackPointer, &[]),
            _ => return self.missing(inst),
        };
        self.set(result, reg);
        self.available.insert(numbered, reg);
        Ok(())
    }

    fn slot_address(&mut self, value: Value) -> Result<Memory> {
        let place = self.values.place(value, 0);
        let Err(slot) = place.base else { unreachable!("it is the address of a slot") };
        let at = self.slot_offset(slot);
        Ok(Memory { origin: Origin::Slot, scale: None, disp: at + place.offset as i32, fault: None })
    }

    /// A condition as 0 or 1.
    fn set_by(&mut self, condition: Condition) -> VReg {
        let (to, other) = (self.int_reg(), self.int_reg());
        let mut operands = vec![Operand::reg_def(to)];
        if !matches!(condition, Condition::Plain(_)) {
            operands.push(Operand::reg_def(other));
        }
        self.push(Op::Set { condition }, operands);
        self.extended[to.vreg()] = true;
        to
    }

    /// An integer, extended to 32 bits if it is narrower.
    fn widened(&mut self, value: Value, signed: bool) -> VReg {
        let reg = self.int(value);
        let extension = match (self.values.ty(value), signed) {
            (types::I8, false) => Extension::Zero8,
            (types::I8, true) => Extension::Sign8,
            (types::I16, false) => Extension::Zero16,
            (types::I16, true) => Extension::Sign16,
            _ => return reg,
        };
        self.int_memory(extension, &reg.into())
    }

    /// A constant that an instruction can have as a part of it.
    fn small_constant(&self, value: Value) -> Option<i32> {
        let bits = self.values.constant(value)?;
        if self.values.ty(value) == types::I64 { i32::try_from(bits).ok() } else { Some(bits as i32) }
    }

    /// Sets flags by a comparison of integers.
    pub(super) fn compare(&mut self, inst: Inst, cond: IntCC, [x, y]: [Value; 2]) -> Result<Condition> {
        let ty = self.values.ty(x);
        if !matches!(ty, types::I8 | types::I16 | types::I32 | types::I64) {
            return self.missing(inst);
        }
        let constant = |this: &Self, value: Value| {
            // Narrow ones are compared as they are extended.
            if matches!(ty, types::I8 | types::I16) { None } else { this.small_constant(value) }
        };
        let (cond, x, y) = if constant(self, x).is_some() { (cond.swap_args(), y, x) } else { (cond, x, y) };
        let signed = !matches!(
            cond,
            IntCC::Equal
                | IntCC::NotEqual
                | IntCC::UnsignedLessThan
                | IntCC::UnsignedLessThanOrEqual
                | IntCC::UnsignedGreaterThan
                | IntCC::UnsignedGreaterThanOrEqual
        );
        let wide = is_wide(ty);
        let first = self.widened(x, signed);
        match constant(self, y) {
            Some(imm) => self.push(Op::Compare { wide, imm: Some(imm) }, [Operand::reg_use(first)]),
            None => {
                let second = self.widened(y, signed);
                self.push(Op::Compare { wide, imm: None }, [first, second].map(Operand::reg_use));
            }
        }
        Ok(match cond {
            IntCC::Equal => Condition::EQUAL,
            IntCC::NotEqual => Condition::NOT_EQUAL,
            IntCC::SignedLessThan => Condition::LESS,
            IntCC::SignedLessThanOrEqual => Condition::LESS_EQUAL,
            IntCC::SignedGreaterThan => Condition::GREATER,
            IntCC::SignedGreaterThanOrEqual => Condition::GREATER_EQUAL,
            IntCC::UnsignedLessThan => Condition::BELOW,
            IntCC::UnsignedLessThanOrEqual => Condition::BELOW_EQUAL,
            IntCC::UnsignedGreaterThan => Condition::ABOVE,
            IntCC::UnsignedGreaterThanOrEqual => Condition::ABOVE_EQUAL,
        })
    }

    /// Sets flags by a comparison of floats: *above* holds if neither is NaN.
    pub(super) fn compare_floats(&mut self, cond: FloatCC, [x, y]: [Value; 2]) -> Condition {
        let of = by_width(self.values.ty(x), ops::UCOMISS, ops::UCOMISD);
        let (condition, swapped) = match cond {
            FloatCC::Equal => (Condition::FloatEqual, false),
            FloatCC::NotEqual => (Condition::FloatNotEqual, false),
            FloatCC::LessThan => (Condition::ABOVE, true),
            FloatCC::LessThanOrEqual => (Condition::ABOVE_EQUAL, true),
            FloatCC::GreaterThan => (Condition::ABOVE, false),
            FloatCC::GreaterThanOrEqual => (Condition::ABOVE_EQUAL, false),
            FloatCC::Unordered => (Condition::PARITY, false),
            FloatCC::Ordered => (Condition::NO_PARITY, false),
            FloatCC::UnorderedOrLessThan => (Condition::BELOW, false),
            FloatCC::UnorderedOrLessThanOrEqual => (Condition::BELOW_EQUAL, false),
            FloatCC::UnorderedOrGreaterThan => (Condition::BELOW, true),
            FloatCC::UnorderedOrGreaterThanOrEqual => (Condition::BELOW_EQUAL, true),
            FloatCC::OrderedNotEqual => (Condition::NOT_EQUAL, false),
            FloatCC::UnorderedOrEqual => (Condition::EQUAL, false),
        };
        let [x, y] = if swapped { [y, x] } else { [x, y] };
        let (x, y) = (self.x(x), self.x_or_memory(y));
        self.flags(of, false, x, y);
        condition
    }

    fn choose(&mut self, condition: Value, [x, y]: [Value; 2], ty: Type) -> Result<VReg> {
        let is_int = class_of(ty) == RegClass::Int;
        let [x, y] = [x, y].map(|value| if is_int { self.int(value) } else { self.x(value) });
        let condition = self.test(condition)?;
        let to = self.new_reg(class_of(ty));
        let op = if is_int { Op::Choose { condition } } else { Op::ChooseVector { condition } };
        let uses = [y, x].map(Operand::reg_use);
        self.push(op, [Operand::reg_reuse_def(to, 1)].into_iter().chain(uses));
        self.extended[to.vreg()] = is_int && self.extended[x.vreg()] && self.extended[y.vreg()];
        Ok(to)
    }

    fn cast(&mut self, inst: Inst, arg: Value, ty: Type) -> Result<VReg> {
        let from = self.values.ty(arg);
        Ok(match (class_of(from), class_of(ty)) {
            (RegClass::Int, RegClass::Float) => {
                let int = self.int(arg);
                self.two(if is_wide(from) { ops::MOVQ_TO } else { ops::MOVD_TO }, false, int, None)
            }
            (RegClass::Float, RegClass::Int) if matches!(ty, types::I32 | types::I64) => {
                let float = self.x(arg);
                let of = if is_wide(ty) { ops::MOVQ_FROM } else { ops::MOVD_FROM };
                let reg = self.two_to(RegClass::Int, of, false, float, None);
                self.extended[reg.vreg()] = !is_wide(ty);
                reg
            }
            (RegClass::Int, RegClass::Int) => self.int(arg),
            (RegClass::Float, RegClass::Float) if from.bits() == ty.bits() => self.x(arg),
            _ => return self.missing(inst),
        })
    }

    fn unary(&mut self, inst: Inst, opcode: Opcode, ty: Type, arg: Value) -> Result<VReg> {
        let from = self.values.ty(arg);
        if ty.is_float() {
            return self.float_unary(inst, opcode, ty, arg);
        }
        let wide = is_wide(ty);
        let full = matches!(ty, types::I32 | types::I64);
        Ok(match opcode {
            Opcode::Uextend if from == types::I32 => {
                let reg = self.int(arg);
                if self.extended[reg.vreg()] { reg } else { self.int_memory(Extension::Zero32, &reg.into()) }
            }
            Opcode::Uextend => self.widened(arg, false),
            Opcode::Sextend => {
                let reg = self.int(arg);
                let extension = match (from, wide) {
                    (types::I8, false) => Extension::Sign8,
                    (types::I8, true) => Extension::Sign8To64,
                    (types::I16, false) => Extension::Sign16,
                    (types::I16, true) => Extension::Sign16To64,
                    _ => Extension::Sign32,
                };
                self.int_memory(extension, &reg.into())
            }
            // (The upper bits are anything.)
            Opcode::Ireduce => self.int(arg),
            Opcode::Bnot => self.int_of(Op::IntUnary { number: 2, wide }, arg),
            Opcode::Ineg => self.int_of(Op::IntUnary { number: 3, wide }, arg),
            Opcode::Popcnt if full => self.counted(0xb8, wide, arg),
            Opcode::Clz if full => self.counted(0xbd, wide, arg),
            Opcode::Ctz if full => self.counted(0xbc, wide, arg),
            Opcode::Bitrev if full => self.reversed(wide, arg),
            Opcode::VhighBits => {
                let x = self.x(arg);
                let of = match from.lane_bits() {
                    32 => ops::MOVMSKPS,
                    64 => ops::MOVMSKPD,
                    8 => ops::PMOVMSKB,
                    _ => return self.missing(inst),
                };
                self.two_to(RegClass::Int, of, false, x, None)
            }
            Opcode::FcvtToSintSat if full => self.float_to_int(from, wide, arg),
            _ => return self.missing(inst),
        })
    }

    fn int_of(&mut self, op: Op, arg: Value) -> VReg {
        let arg = self.int(arg);
        self.int_on(op, &[arg])
    }

    /// Exchanges bits, pairs and halves of bytes, and then bytes.
    fn reversed(&mut self, wide: bool, arg: Value) -> VReg {
        let mut x = self.int(arg);
        let steps = [(1, 0x5555_5555_5555_5555_u64), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)];
        for (by, mask) in steps {
            let mask = self.int_op(Op::Constant { bits: if wide { mask } else { mask & 0xffff_ffff } }, &[]);
            let high = self.int_on(Op::ShiftConstant { number: 5, wide, by }, &[x]);
            let high = self.int_on(Op::Int { opcode: &[0x21], wide }, &[high, mask]);
            let low = self.int_on(Op::Int { opcode: &[0x21], wide }, &[x, mask]);
            let low = self.int_on(Op::ShiftConstant { number: 4, wide, by }, &[low]);
            x = self.int_on(Op::Int { opcode: &[0x09], wide }, &[high, low]);
        }
        let reg = self.int_on(Op::SwapBytes { wide }, &[x]);
        self.extended[reg.vreg()] = !wide;
        reg
    }

    fn counted(&mut self, opcode: u8, wide: bool, arg: Value) -> VReg {
        let arg = self.int(arg);
        self.int_op(Op::Count { opcode, wide }, &[arg])
    }

    fn float_unary(&mut self, inst: Inst, opcode: Opcode, ty: Type, arg: Value) -> Result<VReg> {
        let from = self.values.ty(arg);
        let rounded = |this: &mut Self, mode: u8| {
            let x = this.x(arg);
            Ok(this.three(by_width(ty, ops::ROUNDSS, ops::ROUNDSD), false, x, x, Some(mode)))
        };
        match opcode {
            Opcode::Floor => rounded(self, 9),
            Opcode::Ceil => rounded(self, 10),
            Opcode::Trunc => rounded(self, 11),
            Opcode::Nearest => rounded(self, 8),
            Opcode::Sqrt => {
                let x = self.x(arg);
                Ok(self.three(by_width(ty, ops::SQRTSS, ops::SQRTSD), false, x, x, None))
            }
            Opcode::Fabs | Opcode::Fneg => {
                let sign = opcode == Opcode::Fneg;
                let bits = match (ty == types::F32, sign) {
                    (true, true) => self.words(1 << 31),
                    (true, false) => self.words(!(1 << 31)),
                    (false, true) => self.pairs_of_words(1 << 63),
                    (false, false) => self.pairs_of_words(!(1 << 63)),
                };
                let x = self.x(arg);
                Ok(self.three(if sign { ops::XOR } else { ops::AND }, false, x, bits, None))
            }
            Opcode::Fpromote | Opcode::Fdemote => {
                let x = self.x(arg);
                let of = if opcode == Opcode::Fpromote { ops::CVTSS2SD } else { ops::CVTSD2SS };
                Ok(self.three(of, false, x, x, None))
            }
            Opcode::FcvtFromSint | Opcode::FcvtFromUint => {
                let signed = opcode == Opcode::FcvtFromSint;
                let (int, wide) = match (from, signed) {
                    (types::I32, true) => (self.int(arg), false),
                    (types::I64, true) => (self.int(arg), true),
                    // Not negative as 64 bits.
                    (types::I32, false) => {
                        let reg = self.int(arg);
                        (self.int_memory(Extension::Zero32, &reg.into()), true)
                    }
                    (types::I8 | types::I16, _) => (self.widened(arg, signed), false),
                    _ => return self.missing(inst),
                };
                let of = match wide {
                    true => by_width(ty, ops::CVTSI2SS_64, ops::CVTSI2SD_64),
                    false => by_width(ty, ops::CVTSI2SS, ops::CVTSI2SD),
                };
                // Upper lanes come from the first operand: one that waits for nothing.
                let zero = self.words(0);
                let zero = self.in_vector_reg(zero, false);
                Ok(self.three(of, false, zero, int, None))
            }
            _ => self.missing(inst),
        }
    }

    /// NaN is 0; what is out of range the nearest number.
    fn float_to_int(&mut self, from: Type, wide: bool, arg: Value) -> VReg {
        let x = self.x(arg);
        let of = match (from, wide) {
            (types::F64, true) => ops::CVTTSD2SI_64,
            (types::F64, false) => ops::CVTTSD2SI,
            (_, true) => ops::CVTTSS2SI_64,
            (_, false) => ops::CVTTSS2SI,
        };
        let whole = self.two_to(RegClass::Int, of, false, x, None);
        let limit = if wide { 9_223_372_036_854_775_808.0 } else { 2_147_483_648.0_f64 };
        let limit = match from {
            types::F64 => self.pairs_of_words(limit.to_bits()),
            _ => self.words((limit as f32).to_bits()),
        };
        let most = if wide { i64::MAX as u64 } else { i32::MAX as u64 };
        let (most, zero) = (self.int_op(Op::Constant { bits: most }, &[]), self.int_op(Op::Constant { bits: 0 }, &[]));
        let compare = by_width(from, ops::UCOMISS, ops::UCOMISD);
        let choose = |this: &mut Self, condition: Condition, [otherwise, then]: [VReg; 2]| {
            this.int_on(Op::Choose { condition }, &[otherwise, then])
        };
        self.flags(compare, false, x, limit);
        let bounded = choose(self, Condition::ABOVE_EQUAL, [whole, most]);
        self.flags(compare, false, x, x);
        choose(self, Condition::PARITY, [bounded, zero])
    }

    fn float_binary(&mut self, inst: Inst, opcode: Opcode, ty: Type, [x, y]: [Value; 2]) -> Result<VReg> {
        if let Opcode::Fmin | Opcode::Fmax = opcode {
            let (x, y) = (self.x(x), self.x(y));
            return Ok(self.least_or_greatest(opcode == Opcode::Fmin, ty, [x, y], false));
        }
        if opcode == Opcode::Fcopysign {
            let (x, y) = (self.x(x), self.x(y));
            let sign = if ty == types::F64 { self.pairs_of_words(1 << 63) } else { self.words(1 << 31) };
            let sign = self.in_vector_reg(sign, false);
            let size = self.three(ops::ANDN, false, sign, x, None);
            let sign = self.three(ops::AND, false, sign, y, None);
            return Ok(self.three(ops::OR, false, size, sign, None));
        }
        let of = match opcode {
            Opcode::Fadd => by_width(ty, ops::ADDSS, ops::ADDSD),
            Opcode::Fsub => by_width(ty, ops::SUBSS, ops::SUBSD),
            Opcode::Fmul => by_width(ty, ops::MULSS, ops::MULSD),
            Opcode::Fdiv => by_width(ty, ops::DIVSS, ops::DIVSD),
            _ => return self.missing(inst),
        };
        let (x, y): (VReg, RegMem) = (self.x(x), self.x_or_memory(y));
        Ok(self.three(of, false, x, y, None))
    }

    fn int_binary(&mut self, inst: Inst, opcode: Opcode, ty: Type, [x, y]: [Value; 2]) -> Result<VReg> {
        let wide = is_wide(ty);
        let full = matches!(ty, types::I32 | types::I64);
        let (x, y) = match opcode {
            Opcode::Iadd | Opcode::Imul | Opcode::Band | Opcode::Bor | Opcode::Bxor
                if self.small_constant(x).is_some() =>
            {
                (y, x)
            }
            _ => (x, y),
        };
        let imm = self.small_constant(y);
        let plain = |this: &mut Self, number: u8, opcode: &'static [u8]| {
            let first = this.int(x);
            match imm {
                Some(imm) => this.int_on(Op::IntConstant { number, wide, imm }, &[first]),
                None => {
                    let second = this.int(y);
                    this.int_on(Op::Int { opcode, wide }, &[first, second])
                }
            }
        };
        let reg = match opcode {
            Opcode::Iadd if full => {
                let first = self.int(x);
                let memory = |scale, disp| Memory { origin: Origin::Register, scale, disp, fault: None };
                match imm {
                    Some(imm) => self.int_op(Op::Lea { wide, memory: memory(None, imm) }, &[first]),
                    None => {
                        let second = self.int(y);
                        self.int_op(Op::Lea { wide, memory: memory(Some(0), 0) }, &[first, second])
                    }
                }
            }
            Opcode::Iadd => plain(self, 0, &[0x01]),
            Opcode::Isub => plain(self, 5, &[0x29]),
            Opcode::Band => plain(self, 4, &[0x21]),
            Opcode::Bor => plain(self, 1, &[0x09]),
            Opcode::Bxor => plain(self, 6, &[0x31]),
            Opcode::Imul if full => {
                let (first, second) = (self.int(x), self.int(y));
                self.int_on(Op::Int { opcode: &[0x0f, 0xaf], wide }, &[first, second])
            }
            Opcode::Ishl | Opcode::Ushr | Opcode::Sshr | Opcode::Rotl | Opcode::Rotr if full => {
                self.shift(opcode, wide, [x, y])
            }
            Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax if full => {
                let condition = match opcode {
                    Opcode::Smin => Condition::LESS,
                    Opcode::Smax => Condition::GREATER,
                    Opcode::Umin => Condition::BELOW,
                    _ => Condition::ABOVE,
                };
                let (first, second) = (self.int(x), self.int(y));
                self.push(Op::Compare { wide, imm: None }, [first, second].map(Operand::reg_use));
                self.int_on(Op::Choose { condition }, &[second, first])
            }
            Opcode::Sdiv | Opcode::Udiv | Opcode::Srem | Opcode::Urem if full => self.divide(opcode, wide, [x, y]),
            _ => return self.missing(inst),
        };
        // (Of smaller types 32 bits are computed.)
        self.extended[reg.vreg()] =
            !wide && !matches!(opcode, Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax);
        Ok(reg)
    }

    fn shift(&mut self, opcode: Opcode, wide: bool, [x, y]: [Value; 2]) -> VReg {
        let first = self.int(x);
        let number = match opcode {
            Opcode::Ishl => 4,
            Opcode::Ushr => 5,
            Opcode::Sshr => 7,
            Opcode::Rotl => 0,
            _ => 1,
        };
        if let Some(by) = self.values.constant(y) {
            let by = by as u8 & if wide { 63 } else { 31 };
            return self.int_on(Op::ShiftConstant { number, wide, by }, &[first]);
        }
        let second = self.int(y);
        let of = match (opcode, wide) {
            (Opcode::Ishl, false) => ops::SHLX,
            (Opcode::Ishl, true) => ops::SHLX_64,
            (Opcode::Ushr, false) => ops::SHRX,
            (Opcode::Ushr, true) => ops::SHRX_64,
            (Opcode::Sshr, false) => ops::SARX,
            (Opcode::Sshr, true) => ops::SARX_64,
            _ => {
                let to = self.int_reg();
                let count = Operand::reg_fixed_use(second, PReg::new(1, RegClass::Int));
                self.push(Op::Rotate { number, wide }, [Operand::reg_reuse_def(to, 1), Operand::reg_use(first), count]);
                return to;
            }
        };
        self.int_op(Op::Vex { of, long: false, imm: None, memory: None }, &[first, second])
    }

    fn divide(&mut self, opcode: Opcode, wide: bool, [x, y]: [Value; 2]) -> VReg {
        let (first, second) = (self.int(x), self.int(y));
        let (quotient, remainder) = (self.int_reg(), self.int_reg());
        let [rax, rdx] = [0, 2].map(|number| PReg::new(number, RegClass::Int));
        let signed = matches!(opcode, Opcode::Sdiv | Opcode::Srem);
        let operands = [
            Operand::reg_fixed_def(quotient, rax),
            Operand::reg_fixed_def(remainder, rdx),
            Operand::reg_fixed_use(first, rax),
            Operand::reg_use_at_end(second),
        ];
        self.push(Op::Divide { signed, wide }, operands);
        if matches!(opcode, Opcode::Sdiv | Opcode::Udiv) { quotient } else { remainder }
    }
}
