//! Arithmetic, comparisons, conversions and derivatives. Integers of SPIR-V have no sign in most instructions; in the IR they have.

use planish_ir::builder::Request;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op as Ir};
use planish_ir::types::{Scalar, TypeKind};
use spirv::Op;

use crate::function::Scope;
use crate::report::Res;
use crate::words::Inst;

/// The types that the operands of an instruction get.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Their own.
    Own,
    /// Integers of the sign of the result.
    Result,
    /// Integers of the sign of the first.
    First,
    Signed,
    Unsigned,
}

/// Instructions that are one op on their operands.
fn plain(op: Op) -> Option<(Ir, Sign)> {
    use Sign::{First, Own, Result, Signed, Unsigned};
    Some(match op {
        Op::SNegate => (Ir::Negate, Result),
        Op::FNegate => (Ir::Negate, Own),
        Op::IAdd => (Ir::Add, Result),
        Op::FAdd => (Ir::Add, Own),
        Op::ISub => (Ir::Subtract, Result),
        Op::FSub => (Ir::Subtract, Own),
        Op::IMul => (Ir::Multiply, Result),
        Op::FMul => (Ir::Multiply, Own),
        Op::UDiv => (Ir::Divide, Unsigned),
        Op::SDiv => (Ir::Divide, Signed),
        Op::FDiv => (Ir::Divide, Own),
        Op::UMod => (Ir::Remainder, Unsigned),
        Op::SRem => (Ir::Remainder, Signed),
        Op::FMod => (Ir::Mod, Own),
        Op::MatrixTimesScalar => (Ir::MatrixTimesScalar, Own),
        Op::VectorTimesMatrix => (Ir::VectorTimesMatrix, Own),
        Op::MatrixTimesVector => (Ir::MatrixTimesVector, Own),
        Op::MatrixTimesMatrix => (Ir::MatrixTimesMatrix, Own),
        Op::OuterProduct => (Ir::OuterProduct, Own),
        Op::Dot => (Ir::Dot, Own),
        Op::Transpose => (Ir::Transpose, Own),
        Op::Any => (Ir::Any, Own),
        Op::All => (Ir::All, Own),
        Op::IsNan => (Ir::IsNan, Own),
        Op::IsInf => (Ir::IsInf, Own),
        Op::LogicalEqual => (Ir::Equal, Own),
        Op::LogicalNotEqual => (Ir::LogicalXor, Own),
        Op::LogicalOr => (Ir::LogicalOr, Own),
        Op::LogicalAnd => (Ir::LogicalAnd, Own),
        Op::LogicalNot => (Ir::LogicalNot, Own),
        Op::Select => (Ir::Select, Own),
        Op::IEqual => (Ir::Equal, First),
        Op::INotEqual => (Ir::NotEqual, First),
        Op::UGreaterThan => (Ir::GreaterThan, Unsigned),
        Op::SGreaterThan => (Ir::GreaterThan, Signed),
        Op::UGreaterThanEqual => (Ir::GreaterThanEqual, Unsigned),
        Op::SGreaterThanEqual => (Ir::GreaterThanEqual, Signed),
        Op::ULessThan => (Ir::LessThan, Unsigned),
        Op::SLessThan => (Ir::LessThan, Signed),
        Op::ULessThanEqual => (Ir::LessThanEqual, Unsigned),
        Op::SLessThanEqual => (Ir::LessThanEqual, Signed),
        Op::FOrdEqual => (Ir::Equal, Own),
        Op::FUnordNotEqual => (Ir::NotEqual, Own),
        Op::FOrdLessThan => (Ir::LessThan, Own),
        Op::FOrdGreaterThan => (Ir::GreaterThan, Own),
        Op::FOrdLessThanEqual => (Ir::LessThanEqual, Own),
        Op::FOrdGreaterThanEqual => (Ir::GreaterThanEqual, Own),
        Op::BitwiseOr => (Ir::BitwiseOr, Result),
        Op::BitwiseXor => (Ir::BitwiseXor, Result),
        Op::BitwiseAnd => (Ir::BitwiseAnd, Result),
        Op::Not => (Ir::BitwiseNot, Result),
        Op::BitReverse => (Ir::BitReverse, Result),
        Op::BitCount => (Ir::BitCount, Own),
        Op::DPdx => (Ir::Dfdx, Own),
        Op::DPdy => (Ir::Dfdy, Own),
        Op::Fwidth => (Ir::Fwidth, Own),
        Op::DPdxFine => (Ir::DfdxFine, Own),
        Op::DPdyFine => (Ir::DfdyFine, Own),
        Op::FwidthFine => (Ir::FwidthFine, Own),
        Op::DPdxCoarse => (Ir::DfdxCoarse, Own),
        Op::DPdyCoarse => (Ir::DfdyCoarse, Own),
        Op::FwidthCoarse => (Ir::FwidthCoarse, Own),
        _ => return None,
    })
}

/// Comparisons of floats that are true for NaN: their opposites.
fn unordered(op: Op) -> Option<Ir> {
    Some(match op {
        Op::FUnordLessThan => Ir::GreaterThanEqual,
        Op::FUnordGreaterThan => Ir::LessThanEqual,
        Op::FUnordLessThanEqual => Ir::GreaterThan,
        Op::FUnordGreaterThanEqual => Ir::LessThan,
        _ => return None,
    })
}

impl<'w> Scope<'_, 'w, '_> {
    /// An arithmetic instruction; `None` if it is another.
    pub(crate) fn arithmetic(&mut self, inst: &Inst<'w>) -> Res<Option<Value>> {
        if let Some((op, sign)) = plain(inst.op) {
            let args = self.values(inst, 0)?;
            let args = self.signed_operands(inst, args, sign)?;
            let value = self.op(inst, op, &args)?;
            return if op == Ir::BitCount { self.counted(inst, value).map(Some) } else { Ok(Some(value)) };
        }
        if let Some(opposite) = unordered(inst.op) {
            let args = self.values(inst, 0)?;
            let value = self.op(inst, opposite, &args)?;
            return self.op(inst, Ir::LogicalNot, &[value]).map(Some);
        }
        Ok(Some(match inst.op {
            Op::FOrdNotEqual | Op::FUnordEqual | Op::LessOrGreater => {
                let args = self.values(inst, 0)?;
                let (less, greater) = (self.op(inst, Ir::LessThan, &args)?, self.op(inst, Ir::GreaterThan, &args)?);
                let differs = self.op(inst, Ir::LogicalOr, &[less, greater])?;
                if inst.op == Op::FUnordEqual { self.op(inst, Ir::LogicalNot, &[differs])? } else { differs }
            }
            Op::Ordered | Op::Unordered => {
                let args = self.values(inst, 0)?;
                let [a, b] = args[..] else { return inst.invalid("it has two operands") };
                let (a, b) = (self.op(inst, Ir::IsNan, &[a])?, self.op(inst, Ir::IsNan, &[b])?);
                let is_unordered = self.op(inst, Ir::LogicalOr, &[a, b])?;
                if inst.op == Op::Ordered { self.op(inst, Ir::LogicalNot, &[is_unordered])? } else { is_unordered }
            }
            Op::VectorTimesScalar => {
                let (vector, scalar) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let scalar = self.splat_like(inst, scalar, vector)?;
                self.op(inst, Ir::Multiply, &[vector, scalar])?
            }
            Op::FRem => {
                let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let quotient = self.op(inst, Ir::Divide, &[a, b])?;
                let whole = self.op(inst, Ir::Trunc, &[quotient])?;
                let product = self.op(inst, Ir::Multiply, &[b, whole])?;
                self.op(inst, Ir::Subtract, &[a, product])?
            }
            // The remainder with the sign of the divisor.
            Op::SMod => {
                let args = self.values(inst, 0)?;
                let args = self.signed_operands(inst, args, Sign::Signed)?;
                let [_, b] = args[..] else { return inst.invalid("it has two operands") };
                let rest = self.op(inst, Ir::Remainder, &args)?;
                let sum = self.op(inst, Ir::Add, &[rest, b])?;
                let zero = self.zero_like(inst, rest)?;
                let is_rest = self.op(inst, Ir::NotEqual, &[rest, zero])?;
                let mixed = self.op(inst, Ir::BitwiseXor, &[rest, b])?;
                let differs = self.op(inst, Ir::LessThan, &[mixed, zero])?;
                let adds = self.op(inst, Ir::LogicalAnd, &[is_rest, differs])?;
                self.op(inst, Ir::Select, &[adds, sum, rest])?
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let (value, amount) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let (op, sign) = match inst.op {
                    Op::ShiftLeftLogical => (Ir::ShiftLeft, Sign::Result),
                    Op::ShiftRightLogical => (Ir::ShiftRight, Sign::Unsigned),
                    _ => (Ir::ShiftRight, Sign::Signed),
                };
                let value = self.signed_operands(inst, vec![value], sign)?[0];
                self.op(inst, op, &[value, amount])?
            }
            Op::BitFieldInsert => {
                let (base, part) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let args = self.signed_operands(inst, vec![base, part], Sign::Result)?;
                let (offset, count) = (self.as_i32(inst, 2)?, self.as_i32(inst, 3)?);
                self.op(inst, Ir::BitfieldInsert, &[args[0], args[1], offset, count])?
            }
            Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let sign = if inst.op == Op::BitFieldSExtract { Sign::Signed } else { Sign::Unsigned };
                let base = self.operand(inst, 0)?;
                let base = self.signed_operands(inst, vec![base], sign)?[0];
                let (offset, count) = (self.as_i32(inst, 1)?, self.as_i32(inst, 2)?);
                self.op(inst, Ir::BitfieldExtract, &[base, offset, count])?
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.two_words(inst)?,
            Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert => self.conversion(inst)?,
            Op::QuantizeToF16 => {
                let value = self.operand(inst, 0)?;
                self.quantize(inst, value)?
            }
            Op::Bitcast => {
                let (value, ty) = (self.operand(inst, 0)?, self.result_type(inst)?);
                self.bitcast(inst, value, ty)?
            }
            Op::SDot | Op::UDot | Op::SUDot => self.integer_dot(inst)?,
            _ => return Ok(None),
        }))
    }

    fn signed_operands(&mut self, inst: &Inst<'_>, args: Vec<Value>, sign: Sign) -> Res<Vec<Value>> {
        let wanted = match sign {
            Sign::Own => return Ok(args),
            Sign::Result => {
                let ty = self.result_type(inst)?;
                self.b.module.types.scalar_of(ty).is_some_and(Scalar::is_signed)
            }
            Sign::First => {
                let first = args.first().map(|&v| self.b.type_of(v));
                first.and_then(|ty| self.b.module.types.scalar_of(ty)).is_some_and(Scalar::is_signed)
            }
            Sign::Signed => true,
            Sign::Unsigned => false,
        };
        args.into_iter().map(|value| self.with_sign(inst, value, wanted)).collect()
    }

    /// An integer as one with or without a sign; other values as they are.
    pub(crate) fn with_sign(&mut self, inst: &Inst<'_>, value: Value, signed: bool) -> Res<Value> {
        let ty = self.b.type_of(value);
        let scalar = match self.b.module.types.scalar_of(ty).filter(|scalar| scalar.is_integer()) {
            Some(scalar) if scalar.is_signed() && !signed => scalar.unsigned(),
            Some(scalar) if !scalar.is_signed() && signed => scalar.signed(),
            _ => return Ok(value),
        };
        let ty = self.b.module.types.with_scalar(ty, scalar);
        self.op_typed(inst, Ir::Bitcast, &[value], ty)
    }

    /// A number of bits as an integer of the result's width.
    pub(crate) fn counted(&mut self, inst: &Inst<'w>, value: Value) -> Res<Value> {
        let ty = self.result_type(inst)?;
        match self.b.module.types.scalar_of(ty) {
            Some(scalar) if scalar.is_integer() => self.converted(inst, value, scalar),
            _ => Ok(value),
        }
    }

    /// An index as one of 32 or 64 bits: SPIR-V takes it as signed.
    pub(crate) fn as_index(&mut self, inst: &Inst<'_>, value: Value) -> Res<Value> {
        let scalar = self.b.module.types.scalar_of(self.b.type_of(value));
        if !scalar.is_some_and(Scalar::is_small_integer) {
            return Ok(value);
        }
        let value = self.with_sign(inst, value, true)?;
        self.converted(inst, value, Scalar::I32)
    }

    /// An operand as `i32` in its shape.
    pub(crate) fn as_i32(&mut self, inst: &Inst<'w>, index: usize) -> Res<Value> {
        let value = self.operand(inst, index)?;
        self.converted(inst, value, Scalar::I32)
    }

    /// The value with other components, converted.
    pub(crate) fn converted(&mut self, inst: &Inst<'_>, value: Value, scalar: Scalar) -> Res<Value> {
        let from = self.b.type_of(value);
        let ty = self.b.module.types.with_scalar(from, scalar);
        let old = self.b.module.types.scalar_of(from);
        if ty == from {
            return Ok(value);
        }
        let op = match &self.b.module.types[from] {
            _ if old.is_some_and(|s| s.is_integer() && scalar.is_integer() && s.bits() == scalar.bits()) => Ir::Bitcast,
            TypeKind::Scalar(_) => Ir::ConstructScalarFromScalar,
            TypeKind::Vector(..) => Ir::ConstructVectorFromMultiple,
            TypeKind::Matrix { .. } => Ir::ConstructMatrixFromMatrix,
            _ => return inst.invalid("an operand is no number"),
        };
        self.op_typed(inst, op, &[value], ty)
    }

    fn zero_like(&mut self, inst: &Inst<'_>, value: Value) -> Res<Value> {
        let ty = self.b.type_of(value);
        let module = &mut *self.b.module;
        match module.consts.zero(&mut module.types, ty) {
            Some(zero) => Ok(zero.into()),
            None => inst.invalid("an operand is no number"),
        }
    }

    /// The scalar in the size of a vector.
    pub(crate) fn splat_like(&mut self, inst: &Inst<'_>, scalar: Value, vector: Value) -> Res<Value> {
        let ty = self.b.type_of(vector);
        match self.b.module.types[ty] {
            TypeKind::Vector(..) => self.op_typed(inst, Ir::ConstructVectorFromScalar, &[scalar], ty),
            _ => Ok(scalar),
        }
    }

    fn conversion(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (mut value, ty) = (self.operand(inst, 0)?, self.result_type(inst)?);
        let Some(to) = self.b.module.types.scalar_of(ty) else { return inst.invalid("its type is no number") };
        // The sign of the operand or of the result is that of the instruction.
        let target = match inst.op {
            Op::ConvertSToF | Op::SConvert => {
                value = self.with_sign(inst, value, true)?;
                to
            }
            Op::ConvertUToF | Op::UConvert => {
                value = self.with_sign(inst, value, false)?;
                to
            }
            Op::ConvertFToS if to.is_integer() => to.signed(),
            Op::ConvertFToU if to.is_integer() => to.unsigned(),
            _ => to,
        };
        let from = self.b.type_of(value);
        let made = self.b.module.types.with_scalar(from, target);
        let old = self.b.module.types.scalar_of(from);
        let fits = match inst.op {
            Op::ConvertFToU | Op::ConvertFToS | Op::FConvert => old.is_some_and(Scalar::is_float),
            _ => old.is_some_and(Scalar::is_integer),
        };
        if !fits {
            return inst.invalid("its operand is no number of the kind that it converts");
        }
        let op = match &self.b.module.types[from] {
            _ if made == from => return Ok(value),
            _ if old.is_some_and(|s| s.is_integer() && target.is_integer() && s.bits() == target.bits()) => Ir::Bitcast,
            TypeKind::Scalar(_) => Ir::ConstructScalarFromScalar,
            TypeKind::Vector(..) => Ir::ConstructVectorFromMultiple,
            TypeKind::Matrix { .. } => Ir::ConstructMatrixFromMatrix,
            _ => return inst.invalid("its operand is no number"),
        };
        let is_open = matches!(inst.op, Op::ConvertFToU | Op::ConvertFToS) && op != Ir::ConstructMatrixFromMatrix;
        let imm = if is_open { Imm::OPEN } else { Imm::NONE };
        let value = self.make(inst, Request::new(op, &[value]).imm(imm).ty(made))?;
        if made == ty { Ok(value) } else { self.op_typed(inst, Ir::Bitcast, &[value], ty) }
    }

    /// The same bits in another shape.
    fn bitcast(&mut self, inst: &Inst<'_>, value: Value, ty: Type) -> Res<Value> {
        let from = self.b.type_of(value);
        if from == ty {
            return Ok(value);
        }
        let bits = |scope: &Self, ty: Type| {
            let types = &scope.b.module.types;
            Some((types.scalar_of(ty)?.bits(), types.vector_size(ty)?))
        };
        let holds_halves = |scope: &Self, ty: Type| scope.b.module.types.scalar_of(ty) == Some(Scalar::F16);
        match (bits(self, from), bits(self, ty)) {
            (Some((a, n)), Some((b, m))) if a == b && n == m => self.op_typed(inst, Ir::Bitcast, &[value], ty),
            (Some((32, 2)), Some((64, 1))) => {
                let words = self.reinterpreted(inst, value, Scalar::U32)?;
                let double = self.op(inst, Ir::PackDouble2x32, &[words])?;
                if self.b.type_of(double) == ty { Ok(double) } else { self.op_typed(inst, Ir::Bitcast, &[double], ty) }
            }
            // The bits of halves are those of the numbers: packed and unpacked by their meaning.
            (Some((32, n @ 1..=2)), Some((16, m))) if m == 2 * n && holds_halves(self, ty) => {
                let words = self.reinterpreted(inst, value, Scalar::U32)?;
                let mut parts = vec![];
                for lane in 0..n {
                    let word = if n == 1 { words } else { self.swizzle(inst, words, &[lane])? };
                    let pair = self.op(inst, Ir::UnpackHalf2x16, &[word])?;
                    parts.push(self.converted(inst, pair, Scalar::F16)?);
                }
                if n == 1 { Ok(parts[0]) } else { self.construct(inst, parts, ty) }
            }
            (Some((16, m)), Some((32, n @ 1..=2))) if m == 2 * n && holds_halves(self, from) => {
                let floats = self.converted(inst, value, Scalar::F32)?;
                let mut parts = vec![];
                for lane in 0..n {
                    let pair = if n == 1 { floats } else { self.swizzle(inst, floats, &[2 * lane, 2 * lane + 1])? };
                    parts.push(self.op(inst, Ir::PackHalf2x16, &[pair])?);
                }
                let words = if n == 1 { parts[0] } else { self.construct(inst, parts, Type::UVEC2)? };
                if self.b.type_of(words) == ty { Ok(words) } else { self.op_typed(inst, Ir::Bitcast, &[words], ty) }
            }
            (Some((64, 1)), Some((32, 2))) => {
                let double = self.reinterpreted(inst, value, Scalar::F64)?;
                let words = self.op(inst, Ir::UnpackDouble2x32, &[double])?;
                if self.b.type_of(words) == ty { Ok(words) } else { self.op_typed(inst, Ir::Bitcast, &[words], ty) }
            }
            _ => match self.b.reinterpret(value, ty) {
                Some(value) => Ok(value),
                None => inst.unsupported("a cast between these types"),
            },
        }
    }

    fn reinterpreted(&mut self, inst: &Inst<'_>, value: Value, scalar: Scalar) -> Res<Value> {
        let from = self.b.type_of(value);
        let ty = self.b.module.types.with_scalar(from, scalar);
        if ty == from { Ok(value) } else { self.op_typed(inst, Ir::Bitcast, &[value], ty) }
    }

    /// Instructions with a struct of two words as their result.
    fn two_words(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        let Some(part) = self.b.module.types.part(ty, 0) else { return inst.invalid("its type is no struct") };
        let signed = inst.op == Op::SMulExtended;
        let args = self.values(inst, 0)?;
        let args = self.signed_operands(inst, args, if signed { Sign::Signed } else { Sign::Unsigned })?;
        let op = match inst.op {
            Op::IAddCarry => Ir::AddCarry,
            Op::ISubBorrow => Ir::SubtractBorrow,
            _ => Ir::MultiplyExtended,
        };
        let results = self.make_all(inst, Request::new(op, &args))?;
        let [first, second] = results[..] else { return inst.invalid("it has two results") };
        // The low word comes first.
        let words = if op == Ir::MultiplyExtended { [second, first] } else { [first, second] };
        let mut parts = vec![];
        for word in words {
            parts.push(self.adapt(inst, word, part)?);
        }
        self.construct(inst, parts, ty)
    }

    /// Each component rounded to binary16.
    fn quantize(&mut self, inst: &Inst<'_>, value: Value) -> Res<Value> {
        let ty = self.b.type_of(value);
        let types = &self.b.module.types;
        if types.scalar_of(ty) != Some(Scalar::F32) || types.vector_size(ty).is_none() {
            return inst.invalid("its operand is no 32-bit float, nor a vector of them");
        }
        Ok(self.b.round_to_half(value))
    }

    /// The sum of products of vectors of 32-bit integers, or of the bytes of words.
    fn integer_dot(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let signs = [inst.op != Op::UDot, inst.op == Op::SDot];
        let mut lists = vec![];
        for (value, signed) in [a, b].into_iter().zip(signs) {
            let value = self.with_sign(inst, value, signed)?;
            let size = self.b.module.types.vector_size(self.b.type_of(value)).unwrap_or(0);
            let mut list = vec![];
            for lane in 0..if size == 1 { 4 } else { size } {
                let part = match size {
                    1 => {
                        let (offset, count) = (self.b.i32(8 * i32::from(lane)), self.b.i32(8));
                        self.op(inst, Ir::BitfieldExtract, &[value, offset, count])?
                    }
                    _ => self.swizzle(inst, value, &[lane])?,
                };
                list.push(self.converted(inst, part, Scalar::I32)?);
            }
            lists.push(list);
        }
        let mut sum: Option<Value> = None;
        for (&a, &b) in lists[0].iter().zip(&lists[1]) {
            let product = self.op(inst, Ir::Multiply, &[a, b])?;
            sum = Some(match sum {
                Some(sum) => self.op(inst, Ir::Add, &[sum, product])?,
                None => product,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => inst.invalid("its operands are no vectors"),
        }
    }
}
