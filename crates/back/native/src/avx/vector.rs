//! Operations on vectors, of 256 bits or 128: both halves are alike, so that one definition serves both.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Inst, InstructionData, Opcode, Type, Value, types};
use regalloc2::{RegClass, VReg};
use smallvec::SmallVec;

use super::lower::{Halves, Lower, RegMem, Result};
use super::ops::{self, Vex};
use super::schedule::Unit;
use super::shuffle::{self, Step};
use super::values::{Folded, is_vector};
use super::vcode::Op;
use regalloc2::Operand;

/// Comparisons of floats by number.
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const LESS_EQUAL: u8 = 2;
const UNORDERED: u8 = 3;
const NOT_EQUAL: u8 = 4;
const ORDERED: u8 = 7;
const GREATER_EQUAL: u8 = 13;
const GREATER: u8 = 14;

/// The instruction for lanes of 32 bits, or that for 64.
fn by_lane(ty: Type, words: Vex, doubles: Vex) -> Vex {
    if ty.lane_bits() == 64 { doubles } else { words }
}

impl Lower<'_> {
    pub(super) fn vector_instruction(&mut self, unit: Unit) -> Result {
        let (inst, other) = unit;
        let f = self.f;
        let data = f.dfg.insts[inst];
        let (folded, lower) = self.values.operands(inst);
        let upper = other.map_or_else(|| lower.clone(), |other| self.values.operands(other).1);
        let args: SmallVec<[Halves; 3]> = lower.iter().zip(&upper).map(|(&lower, &upper)| [lower, upper]).collect();
        // A value that is the same in both halves stays so, at no cost.
        let is_doubled = |halves: &Halves| !is_vector(self.values.ty(halves[0])) || self.is_doubled(halves[0]);
        let doubles = !matches!(folded, Some(Folded::Widened | Folded::Converted)) && self.can_double(data.opcode());
        let long = other.is_some() || doubles && args.iter().all(is_doubled);
        let ty = f.dfg.value_type(f.dfg.first_result(inst));
        let reg = match data {
            InstructionData::UnaryConst { .. } => return Ok(()),
            _ if folded.is_some() => self.vector_folded(folded.expect("it is"), &args, long),
            InstructionData::Unary { opcode: Opcode::Splat | Opcode::ScalarToVector, arg } => {
                return self.scalar_as_vector(inst, data.opcode(), ty, arg);
            }
            InstructionData::Unary { opcode, .. } => {
                let of = self.values.ty(f.dfg.inst_args(inst)[0]);
                self.vector_unary(inst, opcode, (ty, of), args[0], long)?
            }
            InstructionData::Binary { opcode: Opcode::Ishl | Opcode::Ushr | Opcode::Sshr, .. } => {
                self.vector_shift(inst, data.opcode(), ty, &args, long)?
            }
            InstructionData::Binary { opcode, .. } => self.vector_binary(inst, opcode, ty, [args[0], args[1]], long)?,
            InstructionData::IntCompare { cond, .. } => {
                self.compare_lanes(inst, cond, self.values.ty(f.dfg.inst_args(inst)[0]), [args[0], args[1]], long)?
            }
            InstructionData::FloatCompare { cond, .. } => {
                let of = self.values.ty(f.dfg.inst_args(inst)[0]);
                self.compare_float_lanes(inst, cond, of, [args[0], args[1]], long)?
            }
            InstructionData::Ternary { opcode: Opcode::Select, args: [condition, ..] } => {
                self.choose_vector(condition, [args[1], args[2]], long)?
            }
            InstructionData::Ternary { opcode, .. } => self.vector_ternary(inst, opcode, &args, long)?,
            InstructionData::TernaryImm8 { opcode: Opcode::Insertlane, args: [x, scalar], imm } => {
                self.insert_lane(inst, ty, [x, scalar], imm)?
            }
            InstructionData::Shuffle { imm, .. } => {
                let mask = self.f.dfg.immediates[imm].as_slice().try_into().expect("sixteen bytes");
                self.shuffle(mask, [args[0], args[1]], long)
            }
            _ => return self.missing(inst),
        };
        self.set_vector(unit, reg, long);
        Ok(())
    }

    /// An instruction with one that it reads.
    fn vector_folded(&mut self, folded: Folded, args: &[Halves], long: bool) -> VReg {
        match folded {
            Folded::Not => {
                let (x, y) = (self.vector(args[0], long), self.vector_or_memory(args[1], long));
                self.three(ops::ANDN, long, x, y, None)
            }
            Folded::Extreme { least, doubles } => {
                let of = match (least, doubles) {
                    (true, false) => ops::MINPS,
                    (true, true) => ops::MINPD,
                    (false, false) => ops::MAXPS,
                    (false, true) => ops::MAXPD,
                };
                let (x, y) = (self.vector(args[0], long), self.vector_or_memory(args[1], long));
                self.three(of, long, x, y, None)
            }
            Folded::Widened => self.promote(ops::CVTDQ2PD, args[0], long),
            // NaN becomes 0, what is too large the greatest integer; for what is too small the processor has the least one.
            Folded::Converted => {
                let x = self.vector(args[0], long);
                let is_number = self.three(ops::CMPPD, long, x, x, Some(ORDERED));
                let number = self.three(ops::AND, long, x, is_number, None);
                let most = self.pairs_of_words(f64::from(i32::MAX).to_bits());
                let bounded = self.three(ops::MINPD, long, number, most, None);
                self.demote(ops::CVTTPD2DQ, bounded, long)
            }
        }
    }

    /// Whether an instruction has a form on 256 bits that does the same to both halves.
    fn can_double(&self, opcode: Opcode) -> bool {
        !matches!(
            opcode,
            Opcode::Insertlane
                | Opcode::Splat
                | Opcode::ScalarToVector
                | Opcode::SwidenLow
                | Opcode::SwidenHigh
                | Opcode::UwidenLow
                | Opcode::UwidenHigh
                | Opcode::FvpromoteLow
                | Opcode::Fvdemote
        )
    }

    fn scalar_as_vector(&mut self, inst: Inst, opcode: Opcode, ty: Type, arg: Value) -> Result {
        let splat = opcode == Opcode::Splat;
        let scalar = match ty.lane_type() {
            types::F32 | types::F64 => self.x_or_memory(arg),
            types::I32 => {
                let int = self.int(arg);
                self.two(ops::MOVD_TO, false, int, None).into()
            }
            types::I64 => {
                let int = self.int(arg);
                self.two(ops::MOVQ_TO, false, int, None).into()
            }
            _ => return self.missing(inst),
        };
        let reg = match (splat, ty.lane_type()) {
            (true, types::F32) => self.two(ops::BROADCASTSS, true, scalar, None),
            (true, types::F64) => self.two(ops::BROADCASTSD, true, scalar, None),
            (true, types::I32) => self.two(ops::PBROADCASTD, true, scalar, None),
            (true, _) => self.two(ops::PBROADCASTQ, true, scalar, None),
            (false, types::F32) => {
                let scalar = self.in_vector_reg(scalar, false);
                self.three(ops::INSERTPS, false, scalar, scalar, Some(0b1110))
            }
            (false, types::F64) => {
                let scalar = self.in_vector_reg(scalar, false);
                let zero = self.words(0);
                let zero = self.in_vector_reg(zero, false);
                self.three(ops::UNPCKLPD, false, scalar, zero, None)
            }
            (false, _) => self.in_vector_reg(scalar, false),
        };
        self.set_vector((inst, None), reg, splat);
        Ok(())
    }

    fn vector_unary(
        &mut self,
        inst: Inst,
        opcode: Opcode,
        (ty, of): (Type, Type),
        x: Halves,
        long: bool,
    ) -> Result<VReg> {
        let rounding = |mode: u8| Some(mode);
        let two = |this: &mut Self, of: Vex, imm: Option<u8>| {
            let x = this.vector_or_memory(x, long);
            Ok(this.two(of, long, x, imm))
        };
        match opcode {
            Opcode::Sqrt => two(self, by_lane(ty, ops::SQRTPS, ops::SQRTPD), None),
            Opcode::Floor => two(self, by_lane(ty, ops::ROUNDPS, ops::ROUNDPD), rounding(9)),
            Opcode::Ceil => two(self, by_lane(ty, ops::ROUNDPS, ops::ROUNDPD), rounding(10)),
            Opcode::Trunc => two(self, by_lane(ty, ops::ROUNDPS, ops::ROUNDPD), rounding(11)),
            Opcode::Nearest => two(self, by_lane(ty, ops::ROUNDPS, ops::ROUNDPD), rounding(8)),
            Opcode::Iabs if ty == types::I32X4 => two(self, ops::PABSD, None),
            Opcode::FcvtFromSint if ty == types::F32X4 => two(self, ops::CVTDQ2PS, None),
            Opcode::Fabs | Opcode::Fneg => {
                let sign = opcode == Opcode::Fneg;
                let bits = match (ty.lane_bits(), sign) {
                    (32, true) => self.words(1 << 31),
                    (32, false) => self.words(!(1 << 31)),
                    (_, true) => self.pairs_of_words(1 << 63),
                    (_, false) => self.pairs_of_words(!(1 << 63)),
                };
                let x = self.vector(x, long);
                Ok(self.three(if sign { ops::XOR } else { ops::AND }, long, x, bits, None))
            }
            Opcode::Bnot => {
                let (x, ones) = (self.vector(x, long), self.words(u32::MAX));
                Ok(self.three(ops::XOR, long, x, ones, None))
            }
            Opcode::Ineg if matches!(ty.lane_bits(), 32 | 64) => {
                let zero = self.words(0);
                let (zero, x) = (self.in_vector_reg(zero, long), self.vector_or_memory(x, long));
                Ok(self.three(by_lane(ty, ops::PSUBD, ops::PSUBQ), long, zero, x, None))
            }
            Opcode::FcvtFromUint if ty == types::F32X4 && x.iter().all(|&x| self.values.is_below_sign(x)) => {
                two(self, ops::CVTDQ2PS, None)
            }
            Opcode::FcvtFromUint if ty == types::F32X4 => Ok(self.unsigned_as_floats(x, long)),
            Opcode::X86Cvtt2dq if ty == types::I32X4 => two(self, ops::CVTTPS2DQ, None),
            Opcode::FcvtToSintSat if ty == types::I32X4 => Ok(self.floats_as_signed(x, long)),
            Opcode::FcvtToUintSat if ty == types::I32X4 => Ok(self.floats_as_unsigned(x, long)),
            Opcode::FvpromoteLow => Ok(self.promote(ops::CVTPS2PD, x, long)),
            Opcode::Fvdemote => {
                let x = self.vector(x, long);
                Ok(self.demote(ops::CVTPD2PS, x, long))
            }
            Opcode::SwidenLow if of == types::I32X4 => two(self, ops::PMOVSXDQ, None),
            Opcode::UwidenLow if of == types::I32X4 => two(self, ops::PMOVZXDQ, None),
            Opcode::SwidenHigh | Opcode::UwidenHigh if of == types::I32X4 => {
                let x = self.x(x[0]);
                let high = self.two(ops::PERMILPS, false, x, Some(0b11_10_11_10));
                let of = if opcode == Opcode::SwidenHigh { ops::PMOVSXDQ } else { ops::PMOVZXDQ };
                Ok(self.two(of, false, high, None))
            }
            _ => self.missing(inst),
        }
    }

    /// Both halves of 16 bits of each lane are exact as floats, and their sum is rounded once.
    fn unsigned_as_floats(&mut self, x: Halves, long: bool) -> VReg {
        let x = self.vector(x, long);
        // 2^23 + the lower half, 2^39 + 2^16 times the upper half.
        let (low, high) = (self.words(0x4b00_0000), self.words(0x5300_0000));
        let low = self.three(ops::PBLENDW, long, x, low, Some(0b1010_1010));
        let shifted = self.two(ops::PSRLD_IMM, long, x, Some(16));
        let high = self.three(ops::OR, long, shifted, high, None);
        let both = self.words(0x5300_0080);
        let high = self.three(ops::SUBPS, long, high, both, None);
        self.three(ops::ADDPS, long, low, high, None)
    }

    /// NaN is 0; the processor's result for what is out of range, the least number, is inverted for what is too large.
    fn floats_as_signed(&mut self, x: Halves, long: bool) -> VReg {
        let x = self.vector(x, long);
        let is_number = self.three(ops::CMPPS, long, x, x, Some(ORDERED));
        let number = self.three(ops::AND, long, x, is_number, None);
        let whole = self.two(ops::CVTTPS2DQ, long, number, None);
        let limit = self.words(0x4f00_0000);
        let too_large = self.three(ops::CMPPS, long, x, limit, Some(GREATER_EQUAL));
        self.three(ops::XOR, long, whole, too_large, None)
    }

    fn floats_as_unsigned(&mut self, x: Halves, long: bool) -> VReg {
        let (x, zero) = (self.vector(x, long), self.words(0));
        // NaN becomes the second operand.
        let x = self.three(ops::MAXPS, long, x, zero, None);
        let half = self.words(0x4f00_0000);
        let above = self.three(ops::SUBPS, long, x, half, None);
        let (small, large) = (self.two(ops::CVTTPS2DQ, long, x, None), self.two(ops::CVTTPS2DQ, long, above, None));
        let is_large = self.two(ops::PSRAD_IMM, long, small, Some(31));
        let large = self.three(ops::AND, long, large, is_large, None);
        let whole = self.three(ops::OR, long, small, large, None);
        let limit = self.words(0x4f80_0000);
        let too_large = self.three(ops::CMPPS, long, x, limit, Some(GREATER_EQUAL));
        self.three(ops::OR, long, whole, too_large, None)
    }

    /// The lower two numbers of 32 bits of each half as numbers of 64.
    fn promote(&mut self, of: Vex, x: Halves, long: bool) -> VReg {
        if !long {
            let x = self.x(x[0]);
            return self.two(of, false, x, None);
        }
        let x = self.y(x);
        let low = self.two(ops::PERMQ, true, x, Some(0b00_00_10_00));
        self.two(of, true, low, None)
    }

    /// Two numbers of 64 bits in each half as numbers of 32, above them zeros.
    fn demote(&mut self, of: Vex, x: VReg, long: bool) -> VReg {
        let low = self.two(of, long, x, None);
        if !long {
            return low;
        }
        let (apart, zero) = (self.two(ops::PERMQ, true, low, Some(0b01_01_00_00)), self.words(0));
        self.three(ops::PBLENDD, true, apart, zero, Some(0b1100_1100))
    }

    fn vector_shift(&mut self, inst: Inst, opcode: Opcode, ty: Type, args: &[Halves], long: bool) -> Result<VReg> {
        let wide = ty.lane_bits() == 64;
        let (by_register, by_constant) = match (opcode, wide) {
            _ if !matches!(ty.lane_bits(), 32 | 64) => return self.missing(inst),
            (Opcode::Ishl, false) => (ops::PSLLD, ops::PSLLD_IMM),
            (Opcode::Ishl, true) => (ops::PSLLQ, ops::PSLLQ_IMM),
            (Opcode::Ushr, false) => (ops::PSRLD, ops::PSRLD_IMM),
            (Opcode::Ushr, true) => (ops::PSRLQ, ops::PSRLQ_IMM),
            (Opcode::Sshr, false) => (ops::PSRAD, ops::PSRAD_IMM),
            _ => return self.missing(inst),
        };
        let x = self.vector(args[0], long);
        let [by, other] = args[1];
        let most = ty.lane_bits() as i32 - 1;
        if let Some(bits) = self.values.constant(by)
            && self.values.constant(other) == Some(bits)
        {
            return Ok(self.two(by_constant, long, x, Some((bits as i32 & most) as u8)));
        }
        if self.values.numbered(by) != self.values.numbered(other) {
            return self.missing(inst);
        }
        let by = self.int(by);
        let by = self.int_on(Op::IntConstant { number: 4, wide: false, imm: most }, &[by]);
        let by = self.two(ops::MOVD_TO, false, by, None);
        Ok(self.three(by_register, long, x, by, None))
    }

    fn vector_binary(&mut self, inst: Inst, opcode: Opcode, ty: Type, [x, y]: [Halves; 2], long: bool) -> Result<VReg> {
        if let Opcode::Fmin | Opcode::Fmax = opcode {
            let (x, y) = (self.vector(x, long), self.vector(y, long));
            return Ok(self.least_or_greatest(opcode == Opcode::Fmin, ty, [x, y], long));
        }
        let words = ty.lane_bits() == 32;
        let integers = |words_op: Vex, doubles: Vex| match ty.lane_bits() {
            32 => Some(words_op),
            64 => Some(doubles),
            _ => None,
        };
        let of = match opcode {
            Opcode::Fadd => Some(by_lane(ty, ops::ADDPS, ops::ADDPD)),
            Opcode::Fsub => Some(by_lane(ty, ops::SUBPS, ops::SUBPD)),
            Opcode::Fmul => Some(by_lane(ty, ops::MULPS, ops::MULPD)),
            Opcode::Fdiv => Some(by_lane(ty, ops::DIVPS, ops::DIVPD)),
            Opcode::Band => Some(ops::AND),
            Opcode::Bor => Some(ops::OR),
            Opcode::Bxor => Some(ops::XOR),
            Opcode::Iadd => integers(ops::PADDD, ops::PADDQ),
            Opcode::Isub => integers(ops::PSUBD, ops::PSUBQ),
            Opcode::Imul if words => Some(ops::PMULLD),
            Opcode::Smin if words => Some(ops::PMINSD),
            Opcode::Smax if words => Some(ops::PMAXSD),
            Opcode::Umin if words => Some(ops::PMINUD),
            Opcode::Umax if words => Some(ops::PMAXUD),
            _ => None,
        };
        let Some(of) = of else { return self.missing(inst) };
        let commutes = !matches!(opcode, Opcode::Fsub | Opcode::Fdiv | Opcode::Isub);
        let [x, y] = if commutes && self.is_in_memory(x) { [y, x] } else { [x, y] };
        let (x, y) = (self.vector(x, long), self.vector_or_memory(y, long));
        Ok(self.three(of, long, x, y, None))
    }

    /// The lesser or the greater float, of which zeros have an order; NaN if one of them is. The processor's instructions give their
    /// second operand where both are zeros, or one is NaN.
    pub(super) fn least_or_greatest(&mut self, least: bool, ty: Type, [x, y]: [VReg; 2], long: bool) -> VReg {
        let of = match least {
            true => by_lane(ty, ops::MINPS, ops::MINPD),
            false => by_lane(ty, ops::MAXPS, ops::MAXPD),
        };
        let (one, other) = (self.three(of, long, x, y, None), self.three(of, long, y, x, None));
        if least {
            return self.three(ops::OR, long, one, other, None);
        }
        let both = self.three(ops::AND, long, one, other, None);
        let is_nan = self.three(by_lane(ty, ops::CMPPS, ops::CMPPD), long, x, y, Some(UNORDERED));
        self.three(ops::OR, long, both, is_nan, None)
    }

    fn is_in_memory(&self, halves: Halves) -> bool {
        halves.iter().all(|&half| self.values.vector_constant(half).is_some())
    }

    fn compare_lanes(&mut self, inst: Inst, cond: IntCC, of: Type, args: [Halves; 2], long: bool) -> Result<VReg> {
        let words = match of.lane_bits() {
            32 => true,
            64 => false,
            _ => return self.missing(inst),
        };
        let (equal, greater) = if words { (ops::PCMPEQD, ops::PCMPGTD) } else { (ops::PCMPEQQ, ops::PCMPGTQ) };
        let (of, swapped, inverted) = match cond {
            IntCC::Equal => (equal, false, false),
            IntCC::NotEqual => (equal, false, true),
            IntCC::SignedGreaterThan => (greater, false, false),
            IntCC::SignedLessThan => (greater, true, false),
            IntCC::SignedLessThanOrEqual => (greater, false, true),
            IntCC::SignedGreaterThanOrEqual => (greater, true, true),
            _ if !words => return self.missing(inst),
            // The greater of both is the first one, or not.
            IntCC::UnsignedGreaterThanOrEqual => (ops::PMAXUD, false, false),
            IntCC::UnsignedLessThan => (ops::PMAXUD, false, true),
            IntCC::UnsignedLessThanOrEqual => (ops::PMINUD, false, false),
            IntCC::UnsignedGreaterThan => (ops::PMINUD, false, true),
        };
        let [x, y] = if swapped { [args[1], args[0]] } else { args };
        let (x, y) = (self.vector(x, long), self.vector_or_memory(y, long));
        let mut found = self.three(of, long, x, y, None);
        if of == ops::PMAXUD || of == ops::PMINUD {
            found = self.three(ops::PCMPEQD, long, found, x, None);
        }
        if inverted {
            let ones = self.words(u32::MAX);
            found = self.three(ops::XOR, long, found, ones, None);
        }
        Ok(found)
    }

    fn compare_float_lanes(
        &mut self,
        inst: Inst,
        cond: FloatCC,
        of: Type,
        args: [Halves; 2],
        long: bool,
    ) -> Result<VReg> {
        let (number, swapped) = match cond {
            FloatCC::Equal => (EQUAL, false),
            FloatCC::NotEqual => (NOT_EQUAL, false),
            FloatCC::LessThan => (LESS, false),
            FloatCC::LessThanOrEqual => (LESS_EQUAL, false),
            FloatCC::GreaterThan => (LESS, true),
            FloatCC::GreaterThanOrEqual => (LESS_EQUAL, true),
            FloatCC::Unordered => (UNORDERED, false),
            FloatCC::Ordered => (ORDERED, false),
            _ => return self.missing(inst),
        };
        let [x, y] = if swapped { [args[1], args[0]] } else { args };
        // The second operand may be in memory.
        let exchanged = match number {
            LESS => Some(GREATER),
            LESS_EQUAL => Some(GREATER_EQUAL),
            _ => None,
        };
        let (x, y, number) = match exchanged {
            Some(number) if self.is_in_memory(x) => (y, x, number),
            _ => (x, y, number),
        };
        let (x, y) = (self.vector(x, long), self.vector_or_memory(y, long));
        Ok(self.three(by_lane(of, ops::CMPPS, ops::CMPPD), long, x, y, Some(number)))
    }

    fn vector_ternary(&mut self, inst: Inst, opcode: Opcode, args: &[Halves], long: bool) -> Result<VReg> {
        let [mask, x, y] = *args else { return self.missing(inst) };
        match opcode {
            Opcode::Bitselect => {
                if mask.iter().all(|&mask| self.is_mask(mask)) {
                    return Ok(self.blend(mask, x, y, long));
                }
                let (mask, x, y) = (self.vector(mask, long), self.vector(x, long), self.vector_or_memory(y, long));
                let x = self.three(ops::AND, long, mask, x, None);
                let y = self.three(ops::ANDN, long, mask, y, None);
                Ok(self.three(ops::OR, long, x, y, None))
            }
            Opcode::Blendv => Ok(self.blend(mask, x, y, long)),
            _ => self.missing(inst),
        }
    }

    fn blend(&mut self, mask: Halves, x: Halves, y: Halves, long: bool) -> VReg {
        let (mask, x, y) = (self.vector(mask, long), self.vector(x, long), self.vector(y, long));
        self.select_lanes(ops::BLENDVPS, long, y, x, mask)
    }

    /// Whether all bits of a byte are equal: the result of a comparison.
    fn is_mask(&self, value: Value) -> bool {
        matches!(
            self.values.data(self.values.root(value)),
            Some(InstructionData::IntCompare { .. } | InstructionData::FloatCompare { .. })
        )
    }

    fn choose_vector(&mut self, condition: Value, [x, y]: [Halves; 2], long: bool) -> Result<VReg> {
        let (x, y) = (self.vector(x, long), self.vector(y, long));
        let condition = self.test(condition)?;
        let to = self.new_reg(RegClass::Float);
        let uses = [y, x].map(Operand::reg_use);
        self.push(Op::ChooseVector { condition }, [Operand::reg_reuse_def(to, 1)].into_iter().chain(uses));
        Ok(to)
    }

    fn insert_lane(&mut self, inst: Inst, ty: Type, [x, scalar]: [Value; 2], lane: u8) -> Result<VReg> {
        let x = self.x(x);
        Ok(match ty.lane_type() {
            types::F32 => {
                let scalar = self.x(scalar);
                self.three(ops::INSERTPS, false, x, scalar, Some(lane << 4))
            }
            types::I32 => {
                let scalar = self.int(scalar);
                self.three(ops::PINSRD, false, x, scalar, Some(lane))
            }
            types::I64 => {
                let scalar = self.int(scalar);
                self.three(ops::PINSRQ, false, x, scalar, Some(lane))
            }
            types::F64 if lane == 1 => {
                let scalar = self.x(scalar);
                self.three(ops::UNPCKLPD, false, x, scalar, None)
            }
            types::F64 => {
                let scalar = self.x(scalar);
                self.three(ops::PBLENDW, false, x, scalar, Some(0b1111))
            }
            _ => return self.missing(inst),
        })
    }

    /// A lane as a scalar.
    pub(super) fn extract_lane(&mut self, inst: Inst, x: Value, lane: u8) -> Result<VReg> {
        let ty = self.values.ty(x);
        let x = self.x(x);
        Ok(match (ty.lane_type(), lane) {
            (types::F32 | types::F64, 0) => x,
            (types::F32, _) => self.two(ops::PERMILPS, false, x, Some(lane)),
            (types::F64, _) => self.two(ops::PERMILPS, false, x, Some(0b11_10_11_10)),
            (types::I32, 0) => self.two_to(RegClass::Int, ops::MOVD_FROM, false, x, None),
            (types::I64, 0) => self.two_to(RegClass::Int, ops::MOVQ_FROM, false, x, None),
            (types::I32, _) => self.two_to(RegClass::Int, ops::PEXTRD, false, x, Some(lane)),
            (types::I64, _) => self.two_to(RegClass::Int, ops::PEXTRQ, false, x, Some(lane)),
            _ => return self.missing(inst),
        })
    }

    fn shuffle(&mut self, mask: [u8; 16], args: [Halves; 2], long: bool) -> VReg {
        let same = args[0] == args[1];
        let step = shuffle::step(mask, same);
        let two = |this: &mut Self, of: Vex, [a, b]: [usize; 2], imm: Option<u8>| {
            let x = this.vector(args[a], long);
            let y: RegMem = this.vector_or_memory(args[b], long);
            this.three(of, long, x, y, imm)
        };
        match step {
            Step::Copy(from) => self.vector(args[from], long),
            Step::Permute(from, imm) => {
                let x = self.vector_or_memory(args[from], long);
                self.two(ops::PERMILPS, long, x, Some(imm))
            }
            Step::UnpackLow(from) => two(self, ops::UNPCKLPS, from, None),
            Step::UnpackHigh(from) => two(self, ops::UNPCKHPS, from, None),
            Step::Shuffle(from, imm) => two(self, ops::SHUFPS, from, Some(imm)),
            Step::Blend(imm) => two(self, ops::PBLENDD, [0, 1], Some(if long { imm | imm << 4 } else { imm })),
            Step::Bytes(masks) => {
                let mut all = None;
                for (i, mask) in masks.into_iter().enumerate() {
                    let Some(mask) = mask else { continue };
                    let mask = self.constant([u128::from_le_bytes(mask); 2]);
                    let x = self.vector(args[i], long);
                    let part = self.three(ops::PSHUFB, long, x, mask, None);
                    all = Some(match all {
                        Some(all) => self.three(ops::OR, long, all, part, None),
                        None => part,
                    });
                }
                all.expect("a shuffle reads one of its operands")
            }
        }
    }
}
