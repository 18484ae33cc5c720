//! Arithmetic that is more than one instruction, because SPIR-V leaves undefined what the IR defines, or has no such op.
//! A guard is left out where a constant operand makes it needless.

use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;
use spirv::{GlslStd450Op as Glsl, Op as S};

use crate::assemble::Id;
use crate::constants::bits_of;
use crate::function::FunctionWriter;
use crate::types::Res;

impl FunctionWriter<'_, '_> {
    /// A constant scalar or vector of these components.
    fn constant_of(&mut self, ty: Type, bits: &[u64]) -> Id {
        let (scalar, n) = self.shape(ty);
        let parts: Vec<Id> = bits.iter().map(|&b| self.cx.scalar(scalar, b)).collect();
        if n == 1 {
            return parts[0];
        }
        let ty = self.cx.number(ty);
        self.cx.out.constant(S::ConstantComposite, ty, &parts)
    }

    /// Booleans in the shape of a type.
    fn bools(&mut self, ty: Type) -> Type {
        self.with_scalar(ty, Scalar::Bool)
    }

    // Integers.

    /// `x / y`, `x % y`. Where y is 0, or the quotient does not fit, y counts as 1: `x / 0` is x and `x % 0` is 0.
    pub(crate) fn divide(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        let (scalar, _) = self.shape(ty);
        let x = self.id(args[0])?;
        let y = self.safe_divisor(x, args, ty)?;
        let quotient = if scalar.is_signed() { S::SDiv } else { S::UDiv };
        if op == Op::Remainder && !scalar.is_signed() {
            return Ok(self.op2(S::UMod, ty, x, y));
        }
        let quotient = self.op2(quotient, ty, x, y);
        if op == Op::Divide {
            return Ok(quotient);
        }
        // Vulkan leaves `OpSRem` undefined for negative operands.
        let product = self.op2(S::IMul, ty, quotient, y);
        Ok(self.op2(S::ISub, ty, x, product))
    }

    fn safe_divisor(&mut self, x: Id, args: &[Value], ty: Type) -> Res<Id> {
        let (scalar, _) = self.shape(ty);
        let one = self.cx.splat_number(ty, 1);
        let (ones, least) = (bits_of(scalar, -1), 1u64 << (scalar.bits() - 1));
        let known_x = self.cx.const_bits(args[0]).is_some_and(|bits| !bits.contains(&least));
        let (mut y, mut may_be_zero) = (self.id(args[1])?, true);
        let mut may_overflow = scalar.is_signed() && !known_x;
        if let Some(bits) = self.cx.const_bits(args[1]) {
            may_overflow &= bits.contains(&ones);
            may_be_zero = false;
            if bits.contains(&0) {
                let bits: Vec<u64> = bits.into_iter().map(|b| if b == 0 { 1 } else { b }).collect();
                y = self.constant_of(ty, &bits);
            }
        }
        // Selects rather than logic on vectors, which not every reader knows.
        let bools = self.bools(ty);
        if may_be_zero {
            let zero = self.cx.splat(ty, 0);
            let is_zero = self.op2(S::IEqual, bools, y, zero);
            y = self.op3(S::Select, ty, is_zero, one, y);
        }
        if may_overflow {
            let (least, ones) = (self.cx.splat(ty, least), self.cx.splat(ty, ones));
            let (a, b) = (self.op2(S::IEqual, bools, x, least), self.op2(S::IEqual, bools, y, ones));
            let other = self.op3(S::Select, ty, b, one, y);
            y = self.op3(S::Select, ty, a, other, y);
        }
        Ok(y)
    }

    /// A shift's amount, modulo the width of the word.
    fn amount(&mut self, value: Value, width: u32) -> Res<Id> {
        let ty = self.type_of(value);
        let last = u64::from(width - 1);
        if let Some(bits) = self.cx.const_bits(value) {
            let bits: Vec<u64> = bits.into_iter().map(|b| b & last).collect();
            return Ok(self.constant_of(ty, &bits));
        }
        let (amount, mask) = (self.id(value)?, self.cx.splat(ty, last));
        Ok(self.op2(S::BitwiseAnd, ty, amount, mask))
    }

    pub(crate) fn shift(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        let (scalar, _) = self.shape(ty);
        let (x, amount) = (self.id(args[0])?, self.amount(args[1], scalar.bits())?);
        let instruction = match op {
            Op::ShiftLeft => S::ShiftLeftLogical,
            _ if scalar.is_signed() => S::ShiftRightArithmetic,
            _ => S::ShiftRightLogical,
        };
        Ok(self.op2(instruction, ty, x, amount))
    }

    pub(crate) fn rotate(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        let width = self.shape(ty).0.bits();
        let (x, amount) = (self.id(args[0])?, self.amount(args[1], width)?);
        // Readers take a logical shift of signed numbers for an arithmetic one.
        let (word, _) = self.word_of(ty);
        let x = self.reinterpret(x, ty, word);
        let amount_type = self.type_of(args[1]);
        let (zero, mask) = (self.cx.splat(amount_type, 0), self.cx.splat(amount_type, u64::from(width - 1)));
        let back = self.op2(S::ISub, amount_type, zero, amount);
        let back = self.op2(S::BitwiseAnd, amount_type, back, mask);
        let (left, right) = if op == Op::RotateLeft { (amount, back) } else { (back, amount) };
        let up = self.op2(S::ShiftLeftLogical, word, x, left);
        let down = self.op2(S::ShiftRightLogical, word, x, right);
        let both = self.op2(S::BitwiseOr, word, up, down);
        Ok(self.reinterpret(both, word, ty))
    }

    pub(crate) fn bit_query(&mut self, op: Op, value: Value, first: Type, ty: Type) -> Res<Id> {
        let x = self.id(value)?;
        let signed = self.shape(first).0.is_signed();
        let unsigned = self.with_scalar(first, Scalar::U32);
        let found = match op {
            Op::BitCount => self.op1(S::BitCount, first, x),
            Op::FindLsb => self.glsl(Glsl::FindILsb, first, &[x]),
            Op::FindMsb if signed => self.glsl(Glsl::FindSMsb, first, &[x]),
            Op::FindMsb => self.glsl(Glsl::FindUMsb, first, &[x]),
            Op::CountLeadingZeros => {
                // The highest bit is number -1 if there is none.
                let bits = self.reinterpret(x, first, unsigned);
                let highest = self.glsl(Glsl::FindUMsb, unsigned, &[bits]);
                let last = self.cx.splat(unsigned, 31);
                let zeros = self.op2(S::ISub, unsigned, last, highest);
                return Ok(self.reinterpret(zeros, unsigned, ty));
            }
            _ => {
                let bits = self.reinterpret(x, first, unsigned);
                let lowest = self.glsl(Glsl::FindILsb, unsigned, &[bits]);
                let width = self.cx.splat(unsigned, 32);
                let zeros = self.glsl(Glsl::UMin, unsigned, &[lowest, width]);
                return Ok(self.reinterpret(zeros, unsigned, ty));
            }
        };
        Ok(self.reinterpret(found, first, ty))
    }

    /// The same bits as another type.
    pub(crate) fn reinterpret(&mut self, id: Id, from: Type, to: Type) -> Id {
        if from == to { id } else { self.op1(S::Bitcast, to, id) }
    }

    /// The low bits, sign-extended.
    pub(crate) fn sign_extend(&mut self, op: Op, value: Value, ty: Type) -> Res<Id> {
        let x = self.id(value)?;
        let (scalar, _) = self.shape(ty);
        let bits = match op {
            Op::SignExtend8 => 8,
            Op::SignExtend16 => 16,
            _ => 32,
        };
        if bits >= scalar.bits() {
            return Ok(x);
        }
        let signed = self.with_scalar(ty, if scalar.bits() == 64 { Scalar::I64 } else { Scalar::I32 });
        let x = self.reinterpret(x, ty, signed);
        let by = self.cx.splat(signed, (scalar.bits() - bits).into());
        let up = self.op2(S::ShiftLeftLogical, signed, x, by);
        let down = self.op2(S::ShiftRightArithmetic, signed, up, by);
        Ok(self.reinterpret(down, signed, ty))
    }

    /// Bit fields are cut to the word.
    pub(crate) fn bitfield(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        let (values, field) = args.split_at(args.len() - 2);
        let mut operands = self.ids(values)?;
        let known = (self.cx.const_bits(field[0]), self.cx.const_bits(field[1]));
        let word = self.cx.u32(32);
        if let (Some(offset), Some(count)) = known {
            let offset = offset[0].min(32);
            let count = count[0].min(32 - offset);
            operands.extend([self.cx.u32(offset as u32), self.cx.u32(count as u32)]);
        } else {
            let (offset, count) = (self.id(field[0])?, self.id(field[1])?);
            let offset = self.word_from(offset, self.type_of(field[0]));
            let count = self.word_from(count, self.type_of(field[1]));
            let offset = self.glsl(Glsl::UMin, Type::U32, &[offset, word]);
            let rest = self.op2(S::ISub, Type::U32, word, offset);
            let count = self.glsl(Glsl::UMin, Type::U32, &[count, rest]);
            operands.extend([offset, count]);
        }
        let instruction = match op {
            Op::BitfieldInsert => S::BitFieldInsert,
            _ if self.shape(ty).0.is_signed() => S::BitFieldSExtract,
            _ => S::BitFieldUExtract,
        };
        let ty = self.cx.number(ty);
        Ok(self.emit(instruction, ty, &operands))
    }

    /// Sum and carry, difference and borrow, or the high and low words of a product.
    pub(crate) fn two_words(&mut self, op: Op, args: &[Value], ty: Type) -> Res<[Id; 2]> {
        let signed_product = op == Op::MultiplyExtended && self.shape(ty).0.is_signed();
        let unsigned = if signed_product { ty } else { self.with_scalar(ty, Scalar::U32) };
        let (a, b) = (self.id(args[0])?, self.id(args[1])?);
        let (a, b) = (self.reinterpret(a, ty, unsigned), self.reinterpret(b, ty, unsigned));
        let instruction = match op {
            Op::AddCarry => S::IAddCarry,
            Op::SubtractBorrow => S::ISubBorrow,
            _ if signed_product => S::SMulExtended,
            _ => S::UMulExtended,
        };
        let part = self.cx.number(unsigned);
        let both_type = self.cx.out.plain_type(S::TypeStruct, &[part, part]);
        let both = self.emit(instruction, both_type, &[a, b]);
        let (first, second) = if op == Op::MultiplyExtended { (1, 0) } else { (0, 1) };
        let first = self.part(both, unsigned, first);
        let first = self.reinterpret(first, unsigned, ty);
        let second = self.part(both, unsigned, second);
        Ok([first, self.reinterpret(second, unsigned, ty)])
    }

    // Floats.

    /// Both results of `frexp` and `modf`.
    pub(crate) fn split_float(&mut self, op: Op, args: &[Value], ty: Type) -> Res<[Id; 2]> {
        let x = self.id(args[0])?;
        let (instruction, other) = match op {
            Op::Frexp => (Glsl::FrexpStruct, self.with_scalar(ty, Scalar::I32)),
            _ => (Glsl::ModfStruct, ty),
        };
        let (first, second) = (self.cx.number(ty), self.cx.number(other));
        let both_type = self.cx.out.plain_type(S::TypeStruct, &[first, second]);
        let both = self.glsl_of(instruction, both_type, &[x]);
        Ok([self.part(both, ty, 0), self.part(both, other, 1)])
    }

    /// `x - y * floor(x / y)`. `OpFMod` is that too, but for y = 0.
    pub(crate) fn floor_modulo(&mut self, args: &[Value], ty: Type) -> Res<Id> {
        let (x, y) = (self.id(args[0])?, self.id(args[1])?);
        let is_zero = |b: &u64| b << 1 == 0 || *b == 0x8000_0000;
        if self.cx.const_bits(args[1]).is_some_and(|bits| !bits.iter().any(is_zero)) {
            return Ok(self.op2(S::FMod, ty, x, y));
        }
        let quotient = self.op2(S::FDiv, ty, x, y);
        let whole = self.glsl(Glsl::Floor, ty, &[quotient]);
        let product = self.op2(S::FMul, ty, y, whole);
        Ok(self.op2(S::FSub, ty, x, product))
    }

    /// Whether x is NaN, or infinite: of floats by their bits, which no fast-math setting of a driver can spoil.
    pub(crate) fn float_test(&mut self, op: Op, x: Id, ty: Type) -> Id {
        let bools = self.bools(ty);
        if self.shape(ty).0 == Scalar::F64 {
            return self.op1(if op == Op::IsInf { S::IsInf } else { S::IsNan }, bools, x);
        }
        let words = self.with_scalar(ty, Scalar::U32);
        let bits = self.op1(S::Bitcast, words, x);
        let (mask, limit) = (self.cx.splat(words, 0x7fff_ffff), self.cx.splat(words, 0x7f80_0000));
        let bits = self.op2(S::BitwiseAnd, words, bits, mask);
        self.op2(if op == Op::IsInf { S::IEqual } else { S::UGreaterThan }, bools, bits, limit)
    }

    /// Unsigned words in the shape of a type, and their highest bit.
    fn word_of(&mut self, ty: Type) -> (Type, u64) {
        let (scalar, _) = self.shape(ty);
        let word = if scalar.bits() == 64 { Scalar::U64 } else { Scalar::U32 };
        (self.with_scalar(ty, word), 1 << (scalar.bits() - 1))
    }

    /// x with the sign of y.
    pub(crate) fn copy_sign(&mut self, x: Id, y: Id, ty: Type) -> Res<Id> {
        let (words, sign) = self.word_of(ty);
        let (low, high) = (self.cx.splat(words, sign - 1), self.cx.splat(words, sign));
        let (x, y) = (self.op1(S::Bitcast, words, x), self.op1(S::Bitcast, words, y));
        let (x, y) = (self.op2(S::BitwiseAnd, words, x, low), self.op2(S::BitwiseAnd, words, y, high));
        let both = self.op2(S::BitwiseOr, words, x, y);
        Ok(self.op1(S::Bitcast, ty, both))
    }

    /// IEEE minimum or maximum: NaN if either is, -0 below +0.
    pub(crate) fn ieee_extreme(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        let (x, y) = (self.id(args[0])?, self.id(args[1])?);
        let bools = self.bools(ty);
        let (words, _) = self.word_of(ty);
        let (order, join) = match op {
            Op::Minimum => (S::FOrdLessThan, S::BitwiseOr),
            _ => (S::FOrdGreaterThan, S::BitwiseAnd),
        };
        let first = self.op2(order, bools, x, y);
        let chosen = self.op3(S::Select, ty, first, x, y);
        // Equal numbers differ at most in the signs of zeros.
        let (a, b) = (self.op1(S::Bitcast, words, x), self.op1(S::Bitcast, words, y));
        let joined = self.op2(join, words, a, b);
        let joined = self.op1(S::Bitcast, ty, joined);
        let equal = self.op2(S::FOrdEqual, bools, x, y);
        let chosen = self.op3(S::Select, ty, equal, joined, chosen);
        let (a, b) = (self.op2(S::FUnordNotEqual, bools, x, x), self.op2(S::FUnordNotEqual, bools, y, y));
        let chosen = self.op3(S::Select, ty, b, y, chosen);
        Ok(self.op3(S::Select, ty, a, x, chosen))
    }

    /// Whether two values are constants that are not in ascending order in every component.
    fn descending(&self, low: Value, high: Value, strictly: bool) -> bool {
        use std::cmp::Ordering::{Equal, Less};
        let (Some(low), Some(high)) = (low.as_const(), high.as_const()) else { return false };
        let (consts, types) = (&self.cx.module.consts, &self.cx.module.types);
        let parts = |c| consts.as_parts(c).map_or_else(|| vec![c], <[_]>::to_vec);
        !parts(low).into_iter().zip(parts(high)).all(|(a, b)| {
            let order = match (consts.as_float(types, a), consts.as_float(types, b)) {
                (Some(a), Some(b)) => a.partial_cmp(&b),
                _ => consts.as_integer(types, a).partial_cmp(&consts.as_integer(types, b)),
            };
            order == Some(Less) || order == Some(Equal) && !strictly
        })
    }

    /// `min(max(x, low), high)`; written out where the bounds are known not to be in order, for which the instruction says
    /// nothing.
    pub(crate) fn clamp(&mut self, args: &[Value], ty: Type) -> Res<Id> {
        let (x, low, high) = (self.id(args[0])?, self.id(args[1])?, self.id(args[2])?);
        let (max, min, both) = match self.shape(ty).0 {
            s if s.is_float() => (Glsl::FMax, Glsl::FMin, Glsl::FClamp),
            s if s.is_signed() => (Glsl::SMax, Glsl::SMin, Glsl::SClamp),
            _ => (Glsl::UMax, Glsl::UMin, Glsl::UClamp),
        };
        if !self.descending(args[1], args[2], false) {
            return Ok(self.glsl(both, ty, &[x, low, high]));
        }
        let above = self.glsl(max, ty, &[x, low]);
        Ok(self.glsl(min, ty, &[above, high]))
    }

    /// `t = clamp((x - e0) / (e1 - e0), 0, 1)`; `t * t * (3 - 2 * t)`. As [`FunctionWriter::clamp`].
    pub(crate) fn smooth_step(&mut self, args: &[Value], ty: Type) -> Res<Id> {
        let (e0, e1, x) = (self.id(args[0])?, self.id(args[1])?, self.id(args[2])?);
        if !self.descending(args[0], args[1], true) {
            return Ok(self.glsl(Glsl::SmoothStep, ty, &[e0, e1, x]));
        }
        let [zero, one, two, three] = [0, 1, 2, 3].map(|n| self.cx.splat_number(ty, n));
        let way = self.op2(S::FSub, ty, x, e0);
        let whole = self.op2(S::FSub, ty, e1, e0);
        let t = self.op2(S::FDiv, ty, way, whole);
        let t = self.glsl(Glsl::FClamp, ty, &[t, zero, one]);
        let twice = self.op2(S::FMul, ty, two, t);
        let rest = self.op2(S::FSub, ty, three, twice);
        let square = self.op2(S::FMul, ty, t, t);
        Ok(self.op2(S::FMul, ty, square, rest))
    }

    /// Functions of geometry. Of scalars they are written out, because readers of SPIR-V know them for vectors only.
    pub(crate) fn geometry(&mut self, op: Op, args: &[Value], first: Type, ty: Type) -> Res<Id> {
        let e = self.ids(args)?;
        if self.shape(first).1 > 1 {
            let instruction = match op {
                Op::Dot => return Ok(self.op2(S::Dot, ty, e[0], e[1])),
                Op::Length => Glsl::Length,
                Op::Normalize => Glsl::Normalize,
                Op::Distance => Glsl::Distance,
                Op::Reflect => Glsl::Reflect,
                Op::Refract => Glsl::Refract,
                _ => Glsl::FaceForward,
            };
            return Ok(self.glsl(instruction, ty, &e));
        }
        Ok(match op {
            Op::Length => self.glsl(Glsl::FAbs, ty, &[e[0]]),
            Op::Normalize => {
                let length = self.glsl(Glsl::FAbs, ty, &[e[0]]);
                self.op2(S::FDiv, ty, e[0], length)
            }
            Op::Distance => {
                let difference = self.op2(S::FSub, ty, e[0], e[1]);
                self.glsl(Glsl::FAbs, ty, &[difference])
            }
            Op::Dot => self.op2(S::FMul, ty, e[0], e[1]),
            Op::Reflect => {
                let dot = self.op2(S::FMul, ty, e[1], e[0]);
                let two = self.cx.splat_number(ty, 2);
                let twice = self.op2(S::FMul, ty, two, dot);
                let along = self.op2(S::FMul, ty, twice, e[1]);
                self.op2(S::FSub, ty, e[0], along)
            }
            Op::Refract => self.refract_scalar(&e, ty),
            _ => {
                let dot = self.op2(S::FMul, ty, e[2], e[1]);
                let zero = self.cx.splat(ty, 0);
                let front = self.op2(S::FOrdLessThan, Type::BOOL, dot, zero);
                let back = self.op1(S::FNegate, ty, e[0]);
                self.op3(S::Select, ty, front, e[0], back)
            }
        })
    }

    /// `k = 1 - eta² (1 - (N·I)²)`; 0 if k < 0, else `eta I - (eta N·I + sqrt(k)) N`.
    fn refract_scalar(&mut self, e: &[Id], ty: Type) -> Id {
        let (i, n, eta) = (e[0], e[1], e[2]);
        let (zero, one) = (self.cx.splat(ty, 0), self.cx.splat_number(ty, 1));
        let dot = self.op2(S::FMul, ty, n, i);
        let square = self.op2(S::FMul, ty, dot, dot);
        let rest = self.op2(S::FSub, ty, one, square);
        let eta2 = self.op2(S::FMul, ty, eta, eta);
        let scaled = self.op2(S::FMul, ty, eta2, rest);
        let k = self.op2(S::FSub, ty, one, scaled);
        let total = self.op2(S::FOrdLessThan, Type::BOOL, k, zero);
        let root = self.glsl(Glsl::FMax, ty, &[k, zero]);
        let root = self.glsl(Glsl::Sqrt, ty, &[root]);
        let straight = self.op2(S::FMul, ty, eta, i);
        let bend = self.op2(S::FMul, ty, eta, dot);
        let bend = self.op2(S::FAdd, ty, bend, root);
        let bend = self.op2(S::FMul, ty, bend, n);
        let refracted = self.op2(S::FSub, ty, straight, bend);
        self.op3(S::Select, ty, total, zero, refracted)
    }

    // Conversions.

    /// Every component of a scalar or vector converted.
    pub(crate) fn convert(&mut self, imm: Imm, x: Id, from: Type, to: Scalar) -> Res<Id> {
        let (old, _) = self.shape(from);
        let ty = self.with_scalar(from, to);
        if old == to {
            return Ok(x);
        }
        Ok(match (old, to) {
            (Scalar::Bool, _) => {
                let (one, zero) = (self.cx.splat_number(ty, 1), self.cx.splat(ty, 0));
                self.op3(S::Select, ty, x, one, zero)
            }
            (_, Scalar::Bool) => {
                let zero = self.cx.splat(from, 0);
                self.op2(if old.is_float() { S::FUnordNotEqual } else { S::INotEqual }, ty, x, zero)
            }
            _ if old.is_float() && to.is_float() => self.op1(S::FConvert, ty, x),
            _ if old.is_float() && imm.is_open() => {
                self.op1(if to.is_signed() { S::ConvertFToS } else { S::ConvertFToU }, ty, x)
            }
            _ if old.is_float() => self.float_to_integer(x, from, to),
            _ if to.is_float() => self.op1(if old.is_signed() { S::ConvertSToF } else { S::ConvertUToF }, ty, x),
            _ if old.bits() == to.bits() => self.op1(S::Bitcast, ty, x),
            _ => {
                // Widened by its own sign, then taken as the other type.
                let (instruction, between) = match (old.is_signed(), to.bits()) {
                    (true, 64) => (S::SConvert, Scalar::I64),
                    (true, _) => (S::SConvert, Scalar::I32),
                    (false, 64) => (S::UConvert, Scalar::U64),
                    (false, _) => (S::UConvert, Scalar::U32),
                };
                let between = self.with_scalar(from, between);
                let x = self.op1(instruction, between, x);
                self.reinterpret(x, between, ty)
            }
        })
    }

    /// Truncates and saturates; NaN gives 0. SPIR-V leaves all that does not fit undefined.
    fn float_to_integer(&mut self, x: Id, from: Type, to: Scalar) -> Id {
        let (scalar, _) = self.shape(from);
        let (ty, bools) = (self.with_scalar(from, to), self.bools(from));
        let magnitude = to.bits() - u32::from(to.is_signed());
        let (least, limit) =
            (if to.is_signed() { -(2f64.powi(magnitude as i32)) } else { 0.0 }, 2f64.powi(magnitude as i32));
        // The greatest float below the limit is the greatest integer only if its digits suffice.
        let (greatest, is_exact) = match scalar {
            Scalar::F32 => (f64::from(f32::from_bits((limit as f32).to_bits() - 1)), false),
            _ if magnitude <= 53 => (limit - 1.0, true),
            _ => (f64::from_bits(limit.to_bits() - 1), false),
        };
        let float = |value: f64| match scalar {
            Scalar::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        let (low, high) = (self.cx.splat(from, float(least)), self.cx.splat(from, float(greatest)));
        // `NClamp` of NaN is the lower bound.
        let within = self.glsl(Glsl::NClamp, from, &[x, low, high]);
        let mut integer = self.op1(if to.is_signed() { S::ConvertFToS } else { S::ConvertFToU }, ty, within);
        if !is_exact {
            let (limit, most) = (self.cx.splat(from, float(limit)), u64::MAX >> (64 - magnitude));
            let most = self.cx.splat(ty, most);
            let above = self.op2(S::FOrdGreaterThanEqual, bools, x, limit);
            integer = self.op3(S::Select, ty, above, most, integer);
        }
        if to.is_signed() {
            let zero = self.cx.splat(ty, 0);
            let is_nan = self.op2(S::FUnordNotEqual, bools, x, x);
            integer = self.op3(S::Select, ty, is_nan, zero, integer);
        }
        integer
    }
}
